"""simulate: what it prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted
from fabric.core.units import bytes_to_kb
from fabric.report.simulation_class_tables import class_figures, class_series
from fabric.report.simulation_figures import Figure, cell, distribution
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fabric.qos.simulate.summary import Summary
    from fabric.report.simulation import Runs

    Floats = NDArray[np.float64]

_PORT_HEADERS = tuple(
    "port priority pauses paused_port paused_us first_us last_us headroom_max_kb".split()
)
_PORT_WORDS = (
    "port that pauses",
    "priority",
    "pauses",
    "paused port",
    "paused, us",
    "first, us",
    "last, us",
    "headroom, kB",
)
_PAUSED_US = _PORT_WORDS.index("paused, us")
#: Ports of each of the settings that are printed without --full: our choice.
_MOST_PORTS = 8
_PS_PER_US = 1e6


_FIGURES: tuple[Figure[Summary], ...] = (
    Figure(
        "aggregate_gbps",
        "rate of all flows, Gb/s",
        lambda run: run.aggregate_gbps,
        2,
        least_is_worst=True,
    ),
    Figure(
        "jain_index", "fairness (Jain's index)", lambda run: run.jain_index, 4, least_is_worst=True
    ),
    Figure("flow_gbps", "rate of a flow, Gb/s", lambda run: run.rates_gbps, 2, least_is_worst=True),
    Figure("completion_us", "completion time, us", lambda run: run.completion_us, 1),
    Figure("unfinished", "flows that did not end", lambda run: run.unfinished),
    Figure("pauses", "pauses", lambda run: run.pauses),
    Figure("host_pauses", "pauses of hosts", lambda run: run.pauses_by_tier[0]),
    Figure("leaf_pauses", "pauses of leaves", lambda run: run.pauses_by_tier[1]),
    Figure("spine_pauses", "pauses of spines", lambda run: run.pauses_by_tier[2:].sum()),
    Figure("paused_us", "paused, all ports, us", lambda run: run.paused_us, 1),
    Figure("last_pause_us", "last pause ended, us", lambda run: run.last_pause_us, 1),
    Figure("queue_max_kb", "longest queue, kB", lambda run: bytes_to_kb(run.most_queue_bytes), 1),
    Figure("queue_mean_kb", "mean queue, kB", lambda run: bytes_to_kb(run.mean_queue_bytes), 1),
    Figure(
        "drained_us",
        "queue of the start gone, us",
        lambda run: math.inf if run.drained_us is None else run.drained_us,
        1,
    ),
    Figure(
        "headroom_max_kb",
        "most headroom of a port, kB",
        lambda run: bytes_to_kb(run.most_headroom_bytes),
        1,
    ),
    Figure(
        "shared_max_kb",
        "most shared pool of a switch, kB",
        lambda run: bytes_to_kb(run.most_shared_bytes),
        1,
    ),
    Figure(
        "marked_packets", "marked packets", lambda run: float(run.outcome.ports["marked"].sum())
    ),
    Figure("cnps", "CNPs", lambda run: float(run.outcome.flows["notices"].sum())),
    Figure("dropped_packets", "lost packets", lambda run: run.dropped),
    Figure("watchdog_drops", "queues dropped by watchdogs", lambda run: run.storms),
    Figure("late_percent", "late packets, %", lambda run: run.late_percent, 2),
    Figure("late_p50_packets", "late by, p50, packets", lambda run: run.late_packets(0.5)),
    Figure("late_p99_packets", "late by, p99, packets", lambda run: run.late_packets(0.99)),
    Figure("late_max_packets", "late by, most, packets", lambda run: run.late_packets(1.0)),
    Figure("late_max_kb", "late by, most, kB", lambda run: bytes_to_kb(run.late_bytes), 1),
    Figure("repeated_kb", "sent again, kB", lambda run: bytes_to_kb(run.repeated_bytes), 1),
    Figure("victims", "victim flows", lambda run: len(run.victims)),
    Figure("duration_us", "until the last flow ended, us", lambda run: run.duration_us, 1),
)


def figures(runs: Sequence[Summary]) -> dict[str, dict[str, float | None] | None]:
    """Return ``p50``, ``p95`` and ``worst`` of each figure over all runs.

    95 of 100 values are as good as ``p95``, or better. None is a value that never came, or a figure
    without values.
    """
    return {figure.name: distribution(figure, runs) for figure in _FIGURES}


#: Where a cell has three values.
_FIGURE = "figure: p50 / p95 / worst"


def comparison(runs: Runs) -> Table:
    """Return one column for each of the settings."""
    columns = {name: figures(own) for name, own in runs.items()}
    rows = [
        (one.words, *(cell(column[one.name]) for column in columns.values())) for one in _FIGURES
    ]
    busiest = (
        ", ".join(dict.fromkeys(run.outcome.scenario.row_name(run.queue_port) for run in own))
        for own in runs.values()
    )
    return Table((_FIGURE, *runs), (*rows, ("port of the longest queue", *busiest)))


#: A port that is paused for more is paused most of the time.
_HALF_PERCENT = 50


def verdicts(runs: Runs) -> list[str]:
    """Return a sentence for each of the settings: loss, pauses, queue, by the worst of the runs."""
    return [f"{name}: {_verdict(own)}" for name, own in runs.items()]


def _verdict(runs: Sequence[Summary]) -> str:
    worst = max(runs, key=lambda run: run.paused_us)
    parts = []
    if lost := max(run.dropped for run in runs):
        parts.append(f"{counted(lost, 'packet')} of the lossless class lost")
    else:
        parts.append("no packet lost")
    if worst.paused_us:
        spread = max(run.switch_pauses for run in runs)
        parts.append(
            f"ports paused for {worst.paused_us:,.0f} us in all, the last until "
            f"{max(run.last_pause_us for run in runs):,.0f} us"
            + (f", {counted(spread, 'pause')} of switches" if spread else "")
        )
        parts += _without_end(max(runs, key=lambda run: run.still_paused))
    else:
        parts.append("no port paused")
    longest = max(runs, key=lambda run: run.most_queue_bytes)
    port = longest.outcome.scenario.row_name(longest.queue_port)
    queue_kb = bytes_to_kb(longest.most_queue_bytes)
    parts.append(f"queue up to {queue_kb:,.0f} kB at {port}{_pool_words(longest)}")
    if lossy := max(run.lossy_dropped for run in runs):
        parts.append(f"{counted(lossy, 'packet')} of other traffic dropped")
    if unfinished := max(run.unfinished for run in runs):
        parts.append(f"{counted(unfinished, 'flow')} did not end")
    parts += worst.outcome.scenario.assumed
    return f"{'; '.join(parts)}."


def _without_end(run: Summary) -> list[str]:
    """Return which pauses lasted until the end of the run; nothing where all ended."""
    if not run.still_paused:
        return []
    ports, share = counted(run.still_paused, "port is", "ports are"), run.most_paused_percent
    words = f"{ports} still paused at the end, the longest for {share:.0f} % of the run"
    most = share > _HALF_PERCENT
    return [f"{words}: PFC, not congestion control, holds the senders back" if most else words]


def _pool_words(run: Summary) -> str:
    """Return the shared pool of the switch with the longest queue; nothing for a NIC."""
    outcome, row = run.outcome, run.queue_port
    if not outcome.ports["is_switch"][row]:
        return ""
    shared_bytes = int(outcome.nodes["shared"][outcome.ports["node"][row]])
    return f", of a shared pool of {bytes_to_kb(shared_bytes):,.0f} kB"


def ports(runs: Runs, *, full: bool = True) -> Table:
    """Return the ports that sent a pause, with what came of it at the other end of the cable.

    They are those of the run with the longest pause; without ``full`` those that paused longest.
    """
    rows = []
    for name, own in runs.items():
        every = _ports(max(own, key=lambda run: run.paused_us))
        if not full:
            every = sorted(every, key=lambda row: -row[_PAUSED_US])[:_MOST_PORTS]
        rows += [(name, *row) for row in every]
    return Table(("settings", *_PORT_WORDS), tuple(rows))


def _ports(summary: Summary) -> list[tuple[Any, ...]]:
    table, scenario = summary.outcome.ports, summary.outcome.scenario
    return [
        (
            scenario.place(row)[0],
            scenario.place(row)[1].pfc_priority,
            int(table["pauses"][row]),
            scenario.place(row ^ 1)[0],
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
            **class_figures(own),
            "assumed": [*own[0].outcome.scenario.assumed],
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
        "queue_port": run.outcome.scenario.row_name(run.queue_port),
        "queue_bytes": run.outcome.queues[:, run.queue_port].tolist(),
        "throughput_gbps": [round(rate, 2) for rate in run.throughput_gbps().tolist()],
        **class_series(run),
    }
