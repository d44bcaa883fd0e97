"""What to write in place of a name that nothing has."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Where a person finds the names of a kind of thing.
_LISTED = {
    "switch": "topology",
    "leaf": "topology",
    "spine": "topology",
    "super-spine": "topology",
    "switch model": "platforms",
    "host": "hosts",
    "rail": "hosts",
    "NIC port": "hosts",
    "port": "links",
    "designed uplink on": "links",
}


def hint(kind: str, name: str, known: Iterable[str]) -> str:
    """Return what to write in place of an unknown name of a kind of thing."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else f"`rocefab show {_LISTED[kind]}` lists them"
