"""How many devices one process reads each second over SSH and eAPI. Prints only.

The stand-ins are in a process of their own; many devices of the inventory are the same stand-in, with
a session each. The processor time is that of this process alone: what the stand-ins take is printed
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
from pathlib import Path

import pytest

from fabric.workflow.observe import Pace, Selection, observe_again
from fabric.workflow.project import Project
from tests.bench.test_serve import _busy_s
from tests.change.labs import HOST, INVENTORY, LEAF, SPINE, silent, write_inventory
from tests.cli.runs import ROOT

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


@pytest.mark.parametrize("kind", [LEAF, SPINE, HOST])
def test_readings_of_one_core(tmp_path, monkeypatch, kind: str) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    number, turns = int(os.environ.get("ROCEFAB_BENCH_DEVICES", "40")), 3
    with lab(tmp_path) as (project, of_lab, process):
        many = Many(project, {kind: number})
        file = many.connections(tmp_path, of_lab)
        pace = Pace(interval_s=0.001, number=turns)
        marks, errors = [], 0
        begin = time.perf_counter(), time.process_time(), _busy_s(process)
        for place, one in enumerate(observe_again(many, file, Selection(), (), silent, pace), 1):
            errors += bool(one.error)
            if place % number == 0:
                marks.append((time.perf_counter(), time.process_time(), _busy_s(process)))
    print(f"\n{number} devices like {kind}, {errors} not read")
    for name, (wall_s, own_s, lab_s) in zip(("with logins", "kept", "kept"), marks, strict=True):
        was, begin = begin, (wall_s, own_s, lab_s)
        wall_s, own_s, lab_s = (now - then for now, then in zip(begin, was, strict=True))
        print(
            f"  {name}: {number / wall_s:.1f} readings/s; {own_s / number * 1e3:.1f} ms of processor "
            f"time each, {number / own_s:.0f}/s of one core; stand-in {lab_s / number * 1e3:.1f} ms"
        )
    print(f"  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
