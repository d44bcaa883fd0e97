"""What pages print below a command is what the command prints now; ``...`` are lines left out.

docs/tutorials/from-the-box.md has a test that runs it as a whole, docs/judges.md needs root.
"""

from __future__ import annotations

import re
import subprocess
import sys
from shlex import split
from typing import TYPE_CHECKING

import pytest

from tests.cli.runs import ROOT, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

ELSEWHERE = {"from-the-box.md", "judges.md"}
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ", re.MULTILINE)


def printing() -> list[tuple[str, str, list[str]]]:
    """Return page, command and printed lines of each command with output."""
    found = []
    for page in sorted(ROOT.glob("docs/**/*.md")):
        blocks = _BLOCK.findall(page.read_text()) if page.name not in ELSEWHERE else []
        parts = [part for block in blocks for part in _COMMAND.split(block)[1:]]
        for command, *lines in (part.splitlines() for part in parts):
            if any(line.strip() for line in lines) and "main~1" not in command:
                found.append((page.name, command, lines))
    return found


def test_there_are_such_blocks() -> None:
    assert len(printing()) > 8


@pytest.mark.parametrize(("page", "command", "lines"), printing())
def test_a_page_prints_what_the_command_prints(
    tmp_path: Path, page: str, command: str, lines: list[str]
) -> None:
    (tmp_path / "inventory").symlink_to(ROOT / "inventory")
    edits, command = [], command.partition("  #")[0].strip()
    if page == "first-fabric.md":
        subprocess.run(
            [sys.executable, "-m", "fabric", "init", "my-fabric"],
            cwd=tmp_path, env=clean_environment(), check=True, capture_output=True,
        )  # fmt: skip
        edits = [("host_gbps: 400", "host_gbps: 1600")]
    for before, after in edits if "check" in command else ():
        file = tmp_path / "my-fabric" / "fabric.yaml"
        file.write_text(file.read_text().replace(before, after))
    done = subprocess.run(
        [sys.executable, "-m", "fabric", *split(command)[1:]],
        cwd=tmp_path, env=clean_environment(), check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    said = iter(done.stdout.splitlines())
    for line in lines:
        assert line.strip() in ("", "...") or line in said, f"{line!r} is not in\n{done.stdout}"
