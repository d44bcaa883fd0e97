"""The Junos statements that rocefab writes or meets on a fresh switch, and how they nest.

A line of ``STATEMENTS`` is a statement in ``set`` form:

- ``word`` is a keyword with a level of its own in the hierarchy, ``two~words`` are one level;
- ``{type}`` is the name of an entry and stands on the level of the keyword before it
  (``unit 0 {``), ``[type]`` has a level of its own (``schedulers { s1 {``);
- ``<type>`` is the one value of a statement, ``<type>+`` one of several;
- ``!`` behind a keyword or a name says that what follows stays on its line
  (``class CNP queue-num 3;``).

Sources: Juniper/jvd @ 005ab344 data_center/aidc (QFX5240-64OD, QFX5130-32CD: nesting and words);
Juniper/yang @ 2a696d62 24.4R1 junos-qfx-conf-class-of-service and 24.4R1-EVO junos-conf-* (ranges);
juniper.net CLI reference of hold-time, fec, ntp, syslog and of the pages that the templates name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabric.systems.junos.platforms.text import Words

STATEMENTS = """
system host-name <name>
system management-instance
system root-authentication encrypted-password <text>
system login user {name} uid <0..64000>
system login user {name} class <name>
system login user {name} authentication encrypted-password <text>
system services netconf ssh
system services ssh
system arp aging-timer <1..240>
system ntp server {address}
system syslog host {address} any <severity>
interfaces [interface] description <text>
interfaces [interface] disable
interfaces [interface] speed <speed>
interfaces [interface] number-of-sub-ports <1..8>
interfaces [interface] mtu <256..9216>
interfaces [interface] gigether-options fec <fec>
interfaces [interface] unit {unit} family~inet mtu <256..9216>
interfaces [interface] unit {unit} family~inet address {prefix}
interfaces [interface] unit {unit} family~ethernet-switching interface-mode <mode>
interfaces [interface] unit {unit} family~ethernet-switching vlan members <name>+
vlans [name] vlan-id <1..4094>
vlans [name] l3-interface <irb>
class-of-service classifiers dscp {name} forwarding-class {name} loss-priority {level}! code-points <bits6>+
class-of-service forwarding-classes class {name}! queue-num <0..7>
class-of-service forwarding-classes class {name}! no-loss
class-of-service forwarding-classes class {name}! pfc-priority <0..7>
class-of-service congestion-notification-profile [name] input dscp code-point {bits6} pfc
class-of-service congestion-notification-profile [name] output ieee-802.1 code-point {bits3} flow-control-queue <0..7>+
class-of-service congestion-notification-profile [name] pfc-watchdog poll-interval <1..60000>
class-of-service congestion-notification-profile [name] pfc-watchdog detection <1..60000>
class-of-service congestion-notification-profile [name] pfc-watchdog recovery <1..60000>
class-of-service congestion-notification-profile [name] pfc-watchdog watchdog-action <action>
class-of-service drop-profiles [name] interpolate fill-level <0..100>+
class-of-service drop-profiles [name] interpolate drop-probability <0..100>+
class-of-service schedulers [name] drop-profile-map~loss-priority {level}! protocol {any}! drop-profile <name>
class-of-service schedulers [name] explicit-congestion-notification
class-of-service schedulers [name] transmit-rate! percent <1..100>
class-of-service schedulers [name] priority <priority>
class-of-service scheduler-maps [name] forwarding-class {name}! scheduler <name>
class-of-service shared-buffer ingress buffer-partition {ingress} percent <0..100>
class-of-service shared-buffer ingress buffer-partition {ingress} dynamic-threshold <0..10>
class-of-service shared-buffer egress buffer-partition {egress} percent <0..100>
class-of-service dedicated-buffer ingress percent <15..100>
class-of-service dedicated-buffer egress percent <15..100>
class-of-service interfaces [interface] congestion-notification-profile <name>
class-of-service interfaces [interface] scheduler-map <name>
class-of-service interfaces [interface] unit {unit} classifiers dscp <name>
policy-options policy-statement {name} term {name} from protocol <protocol>+
policy-options policy-statement {name} term {name} from route-filter {prefix}! prefix-length-range <lengths>
policy-options policy-statement {name} term {name} from route-filter {prefix}! exact
policy-options policy-statement {name} term {name} then accept
policy-options policy-statement {name} term {name} then reject
policy-options policy-statement {name} then load-balance <balance>
routing-options router-id <address>
routing-options autonomous-system <1..4294967295>
routing-options forwarding-table export <name>+
routing-options forwarding-table ecmp-fast-reroute
routing-options static route {prefix}! next-hop <address>+
forwarding-options hash-key family~inet layer-3
forwarding-options hash-key family~inet layer-4
forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval <16..32000>
forwarding-options enhanced-hash-key ecmp-dlb flowlet flowset-table-size <256..32768>
forwarding-options enhanced-hash-key ecmp-dlb per-packet
forwarding-options enhanced-hash-key ecmp-dlb ether-type <ether-type>+
forwarding-options enhanced-hash-key ecmp-dlb sampling-rate <1..1000000>
protocols bgp group {name} type <group>
protocols bgp group {name} hold-time <3..65535>
protocols bgp group {name} multipath multiple-as
protocols bgp group {name} advertise-peer-as
protocols bgp group {name} bfd-liveness-detection minimum-interval <1..255000>
protocols bgp group {name} bfd-liveness-detection multiplier <1..255>
protocols bgp group {name} neighbor {address} description <text>
protocols bgp group {name} neighbor {address} local-address <address>
protocols bgp group {name} neighbor {address} family~inet unicast loops <1..10>
protocols bgp group {name} neighbor {address} export <name>+
protocols bgp group {name} neighbor {address} peer-as <1..4294967295>
protocols lldp port-id-subtype <lldp-port>
protocols lldp port-description-type <lldp-description>
protocols lldp neighbour-port-info-display <lldp-display>
protocols lldp interface {lldp}
protocols l2-learning global-mac-table-aging-time <60..1000000>
protocols rstp disable
protocols rstp bpdu-block-on-edge
protocols rstp interface {interface} edge
"""  # noqa: E501 - one statement, one line

#: Statements that are whole without what can follow: flags that open a level, and list entries.
BARE = (
    "interfaces [interface] unit {unit} family~inet",
    "class-of-service congestion-notification-profile [name] pfc-watchdog",
    "protocols bgp group {name} multipath",
    "protocols bgp group {name} neighbor {address} family~inet unicast",
)

_WORDS = {
    "action": ("drop", "forward"),
    "any": ("any",),
    "balance": ("per-packet",),
    "egress": ("lossless", "lossy", "multicast"),
    "fec": ("none", "fec74", "fec91", "fec108", "fec161"),
    "ether-type": ("ipv4", "ipv6"),
    "group": ("external", "internal"),
    "ingress": ("lossless", "lossless-headroom", "lossy"),
    "level": ("low", "medium-low", "medium-high", "high", "any"),
    "lldp-description": ("interface-alias", "interface-description"),
    "lldp-display": ("port-description", "port-id"),
    "lldp-port": ("locally-assigned", "interface-name"),
    "mode": ("access", "trunk"),
    "priority": ("low", "medium-low", "medium-high", "high", "strict-high"),
    "protocol": ("bgp", "direct", "static"),
    "severity": ("any", "emergency", "alert", "critical", "error", "warning", "notice", "info"),
    "speed": ("10g", "25g", "40g", "50g", "100g", "200g", "400g", "800g"),
}
_PATTERNS = {
    "bits3": r"[01]{3}",
    "bits6": r"[01]{6}",
    "interface": r"et-\d+/\d+/\d+(:\d+)?|irb|lo0|re\d:mgmt-\d|em\d|fxp0|vme|et-\*",
    "irb": r"irb\.\d{1,4}",
    "lengths": r"/\d{1,2}-/\d{1,2}",
    "lldp": r"all|et-\d+/\d+/\d+(:\d+)?|re\d:mgmt-\d",
    "name": r"[A-Za-z0-9_.-]{1,63}",
    "text": r"[ -~]{1,255}",
    "unit": r"\d{1,5}|\*",
}
_RANGE = re.compile(r"(\d+)\.\.(\d+)")


class StatementError(ValueError):
    """A statement that is not in the grammar; ``word`` is what it fails at."""

    def __init__(self, word: str) -> None:
        super().__init__(f"syntax error at {word!r}")
        self.word = word


@dataclass(slots=True)
class Node:
    """A level of the grammar: a keyword with, maybe, the name of an entry or a value."""

    words: tuple[str, ...] = ()
    key: str = ""
    own_level: bool = False
    value: str = ""
    several: bool = False
    inline: bool = False
    whole: bool = False
    below: dict[tuple[str, ...], Node] = field(default_factory=dict)


class Step(NamedTuple):
    """Words of a statement that stand on one level of the hierarchy.

    ``leaf`` says that a value ends the statement, ``several`` that others may stand beside it.
    """

    words: Words
    inline: bool = False
    leaf: bool = False
    several: bool = False


Statement = tuple[Step, ...]


@cache
def root() -> Node:
    """Return the grammar."""
    top = Node()
    for line in (*STATEMENTS.strip().splitlines(), *BARE):
        _grow(top, line.split()).whole = True
    return top


def _grow(node: Node, tokens: list[str]) -> Node:
    for token in tokens:
        inline, plain = token.endswith("!"), token.rstrip("!+")
        inner = plain[1:-1]
        if plain.startswith("<"):
            node.value, node.several = inner, token.endswith("+")
        elif plain.startswith(("{", "[")):
            node.key, node.own_level = inner, plain.startswith("[")
        else:
            words = tuple(plain.split("~"))
            node = node.below.setdefault(words, Node(words))
        node.inline = node.inline or inline
    return node


@lru_cache(maxsize=1 << 14)
def fits(kind: str, word: str) -> bool:
    """Tell whether a word is a value of a type of the grammar."""
    limits = _RANGE.fullmatch(kind)
    if limits:
        return word.isascii() and word.isdigit() and int(limits[1]) <= int(word) <= int(limits[2])
    if kind in _WORDS:
        return word in _WORDS[kind]
    if kind in _PATTERNS:
        return bool(re.fullmatch(_PATTERNS[kind], word))
    try:
        if kind == "address":
            IPv4Address(word)
        else:
            IPv4Network(word, strict=False)
    except ValueError:
        return False
    return kind == "address" or "/" in word


def statements(words: Words) -> tuple[Statement, ...]:
    """Return the statements of a ``set`` line: one, or more where several share a line.

    Raises
    ------
    StatementError
        When the grammar has no such statement.
    """
    steps, rest, ended = _walk(root(), words)
    if not rest:
        if not ended:
            raise StatementError(words[-1])
        return (steps,)
    anchor = max((n for n, step in enumerate(steps) if step.inline), default=-1)
    if anchor < 0 or not ended or len(steps) <= anchor + 1:
        raise StatementError(rest[0])
    head = tuple(word for step in steps[: anchor + 1] for word in step.words)
    return (steps, *statements((*head, *rest)))


def levels(words: Words) -> list[Words]:
    """Return the words of every level on the way to the end of a statement, the whole one last.

    Of what the grammar does not know, only the whole statement is a level.
    """
    try:
        steps, _, _ = _walk(root(), words)
    except StatementError:
        steps = ()
    rows = [
        tuple(word for step in steps[:count] for word in step.words)
        for count in range(1, len(steps) + 1)
    ]
    return rows if words in rows else [*rows, words]


def replaces(words: Words) -> bool:
    """Tell whether setting a statement takes the place of one that differs in the last word."""
    try:
        (statement,) = statements(words)
    except (StatementError, ValueError):
        return False
    return statement[-1].leaf and not statement[-1].several


def _walk(node: Node, words: Words) -> tuple[Statement, Words, bool]:
    """Return the steps as far as the grammar goes, the words behind, and whether it may end."""
    steps: list[Step] = []
    rest, ended = words, False
    while rest:
        values = _below(node, rest)
        if values is None:
            break
        node, rest = values, rest[len(values.words) :]
        step, rest, ended = _take(node, rest)
        steps += step
        if steps[-1].leaf:
            break
    return tuple(steps), rest, ended


def _below(node: Node, words: Words) -> Node | None:
    for count in (2, 1):
        values = node.below.get(tuple(words[:count]))
        if values is not None and len(words) >= count:
            return values
    return None


def _take(node: Node, rest: Words) -> tuple[list[Step], Words, bool]:
    """Return the steps of a keyword with its name or value."""
    if node.value and not node.key:
        if not rest or not fits(node.value, rest[0]):
            raise StatementError(rest[0] if rest else node.words[-1])
        step = Step((*node.words, rest[0]), leaf=True, several=node.several)
        return [step], rest[1:], True
    if not node.key:
        ended = node.whole or not node.below
        return [Step(node.words, inline=node.inline)], rest, ended
    if not rest or not fits(node.key, rest[0]):
        raise StatementError(rest[0] if rest else node.words[-1])
    name = rest[:1]
    if node.own_level:
        return [Step(node.words), Step(name, inline=node.inline)], rest[1:], node.whole
    return [Step((*node.words, *name), inline=node.inline)], rest[1:], node.whole
