"""Tables that commands print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.core.findings import Finding


@dataclass(frozen=True)
class Table:
    """Headers and rows."""

    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Shown:
    """A table, and what is odd about the files that it was made from."""

    table: Table
    warnings: tuple[Finding, ...] = ()
