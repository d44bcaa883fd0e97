"""Switches whose lossless class has other values than most switches of their system have."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabric.audit.adoption.traits import Share, traits
from fabric.audit.fault import Fault
from fabric.core.counts import counted
from fabric.intent.policy import LosslessPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.audit.adoption.traits import Trait
    from fabric.observe.configuration.lossless import Lossless

    #: System, speed of ports in Gb/s where lines set it, and field of the policy.
    Key = tuple[str, float | None, str]

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
    odd: dict[str, dict[str, None]] = defaultdict(dict)
    for (_, _, field), by_name in values.items():
        usual, count = Counter(by_name.values()).most_common(1)[0]
        if len(by_name) >= _FEWEST and count >= _MOST * len(by_name):
            for name, value in by_name.items():
                if value != usual:
                    words = (
                        f"{field} {value} ({count} of {counted(len(by_name), 'switch')}: {usual})"
                    )
                    odd[name][words] = None
    for name, differences in odd.items():
        yield name, Fault("AUD049", "", 0, ", ".join(differences))


def _usual(switch: Lossless) -> Iterator[tuple[Key, Trait]]:
    """Yield what most lossless ports of each speed have."""
    counts: dict[Key, Counter[Trait]] = defaultdict(Counter)
    for port in switch.ports.values():
        if port.enabled and port.lossless:
            of_port = traits(port, LosslessPolicy())
            for field in (one for one in _FIELDS if one in of_port):
                counts[switch.system, port.speed_gbps, field][of_port[field]] += 1
    for key, counter in counts.items():
        value = counter.most_common(1)[0][0]
        if not isinstance(value, Share):  # its unit depends on the model
            yield key, value
