"""The command tree."""

from __future__ import annotations

import typer

from fabric.cli import (
    accept,
    adopt,
    audit,
    change,
    diff,
    draw,
    exchange,
    health,
    init,
    inventory,
    jobs,
    judge,
    laboratory,
    models,
    observe,
    probe,
    prove,
    serve,
    show,
    simulate,
    whatif,
)

app = typer.Typer(
    name="rocefab",
    help="Lossless RoCEv2 fabrics of GPU clusters: one inventory, checked, rendered, applied, "
    "verified.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Lossless RoCEv2 fabrics of GPU clusters: one inventory, checked, rendered, applied, verified.

    Exit codes: 0 clean, 1 internal error, 2 bad usage or input, 3 a device or a rule failed,
    4 findings or drift, 5 changes present, 130 interrupted by Ctrl-C.
    """
    if version:
        from fabric import __version__

        typer.echo(f"rocefab {__version__}")
        raise typer.Exit


for module in (
    *(init, inventory, exchange, show, draw, whatif, simulate, diff, change, health, observe),
    *(judge, probe, accept, prove, audit, adopt, jobs, serve, laboratory, models),
):
    module.register(app)
