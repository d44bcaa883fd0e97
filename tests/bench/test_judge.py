"""How long the verdicts on a large fabric take. Prints only."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from fabric.health.ends import Ends
from fabric.health.judge import judge
from fabric.health.plan import Plan
from fabric.health.reading import Reading
from fabric.health.settings import Settings
from fabric.health.window import Window
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    PfcCounters,
    QueueCounters,
    TableUse,
    WatchdogState,
)
from tests.bench import test_scale
from tests.topology.fabrics import REPOSITORY, example

pytestmark = pytest.mark.benchmark

LEAVES = SPINES = 1_000
PORTS, QUEUES = 64, 8
WINDOW_S = 10.0
NAMES = [f"Ethernet{number}" for number in range(PORTS)]


def ends() -> Ends:
    """Return 64 cables of each leaf to 64 spines."""
    leaf, port = (grid.ravel() for grid in np.indices((LEAVES, PORTS)))
    spine = (leaf + port) % SPINES
    count = len(leaf)
    order = np.argsort(spine, kind="stable")
    spine_port = np.empty(count, dtype=np.int64)
    spine_port[order] = np.arange(count) % PORTS
    far = np.concatenate([np.arange(count, 2 * count), np.arange(count)])
    return Ends(
        fabric=example("demo"),
        names=tuple(f"s{number}" for number in range(LEAVES + SPINES)),
        device=np.concatenate([leaf, LEAVES + spine]),
        ports=tuple(NAMES[n] for n in np.concatenate([port, spine_port]).tolist()),
        far=far,
        nic=np.full(2 * count, -1),
        speed_gbps=np.full(2 * count, 400),
        tier=np.concatenate([np.zeros(LEAVES, int), np.ones(SPINES, int)]),
    )


def plan(count: int) -> Plan:
    three = np.zeros((count, QUEUES), dtype=bool)
    three[:, 3] = True
    used = three.copy()
    used[:, [0, 6]] = True
    return Plan(
        paused=three,
        used=used,
        lossless=three,
        groups=three,
        queue_of=np.tile(np.arange(QUEUES), (count, 1)),
        headroom_bytes=np.full(count, 100_000.0),
        fec_symbols=np.full(count, 544),
    )


def snapshot(device: str, turn: int, *, pauses: int) -> Snapshot:
    """Return a reading with every table that the verdicts look at; devices share the tables."""
    numbered = [(port, number) for port in NAMES for number in range(QUEUES)]
    frames = tuple(turn * pauses for _ in range(QUEUES))
    counters = {"tx_packets": turn * 10**6, "tx_bytes": turn * 10**9, "fec_corrected": turn * 50}
    return Snapshot(
        device,
        interfaces=dict.fromkeys(NAMES, InterfaceState(up=True, counters=counters)),
        pfc_counters=dict.fromkeys(NAMES, PfcCounters(frames, frames)),
        watchdog=dict.fromkeys(numbered, WatchdogState(True, 0, 0, 0)),
        ecn=dict.fromkeys(numbered, EcnState(marked_packets=turn)),
        queues=dict.fromkeys(numbered, QueueCounters(0, 0, 10, 10)),
        priority_groups=dict.fromkeys(numbered, QueueCounters(0, 0, 10, 10)),
        tables={"host_entries": TableUse(10, 1000)},
    )


@pytest.mark.parametrize("pauses", [0, 10**6])
def test_two_thousand_switches(pauses) -> None:
    cabled = ends()
    both = [snapshot("", turn, pauses=pauses) for turn in (1, 2)]
    readings = {name: Reading("any", *both, WINDOW_S) for name in cabled.names}
    start = time.perf_counter()
    judgement = judge(Window(cabled, plan(len(cabled)), readings, Settings()))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(cabled.names):,} switches x {PORTS} ports x {QUEUES} queues, "
        f"{'all paused' if pauses else 'calm'}: {seconds:.1f} s, "
        f"{len(judgement.causes)} causes, peak {peak:,.0f} MiB"
    )
    assert judgement.broken == ()


def test_sixteen_thousand_hosts(tmp_path, figures) -> None:
    """A window of all devices of 16,384 hosts; the reading of a file apart."""
    pods = 32
    folder, file = test_scale.write(tmp_path / "inventory", pods), tmp_path / "readings.jsonl"
    words = [sys.executable, "-m", "tests.bench.judge_worker", folder, file]
    told = subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    taken = json.loads(told.stdout)
    judged, read = taken["judged"], taken["read"]
    title = f"judge a window of {taken['devices']:,} devices, {taken['ends']:,} ends of cables"
    part = f"read {taken['records']:,} records of a file, {taken['mib']:,} MiB"
    for name, row in ((title, judged), (part, read)):
        print(f"\n{name}: {row['elapsed_s']} s, {row['cpu_s']} s of CPU, {row['peak_mib']} MiB")
        hosts = pods * test_scale.UNITS_PER_POD * test_scale.HOSTS_PER_UNIT
        figures["judge"].append({"command": name, "hosts": hosts, **row})
