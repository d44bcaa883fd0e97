"""show: tables of what the inventory describes and of what rocefab knows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output, show_qos
from fabric.cli.options import (
    Fail,
    Format,
    FormatOption,
    Inventory,
    OwnModels,
    inventory_folder,
    option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.report.table import Table
    from fabric.workflow.project import Project

show_app = typer.Typer(
    help="Show topology, addresses, links, hosts, rules and more.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    show_qos.register(show_app)
    app.add_typer(show_app, name="show")


def _tables() -> dict[str, Callable[[Project], Table]]:
    """Return the tables of an inventory; their module is slow to import."""
    from fabric.report.inventory import addresses, hosts, links, topology
    from fabric.report.tenants import tenants

    names = {"topology": topology, "addresses": addresses, "links": links, "hosts": hosts}
    return {**names, "tenants": tenants}


def _named(inventory: Path, names: str) -> tuple[Path, str]:
    """Return inventory and names; the inventory may be omitted, as for `explain`."""
    own = inventory_folder(Path(os.environ.get("ROCEFAB_INVENTORY", ".")))
    is_name = not names and len(inventory.parts) == 1 and not inventory.exists()
    return (
        (own, str(inventory)) if is_name and (own / "fabric.yaml").is_file() else (inventory, names)
    )


def _add(name: str, kind: str, text: str, options: str = "", example: str = "demo") -> None:
    """Add a table of the inventory, or of each fabric of a site, about things of a kind."""

    def command(
        inventory: Inventory = Path(),
        names: str = typer.Argument(
            "", metavar="[NAMES]", help="Names to show, such as gpu[001-004]; default: all."
        ),
        form: FormatOption = Format.TEXT,
    ) -> None:
        from fabric.report.table import only
        from fabric.workflow import site
        from fabric.workflow.project import Project

        inventory, names = _named(inventory, names)
        make = _tables()[name]
        if site.is_site(inventory):
            table = site.table_of_site(site.projects_of(inventory), make)
        else:
            table = make(Project(inventory))
        output.records(only(table, names, kind), form)

    epilog = f"Example: rocefab show {name} inventory/{example}{options}"
    show_app.command(name, help=f"{text}\n\nExit codes: 0, 2.", epilog=epilog)(command)


_add("topology", "switch", "Switches with role, model, unit, rail, AS number and loopback.")
_add(
    "addresses",
    "switch or host",
    "Every address: loopbacks, uplinks, gateways, NICs.",
    " --format json",
)
_add("links", "switch or host", "Every cable with both ends, speed and length.")
_add("hosts", "host", "Every NIC: rail, device, address, leaf and port, GPUs.", " 'gpu[001-002]'")
_add("tenants", "tenant", "Tenants with VRF, VNI and hosts.", example="tenants")


@show_app.command(epilog="Example: rocefab show platforms ACS-SN5600")
def platforms(
    name: str = typer.Argument(
        "",
        help="Switch model or ASIC family to show in full, with sources; or a system or maker, "
        "to list its models.",
    ),
    asics: Annotated[
        bool,
        option(
            "List ASIC families; ~ marks deduced numbers, ? unconfirmed ones.", "ASICS", "--asics"
        ),
    ] = False,
    features: Annotated[
        bool,
        option(
            "Show what each switch system supports; see docs/reference/platforms.md.",
            "FEATURES",
            "--features",
        ),
    ] = False,
    inventory: OwnModels = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Switch models, ASIC families and systems with their facts.

    Exit codes: 0, 2.
    """
    from fabric.report.platforms import platforms as report

    table = report(name, inventory, asics=asics, features=features)
    for warning in table.warnings:
        output.note(f"warning: {warning}")
    output.records(table, form)


@show_app.command(epilog="Example: rocefab show rules QOS024")
def rules(
    name: str = typer.Argument("", metavar="[RULE]", help="Rule to show in full."),
    form: FormatOption = Format.TEXT,
) -> None:
    """Rules of `check` with severity and title, or one rule in full.

    Exit codes: 0, 2.
    """
    from fabric.report import rules as report

    output.records(report.rule_details(name) if name else report.rules(), form)


@show_app.command(epilog="Example: rocefab show defects --system sonic --release 202405")
def defects(
    sku: Annotated[str, option("Only those of this switch model.", "SKU")] = "",
    release: Annotated[str, option("Only those of this release.", "RELEASE")] = "",
    system: Annotated[str, option("Only those of this switch system.", "SYSTEM")] = "",
    inventory: OwnModels = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Known defects of switch models, systems and releases.

    `explain DEFECT` shows a defect in full.

    Exit codes: 0, 2.
    """
    from fabric.report.defects import defects as report

    output.records(report(sku, release, inventory, system), form)


@show_app.command(epilog="Example: rocefab show schema > fabric.schema.json")
def schema(
    kind: str = typer.Argument(
        "fabric",
        help="File to show the schema of: fabric, devices, hosts, platforms, tenants, diff, "
        "placement, readings or events.",
    ),
) -> None:
    """JSON Schema of the inventory, `diff`, `place`, `observe`.

    Exit codes: 0, 2.
    """
    from fabric.report.diff.forms import schema as schema_of_diff
    from fabric.report.events import schema as schema_of_events
    from fabric.report.inventory import schema as report
    from fabric.report.placement import schema as schema_of_placement
    from fabric.report.readings import schema as schema_of_readings

    others = {
        "diff": schema_of_diff,
        "events": schema_of_events,
        "placement": schema_of_placement,
        "readings": schema_of_readings,
    }
    output.data(others[kind]() if kind in others else report(kind))


@show_app.command(epilog="Example: rocefab show config")
def config(context: typer.Context, form: FormatOption = Format.TEXT) -> None:
    """Defaults that files and variables set, and their origin.

    Exit codes: 0, 2.
    """
    from fabric.cli import config as configuration
    from fabric.report.table import Table

    project = not context.find_root().params["no_project_file"]
    rows = tuple(configuration.in_force(context.obj(), project=project))
    output.records(Table(("option", "value", "from", "commands"), rows), form)


@show_app.command(epilog="Example: rocefab show capacity inventory/demo")
def capacity(
    inventory: Inventory = Path(),
    leaves: Annotated[
        bool, option("Show bandwidth and uplinks of every leaf.", "LEAVES", "--leaves")
    ] = False,
    fail: Fail = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Oversubscription, bisection, diameter, path MTU, longest path.

    Links that the inventory disables, and those given with --fail, count as down.

    Exit codes: 0, 2.
    """
    from fabric.report import capacity as report
    from fabric.workflow.project import Project

    make = report.leaves if leaves else report.capacity
    output.records(make(Project(inventory), tuple(fail or ())), form)


@show_app.command(epilog="Example: rocefab show paths inventory/demo --leaf su1-rail0")
def paths(
    inventory: Inventory = Path(),
    leaf: Annotated[
        str, option("Show this leaf with every other leaf; default: all pairs, grouped.", "LEAF")
    ] = "",
    fail: Fail = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Hops, equal paths, spines and uplinks from leaf to leaf.

    Exit codes: 0, 2.
    """
    from fabric.report.capacity import paths as report
    from fabric.workflow.project import Project

    output.records(report(Project(inventory), leaf, tuple(fail or ())), form)
