"""A real Dask scheduler and two workers on this machine do the work of a command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.workflow.check import check
from fabric.workflow.cluster import Cluster, version
from fabric.workflow.project import Project
from fabric.workflow.render import render
from fabric.workflow.work import Work
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY, REPOSITORY
from tests.waiting import until

pytestmark = pytest.mark.slow


@contextmanager
def process(folder: Path, name: str, *words: str, **environment: str):
    """Run a program of Dask; its messages are in a file."""
    log = folder / f"{name}.log"
    with (
        log.open("w") as file,
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
            start_new_session=True,
        ) as running,
    ):
        try:
            yield running, log
        finally:
            running.send_signal(signal.SIGTERM)
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)


@contextmanager
def scheduler(folder: Path):
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter")
    with process(folder, "scheduler", "scheduler", *words) as (_, log):
        until(lambda: "Scheduler at:" in log.read_text(), "the scheduler listens", 60)
        yield re.search(r"Scheduler at:\s+tcp://(\S+)", log.read_text())[1]


def worker(folder: Path, address: str, name: str, **environment: str):
    words = (f"tcp://{address}", "--nthreads", "1", "--no-dashboard", "--name", name, "--no-nanny")
    return process(folder, name, "worker", *words, **environment)


@pytest.fixture
def cluster(tmp_path):
    with ExitStack() as stack:
        address = stack.enter_context(scheduler(tmp_path))
        workers = [stack.enter_context(worker(tmp_path, address, n)) for n in ("one", "two")]
        for _, log in workers:
            until(lambda log=log: "Registered to:" in log.read_text(), "a worker", 60)
        yield address, [running for running, _ in workers]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


def test_same_bytes_and_findings(cluster, tmp_path, monkeypatch):
    address, _ = cluster
    monkeypatch.setenv("ROCEFAB_FRESH", "1")
    inventory = INVENTORY / "mixed"
    render(Project(inventory), tmp_path / "here")
    words = ("--workers", f"dask://{address}")
    ended = run("render", inventory, "--out", tmp_path / "there", *words)
    assert ended.code == 0, ended.said
    assert files(tmp_path / "here") == files(tmp_path / "there")
    far = run("check", inventory, "--format", "json", *words)
    near = run("check", inventory, "--format", "json")
    assert json.loads(far.out) == json.loads(near.out)
    assert far.code == near.code


def test_simulations_are_the_same_here_in_processes_and_on_a_cluster(cluster):
    """Three settings: on the cluster each is a task."""
    address, _ = cluster
    words = ["simulate", "--star", "--incast", "4", "--bytes", "64KiB", "--duration-ms", "0.5"]
    words += ["--compare", "off", "--compare", "hpcc", "--format", "json"]
    here, *others = (
        run(*words, "--workers", workers) for workers in ("1", "2", f"dask://{address}")
    )
    assert list(json.loads(here.out)) == ["connectx", "off", "hpcc"]
    for other in others:
        assert (other.code, other.out) == (here.code, here.out), other.said


def slow(item: tuple[str, int]) -> int:
    """Square a number when the test says so; says first who works."""
    folder, number = Path(item[0]), item[1]
    (folder / str(os.getpid())).touch()
    until((folder / "go").exists, "a worker is lost", 60)
    return number * number


def slow_part(items: list[tuple[str, int]]) -> list[int]:
    return [slow(item) for item in items]


def test_a_lost_worker_is_survived(cluster, tmp_path):
    address, workers = cluster
    begun = tmp_path / "begun"
    begun.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.workflow.test_cluster", address, str(begun)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        until(lambda: any(begun.iterdir()), "a worker has begun", 60)
        lost = int(next(begun.iterdir()).name)
        os.kill(lost, signal.SIGKILL)
        (begun / "go").touch()
        out, _ = client.communicate(timeout=120)
    assert lost in {one.pid for one in workers}
    assert json.loads(out) == [number * number for number in range(200)]


def test_another_version_is_refused(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text(
        "import fabric.workflow.cluster as c\nc.version = lambda: 'rocefab of last year'\n"
    )
    path = f"{other}:{REPOSITORY}"
    with (
        scheduler(tmp_path) as address,
        worker(tmp_path, address, "old", PYTHONPATH=path),
        pytest.raises(InputError) as raised,
    ):
        check(Project(INVENTORY / "demo", Work(executor=Cluster(f"dask://{address}"))))
    (finding,) = raised.value.findings
    assert "has rocefab of last year, and this is rocefab" in finding.message


def test_no_scheduler_and_no_worker(tmp_path, monkeypatch):
    monkeypatch.setattr("fabric.workflow.cluster._TIMEOUT_S", 1)
    with scheduler(tmp_path) as address:
        with pytest.raises(InputError, match="nothing was done") as raised:
            [*Cluster(f"dask://{address}").map(len, [""])]
        assert "has no worker" in raised.value.findings[0].message
    with pytest.raises(InputError) as raised:
        [*Cluster(f"dask://{address}").map(len, [""])]
    assert "no Dask scheduler answers" in raised.value.findings[0].message


def test_addresses_that_are_none():
    for text in ("many", "1025", "-1", "dask://", "tcp://h:1", "dask://h:1/x;rm"):
        ended = run("check", INVENTORY / "demo", "--workers", text)
        assert ended.code == 2, ended.said
        assert "neither a number up to 1024 nor dask://HOST:PORT" in ended.err


def test_the_version_is_that_of_the_content():
    assert re.fullmatch(r"rocefab [0-9a-f]{12} on Python 3\.\d+", version())


if __name__ == "__main__":
    from tests.workflow import test_cluster

    numbers = [(sys.argv[2], number) for number in range(200)]
    parts = [numbers[start : start + 50] for start in range(0, 200, 50)]
    done = Cluster(f"dask://{sys.argv[1]}").map(test_cluster.slow_part, parts)
    print(json.dumps([square for part in done for square in part]))
