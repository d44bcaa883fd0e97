"""prove: whether the configuration files do what the design promises."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer  # noqa: TC002 - read at run time

from fabric.cli import options, output
from fabric.cli.config import ignored_rules
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import FailOn, ReportForm, option


class EngineName(StrEnum):
    """Who proves."""

    OWN = "own"
    BATFISH = "batfish"
    BOTH = "both"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab prove inventory/demo --scenario spine")(prove)


def prove(
    context: typer.Context,
    inventory: options.Inventory = Path(),
    snapshot: Annotated[
        Path | None,
        option(
            "Folder laid out as the output of `render`; default: what is rendered now. With "
            "--running a new folder, in which the configurations are kept.",
            "SNAPSHOT",
            metavar="FOLDER",
        ),
    ] = None,
    running: Annotated[
        bool,
        option("Read and prove the running configurations of the switches.", "RUNNING"),
    ] = False,
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: options.Parallel = 0,
    against: Annotated[
        str,
        option(
            "Such a folder with the files from before the change, or a git revision of the "
            "inventory: shows which switches lose or gain next hops. A revision has its own "
            "cables; a folder takes those of the inventory.",
            "AGAINST",
            metavar="FOLDER|REVISION",
        ),
    ] = "",
    scenario: Annotated[
        list[str] | None,
        option(
            "Failures to try: spine (each), link (one cable for each impact at each spine), leaf "
            "(each), or a word of `whatif` such as switch:spine01; may be repeated.",
            "SCENARIO",
            metavar="KIND",
        ),
    ] = None,
    engine: Annotated[
        EngineName | None,
        option("Who proves; default: own, or batfish where --batfish names a service.", "ENGINE"),
    ] = None,
    batfish: Annotated[
        str,
        option(
            "Batfish service; nothing keeps others from reading what it is given.",
            "BATFISH",
            metavar="HOST[:PORT]",
        ),
    ] = "",
    deadline: Annotated[
        str,
        options.duration(
            "Time after which a proof by Batfish is given up", "DEADLINE", "--deadline"
        ),
    ] = "1h",
    form: options.CheckForm = ReportForm.TEXT,
    fail_on: options.FailLevel = FailOn.ERROR,
    ignore: options.Ignore = None,
    *,
    full: options.FullList = False,
    cache: options.Cache = None,
    fresh: options.Fresh = False,
    workers: options.Workers = "0",
) -> None:
    """Prove what the configuration files do.

    The files are read back, and BGP sessions, routes and forwarding are computed from them alone.
    They are compared with the design: sessions, next hops, every path between NICs, isolation,
    loops. Findings that differ in names and numbers alone are one, with a count and examples;
    --full and the forms for programs list all.
    A Batfish service can prove the same, instead of the engine of rocefab or in addition.

    Exit codes: 0, 2, 3, 4.
    """
    from fabric.core.findings import Severity
    from fabric.workflow import prove as workflow
    from fabric.workflow.project import Project
    from fabric.workflow.work import work_of

    severity = Severity[fail_on.name]
    work = work_of(cache, fresh=fresh, workers=workers)
    project = Project(inventory, work)
    chosen = engine or (EngineName.BATFISH if batfish else EngineName.OWN)
    with ExitStack() as stack:
        before = stack.enter_context(workflow.files_before(against, inventory, work))
        if running:
            read = workflow.running_files(project, connections, snapshot, output.Meter(), parallel)
            snapshot = stack.enter_context(read)
        request = workflow.Request(
            folder=snapshot,
            against=before,
            kinds=tuple(scenario or ()),
            ignore=tuple(ignore or ()),
            engine=chosen.value,
            service=batfish,
            deadline_s=options.duration_s("--deadline", deadline),
        )
        proved = workflow.prove(project, request, progress=output.Meter(), say=output.note)
    ignored = ignored_rules(context, ignore)
    output.findings(
        workflow.report(proved, form.value, inventory, severity, full=full, ignored=ignored)
    )
    for line in proved.summary():
        output.note(line)
    if proved.failure:
        raise CommandExit(Exit.DEVICE)
    if proved.outcome.at_least(severity):
        raise CommandExit(Exit.FINDINGS)
