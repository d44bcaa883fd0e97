"""observe, cabling: what the devices of a fabric tell."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.observe_takers import Takers, taken
from fabric.cli.observe_verdicts import Words
from fabric.cli.options import option
from fabric.cli.serve import settings_of
from fabric.core.counts import counted

if TYPE_CHECKING:
    from fabric.report.observed import Seen
    from fabric.workflow.project import Project


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
            "Seconds from one reading of a device to its next; 0 reads once. From the second "
            "reading on, rates are shown.",
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
            "With --interval-s: how many readings of each device; 0 continues until Ctrl-C.",
            "COUNT",
            "--count",
            min=0,
        ),
    ] = 0,
    timeout_s: options.ReadingLimit = 120.0,
    parallel: options.Parallel = 0,
    out: Annotated[
        Path | None,
        option(
            "Also append each record to this file of JSON lines, compressed by Zstandard where "
            "its name ends with .zst.",
            "RECORDS",
            "--out",
        ),
    ] = None,
    judge: Annotated[
        bool,
        option(
            "With --interval-s: judge the last two readings of each device in every interval, as "
            "`rocefab judge` does, and report each verdict when it begins and when it ends.",
            "OBSERVE_JUDGE",
            "--judge",
        ),
    ] = False,
    events: Annotated[
        Path | None,
        option(
            "With --judge: append each event to this file of JSON lines. The next process "
            "continues with the verdicts that last.",
            "OBSERVE_EVENTS",
        ),
    ] = None,
    syslog: Annotated[
        str,
        option(
            "With --judge: send each event to a syslog server, at udp://HOST:PORT, "
            "tcp://HOST:PORT or unix:/dev/log.",
            "OBSERVE_SYSLOG",
            metavar="ADDRESS",
        ),
    ] = "",
    form: Annotated[
        ObserveForm | None,
        option(
            "Output format; default: text, and nothing with --listen or --otlp.",
            "OBSERVE_FORMAT",
            "--format",
        ),
    ] = None,
    listen: Annotated[
        str,
        option(
            "Serve the newest readings to Prometheus on this address, at /metrics. Beyond "
            "loopback, TLS and tokens are required.",
            "OBSERVE_LISTEN",
            "--listen",
            metavar="ADDRESS:PORT",
        ),
    ] = "",
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    token_file: options.TokenFile = None,
    otlp: Annotated[
        str,
        option(
            "Send readings as OpenTelemetry metrics to this URL, such as "
            "http://127.0.0.1:4318/v1/metrics.",
            "OTLP",
            "--otlp",
            metavar="URL",
        ),
    ] = "",
    workers: options.Workers = "0",
) -> None:
    """Read ports, sessions, tables, counters of devices.

    A value that a device did not report, or that could not be parsed, is unknown and never zero.
    A counter that fell was reset, or the device restarted: its rate is unknown.
    With --workers, processes or a cluster design what readings are judged by; sessions stay here.

    Exit codes: 0, 2, 3 (a device could not be read), 4 (with junit or sarif: as judge; with
    --judge and --count: a verdict of severity error lasts).
    """
    from fabric.workflow.port_plans import project_of

    if form is ObserveForm.JUNIT or form is ObserveForm.SARIF:
        _refuse_for_verdicts(
            form, once=once, others=bool(field or number or out or listen or otlp or judge)
        )
        selected = (switches, hosts, only)
        project = project_of(inventory, workers)
        paced = (interval_s or 10.0, 2, timeout_s, parallel)
        _judge(project, connections, selected, paced, form)
        return
    from fabric.workflow.observe import Pace, Selection, observe_again, observed, turns

    form = form or (None if listen or otlp else ObserveForm.TEXT)
    _refuse_rounds(form, interval_s, number, once=once)
    if listen and not interval_s:
        raise typer.BadParameter("--listen needs --interval-s")
    if otlp and not otlp.startswith(("http://", "https://")):
        raise typer.BadParameter("--otlp needs a URL that begins with http:// or https://")
    words = Words(judge, events, syslog)
    words.check(interval_s)
    settings = settings_of(listen, tls_cert, tls_key, token_file) if listen else None
    outputs = Takers(out, form is ObserveForm.JSONL, settings, otlp)
    pace = Pace(interval_s, number if interval_s else 1, timeout_s, parallel)
    selection = Selection(switches=switches, hosts=hosts, only=only)
    project = project_of(inventory, workers)
    devices = observed(project, selection)
    readings = observe_again(
        project, connections, selection, field or [], output.Meter(len(devices)), pace
    )
    last: dict[str, Seen] = {}
    is_whole = True
    with (
        words.opened(project, selection) as verdicts,
        outputs.opened(project, devices) as opened,
    ):
        takers = [*opened.takers, verdicts.watch.put] if verdicts else opened.takers
        kept = taken(readings, takers)
        for turn in turns(kept, devices, interval_s or math.inf):
            is_whole = is_whole and not any(item.error for item in turn)
            if verdicts:
                verdicts.turn(opened.newest, is_shown=form is ObserveForm.TEXT)
            elif form is ObserveForm.TEXT:
                _text(turn, first=not last)
            last |= {item.device: item for item in turn}
    _last([last[name] for name in devices if name in last], form)
    if verdicts and verdicts.watch.has_errors:
        raise CommandExit(Exit.FINDINGS)
    if not is_whole:
        raise CommandExit(Exit.DEVICE)


def _last(seen: list[Seen], form: ObserveForm | None) -> None:
    """Write the last reading of every device, in the forms that show no other."""
    if form is ObserveForm.JSON:
        output.as_json([item.as_dict() for item in seen])
    elif form is ObserveForm.PROMETHEUS:
        from fabric.report.exposition import blocks, device_lines

        for block in blocks([device_lines(item) for item in seen]):
            output.data(block)


def _refuse_for_verdicts(form: ObserveForm, *, once: bool, others: bool) -> None:
    if not once or others:
        message = (
            f"--format {form} judges readings: set --once, omit --field, --count, --out and --judge"
        )
        raise typer.BadParameter(message)


def _refuse_rounds(form: ObserveForm | None, interval_s: float, number: int, *, once: bool) -> None:
    if once and (number or interval_s):
        given = "--count" if number else "--interval-s"
        message = f"--once ends after one reading, and {given} asks for several: omit one of them"
        verdicts = "" if number else ", or add --format junit or sarif, which judges two readings"
        raise typer.BadParameter(f"{message}{verdicts}")
    if number and not interval_s:
        raise typer.BadParameter("--count needs --interval-s")
    if interval_s and not number and form in {ObserveForm.JSON, ObserveForm.PROMETHEUS}:
        raise typer.BadParameter(f"--format {form} shows the last reading; set --count")


def _judge(
    project: Project,
    connections: Path | None,
    selected: tuple[bool, bool, str],
    pace: tuple[float, int, float, int],
    form: ObserveForm,
) -> None:
    """Judge two readings."""
    from fabric.cli.judge import end
    from fabric.core.findings import Severity
    from fabric.workflow import judge as workflow

    switches, hosts, only = selected
    selection = workflow.Selection(switches=switches, hosts=hosts, only=only)
    wanted = workflow.JudgeOptions(selection, workflow.settings_of(()))
    judged = workflow.judge_devices(
        project, connections, wanted, workflow.Pace(*pace), output.Meter()
    )
    end(judged, form.value, Severity.ERROR)


def _text(seen: list[Seen], *, first: bool) -> None:
    from fabric.report.observed import busy, is_watched, resets

    if first:
        rows = [row for item in seen for row in item.rows()]
        output.table(("device", "platform", "field", "seen"), rows)
        output.note("pauses, marks, drops and losses stand below; --format json has every value")
        for item in seen:
            if item.unread:
                unread = ", ".join(item.unread)
                output.note(f"{item.device}: not supported on its platform: {unread}")
    times = [item.time for item in seen if item.time]
    output.data(f"\n{max(times):%Y-%m-%dT%H:%M:%SZ}\n" if times else "\n")
    if moved := busy(seen):
        output.table(("device", "port", "counter", "total", "per_s", "paused"), moved)
    elif is_watched(seen):
        output.data("no pauses, marks, drops or losses were counted\n")
    else:
        output.data("pauses, marks, drops and losses: not read\n")
    for line in resets(seen):
        output.note(line)


def cabling(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    snapshot: options.Snapshot = None,
    snapshot_max_age: options.SnapshotMaxAge = options.SNAPSHOT_MAX_AGE,
    parallel: options.Parallel = 0,
    form: options.FormatOption = options.Format.TEXT,
) -> None:
    """Compare cables with the plan; list the plugs to move.

    Reads LLDP, links and MAC tables. If a device cannot be read, its cables
    are checked from the other end. A cable is missing only where a port has no
    link and is not shut down. Cables that no end reports are unknown;
    --format json lists them.

    Exit codes: 0, 2, 3 (a device, or its LLDP, could not be read), 4 (a cable is not
    as planned).
    """
    from fabric.workflow.cabling import Selection
    from fabric.workflow.cabling import cabling as workflow
    from fabric.workflow.project import Project

    selection = Selection(switches, hosts, only, parallel)
    project = Project(inventory)
    meter = output.meter_of(project, selection)
    recording = options.recording(snapshot, snapshot_max_age) if snapshot else None
    report = workflow(project, connections, selection, meter, recording)
    output.warnings(recording.odd.findings() if recording else ())
    if form is options.Format.JSON:
        output.as_json(report.as_dict())
    else:
        if rows := report.rows():
            output.table(("end", "other end", "verdict", "seen"), rows)
        for number, line in enumerate(report.work_order(), 1):
            output.data(f"{number}. {line}\n")
        output.result(f"{counted(len(report.judged), 'cable')}: {report.summary()}")
        for line in (*report.shut_lines(), *report.unread_lines()):
            output.result(line)
    if report.wrong:
        raise CommandExit(Exit.FINDINGS)
    if report.unread:
        raise CommandExit(Exit.DEVICE)
