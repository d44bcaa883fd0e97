"""The real slurmctld runs our job_submit.lua, with the service, and without it."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from pathlib import Path

import pytest

from fabric.placement.exporters.slurm import slurm
from tests.cli.runs import ROOT
from tests.judges import test_slurm as slurmctld
from tests.judges.conftest import missing_judge
from tests.serve.servers import served
from tests.topology.fabrics import example

SCRIPT = ROOT / "docs" / "slurm" / "job_submit.lua"
LIBRARIES = (
    "/usr/lib/x86_64-linux-gnu/slurm-wlm/job_submit_lua.so",
    "/usr/share/lua/5.1/socket/http.lua",
)
HOSTS = "gpu[001-004]"


@pytest.fixture(autouse=True)
def plugin() -> None:
    for path in LIBRARIES:
        if not Path(path).exists():
            missing_judge("job_submit/lua (Debian packages slurm-wlm-plugins and lua-socket)")


def _submitted(
    folder: Path,
    monkeypatch,
    url: str,
    *words: str,
    is_patient: bool = False,
    hold_s: int = 0,
    times: int = 1,
) -> tuple[str, float]:
    """Return what scontrol says of jobs that are alike, and how long the last submission took."""
    script = SCRIPT.read_text().replace("http://127.0.0.1:8780", url)
    assert url in script
    if is_patient:
        script = script.replace("DEADLINE_S = 0.5", "DEADLINE_S = 30")
    assert "HOLD_S = 0\n" in script
    script = script.replace("HOLD_S = 0\n", f"HOLD_S = {hold_s}\n")
    (folder / "job_submit.lua").write_text(script)
    lines = slurmctld.CONFIGURATION + "JobSubmitPlugins=lua\n"
    monkeypatch.setattr(slurmctld, "CONFIGURATION", lines)
    with slurmctld._controller(folder, HOSTS, slurm(example("demo"))) as environment:
        for _ in range(times):
            began_s = time.monotonic()
            done = subprocess.run(
                [slurmctld._program("sbatch"), "--hold", "--wrap=true", *words],
                env=environment,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            took_s = time.monotonic() - began_s
            assert done.returncode == 0, done.stderr + slurmctld._log(folder)
        return slurmctld._scontrol(environment, "show", "job"), took_s


def _nodes(shown: str) -> str:
    return re.search(r"ReqNodeList=(\S+)", shown)[1]


def test_job_gets_the_nodes_of_the_answer(tmp_path, monkeypatch) -> None:
    with served(tmp_path / "state") as client:
        client.patch("/v1/state", json={"conditions": {"gpu001": {"health": "down"}}})
        words = ("--nodes=2", "--comment=rocefab:all-to-all", "--exclude=gpu002")
        url = str(client.base_url)
        shown, _ = _submitted(tmp_path, monkeypatch, url, *words, is_patient=True)
    assert _nodes(shown) == "gpu[003-004]"


@pytest.mark.parametrize(
    ("hold_s", "nodes"),
    [(0, ["gpu[001-002]"] * 3), (600, ["gpu[001-002]", "gpu[003-004]", "(null)"])],
    ids=["without a hold", "with a hold"],
)
def test_jobs_that_follow_each_other(tmp_path, monkeypatch, hold_s: int, nodes: list[str]) -> None:
    """None of them has started: the service knows of none."""
    with served(tmp_path / "state") as client:
        words = ("--nodes=2", "--comment=rocefab")
        url = str(client.base_url)
        shown, _ = _submitted(
            tmp_path, monkeypatch, url, *words, is_patient=True, hold_s=hold_s, times=3
        )
    assert re.findall(r"ReqNodeList=(\S+)", shown) == nodes


def test_job_that_did_not_ask_is_left_alone(tmp_path, monkeypatch) -> None:
    with served(tmp_path / "state") as client:
        shown, _ = _submitted(tmp_path, monkeypatch, str(client.base_url), "--nodes=2")
        assert "rocefab_placements_total{" not in client.get("/metrics").text
    assert _nodes(shown) == "(null)"


def test_job_passes_when_there_is_no_place(tmp_path, monkeypatch) -> None:
    with served(tmp_path / "state") as client:
        client.post("/v1/jobs", json={"name": "a", "hosts": "gpu[001-003]"})
        words = ("--nodes=2", "--comment=rocefab")
        shown, _ = _submitted(tmp_path, monkeypatch, str(client.base_url), *words)
    assert _nodes(shown) == "(null)"


@pytest.mark.parametrize("listens", [True, False], ids=["never answers", "is away"])
def test_job_passes_when_the_service_is(tmp_path, monkeypatch, listens: bool) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        if listens:
            other.listen()
        url = f"http://127.0.0.1:{other.getsockname()[1]}"
        words = ("--nodes=2", "--comment=rocefab")
        shown, took_s = _submitted(tmp_path, monkeypatch, url, *words)
        assert _nodes(shown) == "(null)"
        assert took_s < 30
    assert "rocefab: job stays as it is" in slurmctld._log(tmp_path)
