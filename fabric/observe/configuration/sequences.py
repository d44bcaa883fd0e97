"""Entries that a switch tries by ascending number, wherever they stand in the file.

What a system makes of two different entries with one number is not read: the second one is a line
that is not understood. A term of a policy is entered again by its number, and goes on.
"""

from __future__ import annotations

from bisect import insort
from operator import attrgetter
from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import prefix_match
from fabric.observe.configuration.model import PolicyTerm

if TYPE_CHECKING:
    from fabric.observe.configuration.model import Configured, PrefixMatch

_NUMBER = attrgetter("number")


def add_entry(switch: Configured, name: str, number: int, entry: PrefixMatch) -> None:
    """Add an entry to a prefix list of a switch, where its number says.

    Raises
    ------
    ValueError
        When the number stands on another entry.
    """
    entry = entry._replace(number=number)
    lists = switch.prefix_lists6 if entry.is_ipv6 else switch.prefix_lists
    entries = lists.setdefault(name, [])
    same = next((other for other in entries if other.number == number), None)
    if same is None:
        insort(entries, entry, key=_NUMBER)
    elif same._replace(line=entry.line) != entry:
        raise ValueError("two entries with one number")


def add_prefix(
    switch: Configured,
    line: int,
    name: str,
    number: str,
    action: str,
    prefix: str,
    length: str | None = None,
    **bits: str | None,
) -> None:
    """Add a line of a prefix list; ``bits`` are those of `prefix_match`.

    Raises
    ------
    ValueError
        When the number stands on another entry.
    """
    whole = prefix if length is None else f"{prefix}/{length}"
    add_entry(switch, name, int(number), prefix_match(action, whole, line, **bits))


def enter_term(switch: Configured, line: int, name: str, action: str, number: str) -> PolicyTerm:
    """Return a term of a policy by its number; a new one at its first line.

    Raises
    ------
    ValueError
        When it permits in one place, and denies in another.
    """
    terms = switch.policies.setdefault(name, [])
    permit = action == "permit"
    place = int(number)
    term = next((other for other in terms if other.number == place), None)
    if term is None:
        term = PolicyTerm(permit, line, number=place)
        insort(terms, term, key=_NUMBER)
    elif term.permit is not permit:
        raise ValueError("it permits and denies")
    return term
