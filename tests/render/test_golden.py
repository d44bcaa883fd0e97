"""Whole artefacts against files that a person has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.render import render_device
from tests.render.designs import design, switches, variant

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


R_SERIES = {
    "sku: 7050DX4-32S": "sku: 7280DR3AK-36S",
    "arp: {": "ecmp: {hash_queue_pairs: true}\narp: {",
}


def test_r_series(tmp_path: Path, *, update_golden: bool) -> None:
    """Queues at the ingress: other words for queues, counters of ECN, and hashed queue pairs."""
    leaf = variant(tmp_path / "inventory", "a100-pcie", R_SERIES)["rack1-leaf"]
    text = render_device(leaf)[0].text
    file = GOLDEN / "eos" / "r-series" / "rack1-leaf" / "startup-config.eos"
    if update_golden:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
