"""What a system does where a line is absent, as the section ``[absent]`` of its book says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.observe.configuration.model import Leftover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.book.absent import Absence
    from fabric.observe.configuration.model import Configured


def defaults(system: str) -> Mapping[str, Absence]:
    """Return what is known of lines of a system that are absent, by key."""
    return books()[system].texts.absent


def number_of(system: str, key: str) -> int:
    """Return a default that is a number."""
    value = defaults(system)[key].holds
    assert value is not None, (system, key)
    return int(value)


def holds(system: str, key: str) -> bool:
    """Return a default that is yes or no."""
    value = defaults(system)[key].holds
    assert value is not None, (system, key)
    return bool(value)


def absence(system: str, key: str) -> str:
    """Return that there is no such line, and what that means."""
    default = defaults(system)[key]
    return f"there is no line `{default.line}`: {default.means}"


def leave_open(switch: Configured, line: int, key: str, where: str) -> None:
    """Note that a line is absent, and that nobody knows what holds then.

    Parameters
    ----------
    line : int
        Line that is about the same thing; 0 for none.
    where : str
        What the absent line would be about, such as a port.
    """
    default = defaults(switch.system)[key]
    words = f"{where} has no line `{default.line}`: {default.means}"
    switch.undecided.append(Leftover(line, words))
