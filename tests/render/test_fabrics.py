"""Switches and hosts of every design, on every system: sessions, policy and routes."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fabric.design.model import DeviceDesign
from fabric.render import render_device
from fabric.systems.host.render import render_host
from fabric.workflow.project import Project
from tests.cases import each
from tests.render import comware7_designs, nxos_designs, vrp8_designs
from tests.render.designs import INVENTORY, variant

SPEEDS = "speeds: {host_gbps: 200, uplink_gbps: 400, core_gbps: 400}"
SLOW = "speeds: {host_gbps: 100, uplink_gbps: 100, core_gbps: 100}"
NAME = "name: three-tier\n"
#: Model of all switches in the three tiers, and what else its system asks for.
SYSTEMS: dict[str, tuple[str, dict[str, str]]] = {
    "sonic": ("ACS-MSN4700", {}),
    "eos": ("7060X6-64PE", {}),
    "cumulus": ("SN4700", {}),
    "junos": ("QFX5230-64CD", {}),
    "esonic": ("Z9332F-ON", {}),
    "nxos": (nxos_designs.GX2A, {NAME: NAME + nxos_designs.LOSSLESS, "core_m: 300": "core_m: 40"}),
    "vrp8": (vrp8_designs.FAMILY_B, {SPEEDS: SLOW}),
    "comware7": (comware7_designs.LARGE, {SPEEDS: SLOW}),
}


@cache
def three_tiers(system: str) -> dict[str, DeviceDesign]:
    """Return the designs of the three tiers with switches of one system."""
    model, changes = SYSTEMS[system]
    with TemporaryDirectory() as folder:
        return variant(Path(folder) / "i", "three-tier", {"ACS-MSN4700": model, **changes})


def text_of(device: DeviceDesign) -> str:
    """Return everything that is rendered for a switch."""
    return "\n".join(artefact.content.decode() for artefact in render_device(device))


@each("system", SYSTEMS)
@each(
    ("switch", "peers"),
    [
        ("rack1-leaf", {"east-spine01": 4, "east-spine02": 4}),
        ("east-spine01", {"rack1-leaf": 4, "rack2-leaf": 4, "core01": 2, "core03": 2}),
        ("core01", {"east-spine01": 2, "west-spine01": 2}),
    ],
)
def test_sessions_of_each_tier(system: str, switch: str, peers: dict[str, int]) -> None:
    """Every session is there with its address and AS number, and both ends agree on them."""
    devices = three_tiers(system)
    device = devices[switch]
    assert device.platform == system
    names = [peer.name for peer in device.bgp.neighbours]
    assert {name: names.count(name) for name in names} == peers
    text = text_of(device)
    for peer in device.bgp.neighbours:
        other = devices[peer.name].bgp
        back = [one for one in other.neighbours if one.local_address == peer.address]
        assert [one.address for one in back] == [peer.local_address]
        assert (peer.asn, back[0].asn) == (other.asn, device.bgp.asn)
        assert peer.address in text
        assert str(peer.asn) in text


def test_eos_keeps_sessions_up_and_down_apart() -> None:
    devices = three_tiers("eos")
    spine, core = text_of(devices["east-spine01"]), text_of(devices["core01"])
    up, down = (
        next(p.address for p in devices["east-spine01"].bgp.neighbours if p.role == role)
        for role in ("super-spine", "leaf")
    )
    assert f"neighbor {up} peer group SUPER-SPINES\n" in spine
    assert f"neighbor {down} peer group LEAVES\n" in spine
    assert "peer group SPINES\n" in core
    assert "LEAVES" not in core


def test_junos_passes_routes_on_above_the_leaves_only() -> None:
    devices = three_tiers("junos")
    found = {
        device.role: "term transit from protocol bgp" in text_of(device)
        for device in devices.values()
    }
    assert found == {"leaf": False, "spine": True, "super-spine": True}


@cache
def project(name: str) -> Project:
    """Return an example inventory."""
    return Project(INVENTORY / name)


@pytest.mark.parametrize("name", ["rail-only", "dual-tor", "dual-plane", "three-tier", "explicit"])
def test_every_device_of_the_examples_is_rendered(name: str) -> None:
    made = project(name)
    for device in made.devices.values():
        assert text_of(device)
    for host in made.hosts.values():
        assert render_host(host)


def routes(name: str, host: str) -> dict[str, tuple[str, str]]:
    """Return subnet and the one routed pool of each interface of a host."""
    nics = project(name).hosts[host].nics
    return {nic.interface: (nic.network, *nic.addresses[0].pools) for nic in nics}


def test_a_port_reaches_its_plane_only() -> None:
    """eth1 and eth3 are in plane a, eth2 and eth4 in plane b."""
    found = routes("dual-plane", "gpu01")
    assert {name: pool for name, (_, pool) in found.items()} == {
        "eth1": "10.64.0.0/17",
        "eth2": "10.64.128.0/17",
        "eth3": "10.64.0.0/17",
        "eth4": "10.64.128.0/17",
    }
    for network, pool in found.values():
        assert ipaddress.ip_network(network).subnet_of(ipaddress.ip_network(pool))


def test_ports_of_dual_tor_reach_each_other() -> None:
    assert {pool for _, pool in routes("dual-tor", "gpu01").values()} == {"10.64.0.0/16"}


def test_tables_and_rules_of_each_port_are_its_own() -> None:
    nics = project("dual-tor").hosts["gpu08"].nics
    assert [(nic.rail, nic.nic_port, nic.table) for nic in nics] == [
        (0, 0, 100),
        (0, 1, 101),
        (1, 0, 102),
        (1, 1, 103),
    ]
    assert len({nic.gateway for nic in nics}) == 4


@pytest.mark.parametrize("stack", ["netplan-networkd", "networkd", "networkmanager"])
def test_a_rail_without_spines_has_one_route(stack: str) -> None:
    """A route to its own subnet again, over a gateway, would be refused as a double."""
    host = project("rail-only").hosts["gpu001"]
    traits = host.traits.model_copy(update={"network_stack": stack})
    files = {file.path: file.content.decode() for file in render_host(replace(host, traits=traits))}
    text = "\n".join(
        body
        for path, body in files.items()
        if "netplan" in str(path) or "network" in str(path).lower()
    )
    assert "10.64.0.0/24" in text
    assert "10.64.0.1" not in text


def test_a_rail_without_spines_has_no_session() -> None:
    device = project("rail-only").devices["su1-rail0"]
    assert device.bgp.neighbours == ()
    [file] = [file for file in render_device(device) if file.path.endswith("config_db.json")]
    assert not json.loads(file.content).get("BGP_NEIGHBOR")
