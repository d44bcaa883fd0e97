"""The command tree."""

from __future__ import annotations

from copy import copy
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command, get_command_name

from fabric.cli import (
    accept,
    adopt,
    audit,
    boot,
    change,
    completion,
    diff,
    draw,
    exchange,
    expect,
    export,
    health,
    init,
    inventory,
    jobs,
    judge,
    laboratory,
    man,
    mcp,
    models,
    observe,
    output,
    probe,
    prove,
    serve,
    show,
    simulate,
    suspect,
    tenant,
    whatif,
)
from fabric.cli.config import NO_PROJECT_FILE, NO_PROJECT_FILE_VARIABLE, misnamed_variables
from fabric.cli.groups import Grouped
from fabric.cli.options import option

if TYPE_CHECKING:
    from typer.models import CommandInfo


class Colour(StrEnum):
    """When stdout is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


app = typer.Typer(
    name="rocefab",
    cls=Grouped,
    help="Lossless RoCEv2 fabrics of GPU clusters: one inventory, checked, rendered, applied, "
    "verified.\n\nOptions may also come from the environment or a file: docs/reference/cli.md.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    *,
    version: Annotated[
        bool, option("Print version, commit and Python, and exit.", "", "--version")
    ] = False,
    quiet: Annotated[
        bool,
        option("Print findings and results only, no progress.", "QUIET", "-q", "--quiet"),
    ] = False,
    verbose: Annotated[
        bool,
        option("Also print what is read, and times.", "VERBOSE", "-v", "--verbose"),
    ] = False,
    colour: Annotated[
        Colour,
        option("Colour on stdout; auto: on a terminal, without NO_COLOR.", "COLOR", "--color"),
    ] = Colour.AUTO,
    no_pager: Annotated[
        bool,
        option(
            "Show no long output of `plan`, `apply`, `diff` or `report` in PAGER.",
            "NO_PAGER",
            "--no-pager",
        ),
    ] = False,
    no_project_file: Annotated[  # noqa: ARG001 - counts before the command line is parsed
        bool,
        option(
            "Take no defaults of options from rocefab.toml.",
            NO_PROJECT_FILE_VARIABLE,
            NO_PROJECT_FILE,
        ),
    ] = False,
) -> None:
    """Lossless RoCEv2 fabrics of GPU clusters: one inventory, checked, rendered, applied, verified.

    Exit codes: 0 clean, 1 internal error, 2 bad usage or input, 3 a device or a rule failed,
    4 findings or drift, 5 changes present, 130 interrupted by Ctrl-C, 143 by SIGTERM.
    """
    if version:
        from fabric.cli.version import version as words

        output.data(f"{words()}\n")
        raise typer.Exit
    if quiet and verbose:
        raise typer.BadParameter("--quiet and --verbose are mutually exclusive")
    output.configure(quiet=quiet, verbose=verbose, colour=colour.value, pager=not no_pager)
    if word := context.invoked_subcommand:
        _note_variables(context, word)


def _note_variables(context: typer.Context, word: str) -> None:
    command = context.command.get_command(context, word)  # type: ignore[attr-defined]
    for name, right in misnamed_variables(word, command):
        output.note(f"warning: {name} sets nothing; the variable of the option is {right}")


for module in (
    *(init, inventory, exchange, show, draw, whatif, expect, simulate, diff, change, health),
    *(observe, judge, suspect, probe, accept, prove, audit, adopt, jobs, export, serve, laboratory),
    *(models, tenant, boot, mcp),
    *(completion, man),
):
    module.register(app)


def tree(word: str = "") -> Any:
    """Return the command tree; only the part of one command where the word is its name.

    To build all commands with their options takes longer than most of them run.
    """
    part = copy(app)
    part.registered_commands = [one for one in app.registered_commands if _name(one) == word]
    part.registered_groups = [one for one in app.registered_groups if one.name == word]
    return get_command(part if part.registered_commands or part.registered_groups else app)


def _name(command: CommandInfo) -> str:
    assert command.callback is not None  # typer runs no command without one
    return command.name or get_command_name(command.callback.__name__)
