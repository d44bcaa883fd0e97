"""What must hold: fields of ``fabric.yaml``, and names and ports after all overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.platforms.model import role_field
from fabric.topology.explicit_layout import explicit_misfits
from fabric.topology.hardware import role_model
from fabric.topology.peering import UNNUMBERED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Role
    from fabric.topology.model import Fabric, Hosts, Ints


def double_names(intent: Intent, switches: Sequence[str], hosts: Hosts) -> list[Finding]:
    """Return a finding for each unit, switch or host whose name is taken (TOP002).

    Units of the same name have leaves of the same names, which are not listed too.
    """
    units = [unit.name for unit in intent.fabric.units]
    doubled = [
        _double(intent, "units", (name,), (index, "name"))
        for index, name in enumerate(units)
        if name in units[:index]
    ]
    if doubled:
        return doubled
    seen: set[str] = set()
    places: dict[tuple[str | int, ...], list[str]] = {}
    unit = hosts.unit.tolist()
    for row, name in enumerate((*switches, *hosts.names)):
        if name in seen:
            of_host = row - len(switches)
            places.setdefault((unit[of_host], "hosts") if of_host >= 0 else (), []).append(name)
        seen.add(name)
    return [_double(intent, "devices", names, place) for place, names in places.items()]


def _double(
    intent: Intent, what: str, names: Sequence[str], place: tuple[str | int, ...]
) -> Finding:
    many = len(names) > 1
    shown = hostlist.fold_inside(sorted(names)) if many else f"{names[0]!r}"
    field = f"fabric.units[{place[0]}].{place[1]}" if place else "fabric.units"
    thing = {"units": "each unit", "devices": "each switch and host"}[what]
    return Finding(
        "TOP002",
        Severity.ERROR,
        f"two {what} have each of these names: {shown}"
        if many
        else f"two {what} are named {shown}",
        f"use a different name for {thing}",
        field,
        intent.position("units", *place),
        "" if many or what == "units" else names[0],
    )


def missing_ports(fabric: Fabric) -> list[Finding]:
    """Return a finding for each switch whose model has too few ports for its cables (TOP006)."""
    switch, port = _ends(fabric)
    highest = np.zeros(len(fabric.switches), dtype=np.int64)
    np.maximum.at(highest, switch, port)
    return [
        Finding(
            "TOP006",
            Severity.ERROR,
            f"the design places a cable on port {number}, but {model.name} has "
            f"{counted(model.port_count, 'port')}",
            "use a model with more ports, or move the cables of this switch",
            device=name,
        )
        for name, model, number in zip(
            fabric.switches.names, fabric.switches.skus, highest.tolist(), strict=True
        )
        if number > model.port_count
    ]


def double_ports(fabric: Fabric) -> list[Finding]:
    """Return a finding for each port on which two cables end (TOP003)."""
    switch, port = _ends(fabric)
    width = int(port.max(initial=0)) + 1
    counts = np.bincount(switch * width + port)
    shared = np.flatnonzero(counts > 1)
    return [
        Finding(
            "TOP003",
            Severity.ERROR,
            f"{counted(count, 'cable ends', 'cables end')} here: "
            f"{', '.join(_far_ends(fabric, row, number))}",
            "correct the override that moved a cable onto this port",
            device=fabric.switches.names[row],
            port=fabric.switches.skus[row].port(number),
        )
        for row, number, count in np.stack([*np.divmod(shared, width), counts[shared]]).T.tolist()
    ]


def _ends(fabric: Fabric) -> tuple[Ints, Ints]:
    """Return switch row and port number of every end of an enabled cable."""
    nics, uplinks = fabric.nics, fabric.uplinks
    on, up = nics.enabled, uplinks.enabled
    return (
        np.concatenate([nics.leaf[on], uplinks.lower[up], uplinks.upper[up]]),
        np.concatenate([nics.port[on], uplinks.lower_port[up], uplinks.upper_port[up]]),
    )


def _far_ends(fabric: Fabric, row: int, number: int) -> Iterator[str]:
    nics, up, names = fabric.nics, fabric.uplinks, fabric.switches.names
    for nic in np.flatnonzero((nics.leaf == row) & (nics.port == number) & nics.enabled).tolist():
        yield f"{fabric.hosts.names[int(nics.host[nic])]} rail {int(nics.rail[nic])}"
    for far, mine in (
        (up.upper, (up.lower == row) & (up.lower_port == number)),
        (up.lower, (up.upper == row) & (up.upper_port == number)),
    ):
        yield from (names[other] for other in far[mine & up.enabled].tolist())


def misfits(intent: Intent) -> Iterator[Finding]:
    """Yield what is missing in a design, and what has no place in it (TOP021)."""
    file = intent.fabric
    only = file.design == "rail-only"
    if file.design == "explicit":
        yield from explicit_misfits(intent)
        yield from _planes(intent)
        return
    if file.switches:
        message = f"the switches of a {file.design} fabric are derived from its units"
        yield _finding(intent, ("switches",), message, "remove them, or set design: explicit")
    if only:
        yield from _unwanted(intent, "spines", "a rail-only fabric cannot have spines")
        yield from _unwanted(intent, "super_spines", "a rail-only fabric cannot have super-spines")
    else:
        need = f"a {file.design} fabric needs spines"
        yield from _missing(intent, "spines", need, "set count and links_per_leaf")
        yield from _missing(intent, "platforms.spine", need, "set their switch model")
        yield from _missing(intent, "speeds.uplink_gbps", need, "set the speed of the uplinks")
        if file.bgp.peering != UNNUMBERED:
            yield from _missing(
                intent, "addressing.uplinks", need, "set an address pool for their links"
            )
    if file.super_spines and not only:
        need = "the fabric has super-spines"
        yield from _missing(intent, "platforms.super_spine", need, "set their switch model")
        if file.bgp.peering != UNNUMBERED:
            yield from _missing(
                intent, "addressing.core_links", need, "set an address pool for their links"
            )
    yield from _planes(intent)
    yield from _pods(intent)


def unknown_reserved(intent: Intent, role: Role) -> Iterator[Finding]:
    """Yield each reserved port that the model of a role lacks (TOP005)."""
    platform = intent.fabric.platforms.of(role)
    if platform is None or not platform.reserved_ports:
        return
    model = role_model(intent, role)
    known = model.port_numbers()
    for index, text in enumerate(platform.reserved_ports):
        for name in hostlist.expand(text):
            if name not in known:
                path = ("platforms", role_field(role), "reserved_ports", index)
                yield intent.finding(
                    "TOP005",
                    f"{model.name} has no port {name!r}",
                    f"its ports are {model.port(1)} to {model.port(model.port_count)}",
                    *path,
                )


def _planes(intent: Intent) -> Iterator[Finding]:
    file = intent.fabric
    if file.planes > file.nic_ports:
        message = f"planes is {file.planes}, but each NIC uses {file.nic_ports} port"
        fix = (
            "set nic_ports: 2, one port for each plane, and in host.interfaces and "
            "host.rdma_devices a name for each port, by rail, then port"
        )
        yield _finding(intent, ("planes",), message, fix)
    elif file.planes > 1 and file.design == "rail-only":
        yield _finding(intent, ("planes",), "a rail-only fabric cannot have planes", "remove it")
    if file.spine_names and (file.planes > 1 or any(unit.pod for unit in file.units)):
        message = "spine names are derived from pods and planes"
        yield _finding(intent, ("spine_names",), message, "remove it")


def _pods(intent: Intent) -> Iterator[Finding]:
    file = intent.fabric
    without = [index for index, unit in enumerate(file.units) if not unit.pod]
    if len(without) == len(file.units):
        if file.super_spines:
            message = "super-spines connect pods, but no unit is in a pod"
            yield _finding(intent, ("super_spines",), message, "set pod on every unit")
        return
    for index in without:
        message = f"unit {file.units[index].name} has no pod, but other units do"
        yield _finding(intent, ("units", index), message, "set pod on every unit, or at none")
    if not file.super_spines:
        path = ("units", next(i for i, unit in enumerate(file.units) if unit.pod), "pod")
        fix = "set super_spines, or remove pod"
        yield _finding(intent, path, "pods need super-spines to reach each other", fix)


def _unwanted(intent: Intent, field: str, why: str) -> Iterator[Finding]:
    if getattr(intent.fabric, field) is not None:
        yield _finding(intent, (field,), why, "remove it, or choose another design")


def _missing(intent: Intent, path: str, why: str, fix: str) -> Iterator[Finding]:
    value: object = intent.fabric
    for part in path.split("."):
        value = getattr(value, part)
    if value is None:
        yield _finding(intent, tuple(path.split(".")), f"{why}, this field is missing", fix)


def _finding(intent: Intent, path: tuple[str | int, ...], message: str, fix: str) -> Finding:
    return intent.finding("TOP021", message, fix, *path)
