"""show buffer --observed: from stand-ins, and from files of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.report.buffer_use import Peaks, buffer_use
from fabric.workflow.buffer_use import from_devices, from_files
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.observe.test_titled import NAMES, sample

DEMO = Path(__file__).parents[2] / "inventory" / "demo"


def verdicts(project: Project, peaks: list[Peaks]) -> dict[tuple[object, object], object]:
    return {(row[0], row[1]): row[-1] for row in buffer_use(project, peaks).rows}


def test_stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watermarks of a running switch; EOS has none that are read."""
    project = Project(DEMO)
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    with laboratory(project, tmp_path) as lab:
        leaf = lab["su1-rail0"]
        group = "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"
        leaf.counters.add("Ethernet0:pg 3", group, 19_456)
        only = "su1-rail0,spine01"
        peaks = from_devices(project, tmp_path / CONNECTIONS, only, lambda *_: None)
    seen = verdicts(project, peaks)
    assert seen["su1-rail0", "Ethernet0"] == "50.0 % of the headroom used"
    assert seen["su1-rail0", "Ethernet8"] == "headroom not used"
    assert seen["spine01", "-"] == "not read on this system"
    assert not any(item.failed for item in peaks)


def test_files(tmp_path: Path) -> None:
    project = Project(DEMO)
    (tmp_path / "su1-rail0.txt").write_text("\n".join(sample(name) for name in NAMES))
    (tmp_path / "su1-rail1.log").write_text("nothing of use\n")
    (tmp_path / "spine01.txt").write_text("show qos\n")
    (tmp_path / "README.txt").write_text("of nobody\n")
    seen = verdicts(project, from_files(project, tmp_path, ""))
    assert seen["su1-rail0", "Ethernet0"] == "50.0 % of the headroom used"
    assert seen["su1-rail0", "ingress_lossless_pool"] == "3.9 % of 20,627,456 used"
    assert "there are no watermarks" in str(seen["su1-rail1", "-"])
    assert seen["spine01", "-"] == "not read on this system"
    assert {device for device, _ in seen} == {"su1-rail0", "su1-rail1", "spine01"}


def test_a_damaged_file_is_a_failure(tmp_path: Path) -> None:
    text = sample("group_watermarks")
    (tmp_path / "su1-rail0.txt").write_text(text[:-9])
    [peaks] = from_files(Project(DEMO), tmp_path, "")
    assert peaks.failed
    assert "cannot read group_watermarks" in peaks.problem


@pytest.mark.parametrize("folder", ["", "missing"])
def test_no_files(tmp_path: Path, folder: str) -> None:
    with pytest.raises(InputError, match="there is no"):
        from_files(Project(DEMO), tmp_path / folder, "")
