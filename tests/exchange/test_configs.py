"""Fabrics from running configurations: what is sure is a cable, the rest is named."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv4Network
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.exchange.forms import Imported, Settings, importers
from fabric.exchange.link_pools import numbering
from fabric.exchange.port_text import far_end
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.configuration.recognition import system_of
from fabric.observe.configuration.servers import servers_of
from fabric.workflow.config_folder import read_configurations
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init_sized import sized_inventory
from fabric.workflow.init_wish import Wish
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import run
from tests.exchange.plants import of_example, put
from tests.topology.fabrics import INVENTORY

PORTS = {
    "leaf01": {"ethernet1/1": "Ethernet1/1", "ethernet1": "Ethernet1"},
    "DC1-SPINE1": {"ethernet3": "Ethernet3", "swp1": "swp1"},
    "spine_02": {"ethernet3": "Ethernet3"},
}
NAMES = {name.lower(): name for name in PORTS}
DESCRIPTIONS: dict[str, tuple[str, str] | None] = {
    "DC1-SPINE1 swp1": ("DC1-SPINE1", "swp1"),
    "dc1-spine1_SWP1": ("DC1-SPINE1", "swp1"),
    "P2P_LINK_TO_DC1-SPINE1_Ethernet3": ("DC1-SPINE1", "Ethernet3"),
    "to DC1-SPINE1.example.net:Et3": ("DC1-SPINE1", "Ethernet3"),
    "leaf01 Ethernet1 -> DC1-SPINE1 (Ethernet3)": ("DC1-SPINE1", "Ethernet3"),
    "uplink DC1-SPINE1": ("DC1-SPINE1", ""),
    "DC1-SPINE1 swp1 swp9": ("DC1-SPINE1", "swp1"),
    "swp1 or Ethernet3 of DC1-SPINE1": ("DC1-SPINE1", ""),
    "spine_02 Ethernet3": ("spine_02", "Ethernet3"),
    "P2P_LINK_TO_SPINE_02_Ethernet3": ("spine_02", "Ethernet3"),
    "gpu_01 eth1": ("gpu_01", "eth1"),
    "gpu01 eth1": ("gpu01", "eth1"),
    "gpu01:eth1": None,
    "gpu01_enp26s0np0": ("gpu01", "enp26s0np0"),
    "to server": None,
    "rack 12": None,
    "spare": None,
    "": None,
    "leaf01 Ethernet1": None,
    "../x {{y}}": None,
}


@each("text", DESCRIPTIONS)
def test_ends_in_descriptions(text: str) -> None:
    assert far_end(text, "leaf01", PORTS, NAMES) == DESCRIPTIONS[text]


@lru_cache
def rendered(name: str) -> dict[str, str | bytes]:
    """Return one whole configuration of each switch of an example."""
    artefacts = Project(INVENTORY / name).switch_artefacts
    return {item.path: item.content for mine in artefacts.values() for item in mine}


def imported(folder: Path) -> Imported:
    parse = importers["configs"].parse
    assert parse is not None
    return parse(read_configurations(folder), str(folder), Settings())


@pytest.mark.parametrize("name", ["demo", "mixed", "three-tier", "dual-plane", "rail-only"])
def test_what_is_rendered_comes_back(name: str, tmp_path: Path) -> None:
    """Cables of all systems with the addresses of switches, gateways and VLANs, and no more."""
    built = of_example(name)
    put(tmp_path, rendered(name))
    done = imported(tmp_path).plant
    unread = {"speed_gbps": None, "cable_m": None}
    assert {replace(cable, **unread) for cable in done.cables} == {
        replace(cable, **unread) for cable in built.cables
    }
    planned = {cable.near: cable for cable in built.cables}
    for cable in done.cables:
        same = planned[cable.near]
        assert cable.speed_gbps in {None, same.speed_gbps}
        assert cable.cable_m in {None, same.cable_m}
    for device in built.switches:
        known = done.device[device.name]
        assert (known.asn, known.loopback) == (device.asn, device.loopback)
        assert known.kind == "switch"


def test_servers_of_all_systems_are_read(tmp_path: Path) -> None:
    texts = [
        content if isinstance(content, str) else content.decode()
        for path, content in rendered("mixed").items()
        if not path.endswith(("clear.nv", "zz-rocefab-neighbours.conf"))
    ]
    assert len(texts) == len(of_example("mixed").switches)
    read = {str(servers_of(system_of(text) or "", text)) for text in texts}
    assert read == {"{'ntp_servers': ['192.0.2.10'], 'syslog_servers': ['192.0.2.20']}"}
    put(tmp_path, rendered("demo"))
    assert imported(tmp_path).management == {
        "ntp_servers": ["192.0.2.10"],
        "syslog_servers": ["192.0.2.20"],
    }


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("eos", "ntp server vrf MGMT 192.0.2.10 prefer iburst"),
        ("nxos", "ntp server 192.0.2.10 prefer use-vrf management"),
        ("vrp8", " ntp unicast-server 192.0.2.10 vpn-instance mgmt"),
        ("comware7", " ntp-service unicast-server 192.0.2.10 vpn-instance mgmt"),
        ("cumulus", "nv set service ntp mgmt server 192.0.2.10 iburst on"),
        ("junos", "set system ntp server 192.0.2.10 prefer"),
    ],
)
def test_servers_in_vrfs_are_read(system: str, line: str) -> None:
    text = f"{line}\n{line.replace('192.0.2.10', 'time.example.net')}\n"
    assert servers_of(system, text) == {"ntp_servers": ["192.0.2.10"], "syslog_servers": []}


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("eos", "logging vrf MGMT host 192.0.2.20 514"),
        ("nxos", "logging server 192.0.2.20 6 use-vrf management"),
        ("vrp8", "info-center loghost 192.0.2.20 vpn-instance mgmt"),
        ("comware7", " info-center loghost vpn-instance mgmt 192.0.2.20"),
        ("junos", "set system syslog host 192.0.2.20 routing-instance mgmt_junos"),
    ],
)
def test_syslog_servers_in_vrfs_are_read(system: str, line: str) -> None:
    servers = {"ntp_servers": [], "syslog_servers": ["192.0.2.20"]}
    assert servers_of(system, f"{line}\n") == servers


LEAF = """\
! device: leaf01 (DCS-7060X6-64PE-F, EOS-4.32.2F)
hostname leaf01
!
interface Ethernet1/1
   description {one}
   no switchport
   ip address {address}
!
interface Ethernet2/1
   description {two}
!
interface Management1
   description oob01 Ethernet9
   ip address 192.0.2.1/31
!
router bgp 65001
   router-id 10.255.0.1
!
end
"""
SPINE = (
    LEAF.replace("leaf01", "spine01").replace("65001", "65100").replace("10.255.0.1", "10.255.0.2")
)
#: Descriptions and addresses of both -> far end of the first port of the leaf, and warnings.
EVIDENCE: dict[str, tuple[dict[str, str], dict[str, str], str, list[str]]] = {
    "both": (
        {"one": "spine01 Ethernet1/1", "address": "10.0.0.0/31"},
        {"one": "leaf01 Ethernet1/1", "address": "10.0.0.1/31"},
        "Ethernet1/1",
        [],
    ),
    "addresses alone": (
        {"one": "uplink", "address": "10.0.0.0/31"},
        {"one": "downlink", "address": "10.0.0.1/31"},
        "Ethernet1/1",
        [],
    ),
    "description alone": (
        {"one": "spine01 Ethernet2/1", "address": "10.0.0.1/24"},
        {"one": "x", "address": "10.0.1.1/24"},
        "Ethernet2/1",
        [],
    ),
    "described from the other end": (
        {"one": "spine01", "address": "10.0.0.1/24"},
        {"one": "leaf01 Ethernet1/1", "address": "10.0.1.1/24"},
        "Ethernet1/1",
        [],
    ),
    "contradiction": (
        {"one": "spine01 Ethernet2/1", "address": "10.0.0.0/31"},
        {"one": "leaf01 Ethernet1/1", "address": "10.0.0.1/31"},
        "",
        ["report different cables"],
    ),
    "no other end": (
        {"one": "uplink", "address": "10.0.0.0/31"},
        {"one": "uplink", "address": "10.0.0.4/31"},
        "",
        ["ports have a peer that no file names; their cables are unknown (2)"],
    ),
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_of_a_cable(name: str, tmp_path: Path) -> None:
    leaf, spine, port, warnings = EVIDENCE[name]
    files = {
        "leaf01.cfg": LEAF.format(**{"two": "gpu01 eth1", **leaf}),
        "spine01.cfg": SPINE.format(**{"two": "spare", **spine}),
        "README.txt": "not a configuration\n",
    }
    put(tmp_path, files)
    done = imported(tmp_path)
    cables = [(cable.near, cable.far) for cable in done.plant.cables]
    expected = [(("leaf01", "Ethernet1/1"), ("spine01", port))] if port else []
    assert cables == [(("gpu01", "eth1"), ("leaf01", "Ethernet2/1")), *expected]
    said = " | ".join(note.message for note in done.notes)
    assert all(text in said for text in warnings), said


def test_an_address_that_three_have_is_no_cable(tmp_path: Path) -> None:
    files = {
        f"{name}.cfg": LEAF.replace("leaf01", name).format(one="x", two="x", address=address)
        for name, address in (
            *(("a", "10.0.0.1/30"), ("b", "10.0.0.2/30")),
            ("c", "10.0.0.2/30"),
        )
    }
    put(tmp_path, files)
    assert imported(tmp_path).plant.cables == ()


def test_lldp_next_to_a_configuration_counts_most(tmp_path: Path) -> None:
    table = "Port  Neighbor Device ID  Neighbor Port ID  TTL\nEt1/1 spine01 Ethernet2/1 120\n"
    files = {
        "leaf01.cfg": LEAF.format(one="spine01 Ethernet1/1", two="x", address="10.0.0.0/24"),
        "leaf01.lldp": table,
        "spine01.cfg": SPINE.format(one="x", two="x", address="10.0.1.0/24"),
    }
    put(tmp_path, files)
    done = imported(tmp_path)
    assert [(cable.near, cable.far) for cable in done.plant.cables] == [
        (("leaf01", "Ethernet1/1"), ("spine01", "Ethernet2/1"))
    ]


def test_two_files_of_a_switch(tmp_path: Path) -> None:
    text = LEAF.format(one="x", two="gpu01 eth1", address="10.0.0.0/24")
    put(tmp_path, {"a.cfg": text, "b.cfg": text})
    done = imported(tmp_path)
    assert len(done.plant.cables) == 1
    said = [note.message for note in done.notes]
    assert "files are of a switch that was read already, and are ignored (1): b.cfg" in said


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.txt": "hello\n"}, "no system recognises a configuration here"),
        ({}, "no system recognises a configuration here"),
        ({"a.cfg": b"\xff\xfe\x00"}, "not UTF-8"),
        ({"a.cfg": LEAF.replace("end\n", "") + "\x1b[31m"}, "contains the character"),
    ],
)
def test_folders_that_are_wrong(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    put(tmp_path, {".hidden": "", **files})
    with pytest.raises(InputError) as caught:
        read_configurations(tmp_path)
    assert message in str(caught.value.findings[0])


def test_names_are_checked(tmp_path: Path) -> None:
    text = LEAF.format(one="x", two="gpu01 eth1", address="10.0.0.0/24")
    put(tmp_path, {"a.cfg": text.replace("hostname leaf01", "hostname leaf{{x}}")})
    with pytest.raises(InputError, match="error"):
        imported(tmp_path)


def test_the_inventory_of_a_folder(tmp_path: Path) -> None:
    """Every switch of another system: its model is set by its name."""
    put(tmp_path / "configs", rendered("mixed"))
    built = of_example("mixed")
    request = Request(
        models=tuple(f"{item.name}={item.model}" for item in built.switches), hosts="gpu[1-8]"
    )
    files, _ = import_inventory(
        "configs", str(tmp_path / "configs"), tmp_path / "new", request, lambda *_: None
    )
    assert "cabling.csv" in files


def test_speeds_lengths_and_models_of_a_config_db(tmp_path: Path) -> None:
    """They are of the source, whatever the defaults are, and no comment says otherwise."""
    for name, content in rendered("demo").items():
        if name.endswith("config_db.json"):
            text = content if isinstance(content, str) else content.decode()
            tables = json.loads(text)
            for row in tables["PORT"].values():
                row["speed"] = "200000"
            tables["CABLE_LENGTH"] = {"AZURE": dict.fromkeys(tables["PORT"], "300m")}
            put(tmp_path / "configs", {name: json.dumps(tables)})
    request = Request(models=("spine=7060X6-64PE",), hosts="gpu[001-004]")
    source, new = str(tmp_path / "configs"), tmp_path / "new"
    import_inventory("configs", source, new, request, lambda *_: None)
    text = (new / "fabric.yaml").read_text()
    for line in ("leaf: {sku: ACS-MSN4700}", "host_gbps: 200", "host_m: 300"):
        assert f"  {line}\n" in text
    assert "  ntp_servers: [192.0.2.10]\n  syslog_servers: [192.0.2.20]\n" in text
    # a default pool would route, at each host, networks that are not of the fabric
    assert "  hosts: 10.64.0.0/22 # assumed: no address pools in the source; around its" in text


#: Numbers of the /31 of each leaf, and the pool and links of a leaf that come of them.
NUMBERS = {
    "a leaf": ([[8, 9]], "0.0.0.16/30", 2),
    "side by side": ([[8, 9], [10, 11]], "0.0.0.16/29", 2),
    "with room, not at a border": ([[8, 9], [16, 17], [24, 25]], "0.0.0.0/26", 2),
    "with room, from the start": ([[0], [8], [16]], "0.0.0.0/26", 8),
    "a leaf without links": ([[16], [], [24]], "0.0.0.32/27", 4),
    "in no order": ([[4], [40], [9]], "0.0.0.0/25", 1),
    "not at a border": ([[5, 6], [11, 12]], "0.0.0.0/27", 2),
}


def saved(wish: Wish, folder: Path) -> tuple[str, Request]:
    """Write the configurations of a size into ``source``; return its text, and a request for it."""
    text = sized_inventory(wish, "mine").text
    (folder / "mine").mkdir()
    (folder / "mine" / "fabric.yaml").write_text(text)
    project = Project(folder / "mine")
    artefacts = project.switch_artefacts.values()
    put(folder / "source", {item.path: item.content for mine in artefacts for item in mine})
    models = (f"leaf={wish.leaf}", f"spine={wish.spine or wish.leaf}")
    return text, Request(models, hosts=",".join(project.fabric.hosts.names))


@pytest.mark.parametrize(
    ("wish", "lines", "leaves", "reason"),
    [
        (
            Wish(hosts=24, rails=2, leaf="QFX5240-64OD"),
            *(r"^set vlans RAIL1 .*\n", ["su1-rail1"]),
            "their ports are in no VLAN that the source has, and have no address",
        ),
        (
            Wish(hosts=12, rails=4, leaf="CE8855-32CQ4BQ"),
            *(r"^interface Vlanif(?s:.*?)^#\n", ["su1-rail2", "su1-rail3"]),
            "VLAN 104 has no gateway with an address there",
        ),
    ],
    ids=["VLAN on Junos", "gateways on VRP8"],
)
def test_leaves_that_lost_a_subnet_get_it_from_the_pool(
    wish: Wish, lines: str, leaves: list[str], reason: str, tmp_path: Path
) -> None:
    text, request = saved(wish, tmp_path)
    for leaf in leaves:
        (file,) = (tmp_path / "source").rglob(f"{leaf}/*")
        left, count = re.subn(lines, "", file.read_text(), flags=re.MULTILINE)
        assert count
        file.write_text(left)
    new = tmp_path / "new"
    _, notes = import_inventory("configs", str(tmp_path / "source"), new, request, lambda *_: None)
    lost = [note.message for note in notes if "no subnet in the source" in note.message]
    words = "have no subnet in the source, and get one of the pool"
    assert (lost[-1], len(lost)) == (f"NICs of {leaves[-1]} {words}: {reason}", len(leaves))
    now = (new / "fabric.yaml").read_text()
    own, pool = (yaml.safe_load(one)["addressing"]["hosts"] for one in (text, now))
    assert pool == own
    comment = "each host routes this pool: set the real one before the first apply"
    assert now.partition(f"hosts: {pool}")[2].partition("\n")[0].endswith(comment)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(hosts=64, rails=4, split="2x400G", nic_gbps=400, spines=8),
        Wish("classic-tor", 20, 4, "ACS-MSN4700", room_for=40),
        Wish(hosts=60, rails=4, leaf="ACS-MSN4700", spines=2, room_for=300),
        Wish(hosts=20, rails=4, room_for=70, planes=2),
    ],
    ids=["split cages", "racks", "pods", "planes"],
)
def test_pools_and_ranges_that_fit_are_short(wish: Wish, tmp_path: Path) -> None:
    """Links have the pool that holds them, and no address each; cages are ranges."""
    text, request = saved(wish, tmp_path)
    new = tmp_path / "new"
    files, _ = import_inventory("configs", str(tmp_path / "source"), new, request, lambda *_: None)
    path = "devices/imported.yaml"
    devices = (new / path).read_text() if path in files else ""
    assert (" address: " in devices, "{address: " in devices) == (False, False)
    if wish.split:
        assert "{cages: 1-64, mode: 2x400G}" in devices
    own = yaml.safe_load(text)["addressing"]
    now = yaml.safe_load((new / "fabric.yaml").read_text())["addressing"]
    for field in ("uplinks", "core_links"):
        assert field not in own or IPv4Network(now[field]).subnet_of(IPv4Network(own[field]))


@each("name", NUMBERS)
def test_the_pool_of_links(name: str) -> None:
    links, pool, count = NUMBERS[name]
    assert numbering(links) == (IPv4Network(pool), count)


def test_subnets_of_leaves_are_kept(tmp_path: Path) -> None:
    files = dict(rendered("demo"))
    path = next(path for path in files if "su1-rail0" in path and path.endswith(".json"))
    text = files[path].decode().replace("10.64.0.1/24", "10.64.99.254/24").replace("101", "222")
    put(tmp_path / "configs", files | {path: text})
    request = Request(
        base=INVENTORY / "demo",
        models=("leaf=ACS-MSN4700",),
        hosts="gpu[001-004]",
    )
    import_inventory(
        "configs", str(tmp_path / "configs"), tmp_path / "new", request, lambda *_: None
    )
    rows = yaml.safe_load((tmp_path / "new/devices/imported.yaml").read_text())["devices"]
    assert [row for row in rows if "subnets" in row] == [
        {
            "names": "su1-rail0",
            "subnets": [{"network": "10.64.99.0/24", "vlan": 222, "gateway": "10.64.99.254"}],
        }
    ]


def test_models_that_no_source_tells_are_those_of_the_base(tmp_path: Path) -> None:
    """Switch by switch, each marked as assumed; eight systems in one folder."""
    put(tmp_path / "configs", rendered("mixed"))
    request = Request(base=INVENTORY / "mixed", hosts="gpu[1-8]")
    import_inventory(
        "configs", str(tmp_path / "configs"), tmp_path / "new", request, lambda *_: None
    )
    new, old = Project(tmp_path / "new").devices, Project(INVENTORY / "mixed").devices
    assert {name: one.sku.name for name, one in new.items()} == {
        name: one.sku.name for name, one in old.items()
    }
    text = (tmp_path / "new/fabric.yaml").read_text()
    own = [line for line in text.splitlines() if "sku:" in line and "ACS-SN5600" not in line]
    assert len(own) == 9  # a CONFIG_DB names its model
    assert all("assumed: no " in line and "; from the base" in line for line in own)


def test_leaves_that_share_an_as_number_keep_it(tmp_path: Path) -> None:
    """With how often they accept it, so that the new inventory has no route less."""
    (tmp_path / "old").mkdir()
    text = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    shared = text.replace("bgp: {", "bgp: {allowas_in: 2, ")
    (tmp_path / "old" / "fabric.yaml").write_text(shared, encoding="utf-8")
    (tmp_path / "old" / "devices").mkdir()
    (tmp_path / "old" / "devices" / "a.yaml").write_text(
        'devices:\n  - {names: "su[1-2]-rail[0-1]", asn: 65101}\n', encoding="utf-8"
    )
    artefacts = Project(tmp_path / "old").switch_artefacts
    put(tmp_path / "configs", {one.path: one.content for row in artefacts.values() for one in row})
    request = Request(models=("leaf=ACS-MSN4700", "spine=7060X6-64PE"), hosts="gpu[001-004]")
    import_inventory(
        "configs", str(tmp_path / "configs"), tmp_path / "new", request, lambda *_: None
    )
    project = Project(tmp_path / "new")
    bgp = {name: (one.bgp.asn, one.bgp.allowas_in) for name, one in project.devices.items()}
    assert {bgp[name] for name in bgp if name.startswith("su")} == {(65101, 2)}
    assert {bgp[name] for name in bgp if name.startswith("spine")} == {(65100, 0)}


#: Texts on a port with a cable, and whether the inventory keeps them.
TEXTS = {
    "Uplink: ticket 4711 (rack A/3)": True,
    "to the core": True,
    "spine01_Ethernet3/1": True,
    "spine01 Ethernet3/1": False,
    "Stra\u00dfe": False,
}


def take_in(folder: Path, source: Path) -> tuple[dict[str, object], list[str]]:
    base = INVENTORY / "mixed"
    request = Request(base=base, hosts="gpu[1-8]")
    _, notes = import_inventory("configs", str(source), folder, request, lambda *_: None)
    file = folder / "devices" / "imported.yaml"
    rows = yaml.safe_load(file.read_text())["devices"] if file.is_file() else []
    kept = {
        f"{row['names']} {port}": values["description"]
        for row in rows
        for port, values in row.get("ports", {}).items()
        if "description" in values
    }
    return kept, [note.message for note in notes]


def test_descriptions_of_the_design_are_not_written(tmp_path: Path) -> None:
    """On every system, with an underscore in place of a space where a system has none."""
    put(tmp_path / "source", rendered("mixed"))
    kept, notes = take_in(tmp_path / "new", tmp_path / "source")
    assert kept == {}
    assert not [note for note in notes if "description" in note]


@pytest.mark.parametrize("text", TEXTS)
def test_descriptions_are_kept(text: str, tmp_path: Path) -> None:
    """Where they differ from those of the design; a port without a cable has none."""
    put(tmp_path / "source", rendered("mixed"))
    file = next(one for one in (tmp_path / "source").rglob("*.eos") if "eos-leaf" in str(one))
    before = file.read_text()
    spare = "interface Ethernet30/1\n   description spare\n"
    after = spare + before.replace("description spine01 Ethernet3/1", f"description {text}")
    assert "interface Ethernet17/1\n   description" in before
    file.write_text(after)
    kept, notes = take_in(tmp_path / "new", tmp_path / "source")
    assert kept == ({"eos-leaf Ethernet17/1": text} if TEXTS[text] else {})
    lost = [
        note for note in notes if "the description of eos-leaf Ethernet17/1 is not kept" in note
    ]
    assert bool(lost) == (not text.isascii())
    if TEXTS[text]:
        ports = Project(tmp_path / "new").devices["eos-leaf"].ports
        assert [one.description for one in ports if one.name == "Ethernet17/1"] == [text]


def test_a_second_import_changes_no_description(tmp_path: Path) -> None:
    """Nor any other setting of a device; the demo describes two ports in its own words."""
    put(tmp_path / "configs", rendered("demo"))
    demo = str(INVENTORY / "demo")
    words = ("import", "configs", str(tmp_path / "configs"), "--hosts", "gpu[001-004]")
    ended = run(*words, "--compare", demo)
    assert "0 changed (0 settings)" in ended.out


#: A line about lengths by system, and what a port then has: its own, and that of the longest.
_CUMULUS = """\
nv set interface swp1 ip address 10.0.0.0/31
nv set qos pfc default-global cable-length 70
"""
_JUNOS = """\
set interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31
set class-of-service congestion-notification-profile P input cable-length 90
set class-of-service interfaces et-0/0/0 congestion-notification-profile P
"""
LENGTHS: dict[str, tuple[str, str, tuple[int | None, int | None]]] = {
    "cumulus": (
        _CUMULUS,
        "swp1",
        (None, 70),
    ),
    "esonic": ("interface Ethernet0\n cable-length 300m\n!\n", "Ethernet0", (300, None)),
    "junos": (
        _JUNOS,
        "et-0/0/0",
        (None, 90),
    ),
}


@each("system", LENGTHS)
def test_lengths_of_cables_are_read(system: str) -> None:
    text, port, lengths = LENGTHS[system]
    policy = lossless_readers[system].read(text).ports[port]
    assert (policy.cable_m, policy.longest_m) == lengths


def test_enterprise_sonic_is_set_for_40_m_without_a_line() -> None:
    text = "interface Ethernet0\n priority-flow-control priority 3\n!\n"
    assert lossless_readers["esonic"].read(text).ports["Ethernet0"].cable_m == 40
