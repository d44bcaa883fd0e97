"""show: tables of what the inventory describes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fabric.cli import output, show_capacity, show_qos
from fabric.cli.options import Format, FormatOption, Inventory, OwnModels

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.workflow.project import Project
    from fabric.workflow.table import Table

show_app = typer.Typer(
    help="Show topology, addresses, links, hosts, rules and more.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    show_capacity.register(show_app)
    show_qos.register(show_app)
    app.add_typer(show_app, name="show")


def _print(table: Table, form: Format) -> None:
    output.records(table.headers, table.rows, json_form=form is Format.JSON)


def _project_table(inventory: Path, form: Format, make: Callable[[Project], Table]) -> None:
    from fabric.workflow import site
    from fabric.workflow.project import Project as Loaded

    if site.is_site(inventory):
        _print(site.table_of_site(site.projects_of(inventory), make), form)
    else:
        _print(make(Loaded(inventory)), form)


@show_app.command(epilog="Example: rocefab show topology inventory/demo")
def topology(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Switches with role, model, unit, rail, AS number and loopback.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show

    _project_table(inventory, form, show.topology)


@show_app.command(epilog="Example: rocefab show addresses inventory/demo --format json")
def addresses(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Every address: loopbacks, uplinks, gateways, NICs.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show

    _project_table(inventory, form, show.addresses)


@show_app.command(epilog="Example: rocefab show links inventory/demo")
def links(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Every cable with both ends, speed and length.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show

    _project_table(inventory, form, show.links)


@show_app.command(epilog="Example: rocefab show hosts inventory/demo")
def hosts(inventory: Inventory = Path(), form: FormatOption = Format.TEXT) -> None:
    """Every NIC: rail, device, address, leaf and port, GPUs.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show

    _project_table(inventory, form, show.hosts)


@show_app.command(epilog="Example: rocefab show platforms ACS-SN5600")
def platforms(
    name: str = typer.Argument(
        "", help="Switch model or ASIC family to show in full, with sources."
    ),
    asics: bool = typer.Option(
        False,
        "--asics",
        envvar="ROCEFAB_ASICS",
        help="List ASIC families; ~ marks deduced numbers, ? unconfirmed ones.",
    ),
    inventory: OwnModels = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Switch models and ASIC families with their known properties.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show

    shown = show.platforms(name, inventory, asics=asics)
    for warning in shown.warnings:
        output.note(f"warning: {warning}")
    _print(shown.table, form)


@show_app.command(epilog="Example: rocefab show rules QOS024")
def rules(
    name: str = typer.Argument("", metavar="[RULE]", help="Rule to show in full."),
    form: FormatOption = Format.TEXT,
) -> None:
    """Rules of `check` with severity and title, or one rule in full.

    Exit codes: 0, 2.
    """
    from fabric.workflow import show
    from fabric.workflow.show_rule import rule_details

    _print(rule_details(name) if name else show.rules(), form)


@show_app.command(epilog="Example: rocefab show schema > fabric.schema.json")
def schema(
    kind: str = typer.Argument(
        "fabric", help="File to show the schema of: fabric, devices, hosts or platforms."
    ),
) -> None:
    """JSON Schema of an inventory file, for editors.

    Exit codes: 0, 2.
    """
    from fabric.workflow.show import schema as workflow

    output.data(workflow(kind))
