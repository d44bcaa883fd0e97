"""What `init --design` says of the size of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.sizing import Size

if TYPE_CHECKING:
    from fabric.topology.sizing_pods import Pods


def lines_of(size: Size | Pods, spare_addresses: int) -> tuple[str, ...]:
    """Return the lines that say what a fabric needs, and what is left over.

    Parameters
    ----------
    spare_addresses : int
        Addresses of each NIC subnet that no NIC of a full unit has.
    """
    *lines, ports = _two_tiers(size) if isinstance(size, Size) else _pods(size)
    return (*lines, f"{ports}; addresses left over in each NIC subnet: {spare_addresses}.")


def _two_tiers(size: Size) -> tuple[str, ...]:
    hosts, room = size.need.hosts, size.need.room_for
    leaves = size.leaves(hosts)
    first = f"{_units(size, size)}, {leaves:,} leaves, {size.spines} spines."
    cables = f"cables from each leaf to each spine: {size.links_per_leaf}"
    uplinks = f"uplinks: {leaves * size.uplinks:,}; {_oversubscription(size)}"
    later = f"{room:,} hosts need {size.leaves(room):,} leaves and the same spines; no cable moves."
    ports = f"{_leaf_ports(size)}, {size.spare_spine_ports(hosts)} on each spine now"
    ports += f", {size.spare_spine_ports(room)} with {room:,} hosts"
    return first, f"{cables}; {uplinks}", later, ports


def _pods(size: Pods) -> tuple[str, ...]:
    pod, hosts, room = size.pod, size.need.hosts, size.need.room_for
    leaves, pods = size.leaves(hosts), size.pods_of(hosts)
    spines = pods * pod.spines
    first = f"{_units(size, pod)}, {pods:,} pods of up to {size.units_per_pod} units"
    first += f", {leaves:,} leaves, {spines:,} spines, {size.super_spines:,} super-spines."
    cables = f"cables from each leaf to each spine of its pod: {pod.links_per_leaf}, from each "
    cables += f"spine to each super-spine of its group: {size.links_per_spine}"
    links = leaves * pod.uplinks + spines * size.core_links
    later = f"{room:,} hosts need {size.pods:,} pods and the same super-spines; no cable moves."
    ports = f"{_leaf_ports(pod)}, {pod.spare_spine_ports(pod.need.hosts)} on each spine of a full "
    ports += f"pod, {size.spare_core_ports(hosts)} on each super-spine now"
    ports += f", {size.spare_core_ports(room)} with {room:,} hosts"
    return first, f"{cables}; uplinks: {links:,}; {_oversubscription(pod)}", later, ports


def _units(size: Size | Pods, pod: Size) -> str:
    need = size.need
    units = f"{size.units(need.hosts)} units of up to {pod.hosts_per_unit} hosts"
    return f"{need.hosts:,} hosts x {need.rails} NICs: {units}"


def _oversubscription(size: Size) -> str:
    return f"oversubscription {size.over_subscription:.3g}:1 where a unit is full."


def _leaf_ports(size: Size) -> str:
    return f"ports left over: {size.spare_leaf_ports} on each leaf"
