"""Findings as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.validate.report import report_forms
from fabric.validate.report.text import summary
from fabric.validate.reported import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.validate.like_findings import LikeFindings
    from fabric.validate.reported import Reported

#: Characters of a comment: GitHub refuses more than 65,536 (its answer: "body is too long").
MOST_CHARACTERS = 65_000
#: Groups of waived findings that are listed; our choice: the summary counts all of them.
MOST_WAIVED = 50
#: Signs that mean something in a table, in HTML, or as a mention (GitHub Flavored Markdown).
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~@])")
#: A command in a message: it stays code, in which no other sign means anything. A bar would end the
#: cell of a table, an @ may mention somebody, and backticks side by side are another sign.
_CODE = re.compile(r"(?<!`)(`[^`]+`)(?!`)")


@report_forms.add("markdown")
def markdown(reported: Reported) -> str:
    """Return a heading, the counts, and a table of the findings, worst first.

    A blank line ends it, so that text may follow.
    """
    outcome = reported.outcome
    failed = bool(outcome.broken or outcome.at_least(reported.fail_on))
    head = (
        f"### rocefab {reported.verb}: {'failed' if failed else 'passed'}\n\n{summary(outcome)}\n\n"
    )
    if items := list(_items(reported)):
        head += "".join(f"- {item}\n" for item in items) + "\n"
    rows = [_row(group, reported) for group in reported.groups]
    return head + (_table(rows, MOST_CHARACTERS - len(head), reported.verb) if rows else "")


def _items(reported: Reported) -> Iterator[str]:
    """Yield what stands above the findings."""
    for name, why in reported.outcome.broken:
        yield f"rule {name} could not run: {plain(why)}"
    for one, group in reported.waived[:MOST_WAIVED]:
        more = f" ({plain(group.more)})" if group.more else ""
        yield f"waived until {one.until}: {plain(one.finding.sentence)} ({plain(one.reason)}){more}"
    yield from map(plain, reported.remarks)


def _table(rows: list[str], most: int, verb: str) -> str:
    """Return as many rows as there is room for, and how many more there are."""
    text = "| severity | rule | place | finding |\n|---|---|---|---|\n"
    for number, row in enumerate(rows):
        if len(text) + len(row) > most:
            return f"{text}\n{len(rows) - number} more: `rocefab {verb}` lists them.\n\n"
        text += row
    return f"{text}\n"


def _row(group: LikeFindings, reported: Reported) -> str:
    finding = group.first
    place = reported.place(finding)
    where = plain(f"{relative(place.file)}:{place.line}")
    more = f" ({group.more})" if group.more else ""
    cells = (finding.severity.word, finding.rule, where, plain(f"{finding.sentence}{more}"))
    return f"| {' | '.join(cells)} |\n"


def plain(text: str) -> str:
    """Return a text in one line that no sign of Markdown or HTML changes; its commands are code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(
        part if number % 2 and not {"|", "@"} & {*part} else _escaped(part)
        for number, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
    marked = _SIGNS.sub(r"\\\1", text.replace("&", "&amp;"))
    return marked.replace("\\@", "@\u200b")
