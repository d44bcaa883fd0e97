"""Files are written complete or not at all, and follow no link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabric.core.files import write_whole


def test_links_are_replaced_and_never_followed(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "plan.json"
    victim.write_text("untouched")
    target.symlink_to(victim)
    (tmp_path / ".plan.json.part").symlink_to(victim)
    write_whole(target, b"new")
    assert victim.read_text() == "untouched"
    assert not target.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("umask", "mode", "expected"), [(0o022, None, 0o644), (0o077, None, 0o600)]
)
def test_the_mode_is_that_of_the_user(
    tmp_path: Path, umask: int, mode: int | None, expected: int
) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "file", b"", mode)
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == expected


def test_nothing_is_left_behind_when_it_fails(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
