"""docs/reference/reliability.md is made of the promises and of the tests that inject the faults."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.reliability.faults import FAULTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "reliability.md"
HEAD = """\
# Reliability

Generated from the tests that inject these faults; do not edit.

Each fault is injected into a run against the stand-ins of the lab, or against the part that meets
it; none of these tests needs root or a network. Run them with `pytest -m fault`.
`rocefab status RUN` shows the states of the journal. Exit codes are those of
[the commands](cli.md); what a device does when its commit timer expires is in the
decision record of its system (`docs/adr`).

| # | fault | promise | journal | exit code | message |
|---|---|---|---|---|---|
"""
TESTS_HEAD = """
## Tests

| # | fault | tests |
|---|---|---|
"""


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """Return the tests of each fault that CI runs, as pytest collects them."""
    file = tmp_path_factory.mktemp("collected") / "faults.json"
    marks = re.compile(r"mark\.fault\(|by_injection|LineRuns")
    files = [
        path
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if marks.search(path.read_text())
    ]
    words = [
        "--collect-only",
        "-q",
        "-m",
        "fault and not benchmark",
        "-p",
        "tests.reliability.collecting",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *files],
        cwd=ROOT,
        env={**os.environ, "FAULTS_COLLECTED": str(file), "ROCEFAB_SHARES": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {int(number): tests for number, tests in json.loads(file.read_text()).items()}


def test_every_fault_has_a_test_and_every_marker_a_fault(collected: dict[int, list[str]]) -> None:
    assert sorted(FAULTS) == list(range(1, len(FAULTS) + 1))
    assert sorted(collected) == sorted(FAULTS)


def test_page_is_up_to_date(collected: dict[int, list[str]], update_golden: bool) -> None:
    text = page(collected)
    if update_golden:
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "run pytest with --update-golden and read the diff"


def page(collected: dict[int, list[str]]) -> str:
    """Return the page."""
    promises = "".join(
        f"| {number} | {row.fault} | {row.promise} | {row.journal} | {row.exit_code} "
        f"| {row.message} |\n"
        for number, row in FAULTS.items()
    )
    tests = "".join(
        f"| {number} | {row.fault} | {_links(collected[number])} |\n"
        for number, row in FAULTS.items()
    )
    return f"{HEAD}{promises}{TESTS_HEAD}{tests}"


def _links(tests: list[str]) -> str:
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        file, _, name = test.partition("::")
        by_file[file].append(f"`{name.rpartition('::')[2]}`")
    return "<br>".join(
        f"[{file.removeprefix('tests/')}](../../{file}): {', '.join(names)}"
        for file, names in by_file.items()
    )
