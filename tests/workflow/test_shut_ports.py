"""Ports that are shut have no traffic to lose: what `diff` and `plan` call harmless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Change, DevicePlan, Plan, Risk, parse_plan
from fabric.devices.driver import Driver
from fabric.observe.snapshot import Running
from fabric.workflow.carrying import changing_ports, on_shut_ports, with_shut_ports
from fabric.workflow.effect import _Preview, _running
from fabric.workflow.project import Project
from tests.cases import each
from tests.change import labs
from tests.report.diffs import compared
from tests.systems import tenant_fabrics

#: The same system on both tiers.
SYSTEMS = {
    "sonic": labs.INVENTORY.replace("7060X6-64PE", "ACS-MSN4700"),
    "eos": labs.INVENTORY.replace("ACS-MSN4700", "7060X6-64PE"),
    "nxos": labs.NXOS,
    "vrp8": labs.VRP8,
    "comware7": f"{labs.COMWARE7}bgp: {{max_paths: 1}}\n",  # else its line has the uplinks
    "junos": labs.JUNOS,
    "cumulus": labs.CUMULUS,
    "esonic": labs.ESONIC,
}
ROUTED = {"addressing: {": "addressing: {vlan_per: none, "}
UNNUMBERED = {"addressing: {": "bgp: {peering: unnumbered}\naddressing: {"}
HOST = {"hosts: gpu1": "hosts: 'gpu[1-2]'"}
UNIT = {"hosts: gpu1}": "hosts: gpu1}, {name: su2, hosts: gpu2}"}
#: What both sides have, what grows, the switch that it is about.
GROWTH = {
    "host": ({}, HOST, labs.LEAF),
    "unit": ({}, UNIT, labs.SPINE),
    "routed host": (ROUTED, HOST, labs.LEAF),
    "unit of unnumbered links": (UNNUMBERED, UNIT, labs.SPINE),
}
NOT_THERE = {
    "vrp8 routed host",  # no /31
    "comware7 unit of unnumbered links",  # no such sessions
    "junos unit of unnumbered links",  # a list of all AS numbers grows: of no port alone
}
CASES = [
    f"{system} {name}"
    for system in SYSTEMS
    for name in GROWTH
    if f"{system} {name}" not in NOT_THERE
]


def _edited(text: str, edits: dict[str, str]) -> str:
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    return text


def _changes(old: Project, new: Project, name: str) -> tuple[Running, tuple[Change, ...]]:
    """Return what a switch of the old inventory runs, and the changes to the new one."""
    before, after = (one.switch_artefacts[name] for one in (old, new))
    running = _running(name, after[0].platform, before)
    adapter = adapters[after[0].platform]
    return running, adapter.draft(running, after, cast("Driver", _Preview(running))).changes


def _risks(before: Path, after: Path) -> dict[str, str]:
    """Return what `diff` says of switches that change."""
    devices = (one for one in compared(before, after).devices if one.role != "host")
    return {one.name: one.risk for one in devices if one.state == "changed"}


@pytest.mark.parametrize("name", CASES)
def test_growth_is_harmless(name: str, tmp_path: Path) -> None:
    """One host more, one unit more: ports that were shut, and nothing else of a switch."""
    system, _, what = name.partition(" ")
    base, edits, switch = GROWTH[what]
    small = _edited(SYSTEMS[system], base)
    folders = [
        labs.write_inventory(tmp_path / size, text)
        for size, text in {"small": small, "large": _edited(small, edits)}.items()
    ]
    assert _risks(*folders) == {switch: "harmless"}
    old, new = map(Project, folders)
    running, changes = _changes(old, new, switch)
    assert max(change.risk for change in changes) is Risk.PORT_FLAP
    eased = on_shut_ports(changes, new.devices[switch], running)
    assert {change.risk for change in eased} == {Risk.HARMLESS}
    assert [change.risk_if_up for change in eased] == [change.risk for change in changes]


#: Models of leaves and spines with EVPN.
EVPN = {
    "eos": ("7050CX3-32S", "7060CX-32S", 100),
    "cumulus spines of eos": ("7050CX3-32S", "SN4700", 100),
    "cumulus": ("SN4700", "SN4700", 400),
    "nxos": ("N9K-C9332D-GX2B", "N9K-C9364D-GX2A", 400),
    "esonic": ("Z9432F-ON", "Z9432F-ON", 400),
    "junos": ("QFX5130-32CD", "QFX5220-32CD", 400),
}
UNITS = [{"name": f"su{n}", "hosts": f"gpu00{n}"} for n in (1, 2)]


def _with_evpn(folder: Path, name: str, units: int, spines: int) -> Project:
    leaf, spine, gbps = EVPN[name]
    hosts = [{"name": "red", "id": 17, "hosts": f"gpu[001-00{units}]"}]
    lossless = tenant_fabrics.SYSTEMS["nxos"]["lossless"] if name == "nxos" else {}
    if name == "junos":
        lossless = {"ecn": {"kmin_bytes": 750000, "kmax_bytes": 7500000, "pmax_percent": 100}}
    return tenant_fabrics.project(
        *(folder / f"{units} {spines}", "nxos" if name == "nxos" else "sonic", "evpn"),
        platforms={"leaf": {"sku": leaf, "host_ports": 16}, "spine": {"sku": spine}},
        speeds={"host_gbps": gbps, "uplink_gbps": gbps},
        units=UNITS[:units],
        spines={"count": spines, "links_per_leaf": 1},
        tenants=hosts,
        lossless=lossless,
    )


@each("name", EVPN)
def test_growth_with_evpn_is_harmless(tmp_path: Path, name: str) -> None:
    """Sessions between loopbacks too, of which one end was not there."""
    small = _with_evpn(tmp_path / name, name, 1, 1)
    for switch, size in (("spine01", (2, 1)), ("su1-rail0", (1, 2))):
        large = _with_evpn(tmp_path / name, name, *size)
        running, changes = _changes(small, large, switch)
        eased = on_shut_ports(changes, large.devices[switch], running)
        risky = [change.path for change in eased if change.risk > Risk.HARMLESS]
        assert not risky, (switch, risky)
        assert max(change.risk_if_up for change in eased) is Risk.PORT_FLAP
        back, lines = _changes(large, small, switch)
        gone = on_shut_ports(lines, large.devices[switch], back)
        assert max(change.risk for change in gone) > Risk.HARMLESS, switch


def test_a_session_between_loopbacks_that_runs_keeps_its_risk(tmp_path: Path) -> None:
    """It may take another way, although the ports to its switch are shut."""
    project = _with_evpn(tmp_path, "eos", 2, 1)
    design = project.devices["spine01"]
    running = _running("spine01", "eos", project.switch_artefacts["spine01"])
    peer = design.evpn.sessions[-1]
    [port] = [port.name for port in design.ports if port.peer == peer.name]
    shut = running.text.replace(f"interface {port}\n", f"interface {port}\n   shutdown\n")
    change = Change(f"router bgp 65100: neighbor {peer.address} x", "", "x", Risk.BRIEF_LOSS)
    without = "".join(line for line in shut.splitlines(True) if f" {peer.address} " not in line)
    for text, risk in ((shut, Risk.BRIEF_LOSS), (without, Risk.HARMLESS)):
        read = Running.of_text("spine01", "eos", text, saved=True)
        [eased] = on_shut_ports((change,), design, read)
        assert eased.risk is risk
    plan = DevicePlan("spine01", "eos", "spine", "", "", "", "", "replace", (change,), "", ())
    assert changing_ports(plan, design) == {port}


@pytest.fixture(scope="module", params=SYSTEMS)
def leaf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """Return a leaf with a port that is up and one that is shut, and what it runs."""
    text = SYSTEMS[request.param]
    project = Project(labs.write_inventory(tmp_path_factory.mktemp("leaf") / "one", text))
    artefacts = project.switch_artefacts[labs.LEAF]
    return project.devices[labs.LEAF], _running(labs.LEAF, request.param, artefacts)


def _unread(running: Running) -> Running:
    """Return the configuration of a system without a reader."""
    return replace(running, platform="unknown")


def _silent(running: Running) -> Running:
    """Return a configuration without a word of any port."""
    config = {**running.config, "PORT": {}} if isinstance(running.config, dict) else "\n"
    return replace(running, config=config)


#: Which port the path names, the risk, what the switch runs, and the risk then.
RISKS: dict[str, tuple[str, Risk, Callable[[Running], Running], Risk]] = {
    "MTU of a port that is up": ("{up}: mtu", Risk.PORT_FLAP, lambda one: one, Risk.PORT_FLAP),
    "MTU of one that is shut": ("{shut}: mtu", Risk.PORT_FLAP, lambda one: one, Risk.HARMLESS),
    "QoS of one that is shut": ("{shut}: qos", Risk.BRIEF_LOSS, lambda one: one, Risk.HARMLESS),
    "breakout of one that is shut": ("{shut}: x", Risk.RESTART, lambda one: one, Risk.RESTART),
    "a line about both": ("{shut} {up}", Risk.BRIEF_LOSS, lambda one: one, Risk.BRIEF_LOSS),
    "a line about no port": ("qos map", Risk.BRIEF_LOSS, lambda one: one, Risk.BRIEF_LOSS),
    "an empty word": ("qos map|", Risk.BRIEF_LOSS, lambda one: one, Risk.BRIEF_LOSS),
    "a session that is up": (
        "peer {peer} timer",
        Risk.BRIEF_LOSS,
        lambda one: one,
        Risk.BRIEF_LOSS,
    ),
    "nobody can read it": ("{shut}: mtu", Risk.PORT_FLAP, _unread, Risk.PORT_FLAP),
    "no word of the port": ("{shut}: mtu", Risk.PORT_FLAP, _silent, Risk.PORT_FLAP),
}


@each("name", RISKS)
def test_risk_of_a_change(name: str, leaf) -> None:
    path, risk, change, expected = RISKS[name]
    design, running = leaf
    up = next(port.name for port in design.ports if port.kind == "host")
    shut = next(port.name for port in design.ports if port.kind == "unused")
    words = path.format(up=up, shut=shut, peer=design.bgp.neighbours[0].address)
    planned = (Change(f"interface {words}", "", "x", risk),)
    [eased] = on_shut_ports(planned, design, change(running))
    assert (eased.risk, eased.risk_if_up) == (expected, risk)


#: A line with a network -> whether it is that of the first routed port, 10.64.0.0/31.
NETWORKS = {
    "network 10.64.0.0 255.255.255.254": True,
    "network 10.64.0.0 255.255.0.0": False,
    "AF_NETWORK|default|10.64.0.0/31|": True,
    "AF_NETWORK|default|10.64.0.0/16|": False,
}


def test_a_network_is_that_of_a_port_by_its_length_too(tmp_path: Path) -> None:
    text = _edited(SYSTEMS["comware7"], ROUTED)
    design = Project(labs.write_inventory(tmp_path / "routed", text)).devices[labs.LEAF]
    [port] = [port for port in design.ports if port.kind == "host"]
    assert port.address == "10.64.0.0/31"
    for path, is_own in NETWORKS.items():
        change = Change(path, "", "x", Risk.BRIEF_LOSS)
        plan = DevicePlan(labs.LEAF, "comware7", "leaf", "", "", "", "", "merge", (change,), "", ())
        assert changing_ports(plan, design) == ({port.name} if is_own else set()), path


def test_nothing_is_read_where_no_change_is_about_a_port(leaf, monkeypatch) -> None:
    design, running = leaf
    monkeypatch.setattr("fabric.observe.snapshot.configured", None)
    changes = (
        Change("qos map", "", "x", Risk.BRIEF_LOSS),
        Change(f"interface {design.ports[0].name}: description", "", "x", Risk.HARMLESS),
    )
    assert on_shut_ports(changes, design, running) == changes


def test_a_plan_keeps_what_a_rollback_takes(tmp_path: Path) -> None:
    """By then the ports are up: the dry run of a rollback says so, and nothing repairs it alone."""
    small = labs.write_inventory(tmp_path / "small", labs.ESONIC)
    large = labs.write_inventory(tmp_path / "large", _edited(labs.ESONIC, HOST))
    old, new = Project(small), Project(large)
    running, changes = _changes(old, new, labs.LEAF)
    device = DevicePlan(
        *(labs.LEAF, "esonic", "leaf", labs.LEAF, "", "", "0" * 64, "merge", changes, ""),
        artefacts=tuple(new.switch_artefacts[labs.LEAF]),
    )
    host = replace(device, device=labs.HOST, platform="host", role="host", artefacts=())
    plan = Plan("tiny", ((labs.LEAF,), (labs.HOST,)), {labs.LEAF: device, labs.HOST: host})
    eased = with_shut_ports(plan, new.devices, {labs.LEAF: running})
    assert eased.devices[labs.HOST] == host
    for one in (eased, parse_plan(eased.to_json(), "plan")):
        risks = one.devices[labs.LEAF]
        assert (risks.risk, risks.risk_if_up) == (Risk.HARMLESS, Risk.PORT_FLAP)
        assert changing_ports(risks, new.devices[labs.LEAF]) == {"Ethernet8"}


def test_equal_lines_of_switches_whose_ports_differ(tmp_path: Path) -> None:
    """The same change of the same port: harmless on the leaf where it is shut, not on the other."""
    text = _edited(labs.ESONIC, UNIT)
    rows = "devices:\n  - {{names: {}, ports: {{Ethernet0: {{enabled: {}, cable_m: {}}}}}}}\n"
    folders = []
    for cable_m in (5, 30):
        folders.append(labs.write_inventory(tmp_path / str(cable_m), text))
        (folders[-1] / "devices").mkdir()
        for name, enabled in (("su1-rail0", "false"), ("su2-rail0", "true")):
            file = folders[-1] / "devices" / f"{name}.yaml"
            file.write_text(rows.format(name, enabled, cable_m))
    assert _risks(*folders) == {"su1-rail0": "harmless", "su2-rail0": "port flap"}
