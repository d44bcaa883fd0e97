"""Which limits of its system a design exceeds; ``check`` and ``render`` ask here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fabric.core.errors import InputError
from fabric.design.comparisons import short, text_of, verdict
from fabric.platforms import platforms
from fabric.platforms.features import features_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fabric.design.model import BgpNeighbour, DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.platforms.features import Limit, LimitedRule
    from fabric.platforms.model import Sku


class ClassOf(NamedTuple):
    """A lossless class of a policy."""

    profile: QosProfile
    lossless: LosslessClass


Subject: TypeAlias = "QosProfile | ClassOf | PortDesign | BgpNeighbour | None"


def _shares(profile: QosProfile) -> str:
    return " and ".join(str(q.percent) for q in profile.queues if q.percent is not None)


def _of_profiles(getter: Callable[[Any], Any]) -> Callable[[DeviceDesign], Iterator[Any]]:
    return lambda device: ((profile, getter(profile)) for profile in device.qos_profiles)


def _of_classes(getter: Callable[[Any], Any]) -> Callable[[DeviceDesign], Iterator[Any]]:
    return lambda device: (
        (ClassOf(profile, one), getter(one))
        for profile in device.qos_profiles
        for one in profile.classes
    )


def _of_ports(getter: Callable[[Any], Any]) -> Callable[[DeviceDesign], Iterator[Any]]:
    return lambda device: ((port, getter(port)) for port in device.ports)


def _of_device(getter: Callable[[Any], Any]) -> Callable[[DeviceDesign], Iterator[Any]]:
    return lambda device: iter([(None, getter(device))])


_CLASS = {
    **{name: name for name in ("roce_dscp", "pfc_priority", "traffic_class", "queue")},
    **{f"ecn.{name}": name for name in ("kmin_bytes", "kmax_bytes", "pmax_percent")},
}
_LOSSLESS = {
    **{name: name for name in ("cnp_dscp", "pfc", "dynamic_th", "cnp_traffic_class", "cnp_queue")},
    **{
        f"watchdog.{name}": f"watchdog.{name}"
        for name in ("enabled", "action", "detection_ms", "restoration_ms", "poll_ms")
    },
    "mtu.port_bytes": "mtu_bytes",
}
#: From a field of the inventory to its values in the design of a switch, each with the policy or
#: the port that has it.
FIELDS: dict[str, Callable[[DeviceDesign], Iterator[tuple[Subject, Any]]]] = {
    **{f"lossless.{field}": _of_profiles(attrgetter(a)) for field, a in _LOSSLESS.items()},
    **{f"lossless.{field}": _of_classes(attrgetter(a)) for field, a in _CLASS.items()},
    "lossless.scheduler": _of_profiles(_shares),
    "lossless.dynamic_th of a port": lambda device: (
        (port, port.headroom.dynamic_th) for port in device.ports if port.headroom
    ),
    "name": _of_device(attrgetter("name")),
    "arp.timeout_s": _of_device(attrgetter("neighbours.arp_timeout_s")),
    "arp.mac_ageing_s": _of_device(attrgetter("neighbours.mac_ageing_s")),
    "bgp.max_paths": _of_device(attrgetter("bgp.max_paths")),
    "bgp.keepalive_s": _of_device(attrgetter("bgp.keepalive_s")),
    "bgp.hold_s": _of_device(attrgetter("bgp.hold_s")),
    "bgp.spine_asn": lambda device: ((peer, peer.asn) for peer in device.above),
    "ecmp.mode": _of_device(attrgetter("ecmp_mode")),
    "management.syslog_servers": _of_device(attrgetter("syslog_servers")),
    "platforms.leaf.sku": _of_device(attrgetter("sku.asic")),
    "devices.ports.lossless": _of_device(attrgetter("qos_profiles")),
    "addressing.vlan_first": lambda device: ((None, vlan.vlan) for vlan in device.vlans),
    "addressing.routed_prefix_length": lambda device: (
        (port, int(port.address.partition("/")[2])) for port in device.routed_nics if port.address
    ),
    "cables": _of_ports(attrgetter("cable_m")),
    "devices.ports.fec": _of_ports(attrgetter("fec")),
    "devices.ports.description": _of_ports(attrgetter("description")),
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A value of a design outside a limit of its system.

    Parameters
    ----------
    rule : LimitedRule
        The rule, whose id the finding has.
    fields : tuple of str
        Fields of the inventory that are involved; the first has the value.
    subject : QosProfile, ClassOf, PortDesign, BgpNeighbour or None
        Whose value it is; None where it is that of the switch.
    message, fix : str
        What is wrong, and what to do.
    """

    rule: LimitedRule
    limit: Limit
    fields: tuple[str, ...]
    subject: Subject
    message: str
    fix: str

    @property
    def severity(self) -> str:
        """Severity, as a word."""
        return self.limit.severity or self.rule.severity


def refusals(device: DeviceDesign) -> Iterator[Violation]:
    """Yield every value of a design for which its system cannot be configured, each once."""
    seen: set[str] = set()
    for rule in features_of(device.platform).rules:
        for limit in rule.limits:
            if (limit.severity or rule.severity) != "error":
                continue
            for violation in _limit_violations(rule, limit, device):
                if violation.message not in seen:
                    seen.add(violation.message)
                    yield violation


def rule_violations(rule: LimitedRule, device: DeviceDesign) -> Iterator[Violation]:
    """Yield every value of a design that is outside a limit of a rule."""
    for limit in rule.limits:
        yield from _limit_violations(rule, limit, device)


def _limit_violations(rule: LimitedRule, limit: Limit, device: DeviceDesign) -> Iterator[Violation]:
    if limit.written or not limit.includes(device.sku, device.role):
        return
    for fields, subject, message, fix, values in _exceeded(limit, device):
        words = {"system": platforms[device.platform].title, "model": device.sku.name, **values}
        yield Violation(
            rule=rule,
            limit=limit,
            fields=fields,
            subject=subject,
            message=(limit.message or message).format_map(words),
            fix=(limit.fix or fix).format_map(words),
        )


Exceeded: TypeAlias = "tuple[tuple[str, ...], Subject, str, str, Mapping[str, Any]]"


def _exceeded(limit: Limit, device: DeviceDesign) -> Iterator[Exceeded]:
    if limit.always:
        yield (limit.fields, None, "", "", {})
    elif limit.equal:
        yield from _unequal(limit, device)
    elif limit.per_switch:
        yield from _different(limit, device)
    elif limit.multiple_of:
        yield from _no_multiple(limit, device)
    else:
        yield from _outside(limit, device)


def _values(field: str, limit: Limit, device: DeviceDesign) -> Iterator[tuple[Subject, Any]]:
    """Return the values of a field that the conditions of a limit let through."""
    if field not in FIELDS:
        known = ", ".join(FIELDS)
        raise InputError(f"{device.platform}: a limit has the unknown field {field}; use {known}")
    pairs = FIELDS[field](device)
    if not limit.when:
        return pairs
    conditions = [_CONDITIONS[name] for name in limit.when]
    return (pair for pair in pairs if all(holds(pair[0], device) for holds in conditions))


def _outside(limit: Limit, device: DeviceDesign) -> Iterator[Exceeded]:
    """Compare single values; a value of many ports is reported at the first of them."""
    for field in limit.fields:
        seen: set[Any] = set()
        fine: Any = None
        for subject, value in _values(field, limit, device):
            if value is fine:  # as on the port before
                continue
            exceeded = None if value is None else verdict(limit, value)
            if not exceeded:
                fine = value
            elif not (field == "cables" and value in seen):
                seen.add(value)
                message, fix, more = exceeded
                words = {"field": short(field), "value": value, "text": text_of(field, value)}
                if limit.range:
                    words["range"] = " to ".join(text_of(field, end) for end in limit.range)
                yield (field,), subject, message, fix, {**words, **more}


def _unequal(limit: Limit, device: DeviceDesign) -> Iterator[Exceeded]:
    """Compare the fields of each policy with each other."""
    first, *others = (list(_values(field, limit, device)) for field in limit.fields)
    for index, (subject, value) in enumerate(first):
        values = [value, *(other[index][1] for other in others)]
        if len(set(values)) > 1:
            named = dict(zip(map(short, limit.fields), values, strict=True))
            words = {
                "listed": ", ".join(f"{name} {number}" for name, number in named.items()),
                "value": value,
                "other": values[1],
            }
            message = "{listed}: {system} has one number for all of them"
            yield limit.fields, subject, message, "use the same number for all of them", words


def _different(limit: Limit, device: DeviceDesign) -> Iterator[Exceeded]:
    """Compare each value of a switch with its first; each other value is reported once."""
    for field in limit.fields:
        values = _whole(_values(field, limit, device))
        if len(values) == 1:
            continue
        for subject, value in {value: (at, value) for at, value in reversed(values)}.values():
            if value != values[0][1]:
                words = {
                    "field": short(field),
                    "value": value,
                    "first": values[0][1],
                    "listed": ", ".join(map(str, sorted({one for _, one in values}, key=str))),
                }
                message = "{field} {value} of a port is not {first}, the value of its switch"
                yield (field,), subject, message, "set it for the whole switch", words


def _whole(values: Iterator[tuple[Subject, Any]]) -> list[tuple[Subject, Any]]:
    """Return the values of the classes of a policy as one value."""
    whole: list[tuple[Subject, Any]] = []
    for subject, value in values:
        if isinstance(subject, ClassOf) and subject.lossless.number:
            first, rest = whole.pop()
            whole.append((first, f"{rest}, {value}"))
        else:
            whole.append((subject, value))
    return whole


def _no_multiple(limit: Limit, device: DeviceDesign) -> Iterator[Exceeded]:
    """Divide a value by another one of the same policy."""
    (field,) = limit.fields
    low, high = limit.range or (1, None)
    bases = list(_values(limit.multiple_of, limit, device))
    for (subject, value), (_, base) in zip(_values(field, limit, device), bases, strict=True):
        times, rest = divmod(value, base)
        if rest or times < low or (high is not None and times > high):
            words = {
                "field": short(field),
                "value": value,
                "low": low,
                "high": high,
                "base": limit.multiple_of.rpartition(".")[2],
                "base_value": base,
            }
            message = "{field} {value} is not a multiple of {base} {base_value}"
            yield (field, limit.multiple_of), subject, message, "use a multiple", words


def longest_cable_m(model: Sku) -> float:
    """Return the longest lossless cable that a switch takes without further settings."""
    limits = (limit for rule in features_of(model.nos).rules for limit in rule.limits)
    cables = (one for one in limits if "cables" in one.fields and one.includes(model))
    return min((one.range[1] for one in cables if one.range), default=math.inf)


def _policy(subject: Any) -> Any:
    return subject.profile if isinstance(subject, ClassOf) else getattr(subject, "qos", subject)


#: Circumstances of a limit, by the policy or the port and the switch that it belongs to.
_CONDITIONS: dict[str, Callable[[Any, DeviceDesign], bool]] = {
    "pfc": lambda subject, _: getattr(_policy(subject), "pfc", False),
    "watchdog": lambda subject, _: bool(_policy(subject) and _policy(subject).watchdog.enabled),
    "switched ports": lambda subject, device: any(
        port.qos is _policy(subject) and port.vlan is not None for port in device.ports
    ),
    "first class": lambda subject, _: not subject.lossless.number,
    "no pause buffer": lambda subject, _: not _policy(subject).pause_buffer,
    "used ports": lambda subject, _: subject.kind != "unused",
}
