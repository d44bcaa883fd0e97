"""Plants as inventory folders: what is written, and that it is the same fabric once loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.exchange.forms import Settings, importers
from fabric.exchange.host_profile import management
from fabric.exchange.inventory import generated, guesses, inventory
from fabric.exchange.models import models, refuse_no_words
from fabric.exchange.network import plant
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.recipe import Recipe
from fabric.intent.inventory import load
from fabric.platforms.catalogue import Skus
from fabric.topology import realise
from tests.exchange.plants import (
    ADDRESSES,
    EXAMPLES,
    of_example,
    put,
    read,
    refused,
    written,
)
from tests.topology.fabrics import example

LIST = "`rocefab show platforms` lists the names"
BASE = {
    "platforms": {"leaf": {"sku": "ACS-SN5600"}, "spine": {"sku": "ACS-SN5600"}},
    "speeds": {"host_gbps": 400, "uplink_gbps": 400},
    "addressing": {"hosts": "10.64.0.0/16"},
    "host": {
        "gpus": 8,
        "interfaces": "eth[0-1]",
        "rdma_devices": "mlx5_[0-1]",
        "management_interface": "mgmt0",
    },
    "spines": {"count": 4},
}


def fabric(*nics: Nic, **device: object) -> Plant:
    """Return two leaves under a spine with two hosts of two NICs."""
    devices = [
        Device("leaf01", "switch", "leaf", "su1", rail=0, asn=65101, loopback="10.0.0.1"),
        Device("leaf02", "switch", "leaf", "su1", rail=1),
        Device("spine01", "switch", "spine"),
        Device("gpu1", "host", unit="su1"),
        Device("gpu2", "host", unit="su1"),
    ]
    devices[1] = replace(devices[1], **device)
    ends = [(("gpu1", "eth0"), ("leaf01", "1")), (("gpu2", "eth0"), ("leaf01", "2"))]
    ends += [(("gpu1", "eth1"), ("leaf02", "1")), (("gpu2", "eth1"), ("leaf02", "2"))]
    cables = [Cable.between(*pair, 200, 3) for pair in ends]
    cables.append(Cable.between(("leaf01", "9"), ("spine01", "1"), 400, 30))
    source = {(nic.host, nic.interface): nic for nic in nics}
    known = [Nic(*end, int(end[1][-1])) for end, _ in ends]
    chosen = (source.get((nic.host, nic.interface), nic) for nic in known)
    return Plant("mine", tuple(devices), tuple(cables), tuple(chosen))


def files(built: Plant, **recipe: object) -> dict[str, str]:
    reported = {"name": "other", "source": "dump.json", "base": BASE} | recipe
    return {file.path: file.text for file in inventory(built, Recipe(**reported))}


def test_the_whole_of_a_small_one() -> None:
    result = files(
        fabric(serial="S2", mac="00:00:00:00:00:02", model="x"), skus={"leaf02": "SN4700"}
    )
    assert list(result) == ["fabric.yaml", "devices/imported.yaml", "cabling.csv"]
    assert (
        result["fabric.yaml"]
        == """\
# Imported by rocefab from dump.json.
name: mine
design: explicit
cabling: explicit
rails: 2
units:
- {name: su1, hosts: 'gpu[1-2]'}
switches:
- {names: leaf01, role: leaf, unit: su1, rail: 0, asn: 65101, loopback: 10.0.0.1}
- {names: leaf02, role: leaf, unit: su1, rail: 1}
- {names: spine01, role: spine}
platforms:
  leaf:
    sku: SN4700 # assumed: no model in the source for 1 of 2 switches; the most common value
  spine:
    sku: ACS-SN5600 # assumed: no switch models in the source; a rocefab default
speeds: {host_gbps: 200, uplink_gbps: 400}
cables: {host_m: 3, uplink_m: 30}
addressing:
  hosts: 10.64.0.0/16 # assumed: no address pools in the source; a rocefab default
  loopbacks: 10.0.0.0/24 # assumed: no address pools in the source; around its addresses
host:
  gpus: 8 # assumed: no GPU count in the source; a rocefab default
  interfaces: eth[0-1]
  rdma_devices: mlx5_[0-1] # assumed: no RDMA devices in the source; a rocefab default
  management_interface: mgmt0 # assumed: not in the source; a rocefab default
"""
    )
    assert (
        result["devices/imported.yaml"]
        == """\
# Imported by rocefab from dump.json.
devices:
- {names: leaf02, serial: S2, mac: '00:00:00:00:00:02'}
"""
    )
    assert (
        result["cabling.csv"]
        == """\
device,port,peer_device,peer_port,speed_gbps,cable_m
gpu1,eth0,leaf01,1,200,3
gpu2,eth0,leaf01,2,200,3
gpu1,eth1,leaf02,1,200,3
gpu2,eth1,leaf02,2,200,3
leaf01,9,spine01,1,400,30
"""
    )


def test_what_differs_on_one_host_is_an_override() -> None:
    odd = Nic("gpu2", "eth1", 1, rdma_device="mlx5_7", mac="00:00:00:00:00:07")
    result = files(fabric(odd))
    assert yaml.safe_load(result["hosts/imported.yaml"]) == {
        "hosts": [
            {
                "names": "gpu2",
                "nics": [{"rail": 1, "rdma_device": "mlx5_7", "mac": "00:00:00:00:00:07"}],
            }
        ]
    }


def test_management_addresses_are_kept_for_the_connections() -> None:
    result = files(fabric(management="192.0.2.9"), gpus=4)
    assert '"leaf02": {\n      "address": "192.0.2.9"' in result["connections.json"]
    assert yaml.safe_load(result["fabric.yaml"])["host"]["gpus"] == 4


@pytest.mark.parametrize(
    ("name", "folder", "written"),
    [("DC 1 (Ams)", "x", "DC-1-Ams"), ("", "my_fabric", "my-fabric"), ("", "_", "fabric")],
)
def test_names_of_fabrics(name: str, folder: str, written: str) -> None:
    result = files(replace(fabric(), name=name), name=folder)
    assert yaml.safe_load(result["fabric.yaml"])["name"] == written


def test_hosts_keep_their_order() -> None:
    built = fabric()
    turned = replace(built, devices=(*built.devices[:3], built.devices[4], built.devices[3]))
    units = yaml.safe_load(files(turned)["fabric.yaml"])["units"]
    assert units == [{"name": "su1", "hosts": "gpu2,gpu1"}]


def test_models_of_others() -> None:
    built = fabric(model="acs_msn4700")
    assert models(built, Skus(), {}, "x") == {"leaf02": "ACS-MSN4700"}
    built = fabric(model="dcs-7060dx5_64s-f")
    assert models(built, Skus(), {}, "x") == {"leaf02": "7060DX5-64S"}
    built = fabric(model="MSN4700-WS2FC")
    assert models(built, Skus(), {"MSN4700-WS2FC": "SN4700"}, "x") == {"leaf02": "SN4700"}
    with pytest.raises(InputError) as caught:
        models(built, Skus(), {"MSN": "nothing"}, "x")
    assert sorted((item.device, item.message, item.fix) for item in caught.value.findings) == [
        (device, f"the switch model '{model}' is not in the catalogue", f"{fix}; {LIST}")
        for device, model, fix in (
            ("", "nothing", "choose another one with --model"),
            ("leaf02", "MSN4700-WS2FC", "set it with --model MSN4700-WS2FC=NAME"),
        )
    ]


def test_words_of_models_are_of_the_source() -> None:
    built = fabric(model="MSN4700-WS2FC")
    refuse_no_words(built, ["leaf02", "msn4700_ws2fc"], "x")
    with pytest.raises(InputError) as caught:
        refuse_no_words(built, ["laef", "leaf2", "MSN4700", "oob"], "x")
    names = ", ".join(("leaf", "spine", "super-spine", *(one.name for one in built.switches)))
    assert [(item.message.split("'")[1], item.fix) for item in caught.value.findings] == [
        ("MSN4700", "did you mean 'MSN4700-WS2FC'?"),
        ("laef", "did you mean 'leaf'?"),
        ("leaf2", "did you mean 'leaf02'?"),
        ("oob", f"use one of: {names}, MSN4700-WS2FC"),
    ]


def test_a_table_without_cables_is_generated(tmp_path: Path) -> None:
    text = "ip,DSW,PSW,ASW\na,G6,P8,S1\nb,G6,P8,S2\nc,G6,P10,S1\n"
    result = importers["lingjun"].read(put(tmp_path, {"t.csv": text}), Settings(rails=2))
    built = generated(result.plant, Recipe("x", "t.csv", BASE, gpus=8), 2)
    tree = yaml.safe_load(built[0].text)
    assert (tree["design"], tree["rails"]) == ("classic-tor", 2)
    assert tree["units"] == [
        {"name": "G6-P8-S1", "hosts": "host1", "pod": "G6-P8"},
        {"name": "G6-P8-S2", "hosts": "host2", "pod": "G6-P8"},
        {"name": "G6-P10-S1", "hosts": "host3", "pod": "G6-P10"},
    ]
    assert (tree["spines"], tree["super_spines"]) == (
        {"count": 4},
        {"count": 1, "spines_per_pod": 4},
    )
    assert tree["platforms"]["spine"] == {"sku": "ACS-SN5600", "down_ports": 2}


@pytest.mark.parametrize("name", EXAMPLES)
def test_folders_come_back_as_the_same_fabric(name: str, tmp_path: Path) -> None:
    built = of_example(name)
    skus = {device.name: device.model for device in built.switches}
    base = {str(key): value for key, value in example(name).intent.document.data.items()}
    put(tmp_path, {f.path: f.content for f in inventory(built, Recipe("x", "x", base, skus))})
    back = plant(realise(load(tmp_path)))
    assert back.without(ADDRESSES).canonical() == built.without(ADDRESSES).canonical()


@pytest.mark.parametrize(
    ("reported", "chosen"), [("eth0", "eth2"), (None, "eth2"), ("eth1", "eth2"), ("mgmt0", "mgmt0")]
)
def test_the_management_interface_is_no_nic(reported, chosen) -> None:
    """Where the source has NICs of its name, another is chosen, and that is said."""
    host = {key: value for key, value in BASE["host"].items() if key != "management_interface"}
    base = {**BASE, "host": {**host, **({"management_interface": reported} if reported else {})}}
    built, recipe = fabric(), Recipe("mine", "dump.json", base)
    assert management(built, base["host"]) == chosen
    notes = guesses(built, recipe)
    assert [f"{reported or 'eth0'} is a NIC" in note.message for note in notes] == [True] * (
        reported != chosen
    )
    text = inventory(built, recipe)[0].text
    assert (f"management_interface: {chosen}" in text) == (chosen != "eth0")


def test_racks_of_a_cable_list_come_back(tmp_path: Path) -> None:
    """A device without a rack is listed with its unit or role, and gets none of them as a rack."""
    racks = {"leaf01": "A12", "gpu1": "B/3"}
    built = fabric()
    devices = [replace(one, rack=racks.get(one.name, "")) for one in built.devices]
    source = written(replace(built, devices=tuple(devices)), "csv", tmp_path / "csv")
    roles = ("leaf01", "leaf02", "spine01", "gpu1", "gpu2")
    back = read("csv", source).plant
    assert {one.name: one.rack for one in back.devices if one.name in roles} == {
        name: racks.get(name, "") for name in roles
    }
    typed = {one.name: one for one in built.devices}
    imported = tuple(replace(typed[one.name], rack=one.rack) for one in back.devices)
    made = files(replace(built, devices=imported))
    assert "{names: leaf01, rack: A12}" in made["devices/imported.yaml"]
    assert "{names: gpu1, rack: B/3}" in made["hosts/imported.yaml"]
    assert "leaf02" not in made["devices/imported.yaml"]


def test_racks_at_two_places_are_an_error(tmp_path: Path) -> None:
    rows = "rack,device,port,peer_device,peer_port\nA1,leaf01,1,gpu1,eth0\nA2,leaf01,2,gpu2,eth0\n"
    (message,) = refused("csv", tmp_path, {"c.csv": rows})
    assert "rack of leaf01 is 'A2', and 'A1' at " in message
