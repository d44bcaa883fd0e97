"""Every setting of the inventory on every system: no home of its lines contradicts another."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.core.garbage import collect_rarely
from tests.witness.changes import changed
from tests.witness.faults import Counted, faults
from tests.witness.systems import SYSTEMS, witnessed
from tests.witness.tables import Judged

#: Share of the settings that a system accepts at least: else it witnesses little.
ACCEPTED = 0.5


@pytest.fixture(autouse=True)
def _rare_collections() -> Iterator[None]:
    """Look for garbage as rarely as the command line does."""
    before = gc.get_threshold()
    collect_rarely()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_homes_of_a_line_agree(name: str, tmp_path: Path) -> None:
    """Stand-in, readers, rules, explanations, design and change engine, for each line."""
    system, judged, counted = SYSTEMS[name], Judged(name), Counted()
    seen: set[str] = set()
    lines: set[str] = set()
    base = witnessed(tmp_path / "base", system, "base", system.settings["base"])
    for number, (title, setting) in enumerate(system.settings.items()):
        work = witnessed(tmp_path / str(number), system, title, setting)
        if not work.refused:
            judged.take(title, faults(work, tmp_path / "audited", seen, counted))
            judged.take(title, changed(work, base, lines))
    print(f"{name}: {counted.fabrics} settings, {counted.files} files, {counted.lines} lines")
    assert judged.met == []
    assert judged.out_of_date == []
    assert counted.fabrics >= ACCEPTED * len(system.settings)
