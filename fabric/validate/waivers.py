"""Waivers and severities of the inventory, applied to what the rules find."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Severity
from fabric.validate.rule import DescribedRule, areas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fabric.intent.inventory import Intent
    from fabric.intent.model import Waiver

areas.add("WVR")("Waivers and severities of the inventory")
_FIX = "correct the entry of `waivers` or `severity` in fabric.yaml"
_WHY = "A waiver without an end hides later findings of the same rule."
_SOURCE = "own definition: docs/ci/README.md, accepted findings"
WAIVER_RULES: dict[str, DescribedRule] = {
    row[0]: DescribedRule(*row, _WHY, _FIX, _SOURCE)
    for row in (
        ("WVR001", Severity.WARNING, "No waiver is past its last day"),
        ("WVR002", Severity.INFO, "Every waiver covers a finding"),
        ("WVR003", Severity.ERROR, "Waivers and severities name rules that can be decided"),
    )
}
#: Rules that no waiver silences: loading or rendering rejects the same.
FINAL = ("INT", "REN", "WVR")
#: Rules of which that is so of the errors; with their other findings the inventory is rendered.
FINAL_ERRORS = ("TOP", "SYS")


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that the inventory accepts."""

    finding: Finding
    reason: str
    until: date

    def __str__(self) -> str:
        return f"waived until {self.until}: {self.finding}; reason: {self.reason}"


@dataclass(frozen=True, eq=False)
class Decisions:
    """What an inventory decides about findings.

    Parameters
    ----------
    today : date
        Waivers count up to and with their last day.
    """

    intent: Intent
    today: date

    @classmethod
    def of(cls, intent: Intent, today: date | None = None) -> Decisions:
        """Return the decisions of an inventory, by default as of this day."""
        return cls(intent, today or datetime.now().astimezone().date())

    def apply(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Waived]]:
        """Return the findings that stay, with their severity, and those that are waived."""
        kept, waived = [], []
        changes = self.intent.fabric.severity
        for finding in findings:
            waiver = self._waiver(finding)
            change = changes.get(finding.rule) if _is_open(finding.rule, finding.severity) else None
            level = Severity.of_word(change.level) if change else finding.severity
            judged = replace(finding, severity=level)
            if waiver:
                waived.append(Waived(judged, waiver.reason, waiver.until))
            else:
                kept.append(judged)
        return kept, waived

    def _waiver(self, finding: Finding) -> Waiver | None:
        """Return the first waiver that covers a finding."""
        covering = (
            waiver
            for waiver in self.intent.fabric.waivers
            if waiver.rule == finding.rule
            and waiver.until >= self.today
            and _is_open(finding.rule, finding.severity)
            and fnmatchcase(finding.device, waiver.device)
            and all(fnmatchcase(port, waiver.port) for port in finding.port.split(", "))
        )
        return next(covering, None)

    def problems(
        self, known: Callable[[], Mapping[str, Severity]], waived: Iterable[Waived]
    ) -> Iterator[Finding]:
        """Yield what is wrong with waivers and severities.

        Parameters
        ----------
        known : callable
            Returns the severity of every rule, by id; called where the inventory decides about any.
        waived : iterable of Waived
            What was waived in this run.
        """
        if not (self.intent.fabric.waivers or self.intent.fabric.severity):
            return
        ids, used = known(), {(item.finding.rule, item.reason) for item in waived}
        for index, waiver in enumerate(self.intent.fabric.waivers):
            path = ("waivers", index)
            yield from self._named(waiver.rule, ids, *path, "rule")
            if waiver.until < self.today:
                message = f"the waiver of {waiver.rule} ended on {waiver.until}"
                fix = "repair what it waives, or set a later day with a new reason"
                yield self._finding("WVR001", Severity.WARNING, message, fix, *path, "until")
            elif waiver.rule in ids and (waiver.rule, waiver.reason) not in used:
                message = f"the waiver of {waiver.rule} covers no finding"
                yield self._finding("WVR002", Severity.INFO, message, "remove it", *path, "rule")
        for rule in self.intent.fabric.severity:
            yield from self._named(rule, ids, "severity", rule)

    def _named(
        self, rule: str, known: Mapping[str, Severity], *path: str | int
    ) -> Iterator[Finding]:
        """Yield a finding where a rule does not exist, or decides what rendering rejects."""
        if not _is_open(rule, known.get(rule, Severity.ERROR)):
            message = f"{rule} cannot be waived or changed: rendering rejects the same"
            fix = "correct what the rule finds"
            yield self._finding("WVR003", Severity.ERROR, message, fix, *path)
        elif rule not in known:
            fix = "`rocefab show rules` lists them"
            message = f"there is no rule {rule}"
            yield self._finding("WVR003", Severity.ERROR, message, fix, *path)

    def _finding(
        self, rule: str, severity: Severity, message: str, fix: str, *path: str | int
    ) -> Finding:
        return self.intent.finding(rule, message, fix, *path, severity=severity)


def _is_open(rule: str, severity: Severity) -> bool:
    """Tell whether an inventory decides about the findings of a rule that have a severity."""
    is_final = rule.startswith(FINAL_ERRORS) and severity >= Severity.ERROR
    return not (rule.startswith(FINAL) or is_final)
