"""whatif: what fails with a link, a switch or a rack, and what a drain moves."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    SNAPSHOT_MAX_AGE,
    Drain,
    Fail,
    Format,
    FormatOption,
    Inventory,
    SnapshotMaxAge,
    Workers,
    option,
    recording,
    renamed,
)
from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.report.singles import Ranking
    from fabric.report.storm import StormReport
    from fabric.report.whatif import WhatIf
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

#: Groups of single failures that are printed; `--format json` has all.
_SHOWN = 30
#: Cables that are named which have failed before.
_NAMED = 8


class Pattern(StrEnum):
    """Who sends to whom when a storm begins."""

    RAIL = "rail"
    ALL = "all"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(
        context_settings=renamed(state="snapshot"),
        epilog="Example: rocefab whatif inventory/demo --fail switch:spine01",
    )(whatif)


def whatif(
    inventory: Inventory = Path(),
    fail: Fail = None,
    all_links: Annotated[
        bool, option("Rank the failure of each single cable.", "ALL_LINKS", "--all-links")
    ] = False,
    all_switches: Annotated[
        bool, option("Rank the failure of each single switch.", "ALL_SWITCHES", "--all-switches")
    ] = False,
    drain: Drain = "",
    storm: Annotated[
        str,
        option(
            "NIC that pauses without end: who is paused when, and which watchdog ends it.",
            "STORM",
            metavar="HOST:INTERFACE",
        ),
    ] = "",
    state: Annotated[
        Path | None,
        option(
            "File of `observe --out`: cables that are down in it have failed before the question.",
            "STATE_FILE",
            "--snapshot",
            metavar="FILE",
        ),
    ] = None,
    snapshot_max_age: SnapshotMaxAge = SNAPSHOT_MAX_AGE,
    senders: Annotated[
        Pattern,
        option("With --storm: NICs send to all others of their rail, or to all NICs.", "SENDERS"),
    ] = Pattern.RAIL,
    buffer_mib: Annotated[
        float,
        option(
            "With --storm: shared pool of switches whose pool is not known.",
            "BUFFER_MIB",
            min=0,
            max=100_000,
        ),
    ] = 0.0,
    rules: Annotated[
        bool, option("Look for new findings of `check`.", "RULES", "--rules/--no-rules")
    ] = True,
    workers: Workers = "0",
    form: FormatOption = Format.TEXT,
) -> None:
    """Show the impact of a failure or a drain before it happens.

    Nothing is cut off if no hosts and no leaves of a rail are separated, no host that keeps other
    rails loses one, and no rule has a new error; bandwidth may be lost. A pause storm is never
    harmless: 0 says that a watchdog ends it.

    Exit codes: 0 (nothing is cut off), 2, 3 (a rule could not run), 4 (`harmless: no`).
    """
    from fabric.workflow.failures import BATCHES, DEVICES, mapped
    from fabric.workflow.project import Project

    every = all_links or all_switches
    if (every and drain) or not (every or drain or fail or storm):
        message = "specify --fail, --drain, --all-links, --all-switches or --storm"
        raise typer.BadParameter(message, param_hint="--fail")
    if storm and (every or drain or fail or state):
        message = (
            "cannot be combined with --fail, --drain, --all-links, --all-switches or --snapshot"
        )
        raise typer.BadParameter(message, param_hint="--storm")
    project, words = Project(inventory), tuple(fail or ())
    already, unread = _already(project, recording(state, snapshot_max_age) if state else None)
    more = {"not_read": unread} if state else {}
    if storm:
        from fabric.core.units import mib_to_bytes
        from fabric.report.storm import storm as storms

        report = storms(project, storm, pattern=senders, pool_bytes=int(mib_to_bytes(buffer_mib)))
        _print_storm(report, form)
        safe, broken = report.end is not None, False
    elif every:
        from fabric.report.singles import singles

        ranking = singles(
            project,
            (*already, *words),
            links=all_links,
            switches=all_switches,
            mapped=mapped(workers, BATCHES),
        )
        _print_ranking(ranking, form, more)
        safe, broken = not ranking.single_points and not ranking.circle, False
    else:
        from fabric.report.whatif import whatif as workflow

        fabric = project.fabric
        is_large = len(fabric.switches) + len(fabric.hosts) >= DEVICES
        impact = workflow(
            project,
            words,
            already=already,
            drain=drain,
            rules=rules,
            mapped=mapped(workers, 1 if is_large else DEVICES),
        )
        _print_outage(impact, form, more)
        safe, broken = not impact.reasons, bool(impact.broken)
    if not safe:
        raise CommandExit(Exit.FINDINGS)
    if broken:
        raise CommandExit(Exit.DEVICE)


def _already(project: Project, readings: Recording | None) -> tuple[tuple[str, ...], list[str]]:
    """Return the cables that have failed, and the devices whose ports were not read."""
    if readings is None:
        return (), []
    from fabric.core import hostlist
    from fabric.report.oddities import Oddities
    from fabric.workflow.recorded import failures_in, unread_in

    words, file = failures_in(project.fabric, readings), readings.file
    output.warnings(readings.odd.findings())
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    output.note(f"{file}: failed before: {' '.join(words[:_NAMED]) or 'no cable'}{more}")
    if unread := unread_in(project.fabric, file, Oddities(file)):
        output.note(
            f"{file}: ports of {counted(len(unread), 'device was', 'devices were')} not read: "
            f"{hostlist.fold_inside(unread)}; a cable is unknown, and counts as up, where neither "
            "end was read"
        )
    return tuple(words), unread


def _print_storm(report: StormReport, form: Format) -> None:
    if form is Format.JSON:
        output.as_json(report.as_dict())
        return
    output.data(f"{report.assumption}\n\n")
    for title, table in (
        ("Paused ports and stopped hosts", report.times()),
        ("Watchdogs", report.watchdogs()),
    ):
        output.data(f"{title}\n")
        output.table(table.headers, table.rows)
        output.data("\n")
    output.data("".join(f"{sentence}\n" for sentence in report.summary()))


def _print_ranking(ranking: Ranking, form: Format, more: Mapping[str, object]) -> None:
    if form is Format.JSON:
        output.as_json({**ranking.as_dict(), **more})
        return
    rows = ranking.rows()
    output.table(ranking.headers, rows[:_SHOWN])
    if len(rows) > _SHOWN:
        output.note(f"{counted(len(rows) - _SHOWN, 'more kind')}; use --format json to see them")
    if ranking.idle:
        from fabric.core import hostlist

        idle = hostlist.fold_inside(ranking.idle)
        output.data(f"switches without a cable that is up, not counted: {idle}\n")
    if ranking.counted:
        output.data(f"{ranking.counted}\n")
    if ranking.circle:
        output.data(f"{ranking.circle}\n")
    output.note(
        f"{counted(ranking.failures, 'failure')}, "
        f"{counted(ranking.single_points, 'single point', 'single points')} of failure"
    )


def _print_outage(impact: WhatIf, form: Format, more: Mapping[str, object]) -> None:
    if form is Format.JSON:
        output.as_json({**impact.as_dict(), **more})
        return
    for title, headers, rows in impact.tables():
        if rows:
            output.data(f"{title}\n")
            output.table(headers, rows)
            output.data("\n")
    for finding in impact.new_findings:
        output.findings(f"new: {finding.severity.word}: {replace(finding, fix='')}\n")
    for finding in impact.changed_findings:
        output.findings(f"other values: {finding.severity.word}: {replace(finding, fix='')}\n")
    for rule, reason in impact.broken:
        output.note(f"rule {rule} could not run: {reason}")
    output.data(f"{impact.verdict}\n")
