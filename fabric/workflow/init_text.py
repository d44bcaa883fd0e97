"""init --design: the file of an inventory of a size."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import yaml

from fabric.core.counts import counted
from fabric.design.limits import longest_cable_m
from fabric.intent.model import Bgp
from fabric.intent.tenancy_model import LOCAL
from fabric.platforms import platforms
from fabric.topology.layout import PORT_LETTERS
from fabric.topology.sizing_pods import Pods
from fabric.workflow.init_needs import (
    Needs,
    comments,
    in_braces,
    lossless_section,
    needs_of,
    release_hints,
)
from fabric.workflow.init_ports import Ports, refusal
from fabric.workflow.init_tenants import form_of, host_range, routed_addresses, tenants_section
from fabric.workflow.init_wish import NICS, Wish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.platforms.model import Sku
    from fabric.topology.sizing import Need, Size

#: Host addresses before the first NIC: network, gateway; and the broadcast address.
NOT_FOR_NICS = 3
#: Pools of RFC 1918: each part of 10.0.0.0/8 that the file takes, and its longest size.
_HOSTS, _UPLINKS = ("10.0.0.0", 9), ("10.128.0.0", 10)
_CORES, _LOOPBACKS = ("10.192.0.0", 11), ("10.255.0.0", 16)
#: Of tunnel end points, where these are not the loopbacks.
_VTEPS = ("10.254.0.0", 16)
_ADDRESS_BITS = 32
#: Cables to super-spines, in metres: from hall to hall. Ours.
_CORE_M = 300
#: What the file has where there are no super-spines.
_TWO_TIERS = dict.fromkeys(
    ("growth", "super_spines", "down_ports", "super_spine", "core_speed", "core_cables"), ""
) | {"core_links": "", "as_numbers": "spine_asn: 4200000000, leaf_asn_first: 4200000001"}


def inventory_text(wish: Wish, size: Size | Pods, name: str, ports: Ports, summary: str) -> str:
    """Return ``fabric.yaml`` of a fabric; its summary is the first comment."""
    need, pod = size.need, size.pod if isinstance(size, Pods) else size
    bits, leaves, spine = subnet_bits(pod), size.leaves(need.room_for), wish.spine or wish.leaf
    per_leaf = _power_of_two(pod.uplinks)
    needs = needs_of_wish(wish)
    spine_own = _split(wish.skus[spine], wish.spine_split or wish.split) + in_braces(needs.spine)
    tier = _TWO_TIERS
    loopbacks = 2 * max(pod.most_leaves, pod.spines) + 2
    if isinstance(size, Pods):
        tier = _third_tier(size, wish.skus[spine], spine_own, ports.uplink_gbps)
        loopbacks = max(2 * leaves, 4 * size.pods * pod.spines, 4 * size.super_spines) + 4
    loopbacks *= need.planes
    values = {
        "summary": summary,
        "room_for": f"{need.room_for:,}",
        **_append(size.units(need.room_for)),
        "name": _quoted(name),
        "design": wish.design,
        "rails": wish.rails,
        "nic_ports": "".join(_nic_ports(need)),
        "units": _units(need, pod, size.units_per_pod if isinstance(size, Pods) else 0),
        "spines": pod.spines,
        "links_per_leaf": pod.links_per_leaf,
        "leaf": wish.leaf,
        "spine": spine,
        "host_ports": pod.host_ports,
        "leaf_own": _split(wish.skus[wish.leaf], wish.split) + in_braces(needs.leaf),
        "spine_own": spine_own,
        "nic_gbps": ports.nic_gbps,
        "uplink_gbps": ports.uplink_gbps,
        "reasons": comments(needs, needs.leaf, needs.spine)
        + release_hints(wish.skus[wish.leaf], wish.skus[spine]),
        "lossless": lossless_section(needs),
        **_nics(wish),
        **_tenants(wish, loopbacks),
        "loopbacks": _pool(_LOOPBACKS, loopbacks, "--room-for"),
        "uplinks": _pool(_UPLINKS, 2 * leaves * per_leaf * need.planes, "--room-for"),
        "uplinks_per_leaf": per_leaf,
        "max_paths": _max_paths(size),
        "hosts": _pool(_HOSTS, _nic_addresses(wish, size, pod), "--room-for"),
        "nic_subnets": "vlan_per: none # a subnet of two addresses for each NIC port"
        if wish.is_routed
        else f"host_prefix_length: {_ADDRESS_BITS - bits}",
        **tier,
    }
    template = Path(__file__).with_name("sized.yaml").read_text(encoding="utf-8")
    return Template(template).substitute(values)


def _append(units: int) -> dict[str, str]:
    """Return what the file says of growth: one unit takes hosts alone."""
    if units == 1:
        return {"append": "append hosts at the end of the range of su1", "leaves_to_come": ""}
    return {
        "append": "append units, and hosts at the end of a range",
        "leaves_to_come": ", and each spine has ports for the leaves to come",
    }


def subnet_bits(size: Size) -> int:
    """Return the bits of a NIC subnet: one for each leaf and rail, with room for all its ports."""
    hosts = size.host_ports // size.need.ports_per_host
    return (hosts + NOT_FOR_NICS - 1).bit_length()


def _pool(part: tuple[str, int], count: int, option: str) -> str:
    """Return the smallest network from the start of a part of 10.0.0.0/8 with some addresses."""
    first, shortest = part
    length = _ADDRESS_BITS - (count - 1).bit_length()
    if length < shortest:
        raise refusal(
            option,
            f"{counted(count, 'address does', 'addresses do')} not fit into {first}/{shortest}",
            "lower it",
        )
    return f"{first}/{length}"


def _nic_ports(need: Need) -> Iterator[str]:
    """Yield the fields of NICs with two ports, and of planes."""
    if need.nic_ports > 1:
        yield f"\nnic_ports: {need.nic_ports} # by rail, then port, each with another leaf"
    if need.planes > 1:
        yield f"\nplanes: {need.planes} # port 0 of each NIC is in plane a, port 1 in plane b"


def _nic_addresses(wish: Wish, size: Size | Pods, pod: Size) -> int:
    """Return how many addresses the pool of NICs has."""
    need = size.need
    leaves = size.units(need.room_for) * need.leaves_per_rail
    if wish.is_routed:
        return routed_addresses(need, leaves, pod.host_ports // need.ports_per_host)
    return leaves * need.rails * need.planes << subnet_bits(pod)


def _tenants(wish: Wish, loopbacks: int) -> dict[str, str]:
    """Return what the file says of tenants."""
    models = wish.skus[wish.leaf], wish.skus[wish.spine or wish.leaf]
    is_own = platforms[models[0].nos].own_vtep and form_of(*models) != LOCAL
    vteps = _pool(_VTEPS, loopbacks, "--room-for") if is_own else ""
    width = len(str(wish.room_for or wish.hosts))
    return {"tenants": tenants_section(wish.tenants, wish.hosts, width, form_of(*models), vteps)}


def _max_paths(size: Size | Pods) -> str:
    """Return how many equal paths a switch has to its spines, where that is not the default."""
    most = max(size.pod.uplinks, size.core_links) if isinstance(size, Pods) else size.uplinks
    return f", max_paths: {most}" if most > Bgp().max_paths else ""


def _quoted(name: str) -> str:
    """Return a name in quotes where YAML may read a number or a boolean."""
    is_plain = re.match(r"[A-Za-z]..", name) and yaml.safe_dump(name).startswith(name)
    return name if is_plain else f'"{name}"'


def _third_tier(size: Pods, spine: Sku, own: str, speed_gbps: int) -> dict[str, str]:
    """Return what the file has besides where there are super-spines."""
    links, spines = size.links_per_spine, size.pod.spines
    per_spine = _power_of_two(size.core_links)
    addresses = 2 * size.pods * spines * per_spine * size.need.planes
    pool = _pool(_CORES, addresses, "--room-for")
    return {
        "growth": f".\n# A pod has {counted(size.units_per_pod, 'unit')}; each super-spine has "
        "ports for the pods to come",
        "super_spines": f"\nsuper_spines: {{count: {size.super_spines}, groups: {spines}, "
        f"links_per_spine: {links}, spines_per_pod: {spines}}}",
        "down_ports": f", down_ports: {size.down_ports}",
        "super_spine": f"\n  super_spine: {{sku: {spine.name}{own}}}",
        "core_speed": f", core_gbps: {speed_gbps}",
        "core_cables": f", core_m: {min(_CORE_M, longest_cable_m(spine))}",
        "core_links": f"\n  core_links: {pool}\n  core_links_per_spine: {per_spine}",
        "as_numbers": "super_spine_asn: 4200000000, pod_asn_first: 4200000001, "
        "leaf_asn_first: 4200001001",
    }


def _nics(wish: Wish) -> dict[str, str]:
    """Return what the file says of the NICs; first a management NIC of the same driver: mlx5."""
    vendor, device = NICS[wish.nic]
    first = 1 if vendor == "nvidia" else 0
    ports = wish.rails * wish.ports_per_nic
    last = first + ports - 1
    lines = [f"interfaces: eth[1-{ports}]"]
    lines += [f"rdma_devices: {device.format(f'[{first}-{last}]')}"]
    lines.append("management_interface: eth0")
    if first:
        lines.append(f"management_rdma_device: {device.format(0)}")
    lines.append(f"nic: {{vendor: {vendor}, driver: {wish.nic}}}")
    return {"nics": "\n  ".join(lines)}


def needs_of_wish(wish: Wish) -> Needs:
    """Return what the models of a wish need besides."""
    return needs_of(wish.skus[wish.leaf], wish.skus[wish.spine or wish.leaf])


def ports_with_hosts(leaf: Sku, need: Need, pod: Size) -> Iterator[tuple[str, list[str]]]:
    """Yield leaves, as a range, and their ports that have hosts: full units, then the last one."""
    units = pod.units(need.hosts)
    rest = need.hosts - (units - 1) * pod.hosts_per_unit
    full = units if rest == pod.hosts_per_unit else units - 1
    word = f"rail{_range(0, need.rails - 1)}" if need.rail_leaves else "leaf"
    ends = [f"{word}-{letter}" for letter in PORT_LETTERS] if need.nic_ports > 1 else [word]
    for first, last, hosts in ((1, full, pod.hosts_per_unit), (full + 1, units, rest)):
        if first <= last:
            numbers = range(1, hosts * need.ports_per_host + 1)
            names = ",".join(f"su{_range(first, last)}-{end}" for end in ends)
            yield names, [leaf.port(number) for number in numbers]


def _range(first: int, last: int) -> str:
    return f"[{first}-{last}]" if first < last else str(first)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _split(model: Sku, split: str) -> str:
    return f', breakouts: [{{cages: "1-{model.port_count}", mode: {split}}}]' if split else ""


def _units(need: Need, pod: Size, units_per_pod: int) -> str:
    width, lines = len(str(need.room_for)), []
    for number in range(pod.units(need.hosts)):
        first = number * pod.hosts_per_unit + 1
        last = min(need.hosts, first + pod.hosts_per_unit - 1)
        where = f"pod: pod{number // units_per_pod + 1}, " if units_per_pod else ""
        hosts = host_range(first, last, width)
        lines.append(f'  - {{name: su{number + 1}, {where}hosts: "{hosts}"}}')
    return "\n".join(lines)
