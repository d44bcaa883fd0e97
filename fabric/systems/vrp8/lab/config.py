"""The configuration tree of the VRP8 stand-in: editing by lines, canonical text.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d): a line belongs
to the view in which it is given; the conditions of the commands for PFC, its headroom, the layers
of a port, ECN of a queue and BFD of a peer; ``peer as-number`` enables the peer in the unicast
family; a changed link type takes the VLAN away; a split port is gone with all that was said about
it, and its parts are new; defaults are not shown, ports always are. Assumed:
each line is judged when it is given, not at the commit; what is named by another line cannot go;
texts of refusals, but that of an unknown command; an address equal to its network is taken on a
link of two addresses; mappings of DSCP that were set are shown.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from fabric.systems.vrp8.lab.grammar import Matched, Rule, match, rules
from fabric.systems.vrp8.lab.node import Node
from fabric.systems.vrp8.lab.reasons import addition_reason, removal_reason
from fabric.systems.vrp8.lab.rules import HIDDEN, RECOVERY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator

UNKNOWN = "Error: Unrecognized command found at '^' position."
_VLANS = re.compile(r"(undo )?vlan batch ((?:\d+(?: to \d+)? ?)+)")
_PRIORITIES = re.compile(r"(undo )?priority((?: [0-7])+)")
_PEER = re.compile(r"peer ([\d.]+)(?: |$)")


class LineRefusedError(ValueError):
    """A line that VRP8 refuses, in its words."""


@cache
def known(view: str) -> tuple[Rule, ...]:
    """Return the rules of a view."""
    return rules(VIEWS[view])


class Editor:
    """Edits one tree line by line.

    Parameters
    ----------
    root : Node
        The tree.
    ports : tuple of str
        Ports of the hardware.
    family : str
        ``a`` or ``b``.
    """

    def __init__(self, root: Node, ports: tuple[str, ...], family: str) -> None:
        self.root = root
        self.ports = ports
        self.family = family
        self.stack = [root]

    def present(self) -> Iterator[str]:
        """Yield the ports that there are, as they are split."""
        for port in self.ports:
            split = self.root.value(f"port split dimension interface {port} split-type")
            names = [f"{port}:{part}" for part in range(1, int(split[0]) + 1)] if split else []
            yield from names or [port]

    def add_ports(self) -> None:
        """Bring the ports in line with the hardware and how it is split."""
        names = dict.fromkeys(f"interface {name}" for name in self.present())
        there = {n.line: key for key, n in self.root.children.items() if n.view == "port"}
        for line in there.keys() - names.keys():
            del self.root.children[there[line]]
        for line in names.keys() - there.keys():
            matched = match(known("system"), self.family, line)
            if matched is not None:
                self.root.children[matched.key] = Node(
                    line, "port", matched.rule.rank, matched.arguments
                )

    def quit(self) -> None:
        """Leave the view."""
        self.stack = self.stack[:-1] or [self.root]

    def feed(self, line: str) -> None:
        """Apply one line in the view that is open; a line that opens a view enters it.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        words = " ".join(line.split())
        if "?" in words:
            raise LineRefusedError(UNKNOWN)
        vlans, priorities = _VLANS.fullmatch(words), _PRIORITIES.fullmatch(words)
        view = self.stack[-1].view
        if vlans and view == "system":
            for number in _numbers(vlans[2]):
                self._vlan(number, remove=bool(vlans[1]))
        elif priorities and view == "pfc":
            for priority in priorities[2].split():
                self._one(f"{priorities[1] or ''}priority {priority}")
        else:
            self._one(words)

    def _vlan(self, number: int, *, remove: bool) -> None:
        line = f"vlan batch {number}"
        key = f"vlan:{number}"
        if not remove:
            rank = next(rule.rank for rule in known("system") if rule.opens == "vlan")
            self.root.children.setdefault(key, Node(line, "none", rank, (str(number),)))
            return
        if key not in self.root.children:
            raise LineRefusedError(f"Error: The VLAN {number} does not exist.")
        self._refuse(removal_reason(self, self.root, self.root.children[key]))
        del self.root.children[key]
        for name in [k for k, node in self.root.children.items() if node.line == f"vlan {number}"]:
            del self.root.children[name]

    def _one(self, line: str) -> None:
        context = self.stack[-1]
        if line in ("portswitch", "undo portswitch") and context.view == "port":
            self._refuse(addition_reason(self, context, line))
            context.children.pop("layer", None)
            if line.startswith("undo"):
                context.children["layer"] = Node(line, "none", -1)
        elif line.startswith("undo "):
            self._undo(context, line.removeprefix("undo "))
        else:
            matched = match(known(context.view), self.family, line)
            if matched is None:
                raise LineRefusedError(UNKNOWN)
            self._store(context, matched)

    def _store(self, context: Node, matched: Matched) -> None:
        rule, line = matched.rule, matched.line
        node = context.children.get(matched.key)
        if node is None or node.line != line:
            self._refuse(addition_reason(self, context, line))
            kept = node.children if node is not None and rule.opens else {}
            node = Node(line, rule.opens or "none", rule.rank, matched.arguments, kept)
            context.children[matched.key] = node
            self._follow(context, node)
            if line in self._hidden(context.view):
                del context.children[matched.key]
        if rule.opens:
            self.stack.append(node)

    def _hidden(self, view: str) -> set[str]:
        behaviour = f"dcb pfc deadlock recovery-behavior {RECOVERY[self.family]} slot 1"
        return {*HIDDEN.get(view, ()), *([behaviour] if view == "system" else [])}

    def _follow(self, context: Node, node: Node) -> None:
        """Do what a line does beside standing there."""
        if node.line.startswith("port split "):
            self.add_ports()
        if node.line.startswith("port link-type "):
            for key in [
                k for k, n in context.children.items() if n.line.startswith("port default")
            ]:
                del context.children[key]
        if context.view == "bgp" and " as-number " in node.line:
            editor = Editor(self.root, self.ports, self.family)
            editor.stack = [self.root, context]
            editor.feed("ipv4-family unicast")
            editor.feed(f"peer {node.arguments[0]} enable")

    def _undo(self, context: Node, words: str) -> None:
        for rule in known(context.view):
            for form in rule.undo if rule.family in ("", self.family) else ():
                arguments = form.match(words)
                if arguments is None:
                    continue
                found = [
                    (key, node)
                    for key, node in context.children.items()
                    if key.startswith(f"{rule.rank}:") and _is_meant(node, words, arguments)
                ]
                self._remove(context, found)
                return
        raise LineRefusedError(UNKNOWN)

    def _remove(self, context: Node, found: list[tuple[str, Node]]) -> None:
        for key, node in found:
            self._refuse(removal_reason(self, context, node))
            del context.children[key]
            if node.line.startswith("port split "):
                self.add_ports()
            if " as-number " in node.line:
                _forget_peer(context, node.arguments[0])

    @staticmethod
    def _refuse(reason: str) -> None:
        if reason:
            raise LineRefusedError(f"Error: {reason}")


def _is_meant(node: Node, words: str, arguments: tuple[str, ...]) -> bool:
    """Tell whether ``undo`` with these arguments means a line: all of it, or what it is about."""
    given = [argument for argument in arguments if argument is not None]
    about = list(node.arguments[: len(given)])
    return node.line == words or (given[: len(about)] == about and not _more(node, words))


def _more(node: Node, words: str) -> bool:
    """Tell whether the words name a value that the line does not have."""
    return words.split()[: len(node.line.split())] != node.line.split() and (
        words.startswith(("ip address ", "fec mode ", "port default vlan ", "jumboframe enable "))
        and len(words.split()) == len(node.line.split())
    )


def _forget_peer(bgp: Node, address: str) -> None:
    for context in (bgp, *(node for node in bgp.children.values() if node.view == "bgp-af")):
        for key, node in list(context.children.items()):
            peer = _PEER.match(node.line)
            if peer and peer[1] == address:
                del context.children[key]


def _numbers(text: str) -> Iterator[int]:
    words = text.split()
    for at, word in enumerate(words):
        if word == "to":
            yield from range(int(words[at - 1]) + 1, int(words[at + 1]))
        else:
            yield int(word)


def read_text(text: str, ports: tuple[str, ...], family: str) -> Node:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    root = Node()
    editor = Editor(root, ports, family)
    editor.add_ports()
    feed_text(editor, text)
    return root


def feed_text(editor: Editor, text: str) -> None:
    """Apply a text of several lines, indented as the configuration is.

    Raises
    ------
    ValueError
        When a line is refused; the lines before it are applied.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.strip() in ("#", "return"):
            continue
        depth = len(line) - len(line.lstrip(" "))
        editor.stack = editor.stack[: depth + 1]
        try:
            editor.feed(line.strip())
        except LineRefusedError as error:
            message = f"line {number}: {line!r}: {str(error).strip()}"
            raise ValueError(message) from error


def text_lines(root: Node) -> Iterator[str]:
    """Yield the lines of a configuration as the switch shows it, from the first separator on."""
    vlans = sorted(int(node.arguments[0]) for node in root.below("vlan batch "))
    if vlans:
        yield from ("#", f"vlan batch {_ranges(vlans)}")
    for node in root.sorted():
        if not node.line.startswith("vlan batch "):
            yield "#"
            yield from _shown(node, 0)
    yield "#"


def _shown(node: Node, depth: int) -> Iterator[str]:
    if depth and node.children:
        yield f"{' ' * depth}#"
    yield f"{' ' * depth}{node.line}"
    for child in node.sorted():
        yield from _shown(child, depth + 1)


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return " ".join(f"{p[0]} to {p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)
