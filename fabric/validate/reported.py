"""What a report form is made of: the outcome of a check, and what the forms ask of it alike."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.findings import Finding, Ignored, Position, Severity
from fabric.validate.like_findings import LikeFindings, like_findings, like_waived

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.validate.rule import Rule
    from fabric.validate.runner import Outcome
    from fabric.validate.waivers import Waived


@dataclass(frozen=True)
class Reported:
    """The outcome of a check, and what was asked of it.

    Parameters
    ----------
    outcome : Outcome
        What the rules said.
    rules : sequence of Rule
        Every rule, whether it ran or not.
    fail_on : Severity
        From which severity on a finding is a failure.
    file : str
        Where findings stand that have no place of their own.
    verb : str
        The command that judged.
    idle : mapping, optional
        Why rules had nothing to look at, by rule.
    notes : tuple of str
        What else the outcome says, and what it does not say.
    full : bool
        Whether forms for people list like findings one by one. Forms for programs always do.
    ignored : Ignored, optional
        Rules that do not count, and who says that.
    across_files : bool
        Whether findings in different files may be alike.
    figures : mapping, optional
        What JSON has beside, as plain data by the name of a member.
    """

    outcome: Outcome
    rules: Sequence[Rule]
    fail_on: Severity = Severity.ERROR
    file: str = "fabric.yaml"
    verb: str = "check"
    idle: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    full: bool = True
    ignored: Ignored | None = None
    across_files: bool = False
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ignored_words(self) -> str:
        """Which rules do not count, who says that, and what they say; empty where all count."""
        if not self.ignored:
            return ""
        file, line = self.ignored.place.file, self.ignored.place.line
        rules = ", ".join(map(self._ignored_counts, dict.fromkeys(self.ignored.rules)))
        return f"ignored by {file}{f':{line}' if line else ''}: {rules}"

    def _ignored_counts(self, rule: str) -> str:
        counts = Counter(
            finding.severity for finding in self.outcome.ignored if finding.rule == rule
        )
        words = [severity_count(counts[severity], severity) for severity in sorted(counts)[::-1]]
        return f"{rule} ({', '.join(words) or 'no findings'})"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes, and what is ignored."""
        return (*self.notes, *filter(None, [self.ignored_words]))

    @property
    def groups(self) -> list[LikeFindings]:
        """Findings as forms for people show them."""
        findings = self.outcome.findings
        if self.full:
            return [LikeFindings((finding,)) for finding in findings]
        return like_findings(findings, across_files=self.across_files)

    @property
    def waived(self) -> list[tuple[Waived, LikeFindings]]:
        """Waived findings as forms for people show them."""
        if self.full:
            return [(one, LikeFindings((one.finding,))) for one in self.outcome.waived]
        return like_waived(self.outcome.waived, across_files=self.across_files)

    def place(self, finding: Finding) -> Position:
        """Return where a finding stands; in the first line of the input if it does not say."""
        place = finding.position or Position(self.file)
        return place if place.line else Position(place.file, 1)

    def fingerprints(self) -> list[str]:
        """Return what tells each finding from the others in every run, whatever its line."""
        seen: Counter[str] = Counter()
        prints = []
        for finding in self.outcome.findings:
            subject = (finding.field, finding.device, finding.port, finding.message)
            parts = (finding.rule, relative(self.place(finding).file), *subject)
            digest = hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]
            seen[digest] += 1
            prints.append(f"{digest}:{seen[digest]}")
        return prints


def severity_count(number: int, severity: Severity) -> str:
    """Return a number of findings of a severity: ``2 errors``."""
    return f"{number} info" if severity is Severity.INFO else counted(number, severity.word)


def relative(file: str) -> str:
    """Return the path of a file from this folder, where CI systems start; else the whole path."""
    path = Path(file).absolute()
    inside = path.is_relative_to(Path.cwd())
    return (path.relative_to(Path.cwd()) if inside else path).as_posix()
