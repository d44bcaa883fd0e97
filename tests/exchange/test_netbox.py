"""NetBox: its API over HTTP by pynetbox, its dumps, and what others keep in it beside a fabric."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import DeviceError, InputError
from fabric.exchange.forms import Settings, importers
from fabric.exchange.importers.netbox import parse
from fabric.exchange.plant import Plant
from tests.exchange import netbox_server
from tests.exchange.plants import of_example, put, read

#: What these objects do not say.
LOST = frozenset({"device.loopback", "device.rack", "device.management"})


def dump(built: Plant) -> dict[str, list[dict[str, Any]]]:
    result = netbox_server.objects(built)
    return {path.partition("/")[2]: rows for path, rows in result.items()}


def told(data: dict[str, list[dict[str, Any]]], **settings: Any):
    return parse(data, "netbox", Settings(**settings))


@pytest.fixture(scope="module")
def demo() -> Plant:
    built = of_example("demo")
    nics = [replace(nic, mac=f"02:00:00:00:00:{n:02x}") for n, nic in enumerate(built.nics)]
    return replace(built, nics=tuple(nics))


def same(result: Plant, built: Plant) -> bool:
    return result.without(LOST).canonical() == built.without(LOST).canonical()


def test_live(demo: Plant) -> None:
    pytest.importorskip("pynetbox")
    from fabric.devices.netbox import read_netbox

    lines: list[str] = []
    with netbox_server.serving(netbox_server.objects(demo)) as (url, asked):
        data = read_netbox(url, netbox_server.TOKEN, "", lambda *words: lines.append(words[1]))
        whole = len(asked)
        read_netbox(url, netbox_server.TOKEN, "demo", lambda *_: None)
    result = parse(data, url, Settings())
    assert same(result.plant, demo)
    assert lines == ["10 devices", "32 interfaces", "16 cables", "8 ip-addresses"]
    assert whole > 4, "the server gives small pages"
    sited = [path for path in asked[whole:] if "site=demo" in path]
    assert {path.partition("?")[0] for path in sited} == {
        "/api/dcim/devices/",
        "/api/dcim/interfaces/",
        "/api/dcim/cables/",
    }
    assert {host.management for host in result.plant.hosts} == {
        f"192.0.2.{number}" for number in range(7, 11)
    }


def test_live_refusals(demo: Plant) -> None:
    pytest.importorskip("pynetbox")
    from fabric.devices.netbox import read_netbox

    wrong = "f" * 40
    with netbox_server.serving({}) as (url, _):
        for token in (wrong, netbox_server.TOKEN):
            with pytest.raises(DeviceError, match="netbox: cannot be read") as caught:
                read_netbox(url, token, "", lambda *_: None)
            assert token not in str(caught.value)
    with pytest.raises(DeviceError, match="netbox: cannot be read"):
        read_netbox(url, wrong, "", lambda *_: None)


def test_without_pynetbox(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from fabric.devices.netbox import read_netbox

    monkeypatch.setitem(sys.modules, "pynetbox", None)
    with pytest.raises(InputError) as caught:
        read_netbox("http://127.0.0.1:1", "", "", lambda *_: None)
    assert "pip install 'rocefab[netbox]'" in str(caught.value.findings[0])


def test_a_dump_in_one_file_or_in_several(demo: Plant, tmp_path: Path) -> None:
    data = dump(demo)
    one = put(tmp_path, {"dump.json": json.dumps({f"dcim.{k}": v for k, v in data.items()})})
    assert same(read("netbox", one).plant, demo.without({"nic.address"})) is False
    data = {("ipam." if "ip" in k else "dcim.") + k: v for k, v in data.items()}
    one = put(tmp_path, {"dump.json": json.dumps(data)})
    assert same(read("netbox", one).plant, demo)
    pages = {
        f"pages/{k}.json": json.dumps({"count": len(v), "next": None, "results": v})
        for k, v in dump(demo).items()
    }
    assert same(read("netbox", put(tmp_path, pages).parent).plant, demo)


def test_what_is_no_part_of_the_fabric_is_left_out(demo: Plant) -> None:
    data = dump(demo)
    other = {**data["devices"][0], "id": 900, "name": "pdu 1", "role": {"slug": "pdu"}}
    gone = {**data["devices"][0], "id": 901, "name": "old", "status": {"value": "decommissioning"}}
    data["devices"] += [other, gone]
    console = {**data["interfaces"][0], "id": 902, "device": {"name": "pdu 1"}, "name": "eth0"}
    data["interfaces"].append(console)
    data["cables"].append({
        "id": 903,
        "a_terminations": [{"object_type": "dcim.interface", "object_id": 902, "object": console}],
        "b_terminations": data["cables"][0]["b_terminations"],
    })
    result = told(data)
    assert same(result.plant, demo)
    assert [note.message for note in result.notes] == [
        "2 devices are ignored, by role: 1 pdu and 1 leaf"
    ]


def test_roles_as_told(demo: Plant) -> None:
    data = dump(demo)
    for row in data["devices"]:
        row["role"] = {"slug": f"x-{row['role']['slug']}"}
    roles = {"x-leaf": "leaf", "x-spine": "spine", "X GPU host": "host"}
    assert same(told(data, roles=roles).plant, demo)
    assert told(data).plant.devices == ()


def test_through_a_patch_panel(demo: Plant) -> None:
    """The cables end on a panel; the interfaces know what is at the other end."""
    data = dump(demo)
    direct = data["cables"].pop()
    ends = [direct[f"{side}_terminations"][0]["object"] for side in "ab"]
    rows = {row["id"]: row for row in data["interfaces"]}
    for one, other in (ends, ends[::-1]):
        rows[one["id"]]["connected_endpoints"] = [other]
        panel = {"object_type": "dcim.frontport", "object_id": 1, "object": {"name": "1"}}
        data["cables"].append({
            "id": 1000 + one["id"],
            "a_terminations": [{"object_type": "dcim.interface", "object": one}],
            "b_terminations": [panel],
        })
    result = told(data).plant
    assert result.without({"cable.cable_m"}).canonical().cables == (
        demo.without({"cable.cable_m"}).canonical().cables
    )
    assert sum(cable.cable_m is None for cable in result.cables) == 1


def test_lengths_and_speeds(demo: Plant) -> None:
    data = dump(demo)
    figures = [(10, "ft"), (250, "cm"), ("1.20", "m"), (0.5, "km"), (None, None)]
    for row, (length, unit) in zip(data["cables"], figures, strict=False):
        row["length"], row["length_unit"] = length, {"value": unit} if unit else None
    slow = data["cables"][0]["a_terminations"][0]["object"]["id"]
    next(row for row in data["interfaces"] if row["id"] == slow)["speed"] = 100_000_000
    results = {(c.near, c.far): c for c in told(data).plant.cables}
    built = [results[cable.near, cable.far] for cable in demo.cables]
    assert [cable.cable_m for cable in built[:5]] == [4, 3, 2, 500, None]
    assert [cable.speed_gbps for cable in built[:2]] == [100, 400]


def test_older_releases(demo: Plant) -> None:
    """Before 4.0 a device has its role as ``device_role``."""
    data = dump(demo)
    for row in data["devices"]:
        row["device_role"] = row.pop("role")
    assert same(told(data).plant, demo)


def test_the_form_is_registered_with_both_ways() -> None:
    assert importers["netbox"].parse is parse
