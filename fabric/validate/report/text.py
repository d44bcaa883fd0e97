"""Findings as lines: file:line:column first, so that editors and terminals can jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.likeness import shown_once
from fabric.validate.report import report_forms
from fabric.validate.reported import severity_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.validate.like_findings import LikeFindings
    from fabric.validate.reported import Reported
    from fabric.validate.runner import Outcome
    from fabric.validate.waivers import Waived


@report_forms.add("text")
def text(reported: Reported) -> str:
    """Return one line per finding, or group of like ones, and a summary."""
    outcome, groups = reported.outcome, reported.groups
    lines = [line for group in groups for line in _lines(group, full=reported.full)]
    lines += waived_lines(reported.waived)
    lines += [f"could not run: rule {name}: {reason}" for name, reason in outcome.broken]
    lines += [summary(outcome), *filter(None, [reported.ignored_words])]
    shown, every = len(groups) + len(reported.waived), len(outcome.findings) + len(outcome.waived)
    if hint := shown_once(shown, every):
        lines.append(hint)
    return "\n".join(lines) + "\n"


def waived_lines(groups: Iterable[tuple[Waived, LikeFindings]]) -> Iterator[str]:
    """Yield the first waived finding of each group, and how many more there are."""
    for first, group in groups:
        yield str(first)
        if group.more:
            yield f"    {group.more}"


def _lines(group: LikeFindings, *, full: bool) -> Iterator[str]:
    yield f"{group.first.severity.word}: {group.first}"
    if full and group.first.also:
        yield f"    also: {hostlist.fold_inside(group.first.also)}"
    if group.more:
        number = len(group.findings) - 1
        is_all = number == len(group.examples)
        yield f"    {number} more like it:" if is_all else f"    {group.more}; such as:"
        yield from (f"      {example}" for example in group.examples)


def summary(outcome: Outcome) -> str:
    """Return the counts of an outcome as one line."""
    counts = ", ".join(
        severity_count(sum(f.severity is severity for f in outcome.findings), severity)
        for severity in sorted(Severity, reverse=True)
    )
    skipped = f", {len(outcome.skipped)} skipped ({hostlist.fold(outcome.skipped)})"
    waived = f", {len(outcome.waived)} waived" if outcome.waived else ""
    tail = skipped if outcome.skipped else ""
    return f"{counted(len(outcome.checked), 'rule')} checked: {counts}{waived}{tail}"
