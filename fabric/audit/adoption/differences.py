"""What would still change on a device, and which devices have one policy."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.audit.adoption.class_values import class_field, is_class_field
from fabric.audit.adoption.traits import MARKS, PRIORITIES, Share
from fabric.core import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.audit.adoption.traits import Traits
    from fabric.observe.configuration.lossless import PortPolicy

_UNKNOWN = "unknown"
#: DSCP of what a NIC sends: the first of the first class.
SENT = "DSCP of data that is sent"
CABLE, VRF, BREAKOUT = "metres of cable", "VRF", "breakout"
#: What sets a field that is no part of the lossless policy.
SET_ELSEWHERE = {
    CABLE: "cables, devices.ports.cable_m and cabling.csv set it",
    VRF: "tenants set it",
    BREAKOUT: "breakouts of the switch, or of its role, set it",
}


class Difference(NamedTuple):
    """A field that ports of a device have otherwise than the adopted policy gives them."""

    field: str
    running: str
    adopted: str
    ports: tuple[str, ...]


class Group(NamedTuple):
    """Devices with one lossless policy; ``own`` is what differs from the largest group."""

    names: str
    size: int
    own: dict[str, Any]


def differences(ports: Mapping[str, tuple[Traits, Traits]]) -> list[Difference]:
    """Return what differs, each difference once with its ports.

    Parameters
    ----------
    ports : mapping of str to pair of Traits
        What each port has, and what it would have.
    """
    names: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, (running, adopted) in ports.items():
        for field in running.keys() | adopted.keys():
            if running.get(field) != adopted.get(field) and not _follows(field, running, adopted):
                pair = words(running.get(field)), words(adopted.get(field))
                names[field, *pair].append(name)
    return [Difference(*key, tuple(own)) for key, own in sorted(names.items())]


def _follows(field: str, running: Traits, adopted: Traits) -> bool:
    """Return whether a field is known on one side alone, as the other has no such part at all."""
    if field in running and field in adopted:
        return False
    if field == SENT:
        return True
    if field.startswith("watchdog."):
        switches = {"pfc", "watchdog.enabled"}
    elif is_class_field(field):
        name = field.split(".")[1]
        own = {class_field(name, one) for one in (MARKS, "roce_dscp")}
        switches = {"pfc", PRIORITIES, *own}
    else:
        switches = {"pfc", MARKS}
    return any(running.get(one) != adopted.get(one) for one in switches - {field})


def others(port: PortPolicy) -> Traits:
    """Return what no single field decides: ingress buffers, their cable, the DSCP of a NIC."""
    traits = {SENT: port.sends_dscp, CABLE: port.cable_m or port.longest_m}
    result: Traits = {name: value for name, value in traits.items() if value is not None}
    for name, table in (("headroom", port.headroom_bytes), ("pause", port.pause_bytes)):
        for priority, value in table.items():
            result[f"{name} bytes of {priority}"] = value.value
    return result


def words(trait: object) -> str:
    """Return a trait as text."""
    if trait is None:
        return _UNKNOWN
    if isinstance(trait, bool):
        return "true" if trait else "false"
    if isinstance(trait, frozenset):
        return ", ".join(map(str, sorted(trait))) or "none"
    if isinstance(trait, Share):
        return f"{trait.limit:g} in units of the switch"
    return f"{trait:,.10g}" if isinstance(trait, int | float) else str(trait)


def groups(policies: Mapping[str, Mapping[str, Any]]) -> list[Group]:
    """Return the devices with equal policies, most devices first."""
    members: dict[tuple[tuple[str, Any], ...], list[str]] = defaultdict(list)
    for name, fields in policies.items():
        members[tuple(fields.items())].append(name)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), item[1]))
    usual = dict(ordered[0][0]) if ordered else {}
    return [
        Group(hostlist.fold_inside(names), len(names), _other(dict(fields), usual))
        for fields, names in ordered
    ]


def _other(fields: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if value != usual.get(field)}
