"""A cluster with one fault, flow by flow: nothing of it comes from the code that looks for it.

1,024 hosts of 8 rails in 16 units of 64. Each rail of a unit has a leaf with 64 uplinks. Rates are
in Gb/s of payload. Queue pairs are hashed one by one; the slowest one holds a NIC up.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

HOSTS, RAILS, PER_UNIT, UPLINKS, QUEUE_PAIRS = 1024, 8, 64, 64, 4
#: Hosts from which on so many senders meet that the queue of a wrong DSCP drops.
MEETING = 5
#: 400 Gb/s without 82 bytes of headers for 4,096; what a library reaches varies by cluster.
PAYLOAD = 400 * 4096 / 4178
FAULTS = (
    "half rate", "half PCIe width", "lossy port", "wrong rail", "wrong DSCP", "bad hash",
)  # fmt: skip


@dataclass
class Cluster:
    """One cluster; ``fault`` is at ``host`` and ``rails``, or at a leaf of unit and rail."""

    fault: str
    seed: int
    noise: float = 0.02

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        pick = self.random
        self.host, self.unit = int(pick.integers(HOSTS)), int(pick.integers(HOSTS // PER_UNIT))
        self.rails = tuple(sorted(pick.choice(RAILS, 2, replace=False).tolist()))
        if self.fault != "wrong rail":
            self.rails = self.rails[:1]
        self.library = pick.uniform(0.86, 0.98)
        self.loss = 10 ** pick.uniform(np.log10(1.5e-3), np.log10(6e-2))
        self.bridge = pick.uniform(0.35, 0.75)
        self.dropped = pick.uniform(0.2, 0.8)
        self.width = int(pick.choice([1, 2, 4]))

    def rate(self, host: int, rail: int) -> float:
        """Return what a NIC can send and receive."""
        usual = PAYLOAD * self.library
        if host != self.host or rail not in self.rails:
            return usual
        if self.fault == "half rate":
            return usual / 2
        if self.fault == "half PCIe width":  # 32 GT/s x 8 lanes, 128b/130b, headers of TLPs
            return min(usual, 32 * 8 * 128 / 130 * self.random.uniform(0.87, 0.9))
        if self.fault == "lossy port":  # go-back-N: a window of 10 us is sent again
            return usual / (1 + self.loss * 400e9 / 8 * 10e-6 / 4096)
        if self.fault == "wrong rail":
            return usual * self.bridge
        return usual

    def leaf(self, host: int, rail: int) -> tuple[int, int]:
        """Return unit and rail of the leaf of a NIC."""
        if self.fault == "wrong rail" and host == self.host and rail in self.rails:
            rail = self.rails[1 - self.rails.index(rail)]
        return host // PER_UNIT, rail

    def ring(self, hosts: list[int], rail: int) -> float:
        """Return the rate of an all-reduce of one rail."""
        edges = [*pairwise(hosts), (hosts[-1], hosts[0])]
        crossing = [edge for edge in edges if self.leaf(edge[0], rail) != self.leaf(edge[1], rail)]
        slowest = min(min(self.rate(host, rail) for host in edge) for edge in edges)
        load: dict[tuple[object, int], int] = {}
        paths = []
        for source, target in crossing:
            for _ in range(QUEUE_PAIRS):
                ends = self.leaf(source, rail), self.leaf(target, rail)
                path = [("up", ends[0], self.link(ends[0])), ("down", ends[1], self.link(ends[1]))]
                keys = [((way, leaf), link) for way, leaf, link in path]
                for key in keys:
                    load[key] = load.get(key, 0) + 1
                paths.append(keys)
        for keys in paths:
            fullest = max(load[key] for key in keys)
            slowest = min(slowest, PAYLOAD * self.library / fullest * QUEUE_PAIRS)
        return slowest

    def link(self, leaf: tuple[int, int]) -> int:
        """Return the uplink that a queue pair is hashed to."""
        is_bad = self.fault == "bad hash" and leaf == (self.unit, self.rails[0])
        return int(self.random.integers(self.width if is_bad else UPLINKS))

    def all_to_all(self, hosts: list[int], rail: int) -> float:
        """Return the rate of an all-to-all of one rail."""
        slowest = min(self.rate(host, rail) for host in hosts)
        if self.fault == "wrong DSCP" and self.host in hosts and len(hosts) >= MEETING:
            slowest *= self.dropped * self.random.normal(1, 0.04)
        leaves = [self.leaf(host, rail) for host in hosts]
        for leaf in set(leaves):
            inside = leaves.count(leaf)
            flows = inside * (len(hosts) - inside) * QUEUE_PAIRS
            if flows:
                is_bad = self.fault == "bad hash" and leaf == (self.unit, self.rails[0])
                links = self.width if is_bad else UPLINKS
                fullest = self.random.multinomial(flows, [1 / links] * links).max()
                wanted = fullest / (len(hosts) - 1) / QUEUE_PAIRS
                slowest = min(slowest, PAYLOAD * self.library / max(wanted, 1))
        return slowest

    def measured(self, kind: str, hosts: list[int], rail: int) -> float:
        """Return the bus bandwidth of one rail in GB/s, as a test with one GPU a host shows it."""
        rate = self.ring(hosts, rail) if kind == "all-reduce" else self.all_to_all(hosts, rail)
        return float(rate / 8 * self.random.normal(1, self.noise))
