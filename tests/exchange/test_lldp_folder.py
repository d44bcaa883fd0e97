"""Fabrics from outputs of LLDP in a folder: what each system prints, and who has no file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.exchange.forms import Imported, Settings
from fabric.exchange.importers.lldp import parse
from fabric.exchange.plant import Cable, Plant
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import neighbours_of, outputs
from fabric.observe.state import LldpNeighbour
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.lldp_folder import read_folder
from tests.exchange.plants import of_example, put
from tests.observe.test_fixtures import recorded

RULE = "-" * 79
#: Each prints that spine01 Ethernet1/2 is on the first port, whose name is that of the system.
TEXTS: dict[str, tuple[set[str], str, str]] = {
    "eos-table": (
        {"eos"},
        "Ethernet1",
        (
            "leaf01#show lldp neighbors\nLast table change time   : 0:00:02 ago\n\n"
            "Port          Neighbor Device ID       Neighbor Port ID    TTL\n"
            "---------- ------------------------ ---------------------- ---\n"
            "Et1           spine01.example.net      Ethernet1/2         120\nleaf01#\n"
        ),
    ),
    "eos-detail": (
        {"eos"},
        "Ethernet1",
        (
            '{"lldpNeighbors": {"Ethernet2": {"lldpNeighborInfo": []}, "Ethernet1": {'
            '"lldpNeighborInfo": [{"systemName": "spine01.example.net", "neighborInterfaceInfo": '
            '{"interfaceId": "\\"Ethernet1/2\\"", "interfaceIdType": "interfaceName"}}]}}}'
        ),
    ),
    "eos-json": (
        {"eos"},
        "Ethernet1",
        (
            '{"lldpNeighbors": [{"port": "Ethernet1", "neighborDevice": "spine01.example.net", '
            '"neighborPort": "Ethernet1/2", "ttl": 120}]}'
        ),
    ),
    "nxos-json": (
        {"nxos"},
        "Ethernet1/1",
        (
            '{"neigh_hdr": "neigh_hdr", "TABLE_nbor": {"ROW_nbor": {"chassis_id": '
            '"spine01.example.net", "l_port_id": "Eth1/1", "port_id": "Ethernet1/2"}}}'
        ),
    ),
    "nxos-detail": (
        {"nxos"},
        "Ethernet1/1",
        (
            "Capability codes:\n  (R) Router, (B) Bridge\nDevice ID            Local Intf\n\n"
            "Chassis id: 3473.2d00.0001\nPort id: Ethernet1/2\nLocal Port id: Eth1/1\n"
            "System Name: spine01.example.net\nTime remaining: 97 seconds\n\n"
            "Total entries displayed: 1\n"
        ),
    ),
    "junos-json": (
        {"junos"},
        "et-0/0/1",
        (
            '{"lldp-neighbors-information": [{"attributes": {"junos:style": "brief"}, '
            '"lldp-neighbor-information": [{"lldp-local-port-id": [{"data": "et-0/0/1"}], '
            '"lldp-remote-port-id": [{"data": "Ethernet1/2"}], '
            '"lldp-remote-system-name": [{"data": "spine01.example.net"}]}]}]}'
        ),
    ),
    "junos-xml": (
        {"junos"},
        "et-0/0/1",
        (
            '<rpc-reply xmlns:junos="http://xml.juniper.net/junos/22.4R0/junos">'
            "<lldp-neighbors-information><lldp-neighbor-information>"
            "<lldp-local-port-id>et-0/0/1</lldp-local-port-id>"
            "<lldp-remote-port-id>Ethernet1/2</lldp-remote-port-id>"
            "<lldp-remote-system-name>spine01.example.net</lldp-remote-system-name>"
            "</lldp-neighbor-information></lldp-neighbors-information></rpc-reply>"
        ),
    ),
    "lldpctl-text": (
        {"host", "cumulus"},
        "swp1",
        (
            f"{RULE}\nLLDP neighbors:\n{RULE}\nInterface:    swp1, via: LLDP, RID: 10, Time: 0\n"
            "  Chassis:\n    ChassisID:    mac 00:01:00:00:09:00\n"
            "    SysName:      spine01.example.net\n    MgmtIP:       192.0.2.9\n  Port:\n"
            f"    PortID:       ifname Ethernet1/2\n    TTL:          120\n{RULE}\n"
            "Interface:    swp2, via: CDPv2, RID: 3, Time: 0 day\n  Port:\n    PortID: ifname x\n"
        ),
    ),
    "lldpctl-json": (
        {"host", "cumulus"},
        "swp1",
        (
            '{"lldp": {"interface": {"swp1": {"chassis": {"spine01.example.net": {"id": {"type": '
            '"mac", "value": "00:01:00:00:09:00"}}}, "port": {"id": {"type": "ifname", '
            '"value": "Ethernet1/2"}}}}}}'
        ),
    ),
    "sonic-table": (
        {"sonic", "esonic"},
        "Ethernet0",
        (
            "admin@leaf01:~$ show lldp table\n"
            "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
            "LocalPort    RemoteDevice         RemotePortID    Capability    RemotePortDescr\n"
            "-----------  -------------------  --------------  ------------  ---------------\n"
            "Ethernet0    spine01.example.net  Ethernet1/2     BR            to leaf01\n"
            "--------------------------------------------------\nTotal entries displayed:  1\n"
            "admin@leaf01:~$ \n"
        ),
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_systems_print(name: str) -> None:
    systems, port, text = TEXTS[name]
    done, seen = neighbours_of(text)
    assert done == systems
    assert list(seen) == [port]
    (only,) = seen[port]
    assert (only.system_name, only.port_id) == ("spine01.example.net", "Ethernet1/2")


@pytest.mark.parametrize("name", TEXTS)
def test_cut_outputs_are_unreadable_or_less(name: str) -> None:
    """Half an output never has a neighbour that the whole one does not have."""
    _, port, text = TEXTS[name]
    for end in range(0, len(text), 7):
        try:
            _, seen = neighbours_of(text[:end])
        except UnreadableError:
            continue
        for neighbour in seen.get(port, ()):
            assert isinstance(neighbour, LldpNeighbour)
            assert "spine01.example.net".startswith(neighbour.system_name)
        assert set(seen) <= {port}


def test_every_system_reads_more_than_drivers_ask() -> None:
    assert set(outputs) == {"cumulus", "eos", "host", "junos", "nxos"}


@pytest.mark.parametrize(
    "name",
    [
        "eos/show_lldp_neighbors.txt",
        "eos/show_lldp_neighbors_detail.json",
        "nxos/show_lldp_neighbors_detail.txt",
        "cumulus/lldpcli_show_neighbors.txt",
        "sonic/show_lldp_table.txt",
    ],
)
def test_recorded_outputs(name: str) -> None:
    assert neighbours_of(recorded(name))[1]


def detail(plant: Plant, device: str) -> str:
    """Return what EOS prints on a device: hosts send the MAC as the id of a port."""
    seen: dict[str, Any] = {}
    for cable in plant.cables:
        for near, far in ((cable.near, cable.far), (cable.far, cable.near)):
            if near[0] == device:
                host = plant.device[far[0]].kind == "host"
                port = {"interfaceId": "0200.0000.0001" if host else f'"{far[1]}"'}
                port["interfaceDescription"] = far[1] if host else f"to {device}"
                info = {"systemName": f"{far[0]}.example.net", "neighborInterfaceInfo": port}
                seen[near[1]] = {"lldpNeighborInfo": [info]}
    return json.dumps({"lldpNeighbors": seen})


def folder_of(plant: Plant, folder: Path, kinds: set[str]) -> Path:
    names = [item.name for item in plant.devices if item.kind in kinds]
    put(folder, {f"{name}.json": detail(plant, name) for name in names})
    return folder


def imported(folder: Path) -> Imported:
    return parse(read_folder(folder), str(folder), Settings())


@pytest.mark.parametrize("name", ["demo", "mixed", "rail-512"])
@pytest.mark.parametrize("kinds", [{"switch", "host"}, {"switch"}])
def test_examples(name: str, kinds: set[str], tmp_path: Path) -> None:
    """All cables come back, also where hosts have no files."""
    built = of_example(name)
    done = imported(folder_of(built, tmp_path, kinds))
    plain = {Cable(cable.near, cable.far) for cable in built.cables}
    assert set(done.plant.cables) == plain
    assert [note.message.partition(":")[0] for note in done.notes] == (
        []
        if "host" in kinds
        else [f"devices were not read; their cables are those that others see ({len(built.hosts)})"]
    )


def test_what_is_dropped_is_named(tmp_path: Path) -> None:
    table = TEXTS["eos-table"][2].replace(
        "Et1 ",
        "Ma1           mgmt01                   Ethernet7           120\n"
        "Et2           gpu 01                   Ethernet8           120\nEt1 ",
    )
    table = table.replace("gpu 01", "a+b   ").replace(
        "leaf01#\n", "Et3           gpu01                    0800.274f.332d      120\nleaf01#\n"
    )
    done = imported(put(tmp_path, {"leaf01.txt": table}).parent)
    assert [(cable.near, cable.far) for cable in done.plant.cables] == [
        (("leaf01", "Ethernet1"), ("spine01", "Ethernet1/2"))
    ]
    assert [note.message for note in done.notes] == [
        "neighbours have no device name and are ignored (1): a+b",
        "management ports are ignored (1): leaf01 Management1",
        "devices were not read; their cables are those that others see (1): spine01",
        "reports 'a+b' as its neighbour, which was not read, so the cable is unknown",
        "reports 'gpu01' as its neighbour, which was not read, so the cable is unknown",
    ]


def test_neighbours_that_nobody_has_named_are_not_one_device(tmp_path: Path) -> None:
    """SONiC announces ``sonic`` or ``None`` where no name is set."""
    table = TEXTS["eos-table"][2].replace(
        "Et1 ",
        "Et2           sonic                    Ethernet0           120\n"
        "Et3           None                     Ethernet4           120\nEt1 ",
    )
    files = {"leaf01.txt": table, "leaf02.txt": table.replace("Ethernet1/2", "Ethernet1/3")}
    done = imported(put(tmp_path, files).parent)
    assert {cable.far[0] for cable in done.plant.cables} == {"spine01"}
    assert done.notes[0].message == (
        "neighbours have the name of the factory and are ignored (2): None, sonic"
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "the folder has no files"),
        ({"leaf01.txt": "show version\n"}, "no known system prints such"),
        ({"leaf01.txt": b"\xff\xfe"}, "not UTF-8"),
        ({"leaf01.txt": "\x1b[31mred"}, "contains the character"),
        ({"leaf01.json": "[" * 100_000}, "no known system prints such"),
        ({"leaf01.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x/>'}, "no known system prints such"),
        ({"a.txt": TEXTS["eos-table"][2], "a.json": TEXTS["eos-json"][2]}, "a has two files"),
        ({"a/b.txt": ""}, "not a regular file"),
    ],
)
def test_folders_that_are_wrong(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    put(tmp_path, {".hidden": "", **files})
    with pytest.raises(InputError) as caught:
        read_folder(tmp_path)
    assert message in str(caught.value.findings[0])


def test_names_from_files_and_neighbours_are_checked(tmp_path: Path) -> None:
    put(tmp_path, {"leaf{{x}}.txt": TEXTS["eos-table"][2]})
    with pytest.raises(InputError, match="2 errors"):
        imported(tmp_path)


def test_the_inventory_of_a_folder(tmp_path: Path) -> None:
    """From the outputs of switches alone to an inventory that can be loaded."""
    source = folder_of(of_example("demo"), tmp_path / "outputs", {"switch"})
    request = Request(models=("leaf=ACS-MSN4700", "spine=7060X6-64PE"), hosts="gpu[001-004]")
    files, notes = import_inventory("lldp", str(source), tmp_path / "new", request, lambda *_: None)
    assert "fabric.yaml" in files
    assert "devices were not read" in str(notes[0])
