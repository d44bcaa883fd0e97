"""The real lab without root: names, cables, the text for FRR, and what keeps it from running."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.lab.real import Cable, RealLab, needs
from fabric.lab.real.booted.management import free_networks
from fabric.lab.real.keeper import Answer
from fabric.lab.real.names import LONGEST, kernel_names
from fabric.lab.real.switch import Switch
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import blueprint
from tests.cli.runs import DEMO, run
from tests.reallab.plans import inventory_of
from tests.render.designs import INVENTORY


def test_names_that_the_kernel_takes_stay() -> None:
    ports = ("Ethernet0", "swp1", "Vlan101", "swp1s0")
    assert kernel_names(ports) == {port: port for port in ports}


def test_other_names_are_changed_and_stay_different() -> None:
    ports = ["Ethernet1/1", "Ethernet1_1", "et-0/0/0:1", "lo", "400GE1/0/1", "FourHundredGigE1/0/1"]
    names = kernel_names([*ports, "TwoHundredGigE1/0/1"])
    assert len(set(names.values())) == len(ports) + 1
    assert "lo" not in names.values()
    assert all(
        len(name) <= LONGEST and "/" not in name and ":" not in name for name in names.values()
    )
    assert names["Ethernet1/1"] == "Ethernet1_1"


def test_every_cable_is_there_once() -> None:
    project = Project(DEMO)
    plan = blueprint(project)
    ends = [end for cable in plan.cables for end in cable]
    assert len(ends) == len(set(ends)) == 2 * (8 + 8)
    one, two = ("gpu001", "eth1"), ("gpu002", "eth1")
    swapped = replace(plan, swapped=((one, two),)).cables
    assert Cable(("su1-rail0", "Ethernet0"), two) in swapped
    assert Cable(("su1-rail0", "Ethernet8"), one) in swapped
    assert sorted(end for cable in swapped for end in cable) == sorted(ends)


def switch(inventory: str, name: str) -> Switch:
    plan = blueprint(Project(INVENTORY / inventory))
    cabled = tuple(port for cable in plan.cables for device, port in cable if device == name)
    return Switch(plan.devices[name], plan.files[name], cabled, "space", Path("/nowhere"))


def test_a_leaf_is_made_of_bridges_ports_and_addresses() -> None:
    lines = switch("demo", "su1-rail0").lines()
    bridge = "type bridge forward_delay 0 stp_state 0 mcast_snooping 0"
    assert f"link add name Vlan101 {bridge}" in lines
    assert "link set dev Ethernet0 master Vlan101" in lines
    assert "address add 10.64.0.1/24 dev Vlan101" in lines
    assert "address add 10.255.0.129/32 dev lo" in lines
    assert "address add 10.254.0.1/31 dev Ethernet128" in lines


def test_a_routed_nic_port_has_the_address_of_its_leaf(tmp_path: Path) -> None:
    plan = blueprint(Project(inventory_of("one prefix for a leaf", tmp_path)))
    leaf, nic = plan.files["su1-rail0"], plan.hosts["gpu001"].nics[0]
    made = Switch(plan.devices["su1-rail0"], leaf, (nic.leaf_port,), "space", Path("/nowhere"))
    assert f"address add 10.64.0.1/28 dev {made.kernel_name[nic.leaf_port]}" in made.lines()
    assert not any("bridge" in line for line in made.lines())
    assert " aggregate-address 10.64.0.0/23 summary-only\n" in made.routing()


def test_frr_has_both_families() -> None:
    """A term of a policy that is about the other family matches nothing, and is left out."""
    text = switch("dual-stack", "su1-rail0").routing()
    assert text.count(" neighbor fd00:65::2 remote-as ") == 1
    routes = text.partition(" address-family ipv6 unicast\n")[2].partition(" exit")[0]
    assert routes.splitlines() == [
        "  redistribute connected route-map RM-FABRIC-6",
        "  neighbor fd00:65::2 activate",
        "  neighbor fd00:65::4 activate",
        "  maximum-paths 64",
    ]
    policies = text.partition("ip prefix-list ")[2].splitlines()
    assert [line for line in policies if "match" in line or "route-map" in line] == [
        "route-map RM-FABRIC permit 10",
        " match ip address prefix-list PL-FABRIC",
        "route-map RM-FABRIC-6 permit 20",
        " match ipv6 address prefix-list PL-FABRIC6",
    ]


def test_a_route_that_discards_has_no_next_hop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as that of an aggregate: ``ip`` prints no port."""
    lab = RealLab(blueprint(Project(DEMO)))
    routes = [
        {"type": "blackhole", "dst": "10.64.0.0/24"},
        {"dst": "10.64.1.0/24", "nexthops": [{"dev": "a"}, {"dev": "b"}]},
        {"dst": "10.255.0.1", "dev": "a"},
    ]
    monkeypatch.setattr(lab, "run", lambda *_: Answer(0, json.dumps(routes), ""))
    assert lab.learnt_next_hops() == 3 * len(lab.blueprint.devices)


def test_frr_is_told_timers_and_whole_routes() -> None:
    text = switch("demo", "su1-rail0").routing()
    neighbour = next(iter(switch("demo", "su1-rail0").configured.bgp.peers.values()))
    assert text.startswith("no zebra nexthop kernel enable\n")
    assert " no bgp ebgp-requires-policy\n" in text
    timers = f"{neighbour.keepalive_s} {neighbour.hold_s}"
    assert f" neighbor {neighbour.session} timers {timers}\n" in text


def test_more_paths_than_debian_builds_are_cut() -> None:
    leaf = switch("demo", "su1-rail0")
    wide = replace(leaf.configured, bgp=replace(leaf.configured.bgp, max_paths=514))
    assert "maximum-paths 256\n" in replace(leaf, configured=wide).routing()


def test_a_session_over_a_port_has_the_name_of_the_kernel() -> None:
    spine = switch("demo", "spine01")
    bgp = spine.configured.bgp
    peer = replace(next(iter(bgp.peers.values())), session="Ethernet1/1")
    one = replace(spine.configured, bgp=replace(bgp, peers={"Ethernet1/1": peer}))
    text = replace(spine, configured=one).routing()
    assert " neighbor Ethernet1_1 interface remote-as " in text
    assert "Ethernet1/1" not in text


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs.shutil, "which", lambda name: "lldp" not in name and "/" not in name)
    ended = run("lab", "up", "--real", DEMO)
    assert ended.code == 2
    assert "apt-get install frr lldpd netplan.io systemd" in ended.err


def test_without_root_nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs.shutil, "which", lambda name: name)
    monkeypatch.setattr(needs.os, "geteuid", lambda: 1000)
    ended = run("lab", "up", "--real", DEMO)
    assert ended.code == 2
    assert "the real lab cannot run here: it needs root" in ended.err


BOOTS = {
    "an unknown host": ("gpu009", "the inventory has no host 'gpu009'"),
    "a switch": ("spine01", "the inventory has no host 'spine01'"),
    "no range": ("gpu[1", "is not a range"),
}


@pytest.mark.parametrize("name", BOOTS)
def test_hosts_to_boot_are_hosts(name: str) -> None:
    text, message = BOOTS[name]
    ended = run("lab", "up", "--real", "--boot", text, DEMO)
    assert (ended.code, message in ended.err) == (2, True), ended.err


def test_a_host_with_networkmanager_is_not_booted(tmp_path: Path) -> None:
    folder = shutil.copytree(DEMO, tmp_path / "inventory")
    file = folder / "fabric.yaml"
    file.write_text(
        file.read_text().replace("  gpus: 2\n", "  gpus: 2\n  network_stack: networkmanager\n")
    )
    ended = run("lab", "up", "--real", "--boot", "gpu001", folder)
    assert (ended.code, "uses NetworkManager" in ended.err) == (2, True), ended.err


def test_stand_ins_do_not_boot() -> None:
    ended = run("lab", "up", "--boot", "gpu001", DEMO)
    assert (ended.code, "use --real" in ended.err) == (2, True), ended.err


def test_packages_of_booted_hosts_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs.shutil, "which", lambda name: name not in {"sshd", "sudo"} and name)
    ended = run("lab", "up", "--real", "--boot", "gpu001", DEMO)
    assert ended.code == 2
    assert "apt-get install openssh-server sudo" in ended.err


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([], ["198.18.0.0/31", "198.18.0.2/31"]),
        (["198.18.0.0/31"], ["198.18.0.2/31", "198.18.0.4/31"]),
        (["198.18.0.0/16"], ["198.19.0.0/31", "198.19.0.2/31"]),
    ],
)
def test_management_networks_are_free(routes: list[str], expected: list[str]) -> None:
    assert [str(one) for one in free_networks(2, routes)] == expected
