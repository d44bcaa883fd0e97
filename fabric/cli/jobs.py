"""place, export, ansible."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from fabric.cli import output
from fabric.cli.options import Connections, Format, FormatOption, Inventory, argument, option


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab place inventory/demo --nodes 2 --format json")(place)
    app.command(epilog="Example: rocefab export slurm inventory/demo > topology.conf")(export)
    app.command(epilog="Example: rocefab ansible inventory/demo > hosts.yml")(ansible)


def place(
    inventory: Inventory = Path(),
    nodes: Annotated[int, option("Number of hosts for the job.", "NODES", min=1)] = 1,
    gpus_per_node: Annotated[
        int | None, option("GPUs per host; default: all of them.", "GPUS_PER_NODE", min=1)
    ] = None,
    exclude: Annotated[str, option("Hosts to exclude: gpu[001-004].", "EXCLUDE")] = "",
    form: FormatOption = Format.TEXT,
) -> None:
    """Select hosts for a job, order its ranks and print NCCL settings.

    Exit codes: 0, 2.
    """
    from fabric.workflow.place import place as workflow
    from fabric.workflow.project import Project

    job = workflow(Project(inventory), nodes, gpus_per_node, exclude)
    if form is Format.JSON:
        output.as_json(job)
    else:
        _print(job)


def _print(job: dict[str, Any]) -> None:
    output.data(f"hosts   {job['hostlist']}\nreason  {job['reason']}\n\n")
    headers = ("rank", "host", "gpu", "rail", "interface", "rdma_device", "leaf")
    output.table(headers, [[rank[name] for name in headers] for rank in job["ranks"]])
    output.data("\n")
    reasons = job["environment_reasons"]
    for name, value in job["environment"].items():
        output.data(f"export {name}={value}  # {reasons[name]}\n")
    for host, own in job["environment_by_host"].items():
        output.data(f"# on {host}: " + " ".join(f"{k}={v}" for k, v in own.items()) + "\n")


def export(
    form: Annotated[
        str,
        argument(
            "Export format, such as slurm, openmpi or k8s, netbox for the fabric itself, or rights "
            "for sudoers files and roles; `rocefab export list` prints all of them."
        ),
    ],
    inventory: Inventory = Path(),
    what: Annotated[
        list[str] | None,
        option(
            "Part of the export; may be repeated (in the variable: separated by spaces). "
            "An unknown part lists the available ones.",
            "WHAT",
            metavar="PART",
        ),
    ] = None,
    out: Annotated[
        Path | None, option("Output folder; default: print to stdout.", "EXPORT_OUT")
    ] = None,
    *,
    force: Annotated[
        bool, option("Overwrite files that rocefab did not write or that were edited.")
    ] = False,
    nodes: Annotated[int, option("Number of hosts for the job.", "NODES", min=1)] = 1,
    gpus_per_node: Annotated[
        int | None, option("GPUs per host; default: all of them.", "GPUS_PER_NODE", min=1)
    ] = None,
    exclude: Annotated[str, option("Hosts to exclude: gpu[001-004].", "EXCLUDE")] = "",
    degraded: Annotated[
        str, option("Hosts that schedulers should avoid, such as gpu[001-004].", "DEGRADED")
    ] = "",
    nccl_version: Annotated[
        str | None,
        option(
            "NCCL release in the job image, such as 2.21.5; default: host.nccl_version.",
            "NCCL_VERSION",
        ),
    ] = None,
    environment: Annotated[
        Path | None,
        option(
            "File of NAME=value lines with your own settings. They are kept unchanged.",
            "ENVIRONMENT",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        option("Job manifest to complete. Existing values are kept unchanged.", "TEMPLATE"),
    ] = None,
    cluster_versions: Annotated[
        Path | None,
        option(
            "File with the output of `kubectl api-versions`. Objects of other versions are "
            "rejected.",
            "CLUSTER_VERSIONS",
        ),
    ] = None,
    name: Annotated[
        str, option("Job name; default: from the template, otherwise job.", "JOB_NAME")
    ] = "",
    image: Annotated[str, option("Container image for the job.", "IMAGE")] = "",
    command: Annotated[str, option("Command line of the job, in shell syntax.", "COMMAND")] = "",
    account: Annotated[
        str, option("Account on the devices that the rights are for.", "ACCOUNT")
    ] = "rocefab",
) -> None:
    """Export files for schedulers, launchers and other tools.

    Without --out a single file is printed to stdout. Differences from your own values are reported
    on stderr.

    Exit codes: 0, 2.
    """
    from fabric.workflow.export import Request, export_to, forms
    from fabric.workflow.export import export as workflow
    from fabric.workflow.project import Project

    if form == "list":
        output.data("".join(f"{one}\n" for one in forms()))
        return
    request = Request(
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        excluded=exclude,
        degraded=degraded,
        parts=tuple(what or ()),
        nccl_version=nccl_version,
        environment=environment,
        template=template,
        served=cluster_versions,
        job_name=name,
        image=image,
        command=_words(command),
        account=account,
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


def ansible(inventory: Inventory = Path(), connections: Connections = None) -> None:
    """Print the inventory in Ansible format, for the playbooks.

    Hosts are grouped by role, unit, rail, leaf and platform. Each host lists the files to install
    on it.

    Exit codes: 0, 2.
    """
    from fabric.workflow.ansible import inventory as workflow
    from fabric.workflow.project import Project

    output.data(workflow(Project(inventory), connections))
