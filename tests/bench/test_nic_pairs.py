"""How long NICs and leaf ports take to compare, at 16,384 NICs. Prints only."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from fabric.platforms import catalogue
from fabric.workflow.nic_profiles import check_profiles
from fabric.workflow.project import Project
from tests.audit.host_outputs import mlnx_qos
from tests.audit.nic_texts import TEMPLATE, filled
from tests.bench.test_designs import document, written

pytestmark = pytest.mark.benchmark

#: Units of 256 hosts with 8 NICs.
UNITS = 8


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return the inventory, of a switch model with as many ports as it needs."""
    data = document(units=document()["units"][:UNITS], spines={"count": 8})
    inventory, models = written(tmp_path, data)
    ours, more = catalogue.data_files, {"WIDE": models / "WIDE.toml"}
    monkeypatch.setattr(
        catalogue, "data_files", lambda kind: ours(kind) | (more if kind == "skus" else {})
    )
    project = Project(inventory)
    assert len(project.fabric.nics) == 16_384
    return project


def timed(project: Project, files: list[Path]) -> tuple[float, Any]:
    start = time.perf_counter()
    outcome = check_profiles(project, files)
    return time.perf_counter() - start, outcome


def test_one_template_for_all(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "nics.yaml"
    file.write_text(filled(TEMPLATE.replace('"48"', '"4"'), 6), encoding="utf-8")
    seconds, outcome = timed(project, [file])
    print(f"16,384 NICs by one template: {seconds:.2f} s")
    assert [finding.rule for finding in outcome.findings] == ["NIC005"]
    assert "16,383 more" in outcome.findings[0].message


def test_one_output_for_each(project: Project, tmp_path: Path) -> None:
    files = []
    for host in project.fabric.hosts.names:
        folder = tmp_path / "saved" / host
        folder.mkdir(parents=True)
        for number in range(1, 9):
            files.append(folder / f"mlnx_qos-eth{number}.txt")
            files[-1].write_text(mlnx_qos(), encoding="utf-8")
    seconds, outcome = timed(project, files)
    print(f"16,384 NICs by an output of each: {seconds:.2f} s")
    assert outcome.findings == ()
