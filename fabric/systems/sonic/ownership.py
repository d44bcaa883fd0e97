"""What the book of SONiC says of changes: which tables and fields are ours, and what a change does.

Fields that are taken in place: sonic-net/sonic-swss 202405 qosorch.cpp, pfcwdorch.cpp,
bufferorch.cpp and buffermgr.cpp (doSpeedUpdateTask).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fabric.book.book import books
from fabric.book.kinds import referred
from fabric.book.tables import rows
from fabric.change.model import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.book.file import RuleText
    from fabric.book.tables import RowRule

#: Table, row and field; the field is empty for a row without any.
Cell = tuple[str, str, str]

_IN_PLACE, _SHARED, _STAYS = "in place", "shared", "stays"
_ROWS: Final = rows(books()["sonic"])


def _tables(*, stays: bool) -> tuple[str, ...]:
    ours = (row for row in _ROWS if row.rule.known.ours)
    return tuple(dict.fromkeys(r.table for r in ours if (_STAYS in r.rule.known.marks) is stays))


#: Tables of CONFIG_DB that rocefab writes whole, but for rows of ports that are not the fabric's;
#: every other table is kept as it is found.
OWNED_TABLES = _tables(stays=False)
#: Tables of which rocefab writes fields, keeping the others (``mac`` comes from the device, and
#: a row of ``BREAKOUT_CFG`` for each whole cage from the image).
MERGED_TABLES = _tables(stays=True)


def _fields_of(table: str) -> frozenset[str]:
    """Return the fields of ours in a table that have a name of their own."""
    fields = (field for row in _ROWS if row.table == table for field in row.fields)
    return frozenset().union(*(field.names for field in fields if field.rule.known.ours))


#: Fields of ours in the rows where others may have more.
SHARED = {row.table: _fields_of(row.table) for row in _ROWS if _SHARED in row.rule.known.marks}


def _references() -> Iterator[tuple[str, str]]:
    fields = (field for row in _ROWS if row.table in OWNED_TABLES for field in row.fields)
    for field in fields:
        for value in field.values:
            tables = referred(value.kind) if value.many != "..." else ()
            yield from ((n, t) for n in field.names for t in tables if t in OWNED_TABLES)


#: Fields by which rows of ours refer to rows of ours, and the table of each
#: (sonic-net/sonic-buildimage src/sonic-yang-models, leafref).
REFERENCES = dict(_references())


@cache
def _known(table: str) -> tuple[RowRule, ...]:
    return tuple(row for row in _ROWS if row.table == table)


@cache
def _said(table: str, name: str) -> tuple[RuleText, ...]:
    """Return what is known of a field, then what is known of its row."""
    fields = (field for row in _known(table) if (field := row.field(name)))
    rules = (*(field.rule for field in fields), *(row.rule for row in _known(table)))
    return tuple(rule.known for rule in rules)


@cache
def _risk(table: str, name: str) -> Risk:
    words = next((known.risk for known in _said(table, name) if known.risk), "")
    return Risk.from_word(words) if words else Risk.BRIEF_LOSS


def risk(cell: Cell) -> Risk:
    """Return what a change of a field does to traffic."""
    return _risk(cell[0], cell[2])


def is_live(cell: Cell, before: Any, after: Any) -> bool:
    """Tell whether a field can be set in place: it exists before and after, and is applied live."""
    is_there = before is not None and after is not None
    return is_there and any(_IN_PLACE in known.marks for known in _said(cell[0], cell[2]))
