"""ansible: the inventory for the playbooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fabric.cli import output
from fabric.cli.options import Connections, Inventory  # noqa: TC001 - typer reads them at run time

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: rocefab ansible inventory/demo > hosts.yml")(ansible)


def ansible(inventory: Inventory = Path(), connections: Connections = None) -> None:
    """Print the inventory in Ansible format, for the playbooks.

    Hosts are grouped by role, unit, rail, leaf and platform. Each host lists the files to install
    on it.

    Exit codes: 0, 2.
    """
    from fabric.workflow.ansible import inventory as workflow
    from fabric.workflow.project import Project

    output.data(workflow(Project(inventory), connections))
