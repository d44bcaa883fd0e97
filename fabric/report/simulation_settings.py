"""simulate: what is sent, and with which settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fabric.core.errors import InputError
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.simulate.build import REACTIONS
from fabric.qos.simulate.scenario import START_SPREAD_US

#: Words about the paths of packets.
_WORDS = ("spray", "go-back-n")
_UNITS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_UNITS |= {"Ki": 2**10, "ki": 2**10, "Mi": 2**20, "Gi": 2**30}


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
    """

    name: str = "set"
    parameters: str = "connectx"
    reaction: str = "dcqcn"
    marking: CongestionPoint | None = None
    window_bytes: int = 0
    first_cnp_rate_mbps: int | None = None
    sprays: bool = False
    places: bool = True


def settings_of(words: str, base: Settings) -> Settings:
    """Return settings from words such as ``paper,marking=400:1600:20,window=100``.

    A word without ``=`` is a parameter set or a reaction point; sizes are kB.

    Raises
    ------
    InputError
        When a word has no meaning.
    """
    chosen = replace(base, name=words)
    for word in words.split(","):
        key, equals, value = word.strip().partition("=")
        try:
            chosen = _setting(chosen, key if equals else _kind(key), value or key)
        except ValueError as error:
            raise InputError(f"invalid settings {words!r}: {error}") from error
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
            return replace(settings, sprays=True)
        case "go-back-n":
            return replace(settings, places=False)
        case "marking":
            return replace(settings, marking=marking_of(value))
        case "window":
            return replace(settings, window_bytes=_from_kb(float(value)))
        case "first-cnp":
            return replace(settings, first_cnp_rate_mbps=_rate_mbps(value))
    raise ValueError(f"{key!r} is not one of set, reaction, marking, window, first-cnp")


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


def _rate_mbps(words: str) -> int:
    if not re.fullmatch(r"[0-9]{1,7}", words):
        raise ValueError(f"first-cnp is {words!r}; write a rate in Mb/s")
    return int(words)


def _from_kb(size_kb: float) -> int:
    return round(size_kb * 1000)


def size_of(words: str) -> int:
    """Return bytes from a number with a unit: ``4MiB``, ``1MB``, ``64KiB``, ``500kB`` or bytes.

    Raises
    ------
    InputError
        When it is no such size.
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)\s?([kKMG]i?)?B?", words.strip())
    size = round(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    if not size:
        raise InputError(f"invalid size {words!r}; write a size such as 4MiB or 500kB")
    return size
