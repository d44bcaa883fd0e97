"""Inventories that differ, for the tests of `diff`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.workflow.diff import diff
from fabric.workflow.work import Work

if TYPE_CHECKING:
    from fabric.report.diff.model import Diff

INVENTORY = Path(__file__).parents[2] / "inventory"
DEMO = INVENTORY / "demo"


def edited(folder: Path, *pairs: tuple[str, str], source: Path = DEMO, name: str = "after") -> Path:
    """Return a copy of an inventory with texts of fabric.yaml replaced."""
    copy = shutil.copytree(source, folder / name)
    file = copy / "fabric.yaml"
    text = file.read_text()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    file.write_text(text)
    return copy


def compared(before: Path, after: Path) -> Diff:
    """Return the difference of two folders, rendered anew."""
    return diff(str(before), str(after), Work())
