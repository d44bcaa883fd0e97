"""import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.options import AskPassword, Connections, Parallel, argument, option, renamed
from fabric.core.counts import counted

if TYPE_CHECKING:
    from fabric.workflow.imports import Request


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    example = "rocefab import dot topology.dot --base inventory/demo --out mine"
    settings = renamed(output="out")
    app.command(name="import", context_settings=settings, epilog=f"Example: {example}")(import_)


def import_(
    form: Annotated[
        str,
        argument(
            "Format of the source: air, ansible, configs, containerlab, csv, dot, graphml, "
            "hedgehog, ibnetdiscover, json, lingjun, lldp, minigraph, netbox, netlab, netq, "
            "nornir, slurm, sonic-testbed or topograph."
        ),
    ],
    source: Annotated[
        str,
        argument(
            "File or folder. netbox also accepts a URL; lldp takes an inventory and reads "
            "its devices, or a folder with an output of each device."
        ),
    ],
    folder: Annotated[
        Path | None, option("New folder for the inventory.", "IMPORT_OUTPUT", "--out")
    ] = None,
    compare: Annotated[
        Path | None,
        option(
            "Inventory of an earlier import: show what this one would change, and write nothing.",
            "IMPORT_COMPARE",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        option(
            "Switch model for a role (leaf=ACS-SN5600), for a switch or for a model name in the "
            "source; may be repeated.",
            "IMPORT_MODEL",
            metavar="WORD=NAME",
        ),
    ] = None,
    hosts: Annotated[
        str, option("Names of the hosts, if the source has no roles: gpu[001-064].", "IMPORT_HOSTS")
    ] = "",
    role: Annotated[
        list[str] | None,
        option(
            "Map a role or group of the source to leaf, spine, super-spine or host; may be "
            "repeated.",
            "IMPORT_ROLE",
            metavar="WORD=ROLE",
        ),
    ] = None,
    names: Annotated[
        Path | None,
        option(
            "CSV file with the columns source and name: device names of the source, and those "
            "that they get in the inventory.",
            "IMPORT_NAMES",
        ),
    ] = None,
    cut_domain: Annotated[
        bool, option("Cut device names at the first dot.", "IMPORT_CUT_DOMAIN", "--cut-domain")
    ] = False,
    leave_out: Annotated[
        str,
        option(
            "Names of devices that are not imported, such as oob[1-4],border01.",
            "IMPORT_LEAVE_OUT",
        ),
    ] = "",
    columns: Annotated[
        list[str] | None,
        option(
            "Column of a CSV file: device, port, peer_device, peer_port, speed_gbps or "
            "cable_m; may be repeated.",
            "IMPORT_COLUMNS",
            metavar="NAME=HEADER",
        ),
    ] = None,
    cabling: Annotated[
        Path | None,
        option("CSV or DOT file with the cables, if the source has none.", "IMPORT_CABLING"),
    ] = None,
    base: Annotated[
        Path | None,
        option(
            "Inventory or fabric.yaml to copy addressing, policy, hosts and other sections from.",
            "IMPORT_BASE",
        ),
    ] = None,
    rails: Annotated[
        int | None,
        option(
            "Number of NICs per host, for lingjun, slurm and topograph.",
            "IMPORT_RAILS",
            min=1,
            max=64,
        ),
    ] = None,
    gpus: Annotated[
        int | None, option("Number of GPUs per host.", "IMPORT_GPUS", min=1, max=64)
    ] = None,
    site: Annotated[
        str,
        option(
            "Slug of the NetBox site. The API token is read from ROCEFAB_NETBOX_TOKEN.",
            "NETBOX_SITE",
        ),
    ] = "",
    connections: Connections = None,
    ask_password: AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: Parallel = 0,
) -> None:
    """Create an inventory from what another tool has of a fabric.

    Nothing is written unless the complete inventory can be loaded. Source data that is read and
    that an inventory cannot represent is reported on stderr; docs/exchange.md lists the parts of
    running configurations that are not read.

    Exit codes: 0, 2, 3.
    """
    from fabric.workflow.imports import Request, import_inventory

    if (folder is None) is (compare is None):
        raise typer.BadParameter("specify either --out or --compare")
    request = Request(
        models=tuple(model or ()),
        columns=tuple(columns or ()),
        cabling=cabling,
        hosts=hosts,
        roles=tuple(role or ()),
        names=names,
        cut_domain=cut_domain,
        leave_out=leave_out,
        base=base,
        connections=connections,
        parallel=parallel,
        rails=rails,
        gpus=gpus,
        site=site,
    )
    if folder is None:
        _compare(form, source, compare or Path(), request)
        return
    files, notes = import_inventory(form, source, folder, request, output.progress)
    for item in notes:
        output.note(str(item))
    output.note(f"wrote {counted(len(files), 'file')} to {folder}; run `rocefab check {folder}`")


def _compare(form: str, source: str, inventory: Path, request: Request) -> None:
    from fabric.report.diff.forms import FORMS
    from fabric.workflow.import_again import import_again
    from fabric.workflow.work import work_of

    work = work_of(None)
    compared, notes = import_again(form, source, inventory, request, work, output.Meter())
    for item in notes:
        output.note(str(item))
    output.data(FORMS["text"](compared))
