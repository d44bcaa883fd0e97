"""Switches whose lossless class has other values than most switches of their system have."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import starmap
from typing import TYPE_CHECKING

from fabric.audit.adoption.traits import Share, traits
from fabric.audit.fault import Fault
from fabric.core.counts import counted
from fabric.intent.policy import LosslessPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.audit.adoption.traits import Trait
    from fabric.observe.configuration.lossless import Lossless

    #: System, speed of ports in Gb/s where lines set it, and field of the policy.
    Key = tuple[str, float | None, str]
    #: Speed of ports, and what most switches have there.
    Group = tuple[float | None, str]

#: Fewer switches, or a smaller share of them, are no majority: leaves and spines may differ. Ours.
_FEWEST, _MOST = 4, 0.75
#: Fields that ports of one speed have alike in a fabric; others have rules of their own.
_FIELDS = (
    *("ecn.kmin_bytes", "ecn.kmax_bytes", "ecn.pmax_percent", "scheduler.lossless_percent"),
    *("watchdog.enabled", "watchdog.action", "watchdog.detection_ms", "watchdog.restoration_ms"),
    "dynamic_th",
)


def unlike_most(switches: Mapping[str, Lossless]) -> Iterator[tuple[str, Fault]]:
    """Yield the switches with other values than most, each with all of these values."""
    values: dict[Key, dict[str, Trait]] = defaultdict(dict)
    for name, switch in switches.items():
        for key, value in _usual(switch):
            values[key][name] = value
    odd: dict[str, dict[str, list[Group]]] = defaultdict(lambda: defaultdict(list))
    for (_, speed, field), by_name in values.items():
        counts = Counter(by_name.values())
        usual, count = counts.most_common(1)[0]
        if len(by_name) >= _FEWEST and count >= _MOST * len(by_name):
            others = f"{count} of {counted(len(by_name), 'switch')}: {_number(usual)}"
            for name, value in by_name.items():
                if value != usual and not _may_be_of_a_model(value, counts):
                    odd[name][_with_value(field, value)].append((speed, others))
    for name, fields in odd.items():
        yield name, Fault("AUD049", "", 0, ", ".join(starmap(_difference, fields.items())))


def _may_be_of_a_model(value: Trait, counts: Counter[Trait]) -> bool:
    """Tell whether a value in a unit of the model may be that of other switches of one model."""
    return isinstance(value, Share) and counts[value] > 1


def _with_value(field: str, value: Trait) -> str:
    name = field.removesuffix("_bytes") if isinstance(value, Share) else field
    return f"{name} {_number(value)}"


def _number(value: Trait) -> str:
    return f"{value.limit:g}" if isinstance(value, Share) else str(value)


def _difference(value: str, groups: Sequence[Group]) -> str:
    """Return what most switches have; with the speed where that differs between ports."""
    texts = dict.fromkeys(others for _, others in groups)
    if len(texts) > 1:
        texts = dict.fromkeys(f"{_ports(speed)}, {others}" for speed, others in groups)
    return f"{value} ({'; '.join(texts)})"


def _ports(speed_gbps: float | None) -> str:
    return "ports without a speed" if speed_gbps is None else f"{speed_gbps:g} Gb/s ports"


def _usual(switch: Lossless) -> Iterator[tuple[Key, Trait]]:
    """Yield what most lossless ports of each speed have."""
    counts: dict[Key, Counter[Trait]] = defaultdict(Counter)
    for port in switch.ports.values():
        if port.enabled and port.lossless:
            of_port = traits(port, LosslessPolicy())
            for field in (one for one in _FIELDS if one in of_port):
                counts[switch.system, port.speed_gbps, field][of_port[field]] += 1
    for key, counter in counts.items():
        yield key, counter.most_common(1)[0][0]
