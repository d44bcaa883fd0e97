"""Pairs that are probed, their rounds, what is accepted, commands, and common causes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.parsers import UnreadableError
from fabric.observe.probe_output import bandwidth_gbps, ping, rping
from fabric.probe.reach import commands
from fabric.probe.reach.causes import causes
from fabric.probe.reach.commands import Marking, ProbeEnd, ceiling_gbps, fairness, needed_gbps
from fabric.probe.reach.incast import incasts
from fabric.probe.reach.plan import CLASSES, SAME_LEAF, Ends, kind_of, pairs, probes, rounds
from tests.cases import examples
from tests.topology.fabrics import example, fabric


def regular(units, slots, rails, *, classic=False):
    """Return the NICs of a fabric whose units are alike."""
    grid = np.meshgrid(np.arange(units), np.arange(slots), np.arange(rails), indexing="ij")
    unit, slot, rail = (axis.ravel() for axis in grid)
    leaf = unit if classic else unit * rails + rail
    return Ends(np.arange(len(unit)), unit * slots + slot, rail, unit, leaf, np.zeros_like(leaf))


@st.composite
def irregular(draw):
    """Return NICs of which any may be missing or cabled to another leaf."""
    whole = regular(draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    size = len(whole.row)
    kept = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=bool)
    leaf = whole.leaf.copy()
    for place, other in draw(st.dictionaries(st.integers(0, size - 1), st.integers(0, 5))).items():
        leaf[place] = other
    island = leaf % draw(st.integers(1, 3))
    found = Ends(*(column[kept] for column in whole._replace(leaf=leaf, island=island)))
    return found._replace(row=np.arange(kept.sum()))


def possible(ends):
    """Return by class which NICs have any partner: every pair is looked at."""
    size = len(ends.row)
    every = np.arange(size)
    rows = [kind_of(ends, np.full(size, n), every) for n in range(size)]
    table = np.array(rows).reshape(size, size)
    return [(table == kind).any(axis=1) for kind in range(len(CLASSES))]


@given(irregular())
@examples(200)
def test_each_nic_is_source_and_target_in_each_class_where_it_can(ends):
    source, target, kind = pairs(ends)
    assert (kind_of(ends, source, target) == kind).all()
    assert (ends.host[source] != ends.host[target]).all()
    assert (ends.island[source] == ends.island[target]).all()
    assert len(source) <= 2 * len(CLASSES) * len(ends.row)
    for number, can in enumerate(possible(ends)):
        mine = kind == number
        assert set(source[mine]) == set(np.flatnonzero(can)), CLASSES[number]
        assert set(target[mine]) == set(np.flatnonzero(can)), CLASSES[number]
        assert mine.sum() <= 2 * can.sum()


REGULAR = [(2, 2, 2), (4, 8, 8), (3, 5, 4), (2, 3, 2), (5, 2, 3), (1, 4, 2), (2, 4, 1), (1, 2, 1)]


@pytest.mark.parametrize(("units", "slots", "rails"), REGULAR)
def test_in_a_regular_fabric_each_nic_is_both_exactly_once(units, slots, rails):
    ends = regular(units, slots, rails)
    source, target, kind = pairs(ends)
    present = [True, units > 1, rails > 1, units > 1 and rails > 1]
    for number, expected in enumerate(present):
        mine = kind == number
        everyone = np.arange(len(ends.row)) if expected else []
        assert sorted(source[mine]) == list(everyone)
        assert sorted(target[mine]) == list(everyone)


def test_on_a_classic_leaf_all_rails_share_a_class():
    source, _, kind = pairs(regular(1, 3, 4, classic=True))
    assert set(kind) == {SAME_LEAF}
    assert len(source) == 12


def test_one_host_has_nothing_to_probe():
    assert len(pairs(regular(1, 1, 4))[0]) == 0


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("rail-only", {"same-leaf"}),
        ("dual-plane", {"same-leaf", "cross-rail"}),
        ("dual-tor", {"same-leaf", "same-rail", "cross-rail"}),
        ("three-tier", {"same-leaf", "same-rail", "cross-unit"}),
    ],
)
def test_only_paths_that_are_there_are_probed(name, counts):
    made = example(name)
    found = probes(made)
    assert {CLASSES[kind] for kind in found.kind.tolist()} == counts
    assert set(found.source.tolist()) == set(range(len(made.nics)))
    planes = made.switches.plane[made.nics.leaf]
    assert (planes[found.source] == planes[found.target]).all()


PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


@given(PAIRS)
def test_rounds_are_matchings(edges):
    """No host twice in a round; no more rounds than twice the pairs of a host."""
    wanted = [(a, b) for a, b in edges if a != b]
    source = np.array([a for a, _ in wanted], dtype=np.int64)
    target = np.array([b for _, b in wanted], dtype=np.int64)
    found = rounds(source, target, 13)
    assert (found >= 0).all()
    degree = np.bincount(np.r_[source, target], minlength=13).max(initial=0)
    assert found.max(initial=-1) + 1 <= max(2 * degree - 1, 0)
    for number in np.unique(found):
        busy = np.r_[source[found == number], target[found == number]]
        assert len(busy) == len(set(busy.tolist()))


def test_rounds_are_the_same_each_time():
    ends = regular(4, 8, 4)
    source, target, _ = pairs(ends)
    one, two = (rounds(ends.host[source], ends.host[target], 32) for _ in range(2))
    assert (one == two).all()
    assert one.max() + 1 < 2 * 2 * 4 * 4  # twice the pairs of a host: rails, classes, both ways


#: Published ceilings of RoCEv2 by link and MTU, in Gb/s.
CEILINGS = {
    (100, 1024): 92.6,
    (200, 2048): 192.3,
    (400, 4096): 392.1,
    (400, 1024): 370.3,
    (100, 4096): 98.0,
}


@pytest.mark.parametrize(("speed", "mtu"), CEILINGS)
def test_ceiling_and_what_is_accepted(speed, mtu):
    packets = Marking(104, mtu)
    assert abs(ceiling_gbps(speed, packets) - CEILINGS[speed, mtu]) <= 0.1
    assert needed_gbps(speed, packets) == pytest.approx(0.985 * ceiling_gbps(speed, packets))


def test_a_packet_of_ipv6_is_20_bytes_longer():
    ipv4, ipv6 = (ceiling_gbps(400, Marking(104, 4096, is_ipv6)) for is_ipv6 in (False, True))
    assert ipv6 == pytest.approx(ipv4 * (4096 + 82) / (4096 + 102))


ONE = ProbeEnd("10.64.0.2", "mlx5_1", 3)
TWO = ProbeEnd("10.64.1.3", "mlx5_2", 5)


def test_commands():
    assert "ping -n -c 3 -i 0.2 -W 1 -I 10.64.0.2 10.64.1.3" in commands.ping(ONE, TWO)
    server, client = commands.rping(ONE, TWO)
    assert server == "rping -s -a 10.64.1.3 -p 18515 -C 3 -v"
    assert "rping -c -a 10.64.1.3 -p 18515 -C 3 -v -I 10.64.0.2" in client
    server, client = commands.bandwidth(ONE, TWO, Marking(104, 4096))
    form = "ib_write_bw -d {} -i 1 -x {} -m 4096 --tclass 104 -s 65536 -D 2"
    assert server.startswith(form.format("mlx5_2", 5))
    assert form.format("mlx5_1", 3) in client
    assert client.count("10.64.1.3") == 1
    unit = "rocefab-probe-0123abcd"
    assert f"--unit={unit} --property=RuntimeMaxSec=" in commands.start(server, unit)


HOSTILE = ["; reboot", "$(id)", "mlx5_1 -x", "", "a\nb", "`id`", "../x"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_becomes_a_command(text):
    with pytest.raises(UnreadableError):
        commands.ping(ProbeEnd(text, "mlx5_1", 3), TWO)
    with pytest.raises(UnreadableError):
        commands.bandwidth(ProbeEnd("10.0.0.1", text, 3), TWO, Marking(104, 4096))
    with pytest.raises(ValueError):
        commands.start("rping", text)
    with pytest.raises(ValueError):
        commands.stop(f"rocefab-probe-0123abcd{text or 'x'}")


def test_no_test_of_bandwidth_without_a_gid():
    with pytest.raises(ValueError, match="GID"):
        commands.bandwidth(ProbeEnd("10.0.0.1", "mlx5_1"), TWO, Marking(104, 4096))


REPORT = """---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Mtu             : 4096[B]
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
{} 65536      1434700          0.00               {} \t\t     0.717350
---------------------------------------------------------------------------------------
"""
OUTPUTS = {
    "as it is": (REPORT.format("", "376.10"), 376.10),
    "with a warning between": (
        REPORT.format("Conflicting CPU frequency values detected: 1 != 2.\n", "97.85"),
        97.85,
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_of_ib_write_bw(name):
    text, rate = OUTPUTS[name]
    assert bandwidth_gbps(text, 65536) == rate
    with pytest.raises(UnreadableError):
        bandwidth_gbps(text, 4096)
    with pytest.raises(UnreadableError):
        bandwidth_gbps(text.partition(" #bytes")[0], 65536)


def test_output_of_ping_and_rping():
    summary = "3 packets transmitted, {} received, {}% packet loss, time 403ms\n"
    assert ping(summary.format(3, 0)) == (3, 3)
    assert ping(summary.format("0", "100")) == (3, 0)
    assert ping(
        summary
        .format("1, +2 errors", "66.6667")
        .replace(" received,", "", 1)
        .replace("1, +2 errors", "1 received, +2 errors,")
    ) == (3, 1)
    for text in ("", "ping: bind: Cannot assign requested address", summary.format(3, 0) * 2):
        with pytest.raises(UnreadableError):
            ping(text)
    assert rping("ping data: rdma-ping-0: AB\nping data: rdma-ping-1: BC\nclient DISCONNECT\n") == 2
    assert rping("cma event RDMA_CM_EVENT_UNREACHABLE, error -110\n") == 0


def scopes(ends, source, target):
    columns = {"nic": ends.row, "host": ends.host, "leaf": ends.leaf, "rail": ends.rail}
    return {name: (column[source], column[target]) for name, column in columns.items()}


BROKEN = {
    "leaf": ("leaf", 3),
    "rail": ("rail", 1),
    "host": ("host", 5),
    "nic": ("nic", 7),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(name):
    scope, number = BROKEN[name]
    ends = regular(3, 4, 4)
    source, target, _ = pairs(ends)
    table = scopes(ends, source, target)
    failed = (table[scope][0] == number) | (table[scope][1] == number)
    found, left = causes(failed, table)
    assert [(cause.scope, cause.number, cause.probes) for cause in found] == [
        (scope, number, failed.sum())
    ]
    assert not left.any()


def test_a_leaf_with_good_probes_is_no_cause():
    """Two of its four NICs are broken: they are named, not the leaf."""
    ends = regular(3, 4, 4)
    source, target, _ = pairs(ends)
    table = scopes(ends, source, target)
    failed = np.isin(source, [0, 4]) | np.isin(target, [0, 4])
    assert ends.leaf[0] == ends.leaf[4]
    found, left = causes(failed, table)
    assert {(cause.scope, cause.number) for cause in found} == {("nic", 0), ("nic", 4)}
    assert not left.any()


def test_two_causes_and_a_lonely_failure():
    ends = regular(3, 4, 4)
    source, target, _ = pairs(ends)
    table = scopes(ends, source, target)
    failed = np.zeros(len(source), dtype=bool)
    for scope, number in (("leaf", 0), ("nic", 30)):
        failed |= (table[scope][0] == number) | (table[scope][1] == number)
    fine = np.flatnonzero(~failed)
    failed[fine[0]] = True
    found, left = causes(failed, table)
    assert [(cause.scope, cause.number) for cause in found] == [("leaf", 0), ("nic", 30)]
    assert left.sum() == 1


def test_nothing_failed():
    ends = regular(2, 2, 2)
    source, target, _ = pairs(ends)
    found, left = causes(np.zeros(len(source), dtype=bool), scopes(ends, source, target))
    assert found == []
    assert not left.any()


@examples(40)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.integers(1, 3),
    st.integers(2, 4),
    st.sampled_from(["rail-optimised", "classic-tor"]),
    st.randoms(use_true_random=False),
)
def test_groups_of_an_incast(sizes, rails, senders, design, random):
    units = [{"name": f"u{n}", "hosts": f"u{n}h[1-{size}]"} for n, size in enumerate(sizes)]
    made = fabric(units=units, rails=rails, design=design)
    taking_part = np.array([random.random() < 0.8 for _ in made.hosts.names], dtype=bool)
    found = incasts(made, senders, taking_part)
    nics = made.nics
    cells = set(zip(nics.leaf.tolist(), nics.rail.tolist(), strict=True))
    enough = taking_part.sum() > senders
    inhabited = {
        (leaf, rail)
        for leaf, rail in cells
        if taking_part[nics.host[(nics.leaf == leaf) & (nics.rail == rail)]].any()
    }
    ends = np.column_stack([found.target, found.sources])
    told = set(zip(nics.leaf[found.target].tolist(), nics.rail[found.target].tolist(), strict=True))
    assert told == (inhabited if enough else set())
    assert len(found) == len(told)
    hosts = nics.host[ends]
    assert all(len(set(group)) == senders + 1 for group in hosts.tolist())
    assert taking_part[hosts].all()
    assert (nics.rail[ends] == nics.rail[found.target][:, None]).all()
    for turn in np.unique(found.round):
        busy = hosts[found.round == turn].ravel().tolist()
        assert len(busy) == len(set(busy))
    for target, sources in zip(found.target, found.sources, strict=True):  # neighbours first
        near = nics.leaf[sources] == nics.leaf[target]
        others = taking_part[nics.host] & (nics.leaf == nics.leaf[target])
        others &= (nics.rail == nics.rail[target]) & (nics.host != nics.host[target])
        assert near.sum() == min(senders, others.sum())


@pytest.mark.parametrize(
    ("rates", "index"), [([1, 1, 1], 1.0), ([1, 0, 0], 1 / 3), ([0, 0], 0.0), ([2, 1], 0.9)]
)
def test_fairness(rates, index):
    assert fairness(rates) == pytest.approx(index)
