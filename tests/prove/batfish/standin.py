"""A stand-in that answers the questions of a proof from what the files say, without routing.

It takes a NIC to reach the NICs in the VRF that its port has in the file, and nothing else. A flow
may be planted, or the loss of one. It says nothing about Batfish: only what is made of answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Any, Self

from fabric.prove.batfish import questions
from fabric.prove.batfish.route_gate import CONNECTED, next_hops
from fabric.prove.batfish.snapshot import NicNode, Snapshot, Subject, snapshot
from fabric.prove.vrfs import default_vrf
from fabric.prove.wiring import Network

Question = dict[str, Any]
Rows = list[dict[str, Any]]


@dataclass
class StandIn:
    """A service for one fabric.

    ``flows`` are planted: node of a NIC, address, and the node at which packets arrive; ``lost``
    are nodes and addresses whose packets are lost.
    """

    subject: Subject
    flows: tuple[tuple[str, str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    duplicates: Rows = field(default_factory=list)
    session: tuple[str, str] = ("", "")
    version: str = "stand-in"
    asked: list[Question] = field(default_factory=list)
    written: Snapshot = field(init=False)

    def __post_init__(self) -> None:
        self.written = snapshot(self.subject)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def upload(self, name: str, archive: bytes) -> None:
        pass

    def fork(self, name: str, base: str, nodes: object, interfaces: object) -> None:
        pass

    def delete(self, name: str) -> None:
        pass

    def ask(self, question: Question, snapshot: str, reference: str | None = None) -> Rows:
        self.asked.append(question)
        words = re.findall(r"[A-Z][a-z]*", questions.short_name(question).removesuffix("Question"))
        name = "_".join(["", *words]).lower()
        rows: Rows = getattr(self, name, lambda _: [])(question)
        for row in rows:
            assert set(questions.columns_of(question)) <= row.keys(), question
        return rows

    def _file_parse_status(self, _: Question) -> Rows:
        names = {
            path: (
                name.lower(),
                self.written.forms[name].formats[0] if name in self.written.forms else "SONIC",
            )
            for path, name in self.written.origins.items()
        }
        names |= {f"hosts/{node}.json": (node, "HOST") for node in self.written.nics}
        return [
            {
                "File_Name": path,
                "Status": "PASSED",
                "File_Format": form,
                "Nodes": [{"name": node}],
            }
            for path, (node, form) in names.items()
        ]

    def _edges(self, _: Question) -> Rows:
        cells = [
            [{"hostname": node, "interface": port} for node, port in edge]
            for edge in self.written.edges
        ]
        return [
            {"Interface": one, "Remote_Interface": two}
            for a, b in cells
            for one, two in ((a, b), (b, a))
        ]

    def _interface_properties(self, _: Question) -> Rows:
        return [
            {
                "Interface": {"hostname": name.lower(), "interface": port.name},
                "Active": port.enabled,
                "Admin_Up": port.enabled,
                "Inactive_Reason": "",
                "MTU": 9216,
                "Access_VLAN": port.vlan,
                "Primary_Address": next((item.text for item in port.addresses), None),
                "VRF": port.vrf or questions.DEFAULT_VRF,
            }
            for name, configured in self.subject.files.items()
            for port in configured.ports.values()
        ]

    def _sessions(self, column: str, good: str) -> Iterator[dict[str, Any]]:
        for name, design in self.subject.devices.items():
            plain = [(peer.session, "IPV4_UNICAST") for peer in design.bgp.neighbours]
            between = design.loopback_sessions
            for session, family in [*plain, *((peer.session, "EVPN") for peer in between)]:
                families = [] if (name, session) == self.session else [family]
                yield {
                    "Node": {"name": name.lower()},
                    "Local_Interface": None,
                    "Remote_IP": {"value": session},
                    "Address_Families": families,
                    column: good,
                }

    def _bgp_session_compatibility(self, _: Question) -> Rows:
        return list(self._sessions("Configured_Status", "UNIQUE_MATCH"))

    def _bgp_session_status(self, _: Question) -> Rows:
        return list(self._sessions("Established_Status", "ESTABLISHED"))

    def _bgp_process_configuration(self, _: Question) -> Rows:
        return [
            {"Node": {"name": name.lower()}, "Router_ID": design.bgp.router_id}
            for name, design in self.subject.devices.items()
            for _ in (design, *design.vrfs)
        ]

    def _routes(self, question: Question) -> Rows:
        default = {name: default_vrf(item) for name, item in self.subject.files.items()}
        routes = next_hops(Network(default, self.subject.wiring))
        rows = [
            {
                "Node": {"name": name.lower()},
                "VRF": questions.DEFAULT_VRF,
                "Network": prefix,
                "Protocol": "connected" if hop == CONNECTED else "bgp",
                "Next_Hop": {"type": "ip", "ip": hop},
            }
            for name, table in routes.items()
            if re.match(question["nodes"].strip("/"), name.lower())
            for prefix, hops in table.items()
            for hop in hops
        ]
        inside = {"VRF": "Vrf17", "Network": "10.64.0.0/31"}
        return [*rows, *({**row, **inside} for row in rows[:1])]

    def _ip_owners(self, _: Question) -> Rows:
        return self.duplicates

    def _specifiers_reachability(self, question: Question) -> Rows:
        arrived = question["actions"] == questions.ARRIVED
        return [
            self._flow(node, *example)
            for node in self._starts(question)
            if (example := self._example(node, question["headers"]["dstIps"], arrived=arrived))
        ]

    def _starts(self, question: Question) -> list[str]:
        words = question["pathConstraints"]["startLocation"]
        if words == questions.ALL_NICS:
            return sorted(self.written.nics)
        return [node for node in sorted(self.written.nics) if re.match(words.strip("/"), node)]

    def _example(self, node: str, ranges: str, *, arrived: bool) -> tuple[str, str] | None:
        """Return an address among some with such an end, and the node at which packets end."""
        for start, address, end in self.flows:
            if arrived and start == node and address in addresses(ranges):
                return address, end
        own = self._vrf(self.written.nics[node])
        for address in addresses(ranges):
            ends = [
                other
                for other, nic in self.written.nics.items()
                if nic.nic.address == address and self._vrf(nic) == own
            ]
            works = bool(ends) and (node, address) not in self.lost
            if works == arrived:
                return address, ends[0] if ends else self.written.nics[node].nic.leaf.lower()
        return None

    def _vrf(self, entry: NicNode) -> str:
        nic = entry.nic
        return self.subject.files[nic.leaf].ports[nic.leaf_port].vrf

    @staticmethod
    def _flow(node: str, address: str, end: str) -> dict[str, Any]:
        hops = [{"node": {"name": node}}, {"node": {"name": end}}]
        traces = [{"disposition": "ACCEPTED", "hops": hops}]
        return {"Flow": {"ingressNode": node, "dstIp": address}, "Traces": traces}


def addresses(ranges: str) -> list[str]:
    """Return the addresses of some ranges."""
    pairs = [[int(IPv4Address(end)) for end in item.split("-")] for item in ranges.split(",")]
    return [str(IPv4Address(number)) for low, high in pairs for number in range(low, high + 1)]
