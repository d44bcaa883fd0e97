"""A run as it goes: its waves, the state of each device, gates, and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.journal import Event
    from fabric.report.run import RunReport

#: Rows of the journal that are shown, the newest ones; our choice.
MOST_ROWS = 200
_GATE = "gate "


def progress(report: RunReport) -> dict[str, Any]:
    """Return plain data of a run; each row of the journal is looked at once.

    Parameters
    ----------
    report : RunReport
        A run, finished or not, with its plan.
    """
    last: dict[str, Event] = {}
    gates: list[dict[str, Any]] = []
    for event in report.events:
        last[event.device] = event
        if not event.device and event.detail.startswith(_GATE):
            gates.append({"at": event.at, "text": event.detail.removeprefix(_GATE)})
    own = last.pop("", None)
    stages = report.plan.rollout.stages if report.plan.rollout else ()
    kinds = {name: stage.kind for stage in stages for name in stage.names}
    waves = [
        {
            "number": number,
            "kind": kinds.get(wave[0], ""),
            "devices": [_device(report, name, last.get(name)) for name in wave],
        }
        for number, wave in enumerate(report.waves, 1)
    ]
    return {
        "run": report.record.id,
        "kind": report.record.kind,
        "fabric": report.record.fabric,
        "started": report.record.started,
        "state": report.standing,
        "outcome": own.detail if own else "",
        "facts": [list(row) for row in report.facts()],
        "waves": waves,
        "gates": gates,
        "rows": _rows(report.events),
        "plan_sha256": report.plan.sha256,
    }


def _device(report: RunReport, name: str, event: Event | None) -> dict[str, Any]:
    return {
        "name": name,
        "risk": report.risk(name),
        "state": event.state.value if event else "not begun",
        "detail": event.detail if event else "",
        "at": event.at if event else None,
    }


def _rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [
        {"at": one.at, "device": one.device, "state": one.state.value, "detail": one.detail}
        for one in events[-MOST_ROWS:]
    ]
