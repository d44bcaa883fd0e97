"""One form for what configurations say of the lossless class: PFC, ECN, maps, ageing.

Like ``model.py``: readers fill it line by line; what no line sets is None or empty, unless the
system's documents name a default, which the reader then sets with line 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.observe.configuration.model import Leftover

#: Bytes of the units of thresholds (pyavd 6.4.0 schema; Cisco Nexus 9000 command reference). A
#: segment depends on the chip, and time on the speed: such thresholds are only compared with each
#: other.
UNIT_BYTES = {"bytes": 1, "kbytes": 1_000, "mbytes": 1_000_000}


class Value(NamedTuple):
    """A number with the line that sets it; line 0 is a default of the system."""

    value: float
    line: int


class Gap(NamedTuple):
    """What a priority lacks to be lossless both when the port sends and when it receives.

    ``is_absence``: no line says what it lacks.
    """

    words: str
    line: int
    is_absence: bool = False


@dataclass(slots=True)
class Marking:
    """ECN of an egress queue; ``ecn`` False marks nothing and drops (plain WRED).

    ``limits`` are both thresholds in one unit that is not known in bytes, such as cells or percent.
    """

    line: int
    kmin_bytes: int | None = None
    kmax_bytes: int | None = None
    pmax_percent: float | None = None
    ecn: bool = True
    limits: tuple[float, float] | None = None

    def set_limits(self, low: str, low_unit: str, high: str, high_unit: str) -> None:
        """Set both thresholds, each in its own unit."""
        low_size, high_size = UNIT_BYTES.get(low_unit), UNIT_BYTES.get(high_unit)
        self.kmin_bytes = int(low) * low_size if low_size else None
        self.kmax_bytes = int(high) * high_size if high_size else None
        if low_unit == high_unit and not low_size:
            self.limits = float(low), float(high)


@dataclass(slots=True)
class Watchdog:
    """PFC watchdog; times as the file has them."""

    line: int
    enabled: bool = True
    action: str = ""
    detection_ms: float | None = None
    restoration_ms: float | None = None
    poll_ms: float | None = None


@dataclass(slots=True)
class Policy:
    """The part of a port's policy that profiles share; a port has the sum of its profiles.

    Parameters
    ----------
    pfc : dict of int to int
        Lossless priorities, each with its line.
    pfc_on : bool or None
        Whether PFC is switched on, where a system has a switch of its own for it.
    trusts_dscp : bool or None
        Whether DSCP decides the class.
    trusts_pcp : bool or None
        Whether the priority of a tag (IEEE 802.1Q) decides the class of tagged frames.
    dscp_to_class : dict of int to int
        Traffic class of each DSCP that a line names.
    dscp_lines : dict of int to int
        The line that names each DSCP, as far as the reader keeps it.
    pcp_to_class : dict of int to int
        Traffic class of each priority of a tag that a line names.
    class_to_queue : dict of int to int
        Egress queue of each traffic class.
    markings : dict of int to Marking
        By egress queue.
    strict : dict of int to int
        Strict queues, each with its line.
    percent : dict of int to Value
        Shares of queues that are served in turn.
    strict_percent : dict of int to Value
        Shares of strict queues, where a line gives them one.
    pause_bytes : dict of int to Value
        Bytes of an ingress class at which the port is paused.
    headroom_bytes : dict of int to Value
        Bytes of an ingress class for what arrives after the pause.
    dynamic_th : dict of int to Value
        log2(alpha) of an ingress class, which may take that share of what is free in its pool.
    gaps : dict of int to Gap
        Lossless priorities that still drop, and why.
    class_names : dict of int to str
        Names of traffic classes where the configuration has names and no numbers.
    """

    line: int = 0
    pfc: dict[int, int] = field(default_factory=dict)
    pfc_on: bool | None = None
    watchdog: Watchdog | None = None
    trusts_dscp: bool | None = None
    trusts_pcp: bool | None = None
    dscp_to_class: dict[int, int] = field(default_factory=dict)
    dscp_lines: dict[int, int] = field(default_factory=dict)
    pcp_to_class: dict[int, int] = field(default_factory=dict)
    class_to_queue: dict[int, int] = field(default_factory=dict)
    markings: dict[int, Marking] = field(default_factory=dict)
    strict: dict[int, int] = field(default_factory=dict)
    percent: dict[int, Value] = field(default_factory=dict)
    strict_percent: dict[int, Value] = field(default_factory=dict)
    pause_bytes: dict[int, Value] = field(default_factory=dict)
    headroom_bytes: dict[int, Value] = field(default_factory=dict)
    dynamic_th: dict[int, Value] = field(default_factory=dict)
    gaps: dict[int, Gap] = field(default_factory=dict)
    class_names: dict[int, str] = field(default_factory=dict)

    def add(self, other: Policy) -> None:
        """Take over what another part says; own lines win."""
        for name in ("pfc_on", "watchdog", "trusts_dscp", "trusts_pcp"):
            if getattr(self, name) is None:
                setattr(self, name, getattr(other, name))
        for name in _TABLES:
            setattr(self, name, {**getattr(other, name), **getattr(self, name)})


_TABLES = (
    "pfc",
    "dscp_to_class",
    "dscp_lines",
    "pcp_to_class",
    "class_to_queue",
    "markings",
    "strict",
    "percent",
    "strict_percent",
    "pause_bytes",
    "headroom_bytes",
    "dynamic_th",
    "gaps",
    "class_names",
)


@dataclass(slots=True)
class PortPolicy(Policy):
    """A port: ``routed`` None where the file leaves the default of the system.

    Parameters
    ----------
    class_to_group : dict of int to int
        Ingress buffer of each class, where a map sets it; that of a lossless class has its number.
    pause_to_queue : dict of int to int
        Queue that a pause of each priority stops, where a map sets it.
    sends_dscp : int or None
        DSCP that a NIC sends data with.
    negotiated : int or None
        Line that leaves PFC to DCBX, 0 where that is the default; None where PFC is on or off.
    port_pauses : dict of str to Value
        Pause of the whole port (IEEE 802.3 annex 31B), by direction: 0 where it is off.
    vlans : set of int
        VLANs that the port carries, as far as lines name them.
    tagged : bool
        Whether frames arrive with a VLAN tag, and so with a priority.
    cable_m : int or None
        Length of the cable in metres, where a line says it; headroom follows from it.
    longest_m : int or None
        The same where one line is about several ports: none of their cables is longer.
    trust_lines : tuple of str
        Lines with which DSCP would decide, where the system of the switch has an own way.
    share_lines : dict of int to tuple of str
        Lines with which a strict queue would have a share, likewise.
    """

    name: str = ""
    enabled: bool = True
    routed: bool | None = None
    mtu_bytes: Value | None = None
    speed_gbps: float | None = None
    description: str = ""
    class_to_group: dict[int, int] = field(default_factory=dict)
    pause_to_queue: dict[int, int] = field(default_factory=dict)
    sends_dscp: int | None = None
    negotiated: int | None = None
    port_pauses: dict[str, Value] = field(default_factory=dict)
    vlans: set[int] = field(default_factory=set)
    tagged: bool = False
    cable_m: int | None = None
    longest_m: int | None = None
    trust_lines: tuple[str, ...] = ()
    share_lines: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def lossless(self) -> dict[int, int]:
        """Lossless priorities that are in force, each with its line."""
        return self.pfc if self.pfc_on is not False else {}

    @property
    def is_open(self) -> bool:
        """Whether DCBX decides that the lossless priorities are in force."""
        return self.negotiated is not None and bool(self.pfc) and not self.lossless


class Use(NamedTuple):
    """A named thing that a line defines or uses: ``kind`` such as ``qos profile``."""

    kind: str
    name: str
    line: int


@dataclass(slots=True)
class Lossless:
    """What the configuration of one switch says of the lossless class.

    Parameters
    ----------
    ports : dict of str to PortPolicy
        Ports of the front panel, with everything that profiles and global lines give them.
    gateways : dict of int to PortPolicy
        Interfaces that route between VLANs, by VLAN.
    arp_timeout_s, mac_ageing_s : Value or None
        Ageing of neighbours and of MAC addresses; 0 for never.
    everywhere : dict of int to int
        Lossless priorities of every port that carries traffic, each with its line.
    hash_fields : set of str or None
        Which of ``src-ip``, ``dst-ip``, ``src-port``, ``dst-port`` choose between equal paths;
        None where neither the file nor the documents of the system tell.
    model : str
        Switch model, where a line of the configuration names it.
    buffer_parts : dict of str to dict of str to Value
        Percents of the shared buffer by side, ``ingress`` or ``egress``, and part.
    missing_buffer_line : str
        Line that makes the lossless buffers of the switch, where it is absent.
    without_map : dict of str to str
        What a port does without a map, by the attribute that has the map, where that is known.
    defined, used : list of Use
        Named objects, to tell which are missing and which nobody needs.
    """

    system: str
    name: str = ""
    model: str = ""
    ports: dict[str, PortPolicy] = field(default_factory=dict)
    gateways: dict[int, PortPolicy] = field(default_factory=dict)
    arp_timeout_s: Value | None = None
    mac_ageing_s: Value | None = None
    everywhere: dict[int, int] = field(default_factory=dict)
    hash_fields: set[str] | None = None
    watchdog: Watchdog | None = None
    buffer_parts: dict[str, dict[str, Value]] = field(default_factory=dict)
    missing_buffer_line: str = ""
    without_map: dict[str, str] = field(default_factory=dict)
    defined: list[Use] = field(default_factory=list)
    used: list[Use] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)

    def port(self, name: str, line: int) -> PortPolicy:
        """Return a port; a new one at its first line."""
        return self.ports.setdefault(name, PortPolicy(line=line, name=name))


@dataclass(frozen=True, slots=True)
class LosslessReader:
    """How the configuration of a system is recognised and read.

    Parameters
    ----------
    read : callable
        From the text to what it says; raises UnreadableError where it is no such configuration.
    signs : tuple of str
        Patterns of lines that this system has and others do not; the system with the most of them
        is the one that a text is written for.
    judged : frozenset of str
        Rules of the audit that rules of the system itself judge already, and in more detail.
    identity : str
        Pattern of a line with the groups ``release`` and ``model``, where the file names them.
    shares_in_percent : bool
        Whether shares of queues are parts of 100, and no weights.
    ports_make_vlans : bool
        Whether the switch has a VLAN once a port is in it.
    statements : callable or None
        From the text to number and words of each line, where the text has more than one form.
    """

    read: Callable[[str], Lossless]
    signs: tuple[str, ...]
    judged: frozenset[str] = frozenset()
    identity: str = ""
    shares_in_percent: bool = False
    ports_make_vlans: bool = False
    statements: Callable[[str], list[tuple[int, str]]] | None = None


#: By system: what its configuration says of the lossless class.
lossless_readers: Registry[LosslessReader] = Registry("lossless reader", plugins="reading_lossless")


def identity_of(system: str, text: str) -> tuple[str, str]:
    """Return release and model that a configuration names in its head; empty where it does not."""
    pattern = lossless_readers[system].identity
    match = re.search(pattern, text, re.MULTILINE) if pattern else None
    groups = match.groupdict() if match else {}
    return groups.get("release", ""), groups.get("model", "")
