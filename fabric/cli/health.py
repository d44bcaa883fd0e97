"""verify, drift."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import options, output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import option
from fabric.core.counts import counted
from fabric.core.formats import form_of

if TYPE_CHECKING:
    from fabric.workflow.nics import RailHealth
    from fabric.workflow.verify import Health


class DriftForm(StrEnum):
    """Output for people or for programs."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    SARIF = "sarif"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab verify inventory/demo --window-s 10")(verify)
    app.command(epilog="Example: rocefab drift inventory/demo --format json")(drift)


def verify(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    wait_s: Annotated[
        float,
        option(
            "Seconds to keep retrying failed checks. Sessions need time to come up after a change.",
            "WAIT_S",
            min=0,
        ),
    ] = 0.0,
    window_s: Annotated[
        float,
        option(
            "Seconds to watch the NIC counters for a verdict on each NIC and rail; 0 "
            "disables it. Also checks PCIe and the GPU topology matrix.",
            "WINDOW_S",
            min=0,
            max=86_400,
        ),
    ] = 0.0,
    snapshot: options.Snapshot = None,
    snapshot_max_age: options.SnapshotMaxAge = options.SNAPSHOT_MAX_AGE,
    parallel: options.Parallel = 0,
    form: options.FormatOption = options.Format.TEXT,
    boot_log: options.BootLogOption = None,
    *,
    full: options.FullList = False,
) -> None:
    """Verify that the fabric runs as planned.

    Checks BGP sessions, LLDP neighbours, PFC, ECN and the rest of the configuration, and that the
    running configuration is saved. Checks link, FEC, MTU, GID, PFC, marking, DCQCN, ARP, source
    routing and firmware of every NIC. A value that cannot be read is unknown and counts as a
    finding. Findings that differ in names and numbers alone are one, with a count; --full lists
    all.

    Exit codes: 0, 2, 3 (a device could not be read, or nothing of it was checked), 4.
    """
    from fabric.workflow.project import Project
    from fabric.workflow.verify import Selection
    from fabric.workflow.verify import verify as workflow

    selection = Selection(switches, hosts, only, parallel)
    if snapshot:
        if wait_s or window_s:
            raise typer.BadParameter("--snapshot cannot be combined with --wait-s or --window-s")
        from fabric.workflow.verify_snapshot import verify_snapshot

        recording = options.recording(snapshot, snapshot_max_age)
        health = verify_snapshot(Project(inventory), recording, selection)
        output.warnings(recording.odd.findings())
        _health(health, form, full=full)
        return
    project = Project(inventory)
    meter = output.meter_of(project, selection)
    health = workflow(project, connections, selection, meter, wait_s=wait_s, window_s=window_s)
    _log_verified(health, boot_log)
    _health(health, form, watched=window_s > 0, full=full)


def drift(
    inventory: options.Inventory = Path(),
    connections: options.Connections = None,
    ask_password: options.AskPassword = False,  # noqa: ARG001 - its callback does the work
    only: options.Only = "",
    switches: options.Switches = True,
    hosts: options.Hosts = True,
    parallel: options.Parallel = 0,
    *,
    watch: Annotated[
        bool,
        option(
            "Read each device again and again until the command is stopped, and report what "
            "begins and ends, once each.",
            "DRIFT_WATCH",
            "--watch",
        ),
    ] = False,
    interval_s: Annotated[
        float,
        option(
            "With --watch: seconds from one reading of a device to its next.",
            "DRIFT_INTERVAL_S",
            min=0.1,
            max=86_400,
        ),
    ] = 300.0,
    timeout_s: Annotated[
        float,
        option(
            "With --watch: seconds that a device may take. Its session is cut then.",
            "DRIFT_TIMEOUT_S",
            min=0.1,
            max=3_600,
        ),
    ] = 120.0,
    events: Annotated[
        Path | None,
        option(
            "With --watch: file of JSON lines that events are appended to; the next process "
            "continues from it.",
            "DRIFT_EVENTS",
            "--events",
        ),
    ] = None,
    syslog: Annotated[
        str,
        option(
            "With --watch: also send events to udp://HOST:PORT, tcp://HOST:PORT or unix:/dev/log.",
            "SYSLOG",
            "--syslog",
            metavar="ADDRESS",
        ),
    ] = "",
    state: options.StateFolder = None,
    form: Annotated[
        DriftForm, option("Output format.", "DRIFT_FORMAT", "--format")
    ] = DriftForm.TEXT,
    full: options.FullList = False,
) -> None:
    """Compare the running state with the inventory.

    Compares the configuration of every device and the live settings of every NIC. With --watch
    the command runs until SIGTERM or Ctrl-C, and repairs what `drift` of the inventory allows.
    Without it, findings that differ in names and numbers alone are one, with a count; --full lists
    all.

    Exit codes: 0 clean or stopped, 2, 3, 4 drift.
    """
    if watch:
        from fabric.cli import drift_watch

        selected = (switches, hosts, only)
        wanted = drift_watch.WatchOptions(selected, interval_s, timeout_s, state, parallel)
        drift_watch.watch(inventory, connections, wanted, drift_watch.Takers(events, syslog, form))
        return
    if events or syslog or form is DriftForm.JSONL:
        raise typer.BadParameter("--events, --syslog and --format jsonl need --watch")
    from fabric.workflow.project import Project
    from fabric.workflow.verify import Selection
    from fabric.workflow.verify import drift as workflow

    selection = Selection(switches, hosts, only, parallel)
    project = Project(inventory)
    found = workflow(project, connections, selection, output.meter_of(project, selection))
    if form in {DriftForm.JUNIT, DriftForm.SARIF}:
        from fabric.workflow.drift_findings import report

        output.data(report(found, form.value, inventory))
        _end(found)
    else:
        _health(found, options.Format(form), full=full)


def _log_verified(health: list[Health], boot_log: Path | None) -> None:
    if boot_log is not None:
        from fabric.boot.log import BootLog, State

        log = BootLog(boot_log)
        for item in health:
            if item.ok and item.is_checked:
                log.add(item.device, State.VERIFIED)


def _health(
    health: list[Health], form: options.Format, *, watched: bool = False, full: bool = False
) -> None:
    from fabric.core import hostlist
    from fabric.workflow.devices import grouped
    from fabric.workflow.health_text import health_lines
    from fabric.workflow.nics import rails

    by_rail, warning = rails({item.device: item.nics for item in health if item.nics})
    if form is options.Format.JSON:
        devices = [_health_json(item) for item in health]
        report = {
            "format": form_of("health"),
            "devices": devices,
            "rails": [asdict(rail) for rail in by_rail],
            "warning": warning,
        }
        output.as_json(report if watched else devices)
    else:
        output.data("".join(f"{line}\n" for line in health_lines(health, full=full)))
        for names, reason in grouped({item.device: item.error for item in health if item.error}):
            output.data(f"{names}: could not be read: {reason}\n")
        if watched:
            _verdicts(health, by_rail)
        good = sum(item.ok for item in health)
        output.result(f"{good} of {counted(len(health), 'device is', 'devices are')} as planned")
        if unchecked := [item.device for item in health if not item.is_checked]:
            names = hostlist.fold_inside(unchecked)
            output.result(f"not checked, nothing to compare in the snapshot: {names}")
        _not_compared(health)
        if warning:
            output.result(f"warning: {warning}")
    _end(health)


def _end(health: list[Health]) -> None:
    """Raise what a look at devices comes to, unless all of them are as planned."""
    if any(item.error or not item.is_checked for item in health):
        raise CommandExit(Exit.DEVICE)
    if not all(item.ok for item in health):
        raise CommandExit(Exit.FINDINGS)


def _not_compared(health: list[Health]) -> None:
    for skipped, number in _skipped(health).items():
        output.result(f"skipped, not in the snapshot: {skipped}: {counted(number, 'device')}")
    for item in health:
        for text in item.uncompared:
            output.result(f"{item.device}: not compared: {text}")


def _skipped(health: list[Health]) -> Counter[str]:
    return Counter(what for item in health for what in item.skipped)


def _verdicts(health: list[Health], by_rail: list[RailHealth]) -> None:
    from fabric.workflow.nics import MEANING

    rows = [
        (item.device, nic.interface, nic.rail, MEANING[nic.word], nic.reason)
        for item in health
        for nic in item.nics
    ]
    output.table(("host", "nic", "rail", "verdict", "reason"), rows)
    output.data("\n")
    lines = [(rail.rail, MEANING[rail.word], rail.reason) for rail in by_rail]
    output.table(("rail", "verdict", "reason"), lines)


def _health_json(item: Health) -> dict[str, object]:
    return {
        "device": item.device,
        "platform": item.platform,
        "ok": item.ok if item.is_checked else None,
        "error": item.error,
        "drift": [
            {
                "path": setting.path,
                "running": setting.running,
                "planned": setting.planned,
                "line": setting.origin.subject if setting.origin else "",
                "values": [asdict(value) for value in setting.origin.values]
                if setting.origin
                else [],
            }
            for setting in item.settings
        ],
        **({"nics": [asdict(nic) for nic in item.nics]} if item.nics else {}),
        **({"skipped": list(item.skipped)} if item.skipped else {}),
        **({"uncompared": list(item.uncompared)} if item.uncompared else {}),
        **({"time": item.time.isoformat()} if item.time else {}),
        "deviations": [
            {
                "subject": deviation.subject,
                "item": deviation.item,
                "message": deviation.message,
                "unknown": deviation.unknown,
            }
            for deviation in item.deviations
        ],
        **({"suspects": item.suspects} if item.suspects else {}),
    }
