"""Each form by itself: the ways in which others write it, and what stands in our files."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from pkgutil import iter_modules

import networkx as nx
import pytest

from fabric.core import hostlist
from fabric.core.exports import exporters
from fabric.exchange import exporters as exporter_package
from fabric.exchange import importers as importer_package
from fabric.exchange.ansible_ini import expand
from fabric.exchange.dot_text import parse
from fabric.exchange.forms import importers
from fabric.exchange.plant import Cable, Device, Nic, Plant, PlantTenant
from fabric.exchange.trees import circle, depths, lineage
from fabric.topology import graph
from tests.exchange.plants import ADDRESSES, FABRIC_FORMS, of_example, put, read, written
from tests.reference import reference
from tests.topology.fabrics import example

CABLES = "device,port,peer_device,peer_port\ngpu01,eth1,leaf01,Ethernet0\n"
HEADERS = {
    "ours": "device,port,peer_device,peer_port,speed_gbps,cable_m",
    "ends": "A Device,A Port,B Device,B Port,Speed,Length (m)",
    "from-to": "From,From Port,To,To Port,Link Speed,Cable Length",
    "source": "source_device;source_port;destination_device;destination_port;rate;length",
    "local": "Local Device\tLocal Interface\tRemote Device\tRemote Interface\tSpeed\tLength",
    "netbox": "side_a_device,side_a_name,side_b_device,side_b_name,speed,length",
    "lldp": "host,interface,neighbor,neighbor-port,bandwidth,cable.length",
}


@pytest.mark.parametrize("name", HEADERS)
def test_usual_headers_of_cable_maps(name: str, tmp_path: Path) -> None:
    header = HEADERS[name]
    separator = next(sign for sign in ("\t", ";", ",") if sign in header)
    row = separator.join(("gpu01", "eth1", "leaf01", "Ethernet0", "400 Gb/s", "2.5m"))
    source = put(tmp_path, {"c.csv": f"# a comment\n\n{header}\n{row}\n"})
    assert read("csv", source).plant.cables == (
        Cable(("gpu01", "eth1"), ("leaf01", "Ethernet0"), 400, 3),
    )


def test_columns_as_told(tmp_path: Path) -> None:
    source = put(tmp_path, {"c.csv": "x,y,z,w,port\ngpu01,eth1,leaf01,Ethernet0,?\n"})
    reported = {"device": "X", "port": "y", "peer_device": "z", "peer_port": "w"}
    result = read("csv", source, columns=reported).plant
    assert result.cables == (Cable(("gpu01", "eth1"), ("leaf01", "Ethernet0")),)


def test_lists_of_all_racks_are_one_fabric(tmp_path: Path) -> None:
    """Each end of a cable stands in the list of its rack; all together are the fabric."""
    built = of_example("demo")
    files = exporters["csv"].parts["racks"](built).files
    assert [file.path for file in files] == ["racks/spines.csv", "racks/su1.csv", "racks/su2.csv"]
    rows = [row for file in files for row in csv.DictReader(file.text.splitlines())]
    assert len(rows) == 2 * 16  # each end of each cable
    for file in files:
        own = list(csv.DictReader(file.text.splitlines()))
        assert {row["rack"] for row in own} == {Path(file.path).stem}
        ends = [(row["device"], row["port"]) for row in own]
        assert ends == sorted(ends, key=lambda end: tuple(map(hostlist.natural_key, end)))
        assert all(row["label"].split(" / ")[::-1] == row["peer_label"].split(" / ") for row in own)
    text = "".join(files[0].text.splitlines(keepends=True)[:1])
    text += "".join("".join(file.text.splitlines(keepends=True)[1:]) for file in files)
    back = read("csv", put(tmp_path, {"all.csv": text})).plant
    assert set(back.cables) == set(built.without(ADDRESSES).cables)


def test_racks_with_names_of_files_that_are_equal() -> None:
    devices = [Device("a", "switch", rack="r/1"), Device("b", "switch", rack="R 1")]
    built = Plant("x", tuple(devices), (Cable.between(("a", "p"), ("b", "p")),))
    files = exporters["csv"].parts["racks"](built).files
    assert sorted(file.path for file in files) == ["racks/R-1.csv", "racks/r-1-2.csv"]


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    devices = (Device("a", "switch", rack="=cmd()"), Device("b", "switch", rack="@x"))
    built = Plant("x", devices, (Cable.between(("a", "p"), ("b", "p")),))
    text = exporters["csv"].parts["plan"](built).files[0].text
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert "'=cmd()" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))]


#: Columns that a row must have, and others that it may have.
NETBOX = {
    "custom-fields": ("name type object_types weight search_weight filter_logic", "label"),
    "sites": ("name slug status", ""),
    "manufacturers": ("name slug", ""),
    "device-types": ("manufacturer model slug u_height", ""),
    "device-roles": ("name slug color", ""),
    "platforms": ("name slug", "manufacturer"),
    "racks": ("site name status width u_height", "location"),
    "devices": ("role manufacturer device_type status site", "name platform serial rack"),
    "tenants": ("name slug", "group description"),
    "route-targets": ("name", "tenant description"),
    "vrfs": ("name", "rd tenant enforce_unique import_targets export_targets"),
    "interfaces": ("device name type", "speed enabled mgmt_only vrf"),
    "mac-addresses": ("mac_address", "device interface is_primary"),
    "ip-addresses": ("address status", "device interface is_primary vrf tenant"),
    "cables": (
        "side_a_type side_a_name side_b_type side_b_name",
        "side_a_device side_b_device status label length length_unit",
    ),
}
PTM = """\
// Written by hand
graph G {
    node [shape=record];
    graph [hostidtype="hostname", version="1:0"];
    rankdir = LR
    subgraph cluster_leaves { "leaf01" [function="leaf" os=cumulus]; leaf02 [function=leaf] }
    # two lines of one cable
    "leaf01":"swp49" -- "spine01":"swp1" [LLDP="match_hostname=portdescr",
        BFD="upMinTx=150"];
    leaf02:swp49 -- spine01:swp2 /* no quotes */ ;
    "leaf01":swp1 -- "server01":"eth1"; spine01 [function=spine]
    server01 [function="host"];
}
"""


def test_topology_dot_as_people_write_it(tmp_path: Path) -> None:
    result = read("dot", put(tmp_path, {"topology.dot": PTM})).plant
    assert result.name == "G"
    roles = {device.name: (device.kind, device.role) for device in result.devices}
    assert roles == {
        "leaf01": ("switch", "leaf"),
        "leaf02": ("switch", "leaf"),
        "spine01": ("switch", "spine"),
        "server01": ("host", ""),
    }
    assert result.device["leaf01"].system == "cumulus"
    assert [(cable.near, cable.far) for cable in result.cables] == [
        (("leaf01", "swp49"), ("spine01", "swp1")),
        (("leaf02", "swp49"), ("spine01", "swp2")),
        (("leaf01", "swp1"), ("server01", "eth1")),
    ]


def test_the_graph_of_the_library_is_read(tmp_path: Path) -> None:
    """What programs get from `fabric.topology.graph` is the same form; a cable may be off."""
    data = nx.node_link_data(graph(example("demo")), edges="edges")
    data["edges"][0]["enabled"] = False
    result = read("json", put(tmp_path, {"g.json": json.dumps(data)})).plant
    (off,) = result.disabled
    assert {off.near, off.far} == set(data["edges"][0]["ports"].items())
    cables = tuple(replace(cable, state="") for cable in result.cables)
    assert replace(result, cables=cables).canonical() == of_example("demo").canonical()


def test_what_bulk_import_of_netbox_takes() -> None:
    """Columns as netbox-community/netbox 4.6.8 has them, netbox/*/forms/bulk_import.py.

    A form requires a column where it says so, or where the field of its model may not be blank.
    """
    devices = (
        Device("a", "switch", "leaf", rack="r", system="eos", management="192.0.2.1", asn=1),
        Device("b", "host", loopback="192.0.2.2", serial="s"),
    )
    cable = Cable.between(("a", "1"), ("b", "eth0"), 400, 3)
    nic = Nic("b", "eth0", 0, address="10.0.0.1/24", mac="00:00:00:00:00:01")
    tenant = PlantTenant("red", "Vrf17", "65000:50017", frozenset({("a", "1"), ("b", "eth0")}))
    plant = Plant("x", devices, (cable,), (nic,), tenants=(tenant,))
    files = exporters["netbox"].parts["objects"](plant).files
    assert [file.kind for file in files] == list(NETBOX)
    for number, file in enumerate(files, 1):
        rows = json.loads(file.text)
        must, may = (set(words.split()) for words in NETBOX[file.kind])
        for row in rows:
            columns = {key for key in row if not key.startswith("cf_")}
            assert must <= columns <= must | may, file.path
        assert file.path == f"{number:02d}-{file.kind}.json"
    custom = {row["name"] for row in json.loads(files[0].text)}
    used = {key for file in files for row in json.loads(file.text) for key in row}
    assert {key.removeprefix("cf_") for key in used if key.startswith("cf_")} <= custom


def test_every_module_is_a_form() -> None:
    """Nothing lies beside the forms that registers none."""
    read_by = {importers[name].read.__module__ for name in importers}
    written = [exporters[name].parts.values() for name in FABRIC_FORMS]
    written_by = {part.__module__ for parts in written for part in parts}
    for package, known in ((importer_package, read_by), (exporter_package, written_by)):
        names = {f"{package.__name__}.{item.name}" for item in iter_modules(package.__path__)}
        assert names == known


def test_the_help_lists_every_form() -> None:
    """Without an import of the forms, since help has to be fast."""
    from fabric.cli import exchange

    text = Path(exchange.__file__).read_text().partition("Format of the source: ")[2]
    words = text.partition("),")[0].replace('"', "").split()
    assert [word.strip(",.") for word in words if word != "or"] == list(importers)


def test_quotes_of_dot() -> None:
    graph = parse(r'graph "a \"b\"" { "x\\" [k="1\\2"]; }')
    assert (graph.name, graph.nodes[0].name, graph.nodes[0].attributes) == (
        'a "b"',
        "x\\",
        {"k": "1\\2"},
    )


RANGES = {
    "leaf[01:03]": ["leaf01", "leaf02", "leaf03"],
    "gpu[8:12:2]": ["gpu8", "gpu10", "gpu12"],
    "rack[a:c]-[1:2]": ["racka-1", "racka-2", "rackb-1", "rackb-2", "rackc-1", "rackc-2"],
    "one": ["one"],
}


@pytest.mark.parametrize("text", RANGES)
def test_ranges_of_ansible(text: str) -> None:
    assert list(expand(text)) == RANGES[text]


@pytest.mark.parametrize("text", ["x[1-3]", "x[3:1]", "x[a:9]", "x[1:9:0]", "x[0:99999999]", "x]"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ValueError):
        list(expand(text))


INI = {
    "inv.ini": """\
; machines beside the fabric
jump ansible_host=192.0.2.1
[leaf]
leaf[01:02] rocefab_unit=su1
leaf03:2222 rocefab_unit='su2' # of another rack
[spine]
spine[1:2]
[network:children]
leaf
spine
[network:vars]
hwsku = ACS-MSN4700
asn=65001
[gpu_hosts]
gpu[1:4]
[gpu_hosts:vars]
rocefab_unit="su9"
[all:vars]
asn=65000
serial=none
""",
    "group_vars/all.yml": "serial: from-all\n",
    "group_vars/spine.yml": "asn: 65100\n",
    "group_vars/leaf/a.yml": "serial: from-leaf\n",
    "host_vars/leaf01.yml": "asn: 65101\nansible_host: 192.0.2.11\n",
    "c.csv": CABLES.replace("gpu01", "gpu1"),
}


def test_ansible_agrees_with_ansible(tmp_path: Path) -> None:
    """The judge: ansible-inventory, with groups, ranges and the precedence of variables."""
    source = put(tmp_path, INI)
    result = read("ansible", source, cabling=tmp_path / "c.csv").plant
    program = Path(sys.executable).with_name("ansible-inventory")
    done = subprocess.run(
        [program, "-i", source, "--list"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "ANSIBLE_LOCAL_TEMP": str(tmp_path), "HOME": str(tmp_path)},
    )
    reported = json.loads(done.stdout)["_meta"]["hostvars"]
    assert set(reported) == set(result.device)
    for name, known in reported.items():
        device = result.device[name]
        assert device.asn == known["asn"], name
        assert device.serial == known["serial"], name
        assert device.unit == known.get("rocefab_unit", ""), name
        assert device.model == known.get("hwsku", ""), name
        assert device.management == known.get("ansible_host", ""), name
    roles = {device.name: device.role or device.kind for device in result.devices}
    assert roles["leaf02"], roles["spine1"] == ("leaf", "spine")
    assert (roles["gpu4"], roles["jump"]) == ("host", "")


#: As `rocefab export ansible` writes an inventory: groups in one file, hosts with variables.
PLAYBOOKS = """\
all:
  children:
    switches:
      hosts:
        leaf01: {rocefab_platform: sonic, ansible_host: 192.0.2.31, ansible_port: 22}
        spine01: {rocefab_platform: eos}
    gpu_hosts:
      hosts:
        gpu01: {rocefab_unit: su1, rocefab_files: [{src: a, dest: /b, mode: '0644'}]}
    leaf: {hosts: {leaf01: null}}
    spine:
      hosts:
        spine01:
    unit_su1: {hosts: {gpu01: null}}
"""


def test_the_inventory_of_the_playbooks(tmp_path: Path) -> None:
    source = put(tmp_path, {"inv.yaml": PLAYBOOKS, "c.csv": CABLES})
    result = read("ansible", source, cabling=tmp_path / "c.csv").plant
    assert result.devices == (
        Device("leaf01", "switch", "leaf", system="sonic", management="192.0.2.31"),
        Device("spine01", "switch", "spine", system="eos"),
        Device("gpu01", "host", unit="su1"),
    )


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("csv", {"c.csv": CABLES.replace("leaf01", "leaf01.x.net")}),
        ("dot", {"t.dot": 'graph G { "leaf01.x.net":Ethernet0 -- "gpu01":eth1; gpu01 [unit=u]; }'}),
        (
            "nornir",
            {
                "hosts.yaml": "gpu01: {}\nleaf01.x.net: {data: {cables: [{port: Ethernet0, "
                "peer_device: gpu01, peer_port: eth1}]}}\n"
            },
        ),
        ("ansible", {"i.ini": "gpu01.y.net\nleaf01.x.net\n", "c.csv": CABLES}),
    ],
)
def test_names_end_at_their_first_dot_when_told(
    form: str, files: dict[str, str], tmp_path: Path
) -> None:
    source = put(tmp_path, files)
    reported = {"cabling": tmp_path / "c.csv"} if form == "ansible" else {}
    if form == "ansible":
        cables = CABLES.replace("leaf01", "leaf01.x.net").replace("gpu01", "gpu01.y.net")
        put(tmp_path, {"c.csv": cables})
    result = read(form, source, cut_domain=True, **reported).plant
    assert sorted(result.device) == ["gpu01", "leaf01"]
    assert len(result.cables) == 1
    assert "leaf01.x.net" in read(form, source, **reported).plant.device


def test_words_of_roles_as_told(tmp_path: Path) -> None:
    files = {"inv.ini": "[torsw]\nleaf01\n[boxes]\ngpu01\n", "c.csv": CABLES}
    source = put(tmp_path, files)
    reported = {"torsw": "leaf", "boxes": "host"}
    result = read("ansible", source, cabling=tmp_path / "c.csv", roles=reported).plant
    assert [device.role or device.kind for device in result.devices] == ["leaf", "host"]


def test_nornir_loads_what_we_export(tmp_path: Path) -> None:
    """The judge: nornir's own SimpleInventory, with inherited data."""
    simple = pytest.importorskip("nornir.plugins.inventory.simple")
    built = of_example("demo")
    folder = written(built, "nornir", tmp_path)
    names = ("hosts.yaml", "groups.yaml", "defaults.yaml")
    result = simple.SimpleInventory(*(str(folder / name) for name in names)).load()
    assert sorted(result.hosts) == sorted(built.device)
    for name, host in result.hosts.items():
        device = built.device[name]
        assert (host.get("kind"), host.get("role", "")) == (device.kind, device.role)
        assert (host.get("unit", ""), host.platform or "") == (device.unit, device.system)
        assert host.get("fabric") == "demo"
    assert len(result.hosts["spine01"]["cables"]) == 4


def test_inheritance_is_nornirs(tmp_path: Path) -> None:
    """Hosts before groups, each group before those above it, defaults last; nornir is asked."""
    files = {
        "hosts.yaml": "leaf01: {groups: [b, a], data: {rail: 1, cables: []}}\n",
        "groups.yaml": "top: {platform: eos, data: {asn: 1, unit: t, pod: t}}\n"
        "a: {groups: [top], data: {asn: 2, unit: a}}\n"
        "b: {groups: [top], hostname: 192.0.2.7, data: {unit: b, rail: 2}}\n",
        "defaults.yaml": "platform: sonic\ndata: {serial: s, pod: d, fabric: f}\n",
    }
    result = read("nornir", put(tmp_path, files)).plant.devices[0]
    assert result == Device(
        *("leaf01", "", ""), unit="b", pod="t", rail=1, system="eos", asn=1, management="192.0.2.7",
        serial="s",
    )  # fmt: skip
    simple = pytest.importorskip("nornir.plugins.inventory.simple")
    names = ("hosts.yaml", "groups.yaml", "defaults.yaml")
    host = simple.SimpleInventory(*(str(tmp_path / name) for name in names)).load().hosts["leaf01"]
    assert (host["unit"], host["pod"], host["asn"], host.platform) == ("b", "t", 1, "eos")


def test_groups_above_groups() -> None:
    parents = {"a": ["b"], "b": ["c", "d"], "c": [], "d": ["c"], "z": ["a", "c"]}
    assert circle(parents) == []
    assert circle({**parents, "c": ["z"]})[0] == circle({**parents, "c": ["z"]})[-1]
    assert lineage(["z"], parents) == ["z", "a", "b", "c", "d"]
    assert depths(parents) == {"c": 0, "d": 1, "b": 2, "a": 3, "z": 4}


def test_the_table_of_lingjun(tmp_path: Path) -> None:
    rows = ("h2,G1,P2,S1", "h1,G1,P1,S10", "h3,G1,P1,S2", "h4,G1,P1,S2")
    source = put(tmp_path, {"topo.csv": "ip,DSW,PSW,ASW\n" + "\n".join(rows) + "\n"})
    result = read("lingjun", source, rails=2)
    assert result.generated
    units = {device.name: (device.unit, device.pod) for device in result.plant.hosts}
    assert units == {
        "host1": ("G1-P1-S2", "G1-P1"),
        "host2": ("G1-P1-S2", "G1-P1"),
        "host3": ("G1-P1-S10", "G1-P1"),
        "host4": ("G1-P2-S1", "G1-P2"),
    }
    names = "name,source\nhost1,h3\nhost2,h4\nhost3,h1\nhost4,h2\n"
    assert [file.text for file in result.files] == [names]


def test_the_real_table_of_lingjun() -> None:
    source = reference("fixtures", "placement", "alibaba-lingjun-2023-topo.csv")
    result = read("lingjun", source, rails=8)
    built = result.plant
    assert len(built.hosts) == 847
    by_role = [device.role for device in built.switches]
    assert [by_role.count(role) for role in ("leaf", "spine", "super-spine")] == [119, 3, 1]
    assert len(result.files[0].text.splitlines()) == 848
