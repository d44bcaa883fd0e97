"""Blocks of a page that are made anew: between ``<!-- figures: NAME -->`` and its end."""

from __future__ import annotations

import re
from pathlib import Path

BLOCK = re.compile(r"<!-- figures: ([a-z-]+) -->\n(.*?)<!-- end of figures -->", re.DOTALL)


def blocks(page: Path) -> dict[str, str]:
    """Return the content of each block of a page by its name."""
    return dict(BLOCK.findall(page.read_text()))


def judge(page: Path, name: str, text: str, *, update: bool) -> None:
    """Compare a block with what it would be now; write it before where that is asked for."""
    made, old = f"{text}\n", page.read_text()
    if update:
        whole = f"<!-- figures: {name} -->\n{made}<!-- end of figures -->"
        page.write_text(BLOCK.sub(lambda found: whole if found[1] == name else found[0], old))
    found = [content for block, content in BLOCK.findall(page.read_text()) if block == name]
    assert len(found) == 1, f"{page.name} has {len(found)} blocks {name!r}"
    assert found[0] == made, "run make docs and read the diff"
