"""Findings over time: each is reported once when it begins, and once when it is gone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from fabric.core.findings import Finding

    #: What makes two findings the same: rule, device, port and field, not the words.
    Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """A finding that began or ended.

    Parameters
    ----------
    time : datetime
        When that was seen, UTC.
    since : datetime
        When the finding began.
    by : tuple of str
        Who may have caused it, as the device says; empty where it says nothing.
    """

    time: datetime
    is_open: bool
    finding: Finding
    since: datetime
    by: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """``opened`` or ``closed``."""
        return "opened" if self.is_open else "closed"

    def __str__(self) -> str:
        by = f" (by {', '.join(self.by)})" if self.by else ""
        return f"{self.word}: {self.finding}{by}"


def key_of(finding: Finding) -> Key:
    """Return what a finding is known by while it lasts."""
    return finding.rule, finding.device, finding.port, finding.field


@dataclass
class Ledger:
    """The findings that last.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from fabric.core.findings import Finding, Severity
    >>> wrong = Finding("DRF001", Severity.WARNING, "another MTU", device="leaf1")
    >>> ledger, now = Ledger(), datetime(2026, 11, 24, tzinfo=UTC)
    >>> [event.word for event in ledger.update([wrong], lambda _: True, now)]
    ['opened']
    >>> ledger.update([wrong], lambda _: True, now)
    []
    >>> [event.word for event in ledger.update([], lambda _: True, now)]
    ['closed']
    """

    _open: dict[Key, Event] = field(default_factory=dict)

    @property
    def lasting(self) -> list[Event]:
        """Events of the findings that last, the oldest first."""
        return sorted(self._open.values(), key=lambda event: event.since)

    def update(
        self,
        findings: Iterable[Finding],
        is_judged: Callable[[Finding], bool],
        now: datetime,
        by: Callable[[Finding], tuple[str, ...]] = lambda _: (),
    ) -> list[Event]:
        """Return what began and what ended.

        Parameters
        ----------
        findings : iterable of Finding
            What is wrong now.
        is_judged : callable
            Whether a finding that is not there any more would have been seen. One of a device that
            could not be read lasts.
        by : callable
            Returns who may have caused a new finding.
        """
        present = {key_of(finding): finding for finding in findings}
        begun = [
            Event(now, True, finding, now, by(finding))  # noqa: FBT003 - the field has a name
            for key, finding in present.items()
            if key not in self._open
        ]
        ended = [
            Event(now, False, event.finding, event.since, event.by)  # noqa: FBT003
            for key, event in self._open.items()
            if key not in present and is_judged(event.finding)
        ]
        self.replay([*begun, *ended])
        return [*begun, *ended]

    def replay(self, events: Iterable[Event]) -> None:
        """Take events as they were seen, also by an earlier process."""
        for event in events:
            if event.is_open:
                self._open[key_of(event.finding)] = event
            else:
                self._open.pop(key_of(event.finding), None)
