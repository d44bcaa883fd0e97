"""However a lab ends, no process, namespace or file is left behind."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.core.errors import LabError
from fabric.lab.real import Blueprint, RealLab, leftovers, running
from fabric.lab.real.state import FOLDER, HIERARCHIES, NAMESPACES, Record
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import blueprint
from tests.cli.runs import DEMO, ROCEFAB, ROOT, clean_environment, run
from tests.reallab.conftest import require_parts

pytestmark = pytest.mark.lab


def plan() -> Blueprint:
    return blueprint(Project(DEMO))


def daemons(record: Record) -> list[str]:
    """Programs that have the folder of a lab on their command line, or run in its namespaces."""
    spaces = {(NAMESPACES / name).stat().st_ino for name in record.namespaces}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            space = (folder / "ns" / "net").stat().st_ino
        except OSError:
            continue
        if words and (str(record.folder).encode() in words or space in spaces):
            found.append(words.decode().replace("\0", " "))
    return found


def gone(record: Record, *, files: bool) -> bool:
    """Whether a lab has no process any more, and, if asked, no namespace and file."""
    until_s = time.monotonic() + 10
    while daemons(record) and time.monotonic() < until_s:
        time.sleep(0.1)
    left = [*record.namespaces, *([record.name] if record.folder.exists() else [])]
    return not daemons(record) and not (files and left)


@pytest.fixture
def started() -> Iterator[tuple[subprocess.Popen[str], Record]]:
    """`rocefab lab up --real` as a process that is up, and its record."""
    require_parts()
    with up() as (process, record, _):
        yield process, record


@contextmanager
def up(*words: str) -> Iterator[tuple[subprocess.Popen[str], Record, str]]:
    """Start a lab; yield its process, its record and what it says."""
    process = subprocess.Popen(
        [*ROCEFAB, "lab", "up", "--real", *words, str(DEMO)],
        cwd=ROOT,
        env=clean_environment(),
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stderr
        said = []
        for line in process.stderr:
            said.append(line)
            if "Press Ctrl-C" in line:
                break
        assert process.poll() is None, said
        record = next(item for item in running() if item.owner.pid == process.pid)
        assert len(record.namespaces) == 10
        assert len(daemons(record)) > 20
        yield process, record, "".join(said)
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        process.stderr.close()
        run("lab", "down", "--real")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(
    started: tuple[subprocess.Popen[str], Record], number: signal.Signals
) -> None:
    """Also where it comes three times."""
    process, record = started
    for _ in range(3):
        process.send_signal(number)
    assert process.wait(20) == 0
    assert gone(record, files=True)


def test_nothing_outlives_a_killed_lab_but_names(
    started: tuple[subprocess.Popen[str], Record],
) -> None:
    """Its processes go with it; `lab down --real` removes the rest, and no lab that runs."""
    process, record = started
    assert "still runs" in run("lab", "down", "--real").err
    assert len(record.namespaces) == 10
    process.kill()
    process.wait()
    assert gone(record, files=False)
    assert len(record.namespaces) == 10
    ended = run("lab", "down", "--real")
    assert (ended.code, ended.out) == (0, "1 lab removed\n")
    assert gone(record, files=True)


def test_nothing_outlives_a_killed_lab_with_a_host_that_booted() -> None:
    """Neither its systemd nor its control groups; before, plain ssh gets in as the lab says."""
    require_parts(booted=True)
    with up("--boot", "gpu001") as (process, record, said):
        login = next(line.split() for line in said.splitlines() if line.startswith("  ssh "))
        done = subprocess.run(
            [*login, "hostname; sudo id -un"], capture_output=True, text=True, check=False
        )
        assert done.stdout.split() == ["gpu001", "root"], done.stderr
        assert f"ROCEFAB_CONNECTIONS={record.folder}/management/connections.json" in said
        process.kill()
        process.wait()
        assert gone(record, files=False)
        assert run("lab", "down", "--real").code == 0
        assert gone(record, files=True)
        groups = [top.glob(f"{record.prefix}*") for top in HIERARCHIES]
        assert [path for paths in groups for path in paths] == []


def test_the_next_lab_removes_what_a_killed_one_left(
    started: tuple[subprocess.Popen[str], Record],
) -> None:
    process, record = started
    process.kill()
    process.wait()
    assert [item.name for item in leftovers()] == [record.name]
    with RealLab(plan()):
        assert gone(record, files=True)


def test_a_lab_that_cannot_be_built_leaves_nothing() -> None:
    """FRR does not take the AS number of a switch."""
    require_parts()
    made = plan()
    name = next(iter(made.devices))
    bgp = made.files[name].bgp
    assert bgp
    wrong = replace(made.files[name], bgp=replace(bgp, asn=-1))
    before = (sorted(NAMESPACES.glob("*")), sorted(FOLDER.glob("*")))
    lab = RealLab(replace(made, files={**made.files, name: wrong}))
    with pytest.raises(LabError, match=f"{name}: FRR: .*router bgp -1"):
        lab.up()
    assert (sorted(NAMESPACES.glob("*")), sorted(FOLDER.glob("*"))) == before
