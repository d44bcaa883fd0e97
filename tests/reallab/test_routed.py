"""NICs on routed ports: what a dead link leaves behind in the fabric."""

from __future__ import annotations

import time

import pytest

from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import Running, require_parts
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab
OTHERS = ("spine01", "spine02", "su1-rail0")
#: Time in which the rest of the fabric forgets a NIC whose link is down.
WITHDRAWN_S = 3.0


def test_the_route_of_a_dead_link_is_withdrawn() -> None:
    """That of one NIC, on every other switch, and that of no other NIC; a VLAN would keep it."""
    require_parts()
    project = Project(INVENTORY / "routed")
    with real_laboratory(project) as lab:
        made = Running(project, lab)
        lab.wait_for_next_hops(made.proof().routes)
        networks = project.devices["su2-rail0"].host_networks

        def known(switch: str) -> set[str]:
            return {network for network in networks if lab.next_hops(switch, network)}

        assert [known(switch) for switch in OTHERS] == [{*networks}] * len(OTHERS)
        lab.cut("gpu003", "eth1")
        until_s = time.monotonic() + WITHDRAWN_S
        dead = project.hosts["gpu003"].nics[0].network
        while [known(switch) for switch in OTHERS] != [{*networks} - {dead}] * len(OTHERS):
            assert time.monotonic() < until_s
            time.sleep(0.05)
