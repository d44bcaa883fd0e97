"""Whether the VRFs of every switch have the VNI, targets, routes and leaks of the design."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_network
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.observe.configuration.model import number_text
from fabric.observe.configuration.vrfs import export_targets, import_targets, takes
from fabric.prove.breach import Breach
from fabric.prove.static_routes import egress, leads_away
from fabric.prove.vrfs import DEFAULT, MANAGEMENT, announces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.design.model import DeviceDesign, VrfDesign
    from fabric.observe.configuration import Configured, StaticRoute
    from fabric.observe.configuration.vrfs import ConfiguredVrf, TargetLine
    from fabric.prove.wiring import Network

#: Names that systems have for the default VRF.
DEFAULT_NAMES = (DEFAULT, "default")
#: What a VRF must never announce, in words.
KINDS = {
    "kernel": "routes of the kernel, an unreachable default among them",
    "static": "static routes",
    "default": "a default route",
}


@dataclass(frozen=True)
class Catalogue:
    """What the design says of tenants anywhere in the fabric.

    Parameters
    ----------
    tenants : dict of str to str
        Tenant of each VRF.
    targets : dict of str to str
        Tenant of each route target.
    services : set of frozenset of str
        Pairs of VRFs that a service joins.
    shared : set of str
        VRFs of services.
    """

    tenants: Mapping[str, str]
    targets: Mapping[str, str]
    services: frozenset[frozenset[str]]
    shared: frozenset[str]

    @classmethod
    def of(
        cls, devices: Mapping[str, DeviceDesign], services: Iterable[tuple[str, str]]
    ) -> Catalogue:
        """Return it; ``services`` are pairs of a tenant and its service."""
        vrfs = [vrf for design in devices.values() for vrf in design.vrfs]
        by_tenant = {vrf.tenant: vrf.name for vrf in vrfs}
        pairs = [(by_tenant.get(one, ""), by_tenant.get(other, "")) for one, other in services]
        return cls(
            {vrf.name: vrf.tenant for vrf in vrfs},
            {vrf.route_target: vrf.tenant for vrf in vrfs if vrf.route_target},
            frozenset(frozenset(pair) for pair in pairs),
            frozenset(pair[1] for pair in pairs),
        )

    def named(self, vrf: str) -> str:
        """Return a VRF with its tenant."""
        tenant = self.tenants.get(vrf)
        return f"VRF {vrf} of tenant {tenant}" if tenant else f"VRF {vrf or 'default'}"


def vrf_lines(
    network: Network, devices: Mapping[str, DeviceDesign], catalogue: Catalogue
) -> Iterator[Breach]:
    """Yield what the VRFs of the files have against the design."""
    for name, configured in network.switches.items():
        planned = {vrf.name: vrf for vrf in devices[name].vrfs}
        networks = _networks(configured)
        for vrf in planned.values():
            if vrf.name not in configured.vrfs:
                words = f"{catalogue.named(vrf.name)} does not exist"
                yield Breach("BAT031", name, "", 0, words)
        for own in configured.vrfs.values():
            design = planned.get(own.name)
            if design is not None:
                yield from _Vrf(name, configured, own, design, catalogue, networks).breaches()
            elif own.name in catalogue.tenants:
                words = f"{catalogue.named(own.name)} has no NIC here"
                yield Breach("BAT031", name, "", own.line, words, Severity.WARNING)
            elif own.name in DEFAULT_NAMES:
                yield from _into_default(name, own, catalogue)
        yield from _out_of_default(name, configured, catalogue)
        yield from _one_vni(name, configured, catalogue)
    yield from _distinguishers(network, catalogue)


@dataclass(frozen=True)
class _Vrf:
    switch: str
    configured: Configured
    own: ConfiguredVrf
    design: VrfDesign
    catalogue: Catalogue
    networks: Mapping[str, set[tuple[int, int]]]

    def breaches(self) -> Iterator[Breach]:
        own = self.own
        if not own.routes:
            yield self._breach("BAT031", own.line, "routes no packets")
        if own.falls_through:
            words = "looks up in the main table what it does not know: no unreachable default route"
            yield self._breach("BAT023", own.line, words)
        yield from self._vni()
        if self.design.vni:
            yield from self._targets()
            yield from self._announced()
        yield from self._leaks()
        yield from self._static_routes()

    def _breach(self, rule: str, line: int, words: str) -> Breach:
        text = f"{self.catalogue.named(self.own.name)} {words}"
        return Breach(rule, self.switch, "", line, text)

    def _vni(self) -> Iterator[Breach]:
        has, planned = self.own.vni, self.design.vni
        if has != planned:
            words = (
                f"{f'has VNI {has}' if has else 'has no VNI'}, "
                f"planned is {planned or 'none: its packets stay on the leaf'}"
            )
            yield self._breach("BAT027", self.own.vni_line or self.own.line, words)

    def _targets(self) -> Iterator[Breach]:
        own, planned = self.own, self.design.route_target
        asn = self.configured.bgp.asn if self.configured.bgp else 0
        sides = (
            ("imports", own.imports, import_targets(own)),
            ("exports", own.exports, export_targets(own, asn)),
        )
        for verb, lines, effective in sides:
            is_there = planned in effective or (verb == "imports" and takes(effective, [planned]))
            if not is_there:
                words = (
                    f"{verb} {', '.join(sorted(effective)) or 'no target'}, planned is {planned}"
                )
                yield self._breach("BAT028", _first(lines) or own.line, words)
            yield from self._foreign(verb, lines)
        if not own.advertises:
            yield self._breach("BAT029", own.line, "has no EVPN routes: nothing advertises them")

    def _foreign(self, verb: str, lines: list[TargetLine]) -> Iterator[Breach]:
        for line in lines:
            if line.target == self.design.route_target:
                continue
            owners = [
                tenant
                for target, tenant in self.catalogue.targets.items()
                if target != self.design.route_target and takes([line.target], [target])
            ]
            planned = takes([line.target], [self.design.route_target])
            if owners:
                words = f"{verb} {line.target}, the target of tenant {owners[0]}"
                yield self._breach("BAT028", line.line, words)
            elif not planned:
                words = f"{verb} {line.target}, a target that the design does not have"
                yield self._breach("BAT028", line.line, words)

    def _announced(self) -> Iterator[Breach]:
        own = self.own
        if own.export_policy and own.export_policy not in self.configured.policies:
            words = f"routing policy {own.export_policy} does not exist"
            yield Breach("BAT011", self.switch, "", own.line, words)
        for line in own.redistributions:
            if line.policy and line.policy not in self.configured.policies:
                words = f"routing policy {line.policy} does not exist"
                yield Breach("BAT011", self.switch, "", line.line, words)
            if line.kind in KINDS:
                yield self._breach("BAT029", line.line, f"announces {KINDS[line.kind]}")
        connected = [line for line in own.redistributions if line.kind == "connected"]
        if not connected:
            yield self._breach("BAT029", own.line, "announces no connected subnet")
            return
        networks = sorted(self.networks.get(own.name, ()))
        pools = [_span(pool.network) for pool in self.design.pools]
        for net, passed in zip(
            networks, announces(self.configured, own, networks).tolist(), strict=True
        ):
            is_own = any(first <= net[0] <= last for first, last in pools)
            if passed == is_own:
                continue
            text = f"{number_text(net[0], is_ipv6=False)}/{net[1]}"
            if passed:
                words = f"announces {text}, which is in no pool of its tenant"
                yield self._breach("BAT029", connected[0].line, words)
            else:
                yield self._breach("BAT029", connected[0].line, f"does not announce {text}")

    def _leaks(self) -> Iterator[Breach]:
        present = {line.source for line in self.own.leaks}
        for source in self.design.imports:
            if source not in present:
                words = f"has no routes of {self.catalogue.named(source)}, a planned service"
                yield self._breach("BAT025", self.own.line, words)
        for line in self.own.leaks:
            if line.policy and line.policy not in self.configured.policies:
                words = f"routing policy {line.policy} does not exist"
                yield Breach("BAT011", self.switch, "", line.line, words)
            if line.source not in self.design.imports:
                yield self._joined("has routes of", line.source, line.line)

    def _joined(self, how: str, other: str, line: int) -> Breach:
        """Return that it is joined to another VRF of its switch."""
        if other in DEFAULT_NAMES:
            words = f"{how} the default VRF: loopbacks, tunnel end points and uplinks"
            return self._breach("BAT023", line, words)
        ports = self.configured.management.values()
        if other in MANAGEMENT or other in {port.vrf for port in ports if port.enabled}:
            return self._breach("BAT023", line, f"{how} VRF {other}, that of management")
        pair = frozenset((self.own.name, other))
        is_service = pair in self.catalogue.services or pair & self.catalogue.shared
        words = f"{how} {self.catalogue.named(other)}, which is not planned"
        return self._breach("BAT025" if is_service else "BAT022", line, words)

    def _static_routes(self) -> Iterator[Breach]:
        for route in self.own.static_routes:
            into = egress(self.configured, route)
            words = f"has {_static_route(route)}"
            if into is not None and into != self.own.name:
                yield self._joined(f"{words} that leads into", into, route.line)
            elif self._takes(route):
                words = f"{words} that takes packets away from NICs"
                yield self._breach("BAT024", route.line, words)
            else:
                words = f"{words}, which is not planned"
                yield self._breach("BAT032", route.line, words)

    def _takes(self, route: StaticRoute) -> bool:
        """Tell whether packets for single NICs of the tenant go by a route and not to them."""
        spans = ((*_span(pool.network), pool.prefix_length) for pool in self.design.pools)
        return leads_away(route) and any(
            first <= route.network <= last and route.prefix_length >= length
            for first, last, length in spans
        )


@cache
def _span(network: str) -> tuple[int, int]:
    """Return the first and last address of a network."""
    net = ip_network(network)
    return int(net.network_address), int(net.broadcast_address)


def _networks(configured: Configured) -> dict[str, set[tuple[int, int]]]:
    """Return the connected subnets of each VRF of a switch."""
    networks: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for port in configured.ports.values():
        if port.vrf:
            networks[port.vrf] |= {one.network for one in port.addresses if not one.is_ipv6}
    return networks


def _first(lines: list[TargetLine]) -> int:
    return lines[0].line if lines else 0


def _into_default(name: str, own: ConfiguredVrf, catalogue: Catalogue) -> Iterator[Breach]:
    """Yield the tenants whose routes the default VRF has."""
    for line in own.leaks:
        if line.source in catalogue.tenants:
            words = f"the default VRF has routes of {catalogue.named(line.source)}"
            yield Breach("BAT023", name, "", line.line, words)


def _out_of_default(name: str, configured: Configured, catalogue: Catalogue) -> Iterator[Breach]:
    """Yield the static routes of the default VRF that lead into a tenant."""
    for route in configured.static_routes:
        into = egress(configured, route)
        if into is not None and into in catalogue.tenants:
            words = f"the default VRF has {_static_route(route)} that leads into"
            yield Breach("BAT023", name, "", route.line, f"{words} {catalogue.named(into)}")


def _static_route(route: StaticRoute) -> str:
    prefix = number_text(route.network, is_ipv6=False)
    return f"a static route to {prefix}/{route.prefix_length}"


def _one_vni(name: str, configured: Configured, catalogue: Catalogue) -> Iterator[Breach]:
    """Yield the VRFs that have the VNI of another one of their switch."""
    for vrf, first in configured.doubled_vnis():
        words = f"{catalogue.named(vrf.name)} and {catalogue.named(first.name)} have VNI {vrf.vni}"
        more = ": a packet out of the tunnel gets into either"
        yield Breach("BAT027", name, "", vrf.vni_line or vrf.line, words + more)


def _distinguishers(network: Network, catalogue: Catalogue) -> Iterator[Breach]:
    """Yield the route distinguishers that stand on two VRFs."""
    owners: dict[str, list[tuple[str, ConfiguredVrf]]] = defaultdict(list)
    for name, configured in network.switches.items():
        for vrf in configured.vrfs.values():
            if vrf.name in catalogue.tenants and vrf.route_distinguisher:
                owners[vrf.route_distinguisher].append((name, vrf))
    for text, places in owners.items():
        if len(places) > 1:
            name, vrf = places[-1]
            where = ", ".join(f"{switch} {own.name}" for switch, own in places)
            same = len({switch for switch, _ in places}) < len(places)
            more = "routes of the one replace those of the other" if same else "ECMP is lost"
            words = f"route distinguisher {text} is on {where}: {more}"
            severity = Severity.ERROR if same else Severity.WARNING
            yield Breach("BAT030", name, "", vrf.line, words, severity)
