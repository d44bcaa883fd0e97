"""What a port has for each field of the lossless policy, as its configuration is read.

A field that is absent is unknown: its system does not print it, or no reader knows the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fabric.audit.adoption.class_values import class_field
from fabric.design.qos import BEST_EFFORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.intent.policy import LosslessPolicy
    from fabric.observe.configuration.lossless import Marking, PortPolicy


class Share(NamedTuple):
    """A threshold in a unit that is not known in bytes, such as cells or percent."""

    limit: float


Trait: TypeAlias = "int | float | str | frozenset[int] | Share"
Traits: TypeAlias = "dict[str, Trait]"
#: The field that no policy has: whether the lossless queue marks at all.
MARKS = "ecn"
#: Every priority that a port pauses; a policy without a list has one.
PRIORITIES = "pfc_priority"


def traits(port: PortPolicy, policy: LosslessPolicy) -> Traits:
    """Return what a port has, by dotted field of the policy.

    Parameters
    ----------
    policy : LosslessPolicy
        What the inventory says now: its list of classes; without one it decides between several
        priorities of one port.
    """
    result: Traits = {"pfc": bool(port.lossless)}
    if port.mtu_bytes:
        result["mtu.port_bytes"] = port.mtu_bytes.value
    if port.lossless:
        result[PRIORITIES] = frozenset(port.lossless)
        result |= dict(_classes(port, policy))
        result |= {**_share(port, BEST_EFFORT, "scheduler.default_percent"), **_cnp(port)}
        result |= {**_watchdog(port), **_threshold(port, policy)}
    return result


def _classes(port: PortPolicy, policy: LosslessPolicy) -> Iterator[tuple[str, Trait]]:
    """Yield the fields of the lossless class, or of every class of a list that the port pauses."""
    if not policy.classes:
        priority = preferred(frozenset(port.lossless), policy.pfc_priority)
        yield from _lossless_class(port, priority).items()
    for one in policy.classes:
        if one.pfc_priority in port.lossless:
            for field, trait in _lossless_class(port, one.pfc_priority).items():
                yield class_field(one.name, field), trait


def preferred(values: frozenset[int], *wanted: int) -> int:
    """Return the first wanted one of several values, else the lowest."""
    return next((one for one in wanted if one in values), min(values))


def _lossless_class(port: PortPolicy, priority: int) -> Traits:
    number = class_of(port, priority)
    if number is None:
        return {"roce_dscp": frozenset()}  # no DSCP leads to the class
    result: Traits = {}
    if port.dscp_to_class and port.trusts_dscp is not False:
        result |= {"traffic_class": number, "roce_dscp": dscps_of(port, number)}
    queue = port.class_to_queue.get(number, number)
    if number in port.class_to_queue:
        result["queue"] = queue
    if number in port.class_to_group:
        result["priority_group"] = port.class_to_group[number]
    elif len(port.headroom_bytes) == 1:
        (result["priority_group"],) = port.headroom_bytes
    elif priority in port.headroom_bytes:
        result["priority_group"] = priority
    share = _share(port, queue, "scheduler.lossless_percent")
    return {**result, **_marking(port.markings.get(queue)), **share}


def class_of(port: PortPolicy, priority: int) -> int | None:
    """Return the class of a lossless priority: of its number, else the one whose queue it stops."""
    reached = set(port.dscp_to_class.values())
    if priority in reached or not reached:
        return priority
    stopped = port.pause_to_queue.get(priority)
    marked = {number for number, one in port.markings.items() if one.ecn}
    queues = {number: port.class_to_queue.get(number, number) for number in reached}
    classes = [one for one, queue in queues.items() if queue == stopped]
    free = queues.keys() - port.lossless.keys()
    classes = classes or [one for one in sorted(free) if queues[one] in marked]
    return classes[0] if len(classes) == 1 else None


def dscps_of(port: PortPolicy, number: int) -> frozenset[int]:
    """Return the DSCPs that lead to a traffic class."""
    return frozenset(dscp for dscp, one in port.dscp_to_class.items() if one == number)


def _marking(marking: Marking | None) -> Traits:
    if marking is None or not marking.ecn:
        return {MARKS: False}
    low, high = marking.limits or (None, None)
    values: Mapping[str, Trait | None] = {
        MARKS: True,
        "ecn.kmin_bytes": marking.kmin_bytes or (Share(low) if low is not None else None),
        "ecn.kmax_bytes": marking.kmax_bytes or (Share(high) if high is not None else None),
        "ecn.pmax_percent": marking.pmax_percent,
    }
    return {field: value for field, value in values.items() if value is not None}


def _share(port: PortPolicy, queue: int, field: str) -> Traits:
    return {field: port.percent[queue].value} if queue in port.percent else {}


def _cnp(port: PortPolicy) -> Traits:
    """Return the class of CNPs: the one that DSCPs reach and whose queue is strict."""
    reached = set(port.dscp_to_class.values()) - {BEST_EFFORT}
    strict = [one for one in reached if port.class_to_queue.get(one, one) in port.strict]
    if len(strict) != 1:
        return {}
    (number,) = strict
    result: Traits = {"cnp_dscp": dscps_of(port, number), "cnp_traffic_class": number}
    if number in port.class_to_queue:
        result["cnp_queue"] = port.class_to_queue[number]
    return result


def _threshold(port: PortPolicy, policy: LosslessPolicy) -> Traits:
    number = class_of(port, preferred(frozenset(port.lossless), policy.pfc_priority))
    group = port.class_to_group.get(number, number) if number is not None else None
    return {"dynamic_th": port.dynamic_th[group].value} if group in port.dynamic_th else {}


def _watchdog(port: PortPolicy) -> Traits:
    watchdog = port.watchdog
    if watchdog is None or not watchdog.enabled:
        return {"watchdog.enabled": False}
    times = {
        "watchdog.detection_ms": watchdog.detection_ms,
        "watchdog.restoration_ms": watchdog.restoration_ms,
        "watchdog.poll_ms": watchdog.poll_ms,
    }
    result: Traits = {"watchdog.enabled": True}
    if watchdog.action:
        result["watchdog.action"] = watchdog.action
    return result | {field: value for field, value in times.items() if value is not None}
