"""Tenants: who has which NIC, addresses of their own pools, and inventories that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.topology.cabling import CableVerdict, Told, judge, planned_cables
from fabric.topology.tenants import UNASSIGNED
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.cases import each

ROOT = Path(__file__).parents[2] / "inventory"
EXAMPLE = yaml.safe_load((ROOT / "tenants/fabric.yaml").read_text())
RED, BLUE = EXAMPLE["tenants"]


def project(folder: Path, tenants: list[Any] | None = None, **changes: Any) -> Project:
    """Return the example with other tenants, and other fields of ``fabric.yaml``."""
    data = EXAMPLE | ({"tenants": tenants} if tenants is not None else {})
    for name, value in changes.items():
        data = data | {name: data.get(name, {}) | value if isinstance(value, dict) else value}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    return Project(folder)


def test_each_nic_has_a_tenant_or_is_in_quarantine() -> None:
    fabric = Project(ROOT / "tenants").fabric
    assert fabric.tenants
    owners = [fabric.tenants.name_of(row) for row in range(len(fabric.nics))]
    assert owners == ["red", "red", "blue", "blue", "red", "red", "blue", ""]
    assert fabric.tenants.quarantined.tolist() == [False] * 7 + [True]
    assert fabric.nics.enabled.tolist() == [True] * 7 + [False]


def test_without_quarantine_nothing_is_shut_down(tmp_path: Path) -> None:
    fabric = project(tmp_path, tenancy={"unassigned": "keep"}).fabric
    assert fabric.nics.enabled.all()
    assert fabric.tenants is not None
    assert int(fabric.tenants.of_nic[-1]) == UNASSIGNED


def test_a_leaf_has_the_vrfs_of_its_nics_alone() -> None:
    devices = Project(ROOT / "tenants").devices
    has = {name: [vrf.name for vrf in one.vrfs] for name, one in devices.items()}
    assert has == {
        "su1-rail0": ["Vrf17", "Vrf18"],
        "su1-rail1": ["Vrf17", "Vrf18"],
        "su2-rail0": ["Vrf17", "Vrf18"],
        "su2-rail1": ["Vrf17"],
        "spine01": [],
        "spine02": [],
    }
    leaf = devices["su1-rail0"]
    red = leaf.vrfs[0]
    assert (red.vni, red.route_target) == (50017, "65000:50017")
    assert red.route_distinguisher == f"{leaf.loopback}:17"
    assert leaf.networks_of("Vrf17") == ("10.64.0.0/31",)
    assert leaf.host_networks == ()
    spine = devices["spine01"].evpn
    assert spine is not None
    assert spine.source == ""
    assert [peer.name for peer in spine.sessions] == list(has)[:4]


def test_the_port_of_a_quarantined_nic_has_nothing() -> None:
    leaf = Project(ROOT / "tenants").devices["su2-rail1"]
    ports = {port.peer: port for port in leaf.ports if port.kind == "host"}
    shut = ports["gpu004"]
    assert (shut.quarantined, shut.enabled) == (True, False)
    assert (shut.vlan, shut.address, shut.vrf) == (None, "", "")
    assert (ports["gpu003"].quarantined, ports["gpu003"].vrf) == (False, "Vrf17")


def test_own_pools_keep_the_place_of_each_nic(tmp_path: Path) -> None:
    """Two tenants may have the same pool; a move within a tenant or of another moves nothing."""
    own = [RED | {"pools": ["10.96.0.0/16"]}, BLUE | {"pools": ["10.96.0.0/16"]}]
    before, after = Project(ROOT / "tenants").fabric, project(tmp_path, own).fabric
    by = int(np.int64(32 << 16))
    assert after.tenants is not None
    mine = after.tenants.of_nic != UNASSIGNED
    assert (after.nics.address[mine] - before.nics.address[mine] == by).all()
    assert (after.nics.address[~mine] == before.nics.address[~mine]).all()
    nic = project(tmp_path, own).hosts["gpu001"].nics[0]
    assert nic.gateway == "10.96.0.0"
    assert nic.addresses[0].pools == ("10.96.0.0/16",)


def test_a_file_for_each_tenant(tmp_path: Path) -> None:
    (tmp_path / "tenants").mkdir()
    (tmp_path / "tenants/blue.yaml").write_text(yaml.safe_dump({"tenants": [BLUE]}))
    fabric = project(tmp_path, [RED]).fabric
    assert fabric.tenants is not None
    assert fabric.tenants.names == ("red", "blue")


def test_services_join_vrfs_where_the_service_is(tmp_path: Path) -> None:
    tenants = [
        RED | {"services": ["store"]},
        {"name": "store", "id": 3, "hosts": "gpu002", "shared": True},
    ]
    devices = project(tmp_path, tenants).devices
    joined = {name: [(v.name, v.imports) for v in one.vrfs] for name, one in devices.items()}
    assert joined["su1-rail0"] == [("Vrf3", ("Vrf17",)), ("Vrf17", ("Vrf3",))]
    assert joined["su2-rail0"] == [("Vrf17", ())]


def test_a_cable_in_quarantine_is_not_checked_whatever_is_seen() -> None:
    fabric = Project(ROOT / "tenants").fabric
    planned = planned_cables(fabric)
    down = {end: Told(up=False) for cable in planned for end in (cable.near, cable.far)}
    verdicts = {judged.near: judged.verdict for judged in judge(planned, down)}
    assert verdicts[("gpu004", "eth2")] == "not checked: quarantine"
    assert verdicts[("gpu004", "eth1")] is CableVerdict.MISSING


#: Tenants and other fields, and what the message says: the rule, the place, the fault.
WRONG: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "a host in two tenants": (
        [RED, BLUE | {"hosts": "gpu[001-002]"}],
        {},
        "fabric.tenants[1].hosts: tenant blue: rail 0 of gpu001 is in tenant red too (and 1 more)",
    ),
    "a NIC in two tenants": (
        [RED, {"name": "b", "id": 2, "nics": {"gpu003": [1]}}],
        {},
        "fabric.tenants[1].nics.gpu003: tenant b: rail 1 of gpu003 is in tenant red too; remove it",
    ),
    "a NIC twice": (
        [RED | {"nics": {"gpu001": [0]}}],
        {},
        "tenant red: rail 0 of gpu001 is listed twice",
    ),
    "a rail twice": (
        [{"name": "b", "id": 2, "nics": {"gpu001": [1, 1]}}],
        {},
        "fabric.tenants[0].nics.gpu001: tenant b: rail 1 of gpu001 is listed twice; remove it",
    ),
    "a service twice": (
        [RED | {"services": ["store", "store"]}, BLUE | {"name": "store", "shared": True}],
        {},
        "fabric.tenants[0].services[1]: tenant red: service 'store' is listed twice; remove it",
    ),
    "itself as a service": (
        [RED | {"services": ["red"]}],
        {},
        "fabric.tenants[0].services[0]: tenant red: it names itself as a service; remove it",
    ),
    "no such host": ([RED | {"hosts": "gpu009"}], {}, "there is no host 'gpu009'; known: gpu[001-"),
    "no such hosts": (
        [RED | {"hosts": "gpu[000009-999999]"}],
        {},
        "there is no host 'gpu[000009-010008]' (and 989,991 more); ",
    ),
    "no such rail": (
        [{"name": "b", "id": 2, "nics": {"gpu001": [2]}}],
        {},
        "fabric.tenants[0].nics.gpu001: tenant b: gpu001 has no rail 2; the fabric has 2",
    ),
    "an id twice": (
        [RED, BLUE | {"id": 17}],
        {},
        "fabric.tenants[1].id: tenant blue: id 17 stands at",
    ),
    "a name twice": ([RED, BLUE | {"name": "red"}], {}, "name 'red' stands at"),
    "an id that was used": (
        [RED],
        {"tenancy": {"retired": [17]}},
        "id 17 was that of a removed tenant, and switches may hold it",
    ),
    "nothing keeps them apart": ([RED], {"tenancy": None}, "add tenancy.form: evpn or local"),
    "a prefix of a leaf": (
        [RED],
        {"addressing": {"advertise": "leaf"}},
        "fabric.addressing.advertise",
    ),
    "no such service": ([RED | {"services": ["db"]}], {}, "there is no service 'db'"),
    "a service that is not shared": (
        [RED | {"services": ["blue"]}, BLUE],
        {},
        "fabric.tenants[0].services[0]: tenant red: blue is not shared; set shared: true on blue",
    ),
    "overlapping pools with a common service": (
        [
            RED | {"pools": ["10.96.0.0/16"], "services": ["s"]},
            BLUE | {"pools": ["10.96.0.0/16"], "services": ["s"]},
            {"name": "s", "id": 3, "shared": True},
        ],
        {},
        "fabric.tenants[1].pools: tenant blue: its pools overlap with those of red, and a service",
    ),
    "a pool of another length": (
        [RED | {"pools": ["10.96.0.0/17"]}],
        {},
        "10.96.0.0/17 is not of the length of 10.64.0.0/16, in whose place it is; use a /16",
    ),
    "a VLAN of two tenants": (
        [RED, BLUE],
        {"addressing": {"vlan_per": "rail"}},
        "and 2 more is shared with tenant red; use addressing.vlan_per: none, or nic, or",
    ),
    "a VLAN of two tenants, with fields of VLANs": (
        [RED, BLUE],
        {"addressing": {"vlan_per": "rail", "host_prefix_length": 24, "vlan_first": 101}},
        "use addressing.vlan_per: none (without host_prefix_length and vlan_first), or nic, or",
    ),
    "a name of 16 characters": ([RED | {"name": "sixteen-letters1"}], {}, "fabric.tenants[0].name"),
    "an id of 17 bits": ([RED | {"id": 65_536}], {}, "fabric.tenants[0].id"),
}


@each("name", WRONG)
def test_wrong_tenants(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    tenants, changes, message = WRONG[name]
    with pytest.raises(InputError) as caught:
        _ = project(tmp_path_factory.mktemp("wrong"), tenants, **changes).fabric
    texts = [str(finding) for finding in caught.value.findings]
    assert any(message in text for text in texts), (name, texts)
    assert all("fabric.yaml:" in text for text in texts), texts


def test_two_tenants_may_have_the_same_addresses(tmp_path: Path) -> None:
    """Overrides give a NIC of blue the subnet of one of red; in one tenant that is an error."""
    file = tmp_path / "devices" / "own.yaml"
    file.parent.mkdir()
    both = [RED | {"pools": ["10.96.0.0/16"]}, BLUE | {"pools": ["10.96.0.0/16"]}]
    for name, slot, rules in (("blue", 1, set()), ("red", 0, {"ADR002", "ADR007"})):
        leaf, network = ("su1-rail0", "10.96.0.0/31") if slot else ("su2-rail0", "10.96.0.0/31")
        subnet = {"slot": slot, "network": network}
        file.write_text(yaml.safe_dump({"devices": [{"names": leaf, "subnets": [subnet]}]}))
        inventory = project(tmp_path, both)
        nics = {host: one.nics[0].address for host, one in inventory.hosts.items()}
        assert nics["gpu002" if slot else "gpu003"] == nics["gpu001"] == "10.96.0.1", name
        found = {finding.rule for finding in check(inventory).at_least(Severity.ERROR)}
        assert found == rules, name
