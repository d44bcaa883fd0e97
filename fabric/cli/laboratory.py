"""lab, demo."""

from __future__ import annotations

import signal
import tempfile
import threading
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.options import option, renamed
from fabric.core.counts import counted

if TYPE_CHECKING:
    from types import FrameType

lab_app = typer.Typer(
    help="Run stand-ins (simulated devices) for an inventory.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

#: Signals that stop the real lab: of a terminal, of a service manager, of a terminal that closed.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Platforms(StrEnum):
    """Network operating systems in the demo."""

    DEFAULT = "default"
    ALL = "all"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(lab_app, name="lab")
    settings = renamed(dir="out")
    app.command(context_settings=settings, epilog="Example: rocefab demo --platforms all")(demo)


@lab_app.callback()
def lab() -> None:
    """Run stand-ins (simulated devices) for an inventory on this machine."""


@lab_app.command(
    context_settings=renamed(dir="out"), epilog="Example: rocefab lab up inventory/demo --out lab"
)
def up(
    inventory: options.Inventory = Path(),
    folder: Annotated[
        Path, option("Folder for connections.json and password.", "LAB", "--out")
    ] = Path("lab"),
    real: Annotated[
        bool,
        option(
            "Network namespaces with FRR, lldpd and networkd instead of stand-ins; needs root.",
            "LAB_REAL",
            "--real",
        ),
    ] = False,
    boot: Annotated[
        str,
        option(
            "With --real: hosts that are booted with systemd, and reached over SSH: gpu[001-002].",
            "LAB_BOOT",
            "--boot",
            metavar="HOSTS",
        ),
    ] = "",
) -> None:
    """Run the stand-ins until Ctrl-C. For a site, the stand-ins of all fabrics are started.

    With --real, switches and hosts are network namespaces of this machine (docs/judges.md).

    Exit codes: 0, 2, 3.
    """
    if real:
        _up_real(inventory, boot)
        return
    if boot:
        raise typer.BadParameter("--boot: only the real lab boots hosts; use --real")
    from fabric.workflow import site
    from fabric.workflow.laboratory import laboratory, site_laboratory
    from fabric.workflow.project import Project

    if site.is_site(inventory):
        projects = site.projects_of(inventory)
        stand_ins = site_laboratory(projects, folder)
        shown = next(iter(projects.values())).intent.folder
    else:
        stand_ins, shown = laboratory(Project(inventory), folder), str(inventory)
    with stand_ins as running:
        try:
            output.note(
                f"{counted(len(running.names()), 'device is', 'devices are')} up. "
                "In another terminal:\n"
                f"  export ROCEFAB_CONNECTIONS={folder}/connections.json\n"
                f"  export ROCEFAB_PASSWORD=$(cat {folder}/password)\n"
                f"  rocefab plan {shown}\n"
                "Press Ctrl-C to stop the lab."
            )
            threading.Event().wait()
        except KeyboardInterrupt:
            output.note("stopping the lab")


def _end_once(_: int, __: FrameType | None) -> None:
    """End the real lab; a second signal does not keep it from being taken down."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _up_real(inventory: Path, boot: str) -> None:
    """Run the real lab until Ctrl-C."""
    from fabric.workflow.project import Project
    from fabric.workflow.real_laboratory import guide, real_laboratory

    for number in _ENDING:
        signal.signal(number, _end_once)
    laboratory = real_laboratory(Project(inventory), output.progress, boot)
    try:
        with laboratory as running:
            output.note(guide(running))
            threading.Event().wait()
    except KeyboardInterrupt:
        output.note("the lab is down")


@lab_app.command(epilog="Example: rocefab lab down --real")
def down(
    real: Annotated[
        bool,
        option("The real lab; stand-ins leave nothing behind.", "LAB_REAL", "--real"),
    ] = False,
) -> None:
    """Remove what real labs left behind whose process was killed.

    Exit codes: 0, 2.
    """
    if not real:
        raise typer.BadParameter("stand-ins leave nothing behind; use --real")
    from fabric.workflow.real_laboratory import take_down

    removed, still = take_down()
    output.data(f"{counted(removed, 'lab')} removed\n")
    for inventory, pid in still:
        output.note(f"the lab of {inventory} still runs: process {pid} (Ctrl-C there stops it)")


def demo(
    platforms: Annotated[
        Platforms,
        option(
            "Switch systems: default (SONiC and EOS), or all (one leaf of each).", "DEMO_PLATFORMS"
        ),
    ] = Platforms.DEFAULT,
    folder: Annotated[
        Path | None,
        option("New folder for all output; default: a folder in /tmp.", "DEMO", "--out"),
    ] = None,
) -> None:
    """Run the main workflow in the embedded lab.

    Runs check, render, plan, apply, verify, drift, rollback and place. Requires no hardware, root
    or network, and takes about a minute.

    Exit codes: 0, 1, 2, 3.
    """
    from fabric.workflow.demo import SCENES
    from fabric.workflow.demo import demo as workflow

    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise typer.BadParameter(f"--out: {folder} is not empty; specify a new folder")
    place = folder or Path(tempfile.mkdtemp(prefix="rocefab-demo-"))
    workflow(place, lambda text: output.data(f"{text}\n"), SCENES[platforms])
