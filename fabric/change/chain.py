"""The chain over the rows of a journal: each hash covers a row and the hash of the row before.

A row that was edited, and one that was removed from the middle, no longer fits. What is damaged
is named; what is good on both sides of it is still used.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Parameters
    ----------
    table, id : str, int
        Where it stands.
    position : int
        Its place in the chain, from 1.
    content : mapping
        Its columns, without position and hash; a long text by its hash.
    hash : str
        What the journal keeps.
    text_differs : bool
        Whether a long text is another one than its hash says.
    """

    table: str
    id: int
    position: Any
    content: Mapping[str, Any]
    hash: str
    text_differs: bool = False

    def line(self, previous: str) -> dict[str, Any]:
        """Return what the hash covers."""
        place = {"table": self.table, "id": self.id, "position": self.position}
        return {**place, **self.content, "previous": previous}

    def digest(self, previous: str) -> str:
        """Return the hash that the row must have behind another one."""
        line = self.line(previous)
        return text_hash(json.dumps(line, sort_keys=True, separators=(",", ":"), default=repr))

    def __str__(self) -> str:
        what = {"runs": f"run {self.id}", "events": f"event {self.id}"}[self.table]
        run = self.content.get("run")
        return f"row {self.position} ({what}{f' of run {run}' if isinstance(run, int) else ''})"


@dataclass(frozen=True)
class Chain:
    """What the chain says of a journal.

    Parameters
    ----------
    count, head : int, str
        Number of rows, and the hash of the last one.
    damaged : tuple of Row
        Rows that do not fit, in their order.
    lost : str
        What is missing, or cannot be read at all; empty where nothing is.
    last_good : Row or None
        The last row that fits.
    is_tail : bool
        Whether what is damaged is the end of the chain.
    """

    count: int
    head: str
    damaged: tuple[Row, ...] = ()
    lost: str = ""
    last_good: Row | None = None
    is_tail: bool = False

    @property
    def whole(self) -> bool:
        """Whether everything fits."""
        return not self.damaged and not self.lost

    @property
    def fallback(self) -> str:
        """What a run that goes on is to say of the damage; empty where there is none."""
        if self.whole:
            return ""
        last = f"; the last good one is {self.last_good}" if self.is_tail else ""
        return (
            f"the journal is damaged: {self}{last}. Damaged rows are not used: each device counts "
            "as in its last good state, and what was kept of it is compared with what runs"
        )

    @property
    def bad(self) -> frozenset[tuple[str, int]]:
        """Table and id of the damaged rows."""
        return frozenset((row.table, row.id) for row in self.damaged)

    def __str__(self) -> str:
        if self.whole:
            return (
                f"{counted(self.count, 'row')}, none damaged; hash of the last one: "
                f"{self.head or 'none'}"
            )
        parts = [self.lost] if self.lost else []
        if self.damaged:
            count = len(self.damaged)
            are = "1 row is damaged" if count == 1 else f"{count} rows are damaged"
            where = "at its end" if self.is_tail else "before its end"
            parts.append(f"{are} {where}, the first is {self.damaged[0]}")
        return "; ".join(parts)


def chain_of(rows: Sequence[Row], lost: str = "", after: Chain | None = None) -> Chain:
    """Return what the chain says of rows in the order of their positions.

    A row whose own hash was damaged does not make the next one a damaged one.

    Parameters
    ----------
    after : Chain or None
        What it said of the rows before them, when nothing was damaged.
    """
    damaged: list[Row] = []
    good = after.last_good if after else None
    kept = computed = after.head if after else ""
    for row in rows:
        before = next((hash_ for hash_ in (kept, computed) if row.digest(hash_) == row.hash), None)
        if before is None or row.text_differs:
            damaged.append(row)
        else:
            good = row
        kept, computed = row.hash, row.digest(kept if before is None else before)
    is_tail = bool(damaged) and list(rows[-len(damaged) :]) == damaged
    count = len(rows) + (after.count if after else 0)
    return Chain(count, kept, tuple(damaged), lost, good, is_tail)
