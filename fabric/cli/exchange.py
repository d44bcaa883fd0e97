"""import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabric.cli import output
from fabric.cli.options import AskPassword, Connections  # noqa: TC001 - typer reads them


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    example = "rocefab import dot topology.dot --base inventory/demo --output mine"
    app.command(name="import", epilog=f"Example: {example}")(import_)


def import_(
    form: Annotated[
        str,
        typer.Argument(
            help="Format of the source: ansible, csv, dot, graphml, json, lingjun, lldp, netbox "
            "or nornir."
        ),
    ],
    source: Annotated[
        str,
        typer.Argument(
            help="File or folder. netbox also accepts a URL; lldp takes an inventory and "
            "reads its devices."
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--output", help="New folder for the inventory.", envvar="ROCEFAB_IMPORT_OUTPUT"
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD=NAME",
            help="Switch model for a role (leaf=ACS-SN5600) or for a model name in the "
            "source; may be repeated.",
            envvar="ROCEFAB_IMPORT_MODEL",
        ),
    ] = None,
    hosts: Annotated[
        str,
        typer.Option(
            help="Names of the hosts, if the source has no roles: gpu[001-064].",
            envvar="ROCEFAB_IMPORT_HOSTS",
        ),
    ] = "",
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD=ROLE",
            help="Map a role or group of the source to leaf, spine, super-spine or "
            "host; may be repeated.",
            envvar="ROCEFAB_IMPORT_ROLE",
        ),
    ] = None,
    cut_domain: Annotated[
        bool,
        typer.Option(
            "--cut-domain",
            help="Cut device names at the first dot.",
            envvar="ROCEFAB_IMPORT_CUT_DOMAIN",
        ),
    ] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HEADER",
            help="Column of a CSV file: device, port, peer_device, peer_port, speed_gbps or "
            "cable_m; may be repeated.",
            envvar="ROCEFAB_IMPORT_COLUMNS",
        ),
    ] = None,
    cabling: Annotated[
        Path | None,
        typer.Option(
            help="CSV or DOT file with the cables, if the source has none.",
            envvar="ROCEFAB_IMPORT_CABLING",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="Inventory or fabric.yaml to copy addressing, policy, hosts and "
            "other sections from.",
            envvar="ROCEFAB_IMPORT_BASE",
        ),
    ] = None,
    rails: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Number of NICs per host, for lingjun.",
            envvar="ROCEFAB_IMPORT_RAILS",
        ),
    ] = None,
    gpus: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Number of GPUs per host.", envvar="ROCEFAB_IMPORT_GPUS"),
    ] = None,
    site: Annotated[
        str,
        typer.Option(
            help="Slug of the NetBox site. The API token is read from ROCEFAB_NETBOX_TOKEN.",
            envvar="ROCEFAB_NETBOX_SITE",
        ),
    ] = "",
    connections: Connections = None,
    ask_password: AskPassword = False,  # noqa: ARG001 - its callback does the work
) -> None:
    """Create an inventory from another tool's description of a fabric.

    Nothing is written unless the complete inventory can be loaded. Source data that an inventory
    cannot represent is reported on stderr.

    Exit codes: 0, 2, 3.
    """
    from fabric.workflow.imports import Request, import_inventory

    request = Request(
        models=tuple(model or ()),
        columns=tuple(columns or ()),
        cabling=cabling,
        hosts=hosts,
        roles=tuple(role or ()),
        cut_domain=cut_domain,
        base=base,
        connections=connections,
        rails=rails,
        gpus=gpus,
        site=site,
    )
    files, notes = import_inventory(form, source, folder, request, output.progress)
    for item in notes:
        output.note(str(item))
    output.note(f"wrote {len(files)} files to {folder}; run `rocefab check {folder}`")
