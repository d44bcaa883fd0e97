"""Thresholds that a switch shows rounded, as its ASIC keeps them: no change, and no drift."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.observe.configuration.lossless import UNIT_BYTES
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import is_kept

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.change.adapter import Draft
    from fabric.change.model import Change

#: A threshold in a line or behind a path, and its unit where it is said.
_THRESHOLD = re.compile(
    r"((?:min|minimum|max|maximum|pause|resume)[-_]threshold|(?:low|high)-limit) (\d+)"
    r"(?: (bytes|kbytes|mbytes)\b)?"
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A text without its thresholds, and these in bytes with their units."""

    text: str
    sizes: tuple[tuple[int, int], ...]


def settled(draft: Draft, platform: str, quantum_bytes: int) -> Draft:
    """Return a draft without the changes that are a matter of rounding.

    Parameters
    ----------
    draft : Draft
        What differs from the inventory, to the letter.
    platform : str
        Name of the system, which says the unit of thresholds without one.
    quantum_bytes : int
        Step in which the ASIC keeps thresholds.
    """
    unit = marking_unit(platform).unit_bytes
    if unit is None or not draft.changes:
        return draft
    rounded = {*_rounded(draft.changes, unit, quantum_bytes)}
    left = tuple(change for change in draft.changes if change not in rounded)
    if len(left) == len(draft.changes):
        return draft
    return replace(draft, changes=left, diff=draft.diff if left else "")


def _rounded(changes: Iterable[Change], unit_bytes: int, quantum_bytes: int) -> Iterable[Change]:
    """Yield the changes that are rounding; what goes and what comes may be two of them."""
    gone: dict[str, list[tuple[Change, _Said]]] = {}
    for change in changes:
        if change.before and change.after:
            seen, planned = (
                _said(f"{change.path} {value}", unit_bytes)
                for value in (change.before, change.after)
            )
            if _same(planned, seen, quantum_bytes):
                yield change
        elif change.before:
            said = _said(change.path, unit_bytes)
            gone.setdefault(said.text, []).append((change, said))
    for change in changes:
        if change.before:
            continue
        planned = _said(change.path, unit_bytes)
        for other, seen in gone.get(planned.text, []):
            if _same(planned, seen, quantum_bytes):
                yield from (change, other)


def _said(text: str, unit_bytes: int) -> _Said:
    sizes = tuple(
        (int(size) * (UNIT_BYTES[unit] if unit else unit_bytes), UNIT_BYTES.get(unit, unit_bytes))
        for _, size, unit in _THRESHOLD.findall(text)
    )
    return _Said(_THRESHOLD.sub(r"\1", text), sizes)


def _same(planned: _Said, seen: _Said, quantum_bytes: int) -> bool:
    if planned.text != seen.text or not seen.sizes or len(planned.sizes) != len(seen.sizes):
        return False
    return all(
        is_kept(
            size,
            shown,
            quantum_bytes=quantum_bytes if unit == shown_unit == 1 else 1,
            unit_bytes=shown_unit if shown_unit > unit else 1,
        )
        for (size, unit), (shown, shown_unit) in zip(planned.sizes, seen.sizes, strict=True)
    )
