"""simulate: its plot."""

from __future__ import annotations

from collections import defaultdict
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.counts import counted
from fabric.core.units import us_to_s
from fabric.report.plots import save
from fabric.report.simulation_class_tables import classes_of, has_classes
from fabric.report.simulation_thresholds import KMAX, KMIN, XOFF, configured, thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fabric.qos.simulate.summary import Summary
    from fabric.report.simulation import Runs

    Floats = NDArray[np.float64]
    #: Colour of a line, its thresholds, and what is configured where a switch has another value.
    Limits = tuple[Any, Mapping[str, float], Mapping[str, float]]

#: Points of a line in a plot, as many as a page shows; each has the largest of its samples.
_POINTS = 300
#: A mean is of so small a part of the time; our choice.
_SMOOTH_PARTS = 50
#: Lines of thresholds that differ without colour.
_DASHES = {KMIN: ":", KMAX: "--", XOFF: "-."}
#: Lines that take turns, so that those with the same values are all seen.
_STYLES = ("-", "--", "-.")
#: A threshold this many times above the axis of the queue is not drawn; our choice.
_FAR_ABOVE = 2.0
#: A threshold below this part of the axis of the queue cannot be told from 0; our choice.
_LOW = 0.1
#: Of the highest threshold, up to the edge; and on a logarithmic axis, where that is less.
_ROOM, _LOG_ROOM = 1.05, 1.5
#: Characters of an entry of the legend that fit into half of the width; measured.
_COLUMN = 42
#: Width of the figure, and height of both plots without title and legend, in inches; our choice.
_WIDTH, _PLOTS_HEIGHT = 7.0, 4.7
#: Ticks in each decade of a logarithmic axis, so that there is one near its top.
_TICKS = (1, 2, 5)


def plot(runs: Runs, path: Path) -> None:
    """Write queue and throughput over time as SVG or PNG, by the suffix of the file.

    A line is the median of the runs, the band around it has them all. With several classes each
    has a line: its queue at the port with the longest, and the rate of its flows through that port.
    Kmin, Kmax and XOFF of that port are lines too, where each is one value. The title says what was
    simulated.

    Raises
    ------
    InputError
        When the suffix is another one, or matplotlib is not installed.
    """
    save(path, lambda: _drawing(runs))


def _drawing(runs: Runs) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(_WIDTH, _PLOTS_HEIGHT), layout="constrained")
    upper, lower = drawing.subplots(2, 1, sharex=True)
    title = drawing.suptitle(_title(runs), fontsize="medium")
    limits: dict[str, Limits] = {}
    for name, own in runs.items():
        step_ms = us_to_s(own[0].outcome.scenario.sample_us) * 1e3
        lines = _lines(name, own, is_alone=len(runs) == 1)
        points = _POINTS // len(lines)
        end = max(_busy(*line) for line in lines.values())
        for number, (label, (queues, rates)) in enumerate(lines.items()):
            colour = _band(upper, queues[:, :end] / 1e6, step_ms, 0, label, points)
            _band(lower, rates[:, :end], step_ms, 1, label, points)
            limits[label] = colour, thresholds(own[0], number), configured(own[0], number)
    _limits(upper, limits)
    upper.set_ylabel("queue in MB")
    _show_low(upper, limits)
    lower.set_ylabel("throughput in Gb/s")
    lower.set_xlabel("time in ms")
    texts = sum(text.get_window_extent().height for text in (title, _legend(drawing, upper)))
    drawing.set_figheight(_PLOTS_HEIGHT + texts / drawing.dpi)
    return drawing


def _legend(drawing: Any, axes: Any) -> Any:
    """Draw the legend below the plots, in two columns where its entries are short."""
    handles, labels = axes.get_legend_handles_labels()
    is_short = max(map(len, labels), default=0) <= _COLUMN
    return drawing.legend(
        handles,
        [fill(label, 2 * _COLUMN, break_on_hyphens=False) for label in labels],
        loc="outside lower center",
        fontsize="small",
        ncols=2 if is_short else 1,
    )


def _title(runs: Runs) -> str:
    """Return what was simulated, and what the lines are."""
    own = next(iter(runs.values()))
    scenario = own[0].outcome.scenario
    flows = [one for one in scenario.streams if one.class_number == 0]
    senders, receivers = ({one.path[end] for one in flows} for end in (0, -1))
    at = [scenario.place(scenario.row(port, 0))[0] for port in sorted(receivers)]
    to = f"one NIC ({at[0]})" if len(at) == 1 else f"{len(at)} NICs"
    what = (
        f"{counted(len(senders), 'NIC sends', 'NICs send')} to {to}, {counted(len(flows), 'flow')}"
    )
    of = "through that port" if has_classes(own[0]) else "of all flows"
    lines = "" if len(own) == 1 else f": median and range of {len(own)} runs"
    assumed = "".join(f"\n{words}" for words in scenario.assumed)
    return f"{what}\nlongest queue of a port, and throughput {of}{lines}{assumed}"


def _lines(
    name: str, runs: Sequence[Summary], *, is_alone: bool
) -> dict[str, tuple[Floats, Floats]]:
    """Return queue and throughput of all runs by the name of the line: one for each class."""
    if not has_classes(runs[0]):
        queues = np.array([run.outcome.queues[:, run.queue_port] for run in runs])
        return {name: (queues, np.array([run.throughput_gbps() for run in runs]))}
    return {
        word if is_alone else f"{name}, {word}": (
            np.array([own.queue() for own in classes]),
            np.array([_smooth(own.throughput_gbps(at_port=True)) for own in classes]),
        )
        for word, classes in classes_of(runs).items()
    }


def _busy(*series: Floats) -> int:
    """Return how many samples there are until nothing is sent any more, and a few after that."""
    last = max(int(np.flatnonzero(one.any(axis=0)).max(initial=0)) for one in series)
    return int(last * _ROOM) + 2


def _smooth(rates: Floats) -> Floats:
    """Return the moving mean: at one port, a sample has a packet more or less of a class."""
    width = max(1, len(rates) // _SMOOTH_PARTS)
    return np.convolve(rates, np.ones(width) / width, mode="same")


def _band(
    axes: Any, series: Floats, step_ms: float, first: int, name: str, most_points: int
) -> Any:
    """Draw series of shape (runs, samples), the first of which is at that step.

    Returns
    -------
    colour
        As matplotlib has it.
    """
    width = -(-series.shape[1] // most_points)
    points = series[:, : series.shape[1] // width * width].reshape(len(series), -1, width)
    times = (np.arange(points.shape[1]) * width + first) * step_ms
    style = _STYLES[len(axes.lines) % len(_STYLES)]
    median = np.median(points.max(axis=2), axis=0)
    (line,) = axes.plot(times, median, style, label=name, linewidth=1.6)
    if len(series) > 1:
        low, high = points.min(axis=(0, 2)), points.max(axis=(0, 2))
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    return line.get_color()


def _limits(axes: Any, limits: Mapping[str, Limits]) -> None:
    """Draw thresholds: in grey where all lines have the same one, else in the colour of a line.

    A threshold far above the queue is in the legend alone, so that the queue fills the plot.
    """
    top, of = axes.get_ylim()[1], defaultdict(list)
    for label, (_, own, as_set) in limits.items():
        for name, size_bytes in own.items():
            of[name, size_bytes / 1e6, as_set.get(name, size_bytes) / 1e6].append(label)
    far = _FAR_ABOVE * top
    for (name, size_mb, set_mb), labels in of.items():
        is_common = len(labels) == len(limits)
        text, set_text = (f"{megabytes:.3g}" for megabytes in (size_mb, set_mb))
        axes.axhline(
            min(size_mb, far),
            color="0.35" if is_common else limits[labels[0]][0],
            linestyle=_DASHES[name],
            linewidth=0.9,
            label=f"{name} {set_text} MB"
            + ("" if text == set_text else f", rounded to {text} MB by the switch")
            + ("" if is_common else f", {', '.join(labels)}")
            + (", above the plot" if size_mb >= far else ""),
        )
        top = max(top, size_mb * _ROOM) if size_mb < far else top
    axes.set_ylim(0, top)


def _show_low(axes: Any, limits: Mapping[str, Limits]) -> None:
    """Make the axis logarithmic above the lowest threshold, where that lies at its bottom."""
    from matplotlib.ticker import SymmetricalLogLocator

    sizes = [size / 1e6 for _, own, _ in limits.values() for size in own.values()]
    lowest_mb = min(sizes, default=0)
    if not 0 < lowest_mb < _LOW * axes.get_ylim()[1]:
        return
    axes.set_yscale("symlog", linthresh=lowest_mb)
    axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=lowest_mb, subs=_TICKS))
    axes.set_ylim(0, axes.get_ylim()[1] * _LOG_ROOM)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_ylabel("queue in MB, logarithmic")
