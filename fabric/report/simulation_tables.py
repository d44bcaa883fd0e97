"""simulate: what it prints, and its plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.units import bytes_to_kb, us_to_s
from fabric.report.plots import save
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fabric.qos.simulate.summary import Summary

_PORT_HEADERS = tuple(
    "port priority pauses paused_port paused_us first_us last_us headroom_max_kb".split()
)
_PS_PER_US = 1e6


def _spread(values: Any, digits: int) -> list[float] | None:
    """Return the least, the mean and the most."""
    if not len(values):
        return None
    return [round(float(figure), digits) for figure in (values.min(), values.mean(), values.max())]


def figures(summary: Summary) -> dict[str, Any]:
    """Return the figures of a run by name; lists are the least, the mean and the most."""
    outcome = summary.outcome
    return {
        "aggregate_gbps": round(summary.aggregate_gbps, 2),
        "jain_index": round(summary.jain_index, 4),
        "flow_gbps": _spread(summary.rates_gbps, 2),
        "completion_us": _spread(summary.completion_us, 1),
        "unfinished": summary.unfinished,
        "pauses": summary.pauses,
        "paused_us": round(summary.paused_us, 1),
        "last_pause_us": round(summary.last_pause_us, 1),
        "queue_port": outcome.scenario.names[summary.queue_port],
        "queue_max_kb": round(bytes_to_kb(summary.most_queue_bytes), 1),
        "queue_mean_kb": round(bytes_to_kb(summary.mean_queue_bytes), 1),
        "drained_us": summary.drained_us,
        "headroom_max_kb": round(bytes_to_kb(summary.most_headroom_bytes), 1),
        "shared_max_kb": round(bytes_to_kb(summary.most_shared_bytes), 1),
        "marked_packets": int(outcome.ports["marked"].sum()),
        "cnps": int(outcome.flows["notices"].sum()),
        "dropped_packets": summary.dropped,
        "watchdog_drops": summary.storms,
        "victims": len(summary.victims),
        "duration_us": round(summary.duration_us, 1),
    }


def _cell(value: object) -> object:
    if value is None:
        return "-"
    return " / ".join(f"{part:g}" for part in value) if isinstance(value, list) else value


def comparison(runs: Mapping[str, Summary]) -> Table:
    """Return one column for each run."""
    columns = [figures(summary) for summary in runs.values()]
    rows = tuple((name, *(_cell(column[name]) for column in columns)) for name in columns[0])
    return Table(("figure", *runs), rows)


def ports(runs: Mapping[str, Summary]) -> Table:
    """Return the ports that sent a pause, with what came of it at the other end of the cable."""
    rows = [(name, *row) for name, run in runs.items() for row in _ports(run)]
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


def as_dict(runs: Mapping[str, Summary]) -> dict[str, Any]:
    """Return all runs for programs, with the rate of each stream and the series."""
    return {
        name: {
            **figures(run),
            "flows_gbps": [round(rate, 3) for rate in run.rates_gbps.tolist()],
            "victim_flows": run.victims.tolist(),
            "ports": [dict(zip(_PORT_HEADERS, row, strict=True)) for row in _ports(run)],
            "sample_us": run.outcome.scenario.sample_us,
            "queue_bytes": run.outcome.queues[:, run.queue_port].tolist(),
            "throughput_gbps": [round(rate, 2) for rate in run.throughput_gbps().tolist()],
        }
        for name, run in runs.items()
    }


def plot(runs: Mapping[str, Summary], path: Path) -> None:
    """Write queue and throughput over time as SVG or PNG, by the suffix of the file.

    Raises
    ------
    InputError
        When the suffix is another one, or matplotlib is not installed.
    """
    save(path, lambda: _drawing(runs))


def _drawing(runs: Mapping[str, Summary]) -> Any:
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(7.0, 5.5), layout="constrained")
    upper, lower = drawing.subplots(2, 1, sharex=True)
    for name, run in runs.items():
        step_s = us_to_s(run.outcome.scenario.sample_us)
        queue = run.outcome.queues[:, run.queue_port] / 1e6
        times = np.arange(len(queue)) * step_s * 1e3
        upper.plot(times, queue, label=name, linewidth=1)
        lower.plot(times[1:], run.throughput_gbps(), label=name, linewidth=1)
    upper.set_ylabel("queue in MB")
    upper.legend()
    lower.set_ylabel("throughput in Gb/s")
    lower.set_xlabel("time in ms")
    return drawing
