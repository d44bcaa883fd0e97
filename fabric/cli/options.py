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
    Format, typer.Option("--format", help="Output format.", envvar="ROCEFAB_FORMAT")
]
YangModels = Annotated[
    Path | None,
    typer.Option(
        "--yang-models",
        metavar="FOLDER",
        help="SONiC YANG models: those of one release (/usr/local/yang-models on a switch), "
        "or a folder with one subfolder per release.",
        envvar="ROCEFAB_YANG_MODELS",
    ),
]
Fail = Annotated[
    list[str] | None,
    typer.Option(
        "--fail",
        metavar="WHAT",
        envvar="ROCEFAB_FAIL",
        help="Failure to assume: link:SWITCH:PORT, switch:NAME, cable-bundle:SWITCH:SWITCH, "
        "rack:UNIT or "
        "host:NAME; may be repeated, all fail together (in the variable: separated by spaces).",
    ),
]
Connections = Annotated[
    Path | None,
    typer.Option(
        "--connections",
        help="JSON file with the address, port, user and trusted key of each device.",
        envvar="ROCEFAB_CONNECTIONS",
    ),
]


def _ask(wanted: bool) -> bool:
    """Ask for the password; it stays in this process."""
    if wanted:
        os.environ["ROCEFAB_PASSWORD"] = getpass.getpass("Device password: ")
    return wanted


AskPassword = Annotated[
    bool,
    typer.Option(
        "--ask-password",
        help="Prompt for the device password instead of reading ROCEFAB_PASSWORD.",
        envvar="ROCEFAB_ASK_PASSWORD",
        callback=_ask,
    ),
]
StateFolder = Annotated[
    Path,
    typer.Option(
        "--state",
        help="Folder with the journal and the saved device states.",
        envvar="ROCEFAB_STATE",
    ),
]
Only = Annotated[
    str,
    typer.Option(
        "--only",
        help="Limit to these devices: su1-rail[0-1],gpu001; default: all.",
        envvar="ROCEFAB_ONLY",
    ),
]
Switches = Annotated[
    bool,
    typer.Option("--switches/--no-switches", envvar="ROCEFAB_SWITCHES", help="Include switches."),
]
Hosts = Annotated[
    bool, typer.Option("--hosts/--no-hosts", envvar="ROCEFAB_HOSTS", help="Include hosts.")
]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Cache folder for rendered files and check results; default: ~/.cache/rocefab.",
        envvar="ROCEFAB_CACHE",
        show_default=False,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Ignore the cache and do not write to it.", envvar="ROCEFAB_FRESH"
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        min=0,
        max=1024,
        help="Number of worker processes; 0 selects it automatically.",
        envvar="ROCEFAB_WORKERS",
    ),
]
