"""An export that has nothing to write says so."""

from __future__ import annotations

import pytest

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


def test_what_is_written_needs_no_such_word(project):
    text, notes = export(project, "slurm", Request())
    assert "SwitchName" in text
    assert not [note for note in notes if "nothing was written" in note.message]
