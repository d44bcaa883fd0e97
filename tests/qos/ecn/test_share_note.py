"""Where switches mark at percents of the queue, the percents stand beside the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.platforms.catalogue import sku
from fabric.qos.ecn.edge import share_note
from tests.cli.runs import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("model", "sizes", "note"),
    [
        ("QFX5240-64OD", (763_224, 1_526_448), " (1 to 2 percent on the switch)"),
        ("QFX5240-64OD", (150_000,), " (1 percent on the switch)"),
        ("QFX5240-64OD", (2**40,), ""),
        ("ACS-SN5600", (150_000, 1_500_000), ""),
    ],
)
def test_the_note(model: str, sizes: tuple[int, ...], note: str) -> None:
    assert share_note(sku(model), *sizes) == note


def test_every_place_that_shows_thresholds(tmp_path: Path) -> None:
    mine = str(tmp_path / "mine")
    assert run("init", mine, "--design", "rail-optimised", "--leaf", "QFX5240-64OD").code == 0
    text = (tmp_path / "mine" / "fabric.yaml").read_text()
    assert "# kmin_bytes and kmax_bytes in percent, rounded up, of 76,322,400 bytes: " in text
    assert "ecn.kmin_bytes 763,224 (1 percent on the switch) is below" in run("check", mine).out
    recommended = run("show", "ecn", "--recommend", mine).out
    assert "in the inventory (1 to 2 percent on the switch)" in recommended
    assert "Kmin and Kmax are rounded up (1 to " in " ".join(recommended.split())
    dcqcn = run("show", "dcqcn", mine).out
    assert "763.224-1526.45 kB (1 to 2 percent on the switch) 100 %" in dcqcn
