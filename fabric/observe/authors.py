"""Who changed a device, as the device says: by commit history or accounting log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: What a driver reads for it. It is no reading of the state: `observe` does not ask for it.
SUBJECT = "authors"
#: Bounds of what is taken of an answer. Ours: the last changes matter; a log may have megabytes.
MOST_CHARACTERS = 1 << 18
MOST_ENTRIES = 200
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Entry:
    """A change that a device wrote down.

    Parameters
    ----------
    by : str
        How it came, such as ``cli`` or an address; empty where the device does not say.
    at : str
        When, by the clock of the device and in its words.
    what : str
        Lines or message, where the device keeps them.
    """

    user: str
    by: str = ""
    at: str = ""
    what: str = ""

    def __str__(self) -> str:
        parts = (self.user, self.by and f"by {self.by}", self.at and f"at {self.at}")
        return " ".join(_plain(part) for part in parts if part)


#: Reads the answer of a system to `SUBJECT`: entries, the newest first; none where it is no answer.
histories: Registry[Callable[[str], list[Entry]]] = Registry(
    "reader of the change history", plugins="parsers"
)


def author(entries: Iterable[Entry], texts: Iterable[str]) -> Entry | None:
    """Return the newest entry that names one of the texts, or else the newest one."""
    newest = list(entries)[:MOST_ENTRIES]
    wanted = [text for text in texts if text]
    naming = (one for one in newest if any(text in one.what for text in wanted))
    return next(naming, newest[0] if newest else None)


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text[:_LONGEST]).strip()
