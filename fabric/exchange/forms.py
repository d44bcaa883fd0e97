"""The forms that fabrics are read from and written to; each registers itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.registry import Registry
from fabric.exchange.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.core.findings import Finding
    from fabric.exchange.lanes import Lane
    from fabric.exchange.plant import End, Plant
    from fabric.exchange.vrfs import Vrfs


@dataclass(frozen=True)
class Settings:
    """What a source may need to be told.

    Parameters
    ----------
    columns : mapping
        Column of a CSV file by our name of it.
    cabling : Path or None
        File with the cables, where the source has none.
    roles : mapping
        Role by the word that the source has for it, beside those that are known.
    names : Names
        Name of a device by the one that the source has.
    cut_domain : bool
        Whether names of devices end at their first dot.
    left_out : frozenset of str
        Devices of the source that are not imported.
    rails, gpus : int or None
        NICs and GPUs of a host, where the source does not say.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    cabling: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    cut_domain: bool = False
    left_out: frozenset[str] = frozenset()
    rails: int | None = None
    gpus: int | None = None


@dataclass(frozen=True)
class Imported:
    """What was read, what should be known about it, and files that are kept beside it.

    Parameters
    ----------
    generated : bool
        Whether the source has no cables, and the design makes them.
    remarks : mapping
        Why values of the generated ``fabric.yaml`` are assumed, by their keys in it.
    lanes : mapping
        Ports that are parts of a port of the source, by device and the name that they have here.
    numbers : mapping
        Ports that the source knows by number alone, from 1, in the same way.
    allowas_in : int
        How often leaves accept their own AS number in a route, where the source tells it.
    descriptions : mapping
        Descriptions of ports of switches, where the source has them.
    management : mapping
        Servers that the source has, by field of ``management``.
    vrfs : mapping
        VRFs of tenants, where the source has them.
    tunnel_ends : mapping
        Address of the tunnel end point of each switch; empty without one.
    ports : mapping
        Speed of each port of a switch, where the source names those without a cable too.
    """

    plant: Plant
    notes: tuple[Finding, ...] = ()
    files: tuple[Artefact, ...] = ()
    generated: bool = False
    remarks: Mapping[tuple[str | int, ...], str] = field(default_factory=dict)
    lanes: Mapping[End, Lane] = field(default_factory=dict)
    numbers: Mapping[End, int] = field(default_factory=dict)
    allowas_in: int = 0
    descriptions: Mapping[End, str] = field(default_factory=dict)
    management: Mapping[str, Sequence[str]] = field(default_factory=dict)
    vrfs: Vrfs = field(default_factory=dict)
    tunnel_ends: Mapping[str, str] = field(default_factory=dict)
    ports: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Importer:
    """A form that is read.

    Parameters
    ----------
    read : callable
        Returns what a file or folder holds; raises InputError with all that is wrong.
    parse : callable or None
        The same from data in memory, with the name that messages give it; None where a form is
        read from files alone.
    has_roles, has_names : bool
        Whether the source has words for roles, and names of devices, which the user can map.
    """

    read: Callable[[Path, Settings], Imported]
    parse: Callable[[Any, str, Settings], Imported] | None = None
    has_roles: bool = True
    has_names: bool = True


importers: Registry[Importer] = Registry("import", "fabric.exchange.importers")
