"""The configuration of the Comware 7 stand-in: what its lines depend on, and its text.

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
from typing import TYPE_CHECKING

from fabric.book.grammar import Grammar, LineRefusedError
from fabric.lab.lines.addresses import overlapping
from fabric.lab.lines.editor import Editor as LineEditor
from fabric.lab.lines.editor import feed_text
from fabric.lab.lines.tree import Section, indented
from fabric.qos.dscps import DSCPS
from fabric.systems.comware7.lab.rules import BRIDGE_ONLY, HIDDEN, ROUTE_ONLY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.book.grammar import InvalidInputError

GRAMMAR = Grammar(VIEWS, frozenset())
MOST_LOG_HOSTS = 4
DEFAULT_MAPS = {
    "dot1p-lp": (2, 0, 1, 3, 4, 5, 6, 7),
    "dscp-dot1p": tuple(dscp // 8 for dscp in range(DSCPS)),
    "dscp-lp": tuple(dscp // 8 for dscp in range(DSCPS)),
}


def refused(words: list[str], depth: int, *, incomplete: bool = False) -> LineRefusedError:
    """Return a refusal with the mark below the word that is wrong."""
    at = len(" ".join(words[:depth])) + bool(depth)
    what = "Incomplete command" if incomplete else "Unrecognized command"
    return LineRefusedError(f" {' ' * at}^\n % {what} found at '^' position.\n")


class Editor(LineEditor):
    """Applies lines to a tree, as the views of Comware do.

    Parameters
    ----------
    root : Section
        The tree to change.
    ports : iterable of str
        Ports of the hardware: they cannot be removed, and others not be made.
    """

    negations = ("undo",)
    leave = ("quit",)
    comment = "#"
    hidden = HIDDEN

    def __init__(self, root: Section, ports: Iterable[str] = ()) -> None:
        super().__init__(root, GRAMMAR)
        self.ports = tuple(ports)
        for name in (*self.ports, "NULL0"):
            self.store(root, GRAMMAR["config"].match(["interface", name]))
        self.store(root, GRAMMAR["config"].match(["vlan", "1"]))

    def paste(self, line: str) -> None:
        """Apply one line of a text; one of the whole system is indented as one of a section is."""
        words, depth = line.strip(), len(line) - len(line.lstrip(" "))
        if words in ("", "#", "return") or words.startswith("version "):
            return
        self.stack = self.stack[: 1 + (depth if len(self.stack) > 1 else 0)]
        try:
            self.feed(words)
        except LineRefusedError:
            if len(self.stack) == 1:
                raise
            self.stack = self.stack[:1]
            self.feed(words)

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return a refusal that marks the wrong word."""
        return refused(words, error.depth, incomplete="Incomplete" in error.text)

    # -- lines that come and go ------------------------------------------------------------------

    def is_hidden(self, context: Section, line: str) -> bool:
        """Tell whether a line says what is so anyway."""
        if context.mode == "map":
            _, number, _, value = line.split()
            return DEFAULT_MAPS[context.line.split()[-1]][int(number)] == int(value)
        return super().is_hidden(context, line)

    def arrived(self, context: Section, node: Section) -> None:
        """Give a new port its link mode."""
        if node.mode == "port":
            self.store(node, GRAMMAR["port"].match(["port", "link-mode", "bridge"]))

    def left(self, context: Section, node: Section) -> None:
        """Take away what goes with a line."""
        words = node.line.split()
        if node.mode == "vlan":
            self.root.children.pop(f"interface Vlan-interface{words[1]}", None)
            for port in self.root.below("interface "):
                if port.value("port access vlan") == words[1]:
                    del port.children["port access vlan"]
        if re.fullmatch(r"qos wfq (byte-count|weight)", node.line):
            context.drop("qos wfq ")
        if re.fullmatch(r"peer \S+ as-number \S+", node.line):
            for section in (context, context.get("address-family ipv4 unicast") or Section()):
                section.drop(f"peer {words[1]} ")
        if node.line.startswith("port link-mode "):
            self.store(context, GRAMMAR["port"].match(["port", "link-mode", "bridge"]))

    def mark(self, context: Section) -> str:
        """Return the link mode of a port."""
        return context.value("port link-mode")

    def settle(self, context: Section, mark: str) -> None:
        """Take away what a port loses when its link mode changes."""
        if mark and context.value("port link-mode") not in ("", mark):
            for key in list(context.children):
                if not key.startswith(("port link-mode", "shutdown")):
                    del context.children[key]

    # -- refusals --------------------------------------------------------------------------------

    def reason(self, context: Section, line: str) -> str:
        """Return why a line that fits the grammar does not fit the state."""
        match context.mode:
            case "config":
                reason = self._system(line)
            case "port":
                reason = self._port(context, line)
            case "bgp":
                reason = _bgp(context, line)
            case "map":
                reason = _map(context, line)
            case "bgp-ipv4":
                reason = _family(self.stack[-2][0], line)
            case _:
                reason = _limits(line)
        other = "" if reason else overlapping(self.root, context, line)
        return f"The IP address overlaps with that of {other}." if other else reason

    def _system(self, line: str) -> str:
        words, root = line.split(), self.root
        if line.startswith("interface "):
            vlan = words[1].removeprefix("Vlan-interface")
            is_port = GRAMMAR["config"].match(words).rule.opens == "port"
            if is_port and words[1] not in self.ports:
                return "The interface does not exist."
            if vlan.isdecimal() and f"vlan {vlan}" not in root.children:
                return f"VLAN {vlan} does not exist."
        if words[0] == "bgp" and any(node.line != line for node in root.below("bgp ")):
            return "BGP is already running in another AS."
        hosts = [node for node in root.below("info-center loghost") if node.line != line]
        if line.startswith("info-center loghost") and len(hosts) >= MOST_LOG_HOSTS:
            return "The number of log hosts exceeds the limit."
        return ""

    def _port(self, context: Section, line: str) -> str:
        routed = context.value("port link-mode") == "route"
        if line.startswith(ROUTE_ONLY) and not routed:
            return "The port is not a Layer 3 port."
        if line.startswith(BRIDGE_ONLY) and routed:
            return "The port is not a Layer 2 port."
        last = line.rsplit(maxsplit=1)[-1]
        if line.startswith("port access vlan") and f"vlan {last}" not in self.root.children:
            return f"VLAN {last} does not exist."
        if re.match(r"qos wfq (be|af|ef|cs)", line) and not context.value("qos wfq"):
            return "WFQ is not enabled on the port."
        table = f"qos wred queue table {last}"
        if line.startswith("qos wred apply") and table not in self.root.children:
            return "The WRED table does not exist."
        pfc = context.has("priority-flow-control enable") or context.has(
            "priority-flow-control auto"
        )
        if line == "priority-flow-control deadlock enable" and not (
            pfc and context.value("priority-flow-control no-drop dot1p")
        ):
            return "PFC is not enabled on the port."
        return ""

    def removal_reason(self, context: Section, node: Section) -> str:
        """Return why a line that is fixed or in use cannot be removed."""
        used = f"qos wred apply {node.line.split()[-1]}"
        if node.mode == "wred" and any(port.has(used) for port in self.root.below("interface ")):
            return "The WRED table is in use and cannot be removed."
        fixed = node.mode in ("port", "null", "management") or node.line == "vlan 1"
        return "The object cannot be removed." if fixed else ""


def _bgp(context: Section, line: str) -> str:
    words = line.split()
    if words[0] != "peer":
        return ""
    asn = context.value(f"peer {words[1]} as-number")
    if words[2] != "as-number" and not asn:
        return "The peer does not exist."
    if words[2] == "as-number" and asn and asn != words[3]:
        return "The AS number of a peer cannot be changed."
    if words[2] == "timer" and int(words[6]) and int(words[6]) < 3 * int(words[4]):
        return "The hold time must be at least three times the keepalive interval."
    return ""


def _family(bgp: Section, line: str) -> str:
    words = line.split()
    known = words[0] != "peer" or bgp.value(f"peer {words[1]} as-number")
    return "" if known else "The peer does not exist."


def _map(context: Section, line: str) -> str:
    size = len(DEFAULT_MAPS[context.line.split()[-1]])
    return "The value is out of range." if int(line.split()[1]) >= size else ""


def _limits(line: str) -> str:
    limits = re.search(r"low-limit (\d+) high-limit (\d+)", line)
    wrong = limits is not None and int(limits[1]) > int(limits[2])
    return "The lower limit exceeds the upper limit." if wrong else ""


def text_lines(root: Section) -> Iterator[str]:
    """Yield the lines of the running configuration, with ``#`` between its parts."""
    before = -1
    for node in root.sorted():
        if node.mode == "map" and not node.children:
            continue
        alone = not node.mode
        if not alone or node.order[0] != before:
            yield "#"
        before = node.order[0] if alone else -1
        yield f" {node.line}" if alone else node.line
        yield from indented(node, "#")


def read_text(text: str, ports: Iterable[str]) -> Section:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    editor = Editor(Section(), ports)
    feed_text(editor, text)
    return editor.root
