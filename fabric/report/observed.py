"""observe: what devices reported, as rows for people and as data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.formats import form_of
from fabric.observe import families as of
from fabric.observe.samples import samples
from fabric.observe.snapshot import Snapshot
from fabric.qos.pause_share import pause_share, share_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from fabric.observe.rates import Rates
    from fabric.observe.samples import Sample
    from fabric.observe.state import WatchdogState

#: Form of a record: members are added to it, none is removed or changes its meaning.
READINGS_FORMAT = form_of("readings")
_OTHER_FIELDS = ("device", "unknown", "raw")
#: Fields of a snapshot that hold state, in their order.
FIELDS = tuple(item.name for item in fields(Snapshot) if item.name not in _OTHER_FIELDS)
#: What a lossless fabric is watched for: pauses, marks, drops, losses.
_WATCHED = {
    of.PFC_FRAMES: "pause frames {2}, priority {1}",
    of.PORT_PFC_FRAMES: "pause frames {1}",
    of.PFC_SECONDS: "seconds of pauses {2}, priority {1}",
    of.STORMS: "pause storms, queue {1}",
    of.STORM_DROPS: "drops by the watchdog, queue {1}",
    of.MARKS: "ECN marks, queue {1}",
    of.PORT_MARKS: "ECN marks",
    of.QUEUE_DROPS: "drops, queue {1}",
    of.GROUP_DROPS: "drops, priority group {1}",
    of.DISCARDS: "discards {1}",
    of.ERRORS: "errors {1}",
    **{
        family: name.replace("_", " ")
        for name, (family, way) in reversed(of.NIC_COUNTERS.items())
        if not way
    },
}
_PAUSES = {of.PFC_FRAMES, of.PORT_PFC_FRAMES, of.PFC_SECONDS}
#: Fields that these counters are in.
_WATCHED_FIELDS = {
    *("interfaces", "pfc_counters", "watchdog", "ecn", "queues", "priority_groups", "nics"),
}


@dataclass(frozen=True)
class Seen:
    """What one device said.

    Parameters
    ----------
    snapshot : Snapshot or None
        None when the device could not be reached.
    unknown : tuple of str
        Fields that were asked for and could not be understood, or of which a part could not.
    unread : tuple of str
        Fields that were asked for and that rocefab has no reading for on this platform.
    error : str
        Why the device could not be read, or empty.
    time : datetime or None
        When the answer was there, UTC.
    clock_s : float
        The same by a clock that never jumps.
    rates : Rates or None
        Since the last time that the device could be read; None the first time.
    elapsed_s : float or None
        Time of these rates, where the rates themselves are not there.
    """

    device: str
    platform: str
    snapshot: Snapshot | None = None
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    error: str = ""
    time: datetime | None = None
    clock_s: float = 0.0
    rates: Rates | None = None
    elapsed_s: float | None = None

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return device, platform, field and what was seen of it, a line each."""
        if self.error or self.snapshot is None:
            return [(self.device, self.platform, "-", f"could not be read: {self.error}")]
        lines = []
        for field in FIELDS:
            value = getattr(self.snapshot, field)
            if value is not None:
                doubt = "; partly unknown" if field in self.unknown else ""
                lines.append((self.device, self.platform, field, f"{_told(field, value)}{doubt}"))
            elif field in self.unknown:
                lines.append((self.device, self.platform, field, "unknown"))
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return plain data; a key of port and number is ``port|number``."""
        state = {
            field: _plain(getattr(self.snapshot, field))
            for field in FIELDS
            if self.snapshot is not None and getattr(self.snapshot, field) is not None
        }
        if sensors := state.get("temperatures"):
            limits = {name: one["limit_celsius"] for name, one in sensors.items()}
            state["temperatures"] = {name: one["celsius"] for name, one in sensors.items()}
            state["temperature_limits"] = {
                name: limit for name, limit in limits.items() if limit is not None
            }
        time = self.time.isoformat(timespec="milliseconds") if self.time else None
        return {
            "format": READINGS_FORMAT,
            "device": self.device,
            "platform": self.platform,
            "time": time,
            "error": self.error,
            "unknown": list(self.unknown),
            "unread": list(self.unread),
            "state": state,
            "rates": _rates(self.rates) if self.rates else None,
        }


def busy(seen: Iterable[Seen]) -> list[tuple[str, str, str, str, str, str]]:
    """Return device, port, what it counts, total and rate of each pause, mark, drop and loss.

    Last in a row is the share of the time that was paused, as `judge` takes it. Without rates,
    counters that are not 0 are returned; with them, those that rose, and those whose rate is
    unknown. What could not be read has a row that says so.
    """
    return [row for one in seen for row in _busy(one)]


def _busy(one: Seen) -> Iterator[tuple[str, str, str, str, str, str]]:
    if one.snapshot is None:
        yield one.device, "-", f"could not be read: {one.error}", "unknown", "unknown", "-"
        return
    for field in (name for name in one.unknown if name in _WATCHED_FIELDS):
        yield one.device, "-", f"{field} could not be understood", "unknown", "unknown", "-"
    for sample in samples(one.snapshot):
        word = _WATCHED.get(sample.family)
        if word is None or not sample.value:
            continue
        per_s = one.rates.per_s.get((sample.family, sample.labels)) if one.rates else None
        if per_s != 0:
            port, what = sample.labels[0], word.format(*sample.labels)
            share = _share(one, one.snapshot, sample)
            yield one.device, port, what, f"{sample.value:,.0f}", _rate(one, per_s), share


def _share(one: Seen, snapshot: Snapshot, sample: Sample) -> str:
    """Return the share of the time that frames of a row paused, with or without their time."""
    if one.rates is None or sample.family not in _PAUSES:
        return "-"
    rises, (port, *_) = one.rates.per_s, sample.labels
    frames = of.PORT_PFC_FRAMES if sample.family is of.PORT_PFC_FRAMES else of.PFC_FRAMES
    state = (snapshot.interfaces or {}).get(port)
    speed_gbps = state.speed_gbps if state else None
    share, is_bound = pause_share(
        rises.get((of.PFC_SECONDS, sample.labels), nan),
        rises.get((frames, sample.labels), nan),
        speed_gbps or nan,
    )
    return "-" if isnan(share) else share_words(float(share), is_bound=bool(is_bound))


def _rate(one: Seen, per_s: float | None) -> str:
    if one.rates is None:
        return "-"
    return "unknown" if per_s is None else f"{per_s:,.1f}"


def is_watched(seen: Iterable[Seen]) -> bool:
    """Return whether any counter was read that a lossless fabric is watched for."""
    return any(
        sample.family in _WATCHED
        for one in seen
        if one.snapshot is not None
        for sample in samples(one.snapshot)
    )


def resets(seen: Iterable[Seen]) -> list[str]:
    """Return a line for each reading whose counters have no rate."""
    return [
        f"{one.device}: {source}: {reason}; the rates are unknown"
        for one in seen
        if one.rates
        for source, reason in one.rates.unknown.items()
    ]


def _rates(rates: Rates) -> dict[str, Any]:
    """Return plain data, without the counters that did not move."""
    return {
        "elapsed_s": round(rates.elapsed_s, 3),
        "unknown": dict(rates.unknown),
        "per_s": [
            {
                "name": family.name,
                "labels": dict(zip(family.labels, values, strict=True)),
                "value": value,
            }
            for (family, values), value in rates.per_s.items()
            if value
        ],
    }


def _told(field: str, value: Any) -> str:
    """Return a short summary of a field."""
    if field == "interfaces":
        unknown = sum(port.up is None for port in value.values())
        up = f"{sum(port.up is True for port in value.values())} up"
        parts = [up] if unknown < len(value) else []
        return ", ".join([
            counted(len(value), "port"),
            *parts,
            *([f"{unknown} unknown"] if unknown else []),
        ])
    if field == "bgp":
        up = sum(peer.established for peer in value.values())
        return f"{up} of {counted(len(value), 'session')} established"
    if field == "facts":
        return " ".join(part for part in (value.hostname, value.model, value.version) if part)
    if field == "watchdog":
        return f"{counted(len(value), 'queue')}, {_storms(value.values())}"
    return str(value) if isinstance(value, int) else counted(len(value), "entry")


def _storms(queues: Collection[WatchdogState]) -> str:
    """Return how many queues are in a pause storm; systems may not say it."""
    states = Counter(queue.operational for queue in queues)
    parts = [f"{states[False]} in a pause storm"] if states[False] + states[True] else []
    return ", ".join([*parts, *([f"storms of {states[None]} not known"] if states[None] else [])])


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(item) for name, item in asdict(value).items()}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _key(key: Any) -> str:
    return "|".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
