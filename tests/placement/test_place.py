"""Placement: each rank once, the fewest units, the tightest of them, and reasons."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.host import HostDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.placement.place import Placement, UnplaceableError, place
from fabric.topology import Fabric
from tests.cases import examples
from tests.topology.fabrics import EXAMPLES, example, fabric


@st.composite
def requests(draw: st.DrawFn) -> tuple[Fabric, int, int, set[str], set[str]]:
    """Return a fabric, nodes, GPUs per node, excluded hosts and hosts with a NIC that is off."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rails = draw(st.integers(1, 3))
    gpus = draw(st.integers(rails, 6))
    hosts = [f"u{unit}h{slot}" for unit, size in enumerate(sizes) for slot in range(1, size + 1)]
    off = draw(st.sets(st.sampled_from(hosts), max_size=2))
    overrides = "".join(
        f"  - {{names: {name}, nics: [{{rail: 0, enabled: false}}]}}\n" for name in off
    )
    built = fabric(
        "",
        f"hosts:\n{overrides}" if off else "",
        units=[
            {"name": f"su{unit}", "hosts": f"u{unit}h[1-{size}]"} for unit, size in enumerate(sizes)
        ],
        rails=rails,
        host__gpus=gpus,
        design=draw(st.sampled_from(["rail-optimised", "classic-tor"])),
    )
    excluded = draw(st.sets(st.sampled_from(hosts), max_size=4))
    return built, draw(st.integers(1, len(hosts))), draw(st.integers(1, gpus)), excluded, off


def _free(built: Fabric, unusable: set[str]) -> list[int]:
    units = [unit for unit, _ in enumerate(built.intent.fabric.units)]
    names = zip(built.hosts.names, built.hosts.unit.tolist(), strict=True)
    usable = [unit for name, unit in names if name not in unusable]
    return [usable.count(unit) for unit in units]


def test_a_job_on_one_host_has_the_target_as_bound() -> None:
    """Loads below the target count as equal (docs/jobs.md)."""
    answer = place(example("demo"), 1, 2).answer
    assert (answer.cost, answer.bound, answer.gap) == (0.0, 1.0, 0.0)


@examples(80)
@given(requests())
def test_any_request(request: tuple[Fabric, int, int, set[str], set[str]]) -> None:
    """What must hold of every answer, and when there must be none."""
    built, nodes, gpus, excluded, off = request
    free = _free(built, excluded | off)
    if sum(free) < nodes:
        with pytest.raises(UnplaceableError):
            place(built, nodes, gpus, excluded)
        return
    result = place(built, nodes, gpus, excluded)
    assert result == place(built, nodes, gpus, sorted(excluded))
    assert len(result.hosts) == len(set(result.hosts)) == nodes
    assert not set(result.hosts) & (excluded | off)
    assert [rank.rank for rank in result.ranks] == list(range(nodes * gpus))
    assert [(rank.host, rank.local_rank) for rank in result.ranks] == [
        (host, gpu) for host in result.hosts for gpu in range(gpus)
    ]
    _check_units(result, free, nodes)
    _check_rails(built, result)


def _check_units(result: Placement, free: list[int], nodes: int) -> None:
    assert [host for hosts in result.units.values() for host in hosts] == list(result.hosts)
    fewest = next(
        count
        for count in range(1, len(free) + 1)
        if any(sum(part) >= nodes for part in combinations(free, count))
    )
    assert len(result.units) == fewest
    assert result.spine_crossings == (fewest if fewest > 1 else 0)
    if fewest == 1:
        (unit,) = result.units
        assert free[int(unit.removeprefix("su"))] == min(size for size in free if size >= nodes)


def _check_rails(built: Fabric, result: Placement) -> None:
    designer = HostDesigner(built, PolicyResolver(built.intent))
    for rank in result.ranks:
        nic = designer.design(built.host_row[rank.host]).nics[rank.rail]
        assert rank.gpu in nic.gpus
        assert nic.enabled
        assert (rank.interface, rank.rdma_device, rank.leaf) == (
            nic.interface,
            nic.rdma_device,
            nic.leaf,
        )
    assert result.rails == tuple(sorted({rank.rail for rank in result.ranks}))


UNEVEN = {
    "units": [
        {"name": "su1", "hosts": "a[1-4]"},
        {"name": "su2", "hosts": "b[1-2]"},
        {"name": "su3", "hosts": "c[1-3]"},
    ]
}


@pytest.mark.parametrize(
    ("nodes", "excluded", "hosts", "reason"),
    [
        (
            2,
            (),
            "b1 b2",
            "su2 is the tightest unit that holds the job; no traffic crosses the spines",
        ),
        (
            2,
            ("b1",),
            "c1 c2",
            "su3 is the tightest unit that holds the job; no traffic crosses the spines",
        ),
        (
            5,
            (),
            "a1 a2 a3 a4 b1",
            (
                "2 units (su[1-2]); the fullest link is that of a NIC (1.00 of line rate); ranks "
                "are ordered unit by unit, so that a ring leaves each unit once on each rail"
            ),
        ),
        (
            7,
            ("a2",),
            "a1 a3 a4 b1 c1 c2 c3",
            (
                "3 units (su[1-3]); the fullest link is that of a NIC (1.00 of line rate); ranks "
                "are ordered unit by unit, so that a ring leaves each unit once on each rail"
            ),
        ),
    ],
)
def test_choices_by_hand(nodes: int, excluded: tuple[str, ...], hosts: str, reason: str) -> None:
    """With the reason, word for word."""
    result = place(fabric(**UNEVEN), nodes, 2, excluded)
    assert (" ".join(result.hosts), result.reason) == (hosts, reason)


@pytest.mark.parametrize(
    ("nodes", "gpus", "excluded", "expected"),
    [
        (
            0,
            1,
            (),
            "nodes: a job needs at least one node and one GPU; increase the number [PLC031]",
        ),
        (
            1,
            0,
            (),
            "nodes: a job needs at least one node and one GPU; increase the number [PLC031]",
        ),
        (
            1,
            3,
            (),
            (
                "gpus_per_node: 3 GPUs per node are needed, but the hosts have 2; use 2 nodes "
                "with 2 GPUs each for 3 GPUs [PLC031]"
            ),
        ),
        (
            9,
            3,
            (),
            (
                "gpus_per_node: 3 GPUs per node are needed, but the hosts have 2; request at most "
                "2 GPUs per node; the fabric has 18 GPUs on 9 nodes [PLC031]"
            ),
        ),
        (
            10,
            2,
            (),
            (
                "nodes: 10 hosts are needed, but the fabric has 9; request at most 9 nodes: with 2 "
                "GPUs each they have 18 [PLC001]"
            ),
        ),
        (
            1,
            2,
            ("zz", "a1"),
            "exclude: there is no host 'zz'; `rocefab show hosts` lists them [PLC031]",
        ),
        (
            9,
            2,
            ("a1", "b2"),
            (
                "9 hosts are needed, but only 6 of 9 are free (2 excluded, 1 without a NIC of the "
                "rails in "
                "use); request fewer nodes or exclude fewer hosts [PLC001]"
            ),
        ),
        (
            8,
            1,
            ("a1", "b2"),
            (
                "8 hosts are needed, but only 7 of 9 are free (2 excluded); request fewer nodes "
                "or exclude fewer hosts [PLC001]"
            ),
        ),
    ],
)
def test_why_not(nodes: int, gpus: int, excluded: tuple[str, ...], expected: str) -> None:
    """Exact messages."""
    built = fabric("", "hosts:\n  - {names: c2, nics: [{rail: 1, enabled: false}]}\n", **UNEVEN)
    with pytest.raises(UnplaceableError) as caught:
        place(built, nodes, gpus, excluded)
    assert [str(finding) for finding in caught.value.findings] == [expected]


def test_a_rail_that_is_off_hurts_only_who_needs_it() -> None:
    """Half of the GPUs use half of the rails."""
    built = fabric("", "hosts:\n  - {names: 'a[1-3]', nics: [{rail: 1, enabled: false}]}\n")
    assert place(built, 3, 1).hosts == ("a1", "a2", "a3")
    assert place(built, 2, 2).hosts == ("b1", "b2")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_whole_fabric(name: str) -> None:
    """Every GPU of the examples."""
    built = example(name)
    gpus = built.intent.fabric.host.gpus
    result = place(built, len(built.hosts), gpus)
    assert result.hosts == built.hosts.names
    assert result.rails == tuple(range(built.rails))
    assert len(result.ranks) == len(built.hosts) * gpus
