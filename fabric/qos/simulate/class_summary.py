"""What a run says of each class of traffic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import share_to_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.qos.simulate.summary import Summary

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_PS_PER_US = 1e6
_GBPS = 8e-3


@dataclass(frozen=True)
class ClassSummary:
    """Figures of a class in a run.

    Parameters
    ----------
    number : int
        Its place in the classes of the scenario.
    """

    run: Summary
    number: int

    @cached_property
    def _own(self) -> slice:
        lines = 2 * len(self.run.outcome.scenario.cables)
        return slice(self.number * lines, (self.number + 1) * lines)

    @cached_property
    def streams(self) -> Ints:
        """Numbers of its streams."""
        streams = self.run.outcome.scenario.streams
        return np.flatnonzero([stream.class_number == self.number for stream in streams])

    @property
    def rates_gbps(self) -> Floats:
        """Mean rate of each of its streams while it ran."""
        return self.run.rates_gbps[self.streams]

    @property
    def aggregate_gbps(self) -> float:
        """All its bytes until its last stream ended, or until the end of the run."""
        flows = self.run.outcome.flows[self.streams]
        ended = len(flows) > 0 and (flows["finish"] >= 0).all()
        us = float(flows["finish"].max()) / _PS_PER_US if ended else self.run.duration_us
        return float(flows["expected"].sum()) / us * _GBPS

    @property
    def completion_us(self) -> Floats:
        """Completion time of each of its streams that ended."""
        flows = self.run.outcome.flows[self.streams]
        done = flows["finish"] >= 0
        times: Floats = (flows["finish"][done] - flows["start"][done]) / _PS_PER_US
        return times

    @property
    def share_percent(self) -> float:
        """Its share of what the port with the longest queue sent, in percent."""
        ports = self.run.outcome.ports
        line = ports["line"][self.run.queue_port]
        sent = ports["sent"][ports["line"] == line]
        return share_to_percent(float(sent[self.number]) / max(1.0, float(sent.sum())))

    @property
    def most_queue_bytes(self) -> int:
        """Longest of its queues at a switch."""
        ports = self.run.outcome.ports[self._own]
        return int((ports["most_queue"] * (ports["is_switch"] > 0)).max())

    @property
    def pauses(self) -> int:
        """PFC frames that pause it."""
        return self._sum("pauses")

    @property
    def paused_us(self) -> float:
        """Pause of all ports, added up."""
        return self._sum("paused_ps") / _PS_PER_US

    @property
    def marked(self) -> int:
        """Packets that switches marked."""
        return self._sum("marked")

    @property
    def dropped(self) -> int:
        """Packets that were lost; of a lossy class those that its queues did not take."""
        return self._sum("dropped")

    def queue(self) -> Ints:
        """Return its queue in bytes at the port with the longest queue, shape (samples,)."""
        outcome = self.run.outcome
        line = int(outcome.ports["line"][self.run.queue_port])
        samples: Ints = outcome.queues[:, outcome.scenario.row(line, self.number)]
        return samples

    def throughput_gbps(self, *, at_port: bool = False) -> Floats:
        """Return the rate of its streams in each sample, shape (samples - 1,).

        Parameters
        ----------
        at_port : bool
            Whether those alone count that cross the port with the longest queue.
        """
        outcome, chosen = self.run.outcome, self.streams
        if at_port:
            line = int(outcome.ports["line"][self.run.queue_port])
            chosen = chosen[[line in outcome.scenario.streams[at].path for at in chosen.tolist()]]
        total = outcome.delivered[:, chosen].sum(axis=1)
        rates: Floats = np.diff(total) / self.run.outcome.scenario.sample_us * _GBPS
        return rates

    def _sum(self, field: str) -> int:
        return int(self.run.outcome.ports[self._own][field].sum())
