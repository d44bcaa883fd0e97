"""What keeps the MAC address of a silent neighbour in the MAC table of a switch."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class NeighbourRefresh:
    """What asks a silent neighbour again, so that its MAC address stays in the MAC table.

    Parameters
    ----------
    mechanism : str
        Name of what does it, as an operator of the system knows it.
    source : str
        Where that is said.
    period_s : int or None
        Seconds between two requests; None where ``arp.timeout_s`` decides.
    spread : float
        Longest wait as a multiple of that time, >= 1.
    probes_s : int
        Seconds that further requests take when the first one is not answered, >= 0.
    confirmed : bool
        False where no source gives the time of the request.
    keeps_stale : bool
        True where an entry that nobody answers for stays until the kernel needs its room.
    daemon : str
        Name of the daemon that does it, where the switch tells whether that runs.
    """

    mechanism: str
    source: str
    period_s: int | None = None
    spread: float = 1.0
    probes_s: int = 0
    confirmed: bool = True
    keeps_stale: bool = False
    daemon: str = ""

    def longest_s(self, arp_timeout_s: int) -> int:
        """Return the longest time in seconds until a silent neighbour has been asked again."""
        return ceil((self.period_s or arp_timeout_s) * self.spread) + self.probes_s
