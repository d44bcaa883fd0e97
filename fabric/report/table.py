"""Tables that commands print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.findings import Finding


@dataclass(frozen=True)
class Table:
    """Headers and rows, what is odd about the files that they were made from, and a hint.

    Parameters
    ----------
    members : tuple of mapping
        What each row also has in JSON, by row; none where it is empty.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    warnings: tuple[Finding, ...] = ()
    hint: str = ""
    members: tuple[Mapping[str, object], ...] = ()
