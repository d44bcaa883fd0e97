"""Whether tenants are apart to Batfish: the VRF of every port, and whom their NICs reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.prove.batfish import questions
from fabric.prove.batfish.flow_gate import asked, breach_of
from fabric.prove.batfish.port_gate import GATEWAY, UNIT
from fabric.prove.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.design.model import DeviceDesign
    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.snapshot import Snapshot, Subject
    from fabric.prove.batfish.tenant_flows import Apart

    #: VRF of each node and interface, in lower case.
    Vrfs = dict[tuple[str, str], str]


def vrf_gate(subject: Subject, ask: Ask) -> Iterator[Breach]:
    """Yield the ports and gateways with an address that are in another VRF than planned."""
    vrfs: Vrfs = {
        (row["Interface"]["hostname"], row["Interface"]["interface"].lower()): str(row["VRF"])
        for row in ask(questions.VRFS)
    }
    for name, design in subject.devices.items():
        configured = subject.files.get(name)
        for port, words, has, planned in _places(vrfs, design):
            if has.casefold() != (planned or questions.DEFAULT_VRF).casefold():
                entry = configured.ports.get(port) if configured else None
                message = f"{words} is in VRF {has}, planned is {planned or questions.DEFAULT_VRF}"
                yield Breach("BAT021", name, port, entry.line if entry else 0, message)


def _places(vrfs: Vrfs, design: DeviceDesign) -> Iterator[tuple[str, str, str, str]]:
    """Yield ports and gateways: port, words for it, its VRF, and the planned one.

    One that Batfish does not have is ``port_gate``'s.
    """
    node = design.name.lower()
    for port in design.ports:
        key = port.name.lower()
        has = vrfs.get((node, f"{key}{UNIT}"), vrfs.get((node, key)))
        if has is not None and port.enabled and port.address:
            yield port.name, "the port", has, port.vrf
    gateways = {
        int(match[1]): has
        for (owner, name), has in vrfs.items()
        if owner == node and (match := GATEWAY.fullmatch(name))
    }
    for vlan in design.vlans:
        if vlan.vlan in gateways:
            words = f"the gateway of VLAN {vlan.vlan}"
            yield "", words, gateways[vlan.vlan], vlan.vrf


def isolation_gate(snapshot: Snapshot, parts: Iterable[Apart], ask: Ask) -> Iterator[Breach]:
    """Yield the NICs that reach a NIC of another tenant, a loopback or a tunnel end point.

    Each tenant is asked about all others at once. Of each NIC, Batfish shows one example.
    """
    for part in parts:
        starts = questions.any_of(part.starts)
        for rule, addresses in (("BAT022", part.nics), ("BAT023", part.switches)):
            for node, row in asked(starts, addresses, questions.ARRIVED, ask).items():
                whose = f"of tenant {part.tenant}" if part.tenant else "without a tenant"
                words = f"packets of {{}}, {whose}, arrive at {_owner(snapshot, row)}"
                yield breach_of(snapshot, rule, node, words)


def _owner(snapshot: Snapshot, row: dict[str, Any]) -> str:
    """Return where the packets of an example end, and the tenant of that NIC."""
    address = row["Flow"]["dstIp"]
    hops = [hop for trace in (row.get("Traces") or ())[:1] for hop in trace.get("hops") or ()]
    node = hops[-1]["node"]["name"] if hops else ""
    nic = snapshot.nics.get(node)
    if nic:
        whose = f"of tenant {nic.tenant}" if nic.tenant else "without a tenant"
        return f"{nic.name}, {whose}"
    switch = snapshot.switches.get(node, "")
    return f"{address} of {switch}" if switch else str(address)
