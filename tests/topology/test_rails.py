"""The rail of a NIC by what LLDP tells at one end of its cable, at both, or at neither."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.cabling import Told, planned_cables
from fabric.topology.rails import NicRail, RailState, rails_by_lldp
from tests.cases import examples
from tests.topology.fabrics import fabric

if TYPE_CHECKING:
    from fabric.topology import Fabric
    from fabric.topology.cabling import End

NIC, OTHER = ("a1", "eth1"), ("a2", "eth1")
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
HOME, CROSSED, FAR = ("su1-rail0", "P1"), ("su1-rail1", "P1"), ("su2-rail0", "P1")


@cache
def built() -> Fabric:
    return fabric(
        rails=2,
        units=[{"name": "su1", "hosts": "a[1-2]"}, {"name": "su2", "hosts": "b[1-2]"}],
        host={"gpus": 2, "interfaces": "eth[1-2]", "rdma_devices": "mlx5_[1-2]"},
    )


@cache
def planned() -> dict[End, End]:
    return {cable.near: cable.far for cable in planned_cables(built()) if cable.rail is not None}


def end_of(word: End) -> End:
    """Return the port of a leaf: P1 and P2 are those of its first and second host."""
    leaf, port = word
    ports = sorted({far for far in planned().values() if far[0] == leaf}, key=lambda far: far[1])
    return ports[int(port[1]) - 1] if port.startswith("P") else word


def judged(reports: dict[End, Told], nic: End = NIC, **times: datetime | None) -> NicRail:
    seen = dict.fromkeys((end[0] for end in reports), NOON) | times
    every = rails_by_lldp(built(), reports, seen)
    assert len(every) == len(planned())
    return next(one for one in every if (one.host, one.interface) == nic)


CASES: dict[str, tuple[dict[End, tuple[End, ...]], RailState]] = {
    "both ends": ({NIC: (HOME,), HOME: (NIC,)}, RailState.ON_RAIL),
    "the host alone": ({NIC: (HOME,)}, RailState.ON_RAIL),
    "the leaf alone": ({HOME: (NIC,)}, RailState.ON_RAIL),
    "the leaf sees nothing": ({NIC: (HOME,), HOME: ()}, RailState.ON_RAIL),
    "the host sees nothing": ({NIC: (), HOME: (NIC,)}, RailState.ON_RAIL),
    "another port of the leaf": (
        {NIC: (("su1-rail0", "P2"),), ("su1-rail0", "P2"): (NIC,)},
        RailState.ON_RAIL,
    ),
    "a port without a name": ({NIC: (("su1-rail0", ""),)}, RailState.ON_RAIL),
    "a port that only the leaf names": (
        {NIC: (("su1-rail0", ""),), HOME: (NIC,)},
        RailState.ON_RAIL,
    ),
    "the leaf knows the host only": ({NIC: (HOME,), HOME: (("a1", ""),)}, RailState.ON_RAIL),
    "another program of the host": (
        {NIC: (HOME, ("printer", "x")), HOME: (NIC,)},
        RailState.ON_RAIL,
    ),
    "another rail": ({NIC: (CROSSED,), CROSSED: (NIC,)}, RailState.WRONG_RAIL),
    "another rail by the leaf": ({CROSSED: (NIC,)}, RailState.WRONG_RAIL),
    "another rail without a port": ({NIC: (("su1-rail1", ""),)}, RailState.WRONG_RAIL),
    "the rail of another unit": ({NIC: (FAR,), FAR: (NIC,)}, RailState.WRONG_LEAF),
    "a stranger": ({NIC: (("printer", "x"),)}, RailState.WRONG_LEAF),
    "a spine": ({NIC: (("spine01", "Ethernet1/1"),)}, RailState.WRONG_LEAF),
    "host and leaf disagree": ({NIC: (HOME,), CROSSED: (NIC,)}, RailState.DISAGREE),
    "the leaf sees another NIC": ({NIC: (HOME,), HOME: (OTHER,)}, RailState.DISAGREE),
    "two leaves see it": ({HOME: (NIC,), CROSSED: (NIC,)}, RailState.DISAGREE),
    "the host is known, its NIC is not": ({HOME: (("a1", ""),)}, RailState.NOT_SEEN),
    "neither end sees it": ({NIC: (), HOME: ()}, RailState.NOT_SEEN),
    "nothing was read": ({OTHER: ()}, RailState.NOT_SEEN),
}


@pytest.mark.parametrize("name", CASES)
def test_the_ends_of_a_cable(name: str) -> None:
    told, expected = CASES[name]
    reports = {
        end_of(end): Told(tuple(end_of(other) for other in seen)) for end, seen in told.items()
    }
    assert judged(reports).state is expected


@pytest.mark.parametrize("down", [NIC, HOME], ids=["host", "leaf"])
def test_a_port_without_link_has_no_rail(down: End) -> None:
    home = end_of(HOME)
    reports = {NIC: Told((home,)), home: Told((NIC,))}
    reports[end_of(down)] = Told(reports[end_of(down)].neighbours, up=False)
    assert judged(reports).state is RailState.NO_LINK


def test_a_leaf_port_without_link_says_it_where_nothing_is_seen() -> None:
    assert judged({end_of(HOME): Told(up=False)}).state is RailState.NO_LINK
    assert judged({end_of(HOME): Told(up=True)}).state is RailState.NOT_SEEN


def test_a_leaf_of_all_rails_needs_its_port() -> None:
    both = fabric(
        design="classic-tor",
        rails=2,
        units=[{"name": "su1", "hosts": "a[1-2]"}],
        host={"gpus": 2, "interfaces": "eth[1-2]", "rdma_devices": "mlx5_[1-2]"},
    )
    home = {cable.near: cable.far for cable in planned_cables(both)}[NIC]
    for end, expected in (
        (home, RailState.ON_RAIL),
        ((home[0], ""), RailState.NOT_SEEN),
    ):
        first = rails_by_lldp(both, {NIC: Told((end,))}, {NIC[0]: NOON})[0]
        assert (first.host, first.interface, first.state) == (*NIC, expected)


def test_the_older_reading_counts_and_a_reading_without_time_does_not() -> None:
    home = end_of(HOME)
    reports = {NIC: Told((home,)), home: Told((NIC,))}
    earlier = NOON - timedelta(seconds=20)
    times: dict[str, datetime | None] = {home[0]: earlier}
    assert judged(reports, **times).read_at == earlier
    undated = judged(reports, **{home[0]: None})
    assert (undated.state, undated.read_at) == (RailState.NO_TIME, None)


@given(st.permutations(range(8)), st.sets(st.sampled_from(range(8))))
@examples(50)
def test_a_nic_is_on_its_rail_where_its_cable_ends_at_its_leaf(
    order: list[int], silent: set[int]
) -> None:
    """Whatever the cables are, and whichever hosts tell nothing."""
    nics, ends = list(planned()), list(planned().values())
    cables = {nic: ends[place] for nic, place in zip(nics, order, strict=True)}
    reports = {end: Told((nic,)) for nic, end in cables.items()}
    reports |= {nic: Told((cables[nic],)) for row, nic in enumerate(nics) if row not in silent}
    for one in rails_by_lldp(
        built(), reports, dict.fromkeys(["a1"], NOON) | {end[0]: NOON for end in ends}
    ):
        nic = (one.host, one.interface)
        assert one.is_on_rail == (cables[nic][0] == planned()[nic][0])
        assert one.seen == cables[nic]
