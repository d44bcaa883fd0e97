"""simulate: its plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.units import us_to_s
from fabric.report.plots import save

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from fabric.report.simulation import Runs

    Floats = NDArray[np.float64]

#: Points of a line in a plot, as many as a page shows; each has the largest of its samples.
_POINTS = 300


def plot(runs: Runs, path: Path) -> None:
    """Write queue and throughput over time as SVG or PNG, by the suffix of the file.

    A line is the median of the runs, the band around it has them all.

    Raises
    ------
    InputError
        When the suffix is another one, or matplotlib is not installed.
    """
    save(path, lambda: _drawing(runs))


def _drawing(runs: Runs) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(7.0, 5.5), layout="constrained")
    upper, lower = drawing.subplots(2, 1, sharex=True)
    for name, own in runs.items():
        step_ms = us_to_s(own[0].outcome.scenario.sample_us) * 1e3
        queues = np.array([run.outcome.queues[:, run.queue_port] for run in own]) / 1e6
        _band(upper, queues, step_ms, 0, name)
        _band(lower, np.array([run.throughput_gbps() for run in own]), step_ms, 1, name)
    upper.set_ylabel("queue in MB")
    upper.legend()
    lower.set_ylabel("throughput in Gb/s")
    lower.set_xlabel("time in ms")
    return drawing


def _band(axes: Any, series: Floats, step_ms: float, first: int, name: str) -> None:
    """Draw series of shape (runs, samples), the first of which is at that step."""
    width = -(-series.shape[1] // _POINTS)
    points = series[:, : series.shape[1] // width * width].reshape(len(series), -1, width)
    times = (np.arange(points.shape[1]) * width + first) * step_ms
    (line,) = axes.plot(times, np.median(points.max(axis=2), axis=0), label=name, linewidth=1)
    if len(series) > 1:
        low, high = points.min(axis=(0, 2)), points.max(axis=(0, 2))
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
