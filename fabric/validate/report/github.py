"""Findings as workflow commands of GitHub Actions: notes beside the lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Position, Severity
from fabric.validate.report import report_forms
from fabric.validate.report.text import summary
from fabric.validate.reported import relative

if TYPE_CHECKING:
    from fabric.validate.reported import Reported

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
#: What a message, and besides what a property may not hold (actions/toolkit core/src/command.ts).
_IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = {**_IN_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


@report_forms.add("github")
def github(reported: Reported) -> str:
    """Return one command per finding, worst first, and a summary for the log.

    GitHub shows ten errors and ten warnings of a step; the rest stands in the log.
    """
    outcome = reported.outcome
    lines = [_command(finding, reported) for finding in outcome.findings]
    lines += [f"::error title={name}::{text.translate(_IN_DATA)}" for name, text in outcome.broken]
    lines.append(summary(outcome))
    if reported.ignored:
        lines.append(_ignored(reported, reported.ignored.place))
    return "\n".join(lines) + "\n"


def _ignored(reported: Reported, place: Position) -> str:
    """Return what is ignored; beside its line where a file says it."""
    where = f"file={relative(place.file).translate(_IN_PROPERTY)},line={place.line}"
    command = f"::warning {where},title=ignored rules::" if place.line else ""
    return f"{command}{reported.ignored_words.translate(_IN_DATA)}"


def _command(finding: Finding, reported: Reported) -> str:
    place = reported.place(finding)
    file = relative(place.file).translate(_IN_PROPERTY)
    where = f"file={file},line={place.line},col={place.column},title={finding.rule}"
    return f"::{_COMMAND[finding.severity]} {where}::{finding.sentence.translate(_IN_DATA)}"
