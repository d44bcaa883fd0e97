"""A VRP8 switch while its lines are read: names that are resolved when all of them are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.lossless import Lossless, Marking, PortPolicy, Use, Value

#: Name of the PFC profile, DiffServ domain, drop profile and ETS profile that are always there.
DEFAULT = "default"


#: What counts on a port, an Eth-Trunk or a VLAN interface.
_PORT = (
    r"description |(undo )?shutdown$|(undo )?portswitch$|trust |dcb |(undo )?qos |jumboframe "
    r"|port (link-type|default|trunk|hybrid|pfc-deadlock) |arp timeout |eth-trunk |traffic-policy "
)
#: What is judged, by view: other lines are passed over where no rule takes them.
LINES = BookReader(
    "vrp8",
    "lossless",
    "undo",
    {
        "config": (
            r"sysname |interface (\d+GE|Eth-Trunk|Vlanif)|dcb |diffserv domain |drop-profile |qos "
            r"|arp timeout |mac-address aging-time |load-balance ecmp$|ai-service$|traffic-policy "
            r"|port (split|mode) \S+ interface"
        ),
        "port": _PORT,
        "vlanif": _PORT,
        "ecmp": r"ip |ecmp mode ",
        "drop": r"(?!color )|color green (buffer-size (cell )?)?low-limit ",
        "ai-service": r"ai-ecn$",
    },
)


class Named(NamedTuple):
    """A name that a line says."""

    name: str
    line: int


class Class(NamedTuple):
    """The class of a DSCP in a domain, with its line."""

    number: int
    line: int


DEFAULT_DOMAIN = Named(DEFAULT, 0)


@dataclass(slots=True)
class Profile:
    """A PFC profile; ``recovery`` holds units of the deadlock timer by priority."""

    priorities: dict[int, int] = field(default_factory=dict)
    detection: dict[int, int] = field(default_factory=dict)
    recovery: dict[int, Value] = field(default_factory=dict)


@dataclass(slots=True)
class VrpPort(PortPolicy):
    """A port with the names that it uses."""

    profile: Named | None = None
    domain: Named = DEFAULT_DOMAIN
    trunk: str = ""
    ets: Named | None = None
    frame_bytes: Value | None = None
    arp_timeout_s: Value | None = None
    trigger: Named | None = None
    wred: dict[int, Named] = field(default_factory=dict)
    ecn: dict[int, int] = field(default_factory=dict)
    modes: dict[int, Named] = field(default_factory=dict)
    weights: dict[int, Value] = field(default_factory=dict)
    shaped: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Switch(Lossless):
    """The switch with everything that has a name.

    Parameters
    ----------
    front, trunks, svis : dict of str to Port
        Ports of the front panel, Eth-Trunks, whose members have what is set on them, and VLAN
        interfaces.
    greens : dict of str to Marking
        Thresholds of green packets by drop profile: releases before V300 mark by them.
    features : set of str
        Families of the hardware that lines name, and what is switched on for the whole switch.
    """

    front: dict[str, VrpPort] = field(default_factory=dict)
    trunks: dict[str, VrpPort] = field(default_factory=dict)
    svis: dict[str, VrpPort] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)
    domains: dict[str, dict[int, Class]] = field(default_factory=dict)
    drops: dict[str, Marking | None] = field(default_factory=dict)
    greens: dict[str, Marking] = field(default_factory=dict)
    speeds: dict[str, float] = field(default_factory=dict)
    learning: dict[int, int] = field(default_factory=dict)
    features: set[str] = field(default_factory=set)
    timers_ms: dict[str, int] = field(default_factory=dict)
    recovery: str = ""

    def interface(self, name: str, line: int) -> VrpPort:
        """Return an interface; a new one at its first line."""
        known = {"E": self.trunks, "V": self.svis}.get(name[0], self.front)
        return known.setdefault(name, VrpPort(line=line, name=name))

    def define(self, kind: str, name: str, line: int) -> None:
        """Note that a thing with a name exists; those that always do are not noted."""
        if name != DEFAULT:
            self.defined.append(Use(kind, name, line))

    def use(self, kind: str, named: Named) -> None:
        """Note that a line needs a thing with a name."""
        if named.name != DEFAULT:
            self.used.append(Use(kind, *named))
