"""Tables of ``nv show``: a header, a ruler of dashes, rows, and titles underlined with ``=``.

Sizes are rounded and carry a unit of 1024 bytes: 150000 bytes are shown as 146.48 KB
(CumulusNetworks/docs, content/cumulus-linux-510, RDMA over Converged Ethernet).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fabric.core.units import gib_to_bytes, kib_to_bytes, mib_to_bytes
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_RULER = re.compile(r"\s*-[-\s]*")
_UNDERLINE = re.compile(r"=+\s*")
_CELL = re.compile(r"\S+(?: \S+)*")
_SIZE = re.compile(r"(\d+(?:\.\d+)?) (Bytes|B|KB|MB|GB)")
_UNITS = {"KB": kib_to_bytes, "MB": mib_to_bytes, "GB": gib_to_bytes}


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each part of an output by its title; the first has none.

    Raises
    ------
    UnreadableError
        When the last line is cut, or a pager or a terminal has left its marks.
    """
    if not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    by_name: dict[str, list[str]] = {"": []}
    title = ""
    lines = plain(text).splitlines()
    for line, following in pairwise([*lines, ""]):
        if line.strip() and _UNDERLINE.fullmatch(following):
            title = line.strip()
            by_name[title] = []
        elif not _UNDERLINE.fullmatch(line):
            by_name[title].append(line)
    return by_name


def rows(lines: list[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of the one table in some lines as dictionaries; empty lines do not count.

    Raises
    ------
    UnreadableError
        When there is no table, or a row does not keep to its columns.
    """
    filled = [line for line in lines if line.strip()]
    for number, ruler in enumerate(filled[1:], 1):
        if _RULER.fullmatch(ruler):
            starts = [match.start() for match in re.finditer(r"-+", ruler)]
            headers = _cells(filled[number - 1], starts)
            for line in filled[number + 1 :]:
                yield dict(zip(headers, _cells(line, starts), strict=True))
            return
    raise UnreadableError("there is no table")


def _cells(line: str, starts: list[int]) -> list[str]:
    """Return the cells of a row; releases differ by one place in where a cell begins."""
    cells = [""] * len(starts)
    for piece in _CELL.finditer(line):
        place = max((n for n, start in enumerate(starts) if start - 1 <= piece.start()), default=0)
        if cells[place] and place + 1 < len(starts):
            raise UnreadableError(f"a row does not keep to the columns of its table: {line!r}")
        cells[place] = f"{cells[place]} {piece[0]}".strip()
    return cells


def table(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of the table under a title, or raise UnreadableError."""
    values = sections(text)
    if title not in values:
        raise UnreadableError(f"there is no part {title!r}")
    return list(rows(values[title]))


def settings(lines: list[str]) -> dict[str, tuple[str, str]]:
    """Return (operational, applied) of a table of settings by name.

    Raises
    ------
    UnreadableError
        When it is no such table.
    """
    by_name = {}
    for row in rows(lines):
        name, operational, applied, *_ = [*row.values(), "", ""]
        if not name or list(row)[1:3] not in (["operational", "applied"], ["operational", ""]):
            raise UnreadableError(f"this is not a table of settings: {row}")
        by_name[name] = (operational, applied)
    return by_name


def number(text: str) -> int:
    """Return a whole number, or raise UnreadableError."""
    if not (text.isascii() and text.isdecimal()):
        raise UnreadableError(f"{text!r} is not a number")
    return int(text)


def size_bytes(text: str) -> int:
    """Return a size in bytes, such as that of ``146.48 KB``; what was rounded stays so.

    Raises
    ------
    UnreadableError
        When it is none.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise UnreadableError(f"{text!r} is not a size")
    return round(_UNITS.get(match[2], float)(float(match[1])))
