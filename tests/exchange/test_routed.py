"""Fabrics with NICs on routed ports: exported, imported again, and what is not one is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.routed_pools import outside_rails
from fabric.exchange.routed_units import misfits, routed_units, untaken
from fabric.exchange.source_addresses import pools
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY, document

FORMS = ("json", "netbox", "graphml", "nornir", "containerlab", "netlab", "dot")
PLANS: dict[str, dict[str, Any]] = {
    "pairs": {},
    "room for pods": {"addressing__routed_prefix_length": 28},
    "planes": {"nic_ports": 2, "planes": 2, "addressing__routed_prefix_length": 30},
    "more NICs than half of the ports": {
        "units": [{"name": "su1", "hosts": "a[1-20]"}, {"name": "su2", "hosts": "b[1-3]"}],
        "platforms__leaf__host_ports": 24,
    },
    "one rail": {"rails": 1, "host__interfaces": "eth1", "host__rdma_devices": "mlx5_1"},
}


def write(folder: Path, plan: str) -> Path:
    data = document(addressing__vlan_per="none", **PLANS[plan])
    data["host"] |= {"interfaces": "eth[1-4]", "rdma_devices": "mlx5_[1-4]"}
    count = data["rails"] * data.get("nic_ports", 1)
    data["host"] |= {"interfaces": f"eth[1-{count}]", "rdma_devices": f"mlx5_[1-{count}]"}
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def addresses(project: Project) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return VLAN, address and peer of every port of a switch with a NIC, and what a NIC has."""
    ports = {
        (name, port.name): (port.vlan, port.address, port.peer, port.peer_port)
        for name, device in project.devices.items()
        for port in device.ports
        if port.kind == "host"
    }
    nics = {
        (name, nic.interface): (nic.address, nic.prefix_length, nic.gateway, nic.leaf, nic.rail)
        for name, host in project.hosts.items()
        for nic in host.nics
    }
    return ports | nics


def again(source: Path, form: str, folder: Path, *options: object) -> Project:
    """Export an inventory, import it, and return the project; nothing is lost or wrong."""
    assert run("export", form, source, "--out", folder / "out").code == 0
    files = [path for path in (folder / "out").iterdir() if path.name != "manifest.json"]
    ended = run(
        *("import", form, files[0] if len(files) == 1 else folder / "out"),
        *("--out", folder / "in", *options),
    )
    assert ended.code == 0, ended.err
    assert "EXC012" not in ended.err
    checked = run("check", folder / "in")
    assert "[ADR009]" not in checked.out
    assert "error:" not in checked.out
    return Project(folder / "in")


@each("form", FORMS)
def test_a_fabric_of_both_plans_comes_back(form: str, tmp_path: Path) -> None:
    """Unit by unit, with the pools that hold the addresses."""
    folder = tmp_path / form
    folder.mkdir()
    back = again(INVENTORY / "routed", form, folder)
    file = back.intent.fabric
    assert [unit.vlan_per for unit in file.units] == [None, "none"]
    assert file.addressing.vlan_per == "rail"
    source = Project(INVENTORY / "routed")
    mine, other = addresses(back), addresses(source)
    if form == "netbox":  # NetBox has no VLANs
        mine, other = ({key: row[-4:] for key, row in of.items() if row[0]} for of in (mine, other))
    assert mine == other


@each(("plan", "form"), [*((plan, "json") for plan in PLANS), ("room for pods", "netbox")])
def test_every_plan_comes_back(plan: str, form: str, tmp_path: Path) -> None:
    folder = tmp_path / f"{plan.replace(' ', '-')}-{form}"
    folder.mkdir()
    source = write(folder / "source", plan)
    back = again(source, form, folder)
    file = back.intent.fabric
    assert file.addressing.vlan_per == "none"
    assert file.addressing.routed_prefix_length == PLANS[plan].get(
        "addressing__routed_prefix_length", 31
    )
    assert not file.addressing.model_fields_set & {"host_prefix_length", "vlan_first"}
    assert addresses(back) == addresses(Project(source))


@each("advertise", ["nic", "leaf"])
def test_with_the_base_the_designs_are_the_same(advertise: str, tmp_path: Path) -> None:
    source, tmp_path = tmp_path / f"source-{advertise}", tmp_path / advertise
    text = (INVENTORY / "routed/fabric.yaml").read_text()
    for folder in (source, tmp_path):
        folder.mkdir()
    pool = "routed_hosts: 10.96.0.0/16\n"
    assert pool in text
    (source / "fabric.yaml").write_text(text.replace(pool, f"{pool}  advertise: {advertise}\n"))
    back, other = again(source, "json", tmp_path, "--base", source), Project(source)
    assert back.hosts == other.hosts
    for name, device in back.devices.items():
        own = other.devices[name]
        assert (device.ports, device.vlans, device.bgp) == (own.ports, own.vlans, own.bgp)


@pytest.mark.parametrize("name", ["routed", "demo"])
def test_configurations_are_read_back(name: str, tmp_path: Path) -> None:
    """A leaf port with an address and no VLAN is a routed one."""
    source = INVENTORY / name
    assert run("render", source, "--out", tmp_path / "out").code == 0
    ended = run(
        "import",
        "configs",
        tmp_path / "out/switches",
        "--out",
        tmp_path / "in",
        "--base",
        source,
        "--hosts",
        "gpu[001-004]",
    )
    assert ended.code == 0, ended.err
    back = Project(tmp_path / "in")
    assert [unit.vlan_per for unit in back.intent.fabric.units] == [
        unit.vlan_per for unit in Project(source).intent.fabric.units
    ]
    mine, other = (
        {port: row for port, row in addresses(project).items() if "rail" in port[0]}
        for project in (back, Project(source))
    )
    assert mine == other


def unit(*ports: tuple[str, str, int | None]) -> Plant:
    """Return a unit whose NICs have an address, their leaf another one, and perhaps a VLAN."""
    hosts = [f"gpu{number}" for number in range(len(ports))]
    return Plant(
        "x",
        (
            Device("leaf", "switch", "leaf", "su1"),
            *(Device(host, "host", unit="su1") for host in hosts),
        ),
        tuple(
            Cable.between((host, "eth0"), ("leaf", f"{n}"), addresses=("", leaf), vlan=vlan)
            for n, (host, (_, leaf, vlan)) in enumerate(zip(hosts, ports, strict=True))
        ),
        tuple(
            Nic(host, "eth0", 0, address=address)
            for host, (address, _, _) in zip(hosts, ports, strict=True)
        ),
    )


@each(
    ("ports", "reason"),
    [
        ([("10.0.0.1/31", "10.0.0.0/31", None), ("10.0.0.3/31", "10.0.0.2/31", None)], ""),
        ([("10.0.0.1/31", "", None)], ""),
        ([("10.0.0.2/28", "10.0.0.1/28", None)], ""),
        ([("10.0.0.1/31", "10.0.0.0/31", 7)], "1 of 1 are in VLANs"),
        (
            [("10.0.0.1/31", "", None), ("10.0.1.2/24", "", None)],
            "subnets are /24 and /31, and a unit has one length",
        ),
        ([("10.0.0.1/31", "", None), ("10.0.0.0/31", "", None)], "several NICs are in one subnet"),
    ],
)
def test_which_unit_is_routed(ports: list[tuple[str, str, int | None]], reason: str) -> None:
    plant = unit(*ports)
    assert routed_units(plant) == (frozenset() if reason else {"su1"})
    assert misfits(plant) == ({"su1": reason} if reason else {})


@each(
    "ports",
    [
        [("10.0.0.2/28", "", None)],
        [("10.0.0.2/24", "10.0.0.1/24", None)],
        [("10.0.0.2/28", "10.0.0.1/28", 101)],
        [("", "", None)],
    ],
)
def test_vlans_whose_number_is_not_told_are_no_routed_ports(
    ports: list[tuple[str, str, int | None]],
) -> None:
    plant = unit(*ports)
    assert (routed_units(plant), misfits(plant)) == (frozenset(), {})


def test_a_source_without_addresses_says_so_where_the_base_has_routed_ports() -> None:
    plant = unit(("", "", None))
    (only,) = untaken(plant, {"routed_hosts": "10.96.0.0/16"})
    assert "the source has no addresses of any" in only[0]
    assert list(untaken(plant, {"routed_hosts": "10.96.0.0/16", "vlan_per": "none"})) == []
    assert list(untaken(plant, {})) == []


#: Pools of a fabric with eight rails: from little room for each rail to much.
POOLS = ("10.64.0.0/24", "10.64.0.0/22", "10.64.8.0/21", "10.64.0.0/12")


@each("pool", POOLS)
def test_the_pool_that_is_assumed_has_the_subnets_rail_by_rail(pool: str, tmp_path: Path) -> None:
    data = document(rails=8, addressing__vlan_per="none", addressing__hosts=pool)
    data["platforms"]["leaf"]["host_ports"] = 4
    data["host"] = {"gpus": 8, "interfaces": "eth[1-8]", "rdma_devices": "mlx5_[1-8]"}
    folder = tmp_path / pool.replace("/", "-")
    (folder / "source").mkdir(parents=True)
    (folder / "source/fabric.yaml").write_text(yaml.safe_dump(data))
    back = again(folder / "source", "json", folder)
    assert addresses(back) == addresses(Project(folder / "source"))


def test_subnets_that_no_pool_has_rail_by_rail_are_said() -> None:
    """They are numbered leaf by leaf here, and a rail has two leaves."""
    leaves = [Device(f"leaf{one}", "switch", role="leaf", rail=one % 2) for one in range(4)]
    hosts = [Device("a", "host", unit="su1"), Device("b", "host", unit="su2")]
    cables, nics = [], []
    for row, leaf in enumerate(leaves):
        host, interface = hosts[row // 2].name, f"eth{row % 2}"
        address = f"10.0.{row}.1/31"
        nics.append(Nic(host, interface, row % 2, address=address))
        ends = (host, interface), (leaf.name, "swp1")
        cables.append(Cable.between(*ends, addresses=("", f"10.0.{row}.0/31")))
    plant = Plant(devices=(*leaves, *hosts), cables=tuple(cables), nics=tuple(nics))
    section = pools(plant, {})
    [(message, fix)] = outside_rails(plant, section)
    assert message == (
        f"subnets of NICs on routed ports are outside the part of {section['hosts']} that their "
        "rail has (2 of 4): no pool has all of them rail by rail"
    )
    assert "ADR009" in fix
