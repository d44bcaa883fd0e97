"""Where a plan comes from, and whether that still holds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from fabric.core.clock import clock
from fabric.core.errors import FileError
from fabric.core.units import S_PER_H, S_PER_MIN
from fabric.intent.contents import inventory_hash

#: A plan older than a day is no longer one that anybody has read today.
MAX_AGE_S = 24.0 * S_PER_H
#: How far the clocks of two machines may be apart before a plan counts as one of the future.
CLOCK_S = 300.0


@dataclass(frozen=True, slots=True)
class Origin:
    """What a plan was made of.

    Parameters
    ----------
    inventory : str
        Absolute path of the folder.
    sha256 : str
        Hash of its files.
    revision : str
        Git commit, with ``+changes`` where files were not committed; empty outside a repository.
    made : float
        Unix time in seconds.
    author : str
        Account that made the plan; empty in plans of earlier versions.
    approvals : int
        People who must approve the plan, as the inventory had it.
    """

    inventory: str
    sha256: str
    revision: str
    version: str
    made: float = field(compare=False)
    author: str = ""
    approvals: int = 0

    def __str__(self) -> str:
        revision = f", revision {self.revision}" if self.revision else ""
        return (
            f"planned {clock(self.made)} by rocefab {self.version} from "
            f"{self.inventory}{revision}, sha256 {self.sha256[:12]}"
        )

    def aged(self, max_age_s: float) -> str:
        """Return why the plan is too old to be applied; empty where it is not."""
        age_s = time.time() - self.made
        if age_s < -CLOCK_S:
            return f"the plan is dated {-age_s / S_PER_MIN:.0f} min in the future"
        if age_s > max_age_s:
            return f"the plan is {_span(age_s)} old, at most {_span(max_age_s)} is allowed"
        return ""

    def changed(self, folder: Path) -> str:
        """Return how an inventory differs from that of the plan; empty where it does not."""
        try:
            same = inventory_hash(folder) == self.sha256
        except (OSError, FileError) as error:
            reason = getattr(error, "strerror", error)
            return f"the inventory {folder} cannot be read: {reason}"
        return "" if same else f"the inventory {folder} was changed after the plan"

    def is_here(self) -> bool:
        """Tell whether the folder of the inventory is on this machine."""
        return Path(self.inventory).is_dir()


def _span(seconds: float) -> str:
    return f"{seconds / S_PER_H:.1f} h" if seconds >= S_PER_H else f"{seconds / S_PER_MIN:.1f} min"
