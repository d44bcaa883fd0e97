"""What a growing fabric loses between waves: nothing where no packet was, and the rest as ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.model import Change, DevicePlan, Risk
from fabric.change.stages import Stages
from fabric.intent.rollout_model import Rollout
from fabric.workflow.carrying import changing_ports, idle_ports, leaving_hosts
from fabric.workflow.mixed import hazards
from fabric.workflow.project import Project
from fabric.workflow.sides import Side, planned_side
from tests.change.labs import ESONIC, write_inventory

SMALL = ESONIC.replace("hosts: gpu1", "hosts: 'gpu[1-2]'")
HOSTS = {"gpu[1-2]": "gpu[1-3]"}
UNIT = {"'}]": "'}, {name: su2, hosts: 'gpu[3-4]'}]"}
SPINE = {"count: 1": "count: 2"}
DSCP = {"lossless:\n": "lossless:\n  roce_dscp: 24\n"}
PRIORITY = {
    "lossless:\n": "lossless:\n  pfc_priority: 4\n  traffic_class: 4\n"
    "  queue: 4\n  priority_group: 4\n"
}
LEAF, NEW_PORT = "su1-rail0", "Ethernet16"


def _projects(folder: Path, edits: dict[str, str]) -> tuple[Project, Project]:
    text = SMALL
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    small = Project(write_inventory(folder / "small", SMALL))
    return small, Project(write_inventory(folder / "large", text))


def _read(small: Project, large: Project) -> tuple[Side, Side]:
    """Return what `plan` reads and plans: what is new is as it comes from the box."""
    old, after = planned_side(small), planned_side(large)
    texts = {name: f"hostname {name}\n" for name in after.texts}
    bare = {"mtu_bytes": 1500, "addresses": [], "pfc": [0] * 8}
    nics = {host: dict.fromkeys(own, bare) for host, own in after.nics.items()}
    before = Side(after.platforms, {**texts, **old.texts}, {**nics, **old.nics})
    return before, after


def _open_port(before: Side) -> Side:
    """Return the same with the port of the new host up, and without its lines for the class."""
    head, found, rest = before.texts[LEAF].partition(f"interface {NEW_PORT}\n")
    assert found
    assert " shutdown\n" in rest
    text = head + found + rest.replace(" shutdown\n", " no shutdown\n", 1)
    return replace(before, texts={**before.texts, LEAF: text})


def _with_nic(**values: object) -> Callable[[Side], Side]:
    """Return what opens the port and gives the new NIC other values."""

    def change(before: Side) -> Side:
        nic = {**before.nics["gpu3"]["eth1"], **values}
        return replace(_open_port(before), nics={**before.nics, "gpu3": {"eth1": nic}})

    return change


def _with_ipv6(before: Side) -> Side:
    """Return the same with an address of IPv6 on the leaf, from which NICs may make theirs."""
    opened = _open_port(before)
    line = f"interface {NEW_PORT}\n"
    text = opened.texts[LEAF].replace(
        line, f"interface Loopback9\n ipv6 address fd00::1/128\n{line}"
    )
    return replace(opened, texts={**opened.texts, LEAF: text})


def _unreadable(before: Side) -> Side:
    """Return the same where the new NIC has an address, and nobody can read the leaf's routing."""
    opened = _with_nic(addresses=["10.64.0.9/16"])(before)
    opened.lossless  # noqa: B018 - kept; what it says of the class is known
    vars(opened)["routing"] = {n: one for n, one in opened.routing.items() if n != LEAF}
    return opened


CASES: dict[str, tuple[dict[str, str], Callable[[Side], Side] | None, str]] = {
    "hosts": (HOSTS, None, ""),
    "a unit": (UNIT, None, ""),
    "a spine": (SPINE, None, ""),
    "all of them": ({**UNIT, **SPINE}, None, ""),
    "hosts, and another DSCP": ({**HOSTS, **DSCP}, None, "lossless DSCPs are 24 on some"),
    "a unit, and another DSCP": ({**UNIT, **DSCP}, None, "lossless DSCPs are 24 on some"),
    "hosts, and another priority": ({**HOSTS, **PRIORITY}, None, "priorities are [4] here and [3]"),
    "a spine, and another priority": (
        {**SPINE, **PRIORITY},
        None,
        "priorities are [4] here and [3]",
    ),
    "a port that is up, a NIC without address": (HOSTS, _open_port, ""),
    "a NIC that has an address": (
        HOSTS,
        _with_nic(addresses=["10.64.0.9/16"]),
        f"{NEW_PORT}: lossless",
    ),
    "a NIC that may make an address of IPv6": (HOSTS, _with_ipv6, f"{NEW_PORT}: lossless"),
    "a NIC whose addresses were not read": (HOSTS, _with_nic(mtu_bytes=0), f"{NEW_PORT}: lossless"),
    "a leaf that cannot be read": (HOSTS, _unreadable, f"{NEW_PORT}: lossless"),
}


@pytest.mark.parametrize("name", CASES)
def test_growth_between_waves(name: str, tmp_path: Path) -> None:
    edits, change, words = CASES[name]
    small, large = _projects(tmp_path, edits)
    before, after = _read(small, large)
    before = change(before) if change else before
    every = [*large.devices, *large.hosts]
    for order in (every, every[::-1]):
        problems = hazards(large, [[device] for device in order], before, after, in_waves=False)
        assert bool(problems) is bool(words), problems
        assert any(words in problem for problem in problems) or not words, problems


#: What is grown -> the hosts that leave where it is rolled back.
LEAVING = {
    "hosts": ["gpu3"],
    "a unit": ["gpu3", "gpu4"],
    "a spine": [],
    "all of them": ["gpu3", "gpu4"],
    "hosts, and another priority": ["gpu3"],
    "a port that is up, a NIC without address": ["gpu3"],
    "a NIC that has an address": [],
}


@pytest.mark.parametrize("name", LEAVING)
@pytest.mark.parametrize("in_waves", [True, False], ids=["roll-out", "waves"])
def test_growth_that_is_rolled_back_stops_jobs_on_hosts_that_leave_alone(
    name: str, tmp_path: Path, *, in_waves: bool
) -> None:
    """The states between its waves lose what those of the way there lose, and no more."""
    edits, change, words = CASES[name]
    small, large = _projects(tmp_path, edits)
    before, after = _read(small, large)
    before = change(before) if change else before
    every = [*large.devices, *large.hosts]
    for order in (every, every[::-1]):
        waves = [[device] for device in order]
        problems = hazards(large, waves, after, before, in_waves=in_waves)
        assert bool(problems) is bool(words), problems
    assert leaving_hosts(large, after, before) == LEAVING[name]
    assert leaving_hosts(large, before, after) == []


def test_waves_of_growth_take_nothing_from_what_runs(tmp_path: Path) -> None:
    small, large = _projects(tmp_path, HOSTS)
    before, after = _read(small, large)
    idle = idle_ports(large, before, after)
    assert idle == {(LEAF, NEW_PORT)}

    def stages(**changing: set[str]) -> list[tuple[float, str, int]]:
        waves = Stages(large.fabric, Rollout(), idle=idle, changing=changing)
        changed = [LEAF, "gpu3"]
        return [(one.left_percent, one.left_of, one.lost_rails) for one in waves.of(changed)]

    assert stages(**{LEAF: {NEW_PORT}}) == [(100.0, "", 0), (100.0, "", 0)]
    assert stages(**{LEAF: {"Ethernet0"}}) == [(50.0, "NIC", 1), (100.0, "", 0)]
    assert stages() == [(0.0, "NIC", 2), (100.0, "", 0)]


#: Path and risk of changes, and the ports that they take traffic from.
PATHS: dict[str, tuple[dict[str, Risk], set[str]]] = {
    "a port": ({"interface Ethernet0: speed 400000": Risk.PORT_FLAP}, {"Ethernet0"}),
    "a row": ({"PORT_QOS_MAP|Ethernet8|pfc_enable": Risk.BRIEF_LOSS}, {"Ethernet8"}),
    "a session": ({"router bgp 65101: neighbor 10.254.0.0: timers 3 9": Risk.BRIEF_LOSS}, {""}),
    "harmless lines of all": (
        {"interface Ethernet0: shutdown": Risk.PORT_FLAP, "ntp server 192.0.2.1": Risk.HARMLESS},
        {"Ethernet0"},
    ),
    "a map of all ports": (
        {"interface Ethernet0: shutdown": Risk.PORT_FLAP, "qos map dscp-tc": Risk.BRIEF_LOSS},
        set(),
    ),
    "a line with two ports": ({"span Ethernet0 Ethernet8": Risk.BRIEF_LOSS}, set()),
    "nothing but harmless lines": ({"interface Ethernet0: description x": Risk.HARMLESS}, set()),
    "a restart": ({"interface Ethernet0: breakout": Risk.RESTART}, set()),
}


@pytest.mark.parametrize("name", PATHS)
def test_ports_that_change(name: str, tmp_path: Path) -> None:
    risks, ports = PATHS[name]
    design = Project(write_inventory(tmp_path / "small", SMALL)).devices[LEAF]
    changes = tuple(Change(path, "", "new", risk) for path, risk in risks.items())
    plan = DevicePlan(LEAF, "esonic", "leaf", LEAF, "", "", "", "merge", changes, "", ())
    uplink = design.bgp.neighbours[0].port
    assert changing_ports(plan, design) == {port or uplink for port in ports}
