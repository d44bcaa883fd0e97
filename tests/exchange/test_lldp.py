"""A fabric from what its devices see: agreed cables are taken, doubtful ones are reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.exchange.forms import Imported, Settings
from fabric.exchange.importers.lldp import parse
from fabric.exchange.plant import Plant
from tests.exchange.plants import ADDRESSES, of_example, put, read

LOST = frozenset({
    *("name", "nics", "cable.cable_m", "device.role", "device.unit", "device.rail"),
    *("device.asn", "device.loopback", *ADDRESSES),
})


def seen(plant: Plant) -> dict[str, dict[str, Any]]:
    """Return what `rocefab observe` would print of a plant, by device."""
    results: dict[str, dict[str, Any]] = {}
    for item in plant.devices:
        facts = {"hostname": item.name, "model": item.model, "serial": "", "mac": ""}
        results[item.name] = {
            "device": item.name,
            "platform": "host" if item.kind == "host" else item.system,
            "error": "",
            "state": {"facts": facts, "interfaces": {}, "lldp": {}},
        }
    for cable in plant.cables:
        for near, far in ((cable.near, cable.far), (cable.far, cable.near)):
            state = results[near[0]]["state"]
            state["interfaces"][near[1]] = {"up": True, "speed_gbps": cable.speed_gbps}
            reported = {"system_name": far[0], "port_id": far[1], "description": ""}
            state["lldp"][near[1]] = [reported]
    return results


def told(data: dict[str, Any]) -> Imported:
    return parse(list(data.values()), "observed.json", Settings())


@pytest.mark.parametrize("name", ["demo", "rail-512", "mixed"])
def test_examples(name: str, tmp_path: Path) -> None:
    built = of_example(name)
    source = put(tmp_path, {"o.json": json.dumps(list(seen(built).values()))})
    result = read("lldp", source)
    assert result.notes == ()
    assert result.plant.canonical() == built.without(LOST).canonical()


def _cables(plant: Plant) -> set[tuple[Any, Any]]:
    return {(cable.near, cable.far) for cable in plant.cables}


def test_an_unread_device_leaves_its_cables_unknown() -> None:
    data = seen(of_example("demo"))
    data["spine01"]["error"] = "timed out"
    result = told(data)
    assert "spine01" not in result.plant.device
    assert len(result.plant.cables) == 12
    messages = [str(note) for note in result.notes]
    assert messages[0] == (
        "observed.json: spine01: not read, so its cables are unknown: timed out; "
        "read the device again [EXC013]"
    )
    assert (
        sum("reports 'spine01' as its neighbour, which was not read" in text for text in messages)
        == 4
    )


def test_one_end_is_enough_where_the_other_was_read() -> None:
    built = of_example("demo")
    data = seen(built)
    data["gpu001"]["state"]["lldp"] = {}
    result = told(data)
    assert result.notes == ()
    assert _cables(result.plant) == _cables(built)


def test_a_port_by_another_name_is_found_from_the_other_end() -> None:
    """The NIC announces its MAC as port; the switch is seen from the NIC by its port."""
    built = of_example("demo")
    data = seen(built)
    port = data["su1-rail0"]["state"]["lldp"]["Ethernet0"][0]
    port["port_id"] = "02:00:00:00:00:01"
    assert (_cables(told(data).plant), told(data).notes) == (_cables(built), ())
    data["gpu001"]["state"]["lldp"] = {}
    result = told(data)
    assert _cables(built) - _cables(result.plant) == {
        (("gpu001", "eth1"), ("su1-rail0", "Ethernet0"))
    }
    assert "on a port that is called '02:00:00:00:00:01'" in result.notes[0].message


def test_a_port_by_its_alias() -> None:
    """SONiC announces etp1 for Ethernet0; the model of the switch tells which is which."""
    built = of_example("demo")
    data = seen(built)
    data["gpu001"]["state"]["lldp"]["eth1"][0]["port_id"] = "etp1"
    data["su1-rail0"]["state"]["lldp"] = {}
    assert _cables(told(data).plant) == _cables(built)


def test_ends_that_contradict_are_unknown() -> None:
    built = of_example("demo")
    data = seen(built)
    ports = data["gpu001"]["state"]["lldp"]
    ports["eth1"], ports["eth2"] = ports["eth2"], ports["eth1"]
    result = told(data)
    lost = _cables(built) - _cables(result.plant)
    assert _cables(result.plant) < _cables(built)
    assert {end for cable in lost for end in cable if end[0] == "gpu001"} == {
        ("gpu001", "eth1"),
        ("gpu001", "eth2"),
    }
    assert {note.rule for note in result.notes} == {"EXC013"}


def test_the_other_end_sees_a_stranger() -> None:
    built = of_example("demo")
    data = seen(built)
    data["su1-rail0"]["state"]["lldp"]["Ethernet0"][0]["system_name"] = "stranger"
    result = told(data)
    lost = (("gpu001", "eth1"), ("su1-rail0", "Ethernet0"))
    assert _cables(built) - _cables(result.plant) == {lost}
    assert [(note.device, note.port) for note in result.notes] == list(lost)


def test_a_stranger_and_a_loop_are_reported() -> None:
    built = of_example("demo")
    data = seen(built)
    lldp = data["gpu001"]["state"]["lldp"]
    lldp["eth0"] = [{"system_name": "mgmt-switch.example.net", "port_id": "1"}]
    lldp["eth9"] = [{"system_name": "gpu001", "port_id": "eth8"}, "rubbish"]
    result = told(data)
    assert [(note.port, note.message) for note in result.notes] == [
        (
            "eth0",
            (
                "reports 'mgmt-switch.example.net' as its neighbour, which was not read, so the "
                "cable is unknown"
            ),
        ),
        ("eth9", "reports itself as its neighbour; the cable is ignored"),
    ]
    assert _cables(result.plant) == _cables(built)


def test_names_by_host_name_and_case() -> None:
    built = of_example("demo")
    data = seen(built)
    for state in (item["state"] for item in data.values()):
        for neighbours in state["lldp"].values():
            name = neighbours[0]["system_name"]
            neighbours[0]["system_name"] = f"{name.upper()}.fabric.example.net"
    assert _cables(told(data).plant) == _cables(built)
