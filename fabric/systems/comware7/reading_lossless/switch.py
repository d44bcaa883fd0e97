"""A Comware 7 switch while its lines are read: tables are resolved when all of them are known."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.lossless import Lossless, Marking, PortPolicy, Use, Value

#: What is judged, by mode: other lines are passed over where no rule takes them.
LINES = BookReader(
    "comware7",
    "lossless",
    "undo",
    {
        "config": (
            r"interface (?!M-).*((GigE|GigabitEthernet)[\d/:]+|(Bridge|Route)-Aggregation\d+)$"
            r"|sysname |qos (?!trust tunnel-dot1p|carl|policy|traffic-counter|vlan-policy)"
            r"|undo priority-flow-control"
            r"|priority-flow-control(?! deadlock (precision|auto-recover cos) | poolid )"
            r"|arp timer aging |mac-address timer |ip load-sharing mode "
        ),
        "port": (
            r"description |(undo )?shutdown$|ip address |mtu |speed |(undo )?jumboframe "
            r"|port (link-mode|link-aggregation group|access|link-type|trunk|hybrid)"
            r"|qos (?!(gts|lr|car|priority) )|undo priority-flow-control"
            r"|priority-flow-control(?! (early-warning|deadlock recover-mode) "
            r"| dot1p \d (headroom|ingress-buffer|ingress-threshold-offset|reserved-buffer) )"
        ),
    },
)


@dataclass(slots=True)
class ComwarePort(PortPolicy):
    """A port, or what holds for all of them; ``mode`` of PFC is empty where no line sets it.

    Parameters
    ----------
    deadlock : int
        Line that switches the detection of deadlocks on; 0 without one.
    group : str
        Number of the aggregation that it is a member of.
    """

    mode: str = ""
    link_mode: str = ""
    deadlock: int = 0
    group: str = ""
    table: Use | None = None
    frame_bytes: Value | None = None


@dataclass(slots=True)
class Switch(Lossless):
    """The switch with its tables.

    Parameters
    ----------
    front : dict of str to Port
        Ports of the front panel.
    every : ComwarePort
        PFC of the system view, which holds on ports without lines about it.
    maps : dict of str to dict of int to int
        Map tables by name, such as ``dscp-dot1p``.
    map_lines : dict of str to dict of int to int
        The line of each of their values.
    intervals : dict of int to int
        Classes whose deadlocks are looked for, each with its line.
    fatal : dict of int to int
        Classes whose deadlocks shut the port, each with its line.
    action : str
        What happens to packets while a class recovers.
    """

    front: dict[str, ComwarePort] = field(default_factory=dict)
    every: ComwarePort = field(default_factory=ComwarePort)
    tables: dict[str, dict[int, Marking]] = field(default_factory=dict)
    maps: dict[str, dict[int, int]] = field(default_factory=dict)
    map_lines: dict[str, dict[int, int]] = field(default_factory=dict)
    intervals: dict[int, int] = field(default_factory=dict)
    fatal: dict[int, int] = field(default_factory=dict)
    action: str = ""
