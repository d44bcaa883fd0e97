"""What was read of a device at one time, as verdicts take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.observe.snapshot import Snapshot


@dataclass(frozen=True)
class Reading:
    """A device at two times.

    Parameters
    ----------
    before, after : Snapshot or None
        None where the device was not read at that time.
    elapsed_s : float
        Time between the two, > 0 where both are there.
    error : str
        Why it could not be read the last time, or empty.
    """

    platform: str
    before: Snapshot | None
    after: Snapshot | None
    elapsed_s: float
    error: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether there are rates."""
        return self.before is not None and self.after is not None and self.elapsed_s > 0

    @property
    def restarted(self) -> bool:
        """Whether the uptimes say that the device restarted between the two."""
        first = self.before.facts if self.before else None
        second = self.after.facts if self.after else None
        was, now = (one.uptime_s if one else None for one in (first, second))
        return was is not None and now is not None and now < was
