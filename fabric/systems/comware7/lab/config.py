"""The configuration tree of the Comware 7 stand-in: views, lines and what they depend on.

Known (grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help): a line belongs to the view
that it is typed in; what is the default is not shown; a change of the link mode resets a port
but for its `shutdown`; VLANs come before what names them; a peer comes before what is said of it,
and its AS number cannot be changed; WFQ comes before its queues; a WRED table that is in use stays;
one BGP process; four log hosts; hold is at least three times keepalive; the map of priorities to
queues is not the identity. From [HPE] that thresholds are in order.
Assumed: texts of refusals other than those that begin with ``%``; the default of the DSCP tables,
the DSCP divided by 8; LLDP is off when nothing is said; a VLAN that goes away takes its gateway
along and its ports back to VLAN 1; the link mode is always shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any

from fabric.lab.lines.grammar import Grammar, InvalidInputError
from fabric.systems.comware7.lab.rules import BRIDGE_ONLY, HIDDEN, ROUTE_ONLY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.lab.lines.grammar import Matched

GRAMMAR = Grammar(VIEWS, frozenset())
MOST_LOG_HOSTS = 4
DEFAULT_MAPS = {
    "dot1p-lp": (2, 0, 1, 3, 4, 5, 6, 7),
    "dscp-dot1p": tuple(dscp // 8 for dscp in range(64)),
    "dscp-lp": tuple(dscp // 8 for dscp in range(64)),
}
_KINDS = {
    r"LoopBack\d+": "loopback",
    r"Vlan-interface\d+": "gateway",
    r"NULL0": "null",
    r"M-GigabitEthernet0/0/0": "management",
}


class LineRefusedError(ValueError):
    """A line that Comware refuses, in its words."""


@dataclass(slots=True, eq=False)
class Node:
    """One line of the configuration and what stands below it."""

    line: str = ""
    view: str = "system"
    order: tuple[Any, ...] = ()
    children: dict[str, Node] = field(default_factory=dict)

    def copy(self) -> Node:
        """Return a copy with copies of everything below."""
        below = {key: node.copy() for key, node in self.children.items()}
        return Node(self.line, self.view, self.order, below)

    def sorted(self) -> list[Node]:
        """Return the children in the order of the running configuration."""
        return sorted(self.children.values(), key=lambda node: node.order)

    def has(self, line: str) -> bool:
        """Tell whether a line stands directly below."""
        return any(node.line == line for node in self.children.values())

    def value(self, words: str) -> str:
        """Return what follows the words in the line that begins with them; empty when none does."""
        for node in self.children.values():
            if node.line.startswith(f"{words} "):
                return node.line.removeprefix(words).strip()
        return ""

    def below(self, words: str) -> Iterator[Node]:
        """Yield the children whose line begins with the words, in order."""
        yield from (node for node in self.sorted() if node.line.startswith(words))


def refused(words: list[str], depth: int, *, incomplete: bool = False) -> LineRefusedError:
    """Return a refusal with the mark below the word that is wrong."""
    at = len(" ".join(words[:depth])) + bool(depth)
    what = "Incomplete command" if incomplete else "Unrecognized command"
    return LineRefusedError(f" {' ' * at}^\n % {what} found at '^' position.\n")


class Editor:
    """Applies lines to a tree, as the views of Comware do.

    Parameters
    ----------
    root : Node
        The tree to change.
    ports : iterable of str
        Ports of the hardware: they cannot be removed, and others not be made.
    """

    def __init__(self, root: Node, ports: Iterable[str] = ()) -> None:
        self.root = root
        self.ports = tuple(ports)
        self.stack: list[Node] = [root]
        for name in (*self.ports, "NULL0"):
            self._store(root, GRAMMAR["system"].match(["interface", name]))
        self._store(root, GRAMMAR["system"].match(["vlan", "1"]))

    def feed(self, line: str) -> None:
        """Apply one line in the view that is open.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        words = line.split()
        if not words or words[0].startswith("#"):
            return
        if words == ["quit"]:
            self.stack = self.stack[:-1] or self.stack
            return
        here = self.stack[-1]
        try:
            if words[0] == "undo" and not self._knows(here, words):
                self._undo(here, words[1:])
                return
            opened = self._store(here, GRAMMAR[here.view].match(words))
        except InvalidInputError as error:
            raise refused(words, error.depth, incomplete="Incomplete" in error.text) from None
        if opened is not None:
            self.stack.append(opened)

    @staticmethod
    def _knows(here: Node, words: list[str]) -> bool:
        try:
            GRAMMAR[here.view].match(words)
        except InvalidInputError:
            return False
        return True

    # -- lines that come -------------------------------------------------------------------------

    def _store(self, here: Node, matched: Matched) -> Node | None:
        node = None
        for key, line, _ in matched.entries():
            self._check(here, line)
            mode = here.value("port link-mode")
            if line in HIDDEN.get(here.view, ()) or self._is_default_map(here, line):
                here.children.pop(key, None)
                continue
            node = here.children.get(key)
            if node is None or node.line != line:
                order = (matched.rule.rank, _natural(line))
                node = here.children[key] = Node(line, self._view_of(matched, line), order)
                self._arrive(here, line, mode)
        return node if matched.rule.opens else None

    def _view_of(self, matched: Matched, line: str) -> str:
        if matched.rule.opens != "interface":
            return matched.rule.opens or "system"
        name = line.removeprefix("interface ")
        return next((view for kind, view in _KINDS.items() if re.fullmatch(kind, name)), "port")

    def _arrive(self, here: Node, line: str, mode: str) -> None:
        """Bring along what comes with a line."""
        if line.startswith("interface ") and here.children[line].view == "port":
            self._store(here.children[line], GRAMMAR["port"].match(["port", "link-mode", "bridge"]))
        if line.startswith("port link-mode ") and mode and mode != line.rsplit(maxsplit=1)[-1]:
            _reset(here)

    @staticmethod
    def _is_default_map(here: Node, line: str) -> bool:
        if here.view != "map":
            return False
        _, number, _, value = line.split()
        return DEFAULT_MAPS[here.line.split()[-1]][int(number)] == int(value)

    def _check(self, here: Node, line: str) -> None:
        """Refuse a line that fits the grammar and not the state.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        reasons = {"system": self._system, "port": self._port, "bgp": _bgp, "map": _map}
        if here.view in reasons:
            reason = reasons[here.view](here, line)
        elif here.view == "bgp-ipv4":
            reason = _family(self.stack[-2], line)
        else:
            reason = _limits(line)
        reason = reason or self._address(here, line)
        if reason:
            message = f"Error: {reason}\n"
            raise LineRefusedError(message)

    def _system(self, _here: Node, line: str) -> str:
        words, root = line.split(), self.root
        if line.startswith("interface "):
            known = words[1] in self.ports or any(re.fullmatch(k, words[1]) for k in _KINDS)
            vlan = words[1].removeprefix("Vlan-interface")
            if not known:
                return "The interface does not exist."
            if vlan.isdecimal() and f"vlan {vlan}" not in root.children:
                return f"VLAN {vlan} does not exist."
        if words[0] == "bgp" and any(node.line != line for node in root.below("bgp ")):
            return "BGP is already running in another AS."
        hosts = [node for node in root.below("info-center loghost") if node.line != line]
        if line.startswith("info-center loghost") and len(hosts) >= MOST_LOG_HOSTS:
            return "The number of log hosts exceeds the limit."
        return ""

    def _port(self, here: Node, line: str) -> str:
        routed = here.value("port link-mode") == "route"
        if line.startswith(ROUTE_ONLY) and not routed:
            return "The port is not a Layer 3 port."
        if line.startswith(BRIDGE_ONLY) and routed:
            return "The port is not a Layer 2 port."
        last = line.rsplit(maxsplit=1)[-1]
        if line.startswith("port access vlan") and f"vlan {last}" not in self.root.children:
            return f"VLAN {last} does not exist."
        if re.match(r"qos wfq (be|af|ef|cs)", line) and not here.value("qos wfq"):
            return "WFQ is not enabled on the port."
        table = f"qos wred queue table {last}"
        if line.startswith("qos wred apply") and table not in self.root.children:
            return "The WRED table does not exist."
        pfc = here.has("priority-flow-control enable") or here.has("priority-flow-control auto")
        if line == "priority-flow-control deadlock enable" and not (
            pfc and here.value("priority-flow-control no-drop dot1p")
        ):
            return "PFC is not enabled on the port."
        return ""

    def _address(self, here: Node, line: str) -> str:
        if not line.startswith("ip address "):
            return ""
        wanted = ip_interface("/".join(line.split()[2:])).network
        for other in self.root.below("interface "):
            value = other.value("ip address").split()
            if (
                other is not here
                and value
                and ip_interface("/".join(value)).network.overlaps(wanted)
            ):
                return f"The IP address overlaps with that of {other.line.split()[1]}."
        return ""

    # -- lines that go ---------------------------------------------------------------------------

    def _undo(self, here: Node, words: list[str]) -> None:
        try:
            keys, longer = GRAMMAR[here.view].match_removal(words)
        except InvalidInputError as error:
            raise refused(["undo", *words], error.depth) from None
        for key in keys:
            found = [k for k in here.children if k == key or (longer and k.startswith(f"{key} "))]
            for name in found:
                if name in here.children:  # it may have gone with another one
                    self._check_removal(here.children[name])
                    self._leave(here, here.children.pop(name))

    def _check_removal(self, node: Node) -> None:
        used = f"qos wred apply {node.line.split()[-1]}"
        fixed = node.view in ("port", "null", "management") or node.line == "vlan 1"
        reason = "The object cannot be removed." if fixed and node.view != "system" else ""
        if node.view == "wred" and any(port.has(used) for port in self.root.below("interface ")):
            reason = "The WRED table is in use and cannot be removed."
        if reason:
            message = f"Error: {reason}\n"
            raise LineRefusedError(message)

    def _leave(self, here: Node, gone: Node) -> None:
        """Take away what goes with a line."""
        words = gone.line.split()
        if gone.view == "vlan":
            self.root.children.pop(f"interface Vlan-interface{words[1]}", None)
            for port in self.root.below("interface "):
                if port.value("port access vlan") == words[1]:
                    del port.children["port access vlan"]
        if re.fullmatch(r"qos wfq (byte-count|weight)", gone.line):
            for key in [k for k in here.children if k.startswith("qos wfq ")]:
                del here.children[key]
        if re.fullmatch(r"peer \S+ as-number \S+", gone.line):
            family = here.children.get("address-family ipv4 unicast", Node())
            for node in (here, family):
                for key in [k for k in node.children if k.startswith(f"peer {words[1]} ")]:
                    del node.children[key]
        if gone.line.startswith("port link-mode "):
            if gone.line.endswith("route"):
                _reset(here)
            self._store(here, GRAMMAR["port"].match(["port", "link-mode", "bridge"]))


def _reset(port: Node) -> None:
    """Take away what a port loses when its link mode changes."""
    for key in [k for k in port.children if not k.startswith(("port link-mode", "shutdown"))]:
        del port.children[key]


def _bgp(here: Node, line: str) -> str:
    words = line.split()
    if words[0] != "peer":
        return ""
    asn = here.value(f"peer {words[1]} as-number")
    if words[2] != "as-number" and not asn:
        return "The peer does not exist."
    if words[2] == "as-number" and asn and asn != words[3]:
        return "The AS number of a peer cannot be changed."
    if words[2] == "timer" and int(words[6]) and int(words[6]) < 3 * int(words[4]):
        return "The hold time must be at least three times the keepalive interval."
    return ""


def _family(bgp: Node, line: str) -> str:
    words = line.split()
    known = words[0] != "peer" or bgp.value(f"peer {words[1]} as-number")
    return "" if known else "The peer does not exist."


def _map(here: Node, line: str) -> str:
    size = len(DEFAULT_MAPS[here.line.split()[-1]])
    return "The value is out of range." if int(line.split()[1]) >= size else ""


def _limits(line: str) -> str:
    found = re.search(r"low-limit (\d+) high-limit (\d+)", line)
    wrong = found is not None and int(found[1]) > int(found[2])
    return "The lower limit exceeds the upper limit." if wrong else ""


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    parts = re.split(r"(\d+)", text)
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)


def text_lines(root: Node) -> Iterator[str]:
    """Yield the lines of the running configuration, with ``#`` between its parts."""
    before = -1
    for node in root.sorted():
        if node.view == "map" and not node.children:
            continue
        alone = node.view == "system"
        if not alone or node.order[0] != before:
            yield "#"
        before = node.order[0] if alone else -1
        yield f" {node.line}" if alone else node.line
        yield from _below(node, 1)


def _below(node: Node, depth: int) -> Iterator[str]:
    for child in node.sorted():
        if child.children:
            yield f"{' ' * depth}#"
        yield " " * depth + child.line
        yield from _below(child, depth + 1)


def read_text(text: str, ports: Iterable[str]) -> Node:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    editor = Editor(Node(), ports)
    for number, line in enumerate(text.splitlines(), 1):
        words, depth = line.strip(), len(line) - len(line.lstrip(" "))
        if words in ("", "#", "return") or words.startswith("version "):
            continue
        # A line of the whole system is indented as far as one of a section.
        within = depth if len(editor.stack) > 1 else 0
        editor.stack = editor.stack[: within + 1]
        try:
            _feed_either(editor, words)
        except LineRefusedError as error:
            message = f"line {number}: {line!r}: {str(error).strip()}"
            raise ValueError(message) from error
    return editor.root


def _feed_either(editor: Editor, line: str) -> None:
    """Apply a line in the open view, or where that does not know it, in that of the system."""
    try:
        editor.feed(line)
    except LineRefusedError:
        if len(editor.stack) == 1:
            raise
        editor.stack = editor.stack[:1]
        editor.feed(line)
