"""One server for the tests that leave nothing behind."""

from __future__ import annotations

import pytest

from tests.serve.servers import served


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory):
    """A client of a server whose state nobody changes."""
    with served(tmp_path_factory.mktemp("state")) as client:
        yield client


@pytest.fixture
def own(tmp_path):
    """A client of a server for one test."""
    with served(tmp_path / "state") as client:
        yield client
