"""place, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabric.cli import output
from fabric.cli.options import Format, FormatOption, Inventory


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab place inventory/demo --nodes 2 --format json")(place)
    app.command(epilog="Example: rocefab export slurm inventory/demo > topology.conf")(export)


def place(
    inventory: Inventory = Path(),
    nodes: Annotated[
        int, typer.Option(min=1, help="Hosts that the job needs.", envvar="ROCEFAB_NODES")
    ] = 1,
    gpus_per_node: Annotated[
        int | None,
        typer.Option(
            min=1, help="GPUs per host; default: all of them.", envvar="ROCEFAB_GPUS_PER_NODE"
        ),
    ] = None,
    exclude: Annotated[
        str,
        typer.Option(help="Hosts that must not be used: gpu[001-004].", envvar="ROCEFAB_EXCLUDE"),
    ] = "",
    form: FormatOption = Format.TEXT,
) -> None:
    """Choose hosts for a job, order its ranks, print NCCL settings.

    Exit codes: 0, 2.
    """
    from fabric.workflow.place import place as workflow
    from fabric.workflow.project import Project

    found = workflow(Project(inventory), nodes, gpus_per_node, exclude)
    if form is Format.JSON:
        output.as_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    output.data(f"hosts   {found['hostlist']}\nreason  {found['reason']}\n\n")
    headers = ("rank", "host", "gpu", "rail", "interface", "rdma_device", "leaf")
    output.table(headers, [[rank[name] for name in headers] for rank in found["ranks"]])
    output.data("\n")
    reasons = found["environment_reasons"]
    for name, value in found["environment"].items():
        output.data(f"export {name}={value}  # {reasons[name]}\n")
    for host, own in found["environment_by_host"].items():
        output.data(f"# on {host}: " + " ".join(f"{k}={v}" for k, v in own.items()) + "\n")


def export(
    form: Annotated[str, typer.Argument(help="Format: slurm.")],
    inventory: Inventory = Path(),
) -> None:
    """Write the topology in the form of a scheduler.

    Exit codes: 0, 2.
    """
    from fabric.workflow.place import export as workflow
    from fabric.workflow.project import Project

    output.data(workflow(Project(inventory), form))
