"""promtool of Prometheus reads `observe --format prometheus`, and lints its names."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from fabric.observe.snapshot import Snapshot
from fabric.report.exposition import exposition
from fabric.report.observed import Seen
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.observe import Selection, observe
from fabric.workflow.project import Project
from tests.judges.conftest import missing_judge
from tests.observe.test_samples import recorded
from tests.report.test_exposition import HOSTILE, leaf
from tests.topology.fabrics import REPOSITORY


@pytest.fixture(scope="module")
def promtool() -> str:
    path = shutil.which("promtool")
    if path is None:
        missing_judge("promtool (Debian package prometheus)")
    assert path is not None
    return path


def complaints(promtool: str, text: str) -> str:
    """Return what the judge says of figures; nothing where they are right."""
    done = subprocess.run(
        [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr + ("" if done.returncode == 0 else f"code {done.returncode}")


def test_a_lab(promtool: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leaf of every switch system, and hosts."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(REPOSITORY / "inventory" / "mixed")
    with laboratory(project, tmp_path):
        seen = observe(project, tmp_path / CONNECTIONS, Selection(), (), lambda *_: None)
    assert complaints(promtool, exposition(seen)) == ""
    assert not [one.error for one in seen if one.error]


@pytest.mark.parametrize("platform", ["sonic", "vrp8"])
def test_recorded_outputs(promtool: str, platform: str) -> None:
    assert complaints(promtool, exposition([Seen("a", platform, recorded(platform))])) == ""


def test_hostile_names(promtool: str) -> None:
    seen = [leaf(HOSTILE), Seen(HOSTILE, "eos", error=HOSTILE), Seen("b", "eos", Snapshot("b"))]
    assert complaints(promtool, exposition(seen)) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("rocefab_x_total 1\n", "HELP"),
        ('# HELP a_b b\n# TYPE a_b gauge\na_b{x="a"b"} 1\n', "error"),
    ],
)
def test_the_judge_sees_what_is_wrong(promtool: str, text: str, word: str) -> None:
    assert word.lower() in complaints(promtool, text).lower()
