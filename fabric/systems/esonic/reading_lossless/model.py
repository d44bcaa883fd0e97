"""The switch with its named objects, until its ports are complete."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.lossless import Lossless, Marking, Policy, PortPolicy, Use

#: Maps that a port may have; others are about what packets that leave are given.
KINDS = ("dscp-tc", "dot1p-tc", "tc-queue", "tc-pg", "pfc-priority-queue", "pfc-priority-pg")
KIND = f"(?:{'|'.join(KINDS)})"

#: What is judged, by mode: other lines are passed over where no rule takes them.
LINES = BookReader(
    "esonic",
    "lossless",
    "no",
    {
        "config": (
            r"hostname |buffer init |roce |qos |interface (?:Ethernet|Eth|PortChannel) ?\d"
            r"|ip load-share (?!hash (?:algorithm|seed|offset|ingress-port|ipv6))"
            r"|ip arp timeout |mac address-table aging-time "
            r"|(?:no )?priority-flow-control "
        ),
        "if-ethernet": (
            r"description |mtu |speed \d+$|(?:no )?shutdown$|ip address |switchport "
            r"|channel-group |ipv6 (?:enable$|address )|queue |scheduler-policy "
            r"|priority-flow-control "
            rf"|qos-map {KIND} |service-policy type qos in "
        ),
    },
)


@dataclass(slots=True)
class Device(Lossless):
    """The switch: its objects by name, and by port what is bound to it."""

    maps: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    map_lines: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    schedulers: dict[str, Policy] = field(default_factory=dict)
    wreds: dict[str, Marking] = field(default_factory=dict)
    bound: dict[str, dict[str, str]] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    has_buffers: bool = False
    unpolled: int = 0
    poll_ms: float | None = None

    def define(self, kind: str, name: str, line: int) -> None:
        """Note that a named object exists."""
        self.defined.append(Use(kind, name, line))


Inside = tuple[Device, PortPolicy]
#: Values of a map, and the line of each.
Rows = tuple[dict[int, int], dict[int, int]]
