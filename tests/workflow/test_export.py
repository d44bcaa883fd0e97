"""An export that has nothing to write says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.workflow.export import Request, export, export_to
from fabric.workflow.init import example
from fabric.workflow.project import Project


@pytest.fixture(scope="module")
def project():
    return Project(example("demo"))


def test_nothing_to_write_is_said(project, tmp_path):
    request = Request(parts=("networks",))
    text, notes = export(project, "k8s", request)
    assert text == ""
    assert "this inventory needs no files for networks; see host.container_mode" in str(notes[-1])
    paths, reported = export_to(project, "k8s", request, tmp_path / "out")
    assert (paths, reported) == ([], notes)


@pytest.mark.parametrize(
    ("form", "out", "fix"),
    [
        ("csv", "fab/cabling.csv", "write `> fab/cabling.csv` instead of --out, or name"),
        ("slurm", "topology.CONF", "write `> topology.CONF` instead of --out, or name"),
        ("grafana", "fab/board.json", "name a folder, such as --out fab/board"),
    ],
    ids=["one file", "in the working folder", "several files"],
)
def test_a_folder_named_as_a_file_is_refused(project, tmp_path, monkeypatch, form, out, fix):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        export_to(project, form, Request(), Path(out))
    (finding,) = error.value.findings
    assert finding.message == f"{out} has the name of a file, but --out is a folder"
    assert finding.fix.startswith(fix)
    assert not [*tmp_path.iterdir()]


def test_a_folder_may_have_any_other_name(project, tmp_path):
    old = tmp_path / "old.csv"
    old.mkdir()
    for out in (old, tmp_path / "release-1.2", tmp_path / "plan.json", tmp_path / ".hidden"):
        assert export_to(project, "csv", Request(), out)[0] == ["cable-plan.csv"]


def test_files_that_cannot_be_printed_are_named_whole():
    with pytest.raises(InputError) as error:
        export(Project(example("dual-tor")), "rights", Request(account="rocefab"))
    (finding,) = error.value.findings
    shown, _, more = finding.message.partition(": ")[2].partition(" and ")
    names = shown.split(", ")
    assert all(name.endswith("/reading.sudoers") for name in names)
    assert finding.message.startswith(f"{len(names) + int(more.split()[0])} files cannot")


def test_what_is_written_needs_no_such_word(project):
    text, notes = export(project, "slurm", Request())
    assert "SwitchName" in text
    assert not [note for note in notes if "nothing was written" in note.message]


def test_exports_rank_the_hosts_that_are_named(project):
    request = Request(parts=("hostfile",), hosts="gpu003,gpu001", gpus_per_node=1)
    assert export(project, "slurm", request)[0] == "gpu003\ngpu001\n"
    with pytest.raises(InputError) as raised:
        export(project, "slurm", Request(parts=("hostfile",), hosts="gpu009"))
    assert "there is no host 'gpu009'" in str(raised.value.findings[0])
