"""The page has words for every field that it shows by its name."""

from __future__ import annotations

import re
from pathlib import Path

import fabric.serve
from fabric.report.buffer import buffer_of
from fabric.workflow.project import Project
from tests.serve.servers import DEMO

WORDS = (Path(fabric.serve.__file__).parent / "page" / "words.js").read_text()


def test_every_column_of_the_buffer_has_words() -> None:
    table = re.search(r"const BUFFER = \{(.*?)\n\};", WORDS, re.DOTALL)
    assert table
    design = Project(DEMO).devices["su1-rail0"]
    assert re.findall(r"^  (\w+):", table[1], re.MULTILINE) == [key for key, _ in buffer_of(design)]
