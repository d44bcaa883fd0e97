"""Fabrics whose NICs have IPv6: exported, imported again, and what cannot be is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from fabric.exchange.exporters.netbox import rows_of
from fabric.exchange.netbox_wanted import wanted
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.routed_units import misfits, routed_units
from fabric.exchange.source_ipv6 import ipv6_plan
from fabric.exchange.values import typed
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import run
from tests.exchange.plants import put, read
from tests.exchange.test_routed import FORMS
from tests.topology.fabrics import document
from tests.topology.fabrics import ipv6_plan as plan_of

PLANS: dict[str, dict[str, Any]] = {
    "beside IPv4": plan_of(),
    "alone": plan_of(alone=True),
    "slaac": plan_of(alone=True, assignment="slaac"),
    "numbered": {
        **plan_of(uplinks="fd00:fe::/64"),
        "addressing__uplinks": "10.254.0.0/16",
        "bgp__peering": "numbered",
    },
    "planes": {**plan_of(alone=True), "nic_ports": 2, "planes": 2},
}
PAIR, *OTHERS = PLANS
MAC = "hosts:\n  - names: a1\n    nics: [{rail: 1, mac: '04:3f:72:00:00:01'}]\n"


def write(folder: Path, plan: str) -> Path:
    """Write an inventory of EOS switches, which have all of IPv6."""
    models = {"leaf": {"sku": "7060X6-64PE"}, "spine": {"sku": "7060X6-64PE"}}
    data = document(**PLANS[plan], platforms=models)
    count = data["rails"] * data.get("nic_ports", 1)
    data["host"] |= {"interfaces": f"eth[1-{count}]", "rdma_devices": f"mlx5_[1-{count}]"}
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    (folder / "hosts").mkdir()
    (folder / "hosts/own.yaml").write_text(MAC)
    return folder


def addresses(project: Project) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the addresses of every port of a switch, and of every NIC."""
    ports = {
        (name, port.name): (port.address, port.ipv6, port.peer, port.peer_port)
        for name, device in project.devices.items()
        for port in device.ports
        if port.kind != "unused"
    }
    nics = {
        (name, nic.interface): tuple((one.interface, one.gateway) for one in nic.addresses)
        for name, host in project.hosts.items()
        for nic in host.nics
    }
    return ports | nics


def again(source: Path, form: str, folder: Path) -> Project:
    """Export an inventory, import it, and return the project; nothing is lost."""
    folder.mkdir()
    assert run("export", form, source, "--out", folder / "out").code == 0
    files = [path for path in (folder / "out").iterdir() if path.name != "manifest.json"]
    path = files[0] if len(files) == 1 else folder / "out"
    ended = run("import", form, path, "--out", folder / "in")
    assert ended.code == 0, ended.err
    assert "EXC012" not in ended.err, ended.err
    return Project(folder / "in")


@each(("plan", "form"), [*((PAIR, form) for form in FORMS), *((one, "json") for one in OTHERS)])
def test_a_fabric_comes_back(plan: str, form: str, tmp_path: Path) -> None:
    name = f"{plan}-{form}".replace(" ", "-")
    source = write(tmp_path / f"source-{name}", plan)
    back, other = again(source, form, tmp_path / name), Project(source)
    assert back.intent.fabric.addressing.ipv4 is other.intent.fabric.addressing.ipv4
    mine, theirs = addresses(back), addresses(other)
    assert {key: set(row) for key, row in mine.items()} == {
        key: set(row) for key, row in theirs.items()
    }


OWN = """\
devices:
  - names: su1-rail0
    subnets: [{slot: 1, ipv6: "fd00:64::100/127"}]
"""


def test_subnets_and_addresses_of_their_own_come_back(tmp_path: Path) -> None:
    """What does not follow from positions is an override."""
    source = write(tmp_path / "source", "alone")
    (source / "devices").mkdir()
    (source / "devices/own.yaml").write_text(OWN)
    back, other = again(source, "json", tmp_path / "again"), Project(source)
    assert addresses(back) == addresses(other)
    text = (tmp_path / "again/in/devices/imported.yaml").read_text()
    assert "fd00:64::100/127" in text


@each(("form", "base"), [("json", False), ("configs", False), ("configs", True)])
def test_addresses_of_links_come_back(form: str, base: bool, tmp_path: Path) -> None:
    """Those of the pool in another order, and one of them elsewhere in it."""
    folder = tmp_path / f"{form}-{base}"
    folder.mkdir()
    source = write(folder / "source", "numbered")
    (source / "devices").mkdir()
    own = "devices:\n- names: su1-rail0\n  ports: {Ethernet33/1: {ipv6: 'fd00:fe::100'}}\n"
    (source / "devices/own.yaml").write_text(own)
    if form == "json":
        back = again(source, "json", folder / "again")
    else:
        assert run("render", source, "--out", folder / "out").code == 0
        ended = run(
            *("import", "configs", folder / "out/switches", "--out", folder / "in"),
            *("--hosts", "a[1-3],b[1-2]", "--model", "leaf=7060X6-64PE"),
            *("--model", "spine=7060X6-64PE", *(("--base", source) if base else ())),
        )
        assert ended.code == 0, ended.err
        assert "cable.ipv6" not in ended.err, ended.err
        text = (folder / "in/fabric.yaml").read_text()
        assert base or "fd00:64::/63 # assumed: no address pools in the source; around its" in text
        back = Project(folder / "in")
    links = [
        {key: row[1] for key, row in addresses(project).items() if "spine" in str(row[2:3])}
        for project in (back, Project(source))
    ]
    assert links[0] == links[1]


def test_netbox_has_an_address_of_each_family(tmp_path: Path) -> None:
    source = write(tmp_path / "source", "beside IPv4")
    assert run("export", "netbox", source, "--out", tmp_path / "out").code == 0
    (file,) = (tmp_path / "out").glob("*ip-addresses.json")
    rows = [row for row in json.loads(file.read_text()) if row["device"] == "a1"]
    assert {row["address"] for row in rows} == {
        *("10.64.0.1/31", "10.72.0.1/31", "fd00:64::41/127", "fd00:64:0:1::41/127")
    }


def test_configurations_are_read_back(tmp_path: Path) -> None:
    source = write(tmp_path / "source", "beside IPv4")
    assert run("render", source, "--out", tmp_path / "out").code == 0
    ended = run(
        *("import", "configs", tmp_path / "out/switches", "--out", tmp_path / "in"),
        *("--base", source, "--hosts", "a[1-3],b[1-2]"),
    )
    assert ended.code == 0, ended.err
    back = Project(tmp_path / "in")
    mine, theirs = (
        {key: row for key, row in addresses(one).items() if "rail" in key[0]}
        for one in (back, Project(source))
    )
    assert mine == theirs


def unit(*ports: tuple[str, str], vlan: int | None = None, ipv4: str = "") -> Plant:
    """Return a unit whose NICs have an IPv6 address, and their leaf another one."""
    hosts = [f"gpu{number}" for number in range(len(ports))]
    devices = (Device("leaf", "switch", "leaf", "su1"),)
    return Plant(
        "x",
        devices + tuple(Device(host, "host", unit="su1") for host in hosts),
        tuple(
            Cable.between((host, "eth0"), ("leaf", f"{n}"), vlan=vlan, ipv6=("", leaf))
            for n, (host, (_, leaf)) in enumerate(zip(hosts, ports, strict=True))
        ),
        tuple(
            Nic(host, "eth0", 0, address=ipv4, ipv6=address)
            for host, (address, _) in zip(hosts, ports, strict=True)
        ),
    )


PAIRS = [("fd00:64::21/127", "fd00:64::20/127"), ("fd00:64::23/127", "")]


@each(
    ("ports", "options", "reason"),
    [
        (PAIRS, {}, ""),
        ([("", "fd00:64:0:1::1/64"), ("", "fd00:64:0:2::1/64")], {}, ""),
        ([("fd00:64::2/64", "fd00:64::1/64"), ("fd00:64::3/64", "")], {}, "several NICs are in"),
        ([("fd00:64::2/64", "")], {}, "the addresses of leaf ports are not known"),
        ([("fd00:64::2/120", "fd00:64::1/120")], {}, "subnets are /120, and those of routed ports"),
        (PAIRS, {"vlan": 101}, "2 of 2 are in VLANs"),
        (PAIRS, {"ipv4": "10.0.0.2/24"}, None),
    ],
)
def test_which_unit_is_routed(ports: Any, options: dict[str, Any], reason: str | None) -> None:
    """IPv4 decides where there is any; IPv6 in a VLAN is in no inventory."""
    plant = unit(*ports, **options)
    routed = routed_units(plant)
    assert routed == ({"su1"} if reason == "" else set())
    assert (ipv6_plan(plant, None, routed) is not None) is (reason == "")
    assert all(reason in text for text in misfits(plant).values() if reason)
    assert bool(misfits(plant)) is bool(reason)


@each(
    ("base", "expected"),
    [
        ({}, "fd00:64::/64"),
        ({"hosts": "fd00:64::/48", "rdma": True}, "fd00:64::/48"),
        ({"hosts": "fd00:65::/48"}, "fd00:64::/64"),
    ],
)
def test_the_pool_of_the_base_counts_where_it_fits(base: dict[str, Any], expected: str) -> None:
    plan = ipv6_plan(unit(*PAIRS), base, {"su1"})
    assert plan == {**base, "hosts": expected, "assignment": "static"}


CONTAINERLAB = """
name: small
topology:
  nodes:
    leaf1: {kind: ceos, group: leafs, mgmt-ipv6: "3fff:172:20:20::11"}
    gpu1: {kind: linux, group: hosts, mgmt-ipv4: 172.20.20.12, mgmt-ipv6: "3fff:172:20:20::12"}
  links:
    - endpoints: ["leaf1:eth1", "gpu1:eth1"]
"""
NETLAB = """
nodes:
  leaf1: {device: eos, mgmt: {ipv6: "2001:db8::1"}}
  gpu1: {device: linux, role: host, mgmt.ipv6: "2001:db8::2"}
links: [leaf1-gpu1]
"""


@each(
    ("form", "name", "text", "expected"),
    [
        ("containerlab", "t.clab.yml", CONTAINERLAB, ["3fff:172:20:20::11", "172.20.20.12"]),
        ("netlab", "topology.yml", NETLAB, ["2001:db8::1", "2001:db8::2"]),
    ],
)
def test_management_over_ipv6(
    form: str, name: str, text: str, expected: list[str], tmp_path: Path
) -> None:
    """A device that is reached over IPv6 alone is reached; IPv4 comes first where it has both."""
    done = read(form, put(tmp_path, {name: text}), roles={"eos": "leaf"})
    assert [device.management for device in done.plant.devices] == expected


def test_management_over_ipv6_of_netbox() -> None:
    """What is exported has its length and is the primary address of its family."""
    devices = (
        Device("leaf1", "switch", "leaf", "u1", management="2001:db8::1"),
        Device("gpu1", "host", unit="u1", management="192.0.2.2"),
    )
    built = Plant("small", devices, (Cable.between(("gpu1", "eth1"), ("leaf1", "Ethernet0")),))
    rows = rows_of(built)
    assert [row["address"] for row in rows["ip-addresses"]] == ["2001:db8::1/128", "192.0.2.2/32"]
    fields = [one.fields for one in wanted(built, "") if one.late]
    assert [list(one) for one in fields] == [["primary_ip6"], ["primary_ip4"]]


@each(
    ("text", "expected"),
    [
        ("2001:DB8::1", "2001:db8::1"),
        ("2001:db8::1/64", "2001:db8::1"),
        ("192.0.2.1/24", "192.0.2.1"),
        ("leaf1.example.net", "leaf1.example.net"),
        ("fe80::1", "'fe80::1' is of one link; use an address of the device or its name"),
        ("2001:db8::1%eth0", "'2001:db8::1%eth0' is of one link; use an address of the device"),
        ("2001:db8:::1", "'2001:db8:::1' is not an IPv6 address; use the form fd00::1"),
    ],
)
def test_what_is_reached(text: str, expected: str) -> None:
    try:
        answer = str(typed("management", text))
    except ValueError as error:
        answer = str(error)
    assert answer.startswith(expected)
