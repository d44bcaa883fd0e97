"""The configuration of the VRP8 stand-in: what comes and goes with its lines, and its text.

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

from fabric.book.grammar import Grammar, LineRefusedError
from fabric.lab.lines.editor import Editor as LineEditor
from fabric.lab.lines.editor import feed_text
from fabric.lab.lines.tree import Section, indented, spans
from fabric.systems.vrp8.lab.reasons import addition_reason, removal_reason
from fabric.systems.vrp8.lab.rules import HIDDEN, RECOVERY, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.grammar import InvalidInputError

UNKNOWN = "Error: Unrecognized command found at '^' position."
_VLANS = re.compile(r"(undo )?vlan batch ((?:\d+(?: to \d+)? ?)+)")
_PRIORITIES = re.compile(r"(undo )?priority((?: [0-7])+)")
#: Lines of which ``undo`` with another value means nothing.
_VALUED = ("ip address", "fec mode", "port default vlan", "jumboframe enable")


@cache
def grammar(family: str) -> Grammar:
    """Return what a switch of a family accepts."""
    return Grammar(VIEWS, frozenset({family}))


class Editor(LineEditor):
    """Edits one tree line by line.

    Parameters
    ----------
    family : str
        ``a`` or ``b``.
    """

    negations = ("undo",)
    leave = ()
    comment = "#"
    keeps_children = True

    def __init__(self, root: Section, ports: tuple[str, ...], family: str) -> None:
        super().__init__(root, grammar(family))
        self.ports = ports
        self.family = family

    def present(self) -> Iterator[str]:
        """Yield the ports that there are, as they are split."""
        for port in self.ports:
            split = self.root.value(f"port split dimension interface {port} split-type")
            names = [f"{port}:{part}" for part in range(1, int(split[0]) + 1)] if split else []
            yield from names or [port]

    def add_ports(self) -> None:
        """Bring the ports in line with the hardware and how it is split."""
        names = {f"interface {name}" for name in self.present()}
        there = {key for key, node in self.root.children.items() if node.mode == "port"}
        for key in there - names:
            del self.root.children[key]
        for key in names - there:
            self.store(self.root, self.grammar["config"].match(key.split()))

    def feed(self, line: str) -> None:
        """Apply one line in the view that is open; some stand for several."""
        words = " ".join(line.split())
        if "?" in words:
            raise LineRefusedError(UNKNOWN)
        vlans, priorities = _VLANS.fullmatch(words), _PRIORITIES.fullmatch(words)
        if vlans and self.context.mode == "config":
            for number in _numbers(vlans[2]):
                super().feed(f"{vlans[1] or ''}vlan batch {number}")
        elif priorities and self.context.mode == "pfc":
            for priority in priorities[2].split():
                super().feed(f"{priorities[1] or ''}priority {priority}")
        else:
            super().feed(words)

    def paste(self, line: str) -> None:
        """Apply one line of a text that is indented as the configuration is shown."""
        if line.strip() != "return":
            super().paste(line)

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return what the switch says of every line that it does not know."""
        return LineRefusedError(UNKNOWN)

    def apply(self, contexts: list[Section], words: list[str]) -> list[Section]:
        """Apply a line in the open view."""
        context, line = contexts[0], " ".join(words)
        if line in ("portswitch", "undo portswitch") and context.mode == "port":
            self.refuse(self.reason(context, line))
            context.children.pop("layer", None)
            if words[0] == "undo":
                context.children["layer"] = Section(line, "", (-1,))
            return []
        if words[0] != "undo":
            return super().apply(contexts, words)
        keys, longer = self.grammar[context.mode].match_removal(words[1:])
        gone = context.mode == "config" and keys[0] not in context.children
        if gone and keys[0].startswith("vlan batch "):
            self.refuse(f"The VLAN {words[-1]} does not exist.")
        if not _names_other(context, line.removeprefix("undo ")):
            self.remove(context, keys, longer=longer)
        return []

    def reason(self, context: Section, line: str) -> str:
        """Return why a line that fits the grammar does not fit the state."""
        known = context.has(line) or (context.mode == "config" and line.startswith("vlan batch "))
        return "" if known else addition_reason(self, context, line)

    def removal_reason(self, context: Section, node: Section) -> str:
        """Return why a line that is in use cannot be removed."""
        return removal_reason(self, context, node)

    def is_hidden(self, context: Section, line: str) -> bool:
        """Tell whether a line says what is so anyway."""
        behaviour = f"dcb pfc deadlock recovery-behavior {RECOVERY[self.family]} slot 1"
        own = context.mode == "config" and line == behaviour
        return own or line in HIDDEN.get(context.mode, ())

    def arrived(self, context: Section, node: Section) -> None:
        """Do what a line does beside standing there."""
        if node.line.startswith("port split "):
            self.add_ports()
        if node.line.startswith("port link-type "):
            context.drop("port default")
        known = node.line.split()
        if context.mode == "bgp" and " as-number " in node.line and ":" not in known[1]:
            editor = Editor(self.root, self.ports, self.family)
            editor.stack = [[self.root], [context]]
            editor.feed("ipv4-family unicast")
            editor.feed(f"peer {known[1]} enable")

    def left(self, context: Section, node: Section) -> None:
        """Take away what goes with a line."""
        words = node.line.split()
        if node.line.startswith("port split "):
            self.add_ports()
        if node.line.startswith("vlan batch "):
            context.children.pop(f"vlan {words[-1]}", None)
        if " as-number " in node.line or words[0] == "group":
            modes = ("bgp-af", "bgp-af6")
            families = [one for one in context.children.values() if one.mode in modes]
            for section in (context, *families):
                section.drop(f"peer {words[1]} ")


def _names_other(context: Section, line: str) -> bool:
    """Tell whether a line names a value that the line with its key does not have."""
    for key in _VALUED:
        old = context.get(key) if line.startswith(f"{key} ") else None
        if old is not None and old.line != line:
            return len(old.line.split()) == len(line.split())
    return False


def _numbers(text: str) -> Iterator[int]:
    words = text.split()
    for at, word in enumerate(words):
        if word == "to":
            yield from range(int(words[at - 1]) + 1, int(words[at + 1]))
        else:
            yield int(word)


def read_text(text: str, ports: tuple[str, ...], family: str) -> Section:
    """Read a whole configuration.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    editor = Editor(Section(), ports, family)
    editor.add_ports()
    feed_text(editor, text)
    return editor.root


def text_lines(root: Section) -> Iterator[str]:
    """Yield the lines of a configuration as the switch shows it, from the first separator on."""
    vlans = [int(node.line.split()[-1]) for node in root.below("vlan batch ")]
    if vlans:
        yield from ("#", f"vlan batch {' '.join(spans(vlans, ' to '))}")
    for node in root.sorted():
        if not node.line.startswith("vlan batch "):
            yield from ("#", node.line)
            yield from indented(node, "#")
    yield "#"
