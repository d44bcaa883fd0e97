"""Options of the test suite."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.tools.recorder import Recorder

#: Timings are no tests: a busy machine fails nothing. CI looks at twice as many examples.
IS_CI = os.environ.get("ROCEFAB_JUDGES") == "required"
settings.register_profile("rocefab", deadline=None, max_examples=100 if IS_CI else 50)
settings.register_profile("thousands", deadline=None, max_examples=2000)
settings.load_profile("rocefab")

#: Whoever runs the tests in the background may have switched it off, for children too.
signal.signal(signal.SIGINT, signal.default_int_handler)


#: Nothing is kept from test to test, nor in the home of whoever runs them.
os.environ["ROCEFAB_FRESH"] = "1"
_STATE = tempfile.TemporaryDirectory(prefix="rocefab-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden``."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=False,
        help="rewrite golden files with what the code says now; read the diff before you commit",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record what each test takes, where ``ROCEFAB_DURATIONS`` names a folder."""
    if folder := os.environ.get("ROCEFAB_DURATIONS"):
        config.pluginmanager.register(Recorder(Path(folder)))


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Say whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))
