"""Whether every NIC reaches those that it should, over every path, and no others."""

from __future__ import annotations

from collections import defaultdict
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.prove.batfish import questions
from fabric.prove.batfish.tenant_flows import insides
from fabric.prove.breach import Breach
from fabric.prove.promises import Promises
from fabric.prove.wiring import Wiring

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.snapshot import NicNode, Snapshot, Subject
    from fabric.topology.clos import Outage


class Class(NamedTuple):
    """NICs that reach the same NICs; all by the names of their nodes.

    ``apart`` is empty in a tenant: ``tenant_gate`` asks about others.
    """

    starts: tuple[str, ...]
    ends: tuple[str, ...]
    apart: tuple[str, ...]
    tenant: str = ""


def classes(subject: Subject, snapshot: Snapshot, outage: Outage | None = None) -> list[Class]:
    """Return the classes of NICs that the design promises, as `whatif` has them in an outage."""
    reach = Promises.of(subject.fabric, outage).reach
    nodes = working(subject, snapshot, outage)
    leaf = {
        node: int(subject.fabric.nics.leaf[nic.row])
        for node, nic in nodes.items()
        if not nic.tenant
    }
    groups: dict[bytes, list[str]] = defaultdict(list)
    for node, row in leaf.items():
        groups[reach[row].tobytes()].append(node)
    result = []
    for starts in groups.values():
        row = reach[leaf[starts[0]]]
        ends = tuple(node for node, other in leaf.items() if row[other])
        apart = tuple(node for node, other in leaf.items() if not row[other])
        result.append(Class(tuple(starts), ends, apart))
    inside = insides(subject, snapshot, nodes, reach)
    return [*result, *(Class(part.starts, part.ends, (), part.tenant) for part in inside)]


def working(
    subject: Subject, snapshot: Snapshot, outage: Outage | None = None
) -> dict[str, NicNode]:
    """Return the NICs that are not out of order, by the names of their nodes."""
    alive = set(Wiring.of(subject.fabric, outage).nics.values())
    return {node: nic for node, nic in snapshot.nics.items() if nic.row in alive}


def pairs(parts: list[Class]) -> int:
    """Return how many ordered pairs of NICs some classes promise."""
    return sum(
        len(part.starts) * len(part.ends) - len({*part.starts} & {*part.ends}) for part in parts
    )


def flow_gate(snapshot: Snapshot, parts: list[Class], ask: Ask) -> Iterator[Breach]:
    """Yield the NICs that lose packets, that do not send at all, and that reach too many.

    That nothing is lost proves little where a NIC sends nothing: Batfish takes one behind a port
    that is down for no start. So every NIC must also be seen to arrive somewhere.
    """
    everybody = {node for part in parts for node in part.starts} == set(snapshot.nics)
    for part in parts:
        alone = len(parts) == 1 and everybody
        starts = questions.ALL_NICS if alone else questions.any_of(part.starts)
        ends = addresses_of(snapshot, part.ends)
        lost = asked(starts, ends, questions.LOST, ask)
        arrived = asked(starts, ends, questions.ARRIVED, ask)
        rule = "BAT024" if part.tenant else "BAT005"
        for node, row in lost.items():
            yield breach_of(snapshot, rule, node, f"packets of {{}} {end_of(snapshot, row)}")
        for node in part.starts if ends else ():
            if node not in arrived and node not in lost:
                yield breach_of(snapshot, "BAT014", node, "{} sends nothing: its port is down")
        if part.apart:
            others = addresses_of(snapshot, part.apart)
            for node, row in asked(starts, others, questions.ARRIVED, ask).items():
                words = f"packets of {{}} {end_of(snapshot, row)}"
                yield breach_of(snapshot, "BAT006", node, words)


def asked(
    starts: str, addresses: Sequence[int], actions: str, ask: Ask
) -> dict[str, dict[str, Any]]:
    """Return one example for each NIC that has a flow with such an end."""
    rows: dict[str, dict[str, Any]] = {}
    for part in questions.address_ranges(addresses):
        for row in ask(questions.reachability(starts, part, actions)):
            rows.setdefault(row["Flow"]["ingressNode"], row)
    return rows


def addresses_of(snapshot: Snapshot, nodes: tuple[str, ...]) -> list[int]:
    """Return the addresses of NICs, as numbers."""
    return [int(IPv4Address(snapshot.nics[node].nic.address)) for node in nodes]


def breach_of(snapshot: Snapshot, rule: str, node: str, words: str) -> Breach:
    """Return a breach at the port of a NIC, whose name goes into the words."""
    nic = snapshot.nics.get(node)
    if nic is None:
        return Breach(rule, snapshot.switches.get(node, ""), "", 0, words.format(node))
    return Breach(rule, nic.nic.leaf, nic.nic.leaf_port, 0, words.format(nic.name))


def end_of(snapshot: Snapshot, row: dict[str, Any]) -> str:
    """Return where the packets of an example go, and what happens to them."""
    owners: Mapping[str, NicNode] = {nic.nic.address: nic for nic in snapshot.nics.values()}
    address = row["Flow"]["dstIp"]
    to = owners[address].name if address in owners else address
    traces = row.get("Traces") or [{}]
    hops = traces[0].get("hops") or []
    if not hops:
        return f"to {to} are lost"
    node = hops[-1]["node"]
    name = node["name"] if isinstance(node, dict) else str(node)
    return f"to {to} end at {snapshot.switches.get(name, name)}: {traces[0]['disposition']}"


def path_gate(snapshot: Snapshot, parts: list[Class], ask: Ask) -> Iterator[Breach]:
    """Yield loops, equal paths that end differently, and addresses on two ports."""
    for row in ask(questions.LOOPS):
        node = row["Flow"]["ingressNode"]
        message = f"packets to {row['Flow']['dstIp']} loop"
        yield Breach("BAT007", snapshot.switches.get(node, ""), "", 0, message)
    for part in parts:
        starts = questions.any_of(part.starts)
        for addresses in questions.address_ranges(addresses_of(snapshot, part.ends)):
            for row in ask(questions.multipath(starts, addresses)):
                words = f"equal paths of {{}} to {row['Flow']['dstIp']} end differently"
                rule = "BAT024" if part.tenant else "BAT005"
                yield breach_of(snapshot, rule, row["Flow"]["ingressNode"], words)
    yield from _duplicates(snapshot, ask)


def _vrf(snapshot: Snapshot, row: dict[str, Any]) -> str:
    """Return the VRF of an address, empty for the default one; a NIC is in that of its port."""
    nic = snapshot.nics.get(row["Node"]["name"])
    if nic:
        return nic.vrf
    return "" if row["VRF"] == questions.DEFAULT_VRF else str(row["VRF"])


def _duplicates(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    owners: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    has_tenants = any(nic.tenant for nic in snapshot.nics.values())
    for row in ask(questions.DUPLICATES):
        key = str(row["IP"]), _vrf(snapshot, row) if has_tenants else ""
        owners[key].append((row["Node"]["name"], row["Interface"]))
    for (address, _), ends in owners.items():
        if len(ends) == 1:
            continue  # the other owner is in another VRF
        names = [f"{snapshot.switches.get(node, node)} {port}" for node, port in sorted(ends)]
        message = f"address {address} is on {', '.join(names)}"
        switch = next(
            (snapshot.switches[node] for node, _ in ends if node in snapshot.switches), ""
        )
        nic = next((snapshot.nics[node] for node, _ in ends if node in snapshot.nics), None)
        where = (nic.nic.leaf, nic.nic.leaf_port) if nic and not switch else (switch, "")
        yield Breach("BAT008", *where, 0, message)
