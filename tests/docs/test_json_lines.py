"""The lines of Python that docs/ci has for JSON output: an error of a command fails them too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import DEMO, run

PAGE = Path(__file__).parents[2] / "docs" / "ci" / "README.md"
#: Command -> what reads its JSON.
LINES = dict(
    re.findall(r"^rocefab (\S+) .* \| python3 -I -c '(.*)'$", PAGE.read_text(), re.MULTILINE)
)
HEALTHY = {
    "diff": ("diff", DEMO, DEMO, "--format", "json"),
    "whatif": ("whatif", DEMO, "--fail", "switch:spine01", "--no-rules", "--format", "json"),
    "place": ("place", DEMO, "--nodes", "4", "--format", "json"),
}


def _ended(verb: str, answer: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-c", LINES[verb]]
    return subprocess.run(command, input=answer, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("verb", HEALTHY)
def test_an_invalid_inventory_fails_without_a_traceback(verb: str, tmp_path: Path) -> None:
    assert LINES.keys() == HEALTHY.keys()
    (tmp_path / "fabric.yaml").write_text("name: 1\n")
    wrong = {DEMO: tmp_path}
    error = run(*(wrong.get(word, word) for word in HEALTHY[verb]))
    assert json.loads(error.out)["format"] == "rocefab-error/1"
    ended = _ended(verb, error.out)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.parametrize("verb", HEALTHY)
def test_a_fabric_that_is_well_passes(verb: str) -> None:
    ended = _ended(verb, run(*HEALTHY[verb]).out)
    assert (ended.returncode, ended.stderr) == (0, "")
