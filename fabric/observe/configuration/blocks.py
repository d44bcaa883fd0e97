"""Indented configuration text: its lines as a tree, and tables of what each line means."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    NetmaskValueError,
)
from typing import TYPE_CHECKING, Any

from fabric.core.spans import numbers_of
from fabric.observe.configuration.model import (
    BITS,
    BITS6,
    AddressLine,
    Aggregate,
    Configured,
    Leftover,
    PrefixMatch,
    is_address,
)
from fabric.observe.configuration.static_routes import Discard, StaticRoute
from fabric.observe.unreadable import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fabric.observe.configuration.model import Bgp

    Action = Callable[..., Any]
    TextEnds = Callable[[str], Sequence[str]]

#: What lines call the default VRF.
DEFAULT_VRF = "default"
#: Words for a next hop that drops packets, in lower case.
_NOWHERE = ("null0", "blackhole", "discard", "reject")
#: Lines whose meaning is remembered; our choice: most lines of a switch stand on each of its ports.
_LINES_KEPT = 4096


@dataclass(slots=True)
class Block:
    """A line with the lines that are indented below it."""

    line: int
    text: str
    inside: list[Block] = field(default_factory=list)


def blocks(text: str, separators: str = "!#", text_ends: TextEnds | None = None) -> list[Block]:
    """Return the lines of a text as a tree by their indentation.

    Parameters
    ----------
    separators : str
        Characters that a line without content begins with; it ends the blocks that are indented
        as far as it is, or further.
    text_ends : callable, optional
        From a line to the patterns of the lines that end the free texts behind it, such as a
        banner: what stands in them is no configuration.

    Raises
    ------
    UnreadableError
        When a free text has no end.
    """
    roots: list[Block] = []
    path: list[tuple[int, Block]] = []
    lines = enumerate(text.splitlines(), 1)
    for number, raw in lines:
        content = raw.strip()
        if not content:
            continue
        indent = len(raw) - len(raw.lstrip())
        while path and path[-1][0] >= indent:
            path.pop()
        if content[0] in separators:
            continue
        block = Block(number, content)
        (path[-1][1].inside if path else roots).append(block)
        path.append((indent, block))
        for end in text_ends(content) if text_ends else ():
            if not any(re.search(end, line) for _, line in lines):
                raise UnreadableError(f"the text that begins in line {number} has no end")
    return roots


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern whose dot matches the breaks of a text that goes over several lines."""
    return re.compile(pattern, re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Row:
    pattern: re.Pattern[str]
    action: Action | None
    inside: Context | None


class Context:
    """A table of the lines that may stand in one place.

    An action is called with the target, the number of the line and the named groups of the
    pattern; what it returns is the target of the lines inside (the same target for None).

    Parameters
    ----------
    *off_topic : str
        Patterns of lines that say nothing about ports, addresses, VLANs or routing: they are
        passed over with everything inside.
    """

    def __init__(self, *off_topic: str) -> None:
        self._rows: list[_Row] = []
        self.passes_over(*off_topic)
        self._match = lru_cache(maxsize=_LINES_KEPT)(self._first_match)

    def passes_over(self, *off_topic: str) -> None:
        """Register lines that say nothing, as those of the constructor do."""
        self._rows += [_Row(_compiled(pattern), None, None) for pattern in off_topic]

    def line(self, *patterns: str, inside: Context | None = None) -> Callable[[Action], Action]:
        """Return a decorator that registers what lines of a pattern do."""

        def decorate(action: Action) -> Action:
            self._rows += [_Row(_compiled(pattern), action, inside) for pattern in patterns]
            return action

        return decorate

    def sets(self, pattern: str, field_name: str, kind: Callable[[str], Any] = str) -> None:
        """Register lines that set a field of the target to the group ``value`` of a pattern."""

        def set_field(target: object, _: int, value: str, **__: str | None) -> None:
            setattr(target, field_name, kind(value))

        self.line(pattern)(set_field)

    def switches(self, word: str, field_name: str, *, undo: str = "no ", on: bool = True) -> None:
        """Register a line that switches a field of the target, and that with ``undo`` before it."""

        def switch_field(target: object, _: int, undone: str | None) -> None:
            setattr(target, field_name, on is not bool(undone))

        self.line(rf"(?P<undone>{undo})?{word}")(switch_field)

    def read(self, target: object, lines: Iterable[Block], leftovers: list[Leftover]) -> None:
        """Apply lines to a target; a line that no row knows becomes a leftover."""
        for block in lines:
            match = self._match(block.text)
            if match is None:
                leftovers.append(Leftover(block.line, block.text))
                continue
            row, groups = match
            if row.action is None:
                continue
            try:
                deeper = row.action(target, block.line, **groups)
            except (ValueError, KeyError, TypeError):
                leftovers.append(Leftover(block.line, block.text))
                continue
            if row.inside is not None:
                row.inside.read(target if deeper is None else deeper, block.inside, leftovers)
            else:
                leftovers += [Leftover(child.line, child.text) for child in block.inside]

    def _first_match(self, text: str) -> tuple[_Row, dict[str, str | None]] | None:
        matches = ((row, row.pattern.fullmatch(text)) for row in self._rows)
        return next(((row, match.groupdict()) for row, match in matches if match), None)


def read_blocks(
    system: str, file: str, text: str, context: Context, text_ends: TextEnds | None = None
) -> Configured:
    """Return what an indented configuration says."""
    configured = Configured(system, file)
    fill(configured, text, context, text_ends)
    return configured


def fill(
    switch: Configured, text: str, context: Context, text_ends: TextEnds | None = None
) -> None:
    """Add to a switch what an indented configuration says."""
    context.read(switch, blocks(text, text_ends=text_ends), switch.leftovers)
    if switch.bgp:
        switch.bgp.resolve()


def address(text: str, mask: str | None, line: int) -> AddressLine:
    """Return an address such as ``10.0.0.1/31`` or ``fd00::1/127``; a mask is a second word.

    Raises
    ------
    ValueError
        When it is none.
    """
    word, _, length = text.partition("/")
    is_ipv6 = ":" in word
    try:
        bits = mask_bits(mask) if mask else int(length)
        number = int(IPv6Address(word) if is_ipv6 else IPv4Address(word))
    except (AddressValueError, NetmaskValueError) as error:
        raise ValueError(text) from error
    if not 0 <= bits <= (BITS6 if is_ipv6 else BITS):
        raise ValueError(text)
    return AddressLine(number, bits, line, is_ipv6)


def ipv4(text: str) -> str:
    """Return an IPv4 address, such as a router id, as it is written.

    Raises
    ------
    ValueError
        When it is none.
    """
    return str(IPv4Address(text))


def mask_bits(mask: str) -> int:
    """Return the prefix length of ``255.255.255.254`` or of ``31``."""
    return int(mask) if mask.isdigit() else IPv4Network(f"0.0.0.0/{mask}").prefixlen


def network(text: str, mask: str | None = None) -> tuple[int, int]:
    """Return a network as its first address and its prefix length; host bits are cleared."""
    return address(text, mask, 0).network


def static_route(prefix: str, hop: str, line: int, egress: str | None = None) -> StaticRoute:
    """Return a static route.

    Parameters
    ----------
    hop : str
        Address, port, or word for no next hop at all.
    egress : str, optional
        VRF in which the next hop is.
    """
    to: int | str | Discard = hop
    if hop.lower() in _NOWHERE:
        to = Discard()
    elif is_address(hop):
        to = address(hop, "128" if ":" in hop else "32", line).address
    vrf = "" if egress == DEFAULT_VRF else egress
    return StaticRoute(*network(prefix), to, line, ":" in prefix, vrf)


def aggregate(
    bgp: Bgp, line: int, prefix: str, mask: str | None = None, only: str | None = None
) -> None:
    """Add a prefix that BGP announces for longer ones; with ``only``, in place of them."""
    is_ipv6 = ":" in prefix
    bgp.aggregates.append(Aggregate(*network(prefix, mask), line, bool(only), is_ipv6))


def prefix_match(
    action: str,
    prefix: str,
    line: int,
    *,
    exact: str | None = None,
    low: str | None = None,
    high: str | None = None,
) -> PrefixMatch:
    """Return an entry of a prefix list; ``ge`` alone reaches to 32 bits, ``le`` alone begins here.

    Parameters
    ----------
    exact, low, high : str or None
        Bits after ``eq``, ``ge`` and ``le``.
    """
    first, length = network(prefix)
    is_ipv6 = ":" in prefix
    bits = BITS6 if is_ipv6 else BITS
    lowest = int(exact or low or length)
    highest = int(exact or high or (bits if low else length))
    permit = action == "permit"
    return PrefixMatch(permit, first, length, lowest, highest, line, is_ipv6=is_ipv6)


def numbers(text: str) -> list[int]:
    """Return the numbers of ``1,101-103``, or of ``1 101 to 103``.

    Raises
    ------
    ValueError
        When it is no such list, or a longer one than any switch has.
    """
    return numbers_of(re.sub(r"\s+to\s+", "-", text))
