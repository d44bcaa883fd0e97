"""Two hosts of the demonstration as virtual machines, in two units: leaf, spine, leaf between them.

Their NICs are virtio with Soft-RoCE; all settings are put into force by the rendered script.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fabric.design.host_model import NicDesign
from fabric.observe.hostfacts.gids import Gid, parse_gid_files
from fabric.observe.hostfacts.readings import command_of
from fabric.prove.engine import Engine
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.cli.runs import ROOT
from tests.reallab.conftest import counted, require_parts
from tests.reallab.plans import PLANS, change, inventory_of
from tests.reallab.vm.kernel import require_vm_parts
from tests.reallab.vm.machine import Machines
from tests.render.designs import INVENTORY

HOSTS = ("gpu001", "gpu003")
_PATIENCE_S = 90.0


@dataclass(frozen=True)
class Virtual:
    """Virtual machines, and the project that their files come from."""

    project: Project
    machines: Machines

    def nic(self, host: str, interface: str) -> NicDesign:
        """Return a NIC as planned."""
        nics = self.project.hosts[host].nics
        return next(nic for nic in nics if nic.interface == interface)

    def run(self, host: str, command: str, timeout_s: float = 120.0) -> str:
        """Run a command as root; return its output."""
        done = self.machines.run(host, command, timeout_s)
        assert done.code == 0, (command, done)
        return done.out

    def gids(self, host: str) -> tuple[Gid, ...]:
        """Return the GID table of a host as the product reads it."""
        return parse_gid_files(self.run(host, command_of("gid_files")))

    def command(self, *words: object) -> tuple[int, str]:
        """Run Python where the machines are reached; return exit code and output."""
        argv = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", *map(str, words)]
        done = self.machines.lab.keeper.run(self.machines.namespace, argv, 300.0)
        assert "Traceback" not in done.err, done.err
        return done.code, done.out

    def probe(self, stage: str) -> dict[str, Any]:
        """Return the report of ``rocefab probe``."""
        words = ("--only", ",".join(HOSTS), "--run", "--stage", stage, "--format", "json")
        inventory, connections = self.project.intent.folder, self.machines.connections()
        code, text = self.command(
            "fabric", "probe", inventory, "--connections", connections, *words
        )
        assert code == 4, text  # the counters of Soft-RoCE do not tell of lost packets
        report: dict[str, Any] = json.loads(text)
        return report

    def facts(self, host: str) -> dict[str, Any]:
        """Return what the product reads of a host, and what it thinks of it."""
        inventory, connections = self.project.intent.folder, self.machines.connections()
        code, text = self.command("tests.reallab.vm.facts", inventory, connections, host)
        assert code == 0, text
        said: dict[str, Any] = json.loads(text)
        return said

    def on_the_wire(self, nic: NicDesign, packets: int, work: Callable[[], object]) -> str:
        """Return what tcpdump says of RoCEv2 packets on the leaf of a NIC while work is done."""
        lab = self.machines.lab
        log = self.machines.folder / f"dump-{time.monotonic_ns()}"
        words = ["timeout", "60", "tcpdump", "-l", "-n", "-v", "-c", str(packets)]
        words += ["-i", lab.interface(nic.leaf, nic.leaf_port), "udp", "port", "4791"]
        lab.keeper.start(lab.namespace(nic.leaf), words, log)
        _wait_for(log, "listening on")
        work()
        return _wait_for(log, "packets captured")


def _wait_for(log: Path, words: str) -> str:
    until_s = time.monotonic() + _PATIENCE_S
    while not (log.exists() and words in log.read_text(encoding="utf-8")):
        assert time.monotonic() < until_s, (words, log)
        time.sleep(0.1)
    return log.read_text(encoding="utf-8")


def _stock(folder: Path, plan: str) -> Path:
    """Return a plan of addresses with the driver of the kernel, as Debian has it."""
    source = inventory_of(plan, folder / "plan") if plan in PLANS else INVENTORY / plan
    text = (source / "fabric.yaml").read_text(encoding="utf-8")
    old = "  management_rdma_device: mlx5_0\n"
    more = f"{old}  nic: {{driver: mlx5}}\n  network_stack: networkd\n"
    (folder / "inventory").mkdir()
    (folder / "inventory" / "fabric.yaml").write_text(change(text, {old: more}), encoding="utf-8")
    return folder / "inventory"


@pytest.fixture(scope="module", params=("demo",))
def virtual(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Virtual]:
    """The machines, up, with their settings in force."""
    require_parts()
    require_vm_parts()
    folder = tmp_path_factory.mktemp("vm")
    (folder / "plan").mkdir()
    project = Project(_stock(folder, request.param))
    with real_laboratory(project) as lab:
        machines = Machines(lab, folder)
        for name in HOSTS:
            machines.start(project.hosts[name], project.host_artefacts[name])
        made = Virtual(project, machines)
        engine = Engine(project.fabric, project.devices, project.hosts, lab.blueprint.files)
        lab.wait_for_sessions(counted(engine.prove())[0])
        machines.wait()
        with ThreadPoolExecutor(len(HOSTS)) as pool:
            list(pool.map(lambda name: made.run(name, "sh /etc/rocefab/apply.sh", 300), HOSTS))
        yield made
