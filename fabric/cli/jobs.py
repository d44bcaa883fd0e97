"""place, export, ansible."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    CLASS_OPTION,
    Connections,
    Format,
    FormatOption,
    Inventory,
    OwnCa,
    StateMaxAge,
    argument,
    duration_s,
    option,
)

if TYPE_CHECKING:
    from fabric.workflow.netbox_push import Target
    from fabric.workflow.project import Project


class Within(StrEnum):
    """What all hosts of a job share."""

    BLOCK = "block"
    UNIT = "unit"
    POD = "pod"


Tenant = Annotated[
    str,
    option("Tenant whose hosts the job uses; default: hosts without a tenant.", "TENANT"),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab place inventory/demo --nodes 2 --format json")(place)
    app.command(epilog="Example: rocefab export slurm inventory/demo > topology.conf")(export)
    app.command(epilog="Example: rocefab ansible inventory/demo > hosts.yml")(ansible)


def place(
    inventory: Inventory = Path(),
    nodes: Annotated[
        int | None, option("Number of hosts for the job; default: 1.", "NODES", min=1)
    ] = None,
    gpus_per_node: Annotated[
        int | None, option("GPUs per host; default: all of them.", "GPUS_PER_NODE", min=1)
    ] = None,
    exclude: Annotated[str, option("Hosts to exclude: gpu[001-004].", "EXCLUDE")] = "",
    include: Annotated[str, option("Search among these hosts only.", "INCLUDE")] = "",
    hosts: Annotated[str, option("Rank exactly these hosts.", "RANK_HOSTS")] = "",
    traffic: Annotated[
        str,
        option(
            "What the hosts send to each other: ring, tree, all-to-all, pipeline, or a mix with "
            "shares such as ring:3,all-to-all:1.",
            "TRAFFIC",
        ),
    ] = "ring",
    layout: Annotated[
        str, option("Parallel layout; --traffic is ignored then: tp=8,pp=4,dp=16.", "LAYOUT")
    ] = "",
    weights: Annotated[
        str,
        option(
            "Bytes or shares that a rank sends per dimension: dp=2e9,pp=1e8.",
            "LAYOUT_BYTES",
            "--bytes",
        ),
    ] = "",
    pxn: Annotated[
        bool, option("Whether NCCL relays an all-to-all over NVLink (PXN).", "PXN")
    ] = True,
    within: Annotated[Within | None, option("What all hosts must share.", "WITHIN")] = None,
    segment: Annotated[
        int | None, option("Hosts that stay together on one unit.", "SEGMENT", min=1)
    ] = None,
    max_units: Annotated[
        int | None, option("Most units that the job may spread over.", "MAX_UNITS", min=1)
    ] = None,
    target: Annotated[
        float,
        option(
            "Load of links that is good enough, as a share of a NIC's line rate. Below it, fewer "
            "units are better than lighter links.",
            "TARGET",
            min=0,
            max=1,
        ),
    ] = 1.0,
    room: Annotated[
        float,
        option(
            "Load that is accepted above the best to leave room for larger jobs; 0.1 is 10 %.",
            "ROOM",
            min=0,
        ),
    ] = 0.0,
    nvlink_gpus: Annotated[
        int | None,
        option("GPUs of an NVLink domain; default: those of a host.", "NVLINK_GPUS", min=1),
    ] = None,
    tenant: Tenant = "",
    lossless_class: Annotated[str | None, CLASS_OPTION] = None,
    avoid_state: Annotated[
        list[Path] | None,
        option(
            "JSON output of verify, drift or cabling, or a file of `observe --out`: what they "
            "report as bad takes no job; may be repeated (in the variable: separated by spaces).",
            "AVOID_STATE",
        ),
    ] = None,
    state_max_age: StateMaxAge = "15m",
    against_plan: Annotated[
        Path | None, option("Plan whose hosts and leaves take no job.", "AGAINST_PLAN")
    ] = None,
    queue: Annotated[
        Path | None,
        option(
            "JSON file of several jobs, placed one after the other; options of the job are not "
            "used then.",
            "QUEUE",
        ),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Select hosts for a job, order ranks, print NCCL settings.

    The answer carries the load of the fullest link and a lower bound: a gap of 0 proves that no
    choice is better. docs/placement.md states the model.

    Exit codes: 0, 2, 4 (a job of the queue has no hosts).
    """
    from fabric.workflow.place import StateFiles, job_request
    from fabric.workflow.place import place as workflow
    from fabric.workflow.project import Project
    from fabric.workflow.queue import place_queue

    max_age_s = duration_s("--state-max-age", state_max_age)
    files = StateFiles(tuple(avoid_state or ()), max_age_s, against_plan)
    if queue:
        _queue(place_queue(Project(inventory), queue, files), form)
        return
    request = job_request(
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        traffic=traffic,
        layout=layout or None,
        weights=weights or None,
        pxn=pxn,
        hosts=hosts or None,
        include=include or None,
        exclude=exclude or None,
        within=within,
        segment=segment,
        max_units=max_units,
        target=target,
        room=room,
        nvlink_gpus=nvlink_gpus,
        tenant=tenant or None,
    )
    job = workflow(Project(inventory), request, files, lossless_class)
    if form is Format.JSON:
        output.as_json(job)
    else:
        _print(job)


def _queue(answer: dict[str, Any], form: Format) -> None:
    placements = answer["placements"]
    if form is Format.JSON:
        output.as_json(answer)
    else:
        headers = ("job", "hosts", "cost", "gap", "reason")
        output.table(headers, [_queue_row(one) for one in placements])
    if any("unplaced" in one for one in placements):
        raise CommandExit(Exit.FINDINGS)


def _queue_row(one: dict[str, Any]) -> tuple[object, ...]:
    if "unplaced" in one:
        return (one["name"], "-", "-", "-", "; ".join(one["unplaced"]))
    return (one["name"], one["hostlist"], one["cost"], f"{one['gap']:.1%}", one["reason"])


def _print(job: dict[str, Any]) -> None:
    output.data(f"hosts   {job['hostlist']}\nreason  {job['reason']}\n")
    output.data(
        f"cost    {job['cost']} by {job['bottleneck']}; links at most {job['link_load']} sprayed, "
        f"{job['link_load_hashed']} hashed; {_proof(job['gap'])}\n"
    )
    for host, why in (*job["degraded"].items(), *job["not_considered"].items()):
        used = "used" if host in job["degraded"] else "not used"
        output.data(f"{used:<9}{host}: {why}\n")
    for link, why in job["links_not_as_planned"].items():
        output.data(f"{'way':<9}{link}: {why}\n")
    output.data("\n")
    headers = ("rank", "host", "gpu", "rail", "interface", "rdma_device", "leaf")
    output.table(headers, [[rank[name] for name in headers] for rank in job["ranks"]])
    output.data("\n")
    reasons = job["environment_reasons"]
    for name, value in job["environment"].items():
        output.data(f"export {name}={value}  # {reasons[name]}\n")
    for host, own in job["environment_by_host"].items():
        output.data(f"# on {host}: " + " ".join(f"{k}={v}" for k, v in own.items()) + "\n")


def _proof(gap: float | None) -> str:
    if gap is None:
        return "how far above the best is not known"
    return f"at most {gap:.1%} above the best" if gap else "no choice is better"


def export(
    form: Annotated[
        str,
        argument(
            "Export format, such as slurm, openmpi or k8s, netbox for the fabric itself, bom and "
            "labels for parts and cables, or rights for sudoers files and roles; `rocefab export "
            "list` prints all of them."
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
    on stderr.

    Exit codes: 0, 2; with --push also 3, 4 (conflicts, or objects that NetBox rejects).
    """
    from fabric.workflow.export import Request, export_to, forms
    from fabric.workflow.export import export as workflow
    from fabric.workflow.exporters.ztp import Words
    from fabric.workflow.netbox_push import Target
    from fabric.workflow.project import Project

    if form == "list":
        output.data("".join(f"{one}\n" for one in forms()))
        return
    if push or commit or delete:
        _push(form, Project(inventory), Target(push, site, commit=commit, delete=delete))
        return
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
    )
    if out is None:
        text, notes = workflow(Project(inventory), form, request)
        output.data(text)
    else:
        paths, notes = export_to(Project(inventory), form, request, out, force=force)
        output.note(f"wrote {len(paths)} files and manifest.json to {out}")
    for item in notes:
        output.note(str(item))


def _push(form: str, project: Project, target: Target) -> None:
    from fabric.workflow.netbox_push import push, report

    if form != "netbox" or not target.url:
        raise typer.BadParameter("--push is an option of netbox; --commit and --delete need --push")
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
    """Print the inventory in Ansible format, for the playbooks.

    Hosts are grouped by role, unit, rail, leaf and platform. Each host lists the files to install
    on it.

    Exit codes: 0, 2.
    """
    from fabric.workflow.ansible import inventory as workflow
    from fabric.workflow.project import Project

    output.data(workflow(Project(inventory), connections))
