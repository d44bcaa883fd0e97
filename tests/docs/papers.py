"""Formulas that only docs/lossless.md has figures of: what papers say, and what follows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.ecmp.hashing import effective_paths

if TYPE_CHECKING:
    from fabric.qos.dcqcn.fluid import Floats, Loop

#: Priorities that the DCQCN paper keeps headroom for (Zhu et al., SIGCOMM 2015, section 4).
PAPER_PRIORITIES = 8


@dataclass(frozen=True, slots=True)
class PaperBuffer:
    """A switch as the DCQCN paper counts it (Zhu et al., SIGCOMM 2015, section 4).

    Parameters
    ----------
    buffer_bytes : float
        Shared buffer with the headroom still in it.
    ports : int
        Ports of the switch.
    headroom_bytes : float
        Headroom of each port and priority (``t_flight`` of the paper).
    """

    buffer_bytes: float
    ports: int
    headroom_bytes: float

    @property
    def shared_bytes(self) -> float:
        """Buffer that is left when every port and priority has its headroom."""
        return self.buffer_bytes - PAPER_PRIORITIES * self.ports * self.headroom_bytes

    @property
    def static_pause_bytes(self) -> float:
        """Largest static pause threshold of each port and priority."""
        return self.shared_bytes / (PAPER_PRIORITIES * self.ports)

    @property
    def static_ecn_bytes(self) -> float:
        """Marking threshold below which ECN is first, with the static pause threshold."""
        return self.static_pause_bytes / self.ports

    def dynamic_ecn_bytes(self, beta: float) -> float:
        """Return the marking threshold below which ECN is first, with a dynamic pause threshold.

        The paper's step ``s <= n * t_ECN`` lacks a factor 8 that its result and its figure hold.

        Parameters
        ----------
        beta : float
            Factor of the dynamic pause threshold, > 0.

        Returns
        -------
        float
            Bytes.
        """
        return beta * self.shared_bytes / (PAPER_PRIORITIES * self.ports * (beta + 1))


def loop_bytes(rate_bytes_per_s: float, senders: int, loop_s: float) -> float:
    """Return the queue that an N:1 incast adds while the first notice is under way.

    ECN is the first signal below ``ecn_limit_bytes``; PFC may still act before the senders slow
    down, when ``(N - 1) * rate * loop`` more bytes reach its threshold.

    Parameters
    ----------
    rate_bytes_per_s : float
        Line rate in bytes per second, > 0.
    senders : int
        Senders of the incast, >= 1.
    loop_s : float
        Time from marking to the slower sender, in seconds, >= 0.

    Returns
    -------
    float
        Bytes.
    """
    return (senders - 1) * rate_bytes_per_s * loop_s


def approximate_marking(model: Loop) -> Floats:
    """Return p* by the closed form of the fluid paper, which is an approximation.

    ``p* ~ cbrt(R_AI N^2 / (tau C^2) * (1/B + N/(T C))^2)``, rates in packets per second.

    Notes
    -----
    With the paper's parameters (40 and 100 Gb/s, 2 to 32 flows) it is 19 to 49 % above the exact
    figures. Source: Zhu et al., CoNEXT 2016.
    """
    scale = model.additive_pps * (model.flows / model.capacity_pps) ** 2 / model.cut_interval_s
    runs = 1.0 / model.counter_packets + 1.0 / (model.timer_s * model.fair_pps)
    return np.asarray(np.cbrt(scale * runs**2))


def members_used(near_width: int, far_width: int) -> int:
    """Return how many members of the far tier are used behind one choice of the near tier.

    Parameters
    ----------
    near_width, far_width : int
        Equal links of the near and of the far tier, >= 1.

    Returns
    -------
    int
        Members, 1 to ``far_width``.
    """
    return effective_paths(near_width, far_width) // near_width


def collision_probability(flows: int, links: int) -> float:
    """Return the probability that two flows share a link: ``1 - prod (1 - i/n)``.

    Parameters
    ----------
    flows, links : int
        Flows, >= 0, and equal links, >= 1.

    Returns
    -------
    float
        Probability, 0 to 1.
    """
    if flows > links:
        return 1.0
    return 0.0 - math.expm1(float(np.log1p(-np.arange(flows) / links).sum()))
