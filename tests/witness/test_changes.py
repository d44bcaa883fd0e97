"""Every setting on every system: what runs, and the candidate of a plan, are what is intended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.witness.changes import changed
from tests.witness.systems import SYSTEMS, witnessed
from tests.witness.tables import Judged


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_change_leads_there_and_back(name: str, tmp_path: Path) -> None:
    """From the base to each setting and back, on a strict stand-in; to the base from the box."""
    system = SYSTEMS[name]
    judged = Judged(name)
    base = witnessed(tmp_path / "base", system, "base", system.settings["base"])
    for number, (title, setting) in enumerate(system.settings.items()):
        work = witnessed(tmp_path / str(number), system, title, setting)
        judged.take(title, () if work.refused else changed(work, base))
    assert judged.met == []
