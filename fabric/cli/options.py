"""Arguments and options that several commands share.

Each has an environment variable, except those that confirm: what changes devices, overwrites files
or goes on without a safety net is said on the command line, each time.
"""

from __future__ import annotations

import getpass
import os
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabric.cli import completion, output
from fabric.core.units import S_PER_H, S_PER_MIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.workflow.recording import Recording

#: Selects the form of the output; a callback of its own must call `output.take_form`.
FORMAT = "--format"
#: Worker processes of one machine at most; our choice.
_MOST_WORKERS = 1024


def option(text: str, variable: str = "", *names: str, **more: Any) -> Any:
    """Return an option by its help, its variable without ``ROCEFAB_`` (empty: none) and names."""
    envvar = f"ROCEFAB_{variable}" if variable else None
    if FORMAT in names:
        more.setdefault("callback", _asked_for)
    return typer.Option(*names, help=text, envvar=envvar, show_envvar=False, **more)


def duration(text: str, variable: str, name: str) -> Any:
    """Return an option that `duration_s` reads, by its help without the forms and a full stop."""
    forms = "such as 90s, 15m, 24h or 7d; a number alone is in seconds"
    return option(f"{text}, {forms}.", variable, name, metavar="DURATION")


def _asked_for(form: Any) -> Any:
    """Note the form of the output, in which an error is told too."""
    output.take_form(str(form or ""))
    return form


def argument(text: str, variable: str = "", **more: Any) -> Any:
    """Return an argument by its help and its variable without ``ROCEFAB_`` (empty: none)."""
    envvar = f"ROCEFAB_{variable}" if variable else None
    return typer.Argument(help=text, envvar=envvar, show_envvar=False, **more)


def renamed(names: Mapping[str, str] | None = None, **more: str) -> dict[str, Any]:
    """Return settings of a command whose options had other names: old and new, without dashes.

    The old names are in no help; they are accepted for two minor releases, with a note.
    """
    new_names = {**(names or {}), **more}

    def current(word: str) -> str:
        if word in new_names and not completion.asked():
            output.note(f"--{word} is now --{new_names[word]}; the old name will be removed")
        return new_names.get(word, word)

    return {"token_normalize_func": current}


CLASS_OPTION = option(
    "Lossless class of the data; default: the first of lossless.classes.",
    "CLASS",
    "--class",
)


class Format(StrEnum):
    """Output for people or for programs."""

    TEXT = "text"
    JSON = "json"


class ReportForm(StrEnum):
    """Report forms of `check`."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    GITLAB = "gitlab"
    MARKDOWN = "markdown"


class FailOn(StrEnum):
    """Lowest severity at which `check` fails."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


def inventory_folder(path: Path) -> Path:
    """Return the folder of an inventory, also where its fabric.yaml is named."""
    return path.parent if path.name == "fabric.yaml" and path.is_file() else path


Inventory = Annotated[
    Path,
    argument(
        "Inventory folder with fabric.yaml.",
        "INVENTORY",
        callback=inventory_folder,
        autocompletion=completion.inventories,
    ),
]
OwnModels = Annotated[
    Path | None,
    option(
        "Inventory folder with fabric.yaml.",
        "INVENTORY",
        "--inventory",
        callback=lambda path: path and inventory_folder(path),
    ),
]
OfInventory = Annotated[
    Path | None,
    option(
        "Inventory folder whose runs are meant; default: the one in or below the current folder.",
        "INVENTORY",
        "--inventory",
        callback=lambda path: path and inventory_folder(path),
    ),
]
FullList = Annotated[
    bool, option("List similar findings one by one, each with its place.", "FULL", "--full")
]
Ignore = Annotated[
    list[str] | None,
    option(
        "Rule to skip; may be repeated (in the variable: separated by spaces).",
        "IGNORE",
        metavar="RULE",
    ),
]
TlsCert = Annotated[
    Path | None,
    option("Certificate chain of the service (PEM), with --listen.", "TLS_CERT", "--tls-cert"),
]
TlsKey = Annotated[
    Path | None, option("Private key of the certificate (PEM).", "TLS_KEY", "--tls-key")
]
OwnCa = Annotated[
    Path | None,
    option(
        "Folder of the fabric's own certificate authority for devices that start from the box; it "
        "is made there where there is none.",
        "OWN_CA",
        "--own-ca",
    ),
]
BootLogOption = Annotated[
    Path | None,
    option(
        "Log of devices that start from the box; records are added to it.", "BOOT_LOG", "--boot-log"
    ),
]
TokenFile = Annotated[
    Path | None,
    option(
        "File of mode 0600 with lines `SCOPES TOKEN NAME`. Scopes are read, jobs, plans, approve "
        "and stop, with commas between them; read and jobs need no name. `tenant:red TOKEN` is for "
        "the tenant red.",
        "TOKEN_FILE",
        "--token-file",
    ),
]
FormatOption = Annotated[Format, option("Output format.", "FORMAT", "--format")]
CheckForm = Annotated[ReportForm, option("Report format.", "CHECK_FORMAT", "--format")]
FailLevel = Annotated[FailOn, option("Lowest severity that sets exit code 4.", "FAIL_ON")]
YangModels = Annotated[
    Path | None,
    option(
        "SONiC YANG models: those of one release (/usr/local/yang-models on a switch), "
        "or a folder with one subfolder per release.",
        "YANG_MODELS",
        "--yang-models",
        metavar="FOLDER",
    ),
]
Fail = Annotated[
    list[str] | None,
    option(
        "Failure to assume: link:SWITCH:PORT, switch:NAME, cable-bundle:SWITCH:SWITCH, "
        "rack:UNIT, host:NAME, HOST:INTERFACE, or the name of a switch or host alone; may be "
        "repeated, all fail together (in the variable: separated by spaces).",
        "FAIL",
        "--fail",
        metavar="WHAT",
    ),
]
Drain = Annotated[
    str,
    option(
        "Switch to drain, in addition to the failures given with --fail: NAME or switch:NAME.",
        "DRAIN",
        metavar="SWITCH",
        callback=lambda name: name.removeprefix("switch:"),
    ),
]
Tenant = Annotated[
    str,
    option("Tenant whose hosts the job uses; default: hosts without a tenant.", "TENANT"),
]
Snapshot = Annotated[
    Path | None,
    option(
        "File of `observe --out` or `observe --format json`: its last readings are used, and no "
        "device is asked.",
        "SNAPSHOT",
        "--snapshot",
        metavar="FILE",
    ),
]
SnapshotMaxAge = Annotated[
    str,
    duration(
        "Age of a reading from which the file of --snapshot is rejected",
        "SNAPSHOT_MAX_AGE",
        "--snapshot-max-age",
    ),
]
#: One day, our choice: a timer writes a file at least as often, and cables move by day.
SNAPSHOT_MAX_AGE = "24h"


def recording(file: Path, max_age: str) -> Recording:
    """Return the file of --snapshot with its limit of age."""
    from fabric.workflow.recording import Recording

    return Recording(file, output.result, duration_s("--snapshot-max-age", max_age))


Connections = Annotated[
    Path | None,
    option(
        "JSON file with the address, port, user and trusted key of each device.",
        "CONNECTIONS",
        "--connections",
    ),
]


def _ask(asked: bool) -> bool:
    """Ask for the password; it stays in this process."""
    if asked:
        os.environ["ROCEFAB_PASSWORD"] = getpass.getpass("Device password: ")
    return asked


AskPassword = Annotated[
    bool,
    option(
        "Prompt for the device password instead of reading ROCEFAB_PASSWORD.",
        "ASK_PASSWORD",
        "--ask-password",
        callback=_ask,
    ),
]


def state_folder(text: str) -> Path:
    """Return the state folder of a path, or of the URL of a journal."""
    from fabric.workflow.state import of_url

    return of_url(text) if "://" in text else Path(text)


StateFolder = Annotated[
    Path | None,
    option(
        "Folder with the journal and the saved device states, or postgresql://HOST/DATABASE; "
        "default: one folder per inventory, in ~/.local/state/rocefab.",
        "STATE",
        "--state",
        parser=state_folder,
        metavar="<path>",
    ),
]


#: Seconds of the units of a duration; a number alone is in seconds.
_UNITS_S = {"": 1, "s": 1, "m": S_PER_MIN, "h": S_PER_H, "d": 24 * S_PER_H}


def duration_s(name: str, text: str) -> float:
    """Return a duration such as ``30s``, ``90m``, ``24h`` or ``7d`` in seconds."""
    match = re.fullmatch(r"(\d{1,7}(?:\.\d{1,3})?)([smhd]?)", text, re.ASCII)
    if not match:
        raise typer.BadParameter(f"{name}: {text!r} is not a duration such as 30s, 90m, 24h or 7d")
    return float(match[1]) * _UNITS_S[match[2]]


StateMaxAge = Annotated[
    str,
    duration("Age from which such a file is stale", "STATE_MAX_AGE", "--state-max-age"),
]


Reason = Annotated[
    str,
    option("Why the change is made; recorded in each row of the journal.", "REASON", "--reason"),
]
Ticket = Annotated[
    str, option("Ticket of the change; recorded in each row of the journal.", "TICKET", "--ticket")
]
Only = Annotated[
    str,
    option(
        "Limit to these devices: su1-rail[0-1],gpu001; default: all.",
        "ONLY",
        "--only",
        autocompletion=completion.devices,
    ),
]
Switches = Annotated[bool, option("Include switches.", "SWITCHES", "--switches/--no-switches")]
Hosts = Annotated[bool, option("Include hosts.", "HOSTS", "--hosts/--no-hosts")]
Parallel = Annotated[
    int,
    option(
        "How many devices are worked on at the same time; 0 selects it automatically.",
        "PARALLEL",
        "--parallel",
        min=0,
        max=512,
        metavar="N",
    ),
]
ReadingLimit = Annotated[
    float,
    option(
        "Seconds that a device may take for one reading. Its session is cut then, and the "
        "device is unknown.",
        "TIMEOUT_S",
        min=0.1,
        max=3_600,
    ),
]
Cache = Annotated[
    Path | None,
    option(
        "Cache folder for rendered files and check results; default: ~/.cache/rocefab.",
        "CACHE",
        "--cache",
        show_default=False,
    ),
]
Fresh = Annotated[bool, option("Ignore the cache and do not write to it.", "FRESH", "--fresh")]


def _workers(text: str) -> str:
    """Return the number of processes, or the address of a Dask scheduler."""
    is_number = re.fullmatch(r"\d{1,4}", text) and int(text) <= _MOST_WORKERS
    if is_number or re.fullmatch(r"dask(\+tls)?://[\w.:\[\]-]+:\d{1,5}", text, re.ASCII):
        return text
    message = f"{text!r} is neither a number up to {_MOST_WORKERS} nor dask://HOST:PORT"
    raise typer.BadParameter(message)


Workers = Annotated[
    str,
    option(
        "Number of worker processes; 0 selects it automatically. Or a Dask scheduler: "
        "dask://HOST:PORT.",
        "WORKERS",
        "--workers",
        callback=_workers,
        metavar="N|dask://HOST:PORT",
    ),
]


def given_options(context: typer.Context) -> tuple[str, ...]:
    """Return the options that the command line names; a variable may be set for other calls."""
    return tuple(
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name and parameter.opts[0].startswith("-")
        if was_named(context, parameter.name)
    )


def was_named(context: typer.Context, parameter: str) -> bool:
    """Tell whether the command line names a parameter."""
    source = context.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"
