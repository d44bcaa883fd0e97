"""What stands in a Junos configuration before ports are complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration.book import BookReader
from fabric.systems.junos.platforms import (
    CONTROL_CLASS,
    CONTROL_QUEUE,
    DEFAULT_CLASS,
    DEFAULT_QUEUE,
)

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import Lossless, Value, Watchdog
    from fabric.observe.configuration.model import Leftover

#: Begin of the names of aggregated interfaces; one without members carries no traffic.
BUNDLE = "ae"
PORT = rf"((et|xe|ge)-\d+/\d+/\d+(:\d+)?|{BUNDLE}\d+)"
#: What a statement is about that counts here.
_TOPICS = {
    "config": r"(?!class-of-service (rewrite-rules|host-outbound-traffic|multi-destination"
    r"|shared-buffer .* dynamic-threshold|shared-buffer (in|e)gress percent"
    r"|dedicated-buffer|forwarding-class-sets|code-point-aliases"
    r"|classifiers (dscp-ipv6|exp|inet-precedence)) )"
    r"(system (host-name|arp) |class-of-service |groups \S+ (class-of-service|interfaces) "
    rf"|interfaces ({PORT}|interface-range )|firewall .* then forwarding-class \S+$"
    r"|protocols l2-learning global-mac-table-aging-time "
    r"|forwarding-options hash-key (?!family (?!inet ))"
    r"|forwarding-options enhanced-hash-key (?!hash-seed|ecmp-dlb (?!per-packet)))"
}
LINES = BookReader("junos", "lossless", "no", _TOPICS)


class Point(NamedTuple):
    """A DSCP of a classifier, and where it leads."""

    dscp: int
    name: str
    loss_priority: str
    line: int


class Tag(NamedTuple):
    """Where a priority of a VLAN tag leads."""

    name: str
    loss_priority: str


@dataclass(slots=True)
class ForwardingClass:
    """A forwarding class; ``priority`` is the one of its pause frames."""

    queue: int | None = None
    no_loss: bool = False
    priority: int | None = None


@dataclass(slots=True)
class Notification:
    """A congestion notification profile.

    Parameters
    ----------
    dscps, code_points : dict of int to int
        DSCPs, or priorities of VLAN tags, that the port pauses for, each with its line.
    stops : dict of int to set of int
        Queues that a received pause of a priority stops.
    longest_m : int or None
        Length of the longest cable of its ports.
    """

    line: int
    dscps: dict[int, int] = field(default_factory=dict)
    code_points: dict[int, int] = field(default_factory=dict)
    stops: dict[int, set[int]] = field(default_factory=dict)
    watchdog: Watchdog | None = None
    poll_ms: float = 0
    polls: float = 0
    longest_m: int | None = None


@dataclass(slots=True)
class DropProfile:
    """Fill levels and the chances at them, in percent and as they are written."""

    line: int
    levels: list[float] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Scheduler:
    """Service and marking of a queue; ``profiles`` by loss priority."""

    line: int
    ecn: bool = False
    profiles: dict[str, str] = field(default_factory=dict)
    strict: int = 0
    percent: Value | None = None


class Binding(NamedTuple):
    """A part that an interface, or every one that fits a wildcard, has."""

    port: str
    kind: str
    name: str
    line: int


def _built_in() -> dict[str, ForwardingClass]:
    """Return the classes that need no line (juniper.net, default forwarding classes of the QFX)."""
    return {
        DEFAULT_CLASS: ForwardingClass(DEFAULT_QUEUE),
        CONTROL_CLASS: ForwardingClass(CONTROL_QUEUE),
        "fcoe": ForwardingClass(3, no_loss=True),
        "no-loss": ForwardingClass(4, no_loss=True),
    }


@dataclass(slots=True)
class LosslessLines:
    """A switch with its named parts, until ports are complete.

    Parameters
    ----------
    named_classes : set of str
        Forwarding classes that a line defines.
    tags : dict of str to dict of int to Tag
        By classifier of VLAN tags: where each priority leads.
    imports : dict of str to str
        By classifier: the one whose DSCPs it takes over.
    control_profiles : dict of str to str
        Scheduler map of each traffic control profile.
    hosts_arp_s : list of Value
        ARP ageing of single gateways.
    members : dict of str to str
        Aggregated interface of each of its members.
    classifying : set of str
        Filters that put packets into forwarding classes.
    filtered : dict of str to Leftover
        By filter: the line that puts it in front of a port.
    """

    switch: Lossless
    aliases: dict[str, int] = field(default_factory=dict)
    classes: dict[str, ForwardingClass] = field(default_factory=_built_in)
    named_classes: set[str] = field(default_factory=set)
    classifiers: dict[str, list[Point]] = field(default_factory=dict)
    tags: dict[str, dict[int, Tag]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    notifications: dict[str, Notification] = field(default_factory=dict)
    drop_profiles: dict[str, DropProfile] = field(default_factory=dict)
    schedulers: dict[str, Scheduler] = field(default_factory=dict)
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    control_profiles: dict[str, str] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    parents: set[str] = field(default_factory=set)
    speeds_gbps: dict[str, float] = field(default_factory=dict)
    inet_mtu_bytes: dict[str, Value] = field(default_factory=dict)
    hosts_arp_s: list[Value] = field(default_factory=list)
    members: dict[str, str] = field(default_factory=dict)
    classifying: set[str] = field(default_factory=set)
    filtered: dict[str, Leftover] = field(default_factory=dict)
    per_packet: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether no statement stands for others that are not read."""
        indirect = ("groups ", "interfaces interface-range ")
        return not any(one.text.startswith(indirect) for one in self.switch.leftovers)

    def forwarding_class(self, name: str) -> ForwardingClass:
        """Return a forwarding class; a new one at its first line."""
        return self.classes.setdefault(name, ForwardingClass())

    def notification(self, name: str, line: int) -> Notification:
        """Return a congestion notification profile; a new one at its first line."""
        return self.notifications.setdefault(name, Notification(line))

    def scheduler(self, name: str, line: int) -> Scheduler:
        """Return a scheduler; a new one at its first line."""
        return self.schedulers.setdefault(name, Scheduler(line))
