"""Times for people: in UTC, since who reads them may be elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(seconds: float) -> str:
    """Return a time, given in seconds since 1970.

    Examples
    --------
    >>> clock(0)
    '1970-01-01 00:00:00 UTC'
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
