"""Like findings as one: the first of them, how many there are, where, and some more examples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.likeness import like_groups, others, shape
from fabric.validate.runner import without_count

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from fabric.core.findings import Finding
    from fabric.validate.waivers import Waived

#: A field of a role: roles have the same findings where they have the same model.
_ROLE = re.compile(r"platforms\.(leaf|spine|super_spine)\.")
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
        files = {finding.position.file for finding in self.findings if finding.position}
        where = f"; in {counted(len(files), 'file')}" if len(files) > 1 else ""
        return f"{others(len(self.findings) - 1, devices)}{where}"

    @property
    def examples(self) -> list[str]:
        """Some of the others, without what to do, which is the same."""
        return [self._example(finding) for finding in self.findings[1 : _EXAMPLES + 1]]

    def _example(self, finding: Finding) -> str:
        """Return where a finding is, and its message where that is another one."""
        place, words = self._place(finding), without_count(finding.message)
        is_same = _unnamed(finding, words) == _unnamed(
            self.first, without_count(self.first.message)
        )
        if is_same and (place or finding.subject):
            where = ": ".join(filter(None, (place, finding.subject)))
            return f"{where}{finding.message.removeprefix(words)}"
        return ": ".join(filter(None, (place, finding.subject, finding.message)))

    def _place(self, finding: Finding) -> str:
        """Return the place of a finding in another file or role than the first; else nothing."""
        place, first = finding.position, self.first
        is_elsewhere = place and first.position and place.file != first.position.file
        return str(place) if is_elsewhere or shape(finding.field) != shape(first.field) else ""


def like_findings(findings: Iterable[Finding], *, across_files: bool = False) -> list[LikeFindings]:
    """Return the findings in groups of like ones, in the order of the first of each.

    Parameters
    ----------
    across_files : bool
        Whether findings in different files may be alike: each file is one of a switch.
    """
    groups = like_groups(findings, lambda finding: (_file(finding, across_files), _key(finding)))
    return [LikeFindings(tuple(group)) for group in groups]


def like_waived(
    waived: Iterable[Waived], *, across_files: bool = False
) -> list[tuple[Waived, LikeFindings]]:
    """Return waived findings in groups of like ones, each with the first of it."""
    groups = like_groups(
        waived,
        lambda item: (
            item.until,
            item.reason,
            _file(item.finding, across_files),
            _key(item.finding),
        ),
    )
    return [(group[0], LikeFindings(tuple(item.finding for item in group))) for group in groups]


def _file(finding: Finding, across_files: bool) -> str:  # noqa: FBT001 - of `like_findings`
    return finding.position.file if finding.position and not across_files else ""


def _key(finding: Finding) -> Hashable:
    field, is_of_role = _ROLE.subn("platforms.*.", finding.field)
    names = () if is_of_role else (finding.device, finding.port)
    texts = (_unnamed(finding, text) for text in (without_count(finding.message), finding.fix))
    return (finding.rule, finding.severity, *map(shape, (field, *names, *texts)))


def _unnamed(finding: Finding, text: str) -> str:
    """Return a text with a sign for the device and the port of its finding."""
    for name in filter(None, (finding.device, finding.port)):
        text = text.replace(name, "#")
    return text
