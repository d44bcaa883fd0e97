"""The form in which what was made of a switch is kept: what the rules say, and digests of files."""

from __future__ import annotations

import json
from dataclasses import astuple
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.render.manifest import Written, written
from fabric.validate.rule import rules
from fabric.validate.runner import Outcome
from fabric.workflow.stages import Checked

if TYPE_CHECKING:
    from collections.abc import Iterable


def checked_to_bytes(checked: Checked) -> bytes | None:
    """Return what is kept of a switch; None unless it was rendered and all rules ran."""
    outcome = checked.outcome
    if not checked.files or checked.broken or (outcome and outcome.broken):
        return None
    said = outcome and [_to_rows(outcome.findings), outcome.checked]
    files = [written(file) for file in checked.files]
    return json.dumps([_to_rows(checked.findings), said, files]).encode()


def checked_from_bytes(content: bytes) -> Checked:
    """Return what was kept of a switch."""
    own, said, files = json.loads(content)
    outcome = None
    if said:
        findings, ran = said
        outcome = Outcome(tuple(_from_rows(findings)), tuple(ran), _others(tuple(ran)), ())
    rows = [Written(*row) for row in files]
    return Checked(list(_from_rows(own)), {}, outcome=outcome, written=rows)


@lru_cache(16)  # all switches of a system have the same
def _others(ran: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rules that had nothing to look at, where none failed itself."""
    return tuple(sorted(set(rules) - set(ran)))


def _to_rows(findings: Iterable[Finding]) -> list[Any]:
    return [
        (
            *(f.rule, f.severity, f.message, f.fix, f.field),
            *(_place(f), f.device, f.port, f.planned, f.running, f.is_default),
        )
        for f in findings
    ]


def _place(finding: Finding) -> Any:
    return finding.position and astuple(finding.position)


def _from_rows(rows: list[Any]) -> Iterable[Finding]:
    for rule, severity, message, fix, field, place, *where in rows:
        position = place and Position(*place)
        yield Finding(rule, Severity(severity), message, fix, field, position, *where)
