"""Each inventory, built of real parts: what the kernel and FRR do is what rocefab says."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fabric.design.host_model import NicDesign
from fabric.prove.promises import Promises
from fabric.report.whatif import whatif
from fabric.topology.clos import Outage, clos
from fabric.topology.outages import outage
from fabric.topology.paths import Layers, next_hop_counts
from tests.reallab.conftest import Running, counted

pytestmark = pytest.mark.lab


def test_every_session_is_up(running: Running) -> None:
    """As many ends as ``prove`` counts, and none beside them."""
    states = [
        state for name in running.project.devices for state in running.lab.sessions(name).values()
    ]
    assert states == ["Established"] * counted(running.proof())[0]
    assert states


def test_the_kernels_have_as_many_next_hops_as_prove_counts(running: Running) -> None:
    """Of all routes of BGP of all switches, loopbacks among them."""
    _, next_hops = counted(running.proof())
    assert running.lab.wait_for_next_hops(next_hops) == next_hops


def test_next_hops_are_those_of_the_design(running: Running) -> None:
    """The FIB of every switch, towards the networks of every leaf: which neighbours, how many."""
    fabric, lab = running.project.fabric, running.lab
    promises = Promises.of(fabric)
    links, (certain, possible) = promises.links, promises.next_hops
    names = fabric.switches.names
    peers = {
        (name, port.name): port.peer
        for name, device in running.project.devices.items()
        for port in device.ports
    }
    hops_seen = 0
    for row, name in enumerate(names):
        for column, leaf in enumerate(names[: fabric.switches.leaf_count]):
            if leaf == name:
                continue
            own = np.flatnonzero(links.source == row)
            must = {names[links.target[link]] for link in own if certain[link, column]}
            may = {names[links.target[link]] for link in own if possible[link, column]}
            for prefix in running.announced(leaf):
                seen = lab.next_hops(name, prefix)
                assert must <= {peers[name, port] for port in seen} <= may, (name, leaf, seen)
                hops_seen += len(seen)
    assert hops_seen


def test_as_wide_as_show_paths_says(running: Running) -> None:
    """Uplinks of each leaf towards each other leaf."""
    fabric, lab = running.project.fabric, running.lab
    cables = next_hop_counts(Layers.of(clos(fabric)))[1]
    names = fabric.switches.names[: fabric.switches.leaf_count]
    wide = {
        (name, leaf): len(lab.next_hops(name, prefix))
        for name in names
        for leaf in names
        for prefix in running.announced(leaf)
        if leaf != name
    }
    assert wide == {
        (name, leaf): int(cables[names.index(name), names.index(leaf)]) for name, leaf in wide
    }


def test_every_promised_pair_passes_whole_packets(running: Running) -> None:
    """9,000 bytes that may not be fragmented, from the address of each NIC; one more does not."""
    promised = running.promised()
    assert running.settled(promised) == promised
    assert running.answered(9001) == set()


def test_packets_leave_by_the_nic_of_their_address(running: Running) -> None:
    """Towards every NIC that is promised, by the routing of the host."""
    promised = running.promised()
    sources = [(*pair, own.address) for pair in running.lab.nics() for own in pair[1].addresses]
    for name, nic, address in sources:
        for target in sorted(two for one, two in promised if one == address)[::5]:
            said = running.lab.run(name, ["ip", "route", "get", target, "from", address]).out
            assert f"dev {nic.interface} " in said, (name, address, target, said)


def test_a_nic_answers_arp_for_itself_alone(running: Running) -> None:
    """Asked by its leaf for every address of its host."""
    lab = running.lab
    if not running.project.intent.fabric.addressing.ipv4:
        pytest.skip("IPv6 has no ARP")
    host = next(iter(running.project.hosts.values()))

    def answers(pair: tuple[NicDesign, NicDesign]) -> bool:
        asked, owner = pair
        ports = lab.blueprint.files[asked.leaf].ports
        gateways = {port.gateway_vlan: name for name, port in ports.items()}
        name = lab.interface(asked.leaf, gateways.get(asked.vlan, asked.leaf_port))
        address = next(own.address for own in owner.addresses if not own.is_ipv6)
        argv = ["arping", "-c", "1", "-w", "1", "-f", "-I", name, address]
        return lab.run(asked.leaf, argv).code == 0

    pairs = [(one, two) for one in host.nics for two in host.nics]
    with ThreadPoolExecutor(16) as pool:
        seen = dict(zip(pairs, pool.map(answers, pairs), strict=True))
    assert seen == {(one, two): one == two for one, two in pairs}


def words_of(running: Running) -> list[str]:
    """Everything that fails alone: cables of both tiers, and switches."""
    cables = [f"link:{device}:{port}" for (device, port), _ in running.lab.blueprint.cables]
    return cables + [f"switch:{name}" for name in running.project.devices]


def cut_all(running: Running, lost: Outage, *, mend: bool = False) -> None:
    """Cut every cable that an outage takes, or mend it."""
    fabric, lab = running.project.fabric, running.lab
    network = clos(fabric)
    gone = lost.switches
    cables = np.flatnonzero(
        lost.cables | gone[network.cables.lower] | gone[network.cables.upper]
    ).tolist()
    nics = np.flatnonzero(lost.nics | gone[network.nics.leaf] | lost.hosts[network.nics.host])
    names = fabric.switches.names
    ends = [
        (int(network.cables.lower[row]), int(network.cables.lower_port[row])) for row in cables
    ] + [(int(network.nics.leaf[row]), int(network.nics.leaf_port[row])) for row in nics.tolist()]
    for switch, port in ends:
        change = lab.mend if mend else lab.cut
        change(names[switch], fabric.port_name(switch, port))


@pytest.mark.parametrize("number", range(4))
def test_whatif_is_right_about_random_failures(running: Running, number: int) -> None:
    """One and two failures at a time: the pairs of NICs that are left, and the hosts cut off."""
    dice = random.Random(f"{running.project.intent.fabric.name} {number}")
    words = dice.sample(words_of(running), 1 + number % 2)
    lost = outage(running.project.fabric, words)
    cut_all(running, lost)
    try:
        sessions, next_hops = counted(running.engine.prove_outage(lost))
        assert running.lab.wait_for_sessions(sessions) == sessions, words
        assert running.lab.wait_for_next_hops(next_hops) == next_hops, words
        expected = running.promised(lost)
        seen = running.settled(expected)
        assert seen == expected, (words, sorted(seen ^ expected)[:5])
        assert (
            hosts_cut(running, seen)
            == whatif(running.project, words, rules=False).impact.host_pairs[1]
        ), words
    finally:
        cut_all(running, lost, mend=True)
    sessions, next_hops = counted(running.proof())
    assert running.lab.wait_for_sessions(sessions) == sessions
    assert running.lab.wait_for_next_hops(next_hops) == next_hops
    promised = running.promised()
    assert running.settled(promised) == promised


def hosts_cut(running: Running, seen: set[tuple[str, str]]) -> int:
    """Count the pairs of hosts that were connected and are not."""
    home = {own.address: name for name, nic in running.lab.nics() for own in nic.addresses}

    def pairs(addresses: set[tuple[str, str]]) -> set[frozenset[str]]:
        return {frozenset((home[one], home[two])) for one, two in addresses}

    return len(pairs(running.promised()) - pairs(seen))
