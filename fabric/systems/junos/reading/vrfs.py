"""Routing instances of tenants, EVPN and tunnels of a Junos configuration.

The tunnel end point is the loopback: the configurations of Juniper name no other one. What no
tenant needs in an instance is not understood, such as ``auto-export``, which leaks between the
instances of a switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import static_route
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.model import is_address
from fabric.observe.configuration.vrfs import RedistributionLine, TargetLine
from fabric.systems.junos.reading.ports import port_of
from fabric.systems.junos.reading.table import LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration.vrfs import ConfiguredVrf
    from fabric.systems.junos.reading.model import RoutingLines

_LOOPBACK = "lo0"
#: A type without targets, and so without EVPN routes (juniper.net CLI reference, instance-type).
_WITHOUT_VPN = "virtual-router"


def _instance(reading: RoutingLines, name: str, line: int) -> ConfiguredVrf:
    """Return an instance; a new one, of the default type, at its first line."""
    if name not in reading.switch.vrfs:
        reading.switch.vrf(name, line).routes = holds("junos", "instance_type")
    return reading.switch.vrfs[name]


@LINES.means("vrf")
def _vrf(
    reading: RoutingLines,
    line: int,
    vrf: str,
    type: str = "",  # noqa: A002
    text: str = "",
) -> None:
    own = _instance(reading, vrf, line)
    own.description = text.strip('"') or own.description
    own.routes = own.routes or bool(type)
    if type == _WITHOUT_VPN:
        reading.without_vpn[vrf] = line
    elif type:
        reading.without_vpn.pop(vrf, None)


@LINES.means("static_vrf")
def _static_vrf(
    reading: RoutingLines, line: int, vrf: str, prefix: str, hop: str = "", table: str = ""
) -> None:
    """Take a route; the next table is that of another instance, or with ``inet.0`` the default."""
    own = _instance(reading, vrf, line)
    to = hop if is_address(hop) else port_of(hop)
    egress = table.removesuffix("inet.0").removesuffix(".") if table else None
    own.static_routes.append(static_route(prefix, to, line, egress))


@LINES.means("vrf_announces")
def _announces(reading: RoutingLines, line: int, vrf: str) -> None:
    _instance(reading, vrf, line).advertises = True


@LINES.means("vrf_tunnels")
def _tunnels(reading: RoutingLines, line: int, vrf: str) -> None:
    _instance(reading, vrf, line)
    evpn = reading.switch.open_evpn(line)
    evpn.source, evpn.source_line = _LOOPBACK, line


@LINES.means("vni")
def _vni(reading: RoutingLines, line: int, vrf: str, vni: str) -> None:
    own = _instance(reading, vrf, line)
    own.vni, own.vni_line = int(vni), line


@LINES.means("vrf_policy")
def _policy(reading: RoutingLines, line: int, vrf: str, policy: str) -> None:
    _instance(reading, vrf, line)
    reading.vrf_policies[vrf] = policy, line


@LINES.means("vrf_of_port")
def _vrf_of_port(reading: RoutingLines, line: int, vrf: str, port: str) -> None:
    _instance(reading, vrf, line)
    own = reading.switch.port(port_of(port), line)
    if own.vrf not in {"", vrf}:
        raise ValueError("a second instance")
    own.vrf, own.vrf_line = vrf, line


@LINES.means("vrf_rd")
def _rd(reading: RoutingLines, line: int, vrf: str, distinguisher: str) -> None:
    _instance(reading, vrf, line).route_distinguisher = distinguisher


@LINES.means("vrf_target")
def _target(
    reading: RoutingLines, line: int, vrf: str, target: str, way: str | None = None
) -> None:
    own = _instance(reading, vrf, line)
    entry = TargetLine(target.removeprefix("target:"), line)
    if way != "export":
        own.imports.append(entry)
    if way != "import":
        own.exports.append(entry)


@LINES.means("no_copy")
def _no_copy(reading: RoutingLines, _: int) -> None:
    reading.copies_tos = False


@LINES.means("no_restore")
def _no_restore(reading: RoutingLines, _: int) -> None:
    reading.restores_tos = False


def settle_vrfs(reading: RoutingLines) -> None:
    """Say what each instance announces, which sessions carry EVPN, and what holds of tunnels."""
    switch = reading.switch
    for name, line in reading.without_vpn.items():
        vrf = switch.vrfs[name]
        vrf.advertises, vrf.vni, vrf.vni_line = False, 0, line
    for vrf in switch.vrfs.values():
        if vrf.advertises:
            policy, line = reading.vrf_policies.get(vrf.name, ("", vrf.vni_line or vrf.line))
            kinds = dict.fromkeys(_kinds(reading, policy))
            vrf.redistributions = [RedistributionLine(kind, policy, line) for kind in kinds]
    switch.settle_evpn()
    evpn = switch.evpn
    if evpn is None:
        return
    evpn.keeps_all_targets = holds("junos", "kept_targets")
    if evpn.source:
        copies = holds("junos", "copied_tos")
        evpn.copies_dscp = evpn.copies_ecn = copies and reading.copies_tos
        evpn.restores_ecn = copies and reading.restores_tos
        loopback = switch.ports.get(_LOOPBACK)
        own = loopback.addresses[:1] if loopback else []
        evpn.source = own[0].text.partition("/")[0] if own else ""


def _kinds(reading: RoutingLines, policy: str) -> Iterator[str]:
    """Yield the kinds of routes that a policy lets out; without a protocol it is every kind."""
    terms = reading.switch.policies.get(policy, ()) if policy else ()
    sources = [term.source for term in terms if term.permit] if policy else [""]
    for source in sources:
        yield from ("connected", "static") if not source else ()
        yield from (source,) if source == "connected" else ()
