"""A plugin of pytest: writes down which tests inject which fault.

Loaded with ``-p tests.reliability.collecting``; the file is named in ``FAULTS_COLLECTED``.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest


def numbers_of(item: pytest.Item) -> set[int]:
    """Return the numbers of the faults that a test injects."""
    return {number for marker in item.iter_markers("fault") for number in marker.args}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the tests of each fault, without their parameters."""
    found: dict[int, set[str]] = defaultdict(set)
    for item in session.items:
        for number in numbers_of(item):
            found[number].add(item.nodeid.partition("[")[0])
    rows = {number: sorted(tests) for number, tests in found.items()}
    Path(os.environ["FAULTS_COLLECTED"]).write_text(json.dumps(rows))
