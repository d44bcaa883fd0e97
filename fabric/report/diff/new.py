"""A difference where one side has no inventory: all of it is new, or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.report.diff.consequences import SESSIONS_END, of_proof, worst
from fabric.report.diff.model import Consequence, Device, Diff, Summary

if TYPE_CHECKING:
    from fabric.report.diff.model import Judged, State
    from fabric.report.diff.side import Side


def added(after: Side, before: str, judged: Judged) -> Diff:
    """Return the difference of a side that the other one, of this name, does not have."""
    return _whole(after, "added", (before, after.shown), tuple(of_proof(judged)), judged)


def removed(before: Side, after: str) -> Diff:
    """Return the difference of a side that the other one, of this name, has no more."""
    words = "the whole fabric is removed: all its connections end"
    return _whole(before, "removed", (before.shown, after), (Consequence(SESSIONS_END, words),))


def _whole(
    side: Side,
    state: State,
    shown: tuple[str, str],
    follows: tuple[Consequence, ...],
    judged: Judged | None = None,
) -> Diff:
    designs = side.designs
    devices = tuple(
        Device(
            *(name, str(designs.devices[name].role), designs.devices[name].platform, state)
            if name in designs.devices
            else (name, "host", "host", state),
            files=tuple(item.path for item in items),
        )
        for name, items in side.files([*designs.devices, *designs.hosts]).items()
    )
    number = len(devices)
    summary = Summary(
        added=number if state == "added" else 0,
        removed=number if state == "removed" else 0,
        changed=0,
        edits=0,
        lines=0,
        risk=worst(one.risk for one in follows),
        reload=False,
        hosts_changed=len(designs.hosts),
        hosts_attached=0,
    )
    return Diff(
        *shown,
        designs.intent.fabric.name,
        summary,
        *((),) * 6,
        devices=devices,
        attached=(),
        consequences=follows,
        judged=judged,
    )
