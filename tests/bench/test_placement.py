"""Quality and speed of placements; the figures of docs/jobs.md. Prints only.

``pytest -m benchmark -s tests/bench/test_placement.py``
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable

import numpy as np
import pytest

from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.request import UnplaceableError
from fabric.placement.engine.state import RunningJob, State
from fabric.placement.engine.traffic import parse_traffic
from fabric.topology import Fabric
from tests.placement.instances import (
    ASKED,
    KINDS,
    LARGE,
    LARGEST,
    MEDIUM,
    SMALL,
    Shape,
    any_small,
    built,
    scattered,
    state,
)
from tests.placement.rivals import RIVALS, cost, every_choice, free_hosts, in_one_pod

pytestmark = pytest.mark.benchmark

MOST_CHOICES = 3000
JOBS = 500
#: Jobs of each traffic that are compared with every choice.
INSTANCES = 500


def instances(shapes: tuple[Shape, ...], count: int) -> list[tuple[Engine, int]]:
    """Return seeded states of fabrics, each with a number of hosts that are free in it."""
    random = np.random.default_rng(2026)
    made = []
    for seed in range(count):
        fabric = built(shapes[seed % len(shapes)])
        engine = Engine(fabric, state(fabric, seed))
        free = int(free_hosts(engine).sum())
        if free >= 2:
            made.append((engine, int(random.integers(2, free + 1))))
    return made


def shown(title: str, ratios: dict[str, list[float]], reference: str) -> None:
    print(f"\n{title}")
    for name, values in ratios.items():
        some = np.array([value for value in values if np.isfinite(value)])
        exact = (some <= 1 + 1e-6).mean()
        print(
            f"  {name:<18}{len(some):>5} cases  mean {some.mean():.3f} x {reference}, worst "
            f"{some.max():.2f}, equal in {exact:.1%}"
        )


def ways(free: np.ndarray, nodes: int) -> int:
    """Return how many choices there are."""
    counts = [1, *[0] * nodes]
    for own in free.tolist():
        counts = [sum(counts[max(0, need - own) : need + 1]) for need in range(nodes + 1)]
    return counts[nodes]


def in_a_pod(engine: Engine, free: np.ndarray, choices: list[np.ndarray]) -> list[np.ndarray]:
    """Return the choices in one pod, where one holds the job: it stays there."""
    pod, nodes = engine.index.groups.pod, int(choices[0].sum())
    if (np.bincount(pod, weights=free) < nodes).all():
        return choices
    return [one for one in choices if len(np.unique(pod[one > 0])) == 1]


def test_any_shape_against_every_choice() -> None:
    """500 jobs of each traffic on random fabrics, damaged, with other jobs, a third with pods."""
    random = np.random.default_rng(43)
    ratios: dict[str, list[float]] = {kind: [] for kind in ASKED}
    times: dict[str, list[float]] = {kind: [] for kind in ASKED}
    seed = 0
    while min(map(len, ratios.values())) < INSTANCES:
        seed += 1
        fabric = built(any_small(seed))
        engine = Engine(fabric, state(fabric, seed))
        free = free_hosts(engine)
        nodes = int(random.integers(2, max(int(free.sum()), 2) + 1))
        target = float(random.integers(2))
        if not 1 < ways(free, nodes) <= MOST_CHOICES:
            continue
        choices = in_a_pod(engine, free, list(every_choice(free, nodes)))
        for kind in ASKED:
            query = Query(nodes, traffic=parse_traffic(kind), target=target)
            start = time.process_time()
            try:
                answer = engine.place(query)
            except UnplaceableError:
                continue
            times[kind].append((time.process_time() - start) * 1e3)
            best = min(cost(engine, query, counts) for counts in choices)
            if best > 0:
                ratios[kind].append(max(answer.load, target) / best)
    shown("any shape", ratios, "the best choice")
    for kind, taken in times.items():
        half, most = np.percentile(taken, [50, 99])
        print(f"  {kind:<22} CPU: median {half:.1f} ms, 99 % {most:.1f} ms")


@pytest.mark.parametrize("target", [1.0, 0.0])
def test_small_against_every_choice(target: float) -> None:
    ratios: dict[str, list[float]] = {"rocefab": []}
    for engine, nodes in instances(SMALL, 400):
        free = free_hosts(engine)
        choices = list(every_choice(free, nodes))
        for kind in ASKED if len(choices) <= MOST_CHOICES else ():
            query = Query(nodes, traffic=parse_traffic(kind), target=target)
            try:
                answer = engine.place(query)
            except UnplaceableError:
                continue
            best = min(cost(engine, query, counts) for counts in choices)
            if best > 0:
                ratios["rocefab"].append(max(answer.load, target) / best)
                for name, choose in RIVALS.items():
                    value = cost(engine, query, choose(free, nodes)) / best
                    ratios.setdefault(name, []).append(value)
    shown(f"S, 26 to 64 hosts, target {target:g}", ratios, "the best choice")


@pytest.mark.parametrize(
    ("title", "shape", "count"),
    [("M, 847 hosts", MEDIUM, 40), ("L, 4,096 hosts", LARGE, 15), ("L, 16,384 hosts", LARGEST, 10)],
)
def test_large_against_others(title: str, shape: Shape, count: int) -> None:
    ratios: dict[str, list[float]] = {"lower bound": []}
    worse = 0
    for engine, most in instances((shape,), count):
        free = free_hosts(engine)
        for nodes in sorted({2, 8, min(48, most), min(160, most)}):
            for kind in KINDS:
                query = Query(nodes, traffic=parse_traffic(kind))
                answer = engine.place(query)
                reached = max(answer.load, 1.0)
                ratios["lower bound"].append(answer.bound / reached)
                for name, choose in RIVALS.items():
                    counts = in_one_pod(choose, free, nodes, engine.index.groups.pod)
                    other = cost(engine, query, counts)
                    ratios.setdefault(name, []).append(other / reached)
                    worse += other < reached * (1 - 1e-9)
    shown(title, ratios, "rocefab")
    print(f"  cases in which another one is better: {worse}")


def replay(fabric: Fabric, choose: Callable[[Engine, int], np.ndarray | None]) -> tuple[float, ...]:
    """Run a stream of jobs, first come first served; return figures of fragmentation."""
    random = np.random.default_rng(7)
    whole = Engine(fabric)
    units = np.bincount(whole.index.groups.of_host)
    busy: dict[int, list[int]] = {}
    ends: list[tuple[float, int]] = []
    now, waited, more, alone = 0.0, 0.0, 0, 0
    for number in range(JOBS):
        now += float(random.exponential(1.0))
        nodes = int(2 ** random.integers(0, 7))
        length = float(random.exponential(14.0))
        arrived = now
        while True:
            while ends and ends[0][0] <= now:
                busy.pop(heapq.heappop(ends)[1])
            jobs = tuple(
                RunningJob(f"j{job}", tuple(fabric.hosts.names[row] for row in rows))
                for job, rows in busy.items()
            )
            engine = whole.updated(State((), jobs))
            rows = choose(engine, nodes)
            if rows is not None:
                break
            now = ends[0][0]
        waited += now - arrived
        busy[number] = rows.tolist()
        heapq.heappush(ends, (now + length, number))
        used = len(np.unique(whole.index.groups.of_host[rows]))
        more += used - -(-nodes // int(units.max()))
        alone += used == 1
    return waited / JOBS, more / JOBS, alone / JOBS


def test_replay_of_500_jobs() -> None:
    """Slurm's rule and ours on the same stream: units beyond the fewest, and waiting."""
    fabric = built(Shape((16,) * 24, rails=1, spines=4, uplink_gbps=400, pods=3, supers=8))

    def ours(engine: Engine, nodes: int) -> np.ndarray | None:
        try:
            return engine.place(Query(nodes)).rows
        except UnplaceableError:
            return None

    def slurm(engine: Engine, nodes: int) -> np.ndarray | None:
        pod = engine.index.groups.pod
        counts = in_one_pod(RIVALS["Slurm tree"], free_hosts(engine), nodes, pod)
        if counts is None:
            return None
        of, free = engine.index.groups.of_host, ~engine.index.available.busy
        return np.concatenate([
            np.flatnonzero(free & (of == unit))[:count] for unit, count in enumerate(counts)
        ])

    print(f"\nreplay of {JOBS} jobs of 1 to 64 hosts on 384 hosts")
    for name, choose in (("rocefab", ours), ("Slurm tree", slurm)):
        waited, more, alone = replay(fabric, choose)
        print(
            f"  {name:<12} units above the fewest {more:.3f} per job, in one unit {alone:.1%}, "
            f"waited {waited:.2f}"
        )


@pytest.mark.parametrize(("title", "shape"), [("847", MEDIUM), ("16,384", LARGEST)])
def test_time_of_a_query(title: str, shape: Shape) -> None:
    fabric = built(shape)
    start = time.perf_counter()
    engine = Engine(fabric, state(fabric, 1))
    print(f"\n{title} hosts: index in {time.perf_counter() - start:.3f} s")
    for kind in KINDS:
        for nodes in (2, 8, 32, 128):
            query = Query(nodes, traffic=parse_traffic(kind))
            times = []
            for _ in range(200):
                start = time.perf_counter()
                answer = engine.place(query)
                times.append(time.perf_counter() - start)
            half, most = np.percentile(times, [50, 99]) * 1e3
            print(
                f"  {kind:<22}{nodes:>4} hosts on {len(answer.units):>2} units: median "
                f"{half:.2f} ms, 99 % {most:.2f} ms, gap {answer.gap:.1%}"
            )


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("size", [8, 32])
def test_time_of_large_jobs_where_others_are_scattered(size: int, seed: int) -> None:
    """60 % of 16,384 hosts are busy, in jobs whose hosts are all over the fabric."""
    fabric = built(LARGEST)
    engine = Engine(fabric, scattered(fabric, seed, size))
    print(f"\n16,384 hosts, 60 % busy, jobs of {size} hosts, seed {seed}; CPU")
    for kind in ("ring", "tree", "all-to-all"):
        for nodes in (8, 64, 128, 256, 512, 1024):
            query, times = Query(nodes, traffic=parse_traffic(kind)), []
            for _ in range(10):
                start = time.process_time()
                answer = engine.place(query)
                times.append((time.process_time() - start) * 1e3)
            print(
                f"  {kind:<12}{nodes:>5} hosts on {len(answer.units):>3} units: first "
                f"{times[0]:.1f} ms, median {np.median(times):.1f} ms, load {answer.load:.2f}, "
                f"gap {answer.gap:.1%}"
            )
