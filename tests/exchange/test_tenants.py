"""Tenants, lengths and breakouts of running configurations: imported, or named as lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.findings import Finding
from fabric.exchange.longest_cables import with_lengths
from fabric.exchange.plant import Cable, Device, End, Nic, Plant
from fabric.exchange.tenants import tenant_names, tenant_sections
from fabric.exchange.vrfs import FabricVrf
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import run
from tests.systems.tenant_fabrics import BLUE, RED, SYSTEMS, project

Data = dict[str, Any]
OTHERS: dict[str, Data] = {
    "cumulus": {
        "platforms": {
            "leaf": {"sku": "SN4700", "host_ports": 16},
            "spine": {"sku": "SN4700"},
        }
    },
    "eos": {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
    "junos": {
        "platforms": {
            "leaf": {"sku": "QFX5240-64OD", "host_ports": 16},
            "spine": {"sku": "QFX5240-64OD"},
        }
    },
}
KEPT = ("lossless", "arp", "bgp", "host", "addressing", "platforms", "speeds", "cables", "spines")


@pytest.fixture(autouse=True)
def _systems(monkeypatch: pytest.MonkeyPatch) -> None:
    for system, data in OTHERS.items():
        monkeypatch.setitem(SYSTEMS, system, data)


def files_of(one: Project) -> dict[str, bytes]:
    return {item.path: item.content for own in one.switch_artefacts.values() for item in own}


def imported(
    source: Project, folder: Path, change: Callable[[str], str] = str
) -> tuple[Project, list[Finding]]:
    """Return what comes of the files of a fabric, and what is said of it."""
    for path, content in files_of(source).items():
        target = folder / "configs" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(change(content.decode()))
    data = yaml.safe_load(Path(source.intent.folder, "fabric.yaml").read_text())
    base = folder / "base.yaml"
    names = ("name", "design", "rails", "units")
    base.write_text(yaml.safe_dump({name: data[name] for name in (*names, *KEPT)}))
    models = tuple(f"{role}={data['platforms'][role]['sku']}" for role in ("leaf", "spine"))
    request = Request(models=models, hosts="gpu[001-004]", base=base)
    _, notes = import_inventory(
        "configs", str(folder / "configs"), folder / "new", request, lambda *_: None
    )
    return Project(folder / "new"), list(notes)


@pytest.mark.parametrize("system", ["cumulus", "eos", "esonic", "junos", "nxos", "sonic"])
def test_a_fabric_of_tenants_comes_back_line_by_line(system: str, tmp_path: Path) -> None:
    form = "local" if system == "sonic" else "evpn"
    source = project(tmp_path / "source", system, form)
    back, notes = imported(source, tmp_path)
    assert files_of(back) == files_of(source)
    assert not [one for one in notes if one.rule == "EXC019"]


def test_services_come_back(tmp_path: Path) -> None:
    """They are known from the routes that VRFs exchange on the leaves of the service."""
    storage = {"name": "storage", "id": 30, "nics": {"gpu004": [0]}, "shared": True}
    red, blue = ({**one, "services": ["storage"]} for one in (RED, BLUE))
    tenants = [{**red, "hosts": "gpu[001,003]"}, {**blue, "hosts": "gpu002"}, storage]
    source = project(tmp_path / "source", "cumulus", "evpn", tenants=tenants)
    back, notes = imported(source, tmp_path)
    assert files_of(back) == files_of(source)
    assert not [one for one in notes if one.rule == "EXC019"]


#: A change of the files, and what is said of the VRFs then; the rest of the message is a fix.
LOST: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "another name": (
        lambda text: text.replace("Vrf17", "CUSTOMER"),
        [
            (
                "the VRF CUSTOMER (VNI 50017) runs on 4 ports of su[1-2]-rail[0-1], and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
            (
                "the VRF Vrf18 (VNI 50018) runs on 3 ports of su1-rail[0-1],su2-rail0, and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
        ],
    ),
    "another VNI": (
        lambda text: text.replace("vni 50017", "vni 60001"),
        [
            (
                "the VRF Vrf17 (VNI 60001) runs on 4 ports of su[1-2]-rail[0-1], and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
            (
                "the VRF Vrf18 (VNI 50018) runs on 3 ports of su1-rail[0-1],su2-rail0, and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
        ],
    ),
    "an id that no tenant has": (
        lambda text: text.replace("Vrf17", "Vrf99999").replace("50017", "149999"),
        [
            (
                "the VRF Vrf18 (VNI 50018) runs on 3 ports of su1-rail[0-1],su2-rail0, and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
            (
                "the VRF Vrf99999 (VNI 149999) runs on 4 ports of su[1-2]-rail[0-1], and the "
                "inventory has no such tenant: a plan takes the ports out of their VRF"
            ),
        ],
    ),
    "another route target": (
        lambda text: text.replace("65000:50017", "65000:7"),
        [
            "the VRF Vrf17 (VNI 50017) has the route target 65000:7: a plan makes it 65000:50017",
        ],
    ),
    "routes of the default VRF": (
        lambda text: text + _LEAK if "vrf Vrf17 " in text else text,
        ["the VRF Vrf17 (VNI 50017) exchanges routes with default: a plan ends that"],
    ),
}
_LEAK = (
    "nv set vrf Vrf17 router bgp address-family ipv4-unicast route-import from-vrf enable on\n"
    "nv set vrf Vrf17 router bgp address-family ipv4-unicast route-import from-vrf list default\n"
)


@each("name", LOST)
def test_what_an_inventory_cannot_have_is_said_by_import_and_adopt(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / name.replace(" ", "-")
    change, messages = LOST[name]
    source = project(folder / "source", "cumulus", "evpn")
    _, notes = imported(source, folder, change)
    assert [one.message for one in notes if one.rule == "EXC019"] == messages
    ended = run("adopt", folder / "new", folder / "configs")
    assert all(f"warning: {message}; " in ended.out for message in messages), ended.out
    assert "No field that is read would still change" not in ended.out


def test_adopt_lists_lengths_breakouts_and_vrfs_that_change(tmp_path: Path) -> None:
    platforms = {"leaf": {"sku": "SN4700", "breakouts": [{"cages": "30", "mode": "2x200G"}]}}
    source = project(
        tmp_path / "source", "cumulus", "evpn", cables={"uplink_m": 100}, platforms=platforms
    )
    back, _ = imported(source, tmp_path)
    assert files_of(back) == files_of(source)
    other = project(tmp_path / "other", "cumulus", "evpn", "moved")
    ended = run("adopt", other.intent.folder, tmp_path / "configs")
    for line in (
        "su1-rail0 swp2: VRF: runs Vrf18, becomes Vrf17; tenants set it",
        (
            "spine01 swp1 and 3 more ports: metres of cable: runs 100, becomes 40; cables, "
            "devices.ports.cable_m and cabling.csv set it"
        ),
        (
            "su1-rail0 swp30s0 and 1 more port: breakout: runs this port, becomes none; breakouts "
            "of the switch, or of its role, set it"
        ),
    ):
        assert f"  {line}\n" in ended.out, ended.out


def _cable(near: str, far: str, cable_m: int | None = None) -> Cable:
    one, other = ((name, port) for name, _, port in (near.partition(" "), far.partition(" ")))
    return Cable.between(one, other, cable_m=cable_m)


#: Longest cables of the ports of switches, and the lengths that follow, cable by cable.
LENGTHS: dict[str, tuple[dict[str, int], list[int | None]]] = {
    "both ends": ({"leaf1": 100, "leaf2": 100, "spine1": 100}, [None, 100, None, 100]),
    "one leaf is far": ({"leaf1": 100, "leaf2": 40, "spine1": 100}, [None, 100, None, 40]),
    "a host is far": ({"leaf1": 100, "leaf2": 40, "spine1": 40}, [100, 40, None, 40]),
    "a spine that says nothing": ({"leaf1": 100, "leaf2": 40}, [None, 100, None, 40]),
    "a spine that no leaf agrees with": ({"spine1": 300}, [None, 300, None, 300]),
    "nothing": ({}, [None] * 4),
}


@each("name", LENGTHS)
def test_lengths_keep_the_longest_of_each_switch(name: str) -> None:
    longest, lengths = LENGTHS[name]
    cables = tuple(
        cable
        for leaf in ("leaf1", "leaf2")
        for cable in (_cable(f"gpu{leaf} eth1", f"{leaf} swp1"), _cable(f"{leaf} swp2", "spine1 x"))
    )
    ends: set[End] = {end for one in cables for end in (one.near, one.far)}
    by_port = {end: longest[end[0]] for end in ends if end[0] in longest}
    plant, notes = with_lengths(Plant(cables=cables), by_port, {"leaf1", "leaf2", "spine1"}, "x")
    assert [cable.cable_m for cable in plant.cables] == lengths
    assert bool(notes) is any(lengths)


def test_a_length_that_is_known_stays() -> None:
    cable = _cable("leaf1 swp1", "spine1 swp1", 7)
    plant, notes = with_lengths(Plant(cables=(cable,)), {cable.near: 9}, {"leaf1", "spine1"}, "x")
    assert (plant.cables, notes) == ((cable,), ())


def test_names_of_tenants_are_descriptions_that_can_be_names() -> None:
    told: dict[str, set[str]] = {
        "Vrf1": {"red"},
        "Vrf2": {"Blue & co"},
        "Vrf3": {"vrf4"},
        "Vrf4": set(),
        "Vrf5": {"a", "b"},
    }
    vrfs = {name: FabricVrf(descriptions=own) for name, own in told.items()}
    assert [*tenant_names(vrfs).values()] == ["red", "vrf2", "vrf3", "vrf4", "vrf5"]


def test_no_tenant_is_made_of_a_nic_in_two_vrfs() -> None:
    ends = [("gpu1", "eth1"), ("gpu1", "eth2")]
    nics = tuple(Nic(*end, rail=0, nic_port=place) for place, end in enumerate(ends))
    cables = tuple(Cable.between(end, ("leaf", f"swp{place}")) for place, end in enumerate(ends))
    devices = Device("gpu1", "host"), Device("leaf", "switch")
    plant = Plant(devices=devices, cables=cables, nics=nics)
    vrfs = {f"Vrf{one + 1}": FabricVrf(ports={("leaf", f"swp{one}")}) for one in (0, 1)}
    assert tenant_sections(plant, vrfs) == ({}, frozenset())
    one = {"Vrf1": FabricVrf(ports={("leaf", "swp0"), ("leaf", "swp1")})}
    sections, _ = tenant_sections(plant, one)
    assert sections["tenants"] == [{"name": "vrf1", "id": 1, "hosts": "gpu1"}]
