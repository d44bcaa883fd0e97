"""Whole artefacts against files that a person has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.render import render_device
from tests.render.designs import design, switches

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = [
    *(("demo", name) for name in switches("demo")),
    ("rail-512", "su1-rail0"),
    ("rail-512", "spine01"),
    ("a100-pcie", "rack1-leaf"),
    ("a100-pcie", "spine01"),
]


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_artefacts_are_the_golden_files(
    inventory: str, switch: str, *, update_golden: bool
) -> None:
    """Every artefact equals its golden file, and no golden file is left over."""
    device = design(inventory, switch)
    folder = GOLDEN / device.platform / inventory / switch
    artefacts = {Path(artefact.path).name: artefact.content for artefact in render_device(device)}
    if update_golden:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in artefacts.items():
            (folder / name).write_bytes(content)
    assert {path.name for path in folder.iterdir()} == set(artefacts)
    for name, content in artefacts.items():
        assert content.decode() == (folder / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(("inventory", "switch"), CASES[:2])
def test_same_design_same_bytes(inventory: str, switch: str) -> None:
    """Rendering twice gives the same bytes."""
    device = design(inventory, switch)
    assert render_device(device) == render_device(device)
