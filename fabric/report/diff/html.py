"""A difference as one HTML page without script or anything from elsewhere."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.report.diff.shown_settings import cells, rows
from fabric.report.diff.view import alike, heading, hosts, parts, reach, summary, title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.report.diff.model import Cause, Diff
    from fabric.report.diff.view import Alike, Part

#: Rows of one table; a browser becomes slow with many times more.
_MOST_ROWS = 2000
#: Nothing is loaded or run (Content Security Policy Level 3, W3C).
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
#: Id of a rule, such as QOS002.
_RULE = re.compile(r"\b[A-Z]{3}\d{3}\b")
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; }
h1 { overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5em 0 1em; }
th, td { border: 1px solid #888; padding: .2em .6em; text-align: left; vertical-align: top; }
th { background: light-dark(#eee, #333); }
td { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: .2em 0; overflow-wrap: anywhere; }
code { font-size: 13px; overflow-wrap: anywhere; }
td span { white-space: nowrap; }
"""


def html(diff: Diff) -> str:
    """Return the page; each text of the inventory is escaped."""
    name = title(diff)
    lines = [f"<h1>{escape(name)}</h1>", *_list(summary(diff))]
    for part in parts(diff):
        lines += _part(part)
    if diff.causes:
        lines.append(f"<h2>Causes ({len(diff.causes):,})</h2>")
        lines += [line for cause in diff.causes for line in _cause(cause)]
    if diff.devices:
        lines.append(f"<h2>Devices ({len(diff.devices):,})</h2>")
        lines += [line for group in alike(diff) for line in _device(group)]
    if touched := hosts(diff):
        lines += ["<h2>Hosts</h2>", *_list(touched)]
    return page(name, lines)


def page(name: str, lines: Sequence[str]) -> str:
    """Return a page of lines that are HTML, below a title that is not."""
    first, *others = lines
    return "\n".join([
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{escape(name)}</title>",
        f"<style>{_STYLE}</style></head>",
        f"<body>{first}",
        *others,
        "</body></html>",
        "",
    ])


def _part(part: Part) -> Iterator[str]:
    yield f"<h2>{escape(part.title)} ({len(part.rows):,})</h2>"
    yield from _table(part.headers, part.rows)


def _cause(cause: Cause) -> Iterator[str]:
    texts = "<br>".join(f"<code>{escape(line)}</code>" for line in heading(cause))
    yield f"<details><summary>{texts}<br>{escape(reach(cause))}</summary>"
    rows = [(cause.example_device, *cells(one)) for one in cause.example]
    yield from _table(("for example", "setting", "before", "after"), rows) if rows else ()
    yield "</details>"


def _device(group: Alike) -> Iterator[str]:
    one = group.first
    yield f"<details><summary>{escape(group.title)}</summary>"
    yield from _list(group.notes)
    settings = rows(one.settings)
    yield from (_table(("setting", "before", "after"), settings) if settings else _list(one.files))
    yield "</details>"


def _list(lines: Iterable[str]) -> list[str]:
    items = [f"<li>{escape(line)}</li>" for line in lines]
    return ["<ul>", *items, "</ul>"] if items else []


def _cell(text: str) -> str:
    """Return a cell in which the id of a rule stays on one line."""
    return _RULE.sub(r"<span>\g<0></span>", escape(text))


def _table(headers: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    every = list(rows)
    yield f"<table><tr>{''.join(f'<th>{escape(one)}</th>' for one in headers)}</tr>"
    for row in every[:_MOST_ROWS]:
        yield f"<tr>{''.join(f'<td>{_cell(one)}</td>' for one in row)}</tr>"
    yield "</table>"
    more = len(every) - _MOST_ROWS
    if more > 0:
        yield f"<p>{counted(more, 'more row')}; <code>rocefab diff --format json</code> has all</p>"
