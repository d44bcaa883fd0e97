"""Paths and failures of a large network of three tiers. Prints only."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from fabric.topology.bandwidth import bisection
from fabric.topology.clos import Cables, Clos, Edge
from fabric.topology.paths import Layers, next_hop_counts, path_counts
from fabric.topology.singles import SingleFailures

pytestmark = pytest.mark.benchmark

NICS_PER_HOST = 8


def large(hosts: int, leaves: int, spines: int, cores: int, pods: int) -> Clos:
    """Return a network of pods; spine s of each pod has a cable to each core of its plane.

    Cables are thick enough that leaves are not over-subscribed. In unit u the hosts have a NIC in
    each of eight leaves.
    """
    per_pod, planes = leaves // pods, spines // pods
    leaf, spine = np.arange(leaves), np.arange(spines)
    down = np.repeat(leaf, planes)
    up = leaves + down // per_pod * planes + np.tile(np.arange(planes), leaves)
    width = cores // planes
    core = leaves + spines + np.repeat(spine % planes * width, width)
    lower = np.concatenate([down, leaves + np.repeat(spine, width)])
    upper = np.concatenate([up, core + np.tile(np.arange(width), spines)])
    units = leaves // NICS_PER_HOST
    unit = np.arange(hosts) * units // hosts
    nics = hosts * NICS_PER_HOST
    rail = np.tile(np.arange(NICS_PER_HOST), hosts)
    total = leaves + spines + cores
    per_leaf = nics // leaves
    ones = np.ones(len(lower), dtype=np.int64)
    return Clos(
        tier=np.repeat(np.arange(3), [leaves, spines, cores]),
        unit=np.where(np.arange(total) < leaves, np.arange(total) // NICS_PER_HOST, -1),
        pod=np.concatenate([leaf // per_pod, spine // planes, np.full(cores, -1)]),
        asn=np.concatenate([10**6 + leaf, 65000 + spine // planes, np.full(cores, 64999)]),
        cables=Cables(
            *(lower, 0 * lower, upper, 0 * upper),
            *(ones * 400 * per_leaf // planes, 40 * ones, ones.astype(np.bool_)),
        ),
        nics=Edge(
            host=np.repeat(np.arange(hosts), NICS_PER_HOST),
            rail=rail,
            leaf=np.repeat(unit, NICS_PER_HOST) * NICS_PER_HOST + rail,
            leaf_port=np.zeros(nics, dtype=np.int64),
            speed_gbps=np.full(nics, 400),
            cable_m=np.full(nics, 5),
            up=np.ones(nics, dtype=np.bool_),
        ),
        host_unit=unit,
        units=units,
        pods=pods,
    )


def timed(name: str, work) -> tuple[object, float]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(f"  {name:<44}{seconds:>9.3f} s")
    return result, seconds


@pytest.mark.parametrize(
    ("title", "size"),
    [
        ("512 leaves, 16 pods", (16384, 512, 512, 512, 16)),
        ("512 leaves, 1 pod, every leaf to every spine", (16384, 512, 512, 512, 1)),
    ],
)
def test_large(title: str, size: tuple[int, ...]) -> None:
    network = large(*size)
    print(f"\n{title}: {len(network.cables):,} cables, {len(network.nics):,} NICs")
    layers = Layers.of(network)
    timed("ECMP path counts, all leaves", lambda: path_counts(layers))
    timed("next hops, all leaves", lambda: next_hop_counts(layers))
    every, _ = timed("single failures: set-up", lambda: SingleFailures(network))
    timed("every single cable between switches", every.cables)
    timed("every single NIC cable", every.nics)
    timed("every single switch", every.switches)
    timed("bisection", lambda: bisection(network))


def test_peak_memory() -> None:
    """Of a process that does all of it once."""
    code = (
        "import json, resource, sys\n"
        "from fabric.topology.paths import Layers, next_hop_counts, path_counts\n"
        "from fabric.topology.singles import SingleFailures\n"
        "from tests.bench.test_analysis import large\n"
        "network = large(16384, 512, 512, 512, 16)\n"
        "layers = Layers.of(network)\n"
        "path_counts(layers), next_hop_counts(layers)\n"
        "every = SingleFailures(network)\n"
        "every.cables(), every.nics(), every.switches()\n"
        "print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print(f"\npeak memory of paths and failures, 512 leaves: {json.loads(done.stdout):,.0f} MiB")
