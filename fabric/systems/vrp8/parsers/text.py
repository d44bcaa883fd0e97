"""The text of a configuration, and tables between lines of dashes.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d, display
current-configuration and save): lines that begin with ``!`` tell the release and the last change;
``#`` at the margin stands between blocks and, indented, between parts of one; ``return`` is the
last line; lines of a view are one blank deeper; defaults are not printed. Assumed: the text of
``header`` runs to the line that ends with its quotation mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.lines import small_ipv6
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXT = re.compile(r'(header \S+ information ")(.*)')
_DASHED = re.compile(r"\s*-{8,}\s*")
MAC = re.compile(r"[0-9a-f]{2}(?:-?[0-9a-f]{2}){5}")
_REFUSAL = re.compile(r"^\s*(?:Error: |\^$)", re.MULTILINE)
_OFF = re.compile(r"(?:bgp|lldp|bfd) is off\n")
_PAGER = "---- More ----"
END = "return"


def blocks(text: str) -> list[list[str]]:
    """Return the top-level blocks of a configuration, each with the lines below it.

    Raises
    ------
    UnreadableError
        When a text in it has no end, or a line stands deeper than nothing.
    """
    rows: list[list[str]] = []
    lines = iter(text.splitlines())
    for line in lines:
        header = _TEXT.fullmatch(line)
        if header:
            rows.append([line, *_until_quote(lines, header[2])])
        elif not line.strip() or line.startswith(("!", "#", END)) or line.strip() == "#":
            continue
        elif line[0] != " ":
            rows.append([small_ipv6(line.rstrip())])
        elif rows:
            rows[-1].append(small_ipv6(line.rstrip()))
        else:
            raise UnreadableError(f"the line {line!r} stands below none")
    return rows


def _until_quote(lines: Iterator[str], rest: str) -> Iterator[str]:
    if rest.rstrip().endswith('"'):
        return
    for line in lines:
        yield line
        if line.rstrip().endswith('"'):
            return
    raise UnreadableError("the end of a header text is missing")


def configuration(text: str) -> str:
    """Return configuration text without separators and comments."""
    return "\n".join([*("\n".join(block) for block in blocks(text)), ""])


def whole_configuration(text: str) -> str:
    """Return configuration text, which must be all that the command prints.

    Raises
    ------
    UnreadableError
        When it is empty, does not begin with a comment or a separator, does not end with
        ``return``, or a pager or a terminal left marks.
    """
    text = _unpaged(text)
    lines = text.rstrip("\n").splitlines()
    if not text.endswith("\n") or not lines or lines[-1] != END:
        raise UnreadableError("the end of the configuration is missing")
    if not lines[0].startswith(("!", "#")):
        raise UnreadableError("the head of the configuration is missing")
    return configuration(text)


def is_off(text: str) -> bool:
    """Tell whether a reading says that its function is off: then there is nothing to read."""
    return bool(_OFF.fullmatch(text))


def whole_lines(text: str) -> list[str]:
    """Return the lines of an output that ends with a whole one and holds no refusal.

    Raises
    ------
    UnreadableError
        When it does not, or a pager or a terminal left marks.
    """
    if not text.endswith("\n") or _REFUSAL.search(text):
        raise UnreadableError(
            "the end of the output is missing, or the switch rejected the command"
        )
    return _unpaged(text).splitlines()


def _unpaged(text: str) -> str:
    if _PAGER in text:
        raise UnreadableError("the output holds marks of a pager")
    return plain(text)


def table(lines: list[str], first_header: str, *, closed: bool = True) -> list[str]:
    """Return the rows of a table: below its header and a line of dashes, up to the next such line.

    Parameters
    ----------
    lines : list of str
        Output that holds the table.
    first_header : str
        Regular expression of the line above the rows; of a header of two lines the first.
    closed : bool
        Whether a line of dashes stands below the last row; else the rows run to the end.

    Raises
    ------
    UnreadableError
        When there is no such table, or it has no end.
    """
    start = next((at for at, line in enumerate(lines) if re.fullmatch(first_header, line)), None)
    dashes = [at for at, line in enumerate(lines) if _DASHED.fullmatch(line)]
    below = [at for at in dashes if start is not None and at > start]
    if not below or (closed and len(below) == 1):
        raise UnreadableError("no whole table in the output")
    rows = lines[below[0] + 1 : below[1] if closed else len(lines)]
    return [row for row in rows if row.strip()]
