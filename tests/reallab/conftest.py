"""The real lab in tests: it needs root and packages, and a machine that lacks them skips."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabric.lab.real import RealLab, missing_parts
from fabric.prove.engine import Engine, Proof
from fabric.topology.clos import Outage, clos, failed
from fabric.topology.paths import Layers
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.booted import HOST, OTHER, Site, write_inventory
from tests.reallab.plans import PLANS, inventory_of

INVENTORIES = (
    *("demo", "dual-tor", "dual-plane", "three-tier", "eight-slash-27", "mixed", "routed"),
)
#: Time that a routing change gets; measured: below 3 s, and 12 s where a session starts again.
PATIENCE_S = 40.0


def require_parts(*, booted: bool = False) -> None:
    """Skip where the real lab cannot run, or fail where the judges are required."""
    reason = missing_parts(booted=booted)
    if reason and os.environ.get("ROCEFAB_JUDGES") == "required":
        pytest.fail(f"no real lab: {reason}; run 'make judges' as root")
    if reason:
        pytest.skip(f"no real lab: {reason}; 'make judges' installs the packages")


def counted(proof: Proof) -> tuple[int, int]:
    """Return ends of sessions, each once for each of its families, and next hops of a proof."""
    proofs = [proof, *([proof.other] if proof.other else [])]
    return sum(own.sessions for own in proofs), sum(own.routes for own in proofs)


@dataclass
class Running:
    """A lab with the project that it is built from."""

    project: Project
    lab: RealLab

    @property
    def engine(self) -> Engine:
        """The prover on the same files."""
        project = self.project
        return Engine(project.fabric, project.devices, project.hosts, self.lab.blueprint.files)

    def proof(self) -> Proof:
        """What ``prove`` says while everything works."""
        return self.engine.prove()

    def announced(self, leaf: str) -> tuple[str, ...]:
        """Prefixes of NICs that a leaf announces."""
        device = self.project.devices[leaf]
        return (
            *(device.summaries or device.host_networks),
            *(device.summaries6 or device.host_networks6),
        )

    def promised(self, outage: Outage | None = None) -> set[tuple[str, str]]:
        """Pairs of addresses of different hosts that the design connects, or ``whatif`` leaves."""
        network = clos(self.project.fabric)
        network = failed(network, outage) if outage else network
        reach = Layers.of(network).reach
        nics, hosts = network.nics, list(self.project.hosts.values())
        addresses = [nic.addresses for host in hosts for nic in host.nics]
        rows = [row for row in range(len(addresses)) if nics.up[row]]
        return {
            (source.address, target.address)
            for one in rows
            for two in rows
            if nics.host[one] != nics.host[two]
            and (nics.leaf[one] == nics.leaf[two] or reach[nics.leaf[one], nics.leaf[two]])
            for source, target in zip(addresses[one], addresses[two], strict=True)
        }

    def answered(self, size_bytes: int = 9000) -> set[tuple[str, str]]:
        """Pairs of addresses of different hosts where the second one answers the first one."""
        nics = self.lab.nics()
        wanted = {
            own.address: [other.addresses[row].address for far, other in nics if far != name]
            for name, nic in nics
            for row, own in enumerate(nic.addresses)
        }
        seen = self.lab.pings(wanted, size_bytes)
        return {(source, target) for source, targets in seen.items() for target in targets}

    def settled(self, expected: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return the pairs that answer, as soon as they are the expected ones, or at last."""
        until_s = time.monotonic() + PATIENCE_S
        while (seen := self.answered()) != expected and time.monotonic() < until_s:
            time.sleep(0.5)
        return seen


@pytest.fixture(scope="module", params=(*INVENTORIES, *PLANS))
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A lab of each inventory and plan, with its sessions up."""
    require_parts()
    project = Project(inventory_of(request.param, tmp_path_factory.mktemp("inventory")))
    with real_laboratory(project) as lab:
        made = Running(project, lab)
        sessions, next_hops = counted(made.proof())
        lab.wait_for_sessions(sessions)
        lab.wait_for_next_hops(next_hops)
        yield made


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The demo fabric, with two hosts that are booted."""
    require_parts(booted=True)
    folder = tmp_path_factory.mktemp("lab")
    with real_laboratory(
        Project(write_inventory(folder / "inventory")), boot=f"{HOST},{OTHER}"
    ) as lab:
        yield Site(lab, folder)


@pytest.fixture
def visitor(booted: Site, tmp_path: Path) -> Site:
    """An operator with a new folder, who changes no host."""
    return Site(booted.lab, tmp_path)


@pytest.fixture
def site(booted: Site, tmp_path: Path) -> Site:
    """An operator with a new folder, and a host without a file of rocefab."""
    booted.wipe()
    return Site(booted.lab, tmp_path)
