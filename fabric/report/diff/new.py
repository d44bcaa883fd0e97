"""A difference where one side has no inventory, or the first has an invalid one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.report.diff.consequences import SESSIONS_END, UNKNOWN, of_check, of_proof, worst
from fabric.report.diff.model import Consequence, Device, Diff, Summary
from fabric.report.diff.protection import LESS_PROTECTION, edits_less_protecting
from fabric.report.diff.summary import summarised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.report.diff.model import Edit, Judged, State
    from fabric.report.diff.side import Side
    from fabric.report.diff.traced import Traced

#: What two valid inventories are needed for.
_OF_TWO = (
    "cables, names and addresses, lossless policy, capacity, files and risk of devices, jobs, "
    "tenants, warnings of the check"
)


def added(after: Side, before: str, judged: Judged) -> Diff:
    """Return the difference of a side that the other one, of this name, does not have."""
    return _whole(after, "added", (before, after.shown), tuple(of_proof(judged)), judged)


def removed(before: Side, after: str) -> Diff:
    """Return the difference of a side that the other one, of this name, has no more."""
    words = "the whole fabric is removed: all its connections end"
    return _whole(before, "removed", (before.shown, after), (Consequence(SESSIONS_END, words),))


def repaired(after: Side, before: str, judged: Judged, edits: Sequence[Traced] | None) -> Diff:
    """Return the difference of a valid side from one, of this name, that is not.

    Parameters
    ----------
    judged : Judged
        Has the errors of the first side among what is gone.
    edits : sequence of Traced, optional
        What differs between the files; None where those of the first side cannot be read.
    """
    errors = counted(len(judged.gone), "error")
    unread = () if edits is not None else ("inventory values",)
    uncompared = (
        f"{before} is not valid: {errors}, gone in {after.shown}",
        f"not compared: {', '.join((*unread, _OF_TWO))}",
    )
    rows = tuple(traced.edit for traced in edits or ())
    follows = (*of_proof(judged), *of_check(judged), *_of_edits(before, rows, unread=edits is None))
    risk = worst(consequence.risk for consequence in follows)
    return Diff(
        before,
        after.shown,
        after.designs.intent.fabric.name,
        Summary(risk, edits=len(rows) if edits is not None else None),
        rows,
        *((),) * 5,
        devices=(),
        attached=(),
        consequences=follows,
        judged=judged,
        uncompared=uncompared,
    )


def _of_edits(before: str, edits: Sequence[Edit], *, unread: bool) -> Iterator[Consequence]:
    """Yield what follows from the values that differ, as far as these alone tell it."""
    if unread:
        words = f"{before} cannot be read: no changed value is judged; review the whole inventory"
        yield Consequence(LESS_PROTECTION, words)
    yield from edits_less_protecting(edits, before)
    yield Consequence(UNKNOWN, "what could not be compared needs a review")


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
    return Diff(
        *shown,
        designs.intent.fabric.name,
        summarised(devices, follows),
        *((),) * 6,
        devices=devices,
        attached=(),
        consequences=follows,
        judged=judged,
    )
