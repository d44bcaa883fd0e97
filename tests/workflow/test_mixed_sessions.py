"""Sessions between waves: which wait, which must come up, and what is left of their cables."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.expectation import Expectation
from fabric.change.model import DevicePlan
from fabric.change.stages import Stages
from fabric.change.wave import worse
from fabric.intent.rollout_model import Rollout
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.workflow.mixed_sessions import MixedSessions
from fabric.workflow.project import Project
from fabric.workflow.rollout import _meanwhile
from fabric.workflow.sides import planned_side
from tests.topology.fabrics import INVENTORY

SPINES, LEAVES = ("spine01", "spine02"), ("su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1")
BOTH = ("bgp: {", "bgp: {peering: unnumbered, ")
#: What both sides have edited, what only the later one has, and whether sessions wait.
CASES = {
    "another AS of the spines": ((), ("spine_asn: 65100", "spine_asn: 65200"), True),
    "other AS numbers of the leaves": ((), ("first: 65101", "first: 65301"), True),
    "other addresses of uplinks": ((), ("10.254.0.0/21", "10.253.0.0/21"), True),
    "sessions without addresses": ((), BOTH, True),
    "an AS that the leaves do not name": (BOTH, ("spine_asn: 65100", "spine_asn: 65200"), False),
    "other timers": ((), ("bgp: {", "bgp: {hold_s: 30, keepalive_s: 10, "), False),
    "other thresholds": ((), ("kmin_bytes: 150000", "kmin_bytes: 200000"), False),
}


def project(folder: Path, *edits: tuple[str, ...], example: str = "demo") -> Project:
    """Return an example with edits."""
    shutil.copytree(INVENTORY / example, folder)
    file = folder / "fabric.yaml"
    for old, new in filter(None, edits):
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))
    return Project(folder)


@pytest.mark.parametrize("name", CASES)
def test_sessions_wait_for_the_wave_of_their_peers(name: str, tmp_path: Path) -> None:
    both, edit, waits = CASES[name]
    before, after = project(tmp_path / "before", both), project(tmp_path / "after", both, edit)
    waves = [[spine] for spine in SPINES] + [LEAVES[::2], LEAVES[1::2]]
    sessions = MixedSessions.of(after, waves, planned_side(before), planned_side(after))
    later = {name: tuple(sorted(own.values())) for name, own in sessions.later.items()}
    assert later == (dict.fromkeys(SPINES, (3, 3, 4, 4)) if waits else {})
    due = {name: len(own) for name, own in sessions.due.items()}
    assert due == (dict.fromkeys(LEAVES, 2) if waits else {})
    cut = [len(sessions.cut_after(turn)) for turn in range(5)]
    assert cut == ([0, 4, 8, 4, 0] if waits else [0] * 5)


#: Edits of the example with tenants before and after; whether the sessions of a spine over cables
#: wait, whether those between loopbacks do, and whether they must come back then.
BETWEEN_LOOPBACKS = {
    "another AS of the spines": ((), ("spine_asn: 65100", "spine_asn: 65200"), True, True, True),
    "other addresses of uplinks": ((), ("10.254.0.0/21", "10.253.0.0/21"), True, True, True),
    "sessions without addresses": ((), BOTH, True, True, True),
    "other loopbacks": ((), ("10.255.0.0/24", "10.252.0.0/24"), False, True, True),
    "EVPN comes": (("form: evpn", "form: local"), (), False, True, False),
    "EVPN goes": ((), ("form: evpn", "form: local"), False, False, False),
    "other timers": (*((), ("bgp: {", "bgp: {hold_s: 30, keepalive_s: 10, ")), False, False, False),
}


@pytest.mark.parametrize("name", BETWEEN_LOOPBACKS)
def test_sessions_between_loopbacks_wait_too(name: str, tmp_path: Path) -> None:
    old, new, cables_wait, loopbacks_wait, is_due = BETWEEN_LOOPBACKS[name]
    before = project(tmp_path / "before", old, example="tenants")
    after = project(tmp_path / "after", new, example="tenants")
    waves = [[spine] for spine in SPINES] + [LEAVES[::2], LEAVES[1::2], ("gpu001",)]
    sessions = MixedSessions.of(after, waves, planned_side(before), planned_side(after))
    spine, leaf = after.devices[SPINES[0]], after.devices[LEAVES[0]]
    later, due = sessions.later.get(spine.name, {}), sessions.due.get(leaf.name, {})
    for peers, waits in (
        (spine.bgp.neighbours, cables_wait),
        (spine.loopback_sessions, loopbacks_wait),
    ):
        turns = {peer.name: later.get(peer.session, 0) for peer in peers}
        assert turns == {peer.name: waits * (3 + (peer.name in waves[3])) for peer in peers}
    assert {peer.session for peer in leaf.loopback_sessions if peer.session in due} == {
        peer.session for peer in leaf.loopback_sessions if is_due
    }
    assert {due[peer.session] for peer in leaf.sessions if peer.session in due} <= {
        port.name for port in leaf.ports if port.kind == "uplink"
    }
    assert {switch for switch, _ in sessions.cut} == ({*SPINES} if cables_wait else set())


def test_a_new_spine_waits_for_the_leaves_and_no_traffic_is_cut(tmp_path: Path) -> None:
    before = project(tmp_path / "before")
    after = project(tmp_path / "after", ("spines: {count: 2", "spines: {count: 3"))
    old, planned = planned_side(before), planned_side(after)
    start = replace(planned, texts={**planned.texts, **old.texts, "spine03": ""})
    sessions = MixedSessions.of(after, [["spine03"], LEAVES], start, planned)
    assert set(sessions.later["spine03"].values()) == {2}
    assert not sessions.cut
    assert not sessions.due


def test_capacity_counts_the_sessions_of_waves_before(tmp_path: Path) -> None:
    before = project(tmp_path / "before")
    after = project(tmp_path / "after", ("spine_asn: 65100", "spine_asn: 65200"))
    stages = Stages(after.fabric, Rollout())
    order = stages.of([*SPINES, *LEAVES])
    waves = [stage.names for stage in order]
    sessions = MixedSessions.of(after, waves, planned_side(before), planned_side(after))
    assert [stage.left_percent for stage in order] == [50.0] * 4
    left = [stage.left_percent for stage in _meanwhile(stages, order, (), sessions)]
    assert left == [50.0, 0.0, 0.0, 50.0]


UP, DOWN = "Established", "Active"
ADDRESSES = {f"10.254.0.{2 * number}": f"Ethernet{number}" for number in range(4)}
EXPECTED = Expectation(
    bgp=dict.fromkeys(ADDRESSES, 65200),
    lldp={port: ("spine01", (port,)) for port in ADDRESSES.values()},
)
PLAN = DevicePlan("leaf1", "sonic", "leaf", "", "", "", "", "live", (), "", (), EXPECTED)
STATE = f"leaf1: bgp 10.254.0.0: state is {DOWN}, expected {UP}"
#: Fields of the plan, whether sessions were up before, and whether LLDP saw the cables; what is
#: wrong while all sessions are down.
HEALTH = {
    "sessions that go down": ({}, UP, True, [f"{STATE} (and 3 more)"]),
    "sessions that were down": ({}, DOWN, True, []),
    "sessions that come up later": ({"later": dict.fromkeys(ADDRESSES, 5)}, UP, True, []),
    "one that does not": (
        {"later": dict.fromkeys([*ADDRESSES][1:], 5)},
        UP,
        True,
        [STATE],
    ),
    "sessions that are to come back": ({"due": ADDRESSES}, DOWN, True, [f"{STATE} (and 3 more)"]),
    "the same over wrong cables": ({"due": ADDRESSES}, DOWN, False, []),
}


def seen(state: str, *, cabled: bool) -> Snapshot:
    """Return what a device sees."""
    peers = {address: BgpPeer(state == UP, state, 65200) for address in ADDRESSES}
    name = "spine01" if cabled else "spine02"
    lldp = {port: (LldpNeighbour(name, port),) for port in ADDRESSES.values()}
    return Snapshot("leaf1", bgp=peers, lldp=lldp)


@pytest.mark.parametrize("name", HEALTH)
def test_health_demands_sessions_at_the_wave_that_brings_them_up(name: str) -> None:
    fields, before, cabled, problems = HEALTH[name]
    plan = replace(PLAN, **fields)
    assert worse(plan, seen(before, cabled=cabled), seen(DOWN, cabled=cabled)) == problems
