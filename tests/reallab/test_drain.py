"""A spine that goes out of service: how many pings are lost, with a drain and without."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.topology.outages import outage
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import Running, require_parts
from tests.reallab.test_fabric import cut_all
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab

PINGS, INTERVAL_MS = 400, 10
#: Time for all switches to have left the spine; measured: below 1 s.
DRAIN_S = 2.0


def lost_pings(running: Running, *, drained: bool) -> int:
    """Ping between all NICs of a rail while a spine is cut off; return how many got no answer."""
    lab = running.lab
    spine = next(name for name, one in lab.blueprint.devices.items() if one.role == "spine")
    nics = [(name, nic) for name, nic in lab.nics() if nic.rail == 0]
    words = ["fping", "-q", "-M", "-b", "8972", "-c", str(PINGS), "-p", str(INTERVAL_MS), "-S"]

    def ping(source: tuple[str, str]) -> int:
        host, address = source
        others = [nic.address for name, nic in nics if name != host]
        said = lab.run(host, [*words, address, *others]).err
        counts = re.findall(r"xmt/rcv/%loss = (\d+)/(\d+)/", said)
        assert len(counts) == len(others), said
        return sum(int(sent) - int(received) for sent, received in counts)

    lost = outage(running.project.fabric, [f"switch:{spine}"])
    with ThreadPoolExecutor(len(nics)) as pool:
        answers = [pool.submit(ping, (name, nic.address)) for name, nic in nics]
        time.sleep(0.5)
        if drained:
            lab.drain(spine)
            time.sleep(DRAIN_S)
        cut_all(running, lost)
        return sum(answer.result() for answer in answers)


@pytest.mark.parametrize("inventory", ["demo", "dual-tor"])
def test_no_ping_is_lost_when_a_spine_is_drained_first(
    inventory: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By BGP graceful shutdown; cut off without it, some are lost."""
    require_parts()
    lost = {}
    for drained in (True, False):
        project = Project(INVENTORY / inventory)
        with real_laboratory(project) as lab:
            running = Running(project, lab)
            proof = running.proof()
            lab.wait_for_sessions(proof.sessions)
            lab.wait_for_next_hops(proof.routes)
            promised = running.promised()
            assert running.settled(promised) == promised
            lost[drained] = lost_pings(running, drained=drained)
    with capsys.disabled():
        print(f"{inventory}: pings lost {lost[True]} after a drain, {lost[False]} without")
    assert lost[True] == 0
