"""init --design: an inventory of the size that a number of hosts needs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.design.limits import longest_cable_m
from fabric.intent.model import Bgp
from fabric.intent.tenancy_model import LOCAL
from fabric.platforms import platforms
from fabric.platforms.breakout import parse_mode
from fabric.platforms.catalogue import Skus
from fabric.topology.layout import PORT_LETTERS
from fabric.topology.sizing import Need, Size, sized
from fabric.topology.sizing_pods import Pods, sized_pods
from fabric.workflow.check import check
from fabric.workflow.init_lines import lines_of, speed_line, system_line
from fabric.workflow.init_models import small_inventory
from fabric.workflow.init_needs import (
    Needs,
    comments,
    host_port_file,
    in_braces,
    lossless_section,
    needs_of,
    release_hints,
)
from fabric.workflow.init_ports import Ports, model_of, ports_of, refusal, unused_lines
from fabric.workflow.init_tenants import (
    form_of,
    host_range,
    routed_addresses,
    tenants_line,
    tenants_section,
)
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.platforms.model import Sku

#: Hosts of the fabric that tries the models.
_FEW_HOSTS = 16
#: Host addresses before the first NIC: network, gateway; and the broadcast address.
_NOT_FOR_NICS = 3
#: Pools of RFC 1918: each part of 10.0.0.0/8 that the file takes, and its longest size.
_HOSTS, _UPLINKS = ("10.0.0.0", 9), ("10.128.0.0", 10)
_CORES, _LOOPBACKS = ("10.192.0.0", 11), ("10.255.0.0", 16)
#: Of tunnel end points, where these are not the loopbacks.
_VTEPS = ("10.254.0.0", 16)
_ADDRESS_BITS = 32
#: Cables to super-spines, in metres: from hall to hall. Ours.
_CORE_M = 300
#: Maker of the NICs of a driver, and RDMA device of a number.
NICS = {
    "mlx5-ofed": ("nvidia", "mlx5_{}"),
    "mlx5": ("nvidia", "mlx5_{}"),
    "bnxt": ("broadcom", "bnxt_re{}"),
    "ionic": ("amd", "ionic_{}"),
}
#: What the file has where there are no super-spines.
_TWO_TIERS = dict.fromkeys(
    ("growth", "super_spines", "down_ports", "super_spine", "core_speed", "core_cables"), ""
) | {"core_links": "", "as_numbers": "spine_asn: 4200000000, leaf_asn_first: 4200000001"}


@dataclass(frozen=True)
class Wish:
    """What the user asks for; an empty spine model is that of the leaves.

    Parameters
    ----------
    room_for : int
        Hosts that the fabric can grow to; 0: as many as now.
    split : str
        Breakout of all cages, such as ``2x400G``; empty: whole ports.
    spines : int
        Number of spines; 0: the fewest without oversubscription.
    nic_gbps : int
        Speed of the NICs; 0: the highest of the leaf, at most ``USUAL_NIC_GBPS``.
    nic : str
        Driver of the NICs: a key of :data:`NICS`.
    skus : Skus
        The switch models that can be named: the catalogue, and those of the folder.
    spine_split : str
        Breakout of the cages of spines; empty: ``split``.
    nic_ports, planes : int
        Ports of each NIC, and planes of spines: each plane has a port of every NIC.
    tenants : int
        Tenants that share the hosts; 0: no tenancy.
    vlan_per : str
        ``rail``, or ``none``: routed NIC ports.
    """

    design: str = "rail-optimised"
    hosts: int = 16
    rails: int = 8
    leaf: str = "ACS-SN5600"
    spine: str = ""
    split: str = ""
    spines: int = 0
    room_for: int = 0
    nic_gbps: int = 0
    nic: str = "mlx5-ofed"
    skus: Skus = field(default_factory=Skus)
    spine_split: str = ""
    nic_ports: int = 1
    planes: int = 1
    tenants: int = 0
    vlan_per: str = "rail"

    @property
    def is_routed(self) -> bool:
        """Whether each NIC port is routed, without a VLAN; those of tenants are."""
        return bool(self.tenants) or self.vlan_per == "none"

    @property
    def ports_per_nic(self) -> int:
        """Ports of each NIC: one for each plane at least."""
        return max(self.nic_ports, self.planes)


@dataclass(frozen=True)
class Sized:
    """An inventory, and the lines that say what it needs and what is left over.

    Parameters
    ----------
    text : str
        Content of ``fabric.yaml``.
    switches : int
        Switches that it has now.
    overrides : str
        Content of ``devices/leaves.yaml``; empty where there is nothing for it.
    """

    text: str
    lines: tuple[str, ...]
    switches: int
    overrides: str = ""


def sized_inventory(wish: Wish, name: str) -> Sized:
    """Return the inventory of a wish.

    Raises
    ------
    InputError
        When a model or its breakout does not exist, or three tiers of them are too small.
    """
    room = wish.room_for or wish.hosts
    if room < wish.hosts:
        raise refusal("--room-for", f"{room:,} is less than --hosts {wish.hosts:,}", "raise it")
    if wish.tenants > wish.hosts:
        message = f"{wish.tenants:,} is more than --hosts {wish.hosts:,}: a tenant has a host"
        raise refusal("--tenants", message, "lower it")
    leaf = model_of(wish.leaf, wish.split, wish.skus)
    spine = _spine(wish, name)
    ports = ports_of(leaf, spine, wish.nic_gbps, wish.ports_per_nic)
    need = Need(
        wish.hosts,
        room,
        wish.rails,
        wish.design == "rail-optimised",
        ports.leaf_ports,
        ports.spine_ports,
        wish.spines or None,
        ports.most_nics,
        ports.most_uplinks,
        ports.nic_gbps,
        ports.uplink_gbps,
        wish.ports_per_nic,
        wish.planes,
    )
    size = _best(need)
    if size is None:
        raise _too_small(wish, ports, name)
    pod = size.pod if isinstance(size, Pods) else size
    spare = 2 ** _subnet_bits(pod) - _NOT_FOR_NICS - pod.hosts_per_unit
    speeds = speed_line(ports.nic_gbps, ports.uplink_gbps, ports.port_gbps, need.nic_ports)
    own = lines_of(size, None if wish.is_routed else spare)
    lines = (*own, speeds, *tenants_line(wish.tenants, leaf, spine))
    lines += _with_split(wish, name, ports, size)
    lines += (*unused_lines(leaf, spine, ports), system_line(leaf, spine), *_left(wish))
    overrides = host_port_file(_host_ports(leaf, need, pod), _needs(wish).host_ports)
    return Sized(_text(wish, size, name, ports, lines[0]), lines, _switches(size), overrides)


def _spine(wish: Wish, name: str) -> Sku:
    """Return the model of the spines; where it alone rejects ``--split``, the error has the way."""
    spine = wish.spine or wish.leaf
    if wish.spine_split:
        return model_of(spine, wish.spine_split, wish.skus, "--spine-split", role="spine")
    try:
        return model_of(spine, wish.split, wish.skus, role="spine")
    except InputError as error:
        if spine not in wish.skus:
            raise
        whole = f"1x{parse_mode(wish.split).speeds_gbps[0]}G"
        if not _can_be(replace(wish, spine_split=whole), name):
            raise
        fix = f"the leaf takes it: add --spine-split {whole}, which leaves spines whole"
        raise refusal("--split", error.findings[0].message, fix) from error


def _can_be(wish: Wish, name: str) -> bool:
    try:
        sized_inventory(wish, name)
    except InputError:
        return False
    return True


def _too_small(wish: Wish, ports: Ports, name: str) -> InputError:
    models = " and ".join(dict.fromkeys((wish.leaf, wish.spine or wish.leaf)))
    message = (
        f"three tiers of {models} have no place for {counted(wish.room_for or wish.hosts, 'host')} "
        f"with {counted(wish.rails, 'NIC')} each: {counted(ports.leaf_ports, 'port')} a leaf, "
        f"{ports.spine_ports} a spine"
    )
    split = _with_split(wish, name, ports)
    fix = f"use {' '.join(split[0].split()[1:3]).rstrip(':')}" if split else "use --split"
    option = "--room-for" if wish.room_for else "--hosts"
    return refusal(option, message, f"{fix}, or choose larger models")


def _with_split(
    wish: Wish, name: str, ports: Ports, size: Size | Pods | None = None
) -> tuple[str, ...]:
    """Return the line of the size if cages had a port for each part of their speed that is used.

    There is none where the fabric would not have fewer switches.
    """
    splits = (
        ("split", ports.port_gbps, ports.nic_gbps),
        ("spine_split", ports.spine_gbps, ports.uplink_gbps),
    )
    for option, whole, part in splits if not (wish.split or wish.spine_split) else ():
        mode = f"{whole // part}x{part}G"
        change: dict[str, Any] = {option: mode, "nic_gbps": ports.nic_gbps}
        try:
            other = sized_inventory(replace(wish, **change), name) if whole > part else None
        except InputError:  # the model has no such split, or the fabric no such size
            continue
        if other and (size is None or other.switches < _switches(size)):
            return (f"With --{option.replace('_', '-')} {mode}: {other.lines[0]}",)
    return ()


def _switches(size: Size | Pods) -> int:
    """Return the switches of a plane of a fabric."""
    leaves = size.leaves(size.need.hosts)
    if isinstance(size, Pods):
        return leaves + size.pods_of(size.need.hosts) * size.pod.spines + size.super_spines
    return leaves + size.spines


def _left(wish: Wish) -> tuple[str, ...]:
    """Return the line of what the user has to add: what only the hosts know."""
    if wish.nic != "ionic":
        return ()
    return (
        "To do: the UUID of each NIC port, as `nicctl show port` has it: hosts.nics.port_uuid.",
    )


def refuse_models(wish: Wish, folder: Path | None = None) -> None:
    """Check a small fabric of the models of a wish.

    Parameters
    ----------
    folder : Path, optional
        Folder that has the own models.

    Raises
    ------
    InputError
        When it has errors: the findings.
    """
    hosts = min(wish.hosts, _FEW_HOSTS)
    small = replace(wish, hosts=hosts, tenants=min(wish.tenants, hosts), nic=Wish.nic)
    small = replace(small, room_for=0, spines=0)
    few = sized_inventory(small, "small")
    with small_inventory(folder, few.text, few.overrides) as inventory:
        try:
            errors = check(Project(inventory)).at_least(Severity.ERROR)
        except InputError as error:
            errors = error.findings
    if errors:
        findings = [replace(one, position=None, field=_option(one.field)) for one in errors]
        raise InputError("nothing was written", [*dict.fromkeys(findings)])


def _option(field: str) -> str:
    """Return the option that a field of the small fabric follows from."""
    names = (
        ("tenants", "tenan"),
        ("vlan-per", "vlan_per"),
        ("split", "leaf.breakouts"),
        ("spine-split", "breakouts"),
        ("leaf", "leaf"),
        ("spine", "spine"),
    )
    return next((f"--{option}" for option, word in names if word in field), "--leaf/--spine")


def _best(need: Need) -> Size | Pods | None:
    """Return two tiers where they have place: with a free number of spines, for 1:1."""
    two = sized(need)
    if two and (need.spines or two.over_subscription <= 1):
        return two
    sizes = [size for size in (two, sized_pods(need)) if size]
    return min(sizes, key=lambda size: size.rank, default=None)


def _subnet_bits(size: Size) -> int:
    """Return the bits of a NIC subnet: one for each leaf and rail, with room for all its ports."""
    hosts = size.host_ports // size.need.ports_per_host
    return (hosts + _NOT_FOR_NICS - 1).bit_length()


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


def _text(wish: Wish, size: Size | Pods, name: str, ports: Ports, summary: str) -> str:
    need, pod = size.need, size.pod if isinstance(size, Pods) else size
    bits, leaves, spine = _subnet_bits(pod), size.leaves(need.room_for), wish.spine or wish.leaf
    per_leaf = _power_of_two(pod.uplinks)
    needs = _needs(wish)
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
    return leaves * need.rails * need.planes << _subnet_bits(pod)


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


def _needs(wish: Wish) -> Needs:
    return needs_of(wish.skus[wish.leaf], wish.skus[wish.spine or wish.leaf])


def _host_ports(leaf: Sku, need: Need, pod: Size) -> Iterator[tuple[str, list[str]]]:
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
