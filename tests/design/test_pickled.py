"""Designers that travel to another process design the same, and take nothing stale along."""

from __future__ import annotations

import pickle

import pytest

import fabric.workflow.work  # noqa: F401 - lets read-only mappings travel
from fabric.workflow.project import Project
from fabric.workflow.stages import rendered_host, rendered_switch
from tests.topology.fabrics import INVENTORY

FABRICS = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))


@pytest.mark.parametrize("name", FABRICS)
def test_files_are_the_same(name: str) -> None:
    project = Project(INVENTORY / name)
    for designer, files, render in (
        (project.devices, project.switch_artefacts, rendered_switch),
        (project.hosts, project.host_artefacts, rendered_host),
    ):
        for _ in range(2):  # unused objects of the first may leave their addresses to the second
            other = pickle.loads(pickle.dumps(designer))
            assert [render(other.design(row)) for row in range(len(files))] == [*files.values()]


def test_what_is_kept_by_address_stays() -> None:
    project = Project(INVENTORY / "demo")
    assert [*project.hosts.values()]
    designer = project.hosts.design.__self__
    assert designer._parameters
    assert designer._qos
    assert designer._resolver._cache
    other = pickle.loads(pickle.dumps(designer))
    assert other._parameters == other._qos == other._resolver._cache == {}
