"""explain: the inventory values that decide a line, and where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.counts import counted
from fabric.intent.classes import ONE_CLASS, lossless_classes
from fabric.intent.policy import Model, set_paths
from fabric.intent.resolve import field_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Position
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.intent.inventory import Located
    from fabric.topology.model import Fabric


_POLICY = "lossless."
#: A VRF that rocefab makes for a tenant.
VRF = re.compile(r"\bVrf\d+\b")
NOT_SET = "not set"
#: Fields of a port that hold for its cable, so for the port at the other end too; see
#: `fabric.topology.overrides` and `fabric.topology.peering`.
OF_CABLES = frozenset({"cable_m", "enabled", "peering", "speed_gbps"})
#: A row of a table, with its fields.
_ROW = re.compile(r'\s*"[^"]+": \{')


@dataclass(frozen=True, slots=True)
class Value:
    """An inventory value that decides a line: what it is, and where it stands."""

    field: str
    value: str
    position: Position | None = None
    level: str = ""

    @property
    def where(self) -> str:
        """Return level and position of the value, or that it is a default."""
        if not self.position:
            return "rocefab default"
        return ", ".join(part for part in (self.level, str(self.position)) if part)


class Spot(NamedTuple):
    """What a line is about: a port, so that its own override counts, and tenants."""

    port: str
    tenants: frozenset[str]


def spot_of(designs: Designs, device: str, context: str, line: str) -> Spot:
    """Return what a line of a device is about."""
    if device not in designs.devices:
        return Spot("", _tenants_of_host(designs.fabric, device))
    design = designs.devices[device]
    named = set(VRF.findall(f"{context} {line}"))
    port = _port_of(design, context, line)
    if port and port.vrf:
        named.add(port.vrf)
    tenants = (vrf.tenant for vrf in design.vrfs if not named or vrf.name in named)
    return Spot(port.name if port else "", frozenset(tenants))


def _port_of(design: DeviceDesign, context: str, line: str) -> PortDesign | None:
    """Return the port that a line is about: of what holds it, else the first that it names.

    A row with a value for each of several ports is about none of them.
    """
    by_name = design.port_by_name
    above = [by_name[word] for word in re.split(r"[|\s]", context) if word in by_name]
    if above:
        return above[-1]
    ports = [by_name[word] for word in line.replace('"', " ").split() if word in by_name]
    is_row = len(ports) > 1 and _ROW.match(line)
    return ports[0] if ports and not is_row else None


def _tenants_of_host(fabric: Fabric, host: str) -> frozenset[str]:
    if fabric.tenants is None or host not in fabric.host_row:
        return frozenset()
    nics = fabric.nics_of_host(fabric.host_row[host])
    return frozenset(map(fabric.tenants.name_of, nics))


def values(designs: Designs, device: str, field: str, spot: Spot) -> list[Value]:
    """Return the values of a field that count for a line of a device."""
    if field.startswith(_POLICY):
        return list(_policy_values(designs, device, field.removeprefix(_POLICY), spot.port))
    parts = field.split(".")
    if parts[0] == "tenants":
        return [
            value
            for item in designs.intent.tenants
            if item.value.name in spot.tenants
            for value in _set_value(item, item.value, (), parts[1])
        ]
    if parts[0] == "devices":
        return list(_device_values(designs, device, parts[1:], spot.port))
    if parts[0] == "hosts":
        return list(_host_values(designs, device, parts[1:], spot.port))
    if parts[0] == "host" and device in designs.hosts:
        own = _trait_value(designs, device, tuple(parts[1:]))
        if own:
            return [own]
    parent: Any = None
    value: Any = designs.intent.fabric
    is_written = True
    for part in parts:
        is_written = is_written and part in getattr(value, "model_fields_set", ())
        parent, value = value, getattr(value, part, None)
    if value is None and not isinstance(parent, Model):
        return []
    place = designs.intent.position(*parts) if is_written else None
    return [Value(f"fabric.{field}", _text(value), place)]


def _device_values(designs: Designs, device: str, parts: list[str], port: str) -> Iterator[Value]:
    """Yield what overrides set for a switch: a field of its own, or of its ports."""
    if parts[0] != "ports":
        for override in designs.intent.device_overrides.get(device, []):
            yield from _set_value(override, override.value, (), parts[0])
        return
    for name, end in _ends(designs, device, parts[-1], port):
        for override in designs.intent.device_overrides.get(name, []):
            if change := override.value.ports.get(end):
                yield from _set_value(override, change, ("ports", end), parts[-1])


def _ends(designs: Designs, device: str, field: str, port: str) -> Iterator[tuple[str, str]]:
    """Yield the ports whose overrides count for a field of a port, or of all ports of a switch."""
    for own in designs.devices[device].ports if device in designs.devices else ():
        if port in {"", own.name}:
            yield device, own.name
            if own.kind == "uplink" and field in OF_CABLES:
                yield own.peer, own.peer_port


def _host_values(designs: Designs, device: str, parts: list[str], port: str) -> Iterator[Value]:
    """Yield what the overrides of a host, or of the hosts at a leaf or its port, set."""
    names = {device}
    if device in designs.devices:
        ports = designs.devices[device].ports
        names = {own.peer for own in ports if own.kind == "host" and port in {"", own.name}}
    for name in sorted(names):
        for override in designs.intent.host_overrides.get(name, []):
            if parts[0] != "nics":
                yield from _set_value(override, override.value, (), parts[0])
                continue
            for index, nic in enumerate(override.value.nics):
                yield from _set_value(override, nic, ("nics", index), parts[-1])


def _trait_value(designs: Designs, device: str, path: tuple[str, ...]) -> Value | None:
    """Return what an override says a host is like, where it says so."""
    for override in reversed(designs.intent.host_overrides.get(device, [])):
        traits = override.value.traits
        if traits and any(field_path[: len(path)] == path for field_path in set_paths(traits)):
            name = override.field("traits", *path)
            value = _text(field_value(traits, ".".join(path)))
            return Value(name, value, override.position("traits", *path))
    return None


def _set_value(
    override: Located[Any], value: Model, path: tuple[str | int, ...], field: str
) -> Iterator[Value]:
    if field in value.model_fields_set:
        text = _text(getattr(value, field))
        yield Value(override.field(*path, field), text, override.position(*path, field))


def _text(value: Any) -> str:
    """Return a value in words; of a list its length, of a section what is set in it."""
    if value is None:
        return NOT_SET
    if isinstance(value, Model):
        parts = ((name, getattr(value, name)) for name in type(value).model_fields)
        return " ".join(f"{name}={part}" for name, part in parts if part is not None) or NOT_SET
    return counted(len(value), "entry") if isinstance(value, tuple) and value else str(value)


def _policy_values(designs: Designs, device: str, field: str, port: str) -> Iterator[Value]:
    """Yield the value of a policy field; of each class that has its own."""
    resolver = designs.resolver
    if device in designs.hosts:
        policy = resolver.host(device)
    else:
        policy = resolver.switch(device, designs.devices[device].role, port)
    fields = {one.field(field): one for one in lossless_classes(policy)}
    listed = field in ONE_CLASS or field.startswith(("ecn.", "scheduler.lossless_percent"))
    for name, one in fields.items() if listed else ((field, None),):
        if device in designs.hosts:
            origin = resolver.host_origin(name, device)
        else:
            origin = resolver.switch_origin(name, device, designs.devices[device].role, port)
        value = field_value(policy, field) if one is None or name == field else one.value(field)
        yield Value(origin.field, _text(value), origin.position, origin.level)
