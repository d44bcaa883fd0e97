"""A spine that forwards nothing while its BGP sessions are up stops a roll-out of hosts."""

from __future__ import annotations

import re

import pytest

from tests.reallab.booted import HOST, OTHER, Site, apart

pytestmark = pytest.mark.lab

NICS = {"10.64.0.2": ["10.64.2.2"], "10.64.1.2": ["10.64.3.2"]}
FORWARD = "net.ipv4.ip_forward"


def grey_spine(site: Site) -> str:
    """Return a spine that some ping between the hosts goes through."""
    lab = site.lab
    whole = {one: set(others) for one, others in NICS.items()}
    assert lab.pings(NICS) == whole
    for spine in ("spine01", "spine02"):
        lab.run(spine, ["sysctl", "-q", f"{FORWARD}=0"])
        seen = lab.pings(NICS)
        lab.run(spine, ["sysctl", "-q", f"{FORWARD}=1"])
        if seen != whole:
            return spine
    pytest.fail("no ping between the hosts goes through a spine")


def test_a_grey_spine_stops_a_roll_out_by_its_pings(site: Site) -> None:
    """It turns grey during the soak: the wave is rolled back, and the report says why."""
    both = f"{HOST},{OTHER}"
    site.configured(only=both)
    sessions = site.lab.wait_for_sessions(16)
    assert sessions == 16
    spine = grey_spine(site)
    enter = f"ip netns exec {site.lab.namespace(spine)}"
    gate = site.roll_out(f"{enter} sysctl -q {FORWARD}=0", ping=True)
    before = site.state()
    changed = site.inventory("changed", arp_s=200, more=gate)
    planned = site.plan(changed, "--rollout", only=both)
    assert (planned.code, "no ping goes through" in planned.out) == (0, False), planned.said
    try:
        ended = site.apply()
        assert ended.code == 3, ended.said
        assert "soak of 1 s" in ended.err  # until then the pings were answered
        assert re.search(r"gate ping: gpu00[13] .*0 of 3 replies", ended.err), ended.said
        assert f"{HOST}: rolled back\n" in ended.err
        assert site.lab.established() == sessions
        assert apart(before, site.state()) == ""
        told = site.rocefab("report", 2)
        assert "gate ping: " in told.out, told.said
    finally:
        site.lab.run(spine, ["sysctl", "-q", f"{FORWARD}=1"])
