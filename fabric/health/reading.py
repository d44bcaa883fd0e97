"""What was read of a device at one time, as verdicts take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.rates import restarted

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
        if self.before is None or self.after is None:
            return False
        return restarted(self.before, self.after, self.elapsed_s)
