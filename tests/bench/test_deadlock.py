"""How long the proof of freedom from deadlock takes, and how much memory. Prints only."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from fabric.intent.resolve import PolicyResolver
from fabric.platforms.catalogue import sku
from fabric.qos.deadlock import Proof, prove
from fabric.qos.deadlock.lossless import Lossless
from fabric.topology import Fabric
from fabric.topology.model import Hosts, Nics, Subnets, Switches, Uplinks
from fabric.topology.routes import network, route, uses
from fabric.topology.routes_failures import Failure, after, alone
from tests.topology.fabrics import fabric

pytestmark = pytest.mark.benchmark

HOST_PORTS = 32


def large(leaves: int, spines: int) -> Fabric:
    """Return a fabric of one cable from each leaf to each spine, and 32 hosts at each leaf.

    No known switch model has that many ports, so the tables are made here.
    """
    wide = replace(sku("ACS-SN5600"), port_count=max(leaves, spines + HOST_PORTS))
    leaf = np.repeat(np.arange(leaves), spines)
    spine = np.tile(np.arange(spines), leaves)
    host = np.arange(leaves * HOST_PORTS)
    ones, up = np.ones(len(host), dtype=np.int64), np.ones(len(leaf), dtype=np.int64)
    small = fabric()
    return replace(
        small,
        rails=1,
        switches=Switches(
            names=tuple([f"leaf{n}" for n in range(leaves)] + [f"spine{n}" for n in range(spines)]),
            leaf_count=leaves,
            tier=np.repeat([0, 1], [leaves, spines]),
            unit=np.zeros(leaves + spines, dtype=np.int64),
            rail=np.zeros(leaves + spines, dtype=np.int64),
            pod=np.full(leaves + spines, -1),
            plane=np.full(leaves + spines, -1),
            asn=np.concatenate([4_200_000_000 + np.arange(leaves), np.full(spines, 65100)]),
            loopback=np.arange(leaves + spines),
            skus=(wide,) * (leaves + spines),
        ),
        hosts=Hosts(tuple(f"host{n}" for n in range(len(host))), host // HOST_PORTS, host),
        nics=Nics(
            *(
                host,
                0 * host,
                0 * host,
                host // HOST_PORTS,
                host % HOST_PORTS + 1,
                host // HOST_PORTS,
                host,
            ),
            *(400 * ones, 5 * ones, ones.astype(np.bool_)),
        ),
        subnets=Subnets(*(np.arange(leaves) for _ in range(5)), np.full(leaves, 24)),
        uplinks=Uplinks(
            *(leaf, HOST_PORTS + 1 + spine, leaves + spine, leaf + 1, 2 * np.arange(len(leaf))),
            *(400 * up, 40 * up, up.astype(np.bool_), 31 * up),
        ),
    )


def measured(made: Fabric, *, failures: bool) -> tuple[Proof, float, float]:
    """Return a proof, its seconds, and its peak memory in MiB (from a second run)."""
    start = time.perf_counter()
    proof = prove(made, failures=failures)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    prove(made, failures=failures)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return proof, seconds, peak_bytes / 2**20


@pytest.mark.parametrize(("leaves", "spines"), [(64, 32), (64, 64), (512, 512)])
def test_proof(leaves: int, spines: int) -> None:
    """All destinations; then every single failure of a cable and of a switch."""
    made = large(leaves, spines)
    print(f"\n{leaves} leaves, {spines} spines, {len(made.hosts):,} hosts:")
    for failures in (False, True):
        proof, seconds, peak_mib = measured(made, failures=failures)
        assert proof.free
        what = f"and {proof.failures_checked:,} single failures" if failures else "routing as it is"
        print(f"  {what:<34}{seconds:>8.3f} s{peak_mib:>9.1f} MiB")
    print(f"  {'vertices':<34}{proof.vertices:>8,}")


def test_each_failure_routed_and_peeled_again() -> None:
    """What the shortcut saves: the same answer without it."""
    made = large(64, 32)
    net = network(made)
    lossless = Lossless.of(made, net, PolicyResolver(made.intent))
    rows = alone(net)
    start = time.perf_counter()
    for row in rows:
        failure = Failure(np.array([row, net.links.reverse[row]]))
        assert lossless.cycle(net, after(net, failure)) is None
    seconds = time.perf_counter() - start
    print(f"\n64 leaves, 32 spines, {len(rows):,} cables, one by one: {seconds:.2f} s")


def test_fabric_with_many_cables_down() -> None:
    """Nine of ten cables are off: many switches hang on a single next hop."""
    made = large(64, 32)
    made.uplinks.enabled[:] = np.random.default_rng(1).random(len(made.uplinks)) < 0.1
    proof, seconds, peak_mib = measured(made, failures=True)
    hops = np.bitwise_count(uses(network(made), route(network(made)))).sum()
    print(f"\n64 leaves, 32 spines, 90 % of the cables off ({hops:,} next hops):")
    print(f"  {proof.failures_checked:,} failures, free: {proof.free}")
    print(f"  {seconds:.3f} s, {peak_mib:.1f} MiB")
    made.switches.asn[64:] = 65200 + np.arange(32)
    proof, seconds, _ = measured(made, failures=False)
    print(f"  every spine its own AS: free: {proof.free}, found in {seconds:.3f} s")
    assert not proof.free
    assert proof.cycle
