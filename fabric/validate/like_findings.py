"""Like findings as one: the first of them, how many there are, where, and some more examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.likeness import like_groups, others, shape

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from fabric.core.findings import Finding

#: Examples beyond the first: our choice, enough to see what differs.
_EXAMPLES = 2


@dataclass(frozen=True)
class LikeFindings:
    """Findings of one rule that differ in names and numbers alone.

    Parameters
    ----------
    findings : tuple of Finding
        At least one; the first stands for all.
    """

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that is shown."""
        return self.findings[0]

    @property
    def more(self) -> str:
        """How many more there are, and where all of them are; empty for a single finding."""
        if len(self.findings) == 1:
            return ""
        devices = {finding.device for finding in self.findings if finding.device}
        return others(len(self.findings) - 1, devices)

    @property
    def examples(self) -> list[str]:
        """Some of the others, without what to do, which is the same."""
        return [
            ": ".join(part for part in (_subject(finding), finding.message) if part)
            for finding in self.findings[1 : _EXAMPLES + 1]
        ]


def like_findings(findings: Iterable[Finding]) -> list[LikeFindings]:
    """Return the findings in groups of like ones, in the order of the first of each."""
    return [LikeFindings(tuple(group)) for group in like_groups(findings, _key)]


def _key(finding: Finding) -> Hashable:
    file = finding.position.file if finding.position else ""
    texts = (finding.field, finding.device, finding.port, finding.message, finding.fix)
    return (finding.rule, finding.severity, file, *map(shape, texts))


def _subject(finding: Finding) -> str:
    return " ".join(part for part in (finding.device, finding.port) if part)
