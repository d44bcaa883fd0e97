"""simulate: an incast as packets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import CLASS_OPTION, Format, FormatOption, Inventory, Workers, option

if TYPE_CHECKING:
    from fabric.report.simulation import Elsewhere, Runs
    from fabric.report.simulation_settings import Load, Settings


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(
        epilog="Example: rocefab simulate inventory/rail-512 --incast 16 --to gpu001:eth1 "
        "--bytes 4MiB --compare paper,marking=400:1600:20"
    )(simulate)


def simulate(
    inventory: Inventory = Path(),
    incast: Annotated[
        int, option("NICs that send to each receiver.", "INCAST", min=1, max=256)
    ] = 16,
    to: Annotated[
        list[str] | None,
        option("Receiver as HOST:INTERFACE; may be repeated.", "TO", "--to", metavar="NIC"),
    ] = None,
    permutation: Annotated[
        bool,
        option(
            "Instead of --to: --incast senders, each to a different receiver at another leaf.",
            "PERMUTATION",
            "--permutation",
        ),
    ] = False,
    also: Annotated[
        list[str] | None,
        option(
            "Traffic of another lossless class: CLASS:SENDERS to each receiver, or CLASS:ring, "
            "where each NIC that takes part sends to the next; then :BYTES if it ends. May be "
            "repeated, for further classes.",
            "ALSO",
            "--also",
            metavar="CLASS:WHAT",
        ),
    ] = None,
    lossy_gbps: Annotated[
        float,
        option(
            "Rate of a further sender to each receiver, whose packets may be dropped.",
            "LOSSY_GBPS",
            min=0,
            max=1600,
        ),
    ] = 0.0,
    far: Annotated[
        bool,
        option("Choose senders of other units first; default: the next hosts.", "FAR", "--far"),
    ] = False,
    size: Annotated[
        str,
        option("Bytes of each queue pair, such as 4MiB; default: endless.", "BYTES", "--bytes"),
    ] = "",
    queue_pairs: Annotated[
        int, option("Queue pairs of each sender.", "QUEUE_PAIRS", min=1, max=64)
    ] = 1,
    admit: Annotated[
        int,
        option("Queue pairs that a receiver admits at the same time; 0: all.", "ADMIT", min=0),
    ] = 0,
    settings: Annotated[
        str,
        option(
            "Settings: words separated by commas. A parameter set (connectx, paper, hpcc-dcqcn, "
            "hpcc-dcqcn-paper, rocefab), a reaction point (off, hpcc, delay, aimd), "
            "marking=KMIN:KMAX:PMAX in kB and percent, window=KB, first-cnp=MBPS, spray (switches "
            "choose for each packet; spray=5: by five levels of their queues), go-back-n (senders "
            "repeat from a gap on); with several classes share.CLASS=PERCENT and "
            "marking.CLASS=KMIN:KMAX:PMAX.",
            "SIMULATION",
            "--settings",
        ),
    ] = "connectx",
    compare: Annotated[
        list[str] | None,
        option(
            "More settings to run; may be repeated.", "COMPARE", "--compare", metavar="SETTINGS"
        ),
    ] = None,
    duration_ms: Annotated[
        float, option("Time to simulate in milliseconds.", "DURATION_MS", min=0.01, max=1000.0)
    ] = 15.0,
    star: Annotated[
        bool,
        option("Simulate a single switch without an inventory.", "STAR", "--star"),
    ] = False,
    speed_gbps: Annotated[
        float, option("With --star: speed of each cable.", "SPEED_GBPS", min=1, max=1600)
    ] = 100.0,
    delay_us: Annotated[
        float, option("With --star: one-way delay of each cable.", "DELAY_US", min=0.01, max=1000)
    ] = 1.0,
    buffer_mib: Annotated[
        float | None,
        option(
            "Buffer of the switch with --star (default 32), or shared pool of switches of the "
            "inventory whose pool is not known.",
            "BUFFER_MIB",
            min=0.1,
            max=100_000,
        ),
    ] = None,
    alpha: Annotated[
        float, option("With --star: share of the free buffer of a port.", "ALPHA", min=0.001)
    ] = 0.125,
    response_ns: Annotated[
        float | None,
        option(
            "Time from the arrival of a pause until the sender stops; default: the most that IEEE "
            "802.3 allows, with --star 0.",
            "RESPONSE_NS",
            min=0,
            max=100_000,
        ),
    ] = None,
    payload_bytes: Annotated[
        int, option("Payload of a packet.", "PAYLOAD_BYTES", min=256, max=9000)
    ] = 4096,
    start_spread_us: Annotated[
        float,
        option("Time in which all flows start.", "START_SPREAD_US", min=0, max=100_000),
    ] = 100.0,
    seed: Annotated[
        int, option("Seed of starts, marks and paths: same seed, same run.", "SEED", min=1)
    ] = 1,
    runs: Annotated[
        int,
        option("Runs of each of the settings, each with the next seed.", "RUNS", min=1, max=100),
    ] = 5,
    lossless_class: Annotated[str | None, CLASS_OPTION] = None,
    plot: Annotated[
        Path | None,
        option("Also write a plot to this .svg or .png file; needs rocefab[plots].", "PLOT"),
    ] = None,
    workers: Workers = "0",
    form: FormatOption = Format.TEXT,
    *,
    full: Annotated[
        bool,
        option(
            "List every port that sent a pause, not only those that paused longest.",
            "FULL",
            "--full",
        ),
    ] = False,
) -> None:
    """Simulate an incast, packet by packet.

    The NICs have their congestion control, the switches their buffers, thresholds and PFC.
    With --workers, several settings are simulated at the same time.
    A line with slashes has the median, the 95th percentile and the worst of the runs; of a flow's
    figure, of all flows of the runs.

    Exit codes: 0, 2, 4 (a packet of a lossless class was lost).
    """
    from fabric.core.units import mib_to_bytes
    from fabric.report.plots import require
    from fabric.report.simulation import star_runs
    from fabric.report.simulation_also import also_of
    from fabric.report.simulation_settings import Load, Settings, settings_of
    from fabric.report.simulation_sizes import size_of
    from fabric.workflow.simulations import elsewhere

    if [star, permutation, bool(to)].count(True) != 1:
        message = "give the receiver, --to HOST:INTERFACE, or --permutation, or --star; one of them"
        raise typer.BadParameter(message, param_hint="--to")
    load = Load(
        senders=incast,
        queue_pairs=queue_pairs,
        size_bytes=size_of(size) if size else None,
        admitted=admit,
        pool_bytes=int(mib_to_bytes(buffer_mib or 0.0)),
        response_ns=response_ns,
        duration_us=duration_ms * 1000,
        payload_bytes=payload_bytes,
        seed=seed,
        lossless_class=lossless_class,
        start_spread_us=start_spread_us,
        runs=runs,
        also=also_of(also or ()),
        lossy_gbps=lossy_gbps,
    )
    if plot:
        require(plot)
    variants = [settings_of(words, Settings()) for words in (settings, *(compare or ()))]
    if star:
        results = star_runs(
            load,
            variants,
            output.note,
            elsewhere(workers),
            speed_gbps=speed_gbps,
            delay_us=delay_us,
            buffer_bytes=mib_to_bytes(buffer_mib or 32.0),
            alpha=alpha,
        )
    else:
        results = _fabric(inventory, tuple(to or ()), load, variants, elsewhere(workers), far=far)
    if plot:
        from fabric.report.simulation_plot import plot as draw

        draw(results, plot)
        output.note(f"wrote {plot}")
    _print(results, load.seeds, form, full=full)
    if any(run.dropped for own in results.values() for run in own):
        raise CommandExit(Exit.FINDINGS)


def _fabric(
    inventory: Path,
    receivers: tuple[str, ...],
    load: Load,
    variants: list[Settings],
    elsewhere: Elsewhere,
    *,
    far: bool,
) -> Runs:
    from fabric.report.dcqcn import other_nics
    from fabric.report.simulation import fabric_runs
    from fabric.workflow.project import Project

    designs = Project(inventory)
    if others := other_nics(designs.fabric):
        output.note(others)
    return fabric_runs(
        designs, receivers, load, variants, output.note, far=far, elsewhere=elsewhere
    )


def _print(runs: Runs, seeds: range, form: Format, *, full: bool) -> None:
    from fabric.core.counts import counted
    from fabric.report import simulation_tables as tables
    from fabric.report.simulation_class_tables import class_table, has_classes

    if form is Format.JSON:
        output.as_json(tables.as_dict(runs, seeds))
        return
    output.records(tables.comparison(runs), form)
    if any(has_classes(own[0]) for own in runs.values()):
        output.data("\n")
        output.records(class_table(runs), form)
    paused = tables.ports(runs, full=full)
    if paused.rows:
        output.data("\n")
        output.records(paused, form)
        if more := len(tables.ports(runs).rows) - len(paused.rows):
            output.data(f"{counted(more, 'more port')}; `--full` lists all\n")
    output.data("".join(f"\n{line}" for line in tables.verdicts(runs)) + "\n")
