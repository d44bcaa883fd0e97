"""The configuration of the EOS stand-in: its editor, canonical text, diff.

Known: a line belongs to the innermost open mode that accepts it, else to the mode around it
(napalm-automation/napalm ``napalm/eos/eos.py`` strips indentation and relies on this); the running
configuration is ordered by the system, never by the order of typing; defaults are not shown; VLANs
with the same settings are shown as one range; ``qos trust dscp`` is not shown on a routed port.
Assumed: DSCP map entries with one target are merged into one line; ports of the hardware are
always shown, also when nothing is configured on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import InvalidInputError
from fabric.lab.lines.editor import Editor as LineEditor
from fabric.lab.lines.tree import Section, natural, spans
from fabric.observe.configuration.model import is_address
from fabric.systems.eos.lab.rules import HIDDEN, SHOWN_DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.book.grammar import Grammar, Matched


@dataclass(frozen=True, slots=True)
class Block:
    """A line as shown, with the lines below it."""

    line: str
    below: tuple[Block, ...] = ()


def shown(node: Section) -> tuple[Block, ...]:
    """Return what the system shows below a node."""
    blocks: list[Block] = []
    groups: dict[str, int] = {}
    numbers: dict[int, list[int]] = {}
    for child in node.sorted():
        if _is_silent(node, child):
            continue
        below = shown(child)
        if child.number is None:
            groups.clear()
            blocks.append(Block(child.line, below))
            continue
        at = groups.get(child.template)
        if at is not None and blocks[at].below == below:
            numbers[at].append(child.number)
        else:
            if child.mode == "vlan":
                groups.clear()
            at = groups[child.template] = len(blocks)
            numbers[at] = [child.number]
            blocks.append(Block(child.line, below))
        blocks[at] = Block(_merged(child, numbers[at]), below)
    return tuple(blocks)


def _merged(node: Section, numbers: list[int]) -> str:
    if node.mode == "vlan":
        return node.template.format(",".join(spans(numbers)))
    return node.template.format(" ".join(map(str, sorted(numbers))))


def _is_silent(parent: Section, child: Section) -> bool:
    """Tell whether a line is the default because of its neighbours."""
    if not child.line.startswith("qos trust ") or not parent.mode.startswith("if-"):
        return False
    routed = parent.has("no switchport")
    return child.line == ("qos trust dscp" if routed else "qos trust cos")


def text_lines(blocks: Iterable[Block], depth: int = 0) -> Iterator[str]:
    """Yield the lines of blocks with indentation and the ``!`` between sections."""
    indent, previous = "   " * depth, None
    for block in blocks:
        if depth == 0 and previous and not _together(previous, block):
            yield "!"
        if depth and block.below:
            yield f"{indent}!"
        first, *more = block.line.split("\n")
        yield indent + first
        yield from (indent + line if line.startswith("!!") else line for line in more)
        yield from text_lines(block.below, depth + 1)
        previous = block


def _together(one: Block, other: Block) -> bool:
    return (
        not one.below and not other.below and one.line.split()[0] == other.line.split()[0]
        and not one.line.startswith(("interface", "vlan"))
    )  # fmt: skip


def diff_lines(old: tuple[Block, ...], new: tuple[Block, ...], depth: int = 0) -> Iterator[str]:
    """Yield ``+`` and ``-`` lines, each below its unmarked section headers."""
    indent = "   " * depth
    before, after = [b.line for b in old], [b.line for b in new]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            for one, other in zip(old[i1:i2], new[j1:j2], strict=True):
                inner = list(diff_lines(one.below, other.below, depth + 1))
                if inner:
                    yield indent + one.line
                    yield from inner
            continue
        for sign, blocks in (("-", old[i1:i2]), ("+", new[j1:j2])):
            yield from (sign + line for line in text_lines(blocks, depth) if line.strip() != "!")


def as_json(blocks: tuple[Block, ...]) -> dict[str, Any]:
    """Return blocks as ``show running-config`` gives them in JSON."""
    return {
        block.line: {"comments": [], "cmds": as_json(block.below)} if block.below else None
        for block in blocks
    }


class Editor(LineEditor):
    """Applies lines to a tree, as the configuration mode of EOS does.

    Parameters
    ----------
    root : Section
        The tree to change.
    grammar : Grammar
        What the switch accepts.
    ports : iterable of str
        Ports of the hardware: ``no interface`` empties them instead of removing them.
    """

    negations = ("no", "default")
    climbs = True
    hidden = HIDDEN

    def __init__(self, root: Section, grammar: Grammar, ports: Iterable[str] = ()) -> None:
        super().__init__(root, grammar)
        self.ports = tuple(ports)

    def feed(self, line: str, text: str | None = None) -> None:
        """Apply one line, with the text that follows it for ``banner`` and ``comment``.

        Raises
        ------
        InvalidInputError
            When no open mode accepts the line.
        """
        words = line.split()
        if text is None or words[:1] not in (["banner"], ["comment"]):
            super().feed(line)
        elif words == ["comment"]:
            body = "\n".join(f"!! {part}" for part in text.strip("\n").split("\n"))
            for node in self.stack[-1]:
                node.children["!!"] = Section(body, "", (-1, (), 0, ()))
        else:
            key = " ".join(words)
            self.store(self.root, self.grammar["config"].match(words))
            self.root.children[key].line = f"{key}\n{text.strip(chr(10))}\nEOF"
            self.stack = self.stack[:1]

    def node(self, context: Section, matched: Matched, line: str, number: int | None) -> Section:
        """Return the node of a line; neighbours of BGP stand together."""
        words = list(matched.words)
        if number is not None:
            words[matched.list_at] = "{}"
        sortable = line.replace("interface Port-Channel", "interface !Port-Channel")
        order: tuple[Any, ...] = (matched.rule.rank, (), 0, natural(sortable))
        if matched.peer:
            group = (*_kind_of_peer(matched.peer), *natural(matched.peer))
            rank = self.grammar[context.mode].peer_rank
            order = (rank, group, matched.rule.rank, natural(line))
        template = "" if number is None else " ".join(words)
        return Section(line, matched.rule.opens, order, number=number, template=template)

    def left(self, context: Section, node: Section) -> None:
        """Bring back the ports of the hardware, which cannot be removed."""
        if node.line.startswith("interface "):
            add_ports(self.root, self.grammar, self.ports)


def _kind_of_peer(name: str) -> tuple[Any, ...]:
    """Return what sorts peers: groups, then addresses by family and number."""
    if not is_address(name):
        return (0, 0, 0)
    address = ip_address(name)
    return (1, address.version, int(address))


def clean_tree(grammar: Grammar, ports: Iterable[str]) -> Section:
    """Return the configuration of a switch that nobody configured."""
    root = Section()
    for line in SHOWN_DEFAULTS:
        Editor(root, grammar).feed(line)
    add_ports(root, grammar, ports)
    return root


def add_ports(root: Section, grammar: Grammar, ports: Iterable[str]) -> None:
    """Bring back the ports of the hardware, which cannot be removed."""
    for port in ports:
        if root.get(f"interface {port}") is None:
            Editor(root, grammar).feed(f"interface {port}")


def read_text(text: str, grammar: Grammar, ports: Iterable[str] = ()) -> Section:
    """Read a whole configuration; banners end with ``EOF``.

    Raises
    ------
    ValueError
        When a line is refused; it names the line.
    """
    root = clean_tree(grammar, ports)
    feed_text(Editor(root, grammar, ports), text)
    return root


def feed_text(editor: Editor, text: str) -> None:
    """Apply a text of several lines, as a person would paste it.

    Raises
    ------
    ValueError
        When a line is refused; the lines before it are applied.
    """
    lines = iter(enumerate(text.splitlines(), 1))
    for number, raw in lines:
        line = raw.strip()
        if line == "end":
            editor.stack = editor.stack[:1]
            continue
        try:
            if line.startswith("banner "):
                body = []
                for _, part in lines:
                    if part.strip() == "EOF":
                        break
                    body.append(part)
                editor.feed(line, "\n".join(body))
            else:
                editor.feed(line)
        except InvalidInputError as error:
            raise ValueError(f"line {number}: {line!r}: % {error.text}") from error
