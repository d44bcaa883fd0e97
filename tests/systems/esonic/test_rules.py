"""The examples with switches that run Enterprise SONiC give no warning."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.findings import Severity
from fabric.validate.runner import run
from tests.validate.worlds import build

MODELS = {
    "demo": ("Z9332F-ON", "Z9664F-ON"),
    "rail-512": ("Z9664F-ON", "Z9664F-ON"),
    "a100-pcie": ("Z9332F-ON", "Z9332F-ON"),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_warning(name: str, tmp_path: Path) -> None:
    leaf, spine = MODELS[name]
    models = {"platforms.leaf.sku": leaf, "platforms.spine.sku": spine}
    outcome = run(build({"base": name, "set": models, "keep_files": False}, tmp_path))
    assert outcome.broken == ()
    assert [str(finding) for finding in outcome.at_least(Severity.WARNING)] == []
