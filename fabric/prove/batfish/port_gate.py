"""Whether cables, ports and gateways are to Batfish what they are in the design."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.prove.batfish import questions
from fabric.prove.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.snapshot import Snapshot, Subject

    Properties = dict[tuple[str, str], dict[str, Any]]

#: Gateways of VLANs as systems call them; Batfish keeps the names.
GATEWAY = re.compile(r"(?:vlan|irb\.)(\d+)")

#: Junos has addresses and VLANs on the units of its ports.
UNIT = ".0"


def port_gate(subject: Subject, snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    """Yield the cables and ports that are not as designed."""
    yield from _cables(snapshot, ask)
    properties = {
        (row["Interface"]["hostname"], row["Interface"]["interface"].lower()): row
        for row in ask(questions.INTERFACES)
    }
    for name, design in subject.devices.items():
        for port in design.ports:
            for rule, message in _port(properties, name.lower(), port):
                yield Breach(rule, name, port.name, _port_line(subject, name, port.name), message)
        form = snapshot.forms.get(name)
        yield from _gateways(properties, design, has_mtu=bool(form and not form.needs_reader))


def _cables(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    """Yield the cables that Batfish has not taken over, or has joined otherwise."""
    edges = {
        (_end(row["Interface"]), _end(row["Remote_Interface"])) for row in ask(questions.CABLES)
    }
    for one, two in sorted(snapshot.edges):
        a, b = ((node, port.lower()) for node, port in (one, two))
        if (a, b) not in edges or (b, a) not in edges:
            switch = snapshot.switches[one[0]]
            message = f"Batfish has no cable to {two[0]} {two[1]}"
            yield Breach("BAT002", switch, one[1], 0, message)


def _end(cell: dict[str, str]) -> tuple[str, str]:
    return cell["hostname"], cell["interface"].lower()


def _port(properties: Properties, node: str, design: PortDesign) -> Iterator[tuple[str, str]]:
    """Yield rule and message of what is wrong with a port."""
    row = properties.get((node, design.name.lower()))
    if row is None:
        if design.enabled:
            yield "BAT002", "Batfish has no such port"
        return
    if not design.enabled:
        if row["Admin_Up"]:
            yield "BAT002", "the port is enabled, planned is shut down"
        return
    if not row["Active"]:
        yield "BAT002", f"the port is down: {row['Inactive_Reason']}"
    unit = properties.get((node, f"{design.name.lower()}{UNIT}"), row)
    if design.vlan is not None and unit["Access_VLAN"] != design.vlan:
        vlan = unit["Access_VLAN"]
        has = f"in VLAN {vlan}" if vlan is not None else "in no VLAN"
        yield "BAT002", f"the port is {has}, planned is VLAN {design.vlan}"
    if design.address and unit["Primary_Address"] != design.address:
        has = unit["Primary_Address"] or "no address"
        yield "BAT002", f"the port has {has}, planned is {design.address}"
    yield from _mtu(unit, design.mtu_bytes)


def _mtu(row: dict[str, Any], planned_bytes: int) -> Iterator[tuple[str, str]]:
    if row["MTU"] is not None and row["MTU"] < planned_bytes:
        yield "BAT009", f"the MTU is {row['MTU']} bytes, planned is {planned_bytes}"


def _gateways(properties: Properties, design: DeviceDesign, *, has_mtu: bool) -> Iterator[Breach]:
    """Yield the gateways that are wrong; of SONiC, Batfish does not read their MTU."""
    node = design.name.lower()
    rows = {
        int(match[1]): row
        for (owner, port), row in properties.items()
        if owner == node and (match := GATEWAY.fullmatch(port))
    }
    for vlan in design.vlans:
        row = rows.get(vlan.vlan)
        if row is None or not row["Primary_Address"]:
            message = f"VLAN {vlan.vlan} has no gateway address"
            yield Breach("BAT002", design.name, "", 0, message)
            continue
        if row["Primary_Address"] != vlan.gateway_interface:
            has, planned = row["Primary_Address"], vlan.gateway_interface
            message = f"the gateway of VLAN {vlan.vlan} is {has}, planned is {planned}"
            yield Breach("BAT002", design.name, "", 0, message)
        if not row["Active"]:
            message = f"the gateway of VLAN {vlan.vlan} is down: {row['Inactive_Reason']}"
            yield Breach("BAT002", design.name, "", 0, message)
        for rule, message in _mtu(row, vlan.mtu_bytes) if has_mtu else ():
            yield Breach(rule, design.name, "", 0, f"VLAN {vlan.vlan}: {message}")


def _port_line(subject: Subject, switch: str, port: str) -> int:
    configured = subject.files.get(switch)
    entry = configured.ports.get(port) if configured else None
    return entry.line if entry else 0
