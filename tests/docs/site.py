"""The docs as a site: built by the target of the Makefile, into another folder."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Attributes whose address a browser asks for by itself, by element.
_ASKED = {
    **dict.fromkeys(("script", "img", "iframe", "source", "video", "audio", "embed"), "src"),
    "link": "href",
    "object": "data",
}


def build(target: Path, config: Path = ROOT / "mkdocs.yml") -> str:
    """Build the site into a folder; return what was said, or raise `AssertionError`.

    With ``--quiet`` mkdocs would not count warnings, and nothing would be strict.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config)]
    done = subprocess.run(
        [*command, "--site-dir", str(target)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


class Asked(HTMLParser):
    """Collects the addresses that a browser asks for when it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and values.get("rel") in {"canonical", "next", "prev"}:
            return
        address = values.get(_ASKED.get(tag, ""))
        if address:
            self.addresses.append(address)


def asked(page: Path) -> list[str]:
    """Return the addresses that a page makes a browser ask for."""
    reader = Asked()
    reader.feed(page.read_text())
    return reader.addresses
