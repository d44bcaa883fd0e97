"""Runs the rules and gathers what they say."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.steps import stage, steps
from fabric.validate.rule import Rule
from fabric.validate.rule import rules as registry
from fabric.validate.waivers import Decisions, Waived

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.findings import Finding, Severity
    from fabric.validate.world import World


@dataclass(frozen=True)
class Outcome:
    """What a check run found.

    Parameters
    ----------
    findings : tuple of Finding
        Worst first; equal findings of many devices are one, with a count.
    checked : tuple of str
        Ids of the rules that ran.
    skipped : tuple of str
        Ids of the rules that had nothing to look at.
    broken : tuple of (str, str)
        Rules that failed themselves, with the reason.
    waived : tuple of Waived
        Findings that the inventory accepts.
    partly : tuple of str
        Ids of the rules that could not look at everything.
    ignored : tuple of Finding
        Findings of rules that are ignored; they do not count.
    """

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    skipped: tuple[str, ...]
    broken: tuple[tuple[str, str], ...]
    waived: tuple[Waived, ...] = ()
    partly: tuple[str, ...] = ()
    ignored: tuple[Finding, ...] = ()

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of a severity or worse."""
        return tuple(finding for finding in self.findings if finding.severity >= severity)

    def without(self, rules: Iterable[str]) -> Outcome:
        """Return the outcome as if these rules had been ignored."""
        out = set(rules)
        return Outcome(
            tuple(finding for finding in self.findings if finding.rule not in out),
            tuple(name for name in self.checked if name not in out),
            tuple(sorted({*self.skipped, *out})),
            tuple(item for item in self.broken if item[0] not in out),
            tuple(item for item in self.waived if item.finding.rule not in out),
            ignored=(*self.ignored, *(one for one in self.findings if one.rule in out)),
        )

    def decided(self, decisions: Decisions) -> Outcome:
        """Return the outcome with the waivers and severities of an inventory applied."""
        kept, waived = decisions.apply(self.findings)
        return replace(self, findings=tuple(worst_first(kept)), waived=(*self.waived, *waived))

    def merged(self, other: Outcome) -> Outcome:
        """Return this and another outcome as one; skipped is what neither of them ran."""
        return Outcome(
            tuple(worst_first([*self.findings, *other.findings])),
            tuple(sorted({*self.checked, *other.checked})),
            tuple(sorted({*self.skipped} & {*other.skipped})),
            (*self.broken, *other.broken),
            (*self.waived, *other.waived),
            ignored=(*self.ignored, *other.ignored),
        )


def all_rules() -> list[Rule]:
    """Return one instance of every rule, by id."""
    return [rule(rule_id) for rule_id, rule in registry.items()]


def each_finding(world: World) -> list[Finding]:
    """Run every rule, and return what it says of each device and port by itself.

    A rule that fails itself says nothing here; `run` reports it.
    """
    findings: list[Finding] = []
    for rule in all_rules():
        with suppress(Exception):
            for subject in rule.subjects(world) or ():
                findings += rule.settled([*rule.check(*subject)], subject, world)
    return findings


def run(world: World, ignore: Iterable[str] = (), rules: Sequence[Rule] | None = None) -> Outcome:
    """Run every rule, or some, except the ignored ones; waivers and severities of a model count.

    An exception inside a rule does not end the run: the rule is reported as broken.
    """
    findings: list[Finding] = []
    checked: list[str] = []
    skipped, broken = list(ignore), []
    every = all_rules() if rules is None else rules
    with stage("rules"):
        for rule in steps("rules", [rule for rule in every if rule.id not in skipped]):
            values: list[Finding] = []
            try:
                subjects = rule.subjects(world)
                for subject in subjects or ():
                    values += rule.settled([*rule.check(*subject)], subject, world)
            except Exception as error:  # noqa: BLE001 - any mistake in a rule must not hide the others
                broken.append((rule.id, f"{type(error).__name__}: {error}"))
                continue
            (skipped if subjects is None else checked).append(rule.id)
            findings += values
    waived: list[Waived] = []
    if world.model:
        findings, waived = Decisions.of(world.model.intent).apply(findings)
    return Outcome(
        tuple(gathered(findings)),
        tuple(checked),
        tuple(sorted(skipped)),
        tuple(broken),
        tuple(waived),
    )


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcomes of the same rules over several worlds as one."""
    every = list(outcomes)
    return Outcome(
        tuple(worst_first([finding for one in every for finding in one.findings])),
        tuple(sorted(set[str]().union(*{one.checked for one in every}))),
        tuple(sorted(set.intersection(*map(set, {one.skipped for one in every})))),
        tuple(dict(item for one in every for item in one.broken).items()),
        tuple(item for one in every for item in one.waived),
        ignored=tuple(finding for one in every for finding in one.ignored),
    )


def gathered(findings: list[Finding]) -> list[Finding]:
    """Make one finding of those that differ in device and port alone; worst first."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.message, finding.field, finding.position)
        alone = () if finding.position else (finding.device, finding.port)
        groups.setdefault((*key, *alone), []).append(finding)
    return worst_first([_merge(group) for group in groups.values()])


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Return findings by severity, then by rule; otherwise in their order."""
    return sorted(findings, key=lambda finding: (-finding.severity, finding.rule))


#: What a finding says of the others that are one with it.
_MORE = " (and in {})"
_COUNTED = re.compile(re.escape(_MORE).replace(r"\{\}", "[0-9,]+ more places?") + "$")


def without_count(message: str) -> str:
    """Return a message of `gathered` without the number of its places.

    Examples
    --------
    >>> without_count("no uplink at all (and in 1 more place)")
    'no uplink at all'
    """
    return _COUNTED.sub("", message)


def _merge(group: list[Finding]) -> Finding:
    first, *others = group
    if not others:
        return first
    subjects = dict.fromkeys(finding.subject for finding in others if finding.subject)
    words = f"{first.message}{_MORE.format(counted(len(others), 'more place'))}"
    return replace(first, message=words, also=tuple(subjects))
