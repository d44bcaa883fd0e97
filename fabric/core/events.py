"""Findings over time: each is reported once when it begins, and once when it is gone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

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

    @classmethod
    def opened(cls, finding: Finding, now: datetime, by: tuple[str, ...] = ()) -> Self:
        """Return the event of a finding that begins."""
        return cls(now, is_open=True, finding=finding, since=now, by=by)

    def closed(self, now: datetime) -> Self:
        """Return the event of its end."""
        return replace(self, time=now, is_open=False)

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

    _open: dict[str, dict[Key, Event]] = field(default_factory=dict)

    @property
    def lasting(self) -> list[Event]:
        """Events of the findings that last, the oldest first."""
        events = (event for own in self._open.values() for event in own.values())
        return sorted(events, key=lambda event: event.since)

    def of(self, device: str) -> list[Event]:
        """Return the events of the findings of a device that last."""
        return list(self._open.get(device, {}).values())

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return those findings that do not last yet."""
        return [one for one in findings if key_of(one) not in self._open.get(one.device, {})]

    def update(
        self,
        findings: Iterable[Finding],
        is_judged: Callable[[Finding], bool],
        now: datetime,
        by: Callable[[Finding], tuple[str, ...]] = lambda _: (),
        device: str | None = None,
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
        device : str, optional
            Whose findings may have ended; without it those of all devices.
        """
        present = {key_of(finding): finding for finding in findings}
        before = self.lasting if device is None else self.of(device)
        begun = [Event.opened(one, now, by(one)) for one in self.new(present.values())]
        ended = [
            event.closed(now)
            for event in before
            if key_of(event.finding) not in present and is_judged(event.finding)
        ]
        self.replay([*begun, *ended])
        return [*begun, *ended]

    def replay(self, events: Iterable[Event]) -> None:
        """Take events as they were seen, also by an earlier process."""
        for event in events:
            own = self._open.setdefault(event.finding.device, {})
            key = key_of(event.finding)
            if event.is_open:
                own[key] = event
            else:
                own.pop(key, None)
