"""place: hosts and ranks of jobs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer  # noqa: TC002 - typer reads the annotation

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    CLASS_OPTION,
    Format,
    FormatOption,
    Inventory,
    StateMaxAge,
    Tenant,
    duration_s,
    given_options,
    option,
)
from fabric.core.counts import counted
from fabric.core.shell_words import shell_quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Ranks that are listed without being asked for: a screen.
_SHOWN_RANKS = 32


class Within(StrEnum):
    """What all hosts of a job share."""

    BLOCK = "block"
    UNIT = "unit"
    POD = "pod"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab place inventory/demo --nodes 2 --format json")(place)


def place(
    context: typer.Context,
    inventory: Inventory = Path(),
    nodes: Annotated[
        int | None,
        option("Number of hosts for the job; default: those of --hosts, else 1.", "NODES", min=1),
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
            "JSON file of several jobs, placed one after the other; it has the options of each "
            "job.",
            "QUEUE",
        ),
    ] = None,
    ranks: Annotated[
        bool, option("List the ranks of a large job too; JSON always has them.", "RANKS")
    ] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Select hosts for a job, order ranks, print NCCL settings.

    The answer carries the load of the fullest link, and a lower bound of that of the fullest cable
    between switches: a gap of 0 proves that no choice is better for these cables. docs/jobs.md
    states the model. A scheduler names the number of hosts: without --nodes and --hosts the job
    gets one, with a warning.

    Exit codes: 0, 2, 4 (there are no hosts for a job).
    """
    from fabric.workflow.place import StateFiles, job_request
    from fabric.workflow.place import place as workflow
    from fabric.workflow.project import Project
    from fabric.workflow.queue import place_queue, refuse_with_queue

    max_age_s = duration_s("--state-max-age", state_max_age)
    files = StateFiles(tuple(avoid_state or ()), max_age_s, against_plan)
    if queue:
        refuse_with_queue(given_options(context))
        _queue(place_queue(Project(inventory), queue, files), form)
        return
    request = job_request(
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        traffic=traffic,
        layout=layout or None,
        bytes=weights or None,
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
    for text in job["warnings"]:
        output.note(f"warning: {text}")
    if form is Format.JSON:
        output.as_json(job)
    else:
        _print(job, every_rank=ranks)


def _queue(answer: dict[str, Any], form: Format) -> None:
    placements = answer["placements"]
    for one in placements:
        for text in one.get("warnings", ()):
            output.note(f"warning: {one['name']}: {text}")
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
    gap = "not known" if one["gap"] is None else f"{one['gap']:.1%}"
    return (one["name"], one["hostlist"], _short(one["cost"]), gap, one["reason"])


def _short(number: float | None) -> str:
    """Return a number as people read it; without end it is None."""
    return "no end" if number is None else f"{number:.3g}"


def _of_hosts(reasons: dict[str, str]) -> Iterator[str]:
    """Yield hosts and why they are named; those with the same reason together."""
    from fabric.core import hostlist
    from fabric.core.likeness import like_groups

    for host, *more in like_groups(reasons, lambda name: reasons[name].replace(name, "")):
        others = f" (and {hostlist.in_short(more)})" if more else ""
        name = "" if reasons[host].startswith((f"{host} ", f"{host}:")) else f"{host}: "
        yield f"{name}{reasons[host]}{others}"


def _print(job: dict[str, Any], *, every_rank: bool) -> None:
    from fabric.core import hostlist
    from fabric.core.likeness import like_groups

    hosts = hostlist.fold_in_order(job["hosts"])
    slow = f"; the job gets {_short(job['rate'])} of its line rate" if job["rate"] < 1 else ""
    output.data(f"hosts   {hosts}\nreason  {job['reason']}\n")
    cost, load, hashed = (_short(job[key]) for key in ("cost", "link_load", "link_load_hashed"))
    output.data(
        f"cost    {cost} times the line rate on the fullest {_fullest(job['bottleneck'])}{slow}\n"
        f"links   {load} times the line rate on the fullest cable between switches if packets are "
        f"sprayed ({_proof(job['gap'])}), {hashed} if flows are hashed\n"
    )
    for used, hosts in (
        ("used", job["degraded"]),
        ("not used", job["not_considered"]),
        ("not needed", job["not_needed"]),
    ):
        output.data("".join(f"{used:<11}{line}\n" for line in _of_hosts(hosts)))
    for link, why in job["links_not_as_planned"].items():
        output.data(f"{'path':<11}{link}: {why}\n")
    output.data("\n")
    reasons = job["environment_reasons"]
    for name, value in job["environment"].items():
        output.data(f"export {name}={shell_quoted(value)}  # {reasons[name]}\n")
    by_host = job["environment_by_host"]
    for alike in like_groups(by_host, lambda name: tuple(by_host[name].items())):
        own = " ".join(f"{name}={value}" for name, value in by_host[alike[0]].items())
        output.data(f"# on {hostlist.fold(alike)}: {own}\n")
    output.data("\n")
    ranks = job["ranks"]
    if len(ranks) > _SHOWN_RANKS and not every_rank:
        output.data(
            f"{counted(len(ranks), 'rank')}, in the order of the hosts; --ranks lists them\n"
        )
        return
    of_rank, of_port = ("rank", "host", "gpu", "rail"), ("interface", "rdma_device", "leaf")
    rows = [
        [
            *(rank[name] for name in of_rank),
            *(",".join(port[name] for port in rank["ports"]) for name in of_port),
        ]
        for rank in ranks
    ]
    output.table((*of_rank, *of_port), rows)


def _fullest(bottleneck: str) -> str:
    return bottleneck if bottleneck == "NIC" else f"cable ({bottleneck})"


def _proof(gap: float | None) -> str:
    if gap is None:
        return "how far above the best is not known"
    return f"at most {gap:.1%} above the best choice" if gap else "no choice is better"
