"""An NX-OS switch while its lines are read: named policies, until ports are complete."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.lossless import Lossless, Marking, Policy, Use

#: The class of what no other class has.
DEFAULT_CLASS = "class-default"
_BUILT_IN = re.compile(r"c-(?:out-(?:8q-)?q|(?:8q-)?nq)(?P<group>\d|-default)")

_PORT = (
    r"description|mtu|speed|(?:no )?shutdown|(?:no )?switchport$|switchport mode trunk$"
    r"|switchport (?:access vlan|trunk allowed vlan) |service-policy type (?:qos|queuing)"
    r"|priority-flow-control |ip arp timeout |channel-group |inherit port-profile "
)

#: Policies that the system defines (Cisco Nexus QoS configuration guides): what they do depends on
#: the model, so that the lines which bind them are left open.
_SYSTEM_DEFINED = re.compile(r"(fcoe-)?default-([\w-]+-)?(nq|in|out)-([\w-]+-)?policy")

#: What is judged, by mode: other lines are passed over where no rule takes them.
LINES = BookReader(
    "nxos",
    "lossless",
    "no",
    {
        "config": (
            r"hostname |class-map (?!type (?!qos|network-qos|queuing))|policy-map type |system qos"
            r"|vlan configuration |interface (?:Ethernet|port-channel|Vlan)|ip arp timeout "
            r"|ip load-sharing |mac address-table aging-time |priority-flow-control "
            r"(?!(?:auto-restore|fixed-restore|watch-dog \S+-multiplier) )"
        ),
        "if-ethernet": _PORT,
        "if-vlan": _PORT,
        "vlan": r"(?!)",
        "vlan-configuration": r"service-policy ",
        "qos-class": r"(?!set (?!qos-group ))",
        "nq-class": r"(?!mtu |congestion-control (?!random-detect(?: .*)? ecn$))",
        "queue": r"priority level |bandwidth remaining percent |random-detect ",
        "in-queue": r"pause buffer-size ",
    },
)


class Pause(NamedTuple):
    """The priority that a qos-group pauses, with its line."""

    priority: int
    line: int


@dataclass(slots=True)
class Match:
    """What a class of type qos matches: DSCPs, each with its line, and priorities of tags."""

    dscps: dict[int, int] = field(default_factory=dict)
    tags: set[int] = field(default_factory=set)


@dataclass(slots=True)
class NetworkPolicy:
    """A policy of type network-qos: what its qos-groups pause, and which of them mark."""

    pauses: dict[int, Pause] = field(default_factory=dict)
    markings: dict[int, Marking] = field(default_factory=dict)


@dataclass(slots=True)
class Device(Lossless):
    """The switch with its named policies, until ports are complete."""

    matches: dict[str, Match] = field(default_factory=dict)
    inputs: dict[str, Policy] = field(default_factory=dict)
    outputs: dict[str, Policy] = field(default_factory=dict)
    networks: dict[str, NetworkPolicy] = field(default_factory=dict)
    groups: dict[tuple[str, str], int] = field(default_factory=dict)
    bound: dict[str, dict[str, str]] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    by_vlan: dict[int, str] = field(default_factory=dict)
    watched: bool = False
    #: Whether a file that turns features on turns LLDP on; None for a part without features.
    has_lldp: bool | None = None
    #: Ports that do not send LLDP, or do not read it.
    without_lldp: set[str] = field(default_factory=set)

    def has_dcbx(self, port: str) -> bool:
        """Tell whether a port can agree on PFC with its peer: DCBX is a part of LLDP."""
        return self.has_lldp is not False and port not in self.without_lldp

    def group(self, kind: str, name: str) -> int:
        """Return the qos-group of a class; KeyError where no line tells it."""
        built_in = _BUILT_IN.fullmatch(name)
        if built_in:
            return 0 if built_in["group"] == "-default" else int(built_in["group"])
        return 0 if name == DEFAULT_CLASS else self.groups[kind, name]

    def bind(self, port: str, kind: str, way: str | None, name: str, line: int) -> None:
        """Note that a port, or ``""`` for the system, has a policy of a kind.

        Raises
        ------
        ValueError
            When the system defines the policy.
        """
        if _SYSTEM_DEFINED.fullmatch(name):
            raise ValueError(name)
        incoming = kind == "queuing" and way == "input"
        self.bound.setdefault(port, {})["buffers" if incoming else kind] = name
        self.used.append(Use(f"policy-map type {kind}", name, line))

    def policies(self, vlans: set[int]) -> list[str]:
        """Return the policies of type qos of some VLANs."""
        return [name for vlan, name in self.by_vlan.items() if vlan in vlans]
