"""What a run says: rates, queues, pauses, loss, victims."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import share_to_percent
from fabric.qos.simulate.crossed import crossed, distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.simulate.outcome import Outcome

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_PS_PER_US = 1e6
#: Bytes per microsecond to Gb/s.
_GBPS = 8e-3


def jain(rates: Floats) -> float:
    """Return Jain's index of fairness: 1 is equal, 1/n is all for one (Jain et al., DEC TR-301).

    Parameters
    ----------
    rates : array of float, shape (n,)
        Rates >= 0.
    """
    squares = float((rates**2).sum())
    return float(rates.sum()) ** 2 / (len(rates) * squares) if squares else 1.0


@dataclass(frozen=True)
class Summary:
    """Figures of a run.

    Times are microseconds from the start of the run, rates Gb/s of payload.
    """

    outcome: Outcome

    @cached_property
    def duration_us(self) -> float:
        """Until the last stream ended, or until the end of the run."""
        finish = self.outcome.flows["finish"]
        whole = self.outcome.scenario.duration_us
        if (self.outcome.flows["size"] < 0).any() or (finish < 0).any():
            return whole
        return float(finish.max()) / _PS_PER_US

    @cached_property
    def rates_gbps(self) -> Floats:
        """Mean rate of each stream, shape (streams,): while it ran."""
        flows = self.outcome.flows
        begun = np.minimum(flows["start"] / _PS_PER_US, self.outcome.scenario.duration_us)
        ended = np.where(
            flows["finish"] >= 0, flows["finish"] / _PS_PER_US, self.outcome.scenario.duration_us
        )
        span = np.maximum(ended - begun, 1e-6)
        rates: Floats = flows["expected"] / span * _GBPS
        return rates

    @property
    def aggregate_gbps(self) -> float:
        """All bytes over the whole time."""
        return float(self.outcome.flows["expected"].sum()) / self.duration_us * _GBPS

    @property
    def jain_index(self) -> float:
        """Fairness of the streams."""
        return jain(self.rates_gbps)

    @cached_property
    def completion_us(self) -> Floats:
        """Completion time of each stream that ended, shape (streams that ended,)."""
        flows = self.outcome.flows
        done = flows["finish"] >= 0
        times: Floats = (flows["finish"][done] - flows["start"][done]) / _PS_PER_US
        return times

    @property
    def unfinished(self) -> int:
        """Streams with an end that did not reach it."""
        flows = self.outcome.flows
        return int(((flows["size"] >= 0) & (flows["finish"] < 0)).sum())

    @property
    def pauses(self) -> int:
        """PFC frames that pause, of all ports; a switch repeats them while the pause lasts."""
        return int(self.outcome.ports["pauses"].sum())

    @cached_property
    def pauses_by_tier(self) -> Ints:
        """The same by what is paused: hosts, leaves, and tiers above, shape (tiers + 1,).

        Pauses of switches are those that spread.
        """
        ports, away = self.outcome.ports, np.array(distances(self.outcome.scenario))
        paused = away[ports["node"]][np.arange(len(ports)) ^ 1]
        return np.bincount(paused, weights=ports["pauses"], minlength=3).astype(np.int64)

    @property
    def switch_pauses(self) -> int:
        """Of all pauses those of switches, not of hosts."""
        return int(self.pauses_by_tier[1:].sum())

    @property
    def late_percent(self) -> float:
        """Share of the packets that arrived after one that was sent later, in percent."""
        late = self.outcome.late
        return share_to_percent(float(late[1:].sum()) / late.sum()) if late.any() else 0.0

    def late_packets(self, share: float) -> int:
        """Return by how many packets a share of the packets is late, at most.

        A packet is as late as it lies behind the furthest one that arrived before it: so far a
        receiver that places packets looks back.
        """
        late = self.outcome.late
        return int(np.searchsorted(np.cumsum(late), share * late.sum())) if late.any() else 0

    @property
    def late_bytes(self) -> int:
        """Payload from the latest packet to the furthest one before it."""
        return self.late_packets(1.0) * self.outcome.scenario.payload_bytes

    @property
    def repeated_bytes(self) -> int:
        """Payload that was sent again."""
        return int(self.outcome.flows["repeated"].sum())

    @property
    def paused_us(self) -> float:
        """Pause of all ports, added up."""
        return float(self.outcome.ports["paused_ps"].sum()) / _PS_PER_US

    @property
    def last_pause_us(self) -> float:
        """When the last pause ended; 0 without one."""
        return max(0.0, float(self.outcome.ports["last_pause"].max()) / _PS_PER_US)

    @property
    def still_paused(self) -> int:
        """Ports that were paused when the run ended."""
        return int((self.outcome.ports["paused"] > 0).sum())

    @property
    def most_paused_percent(self) -> float:
        """Share of the run for which the port that was paused longest was so, in percent."""
        longest_us = float(self.outcome.ports["paused_ps"].max()) / _PS_PER_US
        return share_to_percent(longest_us / self.outcome.scenario.duration_us)

    @property
    def dropped(self) -> int:
        """Packets of lossless classes that were lost."""
        ports = self.outcome.ports
        return int(ports["dropped"][ports["is_lossy"] == 0].sum())

    @property
    def lossy_dropped(self) -> int:
        """Packets of lossy classes that were dropped."""
        return int(self.outcome.ports["dropped"].sum()) - self.dropped

    @property
    def storms(self) -> int:
        """Times that a watchdog dropped a queue."""
        return int(self.outcome.ports["storms"].sum())

    @property
    def most_headroom_bytes(self) -> int:
        """Most that a port held in its headroom."""
        return int(self.outcome.ports["most_headroom"].max())

    @property
    def most_shared_bytes(self) -> int:
        """Most that a switch held in its shared pool."""
        return int(self.outcome.nodes["most_used"].max())

    @cached_property
    def _crossed(self) -> tuple[frozenset[int], ...]:
        return crossed(self.outcome.scenario)

    @cached_property
    def bottlenecks(self) -> Ints:
        """Roots of the congestion: switch ports with a queue that nothing downstream paused."""
        ports = self.outcome.ports
        joint = np.bincount(
            [port for ways in self._crossed for port in ways],
            minlength=2 * len(self.outcome.scenario.cables),
        )[ports["line"]]
        size = self.outcome.scenario.payload_bytes + self.outcome.scenario.overhead_bytes
        queued = (ports["most_queue"] > 2 * size) & (joint > 1)
        rows: Ints = np.flatnonzero(queued & (ports["is_switch"] > 0) & (ports["paused_ps"] == 0))
        return rows

    @property
    def queue_port(self) -> int:
        """The bottleneck with the longest queue, or the switch port with it."""
        queues = self.outcome.ports["most_queue"] * (self.outcome.ports["is_switch"] > 0)
        rows = self.bottlenecks if len(self.bottlenecks) else np.arange(len(queues))
        return int(rows[queues[rows].argmax()])

    @property
    def most_queue_bytes(self) -> int:
        """Longest queue of that port."""
        return int(self.outcome.ports["most_queue"][self.queue_port])

    @property
    def mean_queue_bytes(self) -> float:
        """Mean queue of that port over the run."""
        area = float(self.outcome.ports["queue_area"][self.queue_port])
        return area / (self.outcome.scenario.duration_us * _PS_PER_US)

    @cached_property
    def victims(self) -> Ints:
        """Streams that cross a paused port, or may where switches choose, but no root of it.

        A bottleneck is a root, and a storm.
        """
        ports = self.outcome.ports
        scenario = self.outcome.scenario
        roots = {*self.bottlenecks.tolist(), *(s.port for s in scenario.storms)}
        paused = ports["paused_ps"] > 0
        rows = [
            [scenario.row(port, stream.class_number) for port in ways]
            for ways, stream in zip(self._crossed, scenario.streams, strict=True)
        ]
        return np.array(
            [at for at, own in enumerate(rows) if paused[own].any() and not roots & {*own}],
            np.int64,
        )

    @cached_property
    def drained_us(self) -> float | None:
        """Time at which the queue of the start is gone; None where it never is.

        After its peak the queue of the port falls to Kmin, or to half of the peak where that is
        lower.
        """
        port = self.queue_port
        queue = self.outcome.queues[:, port]
        peak = int(queue.argmax())
        gone = min(int(self.outcome.ports["kmin"][port]), int(queue[peak]) // 2)
        after = np.flatnonzero(queue[peak:] <= gone)
        if not len(after):
            return None
        return float(peak + after[0]) * self.outcome.scenario.sample_us

    def throughput_gbps(self) -> Floats:
        """Return the rate of all streams in each sample, shape (samples - 1,)."""
        total = self.outcome.delivered.sum(axis=1)
        rates: Floats = np.diff(total) / self.outcome.scenario.sample_us * _GBPS
        return rates
