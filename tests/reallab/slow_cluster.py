"""A cluster of the real lab whose cables have a rate, with one fault: kernels carry the bytes.

A NIC of 400 Gb/s has 20 Mb/s here. Every end of a cable sends at its rate. Switches send from two
queues: the class of RoCE goes first; all other packets have 2 % and a short queue.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fabric.design.host_model import NicDesign
from tests.reallab.conftest import Running
from tests.reallab.exchange import Flow, durations

RATE_BPS, REAL_BPS = 20e6, 400e9
#: What one NIC sends in a test; it takes 1.2 s.
SIZE_BYTES = 3_000_000
#: Two packets; four packets; more than any test queues.
BURST_BYTES, SHORT_BYTES, LONG_BYTES = 18_000, 36_000, 20_000_000
ROCE_TOS = 26 << 2
QUEUE_PAIRS = 2
_SWITCH_PORT = """
tc qdisc del dev {port} root 2> /dev/null || true
tc qdisc add dev {port} root handle 1: htb default 20
tc class add dev {port} parent 1: classid 1:1 htb rate {rate} {burst}
tc class add dev {port} parent 1:1 classid 1:10 htb rate {most} ceil {rate} prio 0 {burst}
tc class add dev {port} parent 1:1 classid 1:20 htb rate {rest} ceil {rate} prio 1 {burst}
tc qdisc add dev {port} parent 1:10 handle 10: bfifo limit {long}
tc qdisc add dev {port} parent 1:20 handle 20: bfifo limit {short}
nft 'add table netdev roce'
nft 'add chain netdev roce {port} {{ type filter hook egress device {port} priority 0; }}'
nft 'flush chain netdev roce {port}'
nft 'add rule netdev roce {port} ip dscp 26 meta priority set 1:10'
"""
_LOSSY_PORT = """
nft 'add table netdev lossy'
nft 'add chain netdev lossy port {{ type filter hook egress device {port} priority -10; }}'
nft 'add rule netdev lossy port meta length > 1000 numgen random mod 1000 < {per_mille} drop'
"""
_HOST_PORT = "tc qdisc replace dev {port} root tbf rate {rate} burst {burst_bytes} limit {long}\n"


@dataclass(frozen=True)
class Fault:
    """What is planted: a kind, and the number that all else is drawn from."""

    kind: str
    seed: int

    @property
    def dice(self) -> random.Random:
        """The same draws each time."""
        return random.Random(f"{self.kind} {self.seed}")


def limit(running: Running) -> None:
    """Give all cables of a lab their rate."""
    lab = running.lab
    for number, name in enumerate(lab.blueprint.names, 1):
        # one seed for all would let a spine use the links alone that the leaf's choice leaves it
        lab.run(name, ["sysctl", "-w", f"net.ipv4.fib_multipath_hash_seed={number}"])
        is_host = name in running.project.hosts
        for port in lab.ports(name):
            _shape(running, name, port, 1.0, is_host=is_host)


def _shape(running: Running, device: str, port: str, share: float, *, is_host: bool) -> None:
    rate_bps = RATE_BPS * share
    text = (_HOST_PORT if is_host else _SWITCH_PORT).format(
        port=running.lab.interface(device, port),
        rate=f"{rate_bps:.0f}bit",
        most=f"{rate_bps * 0.98:.0f}bit",
        rest=f"{rate_bps * 0.02:.0f}bit",
        burst=f"burst {BURST_BYTES} cburst {BURST_BYTES} quantum 9100",
        burst_bytes=BURST_BYTES,
        short=SHORT_BYTES,
        long=LONG_BYTES,
    )
    _run(running, device, text)


def _run(running: Running, device: str, script: str) -> None:
    answer = running.lab.run(device, ["sh", "-ec", script])
    assert answer.code == 0, (device, script, answer)


class SlowCluster:
    """Hosts, rails and what is wrong with one of them."""

    def __init__(self, running: Running, fault: Fault) -> None:
        self.running, self.lab, self.fault = running, running.lab, fault
        dice, switches = fault.dice, running.project.fabric.switches
        self.nics = {name: host.nics for name, host in running.project.hosts.items()}
        self.rails = running.project.fabric.rails
        self.host, self.rail = dice.choice(list(self.nics)), dice.randrange(self.rails)
        self.leaf = dice.choice(switches.names[: switches.leaf_count])
        self.width = dice.uniform(0.55, 0.6)
        self.bridge = dice.uniform(0.4, 0.75)
        self.loss = dice.uniform(0.05, 0.1)
        self.homes = {
            nic.addresses[0].address: self.lab.namespace(name)
            for name, nics in self.nics.items()
            for nic in nics
        }

    @property
    def culprit(self) -> str:
        """Device and ports as `rocefab suspect` names them."""
        nics = self.nics[self.host]
        return {
            "wrong rail": " ".join([self.host, *(nic.interface for nic in nics)]),
            "wrong DSCP": self.host,
            "bad hash": self.leaf,
        }.get(self.fault.kind, f"{self.host} {nics[self.rail].interface}")

    def address(self, host: str, rail: int) -> str:
        """Return the address that the rank of a rail uses."""
        if self.fault.kind == "wrong rail" and host == self.host:
            rail = self.rails - 1 - rail
        return self.nics[host][rail].addresses[0].address

    def measured(self, kind: str, hosts: list[str]) -> list[float]:
        """Return the bus bandwidth of each rail in GB/s, all of them at the same time."""
        # each host begins with its next one, as NCCL does: none gets from all others at once
        shifts = range(1, len(hosts) if kind == "all-to-all" else 2)
        pairs = [
            (host, hosts[(row + shift) % len(hosts)])
            for shift in shifts
            for row, host in enumerate(hosts)
        ]
        size_bytes = SIZE_BYTES * len(hosts) // len(pairs) // QUEUE_PAIRS
        flows = [
            Flow(
                rail,
                self.address(source, rail),
                self.address(target, rail),
                size_bytes,
                0 if self.fault.kind == "wrong DSCP" and source == self.host else ROCE_TOS,
            )
            for rail in range(self.rails)
            for source, target in pairs
            for _ in range(QUEUE_PAIRS)
        ]
        took_s = durations(flows, self.homes)
        real_gbyte = SIZE_BYTES * REAL_BPS / RATE_BPS / 1e9
        return [real_gbyte / took_s[rail] for rail in range(self.rails)]

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Plant the fault, and take it out again."""
        kind, nics = self.fault.kind, self.nics[self.host]
        slow = {"half rate": 0.5, "half PCIe width": self.width, "wrong rail": self.bridge}
        places = nics if kind == "wrong rail" else nics[self.rail : self.rail + 1]
        try:
            for nic in places if kind in slow else ():
                self._slow(nic, slow[kind])
            if kind == "lossy port":
                self._lose(places[0])
            if kind == "bad hash":
                self._narrow()
            yield
        finally:
            for nic in places:
                self._slow(nic, 1.0)
                _run(self.running, nic.leaf, "nft delete table netdev lossy || true")
            _run(self.running, self.leaf, "ip rule del pref 100 || true")
            _run(self.running, self.leaf, "ip route flush table 100 || true")

    def _slow(self, nic: NicDesign, share: float) -> None:
        _shape(self.running, self.host, nic.interface, share, is_host=True)
        _shape(self.running, nic.leaf, nic.leaf_port, share, is_host=False)

    def _lose(self, nic: NicDesign) -> None:
        port = self.lab.interface(nic.leaf, nic.leaf_port)
        _run(
            self.running,
            nic.leaf,
            _LOSSY_PORT.format(port=port, per_mille=round(self.loss * 1000)),
        )

    def _narrow(self) -> None:
        """Let a leaf use one of its four uplinks for what it does not have itself."""
        lines = []
        for scope in ("proto bgp", "proto kernel"):
            argv = ["ip", "-j", "-4", "route", "show", *scope.split()]
            routes = json.loads(self.lab.run(self.leaf, argv).out)
            if scope == "proto bgp":
                hops = max((route.get("nexthops", []) for route in routes), key=len)
                network = self.running.project.intent.fabric.addressing.hosts
                way = f"via {hops[0]['gateway']} dev {hops[0]['dev']}"
                lines.append(f"ip route add {network} table 100 {way}")
            else:
                lines += [f"ip route add throw {route['dst']} table 100" for route in routes]
        _run(self.running, self.leaf, "\n".join([*lines, "ip rule add pref 100 lookup 100"]))
