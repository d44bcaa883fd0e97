"""`rocefab init`: an inventory that passes, with schemas that its files name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.report.inventory import schema
from fabric.workflow.check import check
from fabric.workflow.init import init
from fabric.workflow.project import Project
from fabric.workflow.render import render

COMMENTED = re.compile(r"^# (\w+)/[\w-]+\.yaml:\n((?:#   .*\n?)+)", re.MULTILINE)


def test_what_it_writes_passes_the_check_and_renders(tmp_path: Path) -> None:
    file = init(tmp_path / "new" / "mine")
    project = Project(file.parent)
    outcome = check(project)
    assert outcome.at_least(Severity.WARNING) == ()
    assert outcome.broken == ()
    assert len(render(project, tmp_path / "out")) > 10


def test_schemas_lie_where_the_files_say(tmp_path: Path) -> None:
    file = init(tmp_path / "mine")
    name = re.search(r"\$schema=(\S+)", file.read_text().splitlines()[0])[1]
    assert json.loads((file.parent / name).read_text()) == json.loads(schema("fabric"))


def test_commented_exceptions_work_when_they_are_taken_out(tmp_path: Path) -> None:
    file = init(tmp_path / "mine")
    result = dict(COMMENTED.findall(file.read_text()))
    assert set(result) == {"devices", "hosts"}
    for kind, block in result.items():
        text = re.sub(r"^#   ", "", block, flags=re.MULTILINE)
        {"devices": DevicesFile, "hosts": HostsFile}[kind].model_validate(yaml.safe_load(text))
        (file.parent / kind).mkdir()
        override = file.parent / kind / "first.yaml"
        override.write_text(text)
        name = re.search(r"\$schema=(\S+)", text)[1]
        assert (override.parent / name).resolve().is_file()
    project = Project(file.parent)
    assert check(project).at_least(Severity.ERROR) == ()
    assert project.hosts["gpu003"].nics[1].rdma_device == "mlx5_7"


def test_every_section_is_commented(tmp_path: Path) -> None:
    text = init(tmp_path / "mine").read_text()
    assert text.count("#") > 25
    lint = Path(sys.executable).with_name("yamllint")
    config = Path(__file__).parents[2] / ".yamllint"
    done = subprocess.run([lint, "--strict", "-c", config, "-"], input=text, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("content", ["fabric.yaml", ".hidden", "notes.txt"])
def test_a_folder_that_holds_something_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / content).write_text("mine")
    with pytest.raises(InputError) as caught:
        init(tmp_path)
    assert "is not empty" in str(caught.value.findings[0])
    assert [path.name for path in tmp_path.iterdir()] == [content]
    assert (tmp_path / content).read_text() == "mine"


def test_a_file_or_an_unwritable_place_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for place in (file, file / "below", Path("/proc/rocefab-test")):
        with pytest.raises(InputError):
            init(place)
    assert file.read_text() == "mine"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert init(tmp_path) == tmp_path / "fabric.yaml"
