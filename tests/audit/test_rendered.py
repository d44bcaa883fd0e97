"""An output folder of `rocefab render`: files for hosts are named, and progress is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.core.findings import Severity
from fabric.core.steps import watched
from fabric.workflow.audit import audit
from fabric.workflow.project import Project
from fabric.workflow.saved import files_of
from tests.cli.runs import DEMO, run

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.core.findings import Finding


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rendered") / "out"
    assert run("render", DEMO, "--out", folder).code == 0
    return folder


def _not_read(folder: Path) -> list[Finding]:
    return [one for one in audit([folder]).outcome.findings if one.rule == "AUD019"]


def test_files_for_hosts_are_one_line(rendered: Path) -> None:
    (finding,) = _not_read(rendered)
    assert finding.severity == Severity.INFO
    assert "files that `rocefab render` wrote for hosts are not read" in finding.message
    assert finding.position
    assert finding.position.file == str(rendered / "manifest.json")


def test_files_for_hosts_are_not_judged(rendered: Path) -> None:
    ended = run("audit", rendered)
    assert " hosts audited" not in ended.err
    words = "files that `rocefab render` wrote for hosts are not read"
    count = ended.out.partition(words)[0].split()[-1]
    assert f" {count} {words}" in run("adopt", DEMO, rendered).out
    only = run("audit", rendered / "hosts")
    assert (only.code, f"{count} {words}" in only.err) == (2, True)
    named = next((rendered / "hosts").rglob("zz-rocefab.conf"))
    assert "1 file of 1 host audited" in run("audit", named).err


def test_other_files_beside_them_have_a_line_each(rendered: Path) -> None:
    stray = rendered / "notes.conf"
    stray.write_text("remember the milk\n", encoding="utf-8")
    ours, other = sorted(_not_read(rendered), key=lambda one: str(one.position))
    stray.unlink()
    assert "rocefab render" in ours.message
    assert other.message == "no system recognises this configuration; it was not audited"


def test_steps_are_told(rendered: Path) -> None:
    told = []
    with watched(lambda *step: told.append(step)):
        audit([rendered])
    assert {"files", "switches"} <= {what for what, _, _ in told}
    assert all((what, total, total) in told for what, _, total in told)


def test_files_beside_a_configuration_are_no_devices(tmp_path: Path) -> None:
    """Also where the manifest is gone; alone, such a file is read or named."""
    device, beside = "cumulus-leaf", "clear.nv"
    folder = tmp_path / device
    folder.mkdir()
    for artefact in Project(DEMO.parent / "mixed").switch_files([device])[device]:
        (folder / artefact.path.split("/")[-1]).write_bytes(artefact.content)
    assert (folder / beside).is_file()
    assert beside not in [file.name for file in files_of(tmp_path)]
    for file in folder.iterdir():
        if file.name != beside:
            file.unlink()
    assert [file.name for file in files_of(tmp_path)] == [beside]
