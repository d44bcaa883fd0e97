"""A plan counts settings as a difference does, on every system."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.report.diff.settings import settings
from fabric.report.moved_sections import settings_of
from fabric.workflow.project import Project
from tests.report.drafts import draft
from tests.topology.fabrics import INVENTORY

EDITS = {
    "another AS of the spine": ("spine_asn: 65100", "spine_asn: 65200"),
    "other AS numbers of the leaves": ("first: 65101", "first: 65301"),
    "another threshold": ("kmin_bytes: 150000", "kmin_bytes: 200000"),
    "another server": ("192.0.2.20", "192.0.2.21"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_plan_counts_settings_as_a_difference(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(INVENTORY / "mixed", tmp_path / "mixed")
    file = folder / "fabric.yaml"
    assert EDITS[name][0] in file.read_text()
    file.write_text(file.read_text().replace(*EDITS[name]))
    before, after = Project(INVENTORY / "mixed"), Project(folder)
    counts = {}
    for device in before.devices:
        old, new = before.switch_artefacts[device], after.switch_artefacts[device]
        changes = draft(before, after, device).changes
        counts[device] = len(settings(old, new)), len(settings_of(changes))
    assert {device: pair for device, pair in counts.items() if pair[0] != pair[1]} == {}
    assert any(pair[0] for pair in counts.values())
