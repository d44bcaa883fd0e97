"""Outside judges: what they are, and what happens when one is missing.

A judge that is not installed skips its tests, unless ``ROCEFAB_JUDGES=required`` says that it must
be there. The reference data is not part of the project, so its absence always skips.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests import reference as data
from tests.waiting import LONGEST_S


def missing_judge(name: str) -> None:
    """Skip, or fail where the judges are required."""
    message = f"{name} is not installed; run 'make judges' as root"
    if os.environ.get("ROCEFAB_JUDGES") == "required":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def yanglint() -> str:
    """Return the path of yanglint."""
    path = shutil.which("yanglint")
    if path is None:
        missing_judge("yanglint (Debian package libyang2-tools)")
    assert path is not None
    return path


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return the folder of vendor schemas and samples."""
    data.reference("schemas", "sonic-yang")
    return data.SHARED


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a browser without a window."""
    programs = [shutil.which("chromium"), shutil.which("chromedriver")]
    if None in programs:
        missing_judge("chromium (Debian packages chromium and chromium-driver)")
    try:
        from selenium import webdriver
    except ImportError:
        missing_judge("selenium (dependency group dev)")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1600,900"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options, webdriver.ChromeService(programs[1]))
    driver.set_script_timeout(LONGEST_S)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the script of axe-core."""
    found = find_spec("axe_core_python")
    if found is None or found.origin is None:
        missing_judge("axe-core-python (dependency group dev)")
    return (Path(found.origin).parent / "axe.min.js").read_text()
