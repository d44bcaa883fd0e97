"""simulate: what it prints of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.units import bytes_to_kb
from fabric.qos.simulate.class_summary import ClassSummary
from fabric.report.simulation_figures import Figure, cell, distribution
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.qos.simulate.summary import Summary

_FIGURES: tuple[Figure[ClassSummary], ...] = (
    Figure("rate_gbps", "rate, Gb/s", lambda own: own.aggregate_gbps, 2, least_is_worst=True),
    Figure("flow_gbps", "rate of a flow, Gb/s", lambda own: own.rates_gbps, 2, least_is_worst=True),
    Figure("completion_us", "completion time, us", lambda own: own.completion_us, 1),
    Figure(
        "share_percent",
        "share of the port, %",
        lambda own: own.share_percent,
        1,
        least_is_worst=True,
    ),
    Figure("queue_max_kb", "longest queue, kB", lambda own: bytes_to_kb(own.most_queue_bytes), 1),
    Figure("pauses", "pauses", lambda own: own.pauses),
    Figure("paused_us", "paused, us", lambda own: own.paused_us, 1),
    Figure("marked_packets", "marked packets", lambda own: own.marked),
    Figure("dropped_packets", "lost packets", lambda own: own.dropped),
)


def has_classes(run: Summary) -> bool:
    """Whether a run has several classes."""
    return len(run.outcome.scenario.classes) > 1


def classes_of(runs: Sequence[Summary]) -> dict[str, list[ClassSummary]]:
    """Return what each class says in each run."""
    classes = runs[0].outcome.scenario.classes
    return {
        own.name: [ClassSummary(run, number) for run in runs] for number, own in enumerate(classes)
    }


def class_table(runs: Mapping[str, Sequence[Summary]]) -> Table:
    """Return a row for each figure of each class, and one column for each of the settings."""
    columns = [classes_of(own) for own in runs.values()]
    rows = [
        (name, figure.words, *(cell(distribution(figure, column[name])) for column in columns))
        for name in columns[0]
        for figure in _FIGURES
    ]
    return Table(("class", "figure", *runs), tuple(rows))


def class_figures(runs: Sequence[Summary]) -> dict[str, Any]:
    """Return the figures of each class for programs; nothing where there is one class."""
    if not has_classes(runs[0]):
        return {}
    return {
        "classes": {
            name: {figure.name: distribution(figure, own) for figure in _FIGURES}
            for name, own in classes_of(runs).items()
        }
    }


def class_series(run: Summary) -> dict[str, Any]:
    """Return the rate of each class over time; nothing where there is one class."""
    if not has_classes(run):
        return {}
    return {
        "class_throughput_gbps": {
            name: [round(rate, 2) for rate in own[0].throughput_gbps().tolist()]
            for name, own in classes_of([run]).items()
        }
    }
