"""EOS: rendered and recorded configurations are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.observe.test_fixtures import recorded
from tests.systems.readings import golden, is_whole, read

KIND = "startup-config"


@pytest.mark.parametrize("path", golden("eos", "startup-config.eos"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("eos", KIND, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("release", ["4.19", "4.22"])
def test_recorded_configurations(release: str) -> None:
    """`show running-config all`: name and ports, and lines that are left over."""
    text = recorded(f"eos/show_running_config_all_interface_{release}.cfg")
    switch = read("eos", KIND, text)
    assert switch.name
    assert switch.ports
    assert switch.leftovers
