"""The push to NetBox: preview, writing, a second run, objects of others, failures half-way."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.core.exports import exporters
from fabric.exchange.forms import Settings
from fabric.exchange.importers.netbox import parse
from fabric.exchange.network import plant
from fabric.exchange.plant import Plant
from fabric.workflow import netbox_push
from fabric.workflow.init import example
from fabric.workflow.netbox_push import Target, push, report
from fabric.workflow.project import Project
from fabric.workflow.replace import Replacement, Unit
from tests.cli.runs import run
from tests.exchange import netbox_server
from tests.exchange.netbox_store import Store

pytest.importorskip("pynetbox")
DEMO = example("demo")
Push = Callable[..., Any]


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_NETBOX_TOKEN", netbox_server.TOKEN)
    monkeypatch.setattr(netbox_push, "_PAUSE_S", 0)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def pushed(store: Store) -> Iterator[Push]:
    """Push an inventory into the store."""
    with netbox_server.serving({}, store) as (url, _):

        def call(
            folder: Path = DEMO, *, commit: bool = True, delete: bool = False, site: str = ""
        ) -> Any:
            target = Target(url, site, commit=commit, delete=delete)
            result = push(Project(folder), target, lambda *_: None)
            result.text = report(result, target)
            return result

        call.url = url  # type: ignore[attr-defined]
        yield call


def total(store: Store) -> int:
    return sum(map(len, store.tables.values()))


def numbers(store: Store, kind: str, **fields: object) -> list[int]:
    return [
        number
        for number, row in store.tables[kind].items()
        if all(row.get(name) == value for name, value in fields.items())
    ]


def test_a_preview_writes_nothing(store: Store, pushed: Push) -> None:
    result = pushed(commit=False)
    assert (total(store), store.writes) == (0, [])
    assert "10 devices" in result.text.splitlines()[0]
    assert "+ devices gpu001" in result.text.splitlines()
    assert result.text.endswith("dry run: add --commit to write\n")


def test_a_push_is_what_an_import_reads(store: Store, pushed: Push) -> None:
    """All of it, in few requests; a second push finds nothing to do."""
    assert pushed().findings == []
    tables = {kind.partition("/")[2]: store.rows(kind, {}) or [] for kind in store.tables}
    built = plant(Project(DEMO).fabric)
    lost = exporters["netbox"].lost
    result = parse(tables, "netbox", Settings()).plant
    assert result.without(lost).canonical() == built.without(lost).canonical()
    assert len(store.writes) < 20, "objects of one kind are written together"
    before, store.writes = total(store), []
    again = pushed()
    assert (total(store), store.writes, again.findings) == (before, [], [])
    assert not (again.changes.created)
    assert not (again.changes.changed)
    assert not (again.changes.late)
    assert {row["id"] for row in store.tables["extras/tags"].values()} == {
        tag
        for kind, rows in store.tables.items()
        if not kind.startswith("extras/")
        for row in rows.values()
        for tag in row["tags"]
    }


def test_changes_are_shown_field_by_field(store: Store, pushed: Push) -> None:
    pushed()
    (number,) = numbers(store, "dcim/devices", name="su1-rail0")
    store.tables["dcim/devices"][number] |= {"name": "SU1-rail0", "serial": "mine"}
    store.tables["dcim/devices"][number]["custom_fields"]["rocefab_unit"] = "old\x1b[31m"
    shown = [line for line in pushed(commit=False).text.splitlines() if line.startswith("~")]
    assert shown == [
        "~ devices su1-rail0 custom_fields.rocefab_unit: 'old\\\\x1b[31m' -> 'su1'",
        "~ devices su1-rail0 name: 'SU1-rail0' -> 'su1-rail0'",
    ]
    pushed()
    row = store.tables["dcim/devices"][number]
    assert (row["name"], row["serial"], row["custom_fields"]["rocefab_unit"]) == (
        *("su1-rail0", "mine"),
        "su1",
    )


def test_a_replaced_unit_is_changed_in_place(store: Store, pushed: Push, tmp_path: Path) -> None:
    """A switch and a NIC: NetBox has the new serial and MAC, and what others keep of the device."""
    folder = shutil.copytree(DEMO, tmp_path / "demo")
    switch, mac = "spine01", "02:00:00:00:0a:0"
    Replacement(folder, switch, Unit("OLD1")).run()
    Replacement(folder, "gpu001", Unit(mac=f"{mac}1", rail=0)).run()
    assert pushed(folder).findings == []
    (number,) = numbers(store, "dcim/devices", name=switch)
    store.tables["dcim/devices"][number]["asset_tag"] = "A17"
    (host,) = numbers(store, "dcim/devices", name="gpu001")
    (nic,) = numbers(store, "dcim/interfaces", device=host, name="eth1")

    Replacement(folder, switch, Unit("NEW1")).run()
    Replacement(folder, "gpu001", Unit(mac=f"{mac}2", rail=0)).run()
    shown = pushed(folder, commit=False, delete=True).text.splitlines()
    new, old = (f"{mac}{end}".upper() for end in (2, 1))
    assert [line for line in shown if line[:1] in "+~-"] == [
        f"+ mac-addresses gpu001 eth1 {new}",
        f"- mac-addresses gpu001 eth1 {old}",
        f"~ devices {switch} serial: 'OLD1' -> 'NEW1'",
        f"~ interfaces gpu001 eth1 primary_mac_address: '{old}' -> 'gpu001 eth1 {new}'",
    ]
    assert pushed(folder, delete=True).findings == []
    row = store.tables["dcim/devices"][number]
    assert (row["serial"], row["asset_tag"]) == ("NEW1", "A17")
    primary = store.tables["dcim/interfaces"][nic]["primary_mac_address"]
    assert store.tables["dcim/mac-addresses"][primary]["mac_address"] == new
    assert not numbers(store, "dcim/mac-addresses", mac_address=old)


def tenants(tmp_path: Path, red: str, blue: str) -> Path:
    """Return an inventory of two tenants with the same pool."""
    folder = tmp_path / "tenants"
    shutil.copytree(example("demo").parent / "tenants", folder, dirs_exist_ok=True)
    head, _, tail = (folder / "fabric.yaml").read_text().partition("tenants:\n")
    own = "".join(
        f'  - {{name: {name}, id: {number}, hosts: "{hosts}", pools: [10.96.0.0/16]}}\n'
        for name, number, hosts in (("red", 17, red), ("blue", 18, blue))
    )
    rest = tail[tail.index("\nlossless:") :]
    (folder / "fabric.yaml").write_text(f"{head}tenants:\n{own}{rest}")
    return folder


def vrf_of(store: Store, device: str, interface: str) -> object:
    """Return the name of the VRF of an interface."""
    (device_id,) = numbers(store, "dcim/devices", name=device)
    (port,) = numbers(store, "dcim/interfaces", device=device_id, name=interface)
    vrf = store.tables["dcim/interfaces"][port].get("vrf")
    return store.tables["ipam/vrfs"][vrf]["name"] if vrf else None


def test_tenants_are_pushed_with_their_vrfs(store: Store, pushed: Push, tmp_path: Path) -> None:
    """The same addresses in two VRFs are two; a NIC in quarantine is in none."""
    other = store.post("ipam/vrfs", {"name": "Vrf17"})["id"]  # that of somebody else
    customer = store.post("tenancy/tenants", {"name": "Red", "slug": "red"})["id"]
    folder = tenants(tmp_path, "gpu[001,003]", "gpu002")
    assert pushed(folder).findings == []
    (red,) = set(numbers(store, "ipam/vrfs", name="Vrf17")) - {other}
    (target,) = numbers(store, "ipam/route-targets", name="65000:50017")
    row = store.tables["ipam/vrfs"][red]
    assert (row["tenant"], row["import_targets"], row["export_targets"]) == (
        *(customer, [target], [target]),
    )
    assert (vrf_of(store, "gpu003", "eth1"), vrf_of(store, "gpu004", "eth1")) == ("Vrf17", None)
    assert vrf_of(store, "gpu002", "eth1") == "Vrf18"
    before, store.writes = total(store), []
    assert (pushed(folder).findings, store.writes, total(store)) == ([], [], before)

    pushed(tenants(tmp_path, "gpu001", "gpu002"), delete=True)
    assert vrf_of(store, "gpu003", "eth1") is None
    pushed(tenants(tmp_path, "gpu001", "gpu[002-003]"), delete=True)
    assert vrf_of(store, "gpu003", "eth1") == "Vrf18"
    in_red = numbers(store, "ipam/ip-addresses", vrf=red)
    assert len(in_red) == 4, "two NICs of gpu001 and their ports"


def test_what_an_inventory_does_not_know_is_netboxs(store: Store, pushed: Push) -> None:
    """Statuses, types of interfaces, device types of hosts and weights of fields stay."""
    pushed()
    (leaf,) = numbers(store, "dcim/devices", name="su1-rail0")
    (host,) = numbers(store, "dcim/devices", name="gpu001")
    maker = store.post("dcim/manufacturers", {"name": "m", "slug": "m"})["id"]
    server = {"manufacturer": maker, "model": "DGX", "slug": "dgx"}
    store.tables["dcim/devices"][leaf]["status"] = "planned"
    store.tables["dcim/devices"][host]["device_type"] = store.post("dcim/device-types", server)[
        "id"
    ]
    next(iter(store.tables["dcim/cables"].values()))["status"] = "planned"
    next(iter(store.tables["dcim/interfaces"].values()))["type"] = "400gbase-x-osfp"
    next(iter(store.tables["extras/custom-fields"].values()))["weight"] = 7
    before = deepcopy(store.tables)
    result = pushed()
    assert (result.findings, result.changes.changed) == ([], [])
    assert store.tables == before


def test_a_port_that_is_disabled_in_netbox_stays_disabled(
    store: Store, pushed: Push, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its other fields are written; the inventory can disable a port."""
    pushed()
    rows = store.tables["dcim/interfaces"]
    (port, *others) = numbers(store, "dcim/interfaces", name="eth1")
    rows[port] |= {"enabled": False, "speed": 1}
    (finding,) = pushed().findings
    assert "is disabled in NetBox and not in the inventory" in finding.message
    assert (rows[port]["enabled"], rows[port]["speed"]) == (False, 400_000_000)
    built = plant(Project(DEMO).fabric)
    off = tuple(replace(one, state="disabled") for one in built.cables)
    instead(monkeypatch, replace(built, cables=off))
    assert pushed().findings == []
    assert {rows[number]["enabled"] for number in (port, *others)} == {False}


def test_objects_of_others_stay(store: Store, pushed: Push) -> None:
    """A device without the tag that differs: a conflict, and so are its parts."""
    pushed()
    (number,) = numbers(store, "dcim/devices", name="su1-rail0")
    device = store.tables["dcim/devices"][number]
    device |= {"tags": [], "serial": "x", "custom_fields": {**device["custom_fields"]}}
    device["custom_fields"]["rocefab_unit"] = "su9"
    (role,) = numbers(store, "dcim/device-roles", slug="leaf")
    store.tables["dcim/device-roles"][role] |= {"tags": [], "color": "ff0000"}
    before = deepcopy(store.tables)
    result = pushed(delete=True)
    assert [item.message for item in result.findings] == [
        (
            "devices su1-rail0: has no tag rocefab-demo and differs: "
            "custom_fields.rocefab_unit 'su9' instead of 'su1'"
        )
    ]
    assert result.changes.skipped > 1
    assert store.tables == before
    device["custom_fields"]["rocefab_unit"] = "su1"
    assert pushed().findings == []


def renamed(folder: Path, name: str) -> Path:
    """Return the demo as another fabric: other hosts, leaves and addresses, the same spines."""
    copy = folder / name
    shutil.copytree(DEMO, copy, ignore=shutil.ignore_patterns("devices"))
    file = copy / "fabric.yaml"
    text = file.read_text()
    assert "name: demo" in text
    for old, new in (("name: demo", f"name: {name}"), ("name: su", "name: row"), ("gpu[", "node[")):
        text = text.replace(old, new)
    for octet in ("255", "254", "64"):
        text = text.replace(f"10.{octet}.", f"172.{int(octet) % 16 + 16}.")
    file.write_text(text)
    return copy


def test_two_fabrics_in_one_site(store: Store, pushed: Push, tmp_path: Path) -> None:
    """Neither one lists, changes or deletes objects of the other one."""
    pushed(site="dc1")
    first = deepcopy(store.tables)
    other = renamed(tmp_path, "other")
    result = pushed(other, delete=True, site="dc1")
    assert (result.changes.surplus, result.changes.changed) == ([], [])
    assert [item.message for item in result.findings] == [
        f"devices {spine}: is of another fabric, with the tag rocefab-demo"
        for spine in ("spine01", "spine02")
    ]
    for kind, rows in first.items():
        assert {number: store.tables[kind][number] for number in rows} == rows
    assert len(store.tables["dcim/devices"]) == 10 + 8
    again = pushed(delete=True, site="dc1")
    assert (again.changes.surplus, again.findings) == ([], [])


def test_a_device_of_two_fabrics(store: Store, pushed: Push, tmp_path: Path) -> None:
    """It has both tags: each fabric uses it, and none deletes it."""
    pushed()
    tag = store.post("extras/tags", {"name": "rocefab-other", "slug": "rocefab-other"})["id"]
    (host,) = numbers(store, "dcim/devices", name="gpu004")
    store.tables["dcim/devices"][host]["tags"].append(tag)
    assert pushed().findings == []
    surplus = {one.number for one in pushed(smaller(tmp_path), delete=True).changes.surplus}
    assert surplus
    assert host not in surplus
    assert host in store.tables["dcim/devices"]


def test_a_port_with_the_cable_of_others(store: Store, pushed: Push) -> None:
    pushed()
    (number, *_) = store.tables["dcim/cables"]
    cable = store.tables["dcim/cables"][number]
    spare = store.post("dcim/interfaces", {"device": 10**6, "name": "x", "type": "other"} | {
        "device": next(iter(store.tables["dcim/devices"]))})  # fmt: skip
    cable |= {"tags": [], "b_terminations": [
        {"object_type": "dcim.interface", "object_id": spare["id"]}]}  # fmt: skip
    (finding,) = pushed(delete=True).findings
    assert f"has the cable {number}" in finding.message
    assert number in store.tables["dcim/cables"]


def test_addresses_of_another_site_stay(store: Store, pushed: Push) -> None:
    """Two fabrics with the same pools in one NetBox: the second one takes no address."""
    pushed()
    before = deepcopy(store.tables["ipam/ip-addresses"])
    target = Target(pushed.url, "other", commit=True, delete=True)  # type: ignore[attr-defined]
    result = push(Project(DEMO), target, lambda *_: None)
    assert {finding.message.partition(": ")[2] for finding in result.findings} == {
        "is the address of an interface of another site"
    }
    assert store.tables["ipam/ip-addresses"] == before
    assert len(numbers(store, "dcim/devices")) == 20
    assert pushed().findings == []


def instead(monkeypatch: pytest.MonkeyPatch, built: Plant) -> None:
    """Let a push be of a plant that no example has."""
    monkeypatch.setattr(netbox_push, "plant", lambda _: built)


def test_primary_addresses_and_racks(
    store: Store, pushed: Push, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name objects that are created after the interface and the device."""
    built = plant(Project(DEMO).fabric)
    nics = tuple(replace(nic, mac=f"02:00:00:00:00:{n:02x}") for n, nic in enumerate(built.nics))
    devices = tuple(
        replace(
            one, rack="r 1", serial="s", management=f"2001:db8::{n}" if n == 1 else f"192.0.2.{n}"
        )
        for n, one in enumerate(built.devices, 1)
    )
    instead(monkeypatch, replace(built, nics=nics, devices=devices))
    first = pushed()
    assert first.findings == []
    assert first.written["linked interfaces"] == len(nics)
    assert first.written["linked devices"] == len(devices)
    first, *others = store.tables["dcim/devices"].values()
    assert first["primary_ip6"]
    assert all(row["primary_ip4"] for row in others)
    store.writes = []
    assert pushed().changes.created == []
    assert store.writes == []


def test_a_cable_that_moved(store: Store, pushed: Push, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old one is in the way of the new one: deleted if told to, else a conflict."""
    built = plant(Project(DEMO).fabric)
    pushed()
    one, other, *rest = built.cables
    swapped = (replace(one, far=other.far), replace(other, far=one.far), *rest)
    instead(monkeypatch, replace(built, cables=swapped))
    said = [finding.fix for finding in pushed().findings]
    assert set(said) == {"delete what the inventory does not have with --delete"}
    assert pushed(delete=True).findings == []
    assert len(store.tables["dcim/cables"]) == len(built.cables)
    assert pushed().changes.surplus == []


PAGE = '{"count": 1, "next": null, "results": [{}]}'


@pytest.mark.parametrize(
    "answer", ["[1]", "{}", "null", "[" * 100_000, "<html>", PAGE], ids=range(6)
)
def test_a_server_that_is_no_netbox(answer: str, store: Store, pushed: Push) -> None:
    store.answer = answer
    ended = run("export", "netbox", DEMO, "--push", pushed.url)
    assert (ended.code, "Traceback" in ended.err) == (3, False), ended.err
    assert "netbox: " in ended.err
    assert store.writes == []


def smaller(folder: Path) -> Path:
    """Return the demo without one of its units."""
    copy = folder / "demo"
    shutil.copytree(DEMO, copy)
    file = copy / "fabric.yaml"
    text = file.read_text()
    assert "gpu[003-004]" in text
    file.write_text(text.replace("gpu[003-004]", "gpu[003-003]"))
    return copy


def test_only_what_is_ours_is_deleted_and_only_when_told(
    store: Store, pushed: Push, tmp_path: Path
) -> None:
    pushed()
    mine = smaller(tmp_path)
    before = total(store)
    kept = pushed(mine)
    assert total(store) == before
    assert "? devices gpu004" in kept.text.splitlines()
    (number,) = numbers(store, "dcim/devices", name="gpu004")
    store.tables["dcim/devices"][number]["power_port_count"] = 2
    (finding,) = pushed(mine, delete=True).findings
    assert "devices gpu004: is kept" in finding.message
    assert "power_port" in finding.message
    store.tables["dcim/devices"][number]["power_port_count"] = 0
    assert pushed(mine, delete=True).findings == []
    assert numbers(store, "dcim/devices", name="gpu004") == []
    assert pushed(mine, delete=True).changes.surplus == []


@pytest.mark.parametrize("fault", [503, (502,)])
def test_an_answer_that_is_lost_is_no_second_object(fault: Any, store: Store, pushed: Push) -> None:
    """Before or after the write: the comparison begins again, and nothing is there twice."""
    other = Store()
    with netbox_server.serving({}, other) as (url, _):
        push(Project(DEMO), Target(url, commit=True), lambda *_: None)
    store.faults = [None, fault, None, None, fault]
    assert pushed().findings == []
    assert {kind: len(rows) for kind, rows in store.tables.items()} == {
        kind: len(rows) for kind, rows in other.tables.items()
    }


def test_a_failure_in_the_middle_is_finished_by_the_next_run(store: Store, pushed: Push) -> None:
    store.faults = [None] * 6 + [503] * 4
    ended = run("export", "netbox", DEMO, "--push", pushed.url, "--commit")
    assert (ended.code, netbox_server.TOKEN in ended.err) == (3, False)
    assert total(store) > 0
    assert not store.tables["dcim/cables"]
    assert pushed().findings == []
    assert store.tables["dcim/cables"]


def test_what_netbox_rejects_is_named_and_the_rest_is_written(store: Store, pushed: Push) -> None:
    site = store.post("dcim/sites", {"name": "other", "slug": "other"})
    tag = store.post("extras/tags", {"name": "t", "slug": "t"})
    assert site["id"] != tag["id"]
    store.post("dcim/device-roles", {"name": "Spine", "slug": "my-spine"})
    ended = run("export", "netbox", DEMO, "--push", pushed.url, "--commit")
    assert ended.code == 4
    assert "device-roles spine" in ended.err
    assert "name: dcim/device-roles with this name already exists." in ended.err
    assert len(numbers(store, "dcim/devices")) == 8, "the spines are not there"
    assert netbox_server.TOKEN not in ended.out + ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--push", "netbox.example.net"), "is not a URL; use --push https://HOST"),
        (("--commit",), "--push is an option of netbox; --site, --commit and --delete need --push"),
        (("--site", "dc1"), "--site, --commit and --delete need --push"),
        (
            ("--push", "https://netbox.example", "--out", "x", "--nodes", "2"),
            "a push to NetBox does not use --out and --nodes",
        ),
    ],
)
def test_wrong_use(words: tuple[str, ...], said: str) -> None:
    ended = run("export", "netbox", DEMO, *words)
    assert ended.code == 2
    assert said in " ".join(ended.err.replace("│", " ").split())


def test_the_token_is_needed_and_never_shown(monkeypatch: pytest.MonkeyPatch, pushed: Push) -> None:
    wrong = "f" * 40
    monkeypatch.setenv("ROCEFAB_NETBOX_TOKEN", wrong)
    ended = run("export", "netbox", DEMO, "--push", pushed.url)
    assert (ended.code, wrong in ended.err) == (3, False)
    monkeypatch.delenv("ROCEFAB_NETBOX_TOKEN")
    ended = run("export", "netbox", DEMO, "--push", pushed.url)
    assert ended.code == 2
    assert "set ROCEFAB_NETBOX_TOKEN" in ended.err


def test_reads_are_repeated(store: Store, pushed: Push) -> None:
    store.read_faults = [503, 502]
    assert "10 devices" in pushed(commit=False).text
    store.read_faults = [500] * 4
    ended = run("export", "netbox", DEMO, "--push", pushed.url)
    assert ended.code == 3
    assert "tags cannot be read" in ended.err
