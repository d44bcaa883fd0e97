"""Runs the verdicts, and puts symptoms to their causes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.health.cause import rows_of, together
from fabric.health.folding import folded
from fabric.health.verdict import verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.core.findings import Finding
    from fabric.health.cause import Cause
    from fabric.health.ends import Ends
    from fabric.health.hole import Hole
    from fabric.health.verdict import Verdict
    from fabric.health.window import Window
    from fabric.topology.model import Bools


@dataclass(frozen=True)
class Judgement:
    """What the verdicts say.

    Parameters
    ----------
    causes : tuple of Cause
        Worst first; symptoms are in the cause that explains them.
    judged : tuple of str
        Ids of the verdicts that at least one device was judged by.
    unjudged : mapping
        By verdict, why devices were not judged: a line for each figure that is missing.
    broken : tuple of (str, str)
        Verdicts that failed themselves, with the reason.
    concluded : mapping
        By verdict, the devices, and the ends of cables, of which a cause would be seen.
    """

    causes: tuple[Cause, ...]
    judged: tuple[str, ...]
    unjudged: Mapping[str, tuple[Hole, ...]]
    broken: tuple[tuple[str, str], ...] = ()
    concluded: Mapping[str, tuple[Bools, Bools]] = field(default_factory=dict)

    def is_over(self, finding: Finding, ends: Ends) -> bool:
        """Return whether an earlier finding, which is no cause now, is over.

        It is not where its device, or its port, could not be judged this time. A device that the
        fabric does not have any more has no faults.
        """
        if finding.device not in ends.number:
            return True
        if finding.rule not in self.concluded:
            return finding.rule not in verdicts
        devices, rows = self.concluded[finding.rule]
        number = ends.number[finding.device]
        row = ends.rows[number].get(finding.port)
        return bool(devices[number] if row is None else rows[row])


def every_verdict() -> list[Verdict]:
    """Return one instance of every verdict, by id."""
    return [verdict(rule_id) for rule_id, verdict in verdicts.items()]


def judge(window: Window, jobs: Mapping[str, Sequence[str]] | None = None) -> Judgement:
    """Judge a window.

    Parameters
    ----------
    jobs : mapping, optional
        Hosts of each job that runs.
    """
    causes: list[Cause] = []
    judged: list[str] = []
    broken: list[tuple[str, str]] = []
    unjudged: dict[str, tuple[Hole, ...]] = {}
    concluded: dict[str, tuple[Bools, Bools]] = {}
    for verdict in sorted(every_verdict(), key=lambda one: (one.rank, one.id)):
        try:
            reasons, none = verdict.unjudged(window)
            causes += verdict.judge(window)
            concluded[verdict.id] = verdict.concluded(window)
        except Exception as error:  # noqa: BLE001 - any mistake in a verdict must not hide the others
            broken.append((verdict.id, f"{type(error).__name__}: {error}"))
            continue
        if reasons:
            unjudged[verdict.id] = tuple(reasons)
        if not none:
            judged.append(verdict.id)
    told = _joined(window, folded(causes))
    kept = sorted(told, key=lambda one: (-one.severity, -one.symptoms, one.rule))
    whole = tuple(_with_jobs(cause, jobs or {}) for cause in kept)
    return Judgement(whole, tuple(sorted(judged)), unjudged, tuple(broken), concluded)


def _joined(window: Window, causes: list[Cause]) -> list[Cause]:
    """Return the causes; those of one rule on several ports of a device as one, where it joins."""
    joining = {one.id: one for one in every_verdict() if one.joins}
    groups: dict[tuple[str, str], list[Cause]] = {}
    for cause in causes:
        if cause.rule in joining:
            groups.setdefault((cause.rule, cause.device), []).append(cause)
    others = [cause for cause in causes if cause.rule not in joining]
    return others + [
        together(joining[rule].joined(window, np.array(sorted(rows_of(group)))), group)
        for (rule, _), group in groups.items()
    ]


def _with_jobs(cause: Cause, jobs: Mapping[str, Sequence[str]]) -> Cause:
    """Name the jobs on the hosts of a cause."""
    hit = {*cause.hosts, cause.device}
    return replace(cause, jobs=tuple(sorted(name for name, on in jobs.items() if hit & {*on})))
