"""show ecn, buffer, dcqcn, ecmp, deadlock: the lossless engine on the fabric of an inventory."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fabric.cli import output
from fabric.cli.options import Format, FormatOption, Inventory, inventory_folder


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
    show_app.command(epilog="Example: rocefab show ecmp inventory/demo")(ecmp)
    show_app.command(epilog="Example: rocefab show deadlock inventory/demo")(deadlock)
    show_app.command(epilog="Example: rocefab show cable inventory/demo gpu001 eth1")(cable)


def ecn(
    inventory: Inventory = Path(),
    recommend: Annotated[
        bool,
        typer.Option(
            "--recommend",
            envvar="ROCEFAB_RECOMMEND",
            help="Show recommended thresholds for this fabric next to published ones, with "
            "reasons.",
        ),
    ] = False,
    flows: Annotated[
        int,
        typer.Option(
            "--flows",
            min=2,
            max=1024,
            envvar="ROCEFAB_FLOWS",
            help="Number of flows per port up to which a recommendation is stable.",
        ),
    ] = 256,
    form: FormatOption = Format.TEXT,
) -> None:
    """ECN thresholds of every kind of port, with limits.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show_ecn
    from fabric.workflow.project import Project

    project = Project(inventory)
    table = show_ecn.recommendations(project, flows) if recommend else show_ecn.ecn(project)
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def dcqcn(
    inventory: Inventory = Path(),
    parameters: Annotated[
        str,
        typer.Option(
            "--set",
            envvar="ROCEFAB_DCQCN_SET",
            help="Parameter set of the NICs: paper, connectx (factory defaults), "
            "hpcc-dcqcn, hpcc-dcqcn-paper, or rocefab (computed, with its own thresholds).",
        ),
    ] = "connectx",
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            envvar="ROCEFAB_PLOT",
            help="Also write a plot to this .svg or .png file; needs rocefab[plots].",
        ),
    ] = None,
    settings: Annotated[
        SettingsPlace | None,
        typer.Option(
            "--settings",
            envvar="ROCEFAB_SETTINGS",
            help="Show the NIC values of the set, in the units of this interface.",
        ),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Show the DCQCN steady state and stability of each kind of port.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show_dcqcn
    from fabric.workflow.lossless_path import question
    from fabric.workflow.project import Project

    project = Project(inventory)
    if settings:
        from fabric.workflow.show_settings import dcqcn_settings

        found = dcqcn_settings(project, question(project, parameters), settings.value)
        output.records(found.headers, found.rows, json_form=form is Format.JSON)
        return
    points = show_dcqcn.dcqcn_points(project, question(project, parameters))
    if plot:
        show_dcqcn.plot(points, plot)
        output.note(f"wrote {plot}")
    table = show_dcqcn.dcqcn(points)
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def buffer(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Show buffer use, and the cable lengths that would fit.

    Exit codes: 0, 2.
    """
    from fabric.workflow.project import Project
    from fabric.workflow.show_buffer import buffer as workflow

    table = workflow(Project(inventory))
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def ecmp(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Show how ECMP hashing loads the uplinks.

    Exit codes: 0, 2.
    """
    from fabric.workflow.project import Project
    from fabric.workflow.show_ecmp import ecmp as workflow

    table = workflow(Project(inventory))
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def deadlock(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Prove that lossless traffic cannot deadlock.

    Exit codes: 0, 2.
    """
    from fabric.workflow.project import Project
    from fabric.workflow.show_deadlock import deadlock as workflow

    table = workflow(Project(inventory))
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def cable(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[INVENTORY] HOST INTERFACE",
            help="Inventory folder (default: ROCEFAB_INVENTORY or the current folder); a "
            "host and one of its NICs.",
        ),
    ],
    form: FormatOption = Format.TEXT,
) -> None:
    """Compare the settings at both ends of a NIC's cable.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show_cable
    from fabric.workflow.project import Project

    if not 2 <= len(words) <= 3:  # noqa: PLR2004
        raise typer.BadParameter("specify a host and an interface", param_hint="HOST")
    folder = words[0] if len(words) == 3 else os.environ.get("ROCEFAB_INVENTORY", ".")  # noqa: PLR2004
    table = show_cable.cable(Project(inventory_folder(Path(folder))), *words[-2:])
    output.records(table.headers, table.rows, json_form=form is Format.JSON)
