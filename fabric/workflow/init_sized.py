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

if TYPE_CHECKING:
    from fabric.platforms.model import Sku

#: Host addresses before the first NIC: network, gateway; and the broadcast address.
_NOT_FOR_NICS = 3
#: Pools of RFC 1918: each part of 10.0.0.0/8 that the file takes, and its longest size.
_HOSTS, _UPLINKS, _LOOPBACKS = ("10.0.0.0", 9), ("10.128.0.0", 10), ("10.255.0.0", 16)
_ADDRESS_BITS = 32


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
        When a model or its breakout does not exist, or two tiers of them are too small.
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
    size = sized(need)
    if size is None:
        message = (
            f"two tiers of {wish.leaf} and {spine} have no place for {room:,} hosts with "
            f"{wish.rails} NICs each: {leaf_ports} ports a leaf, {spine_ports} a spine"
        )
        raise _refusal("--room-for", message, "split the cages, or choose larger models")
    lines = _lines(size)
    return Sized(_text(wish, size, name, max(speeds), lines[0]), lines)


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


def _lines(size: Size) -> tuple[str, ...]:
    need = size.need
    hosts, room = need.hosts, need.room_for
    spare = 2 ** _subnet_bits(size) - _NOT_FOR_NICS - size.hosts_per_unit
    now = (
        f"{hosts:,} hosts x {need.rails} NICs: {size.units(hosts)} units of up to "
        f"{size.hosts_per_unit} hosts, {size.leaves(hosts):,} leaves, {size.spines} spines."
    )
    cables = (
        f"cables from each leaf to each spine: {size.links_per_leaf}; uplinks: "
        f"{size.leaves(hosts) * size.uplinks:,}; oversubscription {size.over_subscription:.3g}:1 "
        "where a unit is full."
    )
    later = f"{room:,} hosts need {size.leaves(room):,} leaves and the same spines; no cable moves."
    ports = (
        f"ports left over: {size.spare_leaf_ports} on each leaf, {size.spare_spine_ports(hosts)} "
        f"on each spine now, {size.spare_spine_ports(room)} with {room:,} hosts; addresses left "
        f"over in each NIC subnet: {spare}."
    )
    return now, cables, later, ports


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


def _text(wish: Wish, size: Size, name: str, speed_gbps: int, summary: str) -> str:
    need, bits = size.need, _subnet_bits(size)
    leaves = size.leaves(need.room_for)
    per_leaf = 1 << (size.uplinks - 1).bit_length()
    subnets = size.units(need.room_for) * need.rails
    spine = wish.spine or wish.leaf
    values = {
        "summary": summary,
        "room_for": f"{need.room_for:,}",
        "name": name,
        "design": wish.design,
        "rails": wish.rails,
        "units": _units(size),
        "spines": size.spines,
        "links_per_leaf": size.links_per_leaf,
        "leaf": wish.leaf,
        "spine": spine,
        "host_ports": size.host_ports,
        "leaf_split": _split(wish.leaf, wish.split),
        "spine_split": _split(spine, wish.split),
        "speed_gbps": speed_gbps,
        "loopbacks": _pool(_LOOPBACKS, 2 * max(leaves, size.spines) + 2, "--room-for"),
        "uplinks": _pool(_UPLINKS, 2 * leaves * per_leaf, "--room-for"),
        "uplinks_per_leaf": per_leaf,
        "hosts": _pool(_HOSTS, subnets << bits, "--room-for"),
        "host_prefix_length": _ADDRESS_BITS - bits,
    }
    template = Path(__file__).with_name("sized.yaml").read_text(encoding="utf-8")
    return Template(template).substitute(values)


def _split(name: str, split: str) -> str:
    cages = Skus()[name].port_count
    return f', breakouts: [{{cages: "1-{cages}", mode: {split}}}]' if split else ""


def _units(size: Size) -> str:
    need, width = size.need, len(str(size.need.room_for))
    lines = []
    for number in range(size.units(need.hosts)):
        first = number * size.hosts_per_unit + 1
        last = min(need.hosts, first + size.hosts_per_unit - 1)
        lines.append(
            f'  - {{name: su{number + 1}, hosts: "gpu[{first:0{width}}-{last:0{width}}]"}}'
        )
    return "\n".join(lines)
