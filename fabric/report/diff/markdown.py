"""A difference as Markdown, for a comment on a merge request."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.report.diff.shown_settings import cells, rows
from fabric.report.diff.view import alike, heading, hosts, parts, reach, summary, title
from fabric.validate.report.markdown import MOST_CHARACTERS, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.report.diff.model import Diff
    from fabric.report.diff.view import Alike

#: Rows of a table; what follows is in JSON.
_MOST_ROWS = 100
#: A table with more rows is folded.
_OPEN_ROWS = 12
#: Room for the closing tags and the line that counts what is left out.
_RESERVE = 300


class _Page:
    """Collects lines up to the size of a comment, and counts those that found no room."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self.left_out = 0

    def add(self, *lines: str) -> bool:
        """Add some lines together, or none of them."""
        size = sum(len(line) + 1 for line in lines)
        if self._size + size > MOST_CHARACTERS - _RESERVE:
            return False
        self._lines += lines
        self._size += size
        return True

    def block(self, head: Sequence[str], rows: Iterable[str], foot: Sequence[str] = ()) -> None:
        """Add a head and a foot with as many rows between as there is room for."""
        every = list(rows)
        reserved = sum(len(line) + 1 for line in foot)
        self._size += reserved
        if self.add(*head):
            for number, row in enumerate(every):
                if not self.add(row):
                    self.left_out += len(every) - number
                    break
            self._lines += foot
        else:
            self._size -= reserved
            self.left_out += len(every)

    def text(self) -> str:
        """Return the page; a blank line ends HTML, so that Markdown may follow the page."""
        more = [
            f"\n_{counted(self.left_out, 'line')} omitted; `rocefab diff --format json` has all._"
        ]
        return "\n".join([*self._lines, *(more if self.left_out else []), "", ""])


def markdown(diff: Diff) -> str:
    """Return summary, tables and causes, then the devices folded; at most 65,000 characters."""
    page = _Page()
    rows = [f"- {plain(line)}" for line in summary(diff)]
    page.block([f"### {plain(title(diff))}", ""], rows)
    for part in parts(diff):
        rows = [_row(row) for row in part.rows[:_MOST_ROWS]]
        page.left_out += len(part.rows) - len(rows)
        name = f"{part.title} ({len(part.rows):,})"
        head = [_row(part.headers), f"|{'---|' * len(part.headers)}"]
        if len(part.rows) > _OPEN_ROWS:
            page.block(["", *_open(name), *head], rows, ["", "</details>"])
        else:
            page.block(["", f"#### {name}", "", *head], rows)
    if diff.causes:
        page.block(["", f"#### Causes ({len(diff.causes):,})", ""], _causes(diff))
    if touched := hosts(diff):
        page.block(["", "#### Hosts", ""], [f"- {plain(line)}" for line in touched])
    if diff.devices:
        page.block(["", f"#### Devices ({len(diff.devices):,})"], [])
    for group in alike(diff):
        _device(page, group)
    return page.text()


def _causes(diff: Diff) -> Iterable[str]:
    """Yield one item for each cause, whole."""
    for cause in diff.causes:
        lines = [f"- **{'<br>'.join(map(plain, heading(cause)))}**"]
        lines.append(f"  - {plain(reach(cause))}")
        lines += [
            f"  - {plain(f'{cause.example_device}: {path}: {before} -> {after}')}"
            for path, before, after in map(cells, cause.example[:1])
        ]
        yield "\n".join(lines)


def _device(page: _Page, group: Alike) -> None:
    one = group.first
    settings = [_row(row) for row in rows(one.settings)] or [
        _row((file, "", "")) for file in one.files
    ]
    head = ["", *_open(group.title)]
    head += [f"- {plain(note)}" for note in group.notes]
    head += ["", _row(("setting", "before", "after")), "|---|---|---|"]
    page.block(head, settings, ["", "</details>"])


def _open(name: str) -> list[str]:
    return [f"<details><summary>{escape(_line(name))}</summary>", ""]


def _row(row: Iterable[str]) -> str:
    return f"| {' | '.join(map(plain, row))} |"


def _line(text: str) -> str:
    """Return a text in one line that mentions nobody."""
    return " ".join(text.split()).replace("@", "@\u200b")
