"""judge again and again: each verdict is an event when it begins, and one when it ends."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.core.events import Ledger
from fabric.core.findings import Severity
from fabric.workflow.judge import JudgeOptions, Judging, Selection, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.core.events import Event
    from fabric.core.findings import Finding
    from fabric.report.observed import Seen
    from fabric.workflow.project import Project

__all__ = ["JudgeOptions", "JudgeWatch", "Selection", "settings_of"]


class JudgeWatch:
    """Judges readings as they come.

    Parameters
    ----------
    past : iterable of Event
        What an earlier process reported; what began then lasts until it is judged to be over.

    Raises
    ------
    InputError
        As `Judging`.
    """

    def __init__(self, project: Project, wanted: JudgeOptions, past: Iterable[Event]) -> None:
        self._judging = Judging(project, wanted)
        self._ledger = Ledger()
        self._ledger.replay(past)

    @property
    def lasting(self) -> list[Finding]:
        """Findings that last, the oldest first."""
        return [event.finding for event in self._ledger.lasting]

    @property
    def has_errors(self) -> bool:
        """Whether a finding of severity error lasts."""
        return any(finding.severity is Severity.ERROR for finding in self.lasting)

    def put(self, seen: Seen) -> None:
        """Take a reading of a device."""
        self._judging.put(seen)

    def events(self) -> list[Event]:
        """Judge what was read so far, and return what began and what ended.

        A device of which there is no reading yet is not judged.
        """
        judged = self._judging.judged(is_whole=False)
        findings = [one for one in judged.outcome.findings if one.device]
        ends, judgement = self._judging.ends, judged.judgement
        return self._ledger.update(
            findings, lambda finding: judgement.is_over(finding, ends), datetime.now(UTC)
        )
