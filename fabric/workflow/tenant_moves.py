"""Ports that change tenant: never from one to another at once, and never back into the old one."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.units import ipv4_text
from fabric.observe.configuration import WHOLE, readers
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.change.model import Plan
    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration import Configured
    from fabric.observe.snapshot import Running

#: Beginning of the VRFs that rocefab makes; others are nobody's tenant here.
_OURS = "Vrf"
#: Ports that a message names.
_NAMED = 3
#: What a port needs that would go from one tenant to another.
_NO_MOVE = (
    "no port goes from one tenant to another at once: if the inventory moved it, revoke, plan and "
    "apply first; if the device was changed by hand, shut the port there and take it out of that "
    "VRF; `--only` plans other devices"
)


class TenantMoves(NamedTuple):
    """What a plan of a switch does with ports of tenants.

    Parameters
    ----------
    refusals : tuple of str
        Why it may not.
    one_way : str
        Why it is never undone.
    joined : tuple of str
        Ports that enter a tenant: from quarantine, from the default VRF, or on a new leaf.
    notes : tuple of str
        Which tenants they enter.
    left : mapping of str to tuple of str
        Subnets that leave a VRF with their ports.
    vrfs : frozenset of str
        VRFs that the switch has before the change.
    out : frozenset of str
        Ports that leave a VRF.
    """

    refusals: tuple[str, ...] = ()
    one_way: str = ""
    joined: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    vrfs: frozenset[str] = frozenset()
    out: frozenset[str] = frozenset()


def tenant_moves(
    devices: Mapping[str, DeviceDesign], running: Running, tenants: Mapping[str, str]
) -> TenantMoves:
    """Return what a design changes about the tenants of the NIC ports of a switch.

    A change that takes a port out of a tenant is never undone, since the port would be in that
    tenant again while its host is already handed over.

    Parameters
    ----------
    tenants : mapping of str to str
        Names of tenants by VRF.
    """
    design = devices.get(running.device)
    if design is None or design.platform not in readers:
        return TenantMoves()
    planned_vrfs = _planned(design)
    has_tenants = any(planned_vrfs.values())
    if _OURS not in running.canonical and not has_tenants:
        return TenantMoves()
    try:
        switch = readers[design.platform](dict.fromkeys(WHOLE, running.canonical))
    except (UnreadableError, KeyError) as error:
        return TenantMoves((f"the tenants of its ports are not known: {error}",))
    now, moved, out = switch.vrf_of_port, list[str](), dict[tuple[str, bool], list[str]]()
    joined: dict[str, list[str]] = {}
    quarantined = {port.name for port in design.ports if port.quarantined}
    for port, planned in planned_vrfs.items():
        old = now.get(port, "")
        if planned == old:
            continue
        if planned:
            joined.setdefault(planned, []).append(port)
        if old.startswith(_OURS):
            out.setdefault((old, port in quarantined), []).append(port)
            if planned:
                there, goal = (_named(vrf, tenants) for vrf in (old, planned))
                moved.append(f"{port} is in {there} on the device, and in {goal} in the inventory")
    if moved:
        return TenantMoves((f"{_some(moved)}; {_NO_MOVE}",))
    one_way = (_left(ports, _named(vrf, tenants), shut=shut) for (vrf, shut), ports in out.items())
    notes = (
        f"{_some(ports)} {_verb(ports, 'enter')} {_named(vrf, tenants)}"
        for vrf, ports in joined.items()
    )
    names = tuple(port for ports in joined.values() for port in ports)
    left = {
        vrf: tuple(
            subnet
            for (own, _), ports in out.items()
            if own == vrf
            for subnet in _subnets(switch, design, vrf, ports)
        )
        for vrf, _ in out
    }
    gone = frozenset(port for ports in out.values() for port in ports)
    vrfs = frozenset(switch.vrfs)
    return TenantMoves((), "; ".join(one_way), names, tuple(notes), left, vrfs, gone)


def with_revoked(
    devices: Mapping[str, DeviceDesign], plan: Plan, moves_of: Mapping[str, TenantMoves]
) -> Plan:
    """Return a plan whose hosts say which switches take a port of theirs out of a tenant."""
    at: dict[str, list[str]] = {}
    for leaf, moves in sorted(moves_of.items()):
        ports = devices[leaf].ports if moves.out and leaf in plan.devices else ()
        for host in dict.fromkeys(port.peer for port in ports if port.name in moves.out):
            at.setdefault(host, []).append(leaf)
    hosts = {
        host: replace(plan.devices[host], revoked_at=tuple(leaves))
        for host, leaves in at.items()
        if host in plan.devices
    }
    return replace(plan, devices={**plan.devices, **hosts})


def _left(ports: list[str], tenant: str, *, shut: bool) -> str:
    """Return that ports leave a tenant, and where they go."""
    goal = f"and {'is' if len(ports) == 1 else 'are'} shut down" if shut else "for the default VRF"
    return f"{_some(ports)} {_verb(ports, 'leave')} {tenant} {goal}"


def _subnets(
    switch: Configured, design: DeviceDesign, vrf: str, ports: Sequence[str]
) -> Iterator[str]:
    """Yield the subnets that a leaf announces for ports that leave a VRF, and not any more then.

    The subnet of a VLAN that stays in the VRF is that of its other ports.
    """
    staying = {vlan.vlan for vlan in design.vlans if vlan.vrf == vrf}
    vlans = {switch.ports[port].vlan for port in ports if port in switch.ports} - {None}
    for port in switch.ports.values():
        if port.name in ports or port.gateway_vlan in vlans - staying:
            for entry in port.addresses:
                if not entry.is_ipv6:  # tenants have IPv4 alone
                    first, length = entry.network
                    yield f"{ipv4_text(first)}/{length}"


def _named(vrf: str, tenants: Mapping[str, str]) -> str:
    return f"{tenants[vrf]} ({vrf})" if vrf in tenants else vrf


def _verb(ports: list[str], word: str) -> str:
    return f"{word}s" if len(ports) == 1 else word


def _some(texts: list[str]) -> str:
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _planned(design: DeviceDesign) -> dict[str, str]:
    """Return the VRF of each port in the design; empty for the default VRF, and for none."""
    of_vlan = {vlan.vlan: vlan.vrf for vlan in design.vlans}
    return {
        port.name: of_vlan.get(port.vlan, "") if port.vlan else port.vrf for port in design.ports
    }
