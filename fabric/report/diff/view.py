"""What the forms for people show of a difference: words, tables and groups of like devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.report.diff.traced import FILELESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.report.diff.model import Cause, Device, Diff, Move, Setting

    Row = tuple[str, ...]

#: Names of devices that are written out in one place.
_MOST_NAMES = 400
#: Changes of cables that many have alike.
_SUMMED = ("length", "speed")
_REPORTED = tuple(f"fabric.{section}" for section in FILELESS)
ABSENT = "(absent)"


@dataclass(frozen=True)
class Part:
    """A table below a heading."""

    title: str
    headers: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Alike:
    """Devices whose files differ in the same way; the first stands for all."""

    devices: tuple[Device, ...]

    @property
    def first(self) -> Device:
        """The device that is shown."""
        return self.devices[0]

    @property
    def names(self) -> str:
        """All names in short."""
        return folded(device.name for device in self.devices)

    @property
    def words(self) -> str:
        """State, risk and restart."""
        one = self.first
        if one.state != "changed":
            return f"{one.state}, {counted(len(one.files), 'file')}"
        return f"risk: {one.risk}, {_restart(one.reload)}, {counted(len(one.settings), 'setting')}"


def title(diff: Diff) -> str:
    """Return what is compared."""
    return f"Differences in {diff.fabric}: {diff.before} -> {diff.after}"


def summary(diff: Diff) -> list[str]:
    """Return the counts in a few lines."""
    one = diff.summary
    if diff.empty:
        return ["Nothing differs."]
    states = f"{one.added:,} added, {one.removed:,} removed, {one.changed:,} changed"
    attached = f"{one.hosts_attached:,} more at switches whose change affects traffic"
    hosts = f"{one.hosts_changed:,} with other files, {attached}"
    lines = [
        f"{counted(one.edits, 'inventory value')} changed",
        f"devices: {states} ({counted(one.lines, 'setting')})",
        f"highest risk: {one.risk}; {_restart(one.reload)}",
        f"hosts: {hosts}",
    ]
    moved = [
        f"{counted(len(rows), word)}"
        for rows, word in (
            (diff.cables, "cable"),
            (diff.moves, "name or number"),
            (diff.figures, "lossless figure"),
            (diff.capacity, "capacity figure"),
        )
        if rows
    ]
    if diff.jobs:
        lines.append(f"jobs: {counted(len(diff.jobs), 'job')} on these hosts")
    if at_once := _from_tenant_to_tenant(diff):
        steps = "`plan` rejects that at once: revoke, plan and apply first, then grant"
        lines.append(f"from one tenant to another: {folded(at_once)}; {steps}")
    return [*lines, *([f"also changed: {', '.join(moved)}"] if moved else [])]


def _from_tenant_to_tenant(diff: Diff) -> list[str]:
    """Return the NICs that leave one tenant for another one."""
    left = {nic for one in diff.tenants for nic in one.left}
    return sorted(left.intersection(nic for one in diff.tenants for nic in one.joined))


def parts(diff: Diff) -> list[Part]:
    """Return the tables that have rows, in their order."""
    figures = tuple(
        (one.role, one.ports_kind, one.figure, one.before, one.after, f"{one.ports:,}")
        for one in diff.figures
    )
    capacity = tuple((one.item, one.before, one.after) for one in diff.capacity)
    jobs = tuple((one.name, f"{one.hosts:,}", folded(one.touched)) for one in diff.jobs)
    touched = tuple(
        (
            one.name,
            one.state,
            folded(one.joined) if one.joined else "-",
            folded(one.left) if one.left else "-",
            folded(one.devices) if one.devices else "-",
        )
        for one in diff.tenants
    )
    every = [
        Part("Cables", ("change", "end", "before", "after"), _moves(diff.cables)),
        Part("Names and addresses", ("what", "where", "before", "after"), _moves(diff.moves)),
        Part("Lossless policy", ("role", "ports", "figure", "before", "after", "count"), figures),
        Part("Capacity and single failures", ("item", "before", "after"), capacity),
        Part("Jobs", ("job", "hosts", "hosts that the change touches"), jobs),
        Part("Tenants", ("tenant", "change", "joins", "leaves", "devices that change"), touched),
    ]
    return [part for part in every if part.rows]


def _moves(moves: Sequence[Move]) -> tuple[Row, ...]:
    """Return the rows of moves; cables that get one length or speed are one row."""
    groups: dict[Row, list[str]] = {}
    for one in moves:
        key = (one.kind, one.before or "-", one.after or "-")
        own = () if one.kind in _SUMMED else (one.what,)
        groups.setdefault((*key, *own), []).append(one.what)
    return tuple(
        (key[0], ends[0] if len(ends) == 1 else f"{len(ends):,} such as {ends[0]}", *key[1:3])
        for key, ends in groups.items()
    )


def heading(cause: Cause) -> list[str]:
    """Return the inventory lines of a cause."""
    return [str(edit) for edit in cause.edits] or ["other causes: no single inventory line"]


def reach(cause: Cause) -> str:
    """Return which devices a cause changes."""
    words = [
        f"{counted(len(names), *word)} ({folded(names)})"
        for names, word in (
            (cause.switches, ("switch", "switches")),
            (cause.hosts, ("host", "hosts")),
        )
        if names
    ]
    if not words:
        only = all(edit.field.startswith(_REPORTED) for edit in cause.edits)
        return (
            "changes what `check` reports, no file" if only else "no setting follows from it alone"
        )
    return f"{', '.join(words)}: {counted(cause.lines, 'setting')}"


def alike(diff: Diff) -> list[Alike]:
    """Return the devices in groups that differ in the same way."""
    groups: dict[tuple[object, ...], list[Device]] = {}
    for device in diff.devices:
        settings = tuple((one.path, one.before, one.after) for one in device.settings)
        kinds = tuple(file.rpartition("/")[2] for file in device.files)
        key = (device.state, device.role, device.platform, kinds, settings)
        groups.setdefault(key, []).append(device)
    return [Alike(tuple(devices)) for devices in groups.values()]


def hosts(diff: Diff) -> list[str]:
    """Return the hosts that the change touches, by how."""
    own = [device.name for device in diff.devices if device.role == "host"]
    rows = ((own, "files differ"), (diff.attached, "at switches whose change affects traffic"))
    return [f"{words}: {folded(names)}" for names, words in rows if names]


def cells(setting: Setting) -> Row:
    """Return path and both values of a setting."""
    values = (ABSENT if text is None else text for text in (setting.before, setting.after))
    return (setting.path, *values)


def folded(names: Iterable[str]) -> str:
    """Return names in short, and how many more there are when that is still long."""
    every = list(names)
    text = hostlist.fold(every)
    if len(text) <= _MOST_NAMES:
        return text
    return f"{text[:_MOST_NAMES].rpartition(',')[0] or every[0]}, ..."


def _restart(reload: bool | None) -> str:  # noqa: FBT001 - one of three words
    words = {None: "reload: unknown", True: "reload needed", False: "no reload needed"}
    return words[reload]
