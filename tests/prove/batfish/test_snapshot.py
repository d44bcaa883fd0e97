"""The snapshot: what makes Batfish lose tables, ports, policies or its stack without a word."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from ipaddress import IPv4Address

import pytest

from fabric.observe.configuration import (
    Bgp,
    BgpPeer,
    Configured,
    Discard,
    Origination,
    PolicyTerm,
    PrefixMatch,
    StaticRoute,
)
from fabric.observe.configuration.frr import frr
from fabric.prove.batfish import questions
from fabric.prove.batfish.flow_gate import classes, pairs
from fabric.prove.batfish.forms import snapshot_writers
from fabric.prove.batfish.route_gate import next_hops
from fabric.prove.batfish.snapshot import snapshot
from fabric.prove.batfish.translate import config_db
from fabric.prove.wiring import Network
from fabric.topology.clos import Outage, clos
from tests.prove.batfish.subjects import example_subject

#: Fields that Batfish 0.36 knows in the tables that one unknown field makes it throw away.
KNOWN_FIELDS = {
    "VLAN": {"vlanid", "dhcp_servers", "members"},
    "VLAN_MEMBER": {"tagging_mode"},
    "INTERFACE": {"secondary", "gwaddr", "forced_mgmt_routes"},
    "VLAN_INTERFACE": {"secondary", "gwaddr", "forced_mgmt_routes"},
    "LOOPBACK_INTERFACE": {"secondary", "gwaddr", "forced_mgmt_routes"},
}


@pytest.mark.parametrize("name", ["demo", "mixed", "dual-tor", "rail-only"])
def test_no_table_of_sonic_is_thrown_away(name: str) -> None:
    files = snapshot(example_subject(name)).files
    documents = [
        json.loads(data) for path, data in files.items() if path.endswith("config_db.json")
    ]
    assert documents
    for document in documents:
        for table, known in KNOWN_FIELDS.items():
            assert all(row.keys() <= known for row in document[table].values())


def test_every_vlan_of_sonic_has_its_members() -> None:
    subject = example_subject("demo")
    files = snapshot(subject).files
    for name, design in subject.devices.items():
        if design.platform != "sonic":
            continue
        document = json.loads(files[f"sonic_configs/{name}/config_db.json"])
        members = {port for row in document["VLAN"].values() for port in row["members"]}
        assert members == {port.name for port in design.ports if port.vlan is not None} != set()


def test_policies_stand_in_the_order_in_which_frr_prints_them() -> None:
    switch = Configured("sonic", "config_db", name="leaf")
    switch.bgp = Bgp(65101, 1, "10.0.0.1", max_paths=64, relax=True)
    peer = BgpPeer(1, asn=65100, activated=True, policy_in="IN", session="10.1.0.0")
    idle = BgpPeer(1, asn=65100, activated=False, enabled=False, session="10.1.0.2")
    switch.bgp.peers = {"10.1.0.0": peer, "10.1.0.2": idle, "eth1": replace(peer, session="eth1")}
    network = int(IPv4Address("10.64.0.0"))
    switch.bgp.originations = [Origination((network, 24), "", 1), Origination(None, "OUT", 1)]
    switch.static_routes = [StaticRoute(network, 25, Discard(), 1)]
    switch.prefix_lists = {"PL": [PrefixMatch(True, network, 16, 24, 24, 1)]}
    switch.policies = {
        "IN": [PolicyTerm(permit=False, line=1, prefix_lists=["PL"]), PolicyTerm(True, 1)],
        "OUT": [PolicyTerm(True, 1, prefixes=[PrefixMatch(True, network, 16, 16, 32, 1)])],
    }
    assert frr(switch).splitlines()[3:] == [
        "!",
        "ip route 10.64.0.0/25 Null0",
        "router bgp 65101",
        " bgp router-id 10.0.0.1",
        " no bgp default ipv4-unicast",
        " bgp bestpath as-path multipath-relax",
        " neighbor 10.1.0.0 remote-as 65100",
        " neighbor eth1 interface remote-as 65100",
        " !",
        " address-family ipv4 unicast",
        "  network 10.64.0.0/24",
        "  redistribute connected route-map OUT",
        "  neighbor 10.1.0.0 activate",
        "  neighbor eth1 activate",
        "  neighbor 10.1.0.0 route-map IN in",
        "  neighbor eth1 route-map IN in",
        "  maximum-paths 64",
        " exit-address-family",
        "!",
        "ip prefix-list PL seq 5 permit 10.64.0.0/16 ge 24 le 24",
        "ip prefix-list OUT-1 seq 5 permit 10.64.0.0/16 le 32",
        "route-map IN deny 10",
        " match ip address prefix-list PL",
        "!",
        "route-map IN permit 20",
        "!",
        "route-map OUT permit 10",
        " match ip address prefix-list OUT-1",
        "!",
        "line vty",
        "!",
    ]


def test_a_nic_that_is_not_there_is_no_success() -> None:
    assert "delivered_to_subnet" in questions.LOST.split(",")
    assert "accepted" not in questions.LOST


def test_addresses_are_asked_for_as_ranges() -> None:
    first = int(IPv4Address("10.64.0.2"))
    assert list(questions.address_ranges(range(first, first + 4096))) == ["10.64.0.2-10.64.16.1"]
    parts = list(questions.address_ranges(range(first, first + 4096, 2)))
    assert len(parts) == 2048 / questions.MOST_RANGES
    assert all(part.count("-") == questions.MOST_RANGES for part in parts)


def test_eos_is_named_as_what_it_is() -> None:
    subject = example_subject("demo")
    lines = snapshot(subject).files["configs/spine01.cfg"].decode().splitlines()
    assert lines[0] == "!RANCID-CONTENT-TYPE: arista"
    text = subject.texts["spine01"]["startup-config"]
    assert lines[snapshot_writers["eos"].added_lines :] == text.splitlines()


def test_every_system_is_in_its_own_grammar_or_named() -> None:
    written = snapshot(example_subject("mixed"))
    assert {*written.forms, *written.translated, *written.stand_ins} == {*written.switches.values()}
    assert {"spine01", "eos-leaf", "nxos-leaf", "junos-leaf", "sonic-leaf"} <= {*written.forms}
    assert written.files["configs/junos-leaf.cfg"].startswith(b"set ")


def test_one_folder_at_the_top() -> None:
    written = snapshot(example_subject("demo"))
    with zipfile.ZipFile(io.BytesIO(written.archive())) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"snapshot"}
    assert len(names) == 2 + 4 * 2 + 8 + 1
    assert written.archive() == snapshot(example_subject("demo")).archive()


def test_cables_are_those_of_the_fabric() -> None:
    written = snapshot(example_subject("demo"))
    edges = json.loads(written.files["batfish/layer1_topology.json"])["edges"]
    assert len(edges) == 16
    assert {
        "node1": {"hostname": "su1-rail0", "interfaceName": "Ethernet0"},
        "node2": {"hostname": "gpu001-eth1", "interfaceName": "eth1"},
    } in edges


@pytest.mark.parametrize("name", ["demo", "dual-plane", "three-tier", "explicit", "eight-slash-27"])
def test_a_design_in_the_form_of_a_file_makes_the_routes_of_the_files(name: str) -> None:
    subject = example_subject(name)
    assert next_hops(Network(subject.designs, subject.wiring)) == (
        next_hops(Network(subject.files, subject.wiring))
    )


def test_a_translation_says_what_the_file_says() -> None:
    subject = example_subject("demo")
    ours = config_db(subject.files["su1-rail0"])
    theirs = json.loads(snapshot(subject).files["sonic_configs/su1-rail0/config_db.json"])
    for table in ("VLAN", "VLAN_MEMBER", "INTERFACE", "VLAN_INTERFACE"):
        assert ours[table] == theirs[table]


@pytest.mark.parametrize(
    ("name", "count", "promised"), [("demo", 1, 56), ("dual-plane", 2, 480), ("rail-only", 8, 448)]
)
def test_classes_of_nics(name: str, count: int, promised: int) -> None:
    subject = example_subject(name)
    parts = classes(subject, snapshot(subject))
    assert (len(parts), pairs(parts)) == (count, promised)
    assert all(bool(part.apart) == (count > 1) for part in parts)


def test_a_leaf_that_is_down_takes_its_nics_out_of_their_class() -> None:
    subject = example_subject("demo")
    outage = Outage.none(clos(subject.fabric))
    outage.switches[0] = True
    (part,) = classes(subject, snapshot(subject), outage)
    assert len(part.starts) == 6
