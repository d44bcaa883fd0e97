"""Arguments and options that several commands share.

Each has an environment variable, except those that confirm: what changes devices, overwrites files
or goes on without a safety net is said on the command line, each time.
"""

from __future__ import annotations

import getpass
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_STATE = Path(".rocefab")


class Format(StrEnum):
    """Output for people or for programs."""

    TEXT = "text"
    JSON = "json"


def inventory_folder(path: Path) -> Path:
    """Return the folder of an inventory, also where its fabric.yaml is named."""
    return path.parent if path.name == "fabric.yaml" and path.is_file() else path


Inventory = Annotated[
    Path,
    typer.Argument(
        help="Inventory folder with fabric.yaml.",
        envvar="ROCEFAB_INVENTORY",
        callback=inventory_folder,
    ),
]
OwnModels = Annotated[
    Path | None,
    typer.Option(
        "--inventory",
        help="Inventory folder with fabric.yaml.",
        envvar="ROCEFAB_INVENTORY",
        callback=lambda path: path and inventory_folder(path),
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="Form of the output.", envvar="ROCEFAB_FORMAT")
]
YangModels = Annotated[
    Path | None,
    typer.Option(
        "--yang-models",
        metavar="FOLDER",
        help="YANG models of SONiC: those of one release (/usr/local/yang-models of a switch), "
        "or a folder of them for each release.",
        envvar="ROCEFAB_YANG_MODELS",
    ),
]
Fail = Annotated[
    list[str] | None,
    typer.Option(
        "--fail",
        metavar="WHAT",
        envvar="ROCEFAB_FAIL",
        help="link:SWITCH:PORT, switch:NAME, cable-bundle:SWITCH:SWITCH, rack:UNIT or host:NAME; "
        "may be repeated, all fail together (in the variable: with spaces).",
    ),
]
Connections = Annotated[
    Path | None,
    typer.Option(
        "--connections",
        help="JSON file with address, port, user and trusted key of each device.",
        envvar="ROCEFAB_CONNECTIONS",
    ),
]


def _ask(wanted: bool) -> bool:
    """Ask for the password; it stays in this process."""
    if wanted:
        os.environ["ROCEFAB_PASSWORD"] = getpass.getpass("Password of the devices: ")
    return wanted


AskPassword = Annotated[
    bool,
    typer.Option(
        "--ask-password",
        help="Ask for the password of the devices; else it is in ROCEFAB_PASSWORD.",
        envvar="ROCEFAB_ASK_PASSWORD",
        callback=_ask,
    ),
]
StateFolder = Annotated[
    Path,
    typer.Option(
        "--state", help="Folder of the journal and of kept states.", envvar="ROCEFAB_STATE"
    ),
]
Only = Annotated[
    str,
    typer.Option(
        "--only",
        help="Take only these devices in: su1-rail[0-1],gpu001; default: all.",
        envvar="ROCEFAB_ONLY",
    ),
]
Switches = Annotated[
    bool,
    typer.Option("--switches/--no-switches", envvar="ROCEFAB_SWITCHES", help="Take switches in."),
]
Hosts = Annotated[
    bool, typer.Option("--hosts/--no-hosts", envvar="ROCEFAB_HOSTS", help="Take hosts in.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Folder where rendered files and verdicts are kept for the next run; default: "
        "~/.cache/rocefab.",
        envvar="ROCEFAB_CACHE",
        show_default=False,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Make everything anew and keep nothing.", envvar="ROCEFAB_FRESH"),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        min=0,
        max=1024,
        help="Processes that render and judge; 0 takes those that are worth it.",
        envvar="ROCEFAB_WORKERS",
    ),
]
