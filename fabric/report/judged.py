"""judge: what the verdicts say, as text, as data, and as findings for the forms of `check`."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.findings import Finding, Severity
from fabric.core.formats import form_of
from fabric.health.hole import NOT_KNOWN, NOT_REPORTED
from fabric.report.verdicts import VERDICT_RULES
from fabric.validate.like_findings import like_waived
from fabric.validate.report import report_in
from fabric.validate.report.plain_json import finding_json
from fabric.validate.report.text import waived_lines
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.health.cause import Cause
    from fabric.health.judge import Judgement
    from fabric.validate.waivers import Decisions

#: Form of the JSON: members are added to it, none is removed or changes its meaning.
FORMAT = form_of("judgement")
#: The verdict on devices that were not read; it alone needs no reading.
NOT_READ = "OBS117"
#: What stands before the reason why devices were not judged, and between figure and names in it.
_UNJUDGED = "not judged: "
_REASON = re.compile(rf"{_UNJUDGED}(.*?)((?:{NOT_KNOWN}|{NOT_REPORTED}).*|$)")
#: Why a verdict is skipped where no device was read.
UNREAD = "not judged: devices not read"
#: Lines of evidence of one cause in text.
_MOST_LINES = 12


def outcome_of(
    judgement: Judgement, decisions: Decisions, unjudged: Severity = Severity.INFO
) -> Outcome:
    """Return a judgement as the outcome of rules, with the waivers of an inventory applied.

    A verdict that no device was judged by is skipped; what else was not judged is a finding.

    Parameters
    ----------
    unjudged : Severity
        Of what was not judged.
    """
    findings = [_finding(cause) for cause in judgement.causes]
    findings += [
        Finding(rule, Severity.INFO if hole.system else unjudged, f"{_UNJUDGED}{hole}")
        for rule, holes in judgement.unjudged.items()
        for hole in holes
    ]
    broken = dict(judgement.broken)
    skipped = tuple(
        name for name in VERDICT_RULES if name not in judgement.judged and name not in broken
    )
    partly = tuple(judgement.unjudged)
    outcome = Outcome(tuple(findings), judgement.judged, skipped, judgement.broken, partly=partly)
    return outcome.decided(decisions)


def _finding(cause: Cause) -> Finding:
    message = "; ".join([cause.message, *_consequences(cause)])
    return Finding(
        cause.rule, cause.severity, message, cause.fix, device=cause.device, port=cause.port
    )


def _consequences(cause: Cause) -> Iterator[str]:
    if cause.symptoms:
        yield f"explains {counted(cause.symptoms, 'symptom')}"
    if cause.rails:
        rails = hostlist.fold([str(rail) for rail in cause.rails])
        yield f"{noun(len(cause.rails), 'rail')} {rails}"
    if cause.hosts:
        yield counted(len(cause.hosts), "host")
    if cause.jobs:
        yield f"jobs {', '.join(cause.jobs)}"


def text(judgement: Judgement, outcome: Outcome) -> str:
    """Return each cause with its evidence, then what was not judged."""
    by_finding = {_key(_finding(cause)): cause for cause in judgement.causes}
    lines = []
    holes = [one for one in outcome.findings if one.message.startswith(_UNJUDGED)]
    order = {key: place for place, key in enumerate(by_finding)}
    told = [one for one in outcome.findings if one not in holes]
    told.sort(key=lambda one: (-one.severity, order.get(_key(one), len(order))))
    for finding in told:
        lines.append(f"{finding.severity.word}: {finding}")
        if cause := by_finding.get(_key(finding)):
            lines += [f"    {line}" for line in _evidence(cause)]
    lines += _holes(holes)
    lines += waived_lines(like_waived(outcome.waived))
    lines += [f"could not run: verdict {name}: {reason}" for name, reason in outcome.broken]
    causes = sum(
        finding.severity > Severity.INFO and _key(finding) in by_finding
        for finding in outcome.findings
    )
    skipped = f"; not judged: {hostlist.fold(outcome.skipped)}" if outcome.skipped else ""
    lines.append(f"{counted(len(outcome.checked), 'verdict')}: {counted(causes, 'cause')}{skipped}")
    return "\n".join(lines) + "\n"


def _holes(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a line for each set of devices and ports: what nobody knows of them, and the rules."""
    groups: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for finding in findings:
        reason = _REASON.fullmatch(finding.message)
        what, names = reason.groups() if reason else (finding.message, "")
        figures, rules = groups.setdefault((finding.severity.word, names), ({}, {}))
        figures[what] = rules[finding.rule] = None
    for (severity, names), (figures, rules) in groups.items():
        # Of two verdicts one may take fewer counters for the same.
        every = [{*what.split(" or ")} for what in figures]
        whole = [what for what in figures if not any({*what.split(" or ")} < one for one in every)]
        told = f"{'; '.join(whole)}{names}"
        yield f"{severity}: {_UNJUDGED}{told} [{hostlist.fold(sorted(rules))}]"


def _key(finding: Finding) -> tuple[str, ...]:
    return finding.rule, finding.device, finding.port, finding.message


def _evidence(cause: Cause) -> list[str]:
    lines = list(cause.evidence[:_MOST_LINES])
    more = len(cause.evidence) - _MOST_LINES
    if more > 0:
        lines.append(f"and {counted(more, 'more line')}; --format json has all")
    if cause.hosts:
        lines.append(f"hosts: {hostlist.fold(cause.hosts)}")
    return lines


def as_dict(
    judgement: Judgement, outcome: Outcome, warnings: Sequence[Finding] = ()
) -> dict[str, Any]:
    """Return plain data: findings as `check --format json` has them, and all of each cause."""
    return {
        "format": FORMAT,
        "findings": [finding_json(finding) for finding in outcome.findings],
        "causes": [
            {
                "rule": cause.rule,
                "severity": cause.severity.word,
                "device": cause.device or None,
                "port": cause.port or None,
                "message": cause.message,
                "fix": cause.fix,
                "evidence": list(cause.evidence),
                "symptoms": cause.symptoms,
                "hosts": list(cause.hosts),
                "rails": list(cause.rails),
                "jobs": list(cause.jobs),
            }
            for cause in judgement.causes
        ],
        "judged": list(outcome.checked),
        "not_judged": {name: [*map(str, holes)] for name, holes in judgement.unjudged.items()},
        "holes": {
            name: [asdict(hole) for hole in holes] for name, holes in judgement.unjudged.items()
        },
        "skipped": list(outcome.skipped),
        "waived": len(outcome.waived),
        "broken": [{"rule": rule, "reason": reason} for rule, reason in outcome.broken],
        "warnings": [finding_json(finding) for finding in warnings],
    }


def report(
    judgement: Judgement,
    outcome: Outcome,
    form: str,
    file: str,
    fail_on: Severity,
    warnings: Sequence[Finding] = (),
) -> str:
    """Return a judgement in a form: text, json, or one of those of `check`."""
    if form == "text":
        return text(judgement, outcome)
    if form == "json":
        return json.dumps(as_dict(judgement, outcome, warnings), indent=2) + "\n"
    rules = list(VERDICT_RULES.values())
    nothing_read = {*judgement.judged} <= {NOT_READ}
    idle = dict.fromkeys(VERDICT_RULES, UNREAD) if nothing_read else {}
    return report_in(form)(Reported(outcome, rules, fail_on, file, "judge", idle))
