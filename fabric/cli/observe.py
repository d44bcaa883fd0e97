"""observe, cabling: what the devices of a fabric tell."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import option
from fabric.core.errors import InputError

if TYPE_CHECKING:
    from fabric.report.observed import Seen


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    example = "rocefab observe inventory/demo --connections lab/connections.json --field bgp"
    app.command(epilog=f"Example: {example}")(observe)
    app.command(epilog="Example: rocefab cabling inventory/demo")(cabling)


class ObserveForm(StrEnum):
    """Output for people, for programs or for Prometheus; verdicts for CI systems."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    PROMETHEUS = "prometheus"
    JUNIT = "junit"
    SARIF = "sarif"


def observe(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    field: Annotated[
        list[str] | None,
        option(
            "Read only this field, such as bgp, interfaces, pfc_counters; may be repeated.",
            "FIELD",
            metavar="FIELD",
        ),
    ] = None,
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    interval_s: Annotated[
        float,
        option(
            "Seconds from one reading to the next; 0 reads once. From the second reading on, "
            "rates are shown.",
            "INTERVAL_S",
            min=0,
            max=86_400,
        ),
    ] = 0.0,
    once: Annotated[
        bool,
        option(
            "End after one reading, as without --interval-s. With --format junit or sarif: judge "
            "two readings, --interval-s apart (default 10), as `rocefab judge` does.",
            "ONCE",
            "--once",
        ),
    ] = False,
    number: Annotated[
        int,
        option(
            "With --interval-s: how many readings; 0 continues until Ctrl-C.",
            "COUNT",
            "--count",
            min=0,
        ),
    ] = 0,
    timeout_s: Annotated[
        float,
        option(
            "Seconds that a device may take for one reading. Its session is cut then, and the "
            "device is unknown.",
            "TIMEOUT_S",
            min=0.1,
            max=3_600,
        ),
    ] = 120.0,
    out: Annotated[
        Path | None,
        option("Also append each record to this file of JSON lines.", "RECORDS", "--out"),
    ] = None,
    form: Annotated[
        ObserveForm, option("Output format.", "OBSERVE_FORMAT", "--format")
    ] = ObserveForm.TEXT,
) -> None:
    """Read the state of devices: ports, sessions, tables, counters.

    A value that a device did not report, or that could not be parsed, is unknown and never zero.
    A counter that fell was reset, or the device restarted: its rate is unknown.

    Exit codes: 0, 2, 3 (a device could not be read), 4 (with junit or sarif: as judge).
    """
    if form in {ObserveForm.JUNIT, ObserveForm.SARIF}:
        _refuse_for_verdicts(form, once=once, others=bool(field or number or out))
        selected = (switches, hosts, only)
        _judge(inventory, connections, selected, (interval_s or 10.0, timeout_s), form)
        return
    from fabric.workflow.observe import Rounds, Selection, observe_again
    from fabric.workflow.project import Project

    _refuse_rounds(form, interval_s, number, once=once)
    _append(out, [])  # a file that cannot be written is reported before devices are read
    rounds = Rounds(interval_s, number if interval_s else 1, timeout_s)
    selection = Selection(switches=switches, hosts=hosts, only=only)
    project = Project(inventory)
    seen: list[Seen] = []
    is_whole = True
    for turn, seen in enumerate(
        observe_again(project, connections, selection, field or [], output.watch, rounds)
    ):
        is_whole = is_whole and not any(item.error for item in seen)
        _append(out, seen)
        if form is ObserveForm.JSONL:
            output.data(_lines(seen))
        elif form is ObserveForm.TEXT:
            _text(seen, first=turn == 0)
    if form is ObserveForm.JSON:
        output.as_json([item.as_dict() for item in seen])
    elif form is ObserveForm.PROMETHEUS:
        from fabric.report.exposition import exposition

        output.data(exposition(seen))
    if not is_whole:
        raise CommandExit(Exit.DEVICE)


def _refuse_for_verdicts(form: ObserveForm, *, once: bool, others: bool) -> None:
    if not once or others:
        message = f"--format {form} judges readings: set --once, omit --field, --count and --out"
        raise typer.BadParameter(message)


def _refuse_rounds(form: ObserveForm, interval_s: float, number: int, *, once: bool) -> None:
    if once and (number or interval_s):
        raise typer.BadParameter("--once reads once; omit --interval-s and --count")
    if number and not interval_s:
        raise typer.BadParameter("--count needs --interval-s")
    if interval_s and not number and form in {ObserveForm.JSON, ObserveForm.PROMETHEUS}:
        raise typer.BadParameter(f"--format {form} shows the last reading; set --count")


def _judge(
    inventory: Path,
    connections: Path | None,
    selected: tuple[bool, bool, str],
    seconds: tuple[float, float],
    form: ObserveForm,
) -> None:
    """Judge two readings."""
    from fabric.cli.judge import end
    from fabric.core.findings import Severity
    from fabric.workflow import judge as workflow
    from fabric.workflow.project import Project

    switches, hosts, only = selected
    selection = workflow.Selection(switches=switches, hosts=hosts, only=only)
    wanted = workflow.Wanted(selection, workflow.settings_of(()))
    rounds = workflow.Rounds(seconds[0], 2, seconds[1])
    judged = workflow.judge_devices(Project(inventory), connections, wanted, rounds, output.watch)
    end(judged, form.value, Severity.ERROR)


def _lines(seen: list[Seen]) -> str:
    return "".join(f"{json.dumps(item.as_dict())}\n" for item in seen)


def _append(file: Path | None, seen: list[Seen]) -> None:
    if file is None:
        return
    try:
        with file.open("a", encoding="utf-8") as records:
            records.write(_lines(seen))
    except OSError as error:
        raise InputError(f"{file}: cannot write the records: {error.strerror}") from error


def _text(seen: list[Seen], *, first: bool) -> None:
    from fabric.report.observed import busy, resets

    if first:
        rows = [row for item in seen for row in item.rows()]
        output.table(("device", "platform", "field", "seen"), rows)
        for item in seen:
            if item.unread:
                unread = ", ".join(item.unread)
                output.note(f"{item.device}: not supported on its platform: {unread}")
    times = [item.time for item in seen if item.time]
    output.data(f"\n{max(times):%Y-%m-%dT%H:%M:%SZ}\n" if times else "\n")
    if moved := busy(seen):
        output.table(("device", "port", "counter", "total", "per_s"), moved)
    else:
        output.data("no pauses, marks, drops or losses were counted\n")
    for line in resets(seen):
        output.note(line)


def cabling(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Compare the cabling with the plan and list the plugs to move.

    Reads LLDP, links and MAC tables. If a device cannot be read, its cables
    are checked from the other end.

    Exit codes: 0, 2, 3 (a device could not be read), 4 (a cable is not as planned).
    """
    from fabric.workflow.cabling import Selection
    from fabric.workflow.cabling import cabling as workflow
    from fabric.workflow.project import Project

    selection = Selection(switches=switches, hosts=hosts, only=only)
    report = workflow(Project(inventory), connections, selection, output.watch)
    if form is options.Format.JSON:
        output.as_json(report.as_dict())
    else:
        if report.rows():
            output.table(("end", "other end", "verdict", "seen"), report.rows())
        for number, line in enumerate(report.work_order(), 1):
            output.data(f"{number}. {line}\n")
        output.note(f"{len(report.judged)} cables: {report.summary()}")
        for device, reason in report.unread:
            output.note(f"{device}: {reason}")
    if report.wrong:
        raise CommandExit(Exit.FINDINGS)
    if report.unread:
        raise CommandExit(Exit.DEVICE)
