"""Windows of a roll-out: when waves may begin."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from fabric.intent.rollout_model import Window

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def is_open(windows: Sequence[Window], now: datetime) -> bool:
    """Return whether waves may begin; always where there are no windows.

    Parameters
    ----------
    now : datetime
        With a time zone.
    """
    spans = (span for window in windows for span in _spans(window, now))
    return not windows or any(start <= now < end for start, end in spans)


def next_opening(windows: Sequence[Window], now: datetime) -> datetime:
    """Return when the next window opens, in its own time zone."""
    return min(start for window in windows for start, _ in _spans(window, now) if start > now)


def _spans(window: Window, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the windows that opened yesterday or later, and those of the next week.

    Days are those of the time zone of the window; a clock that is put forward or back keeps the
    times of day.
    """
    zone: tzinfo = UTC if window.timezone == "UTC" else ZoneInfo(window.timezone)
    start, end = (time.fromisoformat(text) for text in (window.start, window.end))
    today = now.astimezone(zone).date()
    for offset in range(-1, 8):
        day = today + timedelta(days=offset)
        if _DAYS[day.weekday()] in window.days:
            last = day + timedelta(days=end <= start)
            yield datetime.combine(day, start, zone), datetime.combine(last, end, zone)
