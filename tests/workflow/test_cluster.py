"""A real Dask scheduler and two workers on this machine do the work of a command."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.workflow.cluster import Cluster, version
from fabric.workflow.port_plans import expected, project_of
from fabric.workflow.project import Project
from fabric.workflow.render import render
from tests.cli.runs import process as process_of
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY, REPOSITORY
from tests.waiting import until


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


@contextmanager
def workers(folder: Path, **environment: str):
    """Run a scheduler and two workers; yields its address and their processes."""
    with ExitStack() as stack:
        address = stack.enter_context(scheduler(folder))
        started = [
            stack.enter_context(worker(folder, address, name, **environment))
            for name in ("one", "two")
        ]
        for _, log in started:
            until(lambda log=log: "Registered to:" in log.read_text(), "a worker", 60)
        yield address, [running for running, _ in started]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with workers(tmp_path_factory.mktemp("cluster")) as (address, _):
        yield f"dask://{address}"


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Run a scheduler and a worker with other files of rocefab."""
    folder = tmp_path_factory.mktemp("changed")
    (folder / "sitecustomize.py").write_text(
        "import fabric.workflow.cluster as c\nc.version = lambda: 'rocefab of last year'\n"
    )
    path = f"{folder}:{REPOSITORY}"
    with scheduler(folder) as address, worker(folder, address, "old", PYTHONPATH=path):
        yield f"dask://{address}"


#: Cables of a leaf that are off, so that few failures are alike.
OFF = "Ethernet64: {enabled: false}"
NUMBERS = "".join(
    f"  - {{names: {pod}-spine0{number}, asn: {65200 + 10 * place + number}}}\n"
    for place, pod in enumerate(("east", "west"))
    for number in (1, 2)
)


@pytest.fixture(scope="module")
def inventory(tmp_path_factory) -> Path:
    """An inventory with an AS number for each spine, and a connections file of closed ports."""
    folder = tmp_path_factory.mktemp("own") / "inventory"
    shutil.copytree(INVENTORY / "three-tier", folder)
    (folder / "devices").mkdir()
    off = f"  - {{names: rack1-leaf, ports: {{{OFF}}}}}\n"
    (folder / "devices" / "own.yaml").write_text(f"devices:\n{NUMBERS}{off}")
    fabric = Project(folder).fabric
    names = (*fabric.switch_row, *fabric.host_row)
    closed = {name: {"address": "127.0.0.1", "port": 1} for name in names}
    (folder.parent / "connections.json").write_text(json.dumps({"devices": closed}))
    return folder


COMMANDS = {
    "check": "check {folder} --fresh --format json",
    "one failure": "whatif {folder} --fail switch:east-spine01 --format json",
    "one failure, for people": "whatif {folder} --fail switch:east-spine01",
    "every failure": "whatif {folder} --all-links --all-switches --format json",
    "every failure, for people": "whatif {folder} --all-links --all-switches",
    "observe": "observe {folder} --connections {folder}/../connections.json --once "
    "--interval-s 0.1 --format sarif",
    "simulate": "simulate --star --incast 4 --bytes 64KiB --duration-ms 0.5 --compare off "
    "--compare hpcc --format json",
}


@pytest.fixture
def words(request, inventory, monkeypatch) -> list[str]:
    """Return a command; each failure that is routed is a task of its own."""
    monkeypatch.setattr("fabric.topology.routes_failures._CHUNK", 1)
    monkeypatch.setenv("ROCEFAB_PASSWORD", "none")
    return COMMANDS[request.param].format(folder=inventory).split()


def each(*names: str):
    return pytest.mark.parametrize("words", names, indirect=True)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


def test_files_are_the_same(cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_FRESH", "1")
    inventory = INVENTORY / "mixed"
    render(Project(inventory), tmp_path / "here")
    ended = run("render", inventory, "--out", tmp_path / "there", "--workers", cluster)
    assert ended.code == 0, ended.said
    assert files(tmp_path / "here") == files(tmp_path / "there")


@each(*COMMANDS)
def test_output_is_the_same_here_in_processes_and_on_a_cluster(words, cluster):
    here, *others = (run(*words, "--workers", number) for number in ("1", "2", cluster))
    assert len(here.out) > 100, here.said
    for other in others:
        assert (other.code, other.out) == (here.code, here.out), other.said


def test_what_devices_are_to_have_is_the_same(cluster):
    here, *others = (
        expected(project_of(INVENTORY / "mixed", number)) for number in ("1", "2", cluster)
    )
    assert len(here) > 10
    for other in others:
        assert list(other) == list(here)
        for name, one in here.items():
            assert other[name].ports == one.ports
            assert other[name].rows.tobytes() == one.rows.tobytes()


WAITS = """
import os, pathlib
import fabric.workflow.cluster as c
from tests.waiting import until
done, begun = c._done, pathlib.Path(os.environ["BEGUN"])
def waits(part, job):
    (begun / str(os.getpid())).touch()
    until((begun / "go").exists, "a worker is lost", 60)
    return done(part, job)
c._done = waits
"""


@each("check", "one failure", "every failure", "observe")
def test_a_lost_worker_is_survived(words, tmp_path):
    begun = tmp_path / "begun"
    begun.mkdir()
    (tmp_path / "sitecustomize.py").write_text(WAITS)
    path = f"{tmp_path}:{REPOSITORY}"
    with (
        workers(tmp_path, PYTHONPATH=path, BEGUN=str(begun)) as (address, started),
        ThreadPoolExecutor(1) as pool,
    ):
        words += ["--workers", f"dask://{address}"]
        ending = pool.submit(process_of, *words, ROCEFAB_PASSWORD="none")
        until(lambda: any(begun.iterdir()), "a worker has begun", 60)
        lost = int(next(begun.iterdir()).name)
        os.kill(lost, signal.SIGKILL)
        (begun / "go").touch()
        ended = ending.result(timeout=120)
    assert lost in {one.pid for one in started}
    here = run(*words[:-1], "1")
    assert (ended.code, ended.out) == (here.code, here.out), ended.said


@each(*COMMANDS)
def test_another_version_is_rejected(words, changed):
    ended = run(*words, "--workers", changed)
    assert ended.code == 2, ended.said
    assert "has rocefab of last year, and this is rocefab" in ended.err
    assert "[INT042]" in ended.err


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
