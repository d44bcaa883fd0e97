"""Cumulus Linux: what changes and how, and whole runs on the lab, undisturbed and under faults."""

from __future__ import annotations

import dataclasses
import json
import re
from contextlib import contextmanager
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.lines.book import statements
from fabric.change.model import Risk
from fabric.lab.faults import Fault
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.systems.cumulus import adapters as cumulus
from fabric.systems.cumulus.lab.config import change
from fabric.systems.cumulus.platforms.lines import read, split, write
from fabric.systems.cumulus.platforms.tree import is_value
from fabric.systems.cumulus.platforms.words import words
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift, verify
from tests.cases import each, examples
from tests.change import labs
from tests.change.labs import ALL, planned
from tests.reliability.faults import by_injection
from tests.systems.cumulus.test_render import designs

WORDS = words("5.14")
OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
SKUS = {"ACS-MSN4700": "SN4700", "7060X6-64PE": "SN5600"}
KEPT = """\
nv set system aaa user cumulus hashed-password '*'
nv set system aaa user cumulus role system-admin
nv set system message pre-login 'not for you'
nv set system timezone Etc/UTC
nv set system snmp-server listening-address 192.0.2.2
nv set interface eth0 ip address 192.0.2.2/24
nv set interface eth0 ip gateway 192.0.2.1
nv set interface eth0 type eth
nv set interface eth0 ip vrf mgmt
nv set interface bond1 type bond
nv set vrf mgmt router static 0.0.0.0/0 via 192.0.2.1
nv set vrf default router static 198.51.100.0/24 via 192.0.2.1
nv set service dns mgmt server 192.0.2.53
nv set system config auto-save enable on
"""
OURS = """\
nv set system hostname old
nv set system global arp base-reachable-time 50
nv set interface swp9 link speed 100G
nv set interface swp9s0 type swp
nv set interface vlan77 ip address 10.0.0.1/24
nv set interface vlan77 type svi
nv set interface lo ip address 10.0.0.1/32
nv set bridge domain br_default vlan 77
nv set router bgp autonomous-system 65000
nv set vrf default router bgp neighbor swp51 remote-as external
nv set qos roce mode lossy
nv set qos traffic-pool default-lossy memory-percent 20
nv set service ntp mgmt server 203.0.113.1
nv set system syslog server 203.0.113.2
"""


@cache
def intended(switch: str = "su1-rail0") -> set[tuple[str, ...]]:
    return read(render_device(designs("demo")[switch])[0].text)


def applied(config, candidate):
    """Return a configuration after a candidate, line by line as NVUE takes them."""
    for text in (candidate.unload, candidate.load):
        for line in text.splitlines():
            _, verb, *rest = split(line)
            config = change(config, verb, rest, WORDS)
    return config


# -- lines -----------------------------------------------------------------------------------------


@each("line", KEPT.splitlines())
def test_what_is_not_ours_is_kept(line):
    assert read(line) <= cumulus.compose(read(line) | read(OURS), intended())


@each("line", OURS.splitlines())
def test_what_is_ours_is_replaced(line):
    assert cumulus.compose(read(line), intended()) == intended()


def test_leaves_that_the_switch_makes_are_kept_beside_ours():
    made = read(
        "nv set interface vlan101 base-interface br_default\nnv set bridge domain br_default "
        "untagged 1\n"
    )
    other = read("nv set interface vlan300 base-interface br_default\n")
    assert cumulus.compose(made | other, intended()) == intended() | made
    wrong = read("nv set interface swp1 type eth\n")
    assert cumulus.compose(wrong, intended()) == intended()


def test_a_value_that_changes_is_not_unset():
    now = (intended() - read("nv set interface swp1 link mtu 9100\n")) | read(
        "nv set interface swp1 link mtu 9216\n"
    )
    way = cumulus.patch(now, intended())
    assert (way.method, way.unload) == ("patch", "")
    assert way.load == "nv set interface swp1 link mtu 9100\n"


def test_an_object_that_goes_is_unset_whole():
    leaves = {path[:-1] for path in intended() if is_value(path)}
    ours = {path for path in read(OURS) if path[:-1] not in leaves}
    way = cumulus.patch(intended() | read(KEPT) | ours, intended() | read(KEPT))
    assert set(way.unload.splitlines()) == {
        "nv unset bridge domain br_default vlan 77",
        "nv unset interface swp9 link speed",
        "nv unset interface swp9s0",
        "nv unset interface vlan77",
        "nv unset interface lo ip address 10.0.0.1/32",
        "nv unset qos traffic-pool",
        "nv unset service ntp mgmt server 203.0.113.1",
        "nv unset system syslog server 203.0.113.2",
        "nv unset vrf default router bgp neighbor swp51",
    }


def configurations(switch):
    """Return a strategy of configurations: parts of the intended, of ours and of others."""
    wanted = sorted(intended(switch))
    values = [(*path[:-1], "9") for path in wanted if path[-1].isdecimal() and path[-1] != "9"]
    pool = [*wanted, *values, *sorted(read(OURS)), *sorted(read(KEPT))]
    picked = st.lists(st.sampled_from(pool), max_size=60, unique=True)
    return picked.map(_valid)


def _valid(paths):
    """Return a configuration that the switch can have: one value for each leaf."""
    config = set()
    for path in paths:
        try:
            config = change(config, "set", list(path), WORDS)
        except ValueError:  # the made-up value is not one of this leaf
            continue
    return config


@pytest.mark.parametrize("switch", ["su1-rail0", "spine01"])
@examples(120)
@given(data=st.data())
def test_running_and_patch_is_intended_and_back(switch, data):
    running = data.draw(configurations(switch))
    target = cumulus.compose(running, intended(switch))
    assert intended(switch) <= target
    assert {path for path in running if not cumulus.owned_depth(path)} <= target
    there, back = cumulus.patch(running, target), cumulus.patch(target, running)
    assert applied(running, there) == target
    assert applied(target, back) == running
    assert read(write(target)) == target
    assert cumulus.compose(target, intended(switch)) == target
    assert cumulus.changes(target, target) == ()
    assert (cumulus.changes(running, target) == ()) == (running == target)


@examples(60)
@given(data=st.data())
def test_clear_and_config_replace_all_that_is_ours(data):
    config, clear = render_device(designs("demo")["su1-rail0"])
    running = data.draw(configurations("su1-rail0"))
    foreign = {path for path in running if not cumulus.owned_depth(path)}
    left = {p for p in running if p[:2] in {("interface", "swp9s0"), ("interface", "vlan77")}}
    for artefact in (clear, config):
        for line in artefact.text.splitlines():
            _, verb, *rest = split(line)
            running = change(running, verb, rest, WORDS)
    assert running == intended() | foreign | left


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("interface swp1 link speed 400G", Risk.PORT_FLAP),
        ("interface swp1 link state up", Risk.PORT_FLAP),
        ("interface swp1 link mtu 9216", Risk.PORT_FLAP),
        ("interface swp1 description x", Risk.HARMLESS),
        ("interface swp1 qos pfc-watchdog state enable", Risk.HARMLESS),
        ("qos congestion-control default-global traffic-class 3 min-threshold 1000", Risk.HARMLESS),
        ("qos roce mode lossy", Risk.BRIEF_LOSS),
        ("qos pfc default-global cable-length 5", Risk.BRIEF_LOSS),
        ("vrf default router bgp neighbor 10.0.0.1 remote-as 65001", Risk.BRIEF_LOSS),
        ("router bgp autonomous-system 65001", Risk.RESTART),
        ("router bgp enable on", Risk.RESTART),
        ("router bgp state enabled", Risk.RESTART),
        ("system syslog server 192.0.2.1 port 514", Risk.HARMLESS),
        ("bridge domain br_default vlan 101", Risk.BRIEF_LOSS),
    ],
)
def test_risk_of_a_line(name, risk):
    assert statements("cumulus").risk(name) is risk


def test_changes_name_values_before_and_after():
    now = (intended() - read("nv set interface swp1 link mtu 9100\n")) | read(
        "nv set interface swp1 link mtu 9216\nnv set bridge domain br_default vlan 9\n"
    )
    found = {item.path: (item.before, item.after) for item in cumulus.changes(now, intended())}
    assert found == {
        "interface swp1 link mtu": ("9216", "9100"),
        "bridge domain br_default vlan 9": ("bridge domain br_default vlan 9", ""),
    }


def running_of(text):
    return Running("leaf1", "cumulus", text, text, None, {})


def test_states_apart_hide_secrets():
    left = "nv set system aaa user x hashed-password HUNTER2\nnv set system hostname a\n"
    right = "nv set system aaa user x hashed-password HUNTER3\nnv set system hostname a\n"
    found = cumulus.CumulusAdapter().apart(running_of(left), running_of(right))
    assert found == {"system aaa user x hashed-password"}
    shown = str(cumulus.changes(read(left), read(right)))
    assert "HUNTER" not in shown


# -- runs ------------------------------------------------------------------------------------------


def run(made, folder, connections):
    return apply(made, folder / "state", connections, OPTIONS, labs.silent)


INVENTORIES = {
    "leaf and spine": SKUS,
    "leaf": {"ACS-MSN4700": "SN4700"},
    "spine": {"7060X6-64PE": "SN5600"},
}


def inventory(name):
    text = labs.INVENTORY
    for old, new in INVENTORIES[name].items():
        text = text.replace(old, new)
    return text


@contextmanager
def finished(folder, monkeypatch):
    """Yield a lab on which the inventory has been applied, with connections and the folder."""
    text = inventory("leaf and spine")
    with labs.running_lab(folder, monkeypatch, text) as (lab, project, connections):
        result = run(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, project, connections, folder


@pytest.fixture
def ready(tmp_path, monkeypatch):
    with finished(tmp_path, monkeypatch) as made:
        yield made


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory):
    """The same for all tests that leave the lab as their inventory says."""
    with (
        pytest.MonkeyPatch.context() as patch,
        finished(tmp_path_factory.mktemp("shared"), patch) as made,
    ):
        yield made


@pytest.fixture
def shared(shared_lab):
    lab, _, connections, folder = shared_lab
    yield lab, Project(folder / "inventory"), connections, folder
    for name in lab.names():
        lab[name].faults.clear()


def whole(lab):
    return {name: write(lab[name].applied) for name in (labs.LEAF, labs.SPINE)}


@pytest.mark.mechanism
@pytest.mark.parametrize("name", INVENTORIES)
def test_from_the_box_to_a_verified_fabric(name, tmp_path, monkeypatch):
    """Alone, and beside other systems."""
    with labs.running_lab(tmp_path, monkeypatch, inventory(name)) as (lab, project, connections):
        result = run(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        assert planned(project, connections).empty
        for switch in (labs.LEAF, labs.SPINE):
            if lab[switch].spec.platform == "cumulus":
                assert ("interface", "eth0", "ip", "vrf", "mgmt") in lab[switch].applied
                assert ("$6$lab$notasecret") in {path[-1] for path in lab[switch].applied}


@pytest.mark.fault(22)
def test_secrets_stay_out_of_plan_and_journal(shared):
    _, _, _, folder = shared
    for path in (folder / "state").rglob("*"):
        if path.is_file():
            assert b"$6$lab$" not in path.read_bytes()
            assert b"lab-password" not in path.read_bytes()


@pytest.mark.parametrize(
    ("lines", "path"),
    [
        (
            ["nv set qos congestion-control default-global traffic-class 3 max-threshold 9"],
            "traffic-class 3 max-threshold",
        ),
        (["nv unset interface swp1 qos pfc-watchdog"], "interface swp1 qos pfc-watchdog"),
        (["nv set interface swp1 link state down"], "interface swp1 link state"),
        (["nv set bridge domain br_default vlan 300"], "br_default vlan 300"),
        (["nv unset qos"], "qos roce mode"),
        (["nv set interface vlan300 ip address 10.9.9.1/24"], "interface vlan300"),
    ],
)
def test_a_change_by_hand_is_drift_and_goes_away(shared, lines, path):
    lab, project, connections, folder = shared
    before = whole(lab)
    lab[labs.LEAF].hand_edit(*lines)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    odd = {name for name, item in found.items() if not item.ok}
    assert {labs.LEAF} <= odd <= {labs.LEAF, labs.HOST}  # a shut port is dark at the host too
    assert any(path in item.path for item in found[labs.LEAF].drift)
    result = run(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert whole(lab) == before


def test_pfc_that_is_off_is_a_deviation(ready):
    lab, project, connections, _ = ready
    lab[labs.LEAF].hand_edit("nv set qos roce mode lossy")
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    told = [str(item) for item in found[labs.LEAF].deviations]
    assert f"{labs.LEAF}: pfc swp1: priorities none, expected 3" in told


@pytest.mark.fault(28)
def test_unsaved_configuration_is_reported(ready):
    lab, project, connections, _ = ready
    lab[labs.LEAF].hand_edit("nv set system timezone Etc/UTC", save=False)
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert [str(item) for item in found[labs.LEAF].deviations] == [
        f"{labs.LEAF}: saved configuration: the running configuration is not saved"
    ]


def test_thresholds_change_without_harm_and_are_taken_back(ready):
    lab, _, connections, folder = ready
    before = whole(lab)
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    assert {made.devices[name].risk for name in (labs.LEAF, labs.SPINE)} == {Risk.HARMLESS}
    assert "max-threshold 1400000" in made.devices[labs.LEAF].diff
    result = run(made, folder, connections)
    assert result.ok, result.reasons
    assert whole(lab) != before
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert whole(lab) == before


def test_the_first_run_is_taken_back_too(ready):
    lab, _, connections, folder = ready
    back = rollback(1, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    for name in (labs.LEAF, labs.SPINE):
        assert {path[0] for path in lab[name].applied} == {"system", "interface"}
        assert not [path for path in lab[name].applied if path[1].startswith("swp")]


@pytest.mark.fault(12)
def test_foreign_work_is_respected(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    lab[labs.SPINE].run_detached("nv set system timezone Etc/UTC")
    before = whole(lab)
    result = run(made, folder, connections)
    assert not result.ok
    assert "another configuration session is active on it: revision" in result.reasons[0]
    assert whole(lab) == before


@pytest.mark.fault(5)
def test_another_switch_is_never_written_to(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    before = whole(lab)
    lab[labs.SPINE].faults.add(Fault("identity", text="other-switch", times=0))
    result = run(made, folder, connections)
    assert not result.ok
    assert "host name is 'other-switch', expected 'spine01'" in result.reasons[0]
    assert whole(lab) == before


FAULTS = {
    "refuses a line": Fault("refuse_line", pattern="max-threshold"),
    "refuses the patch": Fault("refuse_line", pattern="nv config patch"),
    "refuses to apply": Fault("refuse_line", pattern="nv config apply --confirm"),
    "takes only a part": Fault("accept_part", pattern="nv config patch", count=1),
    "is cut in the commit": Fault("cut_at_command", pattern="nv config apply --confirm"),
    "is cut in its answer": Fault("cut_at_byte", pattern="nv config apply --confirm", count=30),
    "reboots in the commit": Fault("reboot", pattern="nv config apply --confirm", seconds=0.5),
    "loses its timer": Fault("expire_timer", pattern="show ip bgp summary", nth=2),
    "is cut when it is confirmed": Fault("cut_at_command", pattern="--confirm-yes"),
    "is slow": Fault("slow", pattern="nv show", seconds=0.2, times=3),
}
HARMLESS = {"is slow"}


CASES = [
    pytest.param(device, *case.values, marks=case.marks, id=f"{device}-{case.id}")
    for device, names in (
        (labs.LEAF, FAULTS),
        (labs.SPINE, ("refuses a line", "reboots in the commit")),
    )
    for case in by_injection(FAULTS, names)
]


def changed_everywhere(folder):
    """Return the project after a change that no switch has seen yet."""
    file = folder / "inventory" / "fabric.yaml"
    text = re.sub(
        r"kmax_bytes: (\d+)", lambda m: f"kmax_bytes: {int(m[1]) - 1000}", file.read_text()
    )
    file.write_text(re.sub(r"timeout_s: (\d+)", lambda m: f"timeout_s: {int(m[1]) - 3}", text))
    return Project(folder / "inventory")


@pytest.mark.parametrize(("device", "name"), CASES)
def test_fault_in_the_commit_window(shared, name, device):
    """Whatever goes wrong, the switch is as before, or the run succeeds; never in between."""
    lab, _, connections, folder = shared
    project = changed_everywhere(folder)
    made = planned(project, connections)
    before = whole(lab)
    lab[device].faults.add(dataclasses.replace(FAULTS[name]))
    result = run(made, folder, connections)
    lab[device].faults.clear()
    if name in HARMLESS:
        assert result.ok, result.reasons
        return
    assert not result.ok
    assert any(device in reason for reason in result.reasons)
    assert whole(lab)[device] == before[device]
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states.get(device, "untouched") in {"rolled-back", "untouched"}
    repaired = run(planned(project, connections), folder, connections)
    assert repaired.ok, repaired.reasons


def test_a_plan_file_holds_what_it_does(ready):
    _, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    data = json.loads(planned(project, connections).to_json())
    leaf = data["devices"][labs.LEAF]
    assert leaf["method"] == "patch"
    assert [(item["before"], item["after"]) for item in leaf["changes"]] == [("1500000", "1400000")]
