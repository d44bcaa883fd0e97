"""Starts that are spread: one scenario becomes one for each seed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.qos.simulate.scenario import Scenario

#: The generator of marks has 31 bits (Park and Miller, CACM 31, 1988).
_MOST_SEED = 2**31 - 1


def spread(scenario: Scenario, spread_us: float, seeds: range) -> Iterator[Scenario]:
    """Yield a scenario for each seed, with its own starts and marks.

    Starts are uniform over the spread. A stream that waits for another one has no start.

    Parameters
    ----------
    spread_us : float
        Time in which all streams start; 0 starts them at one instant.
    seeds : range
        Seeds, >= 1.
    """
    for seed in seeds:
        numbers = np.random.default_rng(seed)
        starts = numbers.uniform(0, spread_us, len(scenario.streams))
        streams = tuple(
            replace(stream, start_us=start)
            for stream, start in zip(scenario.streams, starts.tolist(), strict=True)
        )
        # Neighbouring seeds would begin with nearly equal numbers.
        yield replace(scenario, streams=streams, seed=int(numbers.integers(1, _MOST_SEED)))
