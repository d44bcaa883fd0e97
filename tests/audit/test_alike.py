"""A switch with other lossless values than most, in a folder of configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.workflow.project import Project
from tests.cli.runs import run

DEMO = Path(__file__).parents[2] / "inventory" / "demo"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the configurations of four leaves."""
    for name, artefacts in Project(DEMO).switch_artefacts.items():
        if name.startswith("su"):
            text = artefacts[0].text.replace('"hostname"', '"mac": "02:00:00:00:00:01", "hostname"')
            (tmp_path / f"{name}.json").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"150000"', '"600000"', "ecn.kmin_bytes 600000 (3 of 4 switches: 150000)"),
        (
            '"detection_time": "400"',
            '"detection_time": "800"',
            "watchdog.detection_ms 800 (3 of 4 switches: 400)",
        ),
    ],
)
def test_an_odd_switch_is_named_with_all_that_is_odd(
    folder: Path, before: str, after: str, words: str
) -> None:
    file = folder / "su1-rail0.json"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    said = run("audit", folder).out
    assert f"su1-rail0: {words};" in said
    assert said.count("AUD049") == 1


def test_switches_alike_and_halves_are_not_odd(folder: Path) -> None:
    assert "AUD049" not in run("audit", folder).out
    for name in ("su1-rail0", "su2-rail0"):
        file = folder / f"{name}.json"
        file.write_text(file.read_text().replace('"150000"', '"600000"'))
    assert "AUD049" not in run("audit", folder).out
