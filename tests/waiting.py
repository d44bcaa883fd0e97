"""Waiting for what another thread or process does, however slow the machine is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Far beyond what anything takes on a busy machine; a test that fails waits as long.
LONGEST_S = 120.0


def until(reached: Callable[[], object], what: str, within_s: float = LONGEST_S) -> None:
    """Wait until something is so; fail with its name when it never is."""
    deadline_s = time.monotonic() + within_s
    while not reached():
        assert time.monotonic() < deadline_s, f"it took too long until {what}"
        time.sleep(0.02)


def write_whole(path: Path, text: str) -> None:
    """Change a file that a server watches: it never sees an empty or a half-written one."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    if path.exists():
        new.chmod(path.stat().st_mode)
    new.replace(path)
