"""Junos: what changes and how, and whole runs on the lab, undisturbed and under faults."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.lines.book import statements
from fabric.change.model import Risk
from fabric.core.errors import DeviceError, IdentityMismatchError
from fabric.devices.redaction import redacted
from fabric.lab.faults import Fault
from fabric.lab.spec import Neighbour
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.systems.junos import adapters as junos
from fabric.systems.junos.lab.store import JunosError, edit, lines_of
from fabric.systems.junos.parsers.config import configuration
from fabric.systems.junos.platforms import ORDERED_PARTS
from fabric.systems.junos.platforms.text import read_set
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift, verify
from tests.cases import each, examples
from tests.change import labs
from tests.change.labs import ALL, planned
from tests.reliability.faults import by_injection
from tests.render.junos_designs import designs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
KEPT = """\
set version 23.4X100-D31.6-EVO
set system root-authentication encrypted-password "$6$salt$hash"
set system login user admin class super-user
set system login user admin authentication ssh-ed25519 "ssh-ed25519 AAAA admin"
set system services netconf ssh
set system management-instance
set system time-zone Etc/UTC
set system ntp source-address 192.0.2.2
set system syslog file messages any notice
set chassis fpc 0 traffic-manager buffer-monitor-enable
set interfaces re0:mgmt-0 unit 0 family inet address 192.0.2.2/24
set interfaces lo0 unit 0 family inet6 address 2001:db8::1/128
set interfaces lo0 unit 7 family inet address 10.99.0.1/32
set snmp community public authorization read-only
set routing-options static route 198.51.100.0/24 next-hop 192.0.2.1
set policy-options policy-statement THEIRS term 1 then accept
set protocols ospf area 0.0.0.0 interface lo0.7
deactivate protocols ospf
set apply-groups mine
"""
OURS = """\
set system host-name old
set system arp aging-timer 20
set system ntp server 203.0.113.1
set system syslog host 203.0.113.2 any any
set chassis maximum-ecmp 128
set interfaces et-0/0/0 mtu 1514
set interfaces et-0/0/9 unit 0 family inet6 address 2001:db8::2/127
set interfaces et-0/0/9 unit 0 family inet address 10.9.9.9/31
set interfaces et-0/0/60:1 mtu 9216
set interfaces irb unit 77 family inet address 10.77.0.1/24
set interfaces lo0 unit 0 family inet address 10.0.0.1/32
set vlans old vlan-id 77
set class-of-service forwarding-classes class OLD queue-num 4
set class-of-service drop-profiles ECN interpolate fill-level 10
set class-of-service drop-profiles ECN interpolate fill-level 20
set class-of-service drop-profiles ECN interpolate drop-probability 0
set class-of-service drop-profiles ECN interpolate drop-probability 50
set policy-options policy-statement FABRIC-OUT term rest then reject
set policy-options policy-statement FABRIC-OUT term more then accept
set routing-options autonomous-system 65000
set protocols bgp group old neighbor 10.0.0.2 peer-as 65002
set protocols bgp group fabric authentication-key "$9$secret"
set protocols lldp interface et-0/0/3
set protocols rstp interface et-0/0/9 edge
deactivate protocols rstp
"""
LEAF = "su1-rail0"


def intended(inventory="demo", switch=LEAF):
    return render_device(designs(inventory)[switch])[0].text


def take(config, verb, words):
    """Apply a line as the switch does; statements of others may be any."""
    try:
        edit(config, verb, words)
    except JunosError as error:
        if verb != "set" or error.message != "syntax error":
            raise
        config[verb, words] = None


def applied(before, lines):
    """Return what the lines make of a configuration."""
    config = dict.fromkeys(before)
    for verb, words in lines:
        take(config, verb, words)
    return configuration(lines_of(config))


def composed(running, wanted):
    return junos.compose(read_set(running), read_set(wanted))


def text_of(lines):
    return configuration(lines_of(lines))


def test_what_is_not_ours_is_kept():
    after = composed(KEPT + OURS, intended())
    assert [line for line in after if not junos.is_owned(line)] == read_set(KEPT)


def test_what_is_ours_is_replaced():
    after = composed(OURS, intended())
    assert after == read_set(intended())


@each("line", read_set(OURS))
def test_each_statement_of_ours_goes(line):
    before = [*read_set(KEPT), *([("set", line[1])] if line[0] == "deactivate" else []), line]
    after = composed(KEPT, intended())
    assert applied(before, junos.patch(before, after)) == text_of(after)


@pytest.mark.parametrize("inventory", ["demo", "rail-512", "a100-pcie"])
def test_running_and_patch_is_intended_and_rollback_is_running(inventory):
    for switch in ("spine01", LEAF if inventory != "a100-pcie" else "rack1-leaf"):
        before = read_set(KEPT + OURS)
        after = composed(KEPT + OURS, intended(inventory, switch))
        there = junos.patch(before, after)
        assert applied(before, there) == text_of(after)
        now = read_set(text_of(after))
        assert applied(now, junos.patch(now, before)) == text_of(before)
        assert junos.patch(now, read_set(text_of(after))) == []


@cache
def some_lines():
    return read_set(intended()) + read_set(intended("rail-512"))[:120] + read_set(KEPT + OURS)


@examples(60)
@given(data=st.data())
def test_any_configuration_leads_to_any_other(data):
    """Of parts of real configurations, in any order."""
    pick = st.lists(st.sampled_from(some_lines()), max_size=25, unique=True)

    def whole(lines):
        config = {}
        for verb, words in lines:
            if verb == "set":
                take(config, verb, words)
        return list(config)

    before, after = whole(data.draw(pick)), whole(data.draw(pick))
    if before and after:
        assert applied(before, junos.patch(before, after)) == text_of(after)


def test_a_value_is_set_and_not_deleted_first():
    before = read_set("set interfaces et-0/0/0 mtu 1514\nset interfaces et-0/0/0 speed 400g")
    after = read_set("set interfaces et-0/0/0 mtu 9216\nset interfaces et-0/0/0 speed 400g")
    assert junos.patch(before, after) == [after[0]]


def test_a_level_goes_as_a_whole_when_nothing_stays():
    before = read_set("set protocols bgp group a type external\nset protocols lldp interface all")
    assert junos.patch(before, before[1:]) == [("delete", ("protocols", "bgp"))]


def test_an_ordered_part_is_written_anew():
    head = "set class-of-service drop-profiles ECN interpolate fill-level"
    before = read_set(f"{head} 10\n{head} 20")
    after = read_set(f"{head} 5\n{head} 20")
    assert junos.patch(before, after) == [
        ("delete", ("class-of-service", "drop-profiles", "ECN")),
        *after,
    ]
    turned = [before[1], before[0]]
    assert junos.patch(before, turned)[1:] == turned
    assert [change.after for change in junos._changes(before, turned)] == [
        f"{head} 20",
        f"{head} 10",
    ]


def test_a_level_that_was_empty_is_not_deleted():
    head = "set class-of-service congestion-notification-profile R pfc-watchdog"
    before, after = read_set(head), read_set(f"{head} recovery 200")
    assert junos.patch(before, after) == after
    assert junos.patch(after, before)[0][0] == "delete"


def test_what_somebody_deactivated_is_activated():
    before = read_set("set protocols lldp interface all\ndeactivate protocols lldp")
    assert junos.patch(before, before[:1]) == [("activate", ("protocols", "lldp"))]


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        (
            "set class-of-service shared-buffer ingress buffer-partition lossy percent 3",
            "PORT_FLAP",
        ),
        ("set class-of-service interfaces et-0/0/0 congestion-notification-profile A", "PORT_FLAP"),
        ("set class-of-service congestion-notification-profile A pfc-watchdog", "PORT_FLAP"),
        ("delete interfaces et-0/0/0 disable", "PORT_FLAP"),
        ("set interfaces et-0/0/0 mtu 9100", "PORT_FLAP"),
        ("set interfaces et-0/0/0 description x", "HARMLESS"),
        ("set class-of-service drop-profiles ECN interpolate fill-level 3", "HARMLESS"),
        ("set system ntp server 192.0.2.1", "HARMLESS"),
        ("set protocols bgp group fabric hold-time 9", "BRIEF_LOSS"),
        ("set policy-options policy-statement FABRIC-OUT term rest then reject", "BRIEF_LOSS"),
    ],
)
def test_risk_of_a_statement(text, risk):
    assert statements("junos").risk(text.partition(" ")[2]) is Risk[risk]


SECRETS = [
    'set system root-authentication encrypted-password "$6$HUNTER2"',
    'set protocols bgp group fabric authentication-key "$9$HUNTER2"',
    "set snmp community HUNTER2 authorization read-only",
    'set system radius-server 192.0.2.1 secret "$9$HUNTER2"',
    'set system tacplus-server 192.0.2.1 secret "$9$HUNTER2"',
    'set system ntp authentication-key 1 type md5 value "$9$HUNTER2"',
    'set security authentication-key-chains key-chain k key 1 secret "$9$HUNTER2"',
]


@pytest.mark.parametrize("line", SECRETS)
def test_secrets_are_hidden(line):
    assert "HUNTER2" not in redacted(line)
    left = Running("x", "junos", f"{line}\n", "", None, {})
    right = Running("x", "junos", "set system host-name x\n", "", None, {})
    assert "HUNTER2" not in str(junos.JunosAdapter().apart(left, right))


def test_states_apart_are_named_as_the_changes_name_them():
    left, right = (Running("x", "junos", text, text, None, {}) for text in (OURS, KEPT))
    changes = junos._changes(read_set(OURS), read_set(KEPT))
    assert junos.JunosAdapter().apart(left, right) == {change.path for change in changes}


# -- whole runs


SPINE, HOST = labs.SPINE, labs.HOST


def run(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


@contextmanager
def fresh_lab(folder, monkeypatch):
    """Yield lab and connections file of an inventory that has been applied."""
    monkeypatch.setattr(
        "ncclient.transport.session.TICK", 0.002
    )  # ncclient looks for something to send that often
    with labs.running_lab(folder, monkeypatch, labs.JUNOS) as (lab, project, connections):
        result = run(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, connections


@pytest.fixture(scope="module")
def whole_lab(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patch,
        fresh_lab(tmp_path_factory.mktemp("junos"), patch) as made,
    ):
        yield made


@pytest.fixture
def ready(whole_lab, tmp_path):
    """The lab as the inventory says; each test has an inventory and a journal of its own."""
    lab, connections = whole_lab
    mine = tmp_path / "connections.json"
    mine.write_text(connections.read_text())
    before = {name: lab[name].store.committed for name in (LEAF, SPINE)}
    cables = {name: dict(lab[name].view.neighbours) for name in before}
    yield lab, Project(labs.write_inventory(tmp_path / "inventory", labs.JUNOS)), mine, tmp_path
    for name, config in before.items():
        lab[name].faults.clear()
        lab[name].store.expire()
        lab[name].store.candidate = dict.fromkeys(config)
        lab[name].store.commit()
        lab[name].view.neighbours = cables[name]


def changed(folder, old="kmax_bytes: 7500000", new="kmax_bytes: 6500000"):
    return labs.changed(folder / "inventory", old, new)


def everything(lab):
    return tuple(configuration(lab[name].running_text) for name in (LEAF, SPINE))


@pytest.mark.mechanism
def test_from_the_box_to_a_verified_fabric(ready):
    lab, project, connections, _ = ready
    assert labs.unhealthy(project, connections) == []
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))
    again = planned(project, connections)
    assert again.empty
    assert describe(again) == "No changes. 3 devices match the inventory.\n"
    for name in (LEAF, SPINE):
        text = lab[name].running_text
        assert "set system login user admin class super-user\n" in text
        assert "set interfaces re0:mgmt-0 unit 0 family inet address 192.0.2.2/24\n" in text
        assert set(read_set(project.switch_artefacts[name][0].text)) <= set(read_set(text))
        assert lab[name].store.timer is None


@pytest.mark.parametrize(
    ("edit_text", "path"),
    [
        ("set class-of-service drop-profiles ECN interpolate fill-level 90", "fill-level 90"),
        ("set interfaces et-0/0/0 mtu 1600", "et-0/0/0 mtu 1600"),
        ("delete class-of-service interfaces et-0/0/0 scheduler-map", "scheduler-map ROCE"),
        ("deactivate protocols lldp", "deactivate protocols lldp"),
        ("set system ntp server 203.0.113.9", "203.0.113.9"),
    ],
)
def test_a_change_by_hand_is_drift_and_goes_away(ready, edit_text, path):
    lab, project, connections, folder = ready
    if "fill-level" in edit_text:
        edit_text += "\nset class-of-service drop-profiles ECN interpolate drop-probability 50"
    lab[SPINE].hand_edit(edit_text)
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    assert [name for name, item in found.items() if not item.ok] == [SPINE]
    assert any(path in change.path for change in found[SPINE].drift)
    result = run(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))


def test_wrong_cable_and_missing_pfc_are_reported(ready):
    lab, project, connections, _ = ready
    lab[LEAF].view.neighbours["et-0/0/0"] = [Neighbour("et-0/0/0", "gpu9", "eth1")]
    lab[SPINE].hand_edit(
        "delete class-of-service interfaces et-0/0/0 congestion-notification-profile"
    )
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert [str(item) for item in found[LEAF].deviations] == [
        "su1-rail0: lldp et-0/0/0: gpu9 eth1, expected gpu1 eth1"
    ]
    assert [str(item) for item in found[SPINE].deviations] == [
        "spine01: pfc et-0/0/0: not in the output"
    ]


def test_a_port_shut_at_the_spine_is_down_at_the_leaf(ready):
    """LLDP and BGP of the link go at both ends."""
    lab, project, connections, _ = ready
    up, far = next((p.name, p.peer_port) for p in project.devices[LEAF].ports if p.peer == SPINE)
    lab[SPINE].hand_edit(f"set interfaces {far} disable")
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert found[LEAF].drift == ()
    told = [str(item) for item in found[LEAF].deviations]
    assert any(f"lldp {up}" in line for line in told), told
    assert any("bgp" in line for line in told), told


@pytest.mark.mechanism
def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    before = everything(lab)
    made = planned(changed(folder), connections)
    assert {item.method for item in made.devices.values()} == {"merge"}
    assert {item.risk.word for item in made.devices.values()} == {"harmless"}
    result = run(made, folder, connections)
    assert result.ok, result.reasons
    assert everything(lab) != before
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert everything(lab) == before


def test_first_run_is_taken_back_too(tmp_path, monkeypatch):
    with fresh_lab(tmp_path, monkeypatch) as (lab, connections):
        database = (tmp_path / "state" / "journal.sqlite3").read_bytes()
        for secret in (b"lab-password", b"$6$lab$"):
            assert secret not in database
        back = rollback(1, tmp_path / "state", connections, labs.silent)
        assert back.ok, back.reasons
        for name in (LEAF, SPINE):
            first = lab[name].store.history[-1].config
            assert configuration(lab[name].running_text) == text_of(first)


@pytest.mark.fault(12)
def test_somebody_else_at_work_is_respected(ready):
    lab, _, connections, folder = ready
    made = planned(changed(folder), connections)
    lab[SPINE].foreign_edit("set system arp aging-timer 9")
    before = everything(lab)
    result = run(made, folder, connections)
    assert not result.ok
    assert "changes in the candidate configuration" in result.reasons[0]
    assert everything(lab) == before
    assert lab[SPINE].store.changed


@pytest.mark.fault(5, 11)
def test_stale_plan_and_foreign_identity_are_refused(ready):
    lab, _, connections, folder = ready
    made = planned(changed(folder), connections)
    lab[SPINE].hand_edit("set system ntp server 203.0.113.9")
    before = everything(lab)
    result = run(made, folder, connections)
    assert "changed after it was planned" in result.reasons[0]
    lab[LEAF].faults.add(Fault("identity", text="other-switch", times=0))
    with pytest.raises(IdentityMismatchError):
        planned(Project(folder / "inventory"), connections)
    assert everything(lab) == before


@pytest.mark.fault(15)
def test_wrong_host_key_is_refused(ready):
    _, project, connections, _ = ready
    data = json.loads(connections.read_text())
    data["devices"][LEAF]["trust"] = data["devices"][HOST]["trust"]
    connections.write_text(json.dumps(data))
    with pytest.raises(DeviceError, match=r"cannot log in: .*host key"):
        planned(project, connections)


FAULTS = {
    "refuses a line": Fault("refuse_line", pattern="fill-level"),
    "refuses the check": Fault("refuse_line", pattern="commit check"),
    "refuses the commit": Fault("refuse_line", pattern="commit confirmed"),
    "refuses the lock": Fault("refuse_line", pattern="lock-configuration"),
    "is cut in the load": Fault("cut_at_command", pattern="load-configuration"),
    "is cut in the commit": Fault("cut_at_command", pattern="commit confirmed"),
    "is cut in its answer": Fault("cut_at_byte", pattern="commit confirmed", count=20),
    "is cut in a reading": Fault("cut_at_byte", pattern="show bgp", nth=2, count=100),
    "reboots in the commit": Fault("reboot", pattern="commit confirmed", seconds=0.5),
    "takes only a part": Fault("accept_part", pattern="load-configuration", count=1),
    "has its timer run out": Fault("expire_timer", pattern="show bgp summary", nth=2),
    "is slow": Fault("slow", pattern="show", seconds=0.3, times=3),
}
HARMLESS = {"is slow", "is cut in a reading"}


@pytest.mark.parametrize("name", by_injection(FAULTS))
def test_fault_in_the_commit_window(ready, name):
    """Whatever goes wrong, the switch is as before, or the run succeeds; never in between."""
    lab, _, connections, folder = ready
    made = planned(changed(folder), connections)
    before = everything(lab)
    lab[SPINE].faults.add(FAULTS[name])
    result = run(made, folder, connections)
    lab[SPINE].faults.clear()
    if name in HARMLESS:
        assert result.ok, result.reasons
        return
    assert not result.ok
    assert any(SPINE in reason for reason in result.reasons)
    assert everything(lab)[1] == before[1]
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states.get(SPINE, "untouched") in {"rolled-back", "untouched"}
    assert lab[SPINE].store.timer is None
    assert lab[SPINE].store.owner is None
    repaired = run(planned(Project(folder / "inventory"), connections), folder, connections)
    assert repaired.ok, repaired.reasons


@pytest.mark.fault(4)
def test_commit_that_cuts_off_netconf_comes_back_with_the_timer(ready):
    """As the real system: nobody can confirm, and the earlier configuration is loaded again."""
    lab, _, _, _ = ready
    store, before = lab[LEAF].store, lab[LEAF].running_text
    lab.clock.stop()
    store.load_set("delete system services")
    store.commit(minutes=1)
    assert not lab[LEAF].reachable
    lab.clock.advance(59)
    assert not lab[LEAF].reachable
    lab.clock.advance(2)
    assert lab[LEAF].reachable
    assert configuration(lab[LEAF].running_text) == configuration(before)
    assert re.search(r"system services netconf ssh", lab[LEAF].running_text)


def test_ordered_parts_are_found_by_their_first_word():
    for part in ORDERED_PARTS:
        words = part.replace(r"\S+", "ANY").split()
        assert junos._part(("set", (*words, "more"))) == " ".join(words)
    assert junos._part(("set", ("system", *words))) == ""


IN_INSTANCE = "set system {} routing-instance mgmt_junos"


@each(
    ("server", "running", "planned", "stays"),
    [
        ("ntp server 192.0.2.10", "", "ntp server 192.0.2.10", False),
        ("syslog host 192.0.2.20", "any info", "syslog host 192.0.2.20 any notice", True),
    ],
)
def test_the_instance_in_which_a_server_is_looked_for_stays(server, running, planned, stays):
    """The management port is in mgmt_junos when a switch starts from the box."""
    place, wanted = IN_INSTANCE.format(server), f"set system {planned}"
    now = f"set system {server} {running}\n{place}\n" if running else f"{place}\n"
    assert composed(now, wanted) == read_set("\n".join([place, *([wanted] if stays else [])]))
    assert composed(now.replace("192.0.2.", "192.0.3."), wanted) == read_set(wanted)


@each("running", ["", " prefer", " routing-instance OOB", " routing-instance mgmt_junos"])
def test_the_instance_that_is_planned_replaces_another(running):
    wanted = IN_INSTANCE.format("ntp server 192.0.2.10")
    after = composed(f"set system ntp server 192.0.2.10{running}\n", f"{wanted}\n")
    assert [line for line in after if "routing-instance" in line[1]] == read_set(wanted)
