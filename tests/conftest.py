"""Options of the test suite."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests import tiers
from tests.cases import CI_EXAMPLES, QUICK_EXAMPLES
from tests.tools.recorder import Recorder

#: Timings are no tests: a busy machine fails nothing. CI looks at more examples.
IS_CI = os.environ.get("ROCEFAB_JUDGES") == "required"
settings.register_profile("quick", deadline=None, max_examples=QUICK_EXAMPLES)
settings.register_profile("ci", deadline=None, max_examples=CI_EXAMPLES)
settings.register_profile("thousands", deadline=None, max_examples=2000)
settings.load_profile("ci" if IS_CI else "quick")

#: Whoever runs the tests in the background may have switched it off, for children too.
signal.signal(signal.SIGINT, signal.default_int_handler)


#: Nothing is kept from test to test, nor in the home of whoever runs them.
os.environ["ROCEFAB_FRESH"] = "1"
_STATE = tempfile.TemporaryDirectory(prefix="rocefab-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden`` and ``--order-seed``."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=False,
        help="rewrite golden files with what the code says now; read the diff before you commit",
    )
    parser.addoption("--order-seed", type=int, help="shuffle the files, and the tests of each")


def pytest_configure(config: pytest.Config) -> None:
    """Record what each test takes, where ``ROCEFAB_DURATIONS`` names a folder."""
    if folder := os.environ.get("ROCEFAB_DURATIONS"):
        config.pluginmanager.register(Recorder(Path(folder)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file whose tests are all of a tier that is not asked for."""
    tier = tiers.tier_of_file(collection_path) if collection_path.suffix == ".py" else ""
    if tier and tiers.leaves_out(config.option.markexpr, tier):
        return None if tiers.is_named(collection_path, config) else True
    return None


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a file by its place in the repository: the same on every machine."""
    if isinstance(val, Path):
        return str(val.relative_to(tiers.ROOT)) if val.is_relative_to(tiers.ROOT) else val.name
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tiers before ``-m`` chooses."""
    tiers.mark(items)
    shares = int(os.environ.get("ROCEFAB_SHARES", "1"))
    if shares > 1:
        others = tiers.keep_share(items, tiers.share_of_tree(shares), shares)
        config.hook.pytest_deselected(items=others)
    tiers.longest_first(items)
    if (seed := config.getoption("--order-seed")) is not None:
        tiers.shuffle(items, seed)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Say whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))
