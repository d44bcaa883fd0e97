"""show capacity, paths: bandwidth, distance and equal paths of the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabric.cli import output
from fabric.cli.options import Fail, Format, FormatOption, Inventory


def register(show_app: typer.Typer) -> None:
    """Add the commands of this module to ``show``."""
    show_app.command(epilog="Example: rocefab show capacity inventory/demo")(capacity)
    show_app.command(epilog="Example: rocefab show paths inventory/demo --leaf su1-rail0")(paths)


def capacity(
    inventory: Inventory = Path(),
    leaves: Annotated[
        bool,
        typer.Option(
            "--leaves", envvar="ROCEFAB_LEAVES", help="Show bandwidth and uplinks of every leaf."
        ),
    ] = False,
    fail: Fail = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Oversubscription, bisection, diameter, path MTU, longest path.

    Links that the inventory disables, and those given with --fail, count as down.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show_capacity
    from fabric.workflow.project import Project

    make = show_capacity.leaves if leaves else show_capacity.capacity
    table = make(Project(inventory), tuple(fail or ()))
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def paths(
    inventory: Inventory = Path(),
    leaf: Annotated[
        str,
        typer.Option(
            "--leaf",
            envvar="ROCEFAB_LEAF",
            help="Show this leaf with every other leaf; default: all pairs, grouped.",
        ),
    ] = "",
    fail: Fail = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Hops, equal paths, spines and uplinks from leaf to leaf.

    Exit codes: 0, 2.
    """
    from fabric.workflow.project import Project
    from fabric.workflow.show_capacity import paths as workflow

    table = workflow(Project(inventory), leaf, tuple(fail or ()))
    output.records(table.headers, table.rows, json_form=form is Format.JSON)
