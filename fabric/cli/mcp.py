"""mcp: read-only tools for assistants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fabric.cli.options import Inventory, StateFolder  # noqa: TC001 - typer reads them
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab mcp inventory/demo")(mcp)


def mcp(inventory: Inventory = Path(), state: StateFolder = None) -> None:
    """Answer assistants over MCP, the Model Context Protocol.

    It speaks on stdin and stdout. The tools are check, explain, whatif, diff, place, audit and
    status. They read this inventory and its journal; none changes anything, reads a device, or
    takes a path.

    Exit codes: 0, 2.
    """
    try:
        from fabric.mcp.server import run
    except ImportError as error:
        message = f"the package {error.name} is missing"
        finding = Finding("SRV001", Severity.ERROR, message, "install rocefab[mcp]")
        raise InputError("the server cannot start", [finding]) from error
    from fabric.mcp.tools import Place
    from fabric.workflow.project import Project

    Project(inventory).intent  # noqa: B018 - a wrong inventory is named before a client asks
    run(Place(inventory, state))
