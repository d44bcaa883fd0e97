"""What a collective should reach follows from the links that are up."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.collective.expected import expected, payload_share
from fabric.collective.flows import MemberPorts, crossings
from fabric.collective.published import LEAST, USUAL, CollectiveKind
from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.state import Condition, Health, State
from fabric.placement.engine.traffic import parse_traffic
from fabric.topology.clos import clos
from fabric.workflow.expect import expect
from fabric.workflow.project import Project
from tests.cli.runs import ROOT

RAIL = ROOT / "inventory/rail-512"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project(RAIL)


def reduced(project: Project, hosts: str = "", **more: str) -> float:
    return expect(project, hosts, **more).rows[0].expected_gbyte_s  # type: ignore[arg-type]


def test_a_ring_reaches_what_the_nics_carry_of_payload(project: Project) -> None:
    row = expect(project, "gpu[001-016]").rows[0]
    assert row.ceiling_gbyte_s == pytest.approx(8 * 400 / 8 * 4096 / 4178)
    assert row.expected_gbyte_s == pytest.approx(row.ceiling_gbyte_s * USUAL)
    assert row.least_gbyte_s == pytest.approx(
        row.ceiling_gbyte_s * LEAST[CollectiveKind.ALL_REDUCE]
    )
    assert (row.rails, row.limit) == (8, "NICs")


def test_a_rail_that_one_host_has_lost_carries_nothing(project: Project) -> None:
    row = expect(project, "gpu[001-016]", failures=["link:su1-rail3:Ethernet0"]).rows[0]
    assert row.rails == 7
    assert row.ceiling_gbyte_s == pytest.approx(7 * 50 * payload_share(project.fabric))


def test_hosts_that_alternate_between_units_load_the_uplinks(project: Project) -> None:
    hosts = ",".join(f"gpu{i:03},gpu{i + 32:03}" for i in range(1, 33))
    block, spread = reduced(project), reduced(project, hosts)
    assert spread < 0.8 * block
    drained = reduced(project, hosts, failures=["switch:spine[01-06]"])
    assert drained < 0.5 * spread, "a quarter of the uplinks is left"


def test_without_a_path_nothing_is_expected(project: Project) -> None:
    row = expect(project, failures=["switch:spine[01-08]"]).rows[0]
    assert (row.expected_gbyte_s, row.limit) == (0, "no path between leaves")
    assert expect(project, "gpu[001-032]", failures=["switch:spine[01-08]"]).rows[0].rails == 8


def test_nvlink_may_be_the_limit(project: Project) -> None:
    fabric = project.fabric
    row = expected(fabric, clos(fabric), range(4), nvlink_gbyte_s=100.0)
    assert (row.even_gbyte_s, row.limit) == (100.0, "NVLink")


def test_all_to_all_is_held_up_by_over_subscription(project: Project) -> None:
    whole = expect(project).rows[1]
    half = expect(project, failures=["switch:spine[01-06]"]).rows[1]
    assert whole.kind is CollectiveKind.ALL_TO_ALL
    # a quarter of the uplinks, of which 32 of 63 destinations need one
    assert half.even_gbyte_s / whole.ceiling_gbyte_s == pytest.approx(0.25 / (32 / 63))
    assert half.limit != "NICs"


def test_a_ring_crosses_once_where_the_leaf_changes() -> None:
    ends = MemberPorts(np.array([[5], [5], [7], [7]]), np.full((4, 1), 400.0))
    assert [
        (one.leaf, one.flows, one.gbps) for one in crossings(CollectiveKind.ALL_REDUCE, ends)
    ] == [
        (5, 1, 400.0),
        (7, 1, 400.0),
    ]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"hosts": "gpu001"}, "needs two hosts"),
        ({"hosts": "gpu[001-002],gpu001"}, "named twice"),
        ({"hosts": "gpu001,nobody"}, "there is no host 'nobody'"),
        ({"rails": "0,8"}, "is not a list of rails"),
    ],
    ids=["one host", "a host twice", "an unknown host", "an unknown rail"],
)
def test_what_is_wrong_is_named(project: Project, more: dict[str, str], words: str) -> None:
    with pytest.raises(InputError) as caught:
        expect(project, **more)  # type: ignore[arg-type]
    assert words in " ".join(finding.message for finding in caught.value.findings)


#: Inventory, hosts, and switches that are down; what limits an all-to-all.
PATHS = {
    "pods, all up": ("three-tier", "", (), "east-spine01 -> core01"),
    "one of two super-spines of a lane": ("three-tier", "", ("core01",), "east-spine01 -> core03"),
    "a lane down": ("three-tier", "", ("core01", "core03"), "east-spine02 -> core02"),
    "a spine of one pod": ("three-tier", "", ("west-spine02",), "east-spine01 -> core01"),
    "inside a pod": ("three-tier", "gpu[01-08]", ("core01", "core03"), "NICs"),
    "one tier": ("rail-512", "", ("spine01", "spine02", "spine03"), "NICs"),
    "a quarter of the spines": (
        "rail-512",
        "",
        tuple(f"spine{number:02}" for number in range(1, 7)),
        "su1-rail0",
    ),
    "a leaf with fewer cables to one spine": (
        "rail-512",
        "",
        tuple(f"su1-rail0:Ethernet{port}" for port in range(256, 460, 8)),
        "spine07 -> su1-rail0",
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_an_all_to_all_takes_the_paths_of_place(name: str) -> None:
    inventory, hosts, down, limit = PATHS[name]
    project = Project(ROOT / "inventory" / inventory)
    names = tuple(hostlist.expand(hosts)) if hosts else project.fabric.hosts.names
    state = State(tuple(Condition(subject, Health.DOWN) for subject in down))
    query = Query(len(names), traffic=parse_traffic("all-to-all"), hosts=names)
    load = Engine(project.fabric, state).place(query).load
    failures = [f"link:{subject}" if ":" in subject else f"switch:{subject}" for subject in down]
    row = expect(project, hosts, failures=failures).rows[1]
    assert row.ceiling_gbyte_s / row.even_gbyte_s == pytest.approx(max(load, 1.0))
    assert row.limit == limit


TENANTS = ROOT / "inventory/tenants"
#: Hosts that tenants keep apart, and what is said of them.
APART = {
    "": "gpu[001,003] are of tenant red, gpu[002,004] of blue, gpu004 in quarantine",
    "gpu[001-002]": "gpu001 is of tenant red, gpu002 of blue",
}


@pytest.mark.parametrize("hosts", APART)
def test_nothing_is_expected_between_tenants(hosts: str) -> None:
    with pytest.raises(InputError) as caught:
        expect(Project(TENANTS), hosts)
    assert str(caught.value.findings[0]) == f"{APART[hosts]}; name hosts of one tenant [BWT001]"


def test_a_rail_of_another_tenant_carries_nothing() -> None:
    assert expect(Project(TENANTS), "gpu[001,003]").rows[0].rails == 2
    assert expect(Project(TENANTS), "gpu[002,004]").rows[0].rails == 1
