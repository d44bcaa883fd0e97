"""Every setting of the inventory on every system: no home of its lines contradicts another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.witness.faults import Counted, Fault, faults
from tests.witness.settings import SETTINGS
from tests.witness.systems import SYSTEMS, witnessed
from tests.witness.tables import KNOWN_FAULTS, STATEMENTS

#: Settings that a system must accept at least: a system that refuses them all witnesses nothing.
ACCEPTED = 85


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_homes_of_a_line_agree(name: str, tmp_path: Path) -> None:
    """Stand-in, readers, rules, explanations and design, for each line of each file."""
    seen: set[str] = set()
    counted = Counted()
    met: dict[Fault, str] = {}
    used = set()
    for number, (title, setting) in enumerate(SETTINGS.items()):
        work = witnessed(tmp_path / str(number), SYSTEMS[name], title, setting)
        if work.refused:
            continue
        for fault in faults(work, tmp_path / "audited", seen, counted):
            rows = [
                row for row in (*STATEMENTS, *KNOWN_FAULTS) if row.covers(name, title, fault)
            ]
            used.update(rows)
            if not rows:
                met.setdefault(fault, title)
    print(f"{name}: {counted.fabrics} settings, {counted.files} files, {counted.lines} lines")
    assert [f"{title}: {fault.kind}: {fault.text}" for fault, title in met.items()] == []
    assert counted.fabrics >= ACCEPTED
    of_system = [row for row in (*STATEMENTS, *KNOWN_FAULTS) if row.systems == name]
    assert [row for row in of_system if row not in used] == []
