"""init --design: an inventory of the size that a number of hosts needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.model import CageSplit
from fabric.platforms.breakout import fits, offered_mode, parse_mode
from fabric.platforms.catalogue import Skus
from fabric.topology.hardware import split_model
from fabric.topology.sizing import Need, Size, sized
from fabric.topology.sizing_pods import Pods, sized_pods
from fabric.workflow.init_lines import lines_of

if TYPE_CHECKING:
    from fabric.platforms.model import Sku

#: Host addresses before the first NIC: network, gateway; and the broadcast address.
_NOT_FOR_NICS = 3
#: Pools of RFC 1918: each part of 10.0.0.0/8 that the file takes, and its longest size.
_HOSTS, _UPLINKS = ("10.0.0.0", 9), ("10.128.0.0", 10)
_CORES, _LOOPBACKS = ("10.192.0.0", 11), ("10.255.0.0", 16)
_ADDRESS_BITS = 32
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
    """

    design: str = "rail-optimised"
    hosts: int = 16
    rails: int = 8
    leaf: str = "ACS-SN5600"
    spine: str = ""
    split: str = ""
    spines: int = 0
    room_for: int = 0


@dataclass(frozen=True)
class Sized:
    """An inventory, and the lines that say what it needs and what is left over."""

    text: str
    lines: tuple[str, ...]


def sized_inventory(wish: Wish, name: str) -> Sized:
    """Return the inventory of a wish.

    Raises
    ------
    InputError
        When a model or its breakout does not exist, or three tiers of them are too small.
    """
    room = wish.room_for or wish.hosts
    if room < wish.hosts:
        raise _refusal("--room-for", f"{room:,} is less than --hosts {wish.hosts:,}", "raise it")
    spine = wish.spine or wish.leaf
    leaf_ports, leaf_speeds = _ports(wish.leaf, wish.split)
    spine_ports, spine_speeds = _ports(spine, wish.split)
    speeds = leaf_speeds & spine_speeds
    if not speeds:
        raise _refusal("--spine", f"{wish.leaf} and {spine} share no speed", "choose another model")
    rail_leaves = wish.design == "rail-optimised"
    need = Need(
        wish.hosts, room, wish.rails, rail_leaves, leaf_ports, spine_ports, wish.spines or None
    )
    size = _best(need)
    if size is None:
        message = (
            f"three tiers of {wish.leaf} and {spine} have no place for {room:,} hosts with "
            f"{wish.rails} NICs each: {leaf_ports} ports a leaf, {spine_ports} a spine"
        )
        raise _refusal("--room-for", message, "split the cages, or choose larger models")
    pod = size.pod if isinstance(size, Pods) else size
    spare = 2 ** _subnet_bits(pod) - _NOT_FOR_NICS - pod.hosts_per_unit
    lines = lines_of(size, spare)
    return Sized(_text(wish, size, name, max(speeds), lines[0]), lines)


def _best(need: Need) -> Size | Pods | None:
    """Return two tiers where they have place: with a free number of spines, for 1:1."""
    two = sized(need)
    if two and (need.spines or two.over_subscription <= 1):
        return two
    sizes = [size for size in (two, sized_pods(need)) if size]
    return min(sizes, key=lambda size: size.rank, default=None)


def _refusal(option: str, message: str, fix: str) -> InputError:
    finding = Finding("INT020", Severity.ERROR, message, fix, option)
    return InputError("nothing was written", [finding])


def _ports(name: str, split: str) -> tuple[int, set[int]]:
    """Return how many ports a model has, and the speeds that all of them have, in Gb/s."""
    skus = Skus()
    if name not in skus:
        fix = "see `rocefab show platforms`"
        raise _refusal("--leaf/--spine", f"unknown switch model {name!r}", fix)
    model = skus[name]
    if split:
        model = _broken_out(model, split)
    numbers = range(1, model.port_count + 1)
    return model.port_count, set.intersection(*(set(model.speeds_of(one)) for one in numbers))


def _broken_out(model: Sku, split: str) -> Sku:
    """Return a model with all of its cages broken out."""
    kinds = [model.kind(cage) for cage in range(1, model.port_count + 1)]
    try:
        mode = parse_mode(split)
    except ValueError as error:
        raise _refusal("--split", f"{error}", "write parts and speed as 2x400G") from error
    if not all(fits(kind, offered_mode(kind, split) or mode) for kind in kinds) or any(
        kind.breakouts and offered_mode(kind, split) is None for kind in kinds
    ):
        words = dict.fromkeys(word.split("[")[0] for kind in kinds for word in kind.breakouts)
        message = f"not every cage of {model.name} has the breakout {split}"
        raise _refusal("--split", message, f"choose one of: {', '.join(words)}")
    return split_model(model, [CageSplit(cages=f"1-{len(kinds)}", mode=split)])


def _subnet_bits(size: Size) -> int:
    """Return the bits of a NIC subnet: one for each leaf and rail, with room for all its ports."""
    hosts = size.host_ports // size.need.ports_per_host
    return (hosts + _NOT_FOR_NICS - 1).bit_length()


def _pool(part: tuple[str, int], count: int, option: str) -> str:
    """Return the smallest network from the start of a part of 10.0.0.0/8 with some addresses."""
    first, shortest = part
    length = _ADDRESS_BITS - (count - 1).bit_length()
    if length < shortest:
        raise _refusal(
            option, f"{count:,} addresses do not fit into {first}/{shortest}", "lower it"
        )
    return f"{first}/{length}"


def _text(wish: Wish, size: Size | Pods, name: str, speed_gbps: int, summary: str) -> str:
    need, pod = size.need, size.pod if isinstance(size, Pods) else size
    bits, leaves, spine = _subnet_bits(pod), size.leaves(need.room_for), wish.spine or wish.leaf
    per_leaf = _power_of_two(pod.uplinks)
    subnets = size.units(need.room_for) * need.rails
    spine_split = _split(spine, wish.split)
    tier = _TWO_TIERS
    loopbacks = 2 * max(leaves, pod.spines) + 2
    if isinstance(size, Pods):
        tier = _third_tier(size, spine, spine_split, speed_gbps)
        loopbacks = max(2 * leaves, 4 * size.pods * pod.spines, 4 * size.super_spines) + 4
    values = {
        "summary": summary,
        "room_for": f"{need.room_for:,}",
        "name": name,
        "design": wish.design,
        "rails": wish.rails,
        "units": _units(need, pod, size.units_per_pod if isinstance(size, Pods) else 0),
        "spines": pod.spines,
        "links_per_leaf": pod.links_per_leaf,
        "leaf": wish.leaf,
        "spine": spine,
        "host_ports": pod.host_ports,
        "leaf_split": _split(wish.leaf, wish.split),
        "spine_split": spine_split,
        "speed_gbps": speed_gbps,
        "loopbacks": _pool(_LOOPBACKS, loopbacks, "--room-for"),
        "uplinks": _pool(_UPLINKS, 2 * leaves * per_leaf, "--room-for"),
        "uplinks_per_leaf": per_leaf,
        "hosts": _pool(_HOSTS, subnets << bits, "--room-for"),
        "host_prefix_length": _ADDRESS_BITS - bits,
        **tier,
    }
    template = Path(__file__).with_name("sized.yaml").read_text(encoding="utf-8")
    return Template(template).substitute(values)


def _third_tier(size: Pods, spine: str, split: str, speed_gbps: int) -> dict[str, str]:
    """Return what the file has besides where there are super-spines."""
    links, spines = size.links_per_spine, size.pod.spines
    per_spine = _power_of_two(size.core_links)
    pool = _pool(_CORES, 2 * size.pods * spines * per_spine, "--room-for")
    return {
        "growth": f".\n# A pod has {size.units_per_pod} units; each super-spine has ports for the "
        "pods to come",
        "super_spines": f"\nsuper_spines: {{count: {size.super_spines}, groups: {spines}, "
        f"links_per_spine: {links}, spines_per_pod: {spines}}}",
        "down_ports": f", down_ports: {size.down_ports}",
        "super_spine": f"\n  super_spine: {{sku: {spine}{split}}}",
        "core_speed": f", core_gbps: {speed_gbps}",
        "core_cables": ", core_m: 300",
        "core_links": f"\n  core_links: {pool}\n  core_links_per_spine: {per_spine}",
        "as_numbers": "super_spine_asn: 4200000000, pod_asn_first: 4200000001, "
        "leaf_asn_first: 4200001001",
    }


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def _split(name: str, split: str) -> str:
    cages = Skus()[name].port_count
    return f', breakouts: [{{cages: "1-{cages}", mode: {split}}}]' if split else ""


def _units(need: Need, pod: Size, units_per_pod: int) -> str:
    width, lines = len(str(need.room_for)), []
    for number in range(pod.units(need.hosts)):
        first = number * pod.hosts_per_unit + 1
        last = min(need.hosts, first + pod.hosts_per_unit - 1)
        where = f"pod: pod{number // units_per_pod + 1}, " if units_per_pod else ""
        hosts = f"gpu[{first:0{width}}-{last:0{width}}]"
        lines.append(f'  - {{name: su{number + 1}, {where}hosts: "{hosts}"}}')
    return "\n".join(lines)
