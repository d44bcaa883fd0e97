"""prove --against REVISION: what a change of the inventory does to routes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runs import run
from tests.repository import demo_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return the demo inventory in a repository."""
    return demo_repository(tmp_path)


def test_a_change_of_routes_is_shown(repository: Path) -> None:
    same = run("prove", repository, "--against", "main")
    assert (same.code, "BAT020" in same.out) == (0, False)
    file = repository / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    assert "spines: {count: 2" in text
    file.write_text(text.replace("spines: {count: 2", "spines: {count: 3"), encoding="utf-8")
    more = run("prove", repository, "--against", "main")
    assert (more.code, "BAT020" in more.out) == (0, True)


def test_what_is_neither_folder_nor_revision(repository: Path) -> None:
    ended = run("prove", repository, "--against", "nowhere")
    assert ended.code == 2
    assert "nowhere" in ended.err


def test_a_folder_without_configurations(repository: Path, tmp_path: Path) -> None:
    ended = run("prove", repository, "--against", tmp_path)
    assert ended.code == 2
    assert "no configuration of these switches" in ended.err
