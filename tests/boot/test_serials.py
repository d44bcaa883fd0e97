"""adopt-serials: what files say of devices, joined, and taken into an inventory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.findings import Position
from fabric.exchange.serials import Row, joined, read_rows, serial_of
from fabric.intent.inventory import load
from fabric.workflow.serials import Adopted, adopt_serials
from tests.boot.fabrics import DEVICES, HOSTS, project

SONIC = b"SONiC##E1031##MT9".hex(":")
LLDP = """\
-----
LLDP neighbors:
-----
Interface:    swp7, via: LLDP, RID: 1, Time: 0 day
  Chassis:
    ChassisID:    mac 02:00:00:00:00:12
    SysName:      sonic
"""
KEA = """\
address,hwaddr,client_id,valid_lifetime,expire
192.168.0.194,02:00:00:00:00:11,,86400,1
192.168.0.194,02:00:00:00:00:12,00:4d:54:39,86400,2
"""
TABLES = {
    "a packing list": (
        "Device,Serial Number,Model,Mgmt MAC\nspine02,JPE777,DCS-7060X6-64PE,B859.9F00.0003\n",
        Row(Position("", 2), "spine02", "JPE777", "b8:59:9f:00:00:03", model="DCS-7060X6-64PE"),
    ),
    "a table of ports": (
        "port,name\nswp7,spine02\n",
        Row(Position("", 2), "spine02", port="swp7"),
    ),
    "leases of dnsmasq": (
        f"1764280000 02:00:00:00:00:12 192.168.0.194 * {SONIC}\n",
        Row(
            Position("", 1),
            serial="MT9",
            mac="02:00:00:00:00:12",
            model="E1031",
            address="192.168.0.194",
        ),
    ),
    "leases of Kea": (
        KEA,
        Row(Position("", 3), serial="MT9", mac="02:00:00:00:00:12", address="192.168.0.194"),
    ),
    "LLDP of a management switch": (
        LLDP,
        Row(Position("", 6), mac="02:00:00:00:00:12", port="swp7"),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_files(tmp_path: Path, name: str) -> None:
    text, wanted = TABLES[name]
    file = tmp_path / "file"
    file.write_text(text)
    place = Position(str(file), wanted.place.line)
    assert read_rows(file) == [wanted._replace(place=place)]


WRONG = {
    "no table": ("hello\n", 1, "no table with two of the columns name, serial, mac, port, model"),
    "semicolons": ("Name;Serial\na;B\n", 1, "the cells are separated by semicolons, not by commas"),
    "one column": ("serial,colour\nA,red\n", 1, "no table with two of the columns"),
    "a MAC": ("name,mac\nleaf1,zz\n", 2, "'zz' is not a MAC address"),
    "a serial": ("name,serial\nleaf1,a b\n", 2, "'a b' is not a serial number"),
    "no CSV": ('name,serial\n"leaf1,x\n', 2, "not CSV"),
    "nothing": ("", 1, "no table"),
}


@pytest.mark.parametrize("name", WRONG)
def test_files_that_are_wrong(tmp_path: Path, name: str) -> None:
    text, line, message = WRONG[name]
    file = tmp_path / "file"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_rows(file)
    (finding,) = caught.value.findings
    assert (finding.position, message in finding.message) == (Position(str(file), line), True)


def test_all_cells_that_are_wrong_are_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("name,mac,serial\nleaf1,zz,a b\nleaf2,,SN123\nleaf3,yy,\n")
    with pytest.raises(InputError) as caught:
        read_rows(file)
    lines = [finding.position and finding.position.line for finding in caught.value.findings]
    assert lines == [2, 2, 4]


CLIENTS = {
    SONIC: "MT9",
    "00:46:44:4f:31:32:33": "FDO123",
    "01:02:00:00:00:00:12": "",
    "*": "",
    "": "",
    "ff:00:zz": "",
    b"\0a b".hex(":"): "",
}


@pytest.mark.parametrize("client", CLIENTS)
def test_the_serial_of_a_client_id(client: str) -> None:
    assert serial_of(client) == CLIENTS[client]


KEYS = st.sampled_from(["", "a", "b", "c"])
ROWS = st.lists(st.builds(Row, st.just(Position("f", 1)), KEYS, KEYS, KEYS, KEYS), max_size=8)


@given(ROWS)
def test_rows_that_share_a_key_are_of_one_device(rows: list[Row]) -> None:
    groups = joined(rows)
    assert sorted(row for group in groups for row in group) == sorted(rows)
    fields = ("name", "serial", "mac", "port", "address")
    for first, group in enumerate(groups):
        for other in groups[first + 1 :]:
            for field in fields:
                mine = {getattr(row, field) for row in group} - {""}
                assert not mine & {getattr(row, field) for row in other}
    for group in groups:  # each is held together: no part of it shares nothing with the rest
        part, rest = group[:1], group[1:]
        while any(shares(one, other, fields) for one in part for other in rest):
            part += [other for other in rest if any(shares(one, other, fields) for one in part)]
            rest = [other for other in rest if all(other is not one for one in part)]
        assert not rest


def shares(one: Row, other: Row, fields: tuple[str, ...]) -> bool:
    return any(getattr(one, name) and getattr(one, name) == getattr(other, name) for name in fields)


def adopt(folder: Path, *texts: str, dry_run: bool = False) -> Adopted:
    project(folder, DEVICES, HOSTS)
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"list{number}.csv")
        files[-1].write_text(text)
    return adopt_serials(folder, files, dry_run=dry_run)


def test_files_are_joined(tmp_path: Path) -> None:
    ports = "port,name\nswp7,spine02\nswp8,su2-rail0\n"
    found = adopt(tmp_path, ports, LLDP.replace(":12", ":77"))
    assert (found.taken, "su2-rail0" in found.waiting) == (1, True)
    intent = load(tmp_path)
    (entry,) = intent.device_overrides["spine02"]
    assert entry.value.management_mac == "02:00:00:00:00:77"
    text = (tmp_path / "devices" / "serials.yaml").read_text()
    assert text == "devices:\n  - {names: spine02, management_mac: '02:00:00:00:00:77'}\n"
    assert (tmp_path / "devices" / "test.yaml").read_text() == DEVICES


def test_a_lease_is_of_the_device_with_its_address(tmp_path: Path) -> None:
    found = adopt(tmp_path, TABLES["leases of dnsmasq"][0])
    assert found.edited is not None
    assert "{names: su1-rail1, serial: MT9}" in found.edited.diff


def test_twice_changes_nothing(tmp_path: Path) -> None:
    text = "name,serial\nspine02,JPE777\na2,HOST1\n"
    assert adopt(tmp_path, text).taken == 2
    assert (tmp_path / "hosts" / "serials.yaml").exists()
    again = adopt_serials(tmp_path, [tmp_path / "list0.csv"])
    assert (again.taken, again.edited) == (0, None)


def test_a_dry_run_and_strangers(tmp_path: Path) -> None:
    found = adopt(tmp_path, "name,serial\nspine02,JPE777\nother,JPE778\n", dry_run=True)
    assert not (tmp_path / "devices" / "serials.yaml").exists()
    assert [row.name for row in found.strangers] == ["other"]


CONFLICTS = {
    "two serials": (
        "name,serial\nspine02,JPE777\nspine02,JPE778\n",
        "serial JPE778 and, in {file}:2:1, JPE777 are of one device",
    ),
    "another serial": (
        "name,serial\nspine01,JPE999\n",
        "spine01 has serial JPE123 in the inventory, and JPE999 here",
    ),
    "another model": (
        "name,serial,model\nspine02,JPE777,Mellanox SN5600\n",
        "spine02 is planned as 7060X6-64PE, and the line has a ACS-SN5600",
    ),
    "two devices": (
        "name,serial\nspine02,JPE777\nsu2-rail0,JPE777\n",
        "name su2-rail0 and, in {file}:2:1, spine02 are of one device",
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_what_contradicts_is_refused_whole(tmp_path: Path, name: str) -> None:
    text, message = CONFLICTS[name]
    with pytest.raises(InputError) as caught:
        adopt(tmp_path, text)
    said = [one.message for one in caught.value.findings]
    assert message.format(file=tmp_path / "list0.csv") in said
    assert not (tmp_path / "devices" / "serials.yaml").exists()
