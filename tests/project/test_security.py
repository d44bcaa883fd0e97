"""The threat model: every actor has threats, and every threat has tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    part = re.split(r"^## ", TEXT.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@cache
def names_in(file: str) -> frozenset[str]:
    """Return the names of the functions of a file; none where it is gone."""
    if not (ROOT / file).is_file():
        return frozenset()
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def missing(cell: str) -> list[str]:
    """Return the tests of a cell that are not there; a cell without any is an error."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", cell)
    assert named, cell
    assert len(named) == len(cell.split()), cell
    return [f"{file}::{test}" for file, test in named if test not in names_in(file)]


def test_every_threat_has_its_tests() -> None:
    threats = rows("Threats")
    assert [row[0] for row in threats] == [str(number + 1) for number in range(len(threats))]
    assert {row[2]: missing(row[4]) for row in threats if missing(row[4])} == {}


def test_a_test_that_is_gone_is_named() -> None:
    assert missing("`tests/project/test_security.py::test_gone`")
    assert missing("`tests/project/test_gone.py::test_gone`")
    assert missing("`tests/project/test_security.py::test_a_test_that_is_gone_is_named`") == []


def test_every_actor_has_a_threat() -> None:
    """A name in a threat may be shorter than in the table of who may do what."""
    actors = [row[0] for row in rows("Who is trusted with what")]
    named = {row[1] for row in rows("Threats")}
    assert len(actors) == 10
    assert [name for name in named if not any(actor.startswith(name) for actor in actors)] == []
    assert [actor for actor in actors if not any(actor.startswith(name) for name in named)] == []
