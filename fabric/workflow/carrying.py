"""Cables that carry no traffic before a change, and ports that it is about: what can be lost."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from ipaddress import ip_network
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.model import Risk
from fabric.core.netmask import with_mask
from fabric.prove.vrfs import gateways

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from fabric.change.model import Change, DevicePlan, Plan
    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration import Configured
    from fabric.observe.snapshot import Running
    from fabric.workflow.project import Project
    from fabric.workflow.sides import Side

    #: Device and port at both ends; of a cable to a host, the switch is first.
    Cable = tuple[str, str, str, str]

#: What stands between the words of the path of a change.
_BETWEEN = re.compile(r'[|\s"]+')
#: A word of lines about IPv6.
_IPV6 = re.compile(r"ipv6|inet6", re.IGNORECASE)


def cables(project: Project) -> Iterator[Cable]:
    """Yield the cables of all switches; one between two switches comes from each of its ends."""
    for name, design in project.devices.items():
        for port in design.ports:
            if port.enabled and port.peer:
                yield (name, port.name, port.peer, port.peer_port)


def is_idle(cable: Cable, now: Side, planned: Side) -> bool:
    """Tell whether it is known that a cable carries no traffic.

    A port is shut, or one between switches has neither address nor VLAN; a NIC has none of the
    addresses that are planned for it; or one of both devices is not there yet.

    Parameters
    ----------
    now, planned : Side
        What all devices are, and what they become.
    """
    name, port, peer, peer_port = cable
    if peer in planned.texts:
        ends = ((name, port), (peer, peer_port))
        return any(_is_unused(now, *end, between_switches=True) for end in ends)
    return _is_unused(now, name, port, between_switches=False) or _has_no_address(
        now, planned, cable
    )


def is_idle_on_a_side(cable: Cable, before: Side, after: Side) -> bool:
    """Tell whether it is known that a cable carries no traffic before a change, or after it."""
    return is_idle(cable, before, after) or is_idle(cable, after, before)


def leaving_hosts(project: Project, before: Side, after: Side) -> list[str]:
    """Return the hosts of which a change takes a NIC out of service: their jobs must stop."""
    return sorted({
        cable[2]
        for cable in cables(project)
        if cable[2] not in project.devices
        and is_idle(cable, after, before)
        and not is_idle(cable, before, after)
    })


def idle_ports(
    project: Project, now: Side, planned: Side, *, in_service: bool = True
) -> frozenset[tuple[str, str]]:
    """Return the ports of switches, as device and port, whose cables carry no traffic.

    Parameters
    ----------
    in_service : bool
        Whether those of hosts in service count. A NIC with its address waits for its switch, such
        as one that is replaced: its host is drained.
    """
    return frozenset(
        cable[:2]
        for cable in cables(project)
        if is_idle(cable, now, planned)
        and (in_service or cable[2] in planned.texts or _has_no_address(now, planned, cable))
    )


def moved_ports(project: Project, now: Side, planned: Side) -> frozenset[tuple[str, str]]:
    """Return the ports of switches whose NICs change the tenant, and lose their peers by it.

    A tenant whose VRF gets another name stays together: where most NICs of a VRF come from one
    VRF, the others are new in it.
    """
    if project.fabric.tenants is None:
        return frozenset()
    before, after = (_vrfs_of_nics(project, side) for side in (now, planned))
    origins: dict[str, Counter[str]] = {}
    for port, vrf in after.items():
        origins.setdefault(vrf, Counter())[before.get(port, "")] += 1
    usual = {vrf: counts.most_common(1)[0][0] for vrf, counts in origins.items()}
    return frozenset(port for port, vrf in after.items() if before.get(port, "") != usual[vrf])


def _vrfs_of_nics(project: Project, side: Side) -> dict[tuple[str, str], str]:
    """Return the VRF of each port that leads to a NIC, as device and port."""
    vrfs = {}
    svis = {name: gateways(configured) for name, configured in side.routing.items()}
    for name, port_name, peer, _ in cables(project):
        configured = side.routing.get(name)
        port = configured.ports.get(port_name) if configured else None
        if port and peer not in project.devices:
            owner = port if port.vlan is None else svis[name].get(port.vlan)
            vrfs[name, port_name] = owner.vrf if owner else ""
    return vrfs


def changing_ports(plan: DevicePlan, design: DeviceDesign) -> frozenset[str]:
    """Return the ports that a change takes traffic from; none where it may be the whole switch.

    A change is about the port that it names, itself or by its BGP session or network, or about the
    ports to the switch whose session between loopbacks it names.
    """
    if plan.risk_if_up in (Risk.HARMLESS, Risk.RESTART):
        return frozenset()
    risky = [one for one in plan.changes if one.risk_if_up > Risk.HARMLESS]
    ports = [subject.ports for subject in _subjects(risky, design)]
    return frozenset().union(*ports) if all(ports) else frozenset()


def with_shut_ports(
    plan: Plan, designs: Mapping[str, DeviceDesign], running: Mapping[str, Running]
) -> Plan:
    """Return a plan in which changes of ports that are shut are harmless."""
    devices = {
        name: replace(one, changes=on_shut_ports(one.changes, designs[name], running[name]))
        if name in designs
        else one
        for name, one in plan.devices.items()
    }
    return replace(plan, devices=devices)


def on_shut_ports(
    changes: Sequence[Change], design: DeviceDesign, running: Running
) -> tuple[Change, ...]:
    """Return changes of which those about ports that are shut are harmless: they have no traffic.

    A change is about one port, or about a new session between loopbacks, of which no cable carries
    anything yet. A restart stays one, and so does the risk of a port that no reader knows to be
    shut.

    Parameters
    ----------
    running : Running
        What the switch runs before; read only where a change is about ports.
    """
    risky = [one for one in changes if Risk.HARMLESS < one.risk < Risk.RESTART]
    about = dict(zip(risky, _subjects(risky, design), strict=True))
    said = running.configured if any(one.ports for one in about.values()) else None
    if said is None:
        return tuple(changes)
    shut = {name for name, port in said.ports.items() if not port.enabled}
    idle = {
        one
        for one, subject in about.items()
        if subject.ports and subject.ports <= shut and not _has_session(said, subject)
    }
    return tuple(
        replace(one, risk=Risk.HARMLESS, if_up=one.risk) if one in idle else one for one in changes
    )


class _Subject(NamedTuple):
    """What a change is about: ports, and the loopback at the other end of their session."""

    ports: frozenset[str] = frozenset()
    loopback: str = ""


def _has_session(configured: Configured, subject: _Subject) -> bool:
    """Tell whether a switch has the session between loopbacks already: it may take other ways."""
    return bool(subject.loopback and configured.bgp and subject.loopback in configured.bgp.peers)


def _subjects(changes: Collection[Change], design: DeviceDesign) -> list[_Subject]:
    """Return what each change is about; nothing where that is not exactly one port or session."""
    by_word: dict[str, set[_Subject]] = defaultdict(set)
    for word, subject in _subject_words(design) if changes else ():
        by_word[word].add(subject)
    nothing: set[_Subject] = set()
    named = (
        nothing.union(*(by_word[word] for word in _words(change.path) if word in by_word))
        for change in changes
    )
    return [next(iter(subjects)) if len(subjects) == 1 else _Subject() for subjects in named]


def _subject_words(design: DeviceDesign) -> Iterator[tuple[str, _Subject]]:
    """Yield words for a port (its name, BGP session, network), or a session between loopbacks."""
    for peer in design.bgp.neighbours:
        yield peer.session, _Subject(frozenset({peer.port}))
    for peer in design.evpn.sessions if design.evpn else ():
        ports = frozenset(port.name for port in design.ports if port.peer == peer.name)
        yield peer.address, _Subject(ports, peer.address)
    for port in design.ports:
        subject = _Subject(frozenset({port.name}))
        yield port.name, subject
        for address in filter(None, (port.address, port.ipv6)):
            network = str(ip_network(address, strict=False))
            yield network, subject
            yield " ".join(with_mask(network)), subject


def _words(path: str) -> Iterator[str]:
    """Yield the words of the path of a change, and each two of them: a network and its mask."""
    words = [word.removesuffix(":") for word in _BETWEEN.split(path)]
    yield from words
    yield from map(" ".join, pairwise(words))


def _is_unused(now: Side, name: str, port_name: str, *, between_switches: bool) -> bool:
    """Tell whether a port is known to take no part: it is shut, or no line gives it a network."""
    if name not in now.texts:
        return True
    configured = now.routing.get(name)
    if configured is None:
        return False
    port = configured.ports.get(port_name)
    if port and not port.enabled:
        return True
    networks = port and (port.addresses or port.ipv6_link or port.vlan or port.tagged_vlans)
    return between_switches and not networks and not _has_more(configured, port_name)


def _has_more(configured: Configured, port_name: str) -> bool:
    """Tell whether a part of a port, or a line that nobody knows, may give it a network."""
    parts = any(other.startswith(f"{port_name}.") for other in configured.ports)
    return parts or any(port_name in leftover.text for leftover in configured.leftovers)


def _has_no_address(now: Side, planned: Side, cable: Cable) -> bool:
    """Tell whether a NIC is known to have no address; one of IPv6 may make its own."""
    name, _, host, interface = cable
    if host not in now.nics or interface not in now.nics[host]:
        return True
    values, configured = now.nics[host][interface], now.routing.get(name)
    wanted = planned.nics.get(host, {}).get(interface, {}).get("addresses")
    is_read = bool(values.get("mtu_bytes")) and configured is not None
    return bool(is_read and wanted and not values["addresses"]) and not _may_use_ipv6(configured)


def _may_use_ipv6(configured: Configured | None) -> bool:
    """Tell whether a switch has IPv6, or a line of it that nobody knows."""
    return configured is None or (
        configured.uses_ipv6
        or any(_IPV6.search(leftover.text) for leftover in configured.leftovers)
    )
