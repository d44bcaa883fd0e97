"""init --design: an inventory of the size that a number of hosts needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.platforms.breakout import parse_mode
from fabric.topology.sizing import Need, Size, sized
from fabric.topology.sizing_pods import Pods, sized_pods
from fabric.workflow.check import check
from fabric.workflow.init_lines import lines_of, speed_line, system_line
from fabric.workflow.init_models import small_inventory
from fabric.workflow.init_needs import host_port_file
from fabric.workflow.init_ports import Ports, model_of, ports_of, refusal, unused_lines
from fabric.workflow.init_tenants import tenants_line
from fabric.workflow.init_text import (
    NOT_FOR_NICS,
    inventory_text,
    needs_of_wish,
    ports_with_hosts,
    subnet_bits,
)
from fabric.workflow.init_wish import Wish
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.platforms.model import Sku

#: Hosts of the fabric that tries the models.
_FEW_HOSTS = 16


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
    spare = 2 ** subnet_bits(pod) - NOT_FOR_NICS - pod.hosts_per_unit
    speeds = speed_line(ports.nic_gbps, ports.uplink_gbps, ports.port_gbps, need.nic_ports)
    own = lines_of(size, None if wish.is_routed else spare)
    lines = (*own, speeds, *tenants_line(wish.tenants, leaf, spine))
    lines += _with_split(wish, name, ports, size)
    lines += (*unused_lines(leaf, spine, ports), system_line(leaf, spine), *_left(wish))
    overrides = host_port_file(ports_with_hosts(leaf, need, pod), needs_of_wish(wish).host_ports)
    return Sized(
        inventory_text(wish, size, name, ports, lines[0]), lines, _switches(size), overrides
    )


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
