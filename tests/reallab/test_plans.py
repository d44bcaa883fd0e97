"""What routed NIC ports and sessions without addresses do beyond the examples, by real FRR."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from ipaddress import IPv4Address

import numpy as np
import pytest

from fabric.design.host_model import NicDesign
from fabric.observe.configuration import Aggregate, Configured
from fabric.observe.configuration.blocks import network
from fabric.observe.configuration.frr import aggregate_line
from fabric.observe.configuration.model import AddressLine
from fabric.prove.engine import Engine
from fabric.prove.routes import tables
from fabric.prove.sessions import sessions
from fabric.prove.wiring import Network, Wiring
from fabric.topology.outages import outage
from tests.reallab.conftest import PATIENCE_S, Running

pytestmark = pytest.mark.lab

#: Ports of each route of BGP, by switch and prefix; none where the switch drops.
Routes = dict[tuple[str, str], tuple[str, ...]]
#: FRR has begun to work on a change, measured: 0.3 s.
_PAUSE_S = 1.0
#: The route to a dead NIC is gone at the far leaf; measured: below 0.3 s.
WITHDRAWN_S = 3.0


def on(plan: str) -> pytest.MarkDecorator:
    """Run a test in the lab of a plan."""
    return pytest.mark.parametrize("running", [plan], indirect=True)


def in_time(seen: Callable[[], object], expected: object, patience_s: float = PATIENCE_S) -> object:
    """Return what is seen as soon as it is what is expected, or at last."""
    until_s = time.monotonic() + patience_s
    while (last := seen()) != expected and time.monotonic() < until_s:
        time.sleep(0.1)
    return last


def proved(running: Running, files: Mapping[str, Configured]) -> Routes:
    """Routes of BGP as ``prove`` has them."""
    whole = Network(files, Wiring.of(running.project.fabric))
    known = tables(whole, [link for link in sessions(whole) if link.established])
    pairs = zip(known.prefixes.network.tolist(), known.prefixes.length.tolist(), strict=True)
    prefixes = [f"{IPv4Address(first)}/{bits}".removesuffix("/32") for first, bits in pairs]
    names = list(whole.switches)
    drops = np.argwhere(known.dropped).tolist()
    routes: Routes = {(names[row], prefixes[column]): () for row, column in drops}
    for row, column in np.argwhere(known.next_hops).tolist():
        link = known.sessions[row]
        ports = routes.get((link.switch, prefixes[column]), ())
        routes[link.switch, prefixes[column]] = tuple(sorted((*ports, link.port)))
    return routes


def learnt(running: Running) -> Routes:
    """Routes of BGP as the kernels have them."""
    return {
        (name, prefix): ports
        for name in running.project.devices
        for prefix, ports in running.lab.learnt(name).items()
    }


def aggregate(prefix: str, *, hides: bool = True) -> Aggregate:
    return Aggregate(*network(prefix), 0, hides)


#: Aggregates of switches in place of their own; a leaf has 10.64.0.0/23, its neighbour the next.
WAYS = {
    "as rendered": {},
    "nothing is hidden": {"su1-rail0": [aggregate("10.64.0.0/23", hides=False)]},
    "none": {"su1-rail0": []},
    "nothing is inside": {"su1-rail0": [aggregate("10.65.0.0/23")]},
    "a learnt prefix is inside too": {"su1-rail0": [aggregate("10.64.0.0/22")]},
    "one inside of another": {
        "su1-rail0": [aggregate("10.64.0.0/22"), aggregate("10.64.0.0/23", hides=False)]
    },
    "the subnet of a NIC": {"su1-rail0": [aggregate("10.64.0.0/28")]},
    "on a spine": {"spine01": [aggregate("10.64.0.0/22")]},
    "on a spine, nothing is hidden": {"spine01": [aggregate("10.64.0.0/22", hides=False)]},
    "on both spines": {
        "spine01": [aggregate("10.64.0.0/22")],
        "spine02": [aggregate("10.64.0.0/22")],
    },
}


@contextmanager
def changed(
    running: Running, way: Mapping[str, list[Aggregate]]
) -> Iterator[Mapping[str, Configured]]:
    """Give switches other aggregates for a while; yield what their files would say."""
    files = dict(running.lab.blueprint.files)
    own = {}
    for name, items in way.items():
        files[name] = switch = deepcopy(files[name])
        assert switch.bgp
        own[name] = switch.bgp.aggregates
        switch.bgp.aggregates = items

    def put(name: str, old: list[Aggregate], new: list[Aggregate]) -> None:
        lines = [*(f"no {aggregate_line(item)}" for item in old), *map(aggregate_line, new)]
        bgp = files[name].bgp
        start = ("configure terminal", f"router bgp {bgp and bgp.asn}", "address-family ipv4")
        done = running.lab.vtysh(name, *start, *lines)
        assert not done.out + done.err

    for name, items in way.items():
        put(name, own[name], items)
    time.sleep(_PAUSE_S)
    try:
        yield files
    finally:
        for name, items in way.items():
            put(name, items, own[name])
        expected = proved(running, running.lab.blueprint.files)
        assert in_time(lambda: learnt(running), expected) == expected


@on("one prefix for a leaf")
@pytest.mark.parametrize("way", WAYS)
def test_aggregates_are_those_of_the_proof(running: Running, way: str) -> None:
    """Route by route: who has them, what they hide, and that the switch itself drops the rest."""
    with changed(running, WAYS[way]) as files:
        expected = proved(running, files)
        seen = in_time(lambda: learnt(running), expected)
        assert seen == expected


def stricken(running: Running) -> tuple[list[tuple[str, NicDesign]], str, NicDesign]:
    """NICs of a leaf, another leaf, and a NIC there that they are promised to."""
    nics = running.lab.nics()
    _, first = nics[0]
    mine = [(host, nic) for host, nic in nics if nic.leaf == first.leaf]
    pairs = running.promised()
    _, other = next(
        (host, nic)
        for host, nic in nics
        if nic.leaf != first.leaf and (nic.address, first.address) in pairs
    )
    return mine, other.leaf, other


@contextmanager
def unplugged(running: Running, nics: list[tuple[str, NicDesign]]) -> Iterator[int]:
    """Take NICs down, by their hosts; yield how many next hops ``prove`` leaves."""
    words = [f"link:{nic.leaf}:{nic.leaf_port}" for _, nic in nics]
    for host, nic in nics:
        running.lab.run(host, ["ip", "link", "set", "dev", nic.interface, "down"])
    try:
        yield running.engine.prove_outage(outage(running.project.fabric, words)).routes
    finally:
        for host, nic in nics:
            running.lab.run(host, ["ip", "link", "set", "dev", nic.interface, "up"])
        assert running.settled(running.promised()) == running.promised()


def complaint(running: Running, source: NicDesign, target: NicDesign) -> str:
    """What a ping from one NIC to another says."""
    home = next(host for host, nic in running.lab.nics() if nic == source)
    words = ["ping", "-c", "1", "-W", "1", "-I", source.address, target.address]
    return running.lab.run(home, words).out


@on("a route for each NIC")
def test_the_route_to_a_dead_nic_goes(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    """At the far leaf, which tells the sender; it comes back with the NIC."""
    nics, leaf, other = stricken(running)
    (_, dead), lab = nics[0], running.lab
    ports = lab.next_hops(leaf, dead.network)
    assert ports
    with unplugged(running, nics[:1]) as left:
        start_s = time.monotonic()
        assert in_time(lambda: lab.next_hops(leaf, dead.network), (), WITHDRAWN_S) == ()
        with capsys.disabled():
            print(f"\nthe route to a dead NIC was gone after {time.monotonic() - start_s:.2f} s")
        assert lab.wait_for_next_hops(left) == left
        assert "Net Unreachable" in complaint(running, other, dead)
    assert lab.next_hops(leaf, dead.network) == ports


@on("one prefix for a leaf")
def test_one_prefix_hides_a_dead_nic_until_all_are_dead(running: Running) -> None:
    """The far leaf still has the route, and the packets vanish, as ADR008 says."""
    nics, leaf, other = stricken(running)
    (_, dead), lab = nics[0], running.lab
    (prefix,) = running.announced(dead.leaf)
    ports = lab.next_hops(leaf, prefix)
    assert ports
    with unplugged(running, nics[:1]) as left:
        time.sleep(WITHDRAWN_S)
        assert lab.next_hops(leaf, prefix) == ports
        assert lab.learnt_next_hops() == left == running.proof().routes
        said = complaint(running, other, dead)
        assert "100% packet loss" in said
        assert "Unreachable" not in said
    with unplugged(running, nics) as left:
        assert in_time(lambda: lab.next_hops(leaf, prefix), (), WITHDRAWN_S) == ()
        assert lab.wait_for_next_hops(left) == left


@on("unnumbered")
def test_an_ipv4_pair_left_on_a_port_without_addresses_is_found(running: Running) -> None:
    """FRR takes the address for the session, which stays down; ``prove`` names the port."""
    lab, files, project = running.lab, dict(running.lab.blueprint.files), running.project
    leaf = next(iter(project.devices))
    port = project.devices[leaf].unnumbered_ports[0].name
    files[leaf] = deepcopy(files[leaf])
    files[leaf].ports[port].addresses.append(AddressLine(int(IPv4Address("198.51.100.0")), 31, 0))
    proof = Engine(project.fabric, project.devices, project.hosts, files).prove()
    said = [breach.message for breach in proof.breaches if breach.device == leaf]
    assert any(f"{leaf} {port} has 198.51.100.0/31 too" in message for message in said), said
    whole, words = lab.established(), ["198.51.100.0/31", "dev", lab.interface(leaf, port)]
    lab.run(leaf, ["ip", "address", "add", *words])
    lab.vtysh(leaf, "clear bgp *")
    try:
        assert lab.wait_for_sessions(proof.sessions) == proof.sessions
    finally:
        lab.run(leaf, ["ip", "address", "del", *words])
        lab.vtysh(leaf, "clear bgp *")
        assert lab.wait_for_sessions(whole) == whole
