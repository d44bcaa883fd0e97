"""Findings as SARIF 2.1.0 (OASIS standard), within the limits of GitHub code scanning."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fabric import __version__
from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.intent.yaml.ends import ends_in
from fabric.validate.publications import help_address
from fabric.validate.report import report_forms
from fabric.validate.reported import relative

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.core.findings import Position
    from fabric.intent.yaml.ends import Mark
    from fabric.validate.reported import Reported
    from fabric.validate.rule import Rule

#: An upload with more results in a run is rejected (docs.github.com, SARIF results exceed limits).
MOST_RESULTS = 25_000
#: Characters of a short or full description (docs.github.com, SARIF support for code scanning).
MOST_DESCRIBED = 1024
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASE = "%SRCROOT%"


@report_forms.add("sarif")
def sarif(reported: Reported) -> str:
    """Return a log with one run; paths are relative to this folder."""
    outcome = reported.outcome
    known = {rule.id for rule in reported.rules}
    others = sorted({finding.rule for finding in outcome.findings} - known)
    catalogue = [_rule(rule) for rule in reported.rules]
    catalogue += [_described(name, _READING, _READING, _READING) for name in others]
    pairs = zip(outcome.findings, reported.fingerprints(), strict=True)
    ends = cache(ends_in)
    results = [_result(finding, reported, mark, ends) for finding, mark in pairs]
    results += [
        _result(one.finding, reported, f"{one.finding.rule}:waived:{number}", ends)
        | {"suppressions": [{"kind": "external", "justification": one.reason}]}
        for number, one in enumerate(outcome.waived)
    ]
    run = {
        "tool": {"driver": {"name": "rocefab", "version": __version__, "rules": catalogue}},
        "originalUriBaseIds": {_BASE: {"uri": _folder()}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(reported, len(results) - MOST_RESULTS)],
        "results": results[:MOST_RESULTS],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


_READING = "The inventory can be read, and rendered"


def _rule(rule: Rule) -> dict[str, Any]:
    described = _described(rule.id, rule.title, rule.why, f"{rule.why}\nSource: {rule.source}")
    described["defaultConfiguration"] = {"level": _LEVEL[rule.severity]}
    address = help_address(rule.source)
    return {**described, "helpUri": address} if address else described


def _described(name: str, title: str, why: str, advice: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": title[:MOST_DESCRIBED]},
        "fullDescription": {"text": why[:MOST_DESCRIBED]},
        "help": {"text": advice},
    }


def _result(
    finding: Finding,
    reported: Reported,
    mark: str,
    ends: Callable[[str], Mapping[Mark, Mark]],
) -> dict[str, Any]:
    place = reported.place(finding)
    location = {"artifactLocation": _artefact(place.file), "region": _region(place, ends)}
    return {
        "ruleId": finding.rule,
        "level": _LEVEL[finding.severity],
        "message": {"text": finding.sentence},
        "locations": [{"physicalLocation": location}],
        # The first is the only one that GitHub compares; its upload action makes one of the line
        # where there is none, which is the same for all findings without a place.
        "partialFingerprints": {"primaryLocationLineHash": mark, "rocefab/v1": mark},
    }


def _region(place: Position, ends: Callable[[str], Mapping[Mark, Mark]]) -> dict[str, int]:
    """Return where a key or value begins and ends: one character where its end is not known."""
    start = place.line, place.column
    line, column = ends(place.file).get(start, start)
    if (line, column) <= start:
        line, column = place.line, place.column + 1  # GitHub wants an end too
    names = ("startLine", "startColumn", "endLine", "endColumn")
    return dict(zip(names, (*start, line, column), strict=True))


def _artefact(file: str) -> dict[str, str]:
    path = relative(file)
    if path.startswith("/"):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path), "uriBaseId": _BASE}


def _invocation(reported: Reported, left_out: int) -> dict[str, Any]:
    broken, stopped = reported.outcome.broken, _stopped(reported)
    notes: list[dict[str, Any]] = [
        {"level": "error", "associatedRule": {"id": name}, "message": {"text": reason}}
        for name, reason in broken
    ]
    if stopped:
        notes.append({"level": "error", "message": {"text": stopped}})
    if left_out > 0:
        text = (
            f"{counted(left_out, 'finding is', 'findings are')} omitted: a SARIF run has at most "
            f"{MOST_RESULTS} results"
        )
        notes.append({"level": "warning", "message": {"text": text}})
    if reported.ignored_words:
        notes.append({"level": "warning", "message": {"text": reported.ignored_words}})
    return {
        "executionSuccessful": not (broken or stopped),
        "workingDirectory": {"uri": _folder()},
        "toolExecutionNotifications": notes,
    }


def _stopped(reported: Reported) -> str:
    """Return why no rule ran; empty where one did (SARIF 2.1.0, 3.20.14 and 3.20.21)."""
    outcome = reported.outcome
    if outcome.checked or outcome.broken or not outcome.findings:
        return ""
    return f"no rule ran, as the input cannot be judged: {outcome.findings[0]}"


def _folder() -> str:
    return f"{Path.cwd().as_uri().rstrip('/')}/"
