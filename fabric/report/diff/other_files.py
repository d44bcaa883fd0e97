"""Differences in what an inventory folder holds besides YAML: cables, and tables of switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.report.diff.model import Edit, Place
from fabric.report.diff.traced import Traced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.cabling import CableRow
    from fabric.report.diff.traced import Contents


def cable_edits(before: Contents, after: Contents) -> Iterator[Traced]:
    """Yield the cables that are named one by one and differ, by their first end."""
    old, new = before.cables(), after.cables()
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        texts = was and _cable_text(was), now and _cable_text(now)
        if texts[0] != texts[1]:
            places = _place(before, was), _place(after, now)
            ends = {end for row in (was, now) if row for end in (row.device, row.peer_device)}
            edit = Edit(f"cabling.{key}", *texts, *places)
            yield Traced(edit, "cabling", (), frozenset(ends))


def _place(side: Contents, row: CableRow | None) -> Place | None:
    cabling = side.folder.cabling
    return Place(cabling.file, row.line) if row and cabling else None


def _cable_text(row: CableRow) -> str:
    more = [f"{row.speed_gbps} Gb/s"] if row.speed_gbps is not None else []
    more += [f"{row.cable_m} m"] if row.cable_m is not None else []
    return ", ".join([f"{row.peer_device} {row.peer_port}", *more])


def table_edits(before: Contents, after: Contents) -> Iterator[Traced]:
    """Yield the other files of ``platforms/`` that differ, each as a whole."""
    for name in sorted({*before.tables, *after.tables}):
        was, now = before.tables.get(name), after.tables.get(name)
        if was != now:
            places = _whole(before, name), _whole(after, name)
            yield Traced(Edit(name, _size(was), _size(now), *places), "table")


def _whole(side: Contents, name: str) -> Place | None:
    return Place(f"{side.shown.rstrip('/')}/{name}", 0) if name in side.tables else None


def _size(content: bytes | None) -> str | None:
    return None if content is None else f"file of {len(content):,} bytes"
