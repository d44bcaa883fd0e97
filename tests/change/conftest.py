"""A fabric in memory for the tests of a module, and its plan."""

from __future__ import annotations

import pytest

from tests.change import memory_fabric
from tests.change.scripted import scripted_fabric


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    """Return the folder of the fabric, whose waves are `WAVES` of the module where it has them."""
    waves = getattr(request.module, "WAVES", memory_fabric.WAVES)
    with scripted_fabric(tmp_path, monkeypatch, waves) as ready:
        yield ready


@pytest.fixture
def plan(folder):
    return memory_fabric.make_plan(folder)
