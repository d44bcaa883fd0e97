"""EOS: our lines merged into what runs, where other tools own the rest of the configuration.

A line is ours by the patterns that explain it (``templates/eos/*.toml``). In a section that the
inventory has, ours go unless the inventory has them: lines that name nothing, such as ``shutdown``,
and those that name what the inventory has there, such as ``neighbor 10.0.0.1 bfd``. Other lines,
those of other neighbours, and whole sections that the inventory does not have stay as they run.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.lines import Node, nested
from fabric.render.explain import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: First line of a rendered file that is to be merged; EOS drops comments.
MARK = "! Merged by rocefab into what runs: lines of others are kept."
_INDENT = "   "
#: What in a pattern is a name, a number or an address.
_NAME = re.compile(r"\\[Sd]")
_BEGIN = re.compile(r"\^(?:\\s[+*])?")
#: What is ours alone, by its name or because the lossless classes are: nothing else stays there.
_ALONE = re.compile(
    r"(?:no )?(?:qos profile ROCE.*|ip prefix-list PL-.*|route-map RM-.*"
    r"|platform trident mmu queue profile ROCE.*|qos map .*|priority-flow-control .*)"
)
#: Sections by their first words; of two, both can be there.
_SECTION = re.compile(r"(?:interface|vlan|router|qos profile|route-map|ip prefix-list) .*")


class Merged(NamedTuple):
    """A configuration that is merged.

    Parameters
    ----------
    stanzas : list of str
        The whole configuration.
    others : list of str
        Lines of others that stay in sections of ours.
    """

    stanzas: list[str]
    others: list[str]


class _About(NamedTuple):
    """What a line of ours is about: a thing with a name, or the words of the line."""

    words: str
    named: bool


def merged(running: Sequence[str], intended: Sequence[str]) -> Merged:
    """Return the configuration that is intended, with the lines of others.

    Parameters
    ----------
    running, intended : sequence of str
        Stanzas of what runs and of what is rendered, each with its indented lines.
    """
    now = {_head(stanza): stanza for stanza in running}
    wanted = {_head(stanza): stanza for stanza in intended}
    about = {_about(head) for head in wanted} - {None}
    kept = [
        stanza
        for head, stanza in ((_head(stanza), stanza) for stanza in running)
        if head not in wanted
        and not _ALONE.fullmatch(head)
        and (_is_section(stanza) or _about(head) not in about)
    ]
    others: list[str] = []
    for head, stanza in wanted.items():
        own = _below(stanza)
        there = head if _ALONE.fullmatch(head) else now.get(head, head)
        both = _merge(_below(there), own)
        ours = set(own.lines())
        others += [": ".join((head, *path)) for path in both.lines() if path not in ours]
        kept.append("\n".join([head, *_text(both, 1)]))
    return Merged(kept, others)


def other_as(running: Sequence[str], intended: Sequence[str]) -> list[str]:
    """Return the BGP processes that run with another AS number: a switch has one."""
    ours = {_head(one) for one in intended}
    heads = (_head(one) for one in running if one.startswith("router bgp "))
    return [head for head in heads if head not in ours]


def _head(stanza: str) -> str:
    return stanza.partition("\n")[0].strip()


def _is_section(stanza: str) -> bool:
    return "\n" in stanza or bool(_SECTION.fullmatch(_head(stanza)))


def _below(stanza: str) -> Node:
    return nested(stanza.splitlines()[1:])


def _merge(now: Node, wanted: Node) -> Node:
    """Return the lines that are wanted, then those of others."""
    both = Node({
        line: _merge(now.children[line], child) if line in now.children else child
        for line, child in wanted.children.items()
    })
    ours = {one for line in wanted.children for one in (_about(line), _stem(line))}
    for line, child in now.children.items():
        about = _about(line) or _stem(line)
        if line not in wanted.children and about.named and about not in ours:
            both.children[line] = child
    return both


def _stem(line: str) -> _About:
    """Return what a line without a pattern is about: all its words but the value."""
    words = line.split()
    return _About(" ".join(words[:-1] or words), named=True)


@lru_cache(maxsize=65_536)
def _about(line: str) -> _About | None:
    """Return what a line is about; None where it is none of ours."""
    text = line if _SECTION.fullmatch(line) else f"{_INDENT}{line}"
    matches = [
        (re.search(entry.pattern, form), entry.pattern)
        for form in (line, text)
        for entry in find("eos", form)
    ]
    known = [(match[0].split(), pattern) for match, pattern in matches if match]
    if not known or line.endswith(" secondary"):
        return None
    plain = [words for words, pattern in known if not _NAME.search(pattern)]
    if plain:
        return _About(" ".join(plain[0]), named=False)
    words, pattern = known[0]
    parts = _BEGIN.sub("", pattern).split()
    until = next(at for at, part in enumerate(parts) if _NAME.search(part))
    return _About(" ".join(words[: until + 1]), named=True)


def _text(node: Node, depth: int) -> Iterator[str]:
    for line, child in node.children.items():
        yield f"{_INDENT * depth}{line}"
        yield from _text(child, depth + 1)
