"""Models of SONiC in YANG: files that are none are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import FileError
from fabric.systems.sonic.yang import load_schema
from tests.cases import each
from tests.core.hostile_files import hostile


@each("text", ["{", ";", "}", "module x {", "module x", '"', "", "{" * 100_000])
def test_what_is_no_yang_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.yang").write_text(text)
    with pytest.raises(ValueError, match=r"x\.yang: "):
        load_schema(tmp_path)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    hostile(tmp_path / "x.yang", "pipe")
    with pytest.raises(FileError, match=r"x\.yang: not a regular file but a pipe"):
        load_schema(tmp_path)
