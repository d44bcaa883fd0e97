"""The real slurmctld drains and resumes nodes as our health check says, and leaves others alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.placement.exporters.slurm import slurm
from tests.cli.runs import ROOT
from tests.judges import test_slurm as slurmctld
from tests.judges.conftest import missing_judge
from tests.serve.servers import served
from tests.topology.fabrics import example

SCRIPT = ROOT / "docs" / "slurm" / "health_check.sh"
#: The lines of the documentation, as they stand there.
OWN = re.findall(r"^ *#? *(HealthCheck\w+=.*)$", SCRIPT.read_text(), re.MULTILINE)
LINES = "\n".join(["SlurmdTimeout=0", "ReturnToService=2", *OWN, ""])
DOWN = {"health": "down", "reason": 'bad "cable"; $(touch x) \\ at 3'}


@pytest.fixture(autouse=True)
def curl() -> None:
    for name in ("curl", "timeout"):
        if shutil.which(name, path="/usr/bin") is None:
            missing_judge(f"{name} (Debian packages curl and coreutils)")


class Node:
    """A node of a running slurmctld, and the script with the address of the service."""

    def __init__(self, folder: Path, environment: dict[str, str], url: str) -> None:
        self.environment = environment
        self.script = folder / "health_check.sh"
        self.script.write_text(SCRIPT.read_text().replace("http://127.0.0.1:8780", url))

    def check(self, name: str) -> tuple[str, str]:
        """Run the script for a node; return its state and reason."""
        words = [shutil.which("dash") or "/bin/sh", str(self.script)]
        environment = {**self.environment, "SLURMD_NODENAME": name}
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        text = slurmctld._scontrol(self.environment, "--oneliner", "show", "node", name)
        state, reason = re.search(r" State=(\S+)", text), re.search(r" Reason=(.*?) \[", text)
        return state[1] if state else "", reason[1] if reason else ""

    def set(self, name: str, *words: str) -> None:
        slurmctld._scontrol(self.environment, "update", f"nodename={name}", *words)


def test_nodes_follow_the_service(tmp_path, monkeypatch) -> None:
    with served(tmp_path / "state") as client:
        monkeypatch.setattr(slurmctld, "CONFIGURATION", slurmctld.CONFIGURATION + LINES)
        topology = slurm(example("demo"))
        with slurmctld._controller(tmp_path, "gpu[001-004]", topology) as environment:
            taken = slurmctld._scontrol(environment, "show", "config")
            known = dict(re.findall(r"^(HealthCheck\w+) *= (.*)$", taken, re.MULTILINE))
            assert known["HealthCheckNodeState"] == "CYCLE,ANY"
            assert (
                known["HealthCheckProgram"]
                == dict(one.split("=") for one in OWN)["HealthCheckProgram"]
            )
            assert "HealthCheck" not in slurmctld._log(tmp_path)
            node = Node(tmp_path, environment, f"http://127.0.0.1:{client.base_url.port}")
            for state in ("state=down", "state=idle"):
                node.set("gpu[001-004]", state, "reason=test")
            assert "DRAIN" not in node.check("gpu001")[0]

            client.patch("/v1/state", json={"conditions": {"gpu001:eth1": DOWN}})
            state, reason = node.check("gpu001")
            assert "DRAIN" in state
            assert reason.startswith("rocefab: gpu001:eth1 is down: bad ")
            assert node.check("gpu001") == (state, reason)
            assert "DRAIN" not in node.check("gpu002")[0]

            client.patch("/v1/state", json={"conditions": {"gpu001:eth1": None}})
            assert "DRAIN" not in node.check("gpu001")[0]

            node.set("gpu002", "state=drain", "reason=disk")
            assert node.check("gpu002")[1] == "disk"
            client.patch("/v1/state", json={"conditions": {"su1-rail0": {"health": "drained"}}})
            assert node.check("gpu002")[1] == "disk"
            assert node.check("gpu001")[1].startswith("rocefab: su1-rail0 is drained")
        assert not list(tmp_path.glob("x"))


def test_nothing_changes_where_the_service_is_away(tmp_path) -> None:
    calls = tmp_path / "calls"
    node = Node(tmp_path, dict(os.environ), f"http://127.0.0.1:{slurmctld._free_port()}")
    script = node.script.read_text().replace("scontrol ", f"touch {calls}; false ")
    node.script.write_text(script)
    done = subprocess.run(["/bin/sh", str(node.script)], capture_output=True, check=False)
    assert (done.returncode, done.stdout, calls.exists()) == (0, b"", False)


def test_shellcheck() -> None:
    if (program := shutil.which("shellcheck")) is None:
        missing_judge("shellcheck")
    assert program is not None
    done = subprocess.run([program, str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
