"""simulate: what is sent, and with which settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.simulate.build import REACTIONS
from fabric.qos.simulate.scenario import LEVELS, START_SPREAD_US

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.report.simulation_also import Also

#: Words about the paths of packets.
_WORDS = ("spray", "go-back-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is sent.

    Parameters
    ----------
    senders : int
        NICs that send to each receiver.
    queue_pairs : int
        Queue pairs of each sender, each of which sends ``size_bytes``.
    size_bytes : int or None
        None sends until the end of the run.
    admitted : int
        Queue pairs that a receiver lets send at the same time; 0 is no limit.
    pool_bytes : int
        Shared pool of switches whose pool is not known; 0 rejects them.
    response_ns : float or None
        Time from a pause until its receiver stops; None takes the most that IEEE 802.3 allows.
    seed : int
        Seed of the first run; the next has the next number.
    lossless_class : str or None
        Class of the flows; None takes the first.
    start_spread_us : float
        Time in which all flows start.
    runs : int
        Runs of each of the settings, each with its seed, >= 1.
    also : tuple of Also
        Traffic of other lossless classes.
    lossy_gbps : float
        Rate of a sender to each receiver whose packets may be dropped; 0 is none.
    """

    senders: int = 16
    queue_pairs: int = 1
    size_bytes: int | None = None
    admitted: int = 0
    pool_bytes: int = 0
    response_ns: float | None = None
    duration_us: float = 15_000.0
    payload_bytes: int = 4096
    seed: int = 1
    lossless_class: str | None = None
    start_spread_us: float = START_SPREAD_US
    runs: int = 1
    also: tuple[Also, ...] = ()
    lossy_gbps: float = 0.0

    @property
    def seeds(self) -> range:
        """Seeds of the runs."""
        return range(self.seed, self.seed + self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is compared.

    Parameters
    ----------
    parameters : str
        Set of the NICs: one of :func:`fabric.report.dcqcn.set_names`.
    marking : CongestionPoint or None
        Thresholds of all switches; None takes those of the inventory.
    window_bytes : int
        Bytes on their way of a queue pair; 0 is no window.
    first_cnp_rate_mbps : int or None
        Rate of a flow after its first CNP; None keeps that of the set.
    sprays : bool
        Whether switches choose an equal port for each packet; else each flow keeps a path.
    places : bool
        Whether receivers place packets that arrive out of order; else senders go back to a gap.
    shares : mapping of str to float
        Share of a class at each port in percent; the other classes divide the rest as before.
    class_marking : mapping of str to CongestionPoint
        Thresholds of a class at all switches.
    levels : int
        Levels of the queues that switches compare where they choose, 2 to 8.
    """

    name: str = "set"
    parameters: str = "connectx"
    reaction: str = "dcqcn"
    marking: CongestionPoint | None = None
    window_bytes: int = 0
    first_cnp_rate_mbps: int | None = None
    sprays: bool = False
    places: bool = True
    shares: Mapping[str, float] = field(default_factory=dict)
    class_marking: Mapping[str, CongestionPoint] = field(default_factory=dict)
    levels: int = LEVELS


def settings_of(words: str, base: Settings) -> Settings:
    """Return settings from words such as ``paper,marking=400:1600:20,window=100``.

    A word without ``=`` is a parameter set or a reaction point; sizes are kB.

    Raises
    ------
    InputError
        When a word has no meaning, or contradicts another one.
    """
    chosen = replace(base, name=words)
    for word in words.split(","):
        key, equals, value = word.strip().partition("=")
        try:
            chosen = _setting(chosen, key if equals else _kind(key), value or key)
        except ValueError as error:
            raise InputError(f"invalid settings {words!r}: {error}") from error
    if chosen.sprays and chosen.reaction == "hpcc":
        raise InputError(
            f"invalid settings {words!r}: hpcc compares the telemetry of one path; leave out spray "
            "or hpcc"
        )
    return chosen


def _kind(word: str) -> str:
    if word in REACTIONS and word != "dcqcn":
        return "reaction"
    if word in _WORDS:
        return word
    return "set"


def _setting(settings: Settings, key: str, value: str) -> Settings:
    match key:
        case "set":
            return replace(settings, parameters=value)
        case "reaction":
            if value not in REACTIONS:
                raise ValueError(f"reaction {value!r} is not one of {', '.join(REACTIONS)}")
            return replace(settings, reaction=value)
        case "spray":
            return replace(settings, sprays=True, levels=_levels(value))
        case "go-back-n" if value != key:
            raise ValueError("go-back-n takes no value; write go-back-n alone")
        case "go-back-n":
            return replace(settings, places=False)
        case "marking":
            return replace(settings, marking=marking_of(value))
        case "window":
            return replace(settings, window_bytes=_from_kb(float(value)))
        case "first-cnp":
            return replace(settings, first_cnp_rate_mbps=_rate_mbps(value))
    return _class_setting(settings, key, value)


def _class_setting(settings: Settings, key: str, value: str) -> Settings:
    what, _, name = key.partition(".")
    if name and what == "marking":
        points = {**settings.class_marking, name: marking_of(value)}
        return replace(settings, class_marking=points)
    if name and what == "share":
        return replace(settings, shares={**settings.shares, name: _share(value)})
    raise ValueError(
        f"{key!r} is not one of set, reaction, marking, window, first-cnp, spray, go-back-n, "
        "share.CLASS, marking.CLASS"
    )


def _share(words: str) -> float:
    share = float(words) if re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,3})?", words) else 0.0
    if not share:
        raise ValueError(f"a share is {words!r}; write percent, above 0 and below 100")
    return share


def marking_of(words: str) -> CongestionPoint:
    """Return thresholds from ``KMIN:KMAX:PMAX``, in kB and percent.

    Raises
    ------
    ValueError
        When they are not three numbers, or cannot be.
    """
    try:
        kmin, kmax, pmax = (float(word) for word in words.split(":"))
    except ValueError as error:
        raise ValueError(f"{words!r} is not KMIN:KMAX:PMAX, in kB and percent") from error
    return CongestionPoint(kmin_bytes=_from_kb(kmin), kmax_bytes=_from_kb(kmax), pmax_percent=pmax)


def _levels(words: str) -> int:
    if words == "spray":
        return LEVELS
    if not re.fullmatch(r"[2-8]", words):
        raise ValueError(f"spray is {words!r}; write spray, or the levels of a queue, 2 to 8")
    return int(words)


def _rate_mbps(words: str) -> int:
    if not re.fullmatch(r"[0-9]{1,7}", words):
        raise ValueError(f"first-cnp is {words!r}; write a rate in Mb/s")
    return int(words)


def _from_kb(size_kb: float) -> int:
    return round(size_kb * 1000)
