"""How many devices one process reads each second over SSH and eAPI. Prints only.

The stand-ins are in another process; many devices of the inventory are the same stand-in, with a
session each. The processor time is that of this process alone; what the stand-ins take is printed
apart from it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from fabric.devices.driver import Connection
from fabric.devices.gnmi import GnmiDriver
from fabric.observe import openconfig
from fabric.observe.collect import snapshot_of
from fabric.report.newest import Newest
from fabric.workflow.observe import Pace, Selection, observe_again
from fabric.workflow.project import Project
from tests.bench.test_serve import _busy_s
from tests.change.labs import HOST, INVENTORY, LEAF, SPINE, silent, write_inventory
from tests.cli.runs import ROOT
from tests.devices.certificates import Authority
from tests.devices.gnmi_target import GnmiTarget
from tests.devices.test_gnmi import LEAVES

pytestmark = pytest.mark.benchmark

PASSWORD = "lab-password"


class Many:
    """As many devices of one stand-in as asked for, of which a project is all that is looked at."""

    def __init__(self, project: Project, kinds: dict[str, int]) -> None:
        self.site = None
        self.devices, self.hosts = {}, {}
        self.like = {}
        for kind, number in kinds.items():
            rows = self.hosts if kind == HOST else self.devices
            like = (project.hosts if kind == HOST else project.devices)[kind]
            for place in range(number):
                rows[f"{kind}-{place}"] = like
                self.like[f"{kind}-{place}"] = kind
        skus = tuple(design.sku for design in self.devices.values())
        self.fabric = SimpleNamespace(
            switches=SimpleNamespace(names=tuple(self.devices), skus=skus)
        )

    def connections(self, folder: Path, of_lab: dict) -> Path:
        file = folder / "connections.json"
        devices = {name: of_lab["devices"][kind] for name, kind in self.like.items()}
        file.write_text(json.dumps({"devices": devices}))
        return file


@contextlib.contextmanager
def lab(folder: Path):
    inventory = write_inventory(folder / "inventory", INVENTORY)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.observe_lab", str(inventory)],
        cwd=ROOT,
        env={**os.environ, "ROCEFAB_PASSWORD": PASSWORD},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            yield Project(inventory), json.loads(child.stdout.readline()), child.pid
        finally:
            child.stdin.close()


class Meter:
    """Time that passed, processor time of this process, and of another one."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._last = self._now()

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), _busy_s(self._process)

    def lap(self, readings: int) -> str:
        """Return what passed since the last lap, for so many readings."""
        last, self._last = self._last, self._now()
        wall_s, own_s, lab_s = (now - then for now, then in zip(self._last, last, strict=True))
        return (
            f"{readings / wall_s:.1f} readings/s in {wall_s:.1f} s; {own_s / readings * 1e3:.1f} "
            f"ms of processor time each, {own_s / wall_s:.2f} cores; "
            f"stand-in {lab_s / readings * 1e3:.1f} ms"
        )


def memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("kind", [LEAF, SPINE, HOST])
def test_as_fast_as_one_process_can(tmp_path, monkeypatch, kind: str) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    number, errors = 40, 0
    with lab(tmp_path) as (project, of_lab, process):
        many = Many(project, {kind: number})
        file = many.connections(tmp_path, of_lab)
        pace = Pace(interval_s=0.001, number=3)
        print(f"\n{number} devices like {kind}")
        meter = Meter(process)
        for place, one in enumerate(observe_again(many, file, Selection(), (), silent, pace), 1):
            errors += bool(one.error)
            if place % number == 0:
                print(f"  {'with logins' if place == number else 'kept'}: {meter.lap(number)}")
    print(f"  {errors} not read; {memory_mib():.0f} MiB")


@pytest.mark.parametrize("kinds", [{LEAF: 300, HOST: 1700}, {LEAF: 1000}])
def test_a_fabric_every_30_s(tmp_path, monkeypatch, kinds: dict[str, int]) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    interval_s, turns = 30.0, 4
    with lab(tmp_path) as (project, of_lab, process):
        many = Many(project, kinds)
        file = many.connections(tmp_path, of_lab)
        number, errors = len(many.like), 0
        newest, times = Newest(), defaultdict(list)
        pace = Pace(interval_s, number=turns)
        print(f"\n{kinds}, {turns} readings of each")
        meter = Meter(process)
        for place, one in enumerate(observe_again(many, file, Selection(), (), silent, pace), 1):
            errors += bool(one.error)
            newest.put(one)
            times[one.device].append(one.clock_s)
            if place % number == 0:
                print(f"  {'with logins' if place == number else 'kept'}: {meter.lap(number)}")
    gaps = sorted(b - a for row in times.values() for a, b in pairwise(row[1:]))
    begin_s = time.perf_counter()
    size = sum(map(len, newest.exposition()))
    print(
        f"  from one reading to the next: median {gaps[len(gaps) // 2]:.1f} s, longest "
        f"{gaps[-1]:.1f} s; {errors} not read; {memory_mib():.0f} MiB; text of {size / 1e6:.1f} MB "
        f"in {time.perf_counter() - begin_s:.2f} s"
    )


def test_gnmi_as_fast_as_one_process_can() -> None:
    """The target is in this process: its share is in the figure."""
    authority, ports = Authority(), 64
    leaves = {
        path.replace("Ethernet1/1", f"Ethernet{port}/1"): value
        for port in range(1, ports + 1)
        for path, value in LEAVES.items()
    }
    with GnmiTarget(*authority.issued(), "admin", PASSWORD, leaves) as target:
        words = {"gnmi_port": target.port, "gnmi_trust": authority.pem}
        driver = GnmiDriver(Connection("a", "eos", "127.0.0.1", 1, "admin", PASSWORD, **words))
        driver.open()
        texts, begin_s = driver.read_state(openconfig.READINGS), time.process_time()
        for _ in range(20):
            driver.read_state(openconfig.READINGS)
        both_s = (time.process_time() - begin_s) / 20
        begin_s = time.process_time()
        for _ in range(20):
            snapshot_of("a", openconfig.READINGS, texts)
        parse_s = (time.process_time() - begin_s) / 20
        driver.close()
    print(
        f"\ngNMI, {ports} ports, {len(leaves)} leaves: {both_s * 1e3:.1f} ms of processor time for "
        f"client and target together, {parse_s * 1e3:.1f} ms to parse"
    )
