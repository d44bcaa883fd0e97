"""Which findings about two inventories, or two revisions of one, are the same."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.findings import Severity
from fabric.core.likeness import shape
from fabric.validate.runner import without_count

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterator

    from fabric.core.findings import Finding
    from fabric.topology.model import Fabric

#: Line of a rendered file in a message; it moves without any meaning.
_LINE = re.compile(r":\d+(:\d+)?: ")
#: Number of an entry of a list in the path of a field; it moves as well.
_ENTRY = re.compile(r"\[\d+\]")
#: What stands between the thousands of a number.
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


@dataclass(frozen=True)
class JudgedSide:
    """What rules find on one side.

    Parameters
    ----------
    findings : tuple of Finding
        As they are reported.
    devices : frozenset of str
        Switches and hosts.
    shown : str
        The folder as messages name it.
    """

    findings: tuple[Finding, ...]
    devices: frozenset[str]
    shown: str

    def by_cause(self) -> dict[tuple[str, ...], list[Finding]]:
        """Return the findings in groups of one cause, in their order."""
        folder = re.compile(rf"(?<!\w){re.escape(self.shown)}(?=[/:])")  # no word of the message
        groups: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
        for finding in self.findings:
            message = _LINE.sub(": ", folder.sub("", without_count(finding.message)))
            field = "" if _is_example(finding) else _ENTRY.sub("[]", finding.field)
            groups[finding.rule, finding.severity.word, field, message].append(finding)
        return groups


def devices_of(fabric: Fabric) -> frozenset[str]:
    """Return the names of switches and hosts."""
    return frozenset([*fabric.switches.names, *fabric.hosts.names])


def same_findings(before: JudgedSide, after: JudgedSide) -> list[tuple[Finding, Finding]]:
    """Return the findings of the second side that are not new, each with that of the first side.

    Notes
    -----
    The cause of a finding is its rule, severity, field and message, and the device that it is about
    unless that is an example of a group (`Finding.is_example`), or was added and shares a warning
    of others. An error on another device is always new.
    """
    known = before.by_cause()
    return [
        pair
        for cause, findings in after.by_cause().items()
        for pair in _pairs(known.get(cause, []), findings, before.devices)
    ]


class Apart(NamedTuple):
    """Findings of two sides: gone, new, with more or fewer places, and with other values."""

    gone: list[Finding]
    new: list[Finding]
    grown: list[Finding]
    changed: list[Finding]


def apart(before: JudgedSide, after: JudgedSide) -> Apart:
    """Return the findings that are not the same on both sides."""
    pairs = same_findings(before, after)
    still, known = ({id(pair[side]) for pair in pairs} for side in (0, 1))
    gone = [finding for finding in before.findings if id(finding) not in still]
    new = [finding for finding in after.findings if id(finding) not in known]
    grown = [finding for old, finding in pairs if len(old.also) != len(finding.also)]
    changed: list[Finding] = []
    for identity in (_place, _words):
        alike = [*_paired(identity, gone, new)]
        known = {id(finding) for pair in alike for finding in pair}
        gone, new = ([one for one in side if id(one) not in known] for side in (gone, new))
        changed += [finding for _, finding in alike]
    return Apart(gone, new, grown, changed)


def _paired(
    identity: Callable[[Finding], Hashable], gone: list[Finding], new: list[Finding]
) -> Iterator[tuple[Finding, Finding]]:
    """Yield each new finding with the one that is gone in its place, which counts once."""
    free: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in gone:
        free[identity(finding)].append(finding)
    for finding in new:
        if known := free[identity(finding)]:
            yield known.pop(0), finding


def _place(finding: Finding) -> Hashable:
    """Return what a finding and one with other values at the same place have in common."""
    subject = finding.field, finding.device, finding.port
    return finding.rule, finding.severity, *subject


def _words(finding: Finding) -> Hashable:
    """Return what a finding says but for its values, whatever example it names; else its place."""
    if not _is_example(finding):
        return _place(finding)
    message = _THOUSANDS.sub("", without_count(finding.message))
    named = re.sub(rf"(?<!\w){re.escape(finding.device)}(?!\w)", "", message)
    return finding.rule, finding.severity, shape(named if finding.device else message)


def _pairs(
    known: list[Finding], findings: list[Finding], devices: frozenset[str]
) -> Iterator[tuple[Finding, Finding]]:
    """Yield the findings of one cause that are not new; devices are those of the first side."""
    owners = {subject: finding for finding in known for subject in _subjects(finding)}
    moved: list[Finding] = []
    seen: set[int] = set()
    for finding in findings:
        shared = [owners[subject] for subject in _subjects(finding) if subject in owners]
        seen.update(map(id, shared))
        if not shared:
            moved.append(finding)
        elif _is_example(finding) or not _further(finding, owners, devices):
            yield shared[0], finding
    free = [finding for finding in known if id(finding) not in seen]
    for finding in moved:
        if _is_example(finding) and free:
            yield free.pop(0), finding
        elif known and not _further(finding, owners, devices):
            yield known[0], finding


def _is_example(finding: Finding) -> bool:
    return finding.is_example and finding.severity < Severity.ERROR


def _further(finding: Finding, owners: Container[str], devices: frozenset[str]) -> bool:
    """Tell whether a device of the first side, or an error on any device, came to a finding."""
    subjects = (subject for subject in _subjects(finding) if subject not in owners)
    is_error = finding.severity is Severity.ERROR
    return any(is_error or subject.partition(" ")[0] in devices for subject in subjects)


def _subjects(finding: Finding) -> set[str]:
    return {finding.subject, *finding.also}
