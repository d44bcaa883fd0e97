"""The configuration of the stand-in of Enterprise SONiC: what lines depend on, and its text.

Known: a line belongs to the section that is open, which ``exit`` leaves (sonic-net/sonic-mgmt @
b4ba9de3 spytest/apis send it); strict priority has no weight and two priorities can be paused at
most (ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_qos_scheduler,
sonic_qos_interfaces); a text of several words stands in quotation marks; ``Invalid VLAN`` for one
that does not exist (spytest/apis/switching/vlan.py); the words ``% Error`` and ``Syntax error``
(terminal plug-in of that collection).
Assumed: the rest of each refusal; a policy or map that is in use cannot go, nor a VLAN with
members, nor what a route map or BGP names; ports of the hardware are always shown, with MTU and
speed, and down when nothing is configured; ``shutdown`` and its opposite are both shown; ``buffer
init lossless`` restarts nothing here; what stood on the ports of a cage is gone after its mode
changed, which takes no time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.book.grammar import Grammar, LineRefusedError
from fabric.lab.lines.addresses import address_of, overlapping
from fabric.lab.lines.editor import Editor as LineEditor
from fabric.lab.lines.editor import feed_text
from fabric.lab.lines.tree import Section, indented, natural
from fabric.systems.esonic.lab.rules import HIDDEN, MODES, PORT_DEFAULTS, PROMPTS
from fabric.systems.esonic.lab.vrfs import FORWARDING, has_vni, vrf_reason, vrf_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.grammar import InvalidInputError

GRAMMAR = Grammar(MODES, frozenset())
_NAME = re.compile(r"\b(Ethernet|Vlan|Loopback|Management) (\d)")
_ACCESS = re.compile(r"(switchport (?:access|trunk allowed) Vlan)(\d)")
_MODE = re.compile(r"mode (\d+)x(\d+)G")
_QUOTED = re.compile(r'"(?:[^"]*)"|[^" ]+')
_MOST_PAUSED = 2


class Editor(LineEditor):
    """Applies lines to a tree, as the configuration mode of ``sonic-cli`` does.

    Parameters
    ----------
    root : Section
        The tree to change.
    ports : mapping of str to str
        Whole ports of the hardware, and the speed that each shows, in Mb/s. Each has as many lanes
        as lie between two names.
    """

    hidden = HIDDEN
    prefix = "% Error: "

    def __init__(self, root: Section, ports: dict[str, str]) -> None:
        super().__init__(root, GRAMMAR)
        self.ports = ports
        self.there: dict[str, str] = {}
        self._add_ports()

    @property
    def prompt(self) -> str:
        """What the prompt shows of the section that is open."""
        return PROMPTS[self.context.mode].format(self.context.line.rpartition(" ")[2])

    def present(self) -> dict[str, str]:
        """Return the ports that there are, as they are broken out, and the speed of each."""
        speeds: dict[str, str] = {}
        for cage, (name, speed) in enumerate(self.ports.items(), 1):
            mode = _MODE.fullmatch(self.root.value(f"interface breakout port 1/{cage}"))
            first, parts = int(name.removeprefix("Ethernet")), int(mode[1]) if mode else 1
            step = self.lanes // parts
            part_speed = f"{mode[2]}000" if mode else speed
            speeds |= {f"Ethernet{first + step * part}": part_speed for part in range(parts)}
        return speeds

    @property
    def lanes(self) -> int:
        """Lanes of a cage."""
        first, second, *_ = (int(name.removeprefix("Ethernet")) for name in [*self.ports][:2])
        return second - first

    def parts(self, port: str) -> list[str]:
        """Return the names of the ports of a cage, which is called ``1/N``."""
        cage = int(port.removeprefix("1/"))
        first = int([*self.ports][cage - 1].removeprefix("Ethernet"))
        names = (f"Ethernet{lane}" for lane in range(first, first + self.lanes))
        return [name for name in names if name in self.there]

    def _forget_ports(self, line: str) -> None:
        """Take away the ports of a cage; those that are there then are new."""
        cage = int(line.split()[3].removeprefix("1/"))
        first = int([*self.ports][cage - 1].removeprefix("Ethernet"))
        for lane in range(first, first + self.lanes):
            self.root.children.pop(f"interface Ethernet{lane}", None)
        self._add_ports()

    def _add_ports(self) -> None:
        self.there = self.present()
        for name in self.there:
            if f"interface {name}" not in self.root.children:
                self.store(self.root, GRAMMAR["config"].match(["interface", name]))
        for node in self.root.below("interface Ethernet"):
            self._show_defaults(node)

    def _show_defaults(self, node: Section) -> None:
        speed = f"speed {self.there[node.line.split()[1]]}"
        for key, line in {**PORT_DEFAULTS, "speed": speed}.items():
            if key not in node.children:
                words = line.split()
                matched = GRAMMAR[node.mode].match(words)
                node.children[key] = Section(line, "", (matched.rule.rank, natural(line)))

    def feed(self, line: str) -> None:
        """Apply one line; names of interfaces may be two words."""
        line = _ACCESS.sub(r"\1 \2", line.strip())
        super().feed(line if line.startswith("switchport ") else _NAME.sub(r"\1\2", line))

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return what the switch says of every line that it does not know."""
        return LineRefusedError(f"{' ' * 20}^\n% Error: Illegal parameter.\n")

    def apply(self, contexts: list[Section], words: list[str]) -> list[Section]:
        """Apply a line in the open section."""
        if words == ["priority-flow-control", "watchdog", "off"]:
            self.grammar[contexts[0].mode].match(words)
            contexts[0].drop("priority-flow-control watchdog on detect-time")
        elif words[:3] == ["no", "router", "bgp"] and len(words) in {3, 5}:
            self._remove_bgp(words[4] if words[3:] else "")
        else:
            return super().apply(contexts, words)
        return []

    def _remove_bgp(self, vrf: str) -> None:
        """Remove the BGP of a VRF, or the process: then no VRF has BGP any more."""
        ending = f" vrf {vrf}" if vrf else ""
        for node in self.root.below("router bgp "):
            if node.line == f"router bgp {node.line.split()[2]}{ending}":
                self.refuse("Please unconfigure l3vni" if has_vni(self.root, vrf) else "")
                del self.root.children[node.line]

    def arrived(self, context: Section, node: Section) -> None:
        """Replace a policy of the same direction; bring the ports of a cage."""
        line = node.line
        if context.mode in {"neighbor-af", "neighbor-evpn"} and line.endswith((" in", " out")):
            what, _, way = line.split()
            for key in [k for k in context.children if k != line and k.endswith(f" {way}")]:
                if key.startswith(f"{what} "):
                    del context.children[key]
        if line.startswith("interface breakout "):
            self._forget_ports(line)

    def left(self, context: Section, node: Section) -> None:
        """Bring back the port of a cage, or the defaults of a port."""
        if node.line.startswith("interface breakout "):
            self._forget_ports(node.line)
        if context.mode == "if-ethernet":
            self._show_defaults(context)

    def reason(self, context: Section, line: str) -> str:
        """Return why a line that fits the grammar does not fit the state."""
        return reason_against(self, context, line)

    def removal_reason(self, context: Section, node: Section) -> str:
        """Return why a line that is fixed or in use cannot be removed."""
        return _in_use(self.root, node) or vrf_use(self.root, context, node.line)


def _breakout_reason(editor: Editor, line: str) -> str:
    words = line.split()
    cage, mode = words[3].removeprefix("1/"), _MODE.fullmatch(" ".join(words[4:]))
    if not cage.isdecimal() or not 1 <= int(cage) <= len(editor.ports):
        return "Invalid port"
    if mode is None or editor.lanes % int(mode[1]):
        return "Invalid breakout mode"
    return ""


def reason_against(editor: Editor, context: Section, line: str) -> str:
    """Return why a line that fits the grammar does not fit the state; empty when it does."""
    root, words = editor.root, line.split()
    if line.startswith("interface breakout "):
        return _breakout_reason(editor, line)
    if line.startswith("interface Ethernet") and words[1] not in editor.there:
        return "Invalid interface"
    if line.startswith("router bgp ") and any(
        node.line.split()[2] != words[2] for node in root.below("router bgp ")
    ):
        return "BGP is already running with another AS number"
    if words[0] == "description" and not _QUOTED.fullmatch(line.partition(" ")[2]):
        return "Illegal parameter."
    if context.mode == "scheduler-queue":
        both = {node.line for node in context.children.values()} | {line}
        strict = "type strict" in both and words[0] in {"type", "weight"}
        if strict and any(other.startswith("weight ") for other in both):
            return "Weight is not allowed with strict scheduling"
    if words[0] == "green" and int(words[2]) > int(words[4]):
        return "Minimum threshold is above maximum threshold"
    return (
        _missing(root, line)
        or vrf_reason(root, context, line)
        or _port_reason(root, context, line)
        or _address_reason(root, context, line)
    )


def _missing(root: Section, line: str) -> str:
    """Return which route map or prefix list a line names that does not exist."""
    named = re.fullmatch(r"(?:redistribute connected )?route-map (\S+)(?: in| out)?", line)
    if named and not list(root.below(f"route-map {named[1]} ")):
        return f"route-map {named[1]} does not exist"
    named = re.fullmatch(r"match (ip|ipv6) address prefix-list (\S+)", line)
    if named and not list(root.below(f"{named[1]} prefix-list {named[2]} ")):
        return f"prefix-list {named[2]} does not exist"
    return ""


_REFERENCES = (
    (r"queue \d wred-policy (\S+)", "qos wred-policy {}"),
    (r"scheduler-policy (\S+)", "qos scheduler-policy {}"),
    (r"qos-map (\S+ \S+)", "qos map {}"),
)


def _port_reason(root: Section, context: Section, line: str) -> str:
    if context.mode != "if-ethernet":
        return ""
    for pattern, policy in _REFERENCES:
        named = re.fullmatch(pattern, line)
        if named and policy.format(named[1]) not in root.children:
            return f"{policy.format(named[1])} does not exist"
    if line.startswith("switchport access "):
        vlan = line.rpartition(" ")[2]
        if f"interface Vlan{vlan}" not in root.children:
            return f"Invalid VLAN: {vlan}"
        if context.value("ip address") or context.value("ipv6 address"):
            return "Interface has an IP address"
    addressed = line.startswith(("ip address ", "ipv6 address "))
    if addressed and context.value("switchport access Vlan"):
        return "Interface is a member of a VLAN"
    if line.startswith("priority-flow-control priority "):
        paused = {node.line for node in context.below("priority-flow-control priority ")}
        if len(paused | {line}) > _MOST_PAUSED:
            return "At most two priorities can be enabled"
    return ""


def _address_reason(root: Section, context: Section, line: str) -> str:
    other = overlapping(root, context, line, FORWARDING)
    return f"IP {address_of(line).network} overlaps with {other}" if other else ""


def _in_use(root: Section, node: Section) -> str:
    """Return why the switch will not remove a line; empty when it will."""
    line = node.line
    if line.startswith("interface Ethernet"):
        return "Physical interface cannot be removed"
    vlan = re.fullmatch(r"interface Vlan(\d+)", line)
    users = [inner.line for port in root.below("interface ") for inner in port.children.values()]
    if vlan and f"switchport access Vlan {vlan[1]}" in users:
        return f"Vlan{vlan[1]} has members"
    named_by = _named_by(root, line)
    if named_by:
        return f"{line} is in use by {named_by}"
    for pattern, policy in _REFERENCES:
        named = {
            policy.format(match[1]) for user in users if (match := re.fullmatch(pattern, user))
        }
        if line in named:
            return f"{line} is in use"
    return ""


def _named_by(root: Section, line: str) -> str:
    """Return what names a route map or the last entry of a prefix list; empty if nothing does."""
    words = line.split()
    if re.fullmatch(r"route-map \S+ (permit|deny) \d+", line):
        for bgp in root.below("router bgp "):
            for node in _whole(bgp):
                if f"route-map {words[1]}" in node.line:
                    return node.line
    if line.startswith(("ip prefix-list ", "ipv6 prefix-list ")):
        entries = list(root.below(f"{words[0]} prefix-list {words[2]} "))
        for route_map in root.below("route-map ") if len(entries) == 1 else ():
            if route_map.value(f"match {words[0]} address prefix-list") == words[2]:
                return route_map.line
    return ""


def _whole(node: Section) -> Iterator[Section]:
    for child in node.children.values():
        yield child
        yield from _whole(child)


def read_text(text: str, ports: dict[str, str]) -> Section:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    root = Section()
    feed_text(Editor(root, ports), text)
    return root


def text_lines(root: Section) -> Iterator[str]:
    """Yield the lines of ``show running-configuration``."""
    yield "!"
    for node in root.sorted():
        yield node.line
        yield from indented(node, "!", always=True)
        if node.children:
            yield "!"
