"""What `init --design` says of the size of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.platforms import platforms
from fabric.platforms.same_hardware import selects
from fabric.topology.sizing import Size

if TYPE_CHECKING:
    from fabric.platforms.model import Sku
    from fabric.topology.sizing_pods import Pods


def lines_of(size: Size | Pods, spare_addresses: int | None) -> tuple[str, ...]:
    """Return the lines that say what a fabric needs, and what is left over.

    Parameters
    ----------
    spare_addresses : int or None
        Addresses of each NIC subnet that no NIC of a full unit has; None where NICs share none.
    """
    *lines, ports = _two_tiers(size) if isinstance(size, Size) else _pods(size)
    if spare_addresses is not None:
        ports += f"; addresses left over in each NIC subnet: {spare_addresses}"
    return (*lines, f"{ports}.")


def speed_line(nic_gbps: int, uplink_gbps: int, port_gbps: int, nic_ports: int) -> str:
    """Return the line of the speeds.

    Parameters
    ----------
    port_gbps : int
        The most that a host port of the leaf can run at.
    """
    what = "NICs" if nic_ports == 1 else "NIC ports"
    line = f"{what}: {nic_gbps}G; uplinks: {uplink_gbps}G"
    if nic_gbps < port_gbps:
        line += (
            f"; host ports can run at {port_gbps}G and are set to {nic_gbps}G, one to a cage; "
            "--split shares a cage among NICs, and --nic-gbps sets another speed"
        )
    return f"{line}."


def system_line(leaf: Sku, spine: Sku) -> str:
    """Return the line of the systems."""
    return f"{', '.join(dict.fromkeys(map(_system, (leaf, spine))))}."


def _system(model: Sku) -> str:
    return selects(model.name) or f"{model.name} is {platforms[model.nos].title}"


def _two_tiers(size: Size) -> tuple[str, ...]:
    hosts, room = size.need.hosts, size.need.room_for
    leaves = size.leaves(hosts)
    first = f"{_units(size, size)}{_planes(size)}{counted(leaves, 'leaf')}, "
    first += f"{counted(size.spines, 'spine')}."
    cables = f"cables from each leaf to each spine{_of_its_plane(size)}: {size.links_per_leaf}"
    links = leaves * size.uplinks * size.need.planes
    uplinks = f"uplinks: {links:,}; {_oversubscription(size)}"
    most = counted(size.leaves(room), "leaf")
    later = f"room for {counted(room, 'host')}: {most}{_in_each_plane(size)} and the same spines; "
    later += "no cable moves."
    if room == hosts:
        later += " A fabric that grows further needs --room-for from the start."
    ports = f"{_leaf_ports(size)}; {size.spare_spine_ports(hosts)} on each spine"
    if room > hosts:
        ports += f", {size.spare_spine_ports(room)} with {counted(room, 'host')}"
    return first, f"{cables}; {uplinks}", later, ports


def _pods(size: Pods) -> tuple[str, ...]:
    pod, hosts, room = size.pod, size.need.hosts, size.need.room_for
    leaves, pods = size.leaves(hosts), size.pods_of(hosts)
    spines = pods * pod.spines
    first = (
        f"{_units(size, pod)}, {counted(pods, 'pod')} of up to "
        f"{counted(size.units_per_pod, 'unit')}"
    )
    first += f"{_planes(size)}{counted(leaves, 'leaf')}, {counted(spines, 'spine')}, "
    first += f"{counted(size.super_spines, 'super-spine')}."
    cables = f"cables from each leaf to each spine of its pod: {pod.links_per_leaf}, from each "
    cables += f"spine to each super-spine of its group: {size.links_per_spine}"
    links = (leaves * pod.uplinks + spines * size.core_links) * size.need.planes
    later = f"room for {counted(room, 'host')}: {counted(size.pods, 'pod')} and the same "
    later += "super-spines; no cable moves."
    ports = f"{_leaf_ports(pod)}; {pod.spare_spine_ports(pod.need.hosts)} on each spine of a full "
    ports += f"pod; {size.spare_core_ports(hosts)} on each super-spine"
    if room > hosts:
        ports += f", {size.spare_core_ports(room)} with {counted(room, 'host')}"
    return first, f"{cables}; uplinks: {links:,}; {_oversubscription(pod)}", later, ports


def _units(size: Size | Pods, pod: Size) -> str:
    need = size.need
    units = (
        f"{counted(size.units(need.hosts), 'unit')} of up to {counted(pod.hosts_per_unit, 'host')}"
    )
    ports = f" of {counted(need.nic_ports, 'port')}" if need.nic_ports > 1 else ""
    return f"{counted(need.hosts, 'host')} x {counted(need.rails, 'NIC')}{ports}: {units}"


def _planes(size: Size | Pods) -> str:
    return f"; in each of {size.need.planes} planes " if size.need.planes > 1 else ", "


def _in_each_plane(size: Size | Pods) -> str:
    return f" in each of {size.need.planes} planes" if size.need.planes > 1 else ""


def _of_its_plane(size: Size) -> str:
    return " of its plane" if size.need.planes > 1 else ""


def _oversubscription(size: Size) -> str:
    return f"oversubscription {size.over_subscription:.3g}:1 where a unit is full."


def _leaf_ports(size: Size) -> str:
    return f"ports left over: {size.spare_leaf_ports} on each leaf"
