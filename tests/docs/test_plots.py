"""The pictures of the tutorials are those that the commands on the page draw now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.runs import ROOT
from tests.docs.test_commands import typed

TUTORIALS = ROOT / "docs" / "tutorials"
LINES = {
    found[2]: found[1]
    for page in TUTORIALS.glob("*.md")
    for found in re.finditer(r"^\$ (rocefab .*--plot (\S+\.svg))$", page.read_text(), re.MULTILINE)
}
_LARGEST_BYTES = 64_000


@pytest.mark.parametrize("name", LINES)
def test_plot_is_up_to_date(name: str, tmp_path: Path, update_golden: bool) -> None:
    typed(LINES[name], tmp_path)
    drawn, kept = tmp_path / name, TUTORIALS / name
    if update_golden:
        kept.write_bytes(drawn.read_bytes())
    assert kept.read_text() == drawn.read_text(), "run pytest with --update-golden and look at it"
    assert kept.stat().st_size < _LARGEST_BYTES


def test_every_picture_is_drawn_by_a_command_and_shown() -> None:
    assert {path.name for path in TUTORIALS.glob("*.svg")} == set(LINES)
    shown = {
        name
        for page in TUTORIALS.glob("*.md")
        for name in re.findall(r"!\[[^]]+\]\((\S+?)\)", page.read_text())
    }
    assert shown == set(LINES)
