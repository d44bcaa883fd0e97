"""A real Batfish, where ROCEFAB_BATFISH names one: all examples, and random fabrics with faults."""

from __future__ import annotations

import random
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import RenderError
from fabric.observe.configuration import (
    BgpPeer,
    Configured,
    Discard,
    Origination,
    PolicyTerm,
    PrefixMatch,
    StaticRoute,
)
from fabric.prove.batfish.client import Service
from fabric.prove.batfish.snapshot import snapshot
from fabric.prove.scenarios import scenarios
from fabric.workflow.project import Project
from tests.prove.batfish.mistakes import configured
from tests.prove.batfish.subjects import (
    ADDRESS,
    by_batfish,
    by_own,
    example_subject,
    needs_service,
    subject_of,
)
from tests.prove.fabrics import MODELS, random_fabric, with_files
from tests.prove.faults import FAULTS
from tests.prove.test_engine import COUNTED
from tests.topology.fabrics import document

pytestmark = needs_service

#: Batfish knows access lists: of a line that is nobody's, it finds that the list is missing.
KNOWN_TO_BATFISH = {"a line that nobody knows": {"BAT011"}}

#: Examples whose failures are all tried too; the others take minutes.
SMALL = ("demo", "a100-pcie", "dual-plane", "explicit")


@pytest.mark.parametrize("name", COUNTED)
def test_examples_are_proved_as_by_our_own_engine(name: str) -> None:
    subject = example_subject(name)
    judged = by_batfish(subject)
    assert judged.breaches == ()
    assert (judged.sessions, judged.routes, judged.pairs) == COUNTED[name]


def test_every_system_is_proved_or_named() -> None:
    judged = by_batfish(example_subject("mixed"))
    assert {breach.rule for breach in judged.breaches} <= {"BAT016"}
    assert {breach.device for breach in judged.breaches} == {*judged.translated, *judged.stand_ins}
    assert (judged.sessions, judged.routes, judged.pairs) == (32, 272, 56)


def test_every_line_of_a_translation_is_known() -> None:
    def change(switch: Configured) -> None:
        assert switch.bgp
        network = int(IPv4Address("10.99.0.0"))
        switch.static_routes = [
            StaticRoute(network, 24, hop, 1) for hop in (Discard(), network + 1, "Ethernet0")
        ]
        entry = PrefixMatch(True, network, 16, 24, 32, 1)
        switch.prefix_lists = {"PL": [entry, entry._replace(permit=False)]}
        switch.policies = {
            "ALL": [
                PolicyTerm(True, 1, prefix_lists=["PL"], source="bgp"),
                PolicyTerm(True, 1, prefixes=[entry], source="connected"),
                PolicyTerm(True, 1),
            ]
        }
        switch.bgp.originations.append(Origination(None, "ALL", 1))
        for peer in switch.bgp.peers.values():
            peer.policy_in = peer.policy_out = "ALL"
        port, peer = next((port, peer) for port, peer in _ends(switch))
        peer.local_address = port
        other = BgpPeer(1, asn=0, activated=True, session="Ethernet248", policy_in="ALL")
        switch.bgp.peers["Ethernet248"] = other

    subject = configured("su1-rail0", change)(example_subject("demo"))
    found = by_batfish(subject).breaches
    assert not [breach for breach in found if breach.rule in ("BAT001", "BAT011")], found


def _ends(switch: Configured) -> Iterator[tuple[str, BgpPeer]]:
    """Yield the own address of each session."""
    assert switch.bgp
    for port in switch.ports.values():
        for entry in port.addresses:
            peer = switch.bgp.peers.get(str(IPv4Address(entry.address ^ 1)))
            if peer:
                yield str(IPv4Address(entry.address)), peer


@pytest.mark.parametrize("name", SMALL)
def test_failures_cost_what_whatif_says(name: str) -> None:
    subject = example_subject(name)
    failures = scenarios(subject.fabric, ["spine", "link", "leaf"])
    assert by_batfish(subject, failures).breaches == ()


@pytest.mark.parametrize("leaf", sorted(MODELS))
@pytest.mark.parametrize("spine", sorted(MODELS))
def test_sessions_without_addresses(tmp_path: Path, leaf: str, spine: str) -> None:
    data = document(
        bgp__peering="unnumbered",
        platforms={"leaf": {"sku": MODELS[leaf]}, "spine": {"sku": MODELS[spine]}},
        speeds={"host_gbps": 400, "uplink_gbps": 400},
    )
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    judged = by_batfish(subject_of(*with_files(Project(tmp_path))))
    assert {breach.rule for breach in judged.breaches} <= {"BAT016"}
    assert bool(judged.breaches) == (leaf != spine)
    assert (judged.sessions, judged.routes, judged.pairs) == (16, 72, 90)


#: Switch models, and what else an inventory may say whose lines Batfish meets in no example.
SKUS = {
    "7060X6-64PE": {},
    "7280DR3AK-36S": {"ecmp__hash_queue_pairs": True},
    "N9K-C9332D-GX2B": {
        "lossless__cnp_queue": 7,
        "lossless__cnp_traffic_class": 7,
        "lossless__mtu": {"port_bytes": 9216},
    },
    "QFX5240-64OD": {},
    "ACS-MSN4700": {},
}
VARIANTS = {
    "plain": {},
    "BFD": {"bgp__bfd": True},
    "VLAN of each NIC": {"addressing__vlan_per": "nic", "addressing__host_prefix_length": 29},
    "balancing by load": {"ecmp__mode": "cluster"},
    "thresholds": {"lossless__dynamic_th": 0},
    "pause buffer": {
        "cables": {"host_m": 5, "uplink_m": 300},
        "lossless__pause_buffer": {
            "pause_threshold_bytes": 100_000,
            "resume_threshold_bytes": 80_000,
            "buffer_bytes": 200_000,
        },
    },
    "servers": {"management": {"ntp_servers": ["192.0.2.1"], "syslog_servers": ["192.0.2.2"]}},
}


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sku", SKUS)
def test_no_line_that_is_rendered_is_a_finding(tmp_path: Path, sku: str, variant: str) -> None:
    data = document(
        platforms={"leaf": {"sku": sku}, "spine": {"sku": sku}},
        speeds={"host_gbps": 400, "uplink_gbps": 400},
        **SKUS[sku],
        **VARIANTS[variant],
    )
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    try:
        project, texts = with_files(Project(tmp_path))
    except RenderError as error:
        pytest.skip(str(error))
    assert by_batfish(subject_of(project, texts)).breaches == ()


def test_nothing_stays_at_the_service() -> None:
    with Service(ADDRESS) as service:
        service.upload("base", snapshot(example_subject("demo")).archive())
        name = service.network
        assert name in service.networks()
    with Service(ADDRESS) as service:
        assert name not in service.networks()


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))]
)
def test_random_fabrics_and_faults(tmp_path: Path, seed: int) -> None:
    project, texts = random_fabric(tmp_path, seed)
    assert by_batfish(subject_of(project, texts)).breaches == ()
    pick = random.Random(seed)
    fault, switch = FAULTS[seed % len(FAULTS)], pick.choice(sorted(texts))
    design = project.devices[switch]
    kind = {"eos": "startup-config", "sonic": "config_db"}[design.platform]
    text = fault.plant(texts[switch][kind], design, random.Random(seed))
    if text is None:
        pytest.skip(f"{switch} has nothing to break: {fault.name}")
    subject = subject_of(project, {**texts, switch: {**texts[switch], kind: text}})
    ours = {breach.rule for breach in by_own(subject).breaches}
    theirs = {breach.rule for breach in by_batfish(subject).breaches}
    assert ours & fault.rules, (fault.name, switch, ours)
    rules = fault.rules | KNOWN_TO_BATFISH.get(fault.name, set())
    assert theirs & rules, (fault.name, switch, theirs)
