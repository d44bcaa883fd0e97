"""A look at a device as findings: one for each setting that is not as planned."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Finding, Position, Severity
from fabric.intent.documents import MAIN_FILE
from fabric.report.drifts import (
    CONFIGURATION,
    DRIFT_RULES,
    RELEASE,
    REPAIR,
    SETTING,
    UNKNOWN,
    UNREAD,
)
from fabric.validate.report import report_in
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, worst_first
from fabric.workflow.planned_release import OFF_RELEASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fabric.change.expectation import Deviation
    from fabric.report.drifted import DriftedSetting
    from fabric.workflow.verify import Health

#: Longest text of a value that is repeated in a message; ours.
_LONGEST = 200


def findings_of(health: Health) -> list[Finding]:
    """Return the findings of a device; of one that was not read, that alone."""
    if health.error:
        return [_finding(UNREAD, health.device, f"it could not be read: {health.error}")]
    by_path = attrgetter("path")
    groups = groupby(sorted(health.settings, key=by_path), key=by_path)
    drifted = [_drifted(health.device, path, list(group)) for path, group in groups]
    return [*drifted, *map(_deviant, health.deviations)]


def report(health: Sequence[Health], form: str, inventory: Path) -> str:
    """Return a look at devices in a report form of `check`, such as ``junit`` or ``sarif``.

    Each finding fails. A rule that some device was not judged by is skipped where it finds nothing.
    """
    rules = {name: rule for name, rule in DRIFT_RULES.items() if name != REPAIR}
    findings = worst_first([finding for item in health for finding in findings_of(item)])
    unread = hostlist.fold_inside(item.device for item in health if item.error)
    idle = dict.fromkeys({*rules} - {UNREAD}, f"not read: {unread}") if unread else {}
    if texts := [f"{item.device}: {text}" for item in health for text in item.uncompared]:
        idle[RELEASE] = f"not compared: {'; '.join(texts)}"
    outcome = Outcome(tuple(findings), tuple(rules), (), (), partly=tuple(idle))
    asked = Reported(
        outcome, (*rules.values(),), Severity.WARNING, str(inventory / MAIN_FILE), "drift", idle
    )
    return report_in(form)(asked)


def failed_repair(device: str, reason: str) -> Finding:
    """Return the finding that lasts until the device is as planned again."""
    return _finding(REPAIR, device, f"its repair failed: {reason}")


def is_judged_by(health: Health) -> Callable[[Finding], bool]:
    """Return which findings would be there again if they lasted.

    A device that was not read proves nothing gone; nor does a setting that cannot be read now. A
    failed repair ends when nothing of the configuration is left to repair.
    """
    device, unread, drifted = health.device, bool(health.error), bool(health.drift)
    hidden = {(one.item, one.subject) for one in health.deviations if one.unknown}

    def is_judged(finding: Finding) -> bool:
        if finding.device != device or finding.rule not in DRIFT_RULES:
            return False
        if finding.rule == UNREAD or unread:
            return finding.rule == UNREAD
        if finding.rule == REPAIR:
            return not drifted
        if finding.rule == RELEASE:
            return not health.uncompared
        return finding.rule != SETTING or (finding.port, finding.field) not in hidden

    return is_judged


def _finding(
    rule: str,
    device: str,
    message: str,
    *,
    field: str = "",
    port: str = "",
    position: Position | None = None,
    wanted: str = "",
) -> Finding:
    described = DRIFT_RULES[rule]
    fix = f"{described.fix}{wanted}"
    return Finding(
        rule, described.severity, message, fix, field, position, device=device, port=port
    )


def _drifted(device: str, path: str, settings: list[DriftedSetting]) -> Finding:
    """Return one finding of a path: what runs, what is planned, and which value wants it."""
    runs = _joined(setting.running for setting in settings)
    planned = _joined(setting.planned for setting in settings)
    values = [value for setting in settings if setting.origin for value in setting.origin.values]
    wanted = "; ".join(
        dict.fromkeys(f"{value.field} = {value.value} ({value.where})" for value in values)
    )
    position = next((value.position for value in values if value.position), None)
    one = _finding(
        CONFIGURATION,
        device,
        f"runs {runs}, planned {planned}",
        field=path,
        position=position,
        wanted=f"; the inventory says {wanted}" if wanted else "",
    )
    return replace(one, planned=planned, running=runs)


def _joined(texts: Iterable[str]) -> str:
    return _short("; ".join(dict.fromkeys(text for text in texts if text))) or "nothing"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _deviant(deviation: Deviation) -> Finding:
    known = RELEASE if deviation.subject == OFF_RELEASE else SETTING
    rule = UNKNOWN if deviation.unknown else known
    return _finding(
        rule,
        deviation.device,
        _short(deviation.message),
        field=deviation.subject,
        port=deviation.item,
    )
