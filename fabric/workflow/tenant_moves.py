"""Ports that change tenant: never from one to another at once, and never back into the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration import WHOLE, readers
from fabric.observe.configuration.vrfs import vrfs_of_ports
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign
    from fabric.observe.snapshot import Running

#: Beginning of the VRFs that rocefab makes; others are nobody's tenant here.
_OURS = "Vrf"
#: Ports that a message names.
_NAMED = 3


class TenantMoves(NamedTuple):
    """What a plan of a switch does with ports of tenants.

    Parameters
    ----------
    refusals : tuple of str
        Why it may not.
    one_way : str
        Why it is never undone.
    joined : tuple of str
        Ports that are shut and come into a tenant.
    """

    refusals: tuple[str, ...] = ()
    one_way: str = ""
    joined: tuple[str, ...] = ()


def tenant_moves(devices: Mapping[str, DeviceDesign], running: Running) -> TenantMoves:
    """Return what a design changes about the tenants of the NIC ports of a switch.

    A change that takes a port out of a tenant is never undone, since the port would be in that
    tenant again while its host is already handed over.
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
    now, moved, out = vrfs_of_ports(switch), list[str](), list[str]()
    for port, planned in planned_vrfs.items():
        old = now.get(port, "")
        if not old.startswith(_OURS) or planned == old:
            continue
        out.append(f"{port} of {old}")
        if planned:
            moved.append(f"{port} would go from {old} to {planned} at once")
    if moved:
        way = "a move needs quarantine between: revoke, plan and apply first"
        return TenantMoves((f"{_some(moved)}; {way}",))
    joined = tuple(
        port
        for port, planned in planned_vrfs.items()
        if planned and port not in now and port in switch.ports and not switch.ports[port].enabled
    )
    return TenantMoves((), f"it takes out {_some(out)}" if out else "", joined)


def _some(texts: list[str]) -> str:
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _planned(design: DeviceDesign) -> dict[str, str]:
    """Return the VRF of each port in the design; empty for the default VRF, and for none."""
    of_vlan = {vlan.vlan: vlan.vrf for vlan in design.vlans}
    return {
        port.name: of_vlan.get(port.vlan, "") if port.vlan else port.vrf for port in design.ports
    }
