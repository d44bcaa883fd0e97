"""What a report form is made of: the outcome of a check, and what the forms ask of it alike."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Position, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.validate.rule import Rule
    from fabric.validate.runner import Outcome


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
    """

    outcome: Outcome
    rules: Sequence[Rule]
    fail_on: Severity = Severity.ERROR
    file: str = "fabric.yaml"
    verb: str = "check"
    idle: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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


def sentence(finding: Finding) -> str:
    """Return what a finding says, without its place and its rule."""
    subject = " ".join(part for part in (finding.device, finding.port) if part)
    prefix = f"{subject}: " if subject else ""
    fix = f"; {finding.fix}" if finding.fix else ""
    return f"{prefix}{finding.message}{fix}"


def relative(file: str) -> str:
    """Return the path of a file from this folder, where CI systems start; else the whole path."""
    path = Path(file).absolute()
    inside = path.is_relative_to(Path.cwd())
    return (path.relative_to(Path.cwd()) if inside else path).as_posix()
