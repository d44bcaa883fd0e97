"""show ecn, buffer, dcqcn, ecmp, deadlock: the lossless engine on the fabric of an inventory."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    AskPassword,
    Connections,
    Format,
    FormatOption,
    Inventory,
    Only,
    Parallel,
    argument,
    inventory_folder,
    option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.report.table import Table
    from fabric.workflow.project import Project

#: Words of `show cable`; its first one may be omitted.
_CABLE = "[INVENTORY] HOST INTERFACE"
_CABLE_WORDS = len(_CABLE.split())


class SettingsPlace(StrEnum):
    """Places that take the parameters of a NIC."""

    SYSFS = "sysfs"
    DEBUGFS = "debugfs"
    MLXCONFIG = "mlxconfig"


def register(show_app: typer.Typer) -> None:
    """Add the commands of this module to ``show``."""
    show_app.command(epilog="Example: rocefab show ecn inventory/demo --recommend")(ecn)
    show_app.command(epilog="Example: rocefab show buffer inventory/demo")(buffer)
    show_app.command(epilog="Example: rocefab show dcqcn inventory/demo --set rocefab")(dcqcn)
    _add(show_app, "ecmp", "Show how ECMP hashing loads the uplinks.")
    _add(show_app, "deadlock", "Prove that lossless traffic cannot deadlock.")
    show_app.command(epilog="Example: rocefab show cable inventory/demo gpu001 eth1")(cable)


def _tables() -> dict[str, Callable[[Project], Table]]:
    """Return the tables of the whole inventory; their modules are slow to import."""
    from fabric.report.ecmp import ecmp
    from fabric.report.lossless import deadlock

    return {"ecmp": ecmp, "deadlock": deadlock}


def _add(show_app: typer.Typer, name: str, text: str) -> None:
    """Add a table of the whole inventory."""

    def command(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
        from fabric.workflow.project import Project

        output.records(_tables()[name](Project(inventory)), form)

    epilog = f"Example: rocefab show {name} inventory/demo"
    show_app.command(name, help=f"{text}\n\nExit codes: 0, 2.", epilog=epilog)(command)


def buffer(
    inventory: Inventory = Path(),
    computed: Annotated[
        bool,
        option(
            "Show what each switch that computes its buffers takes, and the pools it comes to.",
            "COMPUTED",
            "--computed",
        ),
    ] = False,
    observed: Annotated[
        bool,
        option(
            "Read the watermarks of the switches, and show the slack of each port.",
            "OBSERVED",
            "--observed",
        ),
    ] = False,
    saved: Annotated[
        Path | None,
        option(
            "With --observed: read them from files of this folder, one for each switch, such as "
            "su1-rail0.txt.",
            "SAVED",
            "--saved",
        ),
    ] = None,
    connections: Connections = None,
    ask_password: AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: Only = "",
    parallel: Parallel = 0,
    form: FormatOption = Format.TEXT,
) -> None:
    """Buffer use, and the cable lengths that would fit.

    Exit codes: 0, 2, 3 (with --observed: a switch could not be read).
    """
    from fabric.report.buffer import buffer as report
    from fabric.report.computed_buffer import computed as computed_report
    from fabric.workflow.devices import Selection, chosen
    from fabric.workflow.project import Project

    if saved and not observed:
        raise typer.BadParameter("needs --observed", param_hint="--saved")
    project = Project(inventory)
    if observed:
        _observed(project, saved, connections, (only, parallel), form)
        return
    names = chosen(project, Selection(hosts=False, only=only)) if only else None
    output.records((computed_report if computed else report)(project, names), form)


def _observed(
    project: Project,
    saved: Path | None,
    connections: Path | None,
    chosen: tuple[str, int],
    form: Format,
) -> None:
    from fabric.report.buffer_use import buffer_use
    from fabric.workflow.buffer_use import from_devices, from_files

    if saved:
        peaks = from_files(project, saved, chosen[0])
    else:
        peaks = from_devices(project, connections, chosen[0], output.Meter(), chosen[1])
    output.records(buffer_use(project, peaks), form)
    if any(item.failed for item in peaks):
        raise CommandExit(Exit.DEVICE)


def ecn(
    inventory: Inventory = Path(),
    recommend: Annotated[
        bool,
        option(
            "Show recommended thresholds for this fabric next to published ones, with reasons.",
            "RECOMMEND",
            "--recommend",
        ),
    ] = False,
    flows: Annotated[
        int,
        option(
            "Number of flows per port up to which a recommendation is stable.",
            "FLOWS",
            min=2,
            max=1024,
        ),
    ] = 256,
    form: FormatOption = Format.TEXT,
) -> None:
    """ECN thresholds of every kind of port, with limits.

    Exit codes: 0, 2.
    """
    from fabric.report import ecn as report
    from fabric.report.dcqcn import other_nics, simulating
    from fabric.workflow.project import Project

    project = Project(inventory)
    if recommend:
        output.note(simulating())
        if others := other_nics(project.fabric):
            output.note(others)
    table = report.recommendations(project, flows) if recommend else report.ecn(project)
    output.records(table, form)


def dcqcn(
    inventory: Inventory = Path(),
    parameters: Annotated[
        str,
        option(
            "Parameter set of the NICs: paper, connectx (factory defaults), hpcc-dcqcn, "
            "hpcc-dcqcn-paper, or rocefab (computed, with its own thresholds).",
            "DCQCN_SET",
            "--set",
        ),
    ] = "connectx",
    plot: Annotated[
        Path | None,
        option("Also write a plot to this .svg or .png file; needs rocefab[plots].", "PLOT"),
    ] = None,
    settings: Annotated[
        SettingsPlace | None,
        option("Show the NIC values of the set, in the units of this interface.", "SETTINGS"),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Show the DCQCN steady state and stability of each kind of port.

    Exit codes: 0, 2.
    """
    from fabric.report import dcqcn as report
    from fabric.report.lossless import dcqcn_settings, question
    from fabric.report.plots import require
    from fabric.workflow.project import Project

    if plot:
        require(plot)
    project = Project(inventory)
    asked, ports = question(project, parameters), report.kinds(project)
    if settings:
        output.records(dcqcn_settings(ports, asked, settings.value), form)
        return
    if any(kind.buffer for kind in ports):
        output.note(report.simulating())
    points = report.dcqcn_points(ports, asked)
    if plot:
        report.plot(points, plot)
        output.note(f"wrote {plot}")
    output.records(report.dcqcn(points), form)
    for line in report.advice(points) if form is Format.TEXT else ():
        output.note(line)
    if others := report.other_nics(project.fabric):
        output.note(others)


def cable(
    words: Annotated[
        list[str],
        argument(
            "Inventory folder (default: ROCEFAB_INVENTORY or the current folder); a host "
            "and one of its NICs.",
            metavar=_CABLE,
        ),
    ],
    form: FormatOption = Format.TEXT,
) -> None:
    """Compare the settings at both ends of a NIC's cable.

    Exit codes: 0, 2.
    """
    from fabric.report.lossless import cable as report
    from fabric.workflow.project import Project

    if len(words) < _CABLE_WORDS and ":" in words[-1]:
        words = [*words[:-1], *words[-1].split(":", 1)]
    if not _CABLE_WORDS - 1 <= len(words) <= _CABLE_WORDS:
        raise typer.BadParameter("specify a host and an interface", param_hint="HOST")
    if len(words) < _CABLE_WORDS and (Path(words[0]) / "fabric.yaml").is_file():
        words = [*words, ""]  # the report says which NICs the host has
    is_folder_named = len(words) == _CABLE_WORDS
    folder = words[0] if is_folder_named else os.environ.get("ROCEFAB_INVENTORY", ".")
    output.records(report(Project(inventory_folder(Path(folder))), *words[-2:]), form)
