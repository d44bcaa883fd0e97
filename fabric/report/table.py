"""Tables that commands print."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.topology.naming import hint, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Table:
    """Headers and rows, what is odd about the files that they were made from, and a hint.

    Parameters
    ----------
    members : tuple of mapping
        What each row also has in JSON, by row; none where it is empty.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    warnings: tuple[Finding, ...] = ()
    hint: str = ""
    members: tuple[Mapping[str, object], ...] = ()


#: Columns of a table whose cells are what its rows are about.
_SUBJECTS = frozenset({"switch", "host", "device", "peer", "tenant"})


def only(table: Table, text: str, kind: str) -> Table:
    """Return the rows about some names.

    Parameters
    ----------
    text : str
        Names as a range, such as ``gpu[001-004]``; empty for all rows.
    kind : str
        What they are names of, for the error.

    Raises
    ------
    InputError
        When the range cannot be read, or no row is about one of the names.
    """
    if not text:
        return table
    try:
        names = set(hostlist.expand(text))
    except ValueError as error:
        words = hostlist.worded(error, "use a range such as gpu[001-004]")
        raise _refused(*words) from error
    places = [place for place, header in enumerate(table.headers) if header in _SUBJECTS]
    subjects = [{str(row[place]) for place in places} for row in table.rows]
    known = set().union(*subjects)
    if wrong := sorted(names - known):
        raise _refused(unknown(kind, wrong), hint(kind, wrong[0], sorted(known)))
    shown = [number for number, own in enumerate(subjects) if own & names]
    members = tuple(table.members[number] for number in shown) if table.members else ()
    return replace(table, rows=tuple(table.rows[number] for number in shown), members=members)


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("TOP005", Severity.ERROR, message, fix)
    return InputError("there is nothing to show", [finding])
