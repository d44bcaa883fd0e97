"""A spine that goes out of service: how many pings are lost, with a drain and without."""

from __future__ import annotations

import re
import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

from fabric.devices.traffic import FrrShutdown
from fabric.topology.outages import outage
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import Running, require_parts
from tests.reallab.test_fabric import cut_all
from tests.render.designs import INVENTORY

if TYPE_CHECKING:
    from fabric.devices.ssh import ShellSession
    from fabric.lab.real.lab import RealLab

pytestmark = pytest.mark.lab

PINGS, INTERVAL_MS, LATE_MS = 200, 25, 2000
#: Time for all switches to have left the spine; measured: below 1 s.
DRAIN_S = 2.0


def lost_pings(running: Running, *, drained: bool) -> int:
    """Ping between all hosts while a spine drops what it carries, and is then cut off.

    Returns
    -------
    int
        How many pings got no answer.
    """
    lab = running.lab
    spine = next(name for name, one in lab.blueprint.devices.items() if one.role == "spine")
    nics = lab.nics()
    words = [
        "fping",
        "-q",
        "-i",
        "1",
        "-M",
        "-b",
        "8972",
        "-c",
        str(PINGS),
        "-p",
        str(INTERVAL_MS),
        "-t",  # else a reply is late after the interval
        str(LATE_MS),
        "-S",
    ]

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
            bgp = FrrShutdown(cast("ShellSession", InNamespace(lab, spine)), spine)
            bgp.drain()
            assert bgp.drained()
            time.sleep(DRAIN_S)
            assert not ways_through(running, spine)
        lab.run(spine, ["sysctl", "-q", "net.ipv4.ip_forward=0"])
        time.sleep(0.5)
        cut_all(running, lost)
        return sum(answer.result() for answer in answers)


@dataclass(frozen=True)
class InNamespace:
    """What `FrrShutdown` needs of a shell, on a switch of the real lab."""

    lab: RealLab
    switch: str

    def check(self, command: str) -> str:
        """Run a command as `ShellSession` does."""
        sudo, alone, vtysh, *words = shlex.split(command)
        assert (sudo, alone, vtysh) == ("sudo", "-n", "vtysh")
        socket = ["--vty_socket", str(self.lab.folder(self.switch))]
        answer = self.lab.run(self.switch, ["vtysh", *socket, *words])
        assert not answer.code, answer
        return answer.out


def ways_through(running: Running, spine: str) -> set[tuple[str, str]]:
    """Leaves and networks of NICs with a next hop at a spine."""
    devices = running.project.devices
    return {
        (name, vlan.network)
        for name, device in devices.items()
        for other in devices.values()
        for vlan in other.vlans
        if other.name != name
        and {port.name for port in device.ports if port.peer == spine}
        & set(running.lab.next_hops(name, vlan.network))
    }


def test_no_ping_is_lost_when_a_spine_is_drained_first(capsys: pytest.CaptureFixture[str]) -> None:
    """By BGP graceful shutdown; without it a spine that drops silently costs pings."""
    inventory = "demo"
    require_parts()
    lost = {}
    for drained in (True, False):
        project = Project(INVENTORY / inventory)
        with real_laboratory(project) as lab:
            running = Running(project, lab)
            proof = running.proof()
            lab.wait_for_sessions(proof.sessions)
            lab.wait_for_next_hops(proof.routes)
            assert ways_through(running, "spine01")
            promised = running.promised()
            assert running.settled(promised) == promised
            lost[drained] = lost_pings(running, drained=drained)
    with capsys.disabled():
        print(f"{inventory}: pings lost {lost[True]} after a drain, {lost[False]} without")
    assert lost[True] == 0 < lost[False]


def test_the_drain_begins_and_ends_as_often_as_it_is_asked_to() -> None:
    require_parts()
    project = Project(INVENTORY / "demo")
    with real_laboratory(project) as lab:
        running = Running(project, lab)
        proof = running.proof()
        lab.wait_for_sessions(proof.sessions)
        lab.wait_for_next_hops(proof.routes)
        through = ways_through(running, "spine01")
        bgp = FrrShutdown(cast("ShellSession", InNamespace(lab, "spine01")), "spine01")
        assert through
        assert not bgp.drained()
        for _ in range(2):
            bgp.drain()
        until_s = time.monotonic() + 30
        while ways_through(running, "spine01") and time.monotonic() < until_s:
            time.sleep(0.2)
        assert not ways_through(running, "spine01")
        for _ in range(2):
            bgp.undrain()
        assert not bgp.drained()
        lab.wait_for_next_hops(proof.routes)
        assert ways_through(running, "spine01") == through
