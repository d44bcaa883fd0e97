"""NetBox: its API over HTTP by pynetbox, its dumps, and what others keep in it beside a fabric."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import DeviceError, InputError
from fabric.core.exports import export, exporters
from fabric.exchange.forms import Settings, importers
from fabric.exchange.importers.netbox import parse
from fabric.exchange.plant import Plant
from tests.exchange import netbox_server
from tests.exchange.plants import of_example, put, read

#: What these objects do not say.
LOST = exporters["netbox"].lost | {"device.loopback", "device.rack", "device.management"}


def dump(built: Plant) -> dict[str, list[dict[str, Any]]]:
    result = netbox_server.objects(built)
    return {path.partition("/")[2]: rows for path, rows in result.items()}


def told(data: dict[str, list[dict[str, Any]]], **settings: Any):
    return parse(data, "netbox", Settings(**settings))


def refused(data: dict[str, list[dict[str, Any]]], **settings: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        told(data, **settings)
    return [str(finding) for finding in caught.value.findings]


def notes(data: dict[str, list[dict[str, Any]]]) -> list[str]:
    return [note.message for note in told(data).notes]


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


def test_nautobot(demo: Plant) -> None:
    """The same fabric in Nautobot's form, live; a dump of it is parsed as well."""
    pytest.importorskip("pynetbox")
    from fabric.devices.netbox import read_netbox

    tables = netbox_server.nautobot(netbox_server.objects(demo))
    with netbox_server.serving(tables) as (url, asked):
        data = read_netbox(url, netbox_server.TOKEN, "", lambda *_: None)
        assert all("depth=1" in path for path in asked if "/dcim/" in path and "offset" not in path)
        whole = len(asked)
        read_netbox(url, netbox_server.TOKEN, "Demo", lambda *_: None)
    assert any("location=Demo" in path for path in asked[whole:])
    assert not any("site=" in path for path in asked)
    result = parse(data, url, Settings())
    assert same(result.plant, demo)
    assert not result.notes
    dumped = {path.partition("/")[2]: rows for path, rows in tables.items() if "/" in path}
    assert same(told(dumped).plant, demo)


def test_nautobot_takes_no_push(demo: Plant) -> None:
    pytest.importorskip("pynetbox")
    from fabric.core.errors import RefusedError
    from fabric.devices.netbox import NetBox

    tables = netbox_server.nautobot(netbox_server.objects(demo))
    with (
        netbox_server.serving(tables) as (url, _),
        pytest.raises(RefusedError, match="Nautobot takes no push"),
    ):
        NetBox(url, netbox_server.TOKEN)


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
        "devices are ignored, as they are decommissioning (1): old",
        "the role 'pdu' of 1 device is unknown: pdu 1; they are ignored",
    ]
    assert result.notes[1].fix.startswith("set it with --role pdu=host, or leaf")


def test_roles_as_told(demo: Plant) -> None:
    data = dump(demo)
    for row in data["devices"]:
        row["role"] = {"slug": f"x-{row['role']['slug']}"}
    roles = {"x-leaf": "leaf", "x-spine": "spine", "X GPU host": "host"}
    assert same(told(data, roles=roles).plant, demo)
    others = "=host, or leaf, spine, super-spine instead of host [EXC008]"
    assert refused(data) == [
        f"netbox:1:1: the role {role!r} of {names}; set it with --role {role}{others}"
        for role, names in (
            ("x-gpu-host", "4 devices is unknown: gpu001, gpu002, gpu003, gpu004"),
            ("x-leaf", "4 devices is unknown: su1-rail0, su1-rail1, su2-rail0, su2-rail1"),
            ("x-spine", "2 devices is unknown: spine01, spine02"),
        )
    ]


def test_a_role_is_shown_as_a_word_of_a_shell(demo: Plant) -> None:
    data = dump(demo)
    for row in data["devices"]:
        row["role"] = "a; b\n$(c)"
    (said,) = refused(data)
    assert "--role 'a; b\\n$(c)=host'" in said


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
    assert result.without({"cable.cable_m", *LOST}).canonical().cables == (
        demo.without({"cable.cable_m", *LOST}).canonical().cables
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


def test_missing_custom_fields_are_named(demo: Plant) -> None:
    data = dump(demo)
    for row in data["devices"]:
        row["custom_fields"] = {"rocefab_unit": "su1"}
    for row in data["interfaces"]:
        row["custom_fields"] = {"other": 1}
    assert notes(data) == [
        (
            "NetBox has no custom fields rocefab_pod, rocefab_rail, rocefab_plane, rocefab_asn, "
            "rocefab_mac, rocefab_nic_port and rocefab_rdma_device"
        )
    ]
    assert "01-custom-fields.json" in str(told(data).notes[0].fix)


def assigned(mac: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return an object of the endpoint ``mac-addresses``, of an interface."""
    kind = {"assigned_object_type": "dcim.interface", "assigned_object_id": row["id"]}
    return {"id": 1, "mac_address": mac, "assigned_object": row} | kind


FIRST, SECOND = "02:00:00:00:00:0A", "02:00:00:00:00:0B"


@pytest.mark.parametrize(
    ("interface", "addresses", "mac"),
    [
        ({"mac_address": FIRST}, [SECOND], FIRST),
        ({"primary_mac_address": {"id": 1, "mac_address": FIRST}}, [SECOND, FIRST], FIRST),
        ({"mac_addresses": [{"mac_address": FIRST}]}, [FIRST], FIRST),
        ({}, [FIRST], FIRST),
        ({}, [FIRST, SECOND], ""),
        ({"mac_addresses": [{"mac_address": FIRST}, {"mac_address": SECOND}]}, [], ""),
    ],
)
def test_macs_of_the_api(
    demo: Plant, interface: dict[str, Any], addresses: list[str], mac: str
) -> None:
    data = dump(demo)
    rows = {row["device"]["name"]: row for row in data["interfaces"]}
    row = rows["gpu001"]
    row |= {"mac_address": None, **interface}
    data["mac-addresses"] = [assigned(text, row) for text in addresses]
    result = told(data)
    assert result.plant.nic["gpu001", row["name"]].mac == mac.lower()
    assert [note.message.rpartition(": ")[2] for note in result.notes] == (
        [] if mac else [f"gpu001 {row['name']}"]
    )


def test_the_primary_mac_of_bulk_import(demo: Plant) -> None:
    """The export marks each as primary; of several rows the marked one counts."""
    files = {file.path: json.loads(file.text) for file in export(demo, exporters["netbox"]).files}
    data = {path[3:].removesuffix(".json"): rows for path, rows in files.items()}
    assert {row["is_primary"] for row in data["mac-addresses"]} == {True}
    others = [row | {"mac_address": FIRST, "is_primary": False} for row in data["mac-addresses"]]
    data["mac-addresses"] = [*others, *data["mac-addresses"]]
    assert told(data).plant.canonical().nics == demo.without(LOST).canonical().nics
