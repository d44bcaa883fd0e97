"""Designers that travel to another process design the same, and take nothing stale along."""

from __future__ import annotations

import pickle

import pytest

import fabric.workflow.work  # noqa: F401 - lets read-only mappings travel
from fabric.workflow.project import Project
from fabric.workflow.store import key_of
from tests.topology.fabrics import INVENTORY

FABRICS = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))


@pytest.mark.parametrize("name", FABRICS)
def test_designs_are_the_same(name: str) -> None:
    project = Project(INVENTORY / name)
    designs = [*project.devices.values()], [*project.hosts.values()]
    designers = project._switch_designer, project._host_designer
    for designer, own in zip(designers, designs, strict=True):
        for _ in range(2):  # unused objects of the first may leave their addresses to the second
            other = pickle.loads(pickle.dumps(designer))
            for row, design in enumerate(own):
                assert key_of("", other.design(row)) == key_of("", design), design.name


def test_what_is_kept_by_address_stays() -> None:
    project = Project(INVENTORY / "demo")
    assert project.hosts
    designer = project._host_designer
    assert designer._parameters
    assert designer._qos
    assert designer._resolver._cache
    other = pickle.loads(pickle.dumps(designer))
    assert other._parameters == other._qos == other._resolver._cache == {}
