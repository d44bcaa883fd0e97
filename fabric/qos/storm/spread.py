"""How a pause spreads from a port, in the order in which buffers fill.

Bytes that are to leave by a paused port stay in the switch and count to the channel that they came
in by. A channel is paused when they reach its threshold: alpha times what is free of the pool, or a
fixed level, at the latest when nothing is free. Its sender then keeps what is to leave over it, and
so on. What is not stuck leaves at once: before the storm no link has more than its speed. Nothing
resumes before a watchdog acts, so each channel is paused once, and its time follows from the rates
alone.

Flows that stopped elsewhere are still counted as coming in, so with even traffic a channel is
paused at this time or later; hashing that is not even pauses single ports earlier too.

Source of the thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.storm.traffic import Traffic
    from fabric.topology.model import Ints

    Floats = NDArray[np.float64]

#: Fill levels nearer than this to a threshold have reached it: far below a packet.
_NEAR_BYTES = 1.0


@dataclass(frozen=True, eq=False)
class Buffers:
    """What the switches have for the class.

    Parameters
    ----------
    shared_bytes : array of float, shape (switches,)
        Shared pool of each switch.
    alpha, reserve_bytes : array of float, shape (channels,)
        Threshold and guaranteed bytes of the ports that a channel comes in by; alpha is infinite
        where the port sends no pause.
    delay_s : array of float, shape (channels,)
        From the threshold until the sender stops.
    pause_bytes : array of float, shape (channels,)
        Threshold of the ports whose threshold is a fixed level, in place of ``alpha``; infinite
        where it is none.
    """

    shared_bytes: Floats
    alpha: Floats
    reserve_bytes: Floats
    delay_s: Floats
    pause_bytes: Floats


@dataclass(frozen=True, eq=False)
class Spread:
    """When what is paused, and what is stuck.

    Parameters
    ----------
    paused_s : array of float, shape (channels,)
        When the senders of each channel stop; infinite where they do not.
    stuck_bytes : array of float, shape (switches,)
        Bytes that each switch holds at the end, headroom left out.
    """

    paused_s: Floats
    stuck_bytes: Floats


def spread(traffic: Traffic, buffers: Buffers) -> Spread:
    """Return how the pause of the NIC of a traffic spreads from its leaf.

    Parameters
    ----------
    traffic : Traffic
        Traffic before the storm.
    """
    return _Run(traffic, buffers).result()


class _Run:
    """Levels of all channels, and the next time that each switch has something to do."""

    def __init__(self, traffic: Traffic, buffers: Buffers) -> None:
        channels = len(traffic.source)
        self._traffic, self._buffers = traffic, buffers
        self._level, self._rate = np.zeros(channels), np.zeros(channels)
        self._due = np.full(channels, np.inf)  # when the pause was asked for
        self._paused = np.full(channels, np.inf)
        self._time = np.zeros(len(traffic.channels_of))
        self._turn = np.zeros(len(traffic.channels_of), dtype=np.int64)
        self._queue: list[tuple[float, int, int, int]] = []

    def result(self) -> Spread:
        leaf = int(self._traffic.target[len(self._traffic.links) :][self._own_group()])
        self._add(leaf, self._traffic.to_nic)
        self._plan(leaf)
        while self._queue:
            now, channel, switch, turn = heappop(self._queue)
            if channel >= 0:
                self._stop(channel, now)
            elif turn == self._turn[switch]:
                self._fill(switch, now)
                self._ask(switch, now)
                self._plan(switch)
        held = self._counted(slice(None)) * self._traffic.ports
        switches = len(self._traffic.channels_of)
        stuck = np.zeros(switches)
        np.add.at(stuck, self._traffic.target, held)
        return Spread(self._paused, stuck)

    def _own_group(self) -> int:
        members = self._traffic.members
        return next(row for row, nics in enumerate(members) if self._traffic.nic in nics)

    def _add(self, switch: int, bytes_per_s: Floats) -> None:
        """Let what comes in for a port that is paused from now on stay in the switch."""
        rows = self._traffic.channels_of[switch]
        flowing = np.isinf(self._due[rows])
        self._rate[rows] += np.where(flowing, bytes_per_s / self._traffic.ports[rows], 0.0)

    def _stop(self, channel: int, now: float) -> None:
        """Stop the senders of a channel; what they have for it stays with them."""
        self._paused[channel] = now
        switch = int(self._traffic.source[channel])
        if switch < 0:
            return
        self._fill(switch, now)
        column = np.searchsorted(self._traffic.links_of[switch], channel)
        self._add(switch, self._traffic.onward[switch][:, column])
        self._plan(switch)

    def _fill(self, switch: int, now: float) -> None:
        rows = self._traffic.channels_of[switch]
        self._level[rows] += self._rate[rows] * (now - self._time[switch])
        self._time[switch] = now

    def _counted(self, rows: Ints | slice) -> Floats:
        """Return what each channel holds of the shared pool, a port."""
        return np.maximum(self._level[rows] - self._buffers.reserve_bytes[rows], 0.0)

    def _free(self, switch: int) -> float:
        rows = self._traffic.channels_of[switch]
        used = (self._counted(rows) * self._traffic.ports[rows]).sum()
        return max(0.0, float(self._buffers.shared_bytes[switch] - used))

    def _ask(self, switch: int, now: float) -> None:
        """Ask the senders of the channels at their threshold to stop."""
        rows = self._traffic.channels_of[switch]
        alpha, free = self._buffers.alpha[rows], self._free(switch)
        growing = self._level[rows] >= self._buffers.reserve_bytes[rows] - _NEAR_BYTES
        growing &= (self._rate[rows] > 0) & np.isfinite(alpha)
        counted, fixed = self._counted(rows), self._buffers.pause_bytes[rows]
        is_fixed = np.isfinite(fixed)
        share = np.where(is_fixed, 0.0, counted / alpha)
        reached = (share >= free - _NEAR_BYTES) | (counted >= fixed - _NEAR_BYTES)
        for channel in rows[growing & reached].tolist():
            self._due[channel], self._rate[channel] = now, 0.0
            heappush(self._queue, (now + float(self._buffers.delay_s[channel]), channel, -1, 0))

    def _plan(self, switch: int) -> None:
        """Work out when the next channel of a switch reaches its reserve or its threshold."""
        rows = self._traffic.channels_of[switch]
        rate, level, reserve = (
            values[rows] for values in (self._rate, self._level, self._buffers.reserve_bytes)
        )
        alpha, free = self._buffers.alpha[rows], self._free(switch)
        shared = level >= reserve - _NEAR_BYTES
        growth = float((rate * self._traffic.ports[rows])[shared].sum())
        bounded, fixed = np.isfinite(alpha), self._buffers.pause_bytes[rows]
        counted = self._counted(rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(bounded, alpha * free - counted, np.inf)
            full = np.minimum((fixed - counted) / rate, np.divide(free, growth))
            until = np.where(np.isfinite(fixed), full, room / (rate + alpha * growth))
            until = np.where(shared, until, (reserve - level) / rate)
        until[~(rate > 0) | (shared & ~bounded)] = np.inf
        self._turn[switch] += 1
        if np.isfinite(least := float(until.min(initial=np.inf))):
            turn = int(self._turn[switch])
            heappush(self._queue, (self._time[switch] + max(0.0, least), -1, switch, turn))
