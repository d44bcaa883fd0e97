"""show and place: tables and data that people and schedulers read."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from fabric.placement.job import JobRequest
from fabric.report import inventory as show
from fabric.report.platforms import platforms
from fabric.report.table import Table
from fabric.workflow.place import place
from fabric.workflow.project import Project

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def demo() -> Project:
    return Project(ROOT / "inventory" / "demo")


def rows(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def test_topology(demo):
    first, *_, last = rows(show.topology(demo))
    assert (first["switch"], first["role"], first["nos"]) == ("su1-rail0", "leaf", "sonic")
    assert (first["unit"], first["rail"], first["asn"], first["nics"]) == ("su1", 0, 65101, 2)
    assert (last["switch"], last["nos"], last["unit"], last["links"]) == ("spine02", "eos", "-", 4)


def test_links_name_both_ends_once(demo):
    result = rows(show.links(demo))
    assert len(result) == 8 + 8
    ends = [(row["device"], row["port"]) for row in result]
    ends += [(row["peer"], row["peer_port"]) for row in result]
    assert len(set(ends)) == len(ends)


def test_addresses_are_unique(demo):
    results = [row["address"] for row in rows(show.addresses(demo))]
    assert len(set(results)) == len(results)
    assert "10.64.0.1/24" in results


def test_addresses_of_both_families(tmp_path):
    copytree(ROOT / "inventory/dual-stack", tmp_path / "dual")
    (tmp_path / "dual/devices").mkdir()
    subnets = "subnets: [{rail: 0, slot: 1, ipv6: 'fd00:64:0:9::/127'}]"
    (tmp_path / "dual/devices/own.yaml").write_text(f"devices: [{{names: su1-rail0, {subnets}}}]\n")
    project = Project(tmp_path / "dual")
    found = {row["address"]: row for row in rows(show.addresses(project))}
    assert len(found) == len(rows(show.addresses(project)))
    assert found["10.64.0.1/31"]["use"] == found["fd00:64::21/127"]["use"] == "nic"
    assert found["fd00:64:0:9::/127"]["set_by"] == "inventory"
    assert found["fd00:64::20/127"]["set_by"] == "design"
    assert found["fd00:65::3/127"]["use"] == "uplink"
    gateways = [row for row in found.values() if row["use"] == "gateway"]
    assert len(gateways) == 2 * len(project.fabric.nics.host)


def test_an_address_that_a_nic_makes_is_its_subnet(tmp_path):
    copytree(ROOT / "inventory/ipv6", tmp_path / "slaac")
    file = tmp_path / "slaac/fabric.yaml"
    plan = '"fd00:64::/48"'
    text = file.read_text().replace(plan, f"{plan}, assignment: slaac")
    file.write_text(text)
    project = Project(tmp_path / "slaac")
    (nic, *_) = (row for row in rows(show.addresses(project)) if row["use"] == "nic")
    assert (nic["address"], nic["set_by"]) == ("fd00:64::/64", "NIC")
    (host, *_) = rows(show.hosts(project))
    assert host["address"] == nic["address"]


def test_hosts_map_gpus_to_leaves(demo):
    first = rows(show.hosts(demo))[0]
    assert (first["host"], first["rail"], first["rdma"], first["gpus"]) == (
        "gpu001",
        0,
        "mlx5_1",
        "0",
    )
    assert (first["leaf"], first["leaf_port"]) == ("su1-rail0", "Ethernet0")


def test_platforms_say_what_is_unknown():
    results = {row["sku"]: row for row in rows(platforms())}
    assert results["ACS-SN5600"]["headroom_table"] == "24 rows"
    assert results["7060X6-64PE"]["pool_sizes"] == "unknown"


def test_place_as_data(demo):
    result = place(demo, JobRequest(nodes=2, exclude="gpu001"))
    assert result["hosts"] == ["gpu003", "gpu004"]
    assert result["environment"]["NCCL_IB_HCA"] == "=mlx5_1,mlx5_2"
    assert result["environment_by_host"] == {}
    assert [rank["rank"] for rank in result["ranks"]] == [0, 1, 2, 3]
    assert set(result["environment"]) == set(result["environment_reasons"])
