"""place, export."""

from __future__ import annotations

import shlex
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
        int, typer.Option(min=1, help="Number of hosts for the job.", envvar="ROCEFAB_NODES")
    ] = 1,
    gpus_per_node: Annotated[
        int | None,
        typer.Option(
            min=1, help="GPUs per host; default: all of them.", envvar="ROCEFAB_GPUS_PER_NODE"
        ),
    ] = None,
    exclude: Annotated[
        str,
        typer.Option(help="Hosts to exclude: gpu[001-004].", envvar="ROCEFAB_EXCLUDE"),
    ] = "",
    form: FormatOption = Format.TEXT,
) -> None:
    """Select hosts for a job, order its ranks and print NCCL settings.

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
    form: Annotated[
        str,
        typer.Argument(
            help="Export format: slurm, nccl, environment, openmpi, torchrun, horovod, taco, "
            "nccltopo, "
            "k8s; for the fabric itself csv, dot, graphml, json, netbox or nornir."
        ),
    ],
    inventory: Inventory = Path(),
    what: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART",
            help="Part of the export; may be repeated (in the variable: separated "
            "by spaces). An unknown part lists the available ones.",
            envvar="ROCEFAB_WHAT",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Output folder; default: print to stdout.",
            envvar="ROCEFAB_EXPORT_OUT",
        ),
    ] = None,
    *,
    force: Annotated[
        bool,
        typer.Option(
            help="Overwrite files that rocefab did not write or that were edited.",
        ),
    ] = False,
    nodes: Annotated[
        int, typer.Option(min=1, help="Number of hosts for the job.", envvar="ROCEFAB_NODES")
    ] = 1,
    gpus_per_node: Annotated[
        int | None,
        typer.Option(
            min=1, help="GPUs per host; default: all of them.", envvar="ROCEFAB_GPUS_PER_NODE"
        ),
    ] = None,
    exclude: Annotated[
        str,
        typer.Option(help="Hosts to exclude: gpu[001-004].", envvar="ROCEFAB_EXCLUDE"),
    ] = "",
    nccl_version: Annotated[
        str | None,
        typer.Option(
            help="NCCL release in the job image, such as 2.21.5; default: host.nccl_version.",
            envvar="ROCEFAB_NCCL_VERSION",
        ),
    ] = None,
    environment: Annotated[
        Path | None,
        typer.Option(
            help="File of NAME=value lines with your own settings. They are kept unchanged.",
            envvar="ROCEFAB_ENVIRONMENT",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            help="Job manifest to complete. Existing values are kept unchanged.",
            envvar="ROCEFAB_TEMPLATE",
        ),
    ] = None,
    cluster_versions: Annotated[
        Path | None,
        typer.Option(
            help="File with the output of `kubectl api-versions`. Objects of other versions are "
            "rejected.",
            envvar="ROCEFAB_CLUSTER_VERSIONS",
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Job name; default: from the template, otherwise job.",
            envvar="ROCEFAB_JOB_NAME",
        ),
    ] = "",
    image: Annotated[
        str, typer.Option(help="Container image for the job.", envvar="ROCEFAB_IMAGE")
    ] = "",
    command: Annotated[
        str,
        typer.Option(help="Command line of the job, in shell syntax.", envvar="ROCEFAB_COMMAND"),
    ] = "",
) -> None:
    """Export files for schedulers, launchers and other tools.

    Without --out a single file is printed to stdout. Differences from your own values are reported
    on stderr.

    Exit codes: 0, 2.
    """
    from fabric.workflow.export import Request, export_to
    from fabric.workflow.export import export as workflow
    from fabric.workflow.project import Project

    request = Request(
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        excluded=exclude,
        parts=tuple(what or ()),
        nccl_version=nccl_version,
        environment=environment,
        template=template,
        served=cluster_versions,
        job_name=name,
        image=image,
        command=_words(command),
    )
    if out is None:
        text, notes = workflow(Project(inventory), form, request)
        output.data(text)
    else:
        paths, notes = export_to(Project(inventory), form, request, out, force=force)
        output.note(f"wrote {len(paths)} files and manifest.json to {out}")
    for item in notes:
        output.note(str(item))


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        message = f"the command is not valid shell syntax: {error}"
        raise typer.BadParameter(message, param_hint="--command") from error
