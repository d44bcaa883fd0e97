"""What outputs say of the hardware of a switch, and their readers, one for each system."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, get_args

from fabric.core.findings import Finding, Position, Severity
from fabric.core.registry import Registry
from fabric.intent.scalars import Gbps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fabric.platforms.cage import CageKind
    from fabric.platforms.model import ServicePort


class Source(NamedTuple):
    """A file that was read: its name in the folder, its name in messages, and its text."""

    name: str
    shown: str
    text: str


@dataclass(frozen=True, slots=True)
class FrontPort:
    """A front panel port as the switch names it.

    Parameters
    ----------
    name, alias : str
        Names of the system, and of the front panel.
    lane_count : int
        SerDes lanes, > 0.
    speeds_gbps : tuple of int
        Speeds of the whole port.
    lanes : tuple of int
        The lanes themselves; empty where nothing names them.
    modes : mapping
        Breakout modes, and the aliases of their parts; empty where nothing tells them.
    place : Position or None
        Where the port was read.
    counted : bool
        Whether the source tells how many lanes there are.
    """

    name: str
    alias: str
    lane_count: int
    speeds_gbps: tuple[int, ...]
    lanes: tuple[int, ...] = ()
    modes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    place: Position | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Hardware:
    """All that was read of one switch.

    Parameters
    ----------
    nos, name : str
        System and model; the model may be empty.
    ports : tuple of FrontPort
        In the order of the front panel.
    asic : str
        ASIC family or an alias of it; empty where nothing tells it.
    platform : str
        Platform string of SONiC.
    headroom, buffers : str
        Text of ``pg_profile_lookup.ini``, and JSON with the buffer tables; empty where missing.
    part_names : callable or None
        Gives the patterns of names and aliases of parts from those of whole ports, where the system
        has a rule for it; an empty text where it has none.
    speed_words : mapping
        Configuration words of the system by speed and lanes of a port.
    notes : tuple of Finding
        What the reader left aside.
    """

    nos: str
    name: str
    ports: tuple[FrontPort, ...]
    source: str
    asic: str = ""
    platform: str = ""
    headroom: str = ""
    buffers: str = ""
    part_names: Callable[[str, str], tuple[str, str]] | None = None
    speed_words: Mapping[tuple[int, int], str] = field(default_factory=dict)
    notes: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """The front panel in kinds of cages; fields as in `fabric.platforms.model.Sku`."""

    kinds: tuple[CageKind, ...]
    first_lanes: tuple[int, ...] = ()
    service_ports: tuple[ServicePort, ...] = ()
    notes: tuple[Finding, ...] = ()


#: A reader takes the files of a folder and returns what they tell; None where they are not of its
#: system. It raises InputError with all that is wrong.
hardware_readers: Registry[Callable[[tuple[Source, ...]], Hardware | None]] = Registry(
    "hardware reader", plugins="hardware"
)


#: Speeds that a model can have, in Gb/s.
GBPS: tuple[int, ...] = get_args(Gbps)
#: Lanes of a cage whose lanes nothing tells, by its fastest speed in Gb/s; others have one.
_LANES = {800: 8, 400: 8, 200: 4, 100: 4, 40: 4}


def fabric_speeds(gbps: Iterable[float]) -> tuple[int, ...]:
    """Return those of some speeds that a model can have, ascending."""
    given = {*gbps}
    return tuple(speed for speed in GBPS if speed in given)


def usual_lanes(speeds_gbps: Iterable[int]) -> int:
    """Return the lanes of a cage by its fastest speed."""
    return _LANES.get(max(speeds_gbps, default=0), 1)


def wrong(message: str, fix: str, place: Position | None, field_name: str = "") -> Finding:
    """Return an error about a source (INT034)."""
    return Finding("INT034", Severity.ERROR, message, fix, field_name, place)


def note(message: str, fix: str, place: Position | None = None) -> Finding:
    """Return a warning about a source (INT035)."""
    return Finding("INT035", Severity.WARNING, message, fix, position=place)
