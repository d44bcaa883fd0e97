"""What must hold of names and ports once every override is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric, Hosts, Ints, Switches


def double_names(intent: Intent, switches: Switches, hosts: Hosts) -> list[Finding]:
    """Return a finding for each unit, switch or host whose name is taken (TOP002)."""
    findings = []
    units: set[str] = set()
    for index, unit in enumerate(intent.fabric.units):
        if unit.name in units:
            findings.append(
                Finding(
                    "TOP002",
                    Severity.ERROR,
                    f"two units are named {unit.name!r}",
                    "use a different name for each unit",
                    f"fabric.units[{index}].name",
                    intent.position("units", index, "name"),
                )
            )
        units.add(unit.name)
    seen: set[str] = set()
    for name in (*switches.names, *hosts.names):
        if name in seen:
            findings.append(
                Finding(
                    "TOP002",
                    Severity.ERROR,
                    f"two devices are named {name!r}",
                    "use a different name for each switch and host",
                    "fabric.units",
                    intent.position("units"),
                    name,
                )
            )
        seen.add(name)
    return findings


def missing_ports(fabric: Fabric) -> list[Finding]:
    """Return a finding for each switch whose model has too few ports for its cables (TOP006)."""
    switch, port = _ends(fabric)
    highest = np.zeros(len(fabric.switches), dtype=np.int64)
    np.maximum.at(highest, switch, port)
    return [
        Finding(
            "TOP006",
            Severity.ERROR,
            f"the design places a cable on port {number}, but {model.name} has {model.port_count} "
            "ports",
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
    pairs, counts = np.unique(np.stack([switch, port]), axis=1, return_counts=True)
    return [
        Finding(
            "TOP003",
            Severity.ERROR,
            f"{count} cables end here: {', '.join(_far_ends(fabric, row, number))}",
            "correct the override that moved a cable onto this port",
            device=fabric.switches.names[row],
            port=fabric.switches.skus[row].port(number),
        )
        for (row, number), count in zip(pairs.T.tolist(), counts.tolist(), strict=True)
        if count > 1
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
