"""NetBox: cables with several ends, patch panels, and what is named as it is read otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.exchange.forms import Imported, Settings
from fabric.exchange.importers.netbox import parse
from fabric.exchange.lanes import Lane
from tests.exchange.netbox_objects import end, objects

ONE_TO_TWO = ("leaf01:swp1 gpu1:eth1,gpu2:eth1", "leaf01:swp64 spine01:swp1")


def told(data: dict[str, Any], **settings: Any) -> Imported:
    return parse(data, "netbox", Settings(**settings))


def joined(result: Imported) -> list[str]:
    return [" ".join(map(":".join, (it.near, it.far))) for it in result.plant.cables]


def test_one_cable_to_two_hosts() -> None:
    result = told(objects(*ONE_TO_TWO))
    assert joined(result) == [
        "gpu1:eth1 leaf01:swp1:1",
        "gpu2:eth1 leaf01:swp1:2",
        "leaf01:swp64 spine01:swp1",
    ]
    assert [(it.speed_gbps, it.cable_m) for it in result.plant.cables] == [
        (400, 3),
        (400, 3),
        (800, 3),
    ]
    assert result.lanes == {
        ("leaf01", "swp1:1"): Lane("swp1", 0, 2),
        ("leaf01", "swp1:2"): Lane("swp1", 1, 2),
    }
    assert result.notes == ()
    assert [nic.interface for nic in result.plant.nics] == ["eth1", "eth1"]


def test_the_speed_of_a_lane_is_that_of_the_nic() -> None:
    """The port that is broken out has the speed of all its lanes."""
    result = told(objects(ONE_TO_TWO[0], **{"gpu1:eth1": {"type": {"value": "other"}}}))
    assert [cable.speed_gbps for cable in result.plant.cables] == [None, 400]


def test_the_other_way_round_and_with_a_host_that_is_ignored() -> None:
    """The lanes are those of the cable, whoever is at their ends."""
    data = objects("pdu1:eth0,gpu1:eth1 leaf01:swp1")
    result = told(data)
    assert joined(result) == ["gpu1:eth1 leaf01:swp1:2"]
    assert result.lanes == {("leaf01", "swp1:2"): Lane("swp1", 1, 2)}


def test_domains_are_cut_from_lanes_too() -> None:
    data = objects("leaf01:swp1 gpu1:eth1,gpu2:eth1")
    data["devices"][0]["name"] = "leaf01.dc1"
    for row in (data["interfaces"][0], data["cables"][0]["a_terminations"][0]["object"]):
        row["device"] = {"name": "leaf01.dc1"}
    for row in data["interfaces"][1:]:
        row["connected_endpoints"][0]["device"] = {"name": "leaf01.dc1"}
    assert {device for device, _ in told(data, cut_domain=True).lanes} == {"leaf01"}


PAIRS = "leaf01:swp1,leaf01:swp2 gpu1:eth1,gpu2:eth1"


def test_two_ends_on_both_sides_are_joined_in_order() -> None:
    result = told(objects(PAIRS))
    assert joined(result) == ["gpu1:eth1 leaf01:swp1", "gpu2:eth1 leaf01:swp2"]
    assert [note.message for note in result.notes] == [
        (
            "cables with several ends were joined in order, as their lanes are not known (1): "
            "leaf01 swp1 (cables[1])"
        )
    ]


def test_a_profile_without_endpoints_is_no_order() -> None:
    """A shuffle does not keep it; a dump without endpoints is named."""
    data = objects(PAIRS, **{"1": {"profile": {"value": "trunk-2c4p-shuffle"}}})
    for row in data["interfaces"]:
        row["connected_endpoints"] = None
    assert [note.rule for note in told(data).notes] == ["EXC012"]


def test_a_profile_says_what_is_joined() -> None:
    """Then an interface has one endpoint, here crossed."""
    data = objects(PAIRS, **{"1": {"profile": {"value": "trunk-2c1p"}}})
    for row in data["interfaces"]:
        swapped = {"swp1": "gpu2:eth1", "swp2": "gpu1:eth1"}
        other = swapped.get(row["name"]) or f"leaf01:swp{3 - int(row['device']['name'][-1])}"
        device, port = end(other)
        row["connected_endpoints"] = [{"device": {"name": device}, "name": port}]
    result = told(data)
    assert joined(result) == ["gpu1:eth1 leaf01:swp2", "gpu2:eth1 leaf01:swp1"]
    assert result.notes == ()


def test_two_to_four_without_a_profile_is_named() -> None:
    ports = "leaf01:swp1,leaf01:swp2 gpu1:eth1,gpu2:eth1,gpu3:eth1,gpu4:eth1"
    result = told(objects(ports, "leaf01:swp3 gpu5:eth1"))
    assert joined(result) == ["gpu5:eth1 leaf01:swp3"]
    assert [(note.message, note.fix) for note in result.notes] == [
        (
            (
                "cables with several ends are ignored, as their lanes are not known (1): "
                "leaf01 swp1 (cables[1])"
            ),
            "set the profile of the cable in NetBox",
        )
    ]


def test_a_nic_on_two_ports_is_named() -> None:
    result = told(objects("gpu1:eth1 leaf01:swp1,leaf01:swp2", "gpu1:eth2 leaf01:swp3"))
    assert joined(result) == ["gpu1:eth2 leaf01:swp3"]
    assert result.lanes == {}
    assert [note.message for note in result.notes] == [
        (
            "cables from one NIC to several ports are ignored (2): gpu1 eth1 leaf01 swp1, "
            "gpu1 eth1 leaf01 swp2"
        )
    ]


def panelled(data: dict[str, Any]) -> dict[str, Any]:
    """Put a patch panel in each cable: its b side is a front port."""
    front = {"object_type": "dcim.frontport", "object_id": 7, "object": {"name": "1"}}
    for row in data["cables"]:
        row["b_terminations"] = [front]
    return data


def test_a_breakout_through_a_patch_panel() -> None:
    result = told(panelled(objects(*ONE_TO_TWO)))
    assert joined(result) == [
        "gpu1:eth1 leaf01:swp1:1",
        "gpu2:eth1 leaf01:swp1:2",
        "leaf01:swp64 spine01:swp1",
    ]
    assert {cable.cable_m for cable in result.plant.cables} == {None}
    assert (len(result.lanes), result.notes) == (2, ())


def test_a_patch_panel_without_a_path_is_named() -> None:
    data = panelled(objects(*ONE_TO_TWO))
    for row in data["interfaces"]:
        row["connected_endpoints"] = None
    result = told(data)
    assert joined(result) == []
    assert [note.message for note in result.notes] == [
        (
            "cables end on a patch panel that leads to no single interface (2): "
            "leaf01 swp1, leaf01 swp64"
        )
    ]


CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "planned": (
        {"leaf01": {"status": {"value": "planned"}}},
        2,
        "devices are planned in NetBox, and imported (1): leaf01",
    ),
    "staged": (
        {"gpu1": {"status": {"value": "staged"}}},
        2,
        "devices are staged in NetBox, and imported (1): gpu1",
    ),
    "offline": (
        {"gpu1": {"status": {"value": "offline"}}},
        1,
        "devices are ignored, as they are offline (1): gpu1",
    ),
    "cable planned": (
        {"1": {"status": {"value": "planned"}}},
        2,
        "cables are planned in NetBox, and imported (1): leaf01 swp1 (cables[1])",
    ),
    "cable decommissioning": (
        {"1": {"status": {"value": "decommissioning"}}},
        1,
        "cables are ignored, as they are decommissioning (1): leaf01 swp1 (cables[1])",
    ),
    "lag": (
        {"gpu1:eth1": {"lag": {"id": 9, "name": "bond0"}}},
        2,
        "interfaces are members of a LAG, and imported as single ones (1): gpu1 eth1 of bond0",
    ),
    "chassis": (
        {"leaf01": {"virtual_chassis": {"id": 1, "name": "vc1"}}},
        2,
        (
            "devices are members of a virtual chassis, and imported as single devices (1): "
            "leaf01 of vc1"
        ),
    ),
    "sites": (
        {"leaf01": {"site": {"name": "dc2", "slug": "dc2"}}},
        2,
        "2 sites are imported as one fabric: dc2, dc1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_in_another_way_is_named(name: str) -> None:
    fields, cables, note = CASES[name]
    result = told(objects("leaf01:swp1 gpu1:eth1", "leaf01:swp2 gpu2:eth1", **fields))
    assert [item.message for item in result.notes] == [note]
    assert len(result.plant.cables) == cables
    assert all(item.rule == "EXC012" and item.fix for item in result.notes)


def test_many_names_are_cut() -> None:
    fields = {f"gpu{number}": {"status": {"value": "planned"}} for number in range(7)}
    result = told(objects(*(f"leaf01:p{n} gpu{n}:eth1" for n in range(7)), **fields))
    assert [note.message for note in result.notes] == [
        "devices are planned in NetBox, and imported (7): gpu0, gpu1, gpu2, gpu3, gpu4 ..."
    ]


def _nautobot(tables: dict[str, Any], *cables: tuple[str, ...]) -> dict[str, Any]:
    """Return tables whose cables and peers are in Nautobot's form; a cable has an end for a slot.

    Shapes: nautobot/nautobot v3.2.7, CableSerializer and PathEndpointModelSerializerMixin of
    nautobot/dcim/api/serializers.py, with ``?depth=1``.
    """
    ids = {
        ":".join((row["device"]["name"], row["name"])): row["id"] for row in tables["interfaces"]
    }
    for row in tables["interfaces"]:
        (peer, *_) = row.pop("connected_endpoints") or [None]
        number = ids[f"{peer['device']['name']}:{peer['name']}"] if peer else None
        row["connected_endpoint"] = {"id": number, "device": {"id": 1}} if number else None
    rows = []
    for cable in cables:
        slots = dict(slot.split("=") for slot in cable)
        row = {"id": "5ddbce86-ec86", "status": {"name": "Connected"}, "terminations": {
            slot: {"id": ids.get(at, "panel"), "object_type": "dcim.interface" if at in ids
                   else "dcim.frontport"} if at else None
            for slot, at in slots.items()
        }}  # fmt: skip
        for side in "ab":
            first = row["terminations"][f"{side}1"]
            row[f"termination_{side}_type"] = first["object_type"]
            row[f"termination_{side}_id"] = first["id"]
        rows.append(row)
    return {**tables, "cables": rows}


def test_a_breakout_cable_of_nautobot() -> None:
    """Each connector is an end; the trunk knows the peer of its first lane alone."""
    data = objects(ONE_TO_TWO[0])
    result = told(_nautobot(data, ("a1=leaf01:swp1", "b1=gpu1:eth1", "b2=gpu2:eth1", "b3=")))
    assert joined(result) == ["gpu1:eth1 leaf01:swp1:1", "gpu2:eth1 leaf01:swp1:2"]
    assert result.notes == ()


def test_patch_panels_of_nautobot() -> None:
    data = objects("leaf01:swp64 spine01:swp1", ONE_TO_TWO[0])
    sides = (("a1=leaf01:swp64", "b1=panel:1"), ("a1=panel:2", "b1=spine01:swp1"))
    result = told(_nautobot(data, *sides))
    assert "leaf01:swp64 spine01:swp1" in joined(result)
    assert result.notes == ()
