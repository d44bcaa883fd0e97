"""The examples with NX-OS switches in them give no warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.findings import Severity
from fabric.validate.runner import run
from tests.validate.worlds import build

MODELS = {
    "demo": ("N9K-C9332D-GX2B", "N9K-C9364D-GX2A"),
    "rail-512": ("N9K-C9364D-GX2A", "N9K-C9364D-GX2A"),
    "a100-pcie": ("N9K-C9332D-GX2B", "N9K-C9332D-GX2B"),
}
CHANGES = {
    "lossless.cnp_queue": 7,
    "lossless.cnp_traffic_class": 7,
    "lossless.mtu": {"port_bytes": 9216},
    "arp.mac_ageing_s": 1800,
}


@pytest.mark.parametrize("name", MODELS)
def test_no_warning(name: str, tmp_path: Path) -> None:
    leaf, spine = MODELS[name]
    models = {"platforms.leaf.sku": leaf, "platforms.spine.sku": spine}
    case = {"base": name, "set": {**CHANGES, **models}, "keep_files": False}
    outcome = run(build(case, tmp_path))
    assert outcome.broken == ()
    assert [str(finding) for finding in outcome.at_least(Severity.WARNING)] == []


def test_what_the_inventory_says_by_default_is_not_for_nx_os(tmp_path: Path) -> None:
    """CNPs in queue 6 and frames of 9100 bytes: both are found before anything is rendered."""
    models = {"platforms.leaf.sku": MODELS["demo"][0], "platforms.spine.sku": MODELS["demo"][1]}
    outcome = run(build({"base": "demo", "set": models, "keep_files": False}, tmp_path))
    assert {finding.rule for finding in outcome.at_least(Severity.WARNING)} == {"NXO002", "NXO003"}
