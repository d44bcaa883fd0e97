"""export: a fabric and its jobs in the forms of other programs."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    CLASS_OPTION,
    AskPassword,
    Connections,
    Inventory,
    OwnCa,
    Parallel,
    Snapshot,
    SnapshotMaxAge,
    StateMaxAge,
    Tenant,
    argument,
    duration_s,
    given_options,
    option,
    recording,
)
from fabric.core.counts import counted

if TYPE_CHECKING:
    from fabric.report.table import Table
    from fabric.workflow.netbox_push import Target
    from fabric.workflow.project import Project


#: A wrong rail is withdrawn within this time: an older reading is rejected. Our choice.
_RAILS_MAX_AGE = "30s"
_PUSHED = ("--push", "--site", "--commit", "--delete")
_LINES = textwrap.TextWrapper(80, subsequent_indent=" " * 14, break_on_hyphens=False)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab export slurm inventory/demo > topology.conf")(export)
    app.command(hidden=True, epilog="Example: rocefab ansible inventory/demo > hosts.yml")(ansible)


def export(
    context: typer.Context,
    form: Annotated[
        str,
        argument(
            "Export format, such as slurm, openmpi or k8s, netbox for the fabric itself, bom and "
            "labels for parts and cables, ansible for the playbooks, or rights for sudoers files "
            "and roles. The name of a part, such as kueue, does too. `rocefab export list` prints "
            "all of them."
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
    hosts: Annotated[str, option("Rank exactly these hosts.", "RANK_HOSTS")] = "",
    tenant: Tenant = "",
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
    lossless_class: Annotated[str | None, CLASS_OPTION] = None,
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
    image: Annotated[
        str, option("Container image for the job, or for the CronJob of node-health.", "IMAGE")
    ] = "",
    command: Annotated[str, option("Command line of the job, in shell syntax.", "COMMAND")] = "",
    account: Annotated[
        str, option("Account on the devices, for rights and ztp.", "ACCOUNT")
    ] = "rocefab",
    account_key: Annotated[
        Path | None, option("For ztp: file with the public SSH key of the account.", "ACCOUNT_KEY")
    ] = None,
    account_hash: Annotated[
        list[str] | None,
        option(
            "For ztp: where the hash of its password is, as the connections file says it, such as "
            "env:boot; may be repeated with a system, such as eos=env:eos.",
            "ACCOUNT_HASH",
            metavar="[SYSTEM=]SOURCE:NAME",
        ),
    ] = None,
    boot_url: Annotated[
        str,
        option(
            "For ztp: where the folder http of the export is served, such as "
            "http://192.0.2.1:8781.",
            "BOOT_URL",
            metavar="URL",
        ),
    ] = "",
    tls_url: Annotated[
        str,
        option(
            "For ztp: where the same files are served by HTTPS, for systems that can check it: "
            "SONiC.",
            "TLS_URL",
            "--tls-url",
            metavar="URL",
        ),
    ] = "",
    connections: Connections = None,
    own_ca: OwnCa = None,
    images: Annotated[
        Path | None,
        option(
            "For ztp: folder with the images of management.images; each is compared with its "
            "checksum, and devices of its release install it.",
            "IMAGES",
        ),
    ] = None,
    whole: Annotated[
        bool, option("For ztp: devices start with their whole rendered configuration.", "WHOLE")
    ] = False,
    avoid_state: Annotated[
        list[Path] | None,
        option(
            "For node-health: files with the state of the fabric, as `place --avoid-state` takes "
            "them; may be repeated (in the variable: separated by spaces).",
            "AVOID_STATE",
        ),
    ] = None,
    state_max_age: StateMaxAge = "15m",
    ask_password: AskPassword = False,  # noqa: ARG001 - its callback does the work
    snapshot: Snapshot = None,
    snapshot_max_age: SnapshotMaxAge = _RAILS_MAX_AGE,
    parallel: Parallel = 0,
    spare: Annotated[
        int,
        option(
            "For bom: percentage of spare parts, rounded up for each line.",
            "EXPORT_SPARE",
            metavar="PERCENT",
            min=0,
            max=100,
        ),
    ] = 0,
    lab_image: Annotated[
        list[str] | None,
        option(
            "Image of a kind of node, for containerlab and netlab, such as frr=NAME:TAG; may be "
            "repeated.",
            "LAB_IMAGE",
            metavar="KIND=IMAGE",
        ),
    ] = None,
    push: Annotated[
        str,
        option(
            "URL of a NetBox: show what its API would create and change. The token is read from "
            "ROCEFAB_NETBOX_TOKEN.",
            "EXPORT_PUSH",
            metavar="URL",
        ),
    ] = "",
    site: Annotated[
        str,
        option("Slug of the NetBox site, with --push; default: the fabric's name.", "NETBOX_SITE"),
    ] = "",
    commit: Annotated[bool, option("Write the changes that --push shows.")] = False,
    delete: Annotated[
        bool,
        option("With --push, delete tagged objects that the inventory does not have."),
    ] = False,
) -> None:
    """Export files for schedulers, launchers and other tools.

    Without --out a single file is printed to stdout. Differences from your own values are reported
    on stderr. The format rails reads LLDP of the devices, or takes it from --snapshot; NICs that
    are not on their rails are reported on stderr.

    Exit codes: 0, 2, 4 (no hosts for the job); with --push also 3, 4 (conflicts, rejected objects).
    """
    from fabric.workflow.export import Request, export_to, forms
    from fabric.workflow.export import export as workflow
    from fabric.workflow.exporters.ztp import Words
    from fabric.workflow.netbox_push import Target
    from fabric.workflow.project import Project

    if form == "list":
        _list(forms())
        return
    given = given_options(context)
    if push or commit or delete or "--site" in given:
        _refuse_others(given)
        _push(form, Project(inventory), Target(push, site, commit=commit, delete=delete))
        return
    project = Project(inventory)
    readings = recording(snapshot, snapshot_max_age) if snapshot else None
    request = Request(
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        excluded=exclude,
        hosts=hosts,
        tenant=tenant,
        degraded=degraded,
        parts=tuple(what or ()),
        nccl_version=nccl_version,
        lossless_class=lossless_class,
        environment=environment,
        template=template,
        served=cluster_versions,
        job_name=name,
        image=image,
        command=_words(command),
        account=account,
        lab_images=tuple(lab_image or ()),
        avoid=tuple(avoid_state or ()),
        max_age_s=duration_s("--state-max-age", state_max_age),
        spare_percent=spare,
        boot=Words(
            account,
            account_key,
            tuple(account_hash or ()),
            boot_url,
            whole,
            images,
            tls_url,
            own_ca,
        ),
        connections=connections,
        recording=readings,
        parallel=parallel,
        given=given,
    )
    if out is None:
        text, notes = workflow(project, form, request)
        output.data(text)
    else:
        paths, notes = export_to(project, form, request, out, force=force)
        output.note(f"wrote {counted(len(paths), 'file')} and manifest.json to {out}")
    for item in (*notes, *(readings.odd.findings() if readings else ())):
        output.note(str(item))


def _list(listed: Table) -> None:
    """Print a line for each format, and its parts where it has several."""
    for name, what, parts in listed.rows:
        several = f" ({parts})" if "," in str(parts) else ""
        lines = _LINES.fill(f"{name:<13} {what}{several}")
        output.data(f"{lines}\n")


def _refuse_others(given: tuple[str, ...]) -> None:
    from fabric.core.shown import listed

    unused = [option for option in given if option not in _PUSHED]
    if unused:
        raise typer.BadParameter(f"a push to NetBox does not use {listed(unused, 'and')}")


def _push(form: str, project: Project, target: Target) -> None:
    from fabric.workflow.netbox_push import push, report

    if form != "netbox" or not target.url:
        message = "--push is an option of netbox; --site, --commit and --delete need --push"
        raise typer.BadParameter(message)
    pushed = push(project, target, output.progress)
    output.data(report(pushed, target))
    for item in pushed.findings:
        output.note(str(item))
    if pushed.findings:
        raise CommandExit(Exit.FINDINGS)


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        message = f"the command is not valid shell syntax: {error}"
        raise typer.BadParameter(message, param_hint="--command") from error


def ansible(inventory: Inventory = Path(), connections: Connections = None) -> None:
    """Print the inventory in Ansible format; the same as `export ansible`.

    Exit codes: 0, 2.
    """
    from fabric.workflow.exporters.ansible import inventory as workflow
    from fabric.workflow.project import Project

    output.note(
        "`rocefab ansible` is now `rocefab export ansible`; 0.3.0 will not have the old name"
    )
    output.data(workflow(Project(inventory), connections))
