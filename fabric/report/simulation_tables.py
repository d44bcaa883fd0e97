"""simulate: what it prints, and its plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fabric.core.units import bytes_to_kb, us_to_s
from fabric.report.plots import save
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fabric.qos.simulate.summary import Summary
    from fabric.report.simulation import Runs

    Floats = NDArray[np.float64]

_PORT_HEADERS = tuple(
    "port priority pauses paused_port paused_us first_us last_us headroom_max_kb".split()
)
_PS_PER_US = 1e6
#: Points of a line in a plot, as many as a page shows; each has the largest of its samples.
_POINTS = 300


class Figure(NamedTuple):
    """A figure of runs.

    Parameters
    ----------
    of : callable
        Its values in one run: one, or one for each stream; infinite for what never came.
    least_is_worst : bool
        Whether less is worse.
    """

    name: str
    of: Callable[[Summary], float | Floats]
    digits: int = 0
    least_is_worst: bool = False


_FIGURES = (
    Figure("aggregate_gbps", lambda run: run.aggregate_gbps, 2, least_is_worst=True),
    Figure("jain_index", lambda run: run.jain_index, 4, least_is_worst=True),
    Figure("flow_gbps", lambda run: run.rates_gbps, 2, least_is_worst=True),
    Figure("completion_us", lambda run: run.completion_us, 1),
    Figure("unfinished", lambda run: run.unfinished),
    Figure("pauses", lambda run: run.pauses),
    Figure("switch_pauses", lambda run: run.switch_pauses),
    Figure("paused_us", lambda run: run.paused_us, 1),
    Figure("last_pause_us", lambda run: run.last_pause_us, 1),
    Figure("queue_max_kb", lambda run: bytes_to_kb(run.most_queue_bytes), 1),
    Figure("queue_mean_kb", lambda run: bytes_to_kb(run.mean_queue_bytes), 1),
    Figure("drained_us", lambda run: math.inf if run.drained_us is None else run.drained_us, 1),
    Figure("headroom_max_kb", lambda run: bytes_to_kb(run.most_headroom_bytes), 1),
    Figure("shared_max_kb", lambda run: bytes_to_kb(run.most_shared_bytes), 1),
    Figure("marked_packets", lambda run: float(run.outcome.ports["marked"].sum())),
    Figure("cnps", lambda run: float(run.outcome.flows["notices"].sum())),
    Figure("dropped_packets", lambda run: run.dropped),
    Figure("watchdog_drops", lambda run: run.storms),
    Figure("late_percent", lambda run: run.late_percent, 2),
    Figure("late_p99_packets", lambda run: run.late_packets(0.99)),
    Figure("late_max_packets", lambda run: run.late_packets(1.0)),
    Figure("repeated_kb", lambda run: bytes_to_kb(run.repeated_bytes), 1),
    Figure("victims", lambda run: len(run.victims)),
    Figure("duration_us", lambda run: run.duration_us, 1),
)
_QUANTILES = {"p50": 0.5, "p95": 0.95, "worst": 1.0}


def figures(runs: Sequence[Summary]) -> dict[str, dict[str, float | None] | None]:
    """Return ``p50``, ``p95`` and ``worst`` of each figure over all runs.

    95 of 100 values are as good as ``p95``, or better. None is a value that never came, or a figure
    without values.
    """
    return {figure.name: _distribution(figure, runs) for figure in _FIGURES}


def _distribution(figure: Figure, runs: Sequence[Summary]) -> dict[str, float | None] | None:
    values = np.concatenate([np.atleast_1d(np.asarray(figure.of(run), float)) for run in runs])
    if not len(values):
        return None
    sign = -1 if figure.least_is_worst else 1
    found = sign * np.quantile(sign * values, [*_QUANTILES.values()], method="inverted_cdf")
    return {
        name: round(value, figure.digits or None) if math.isfinite(value) else None
        for name, value in zip(_QUANTILES, found.tolist(), strict=True)
    }


def _cell(distribution: dict[str, float | None] | None) -> object:
    if distribution is None:
        return "-"
    words = ["never" if value is None else f"{value:.10g}" for value in distribution.values()]
    return words[0] if len({*words}) == 1 else " / ".join(words)


def comparison(runs: Runs) -> Table:
    """Return one column for each of the settings."""
    columns = {name: figures(own) for name, own in runs.items()}
    rows = [
        (one.name, *(_cell(column[one.name]) for column in columns.values())) for one in _FIGURES
    ]
    busiest = (
        " ".join(dict.fromkeys(run.outcome.scenario.names[run.queue_port] for run in own))
        for own in runs.values()
    )
    return Table(("figure", *runs), (*rows, ("queue_port", *busiest)))


def ports(runs: Runs) -> Table:
    """Return the ports that sent a pause, with what came of it at the other end of the cable.

    They are those of the run with the longest pause.
    """
    longest = {name: max(own, key=lambda run: run.paused_us) for name, own in runs.items()}
    rows = [(name, *row) for name, run in longest.items() for row in _ports(run)]
    return Table(("settings", *_PORT_HEADERS), tuple(rows))


def _ports(summary: Summary) -> list[tuple[object, ...]]:
    table, scenario = summary.outcome.ports, summary.outcome.scenario
    return [
        (
            scenario.names[row],
            scenario.pfc_priority,
            int(table["pauses"][row]),
            scenario.names[row ^ 1],
            round(float(table["paused_ps"][row ^ 1]) / _PS_PER_US, 1),
            _us(table["first_pause"][row ^ 1]),
            _us(table["last_pause"][row ^ 1]),
            round(bytes_to_kb(float(table["most_headroom"][row])), 1),
        )
        for row in np.flatnonzero((table["pauses"] > 0) | (table["most_headroom"] > 0)).tolist()
    ]


def _us(picoseconds: int) -> object:
    return "-" if picoseconds < 0 else round(float(picoseconds) / _PS_PER_US, 1)


def as_dict(runs: Runs, seeds: range) -> dict[str, Any]:
    """Return all settings for programs, with the rate of each stream and the series of each run."""
    return {
        name: {
            "figures": figures(own),
            "runs": [{"seed": seed, **_run(run)} for seed, run in zip(seeds, own, strict=True)],
        }
        for name, own in runs.items()
    }


def _run(run: Summary) -> dict[str, Any]:
    return {
        "flows_gbps": [round(rate, 3) for rate in run.rates_gbps.tolist()],
        "victim_flows": run.victims.tolist(),
        "ports": [dict(zip(_PORT_HEADERS, row, strict=True)) for row in _ports(run)],
        "sample_us": run.outcome.scenario.sample_us,
        "queue_port": run.outcome.scenario.names[run.queue_port],
        "queue_bytes": run.outcome.queues[:, run.queue_port].tolist(),
        "throughput_gbps": [round(rate, 2) for rate in run.throughput_gbps().tolist()],
    }


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
