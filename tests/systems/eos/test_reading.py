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


def test_lines_inside_a_family_are_about_its_routes() -> None:
    """Outside of one they are about both families."""
    process = "router bgp 65001\n   neighbor 10.0.0.1 remote-as 65000\n"
    policy = "neighbor 10.0.0.1 route-map IN in\n"
    family = f"   address-family ipv6\n      redistribute connected\n      {policy}"
    inside = read("eos", KIND, process + family).bgp
    outside = read("eos", KIND, f"{process}   redistribute connected\n   {policy}").bgp
    assert inside
    assert outside
    assert [one.is_ipv6 for one in inside.originations] == [True]
    assert [one.is_ipv6 for one in outside.originations] == [False, True]
    peers = [bgp.peers["10.0.0.1"] for bgp in (inside, outside)]
    assert [(one.policy_in, one.policy_in6) for one in peers] == [(None, "IN"), ("IN", "IN")]
