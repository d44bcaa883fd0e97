"""The Junos stand-in: its database, what it refuses, what it shows, its protocol and its faults."""

from __future__ import annotations

import re
import socket
import time
from typing import TYPE_CHECKING

import paramiko
import pytest

from fabric.lab.clock import LabClock
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.lab.wiring import specs, wire
from fabric.render import render_device
from fabric.systems.junos.lab import JunosStandIn
from fabric.systems.junos.lab.checks import problems
from fabric.systems.junos.lab.netconf import END
from fabric.systems.junos.lab.show import View
from fabric.systems.junos.lab.store import JunosError, Store, edit, lines_of
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.platforms.tree import tree_text
from tests.render.designs import text_of
from tests.render.junos_designs import designs
from tests.waiting import LONGEST_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "lab-only"
START = """\
set system host-name leaf1
set system login user admin class super-user
set system services netconf ssh
set interfaces et-0/0/0 mtu 9100
set interfaces et-0/0/0 unit 0 family inet address 10.0.0.1/31
"""


def spec(running: str = START) -> StandInSpec:
    """Return a switch with one cable."""
    return StandInSpec(
        "leaf1", "junos", "admin", PASSWORD, "02:00:00:00:00:01", "SER1", "QFX5240-64OD", running,
        (Neighbour("et-0/0/0", "spine1", "et-0/0/3"),), options={"ports": "et-0/0/0,et-0/0/1"},
    )  # fmt: skip


@pytest.fixture
def store() -> Store:
    """Return a database with a clock of its own."""
    return Store(START, LabClock(), "admin")


def test_a_value_takes_the_place_of_another(store: Store) -> None:
    """And an address stands beside another."""
    store.load_set("set interfaces et-0/0/0 mtu 9216")
    store.load_set("set interfaces et-0/0/0 unit 0 family inet address 10.0.0.3/31")
    text = lines_of(store.candidate)
    assert "mtu 9100" not in text
    assert text.count(" address ") == 2


def test_deleting_takes_all_that_is_below(store: Store) -> None:
    """And what is not there cannot be deleted."""
    store.load_set("delete interfaces")
    assert "interfaces" not in lines_of(store.candidate)
    with pytest.raises(JunosError) as caught:
        store.load_set("delete interfaces et-0/0/0")
    assert (caught.value.message, caught.value.severity) == ("statement not found", "warning")


def test_a_level_is_shown_by_what_it_holds() -> None:
    """A flag that opens a level is not shown beside its content."""
    head = "set class-of-service congestion-notification-profile R pfc-watchdog"
    found = Store(f"{head}\n{head} recovery 200\n", LabClock(), "admin")
    assert lines_of(found.candidate) == f"{head} recovery 200\n"


@pytest.mark.parametrize(
    "line",
    [
        "set system hostname x",
        "set interfaces Ethernet1 mtu 9000",
        "set interfaces et-0/0/0 mtu 20000",
        "set class-of-service forwarding-classes class A queue-num 9",
        "set class-of-service congestion-notification-profile A pfc-watchdog watchdog-action alert",
        "set protocols bgp group fabric neighbor 10.0.0.0 peer-as many",
        "show version",
    ],
)
def test_unknown_statements_are_syntax_errors(store: Store, line: str) -> None:
    """And nothing of them is taken."""
    with pytest.raises(JunosError, match="syntax error"):
        store.load_set(line)
    assert not store.changed


def test_lock(store: Store) -> None:
    """Of one session, not above changes of others, and it takes its own changes along."""
    store.lock(1)
    store.lock(1)
    for refused in (store.lock, store.check_free, store.unlock):
        with pytest.raises(JunosError):
            refused(2)
    store.load_set("set system arp aging-timer 3")
    store.end(2)
    assert store.changed
    store.end(1)
    assert (store.changed, store.owner) == (False, None)
    store.load_set("set system arp aging-timer 3")
    with pytest.raises(JunosError, match="configuration database modified"):
        store.lock(1)


@pytest.mark.parametrize("confirming", ["commit", "check", "nobody", "early"])
def test_commit_timer(store: Store, confirming: str) -> None:
    """Any commit confirms, and so does a check; else the configuration before comes back."""
    before = store.committed
    store.clock.stop()
    store.load_set("set system arp aging-timer 3")
    store.commit(minutes=2, log="token")
    assert (store.history[0].comment, store.history[0].log) == (
        "commit confirmed, rollback in 2mins",
        "token",
    )
    if confirming in {"commit", "check"}:
        getattr(store, confirming)()
    store.clock.advance(119 if confirming == "early" else 121)
    assert (store.committed == before) is (confirming == "nobody")
    assert (store.timer is None) is (confirming != "early")
    if confirming == "nobody":
        assert (store.history[0].user, store.history[0].log) == ("root", "")
        assert not store.changed


def test_rollbacks(store: Store) -> None:
    """Numbered from the active one back; fifty of them."""
    for minutes in range(1, 61):
        store.load_set(f"set system arp aging-timer {minutes}")
        store.commit()
    assert len(store.history) == 50
    store.rollback(1)
    assert "aging-timer 59" in lines_of(store.candidate)
    store.rollback(0)
    assert not store.changed
    with pytest.raises(JunosError):
        store.rollback(50)


def test_commits_of_others_keep_the_candidate(store: Store) -> None:
    """What somebody left there stays."""
    store.load_set("set system arp aging-timer 3")
    store.commit_by("operator", "set system ntp server 192.0.2.1")
    assert "aging-timer" not in lines_of(store.committed)
    assert "aging-timer 3" in lines_of(store.candidate)
    assert store.history[0].user == "operator"


def test_what_is_inactive(store: Store) -> None:
    """A mark beside the statement that can be taken away again."""
    store.load_set("deactivate interfaces et-0/0/0")
    assert "deactivate interfaces et-0/0/0\n" in lines_of(store.candidate)
    store.load_set("activate interfaces et-0/0/0")
    assert not store.changed
    store.load_set("deactivate interfaces et-0/0/0\ndelete interfaces et-0/0/0")
    assert "deactivate" not in lines_of(store.candidate)


def test_compare_and_tree(store: Store) -> None:
    """By level, and as a hierarchy that can be loaded in place of it."""
    assert store.compare() == ""
    store.load_set("set interfaces et-0/0/0 mtu 9216")
    assert store.compare() == "[edit interfaces et-0/0/0]\n-  mtu 9100;\n+  mtu 9216;"
    store.rollback(0)
    store.load_tree(store.tree, replace=True)
    assert sorted(store.candidate) == sorted(store.committed)


COS = """\
set class-of-service interfaces et-0/0/0 scheduler-map M
set class-of-service interfaces et-0/0/0 congestion-notification-profile P
set class-of-service interfaces et-0/0/0 unit 0 classifiers dscp D
set class-of-service scheduler-maps M forwarding-class best-effort scheduler S
set class-of-service schedulers S drop-profile-map loss-priority any protocol any drop-profile E
set class-of-service congestion-notification-profile P pfc-watchdog
set class-of-service classifiers dscp D forwarding-class CNP loss-priority low code-points 110000
set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service drop-profiles E interpolate fill-level 1
set class-of-service drop-profiles E interpolate fill-level 2
set class-of-service drop-profiles E interpolate drop-probability 0
set class-of-service drop-profiles E interpolate drop-probability 100
set class-of-service shared-buffer ingress buffer-partition lossless percent 66
set class-of-service shared-buffer ingress buffer-partition lossless-headroom percent 24
set class-of-service shared-buffer ingress buffer-partition lossy percent 10
set class-of-service shared-buffer egress buffer-partition lossless percent 66
set routing-options forwarding-table export A
set policy-options policy-statement A then load-balance per-packet
set interfaces et-0/0/0 unit 0 family ethernet-switching vlan members V
set vlans V l3-interface irb.7
set interfaces irb unit 7 family inet address 10.0.0.1/24
set protocols bgp group fabric neighbor 10.0.0.0 local-address 10.0.0.1
set protocols bgp group fabric neighbor 10.0.0.0 peer-as 65000
"""
WITHOUT = {
    "scheduler-map M is not defined": "scheduler-maps M",
    "congestion-notification-profile P is not defined": "congestion-notification-profile P pfc",
    "classifier D is not defined": "classifiers dscp D forwarding",
    "scheduler S is not defined": "schedulers S",
    "drop-profile E is not defined": "drop-profiles E",
    "forwarding-class CNP is not defined": "forwarding-classes class CNP",
    "sum of ingress buffer partition percentages is 76, not 100": "lossless-headroom",
    "drop-profile E: fill-level and drop-probability differ in number": "fill-level 1",
    "policy A is not defined": "policy-statement A",
    "vlan V is not defined": "vlans V",
    "interface 7 is not defined": "irb unit 7",
    "BGP peer 10.0.0.0 has no peer-as": "peer-as",
}


def words_of(text: str) -> list[tuple[str, ...]]:
    """Return the statements of lines."""
    return [words for _, words in read_set(text)]


@pytest.mark.parametrize("problem", WITHOUT)
def test_commit_checks(problem: str) -> None:
    """Each finds what is missing, and nothing else."""
    rows = [row for row in COS.splitlines(keepends=True) if WITHOUT[problem] not in row]
    assert problems(words_of(COS)) == []
    assert problems(words_of("".join(rows))) == [problem]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("egress buffer-partition lossless percent 66", None, ""),
        ("lossy percent 10", "lossy percent 11", "ingress buffer partition percentages is 101"),
        (
            "egress buffer-partition lossless percent 66",
            "egress buffer-partition lossy percent 99",
            "",
        ),
        ("fill-level 2", "fill-level 1", "differ in number"),
        ("fill-level 2", "fill-level 0", "must increase"),
    ],
)
def test_more_commit_checks(old: str, new: str | None, message: str) -> None:
    """Of sums and orders."""
    text = COS.replace(old, new) if new else "\n".join(r for r in COS.splitlines() if old not in r)
    found = problems(dict.fromkeys(words_of(text)))
    assert [item for item in found if message in item] == found
    assert bool(found) is bool(message)


@pytest.mark.parametrize(
    ("inventory", "switch"),
    [("demo", "su1-rail0"), ("rail-512", "spine01"), ("a100-pcie", "rack1-leaf")],
)
def test_rendered_configurations_are_taken(inventory: str, switch: str) -> None:
    """By grammar and commit."""
    design = designs(inventory)[switch]
    text = text_of(design)
    found = Store(JunosStandIn.factory(design, ""), LabClock(), "admin")
    found.load_set(text)
    found.commit()
    other = Store(JunosStandIn.factory(design, ""), LabClock(), "admin")
    other.load_tree(tree_text(words for _, words in read_set(text)), replace=False)
    assert sorted(other.candidate) == sorted(found.candidate)


def test_rendered_percents_that_are_not_100_are_refused() -> None:
    """The check would find it if the models were wrong."""
    text = render_device(designs("demo")["spine01"])[0].text
    found = Store(
        text.replace("lossless-headroom percent 24", "lossless-headroom percent 23"),
        LabClock(),
        "a",
    )
    with pytest.raises(JunosError, match="is 99, not 100"):
        found.commit()


def test_views() -> None:
    """LLDP hears where it listens; sessions follow their far end; VLANs name their ports."""
    view = View(spec())
    lines = words_of(
        f"{START}set protocols lldp interface all\nset vlans V vlan-id 7\n"
        "set interfaces et-0/0/1 unit 0 family ethernet-switching vlan members V\n"
        "set protocols bgp group fabric neighbor 10.0.0.0 peer-as 65000\n"
    )
    assert "et-0/0/0           -" in view.lldp(lines)
    assert "spine1" not in view.lldp(words_of(START))
    off = words_of("set interfaces et-0/0/0 disable\nset protocols lldp interface all")
    assert "spine1" not in view.lldp(off)
    assert "Peers: 1 Down peers: 1" in view.bgp(lines)
    view.peer_up = lambda address: address == "10.0.0.0"
    assert "Peers: 1 Down peers: 0" in view.bgp(lines)
    towards = words_of("set interfaces et-0/0/0 unit 0 family inet address 10.0.0.1/31")
    assert "Peers: 1 Down peers: 0" in view.bgp([*lines, *towards])
    view.lit = lambda port: port != "et-0/0/0"
    assert "Peers: 1 Down peers: 1" in view.bgp([*lines, *towards])
    assert "spine1" not in view.lldp(lines)
    assert view.bgp([]) == "BGP is not running\n"
    assert re.search(r"V +7\n +et-0/0/1\.0\*\n", view.text("show vlans", lines, "x") or "")
    assert (
        "<name>et-0/0/1</name><admin-status>up</admin-status><oper-status>down<"
        in view.interfaces(lines)
    )
    assert view.text("show chassis", lines, "x") is None


# -- the protocol


@pytest.fixture
def lab() -> Iterator[Lab]:
    """Return a running lab of one switch."""
    with Lab([spec()]) as running:
        yield running


class Client:
    """A NETCONF client that knows nothing but the framing."""

    def __init__(self, device: JunosStandIn) -> None:
        sock = socket.create_connection((device.address, device.port), 5)
        self._ssh = paramiko.Transport(sock)
        try:
            self._ssh.connect(username="admin", password=PASSWORD)
            self._channel = self._ssh.open_session()
        except BaseException:
            self.close()
            raise
        self._channel.settimeout(5)
        self._channel.invoke_subsystem("netconf")
        self.hello = self.read()
        self._send("<hello><capabilities/></hello>")

    def _send(self, text: str) -> None:
        self._channel.sendall(f"{text}{END}".encode())

    def read(self) -> str:
        """Return one message, or what came before the end."""
        data = b""
        while not data.rstrip().endswith(END.encode()):
            more = self._channel.recv(4096)
            if not more:
                break
            data += more
        return data.decode()

    def ask(self, inner: str) -> str:
        """Return the answer to one operation."""
        self._send(f'<rpc message-id="7">{inner}</rpc>')
        return self.read()

    def close(self) -> None:
        """Break off."""
        self._ssh.close()


@pytest.fixture
def client(lab: Lab) -> Iterator[Client]:
    """Return a client that has said hello."""
    found = Client(lab["leaf1"])
    yield found
    found.close()


def test_hello_and_errors(client: Client) -> None:
    """Base 1.0, the id of the message, and rpc-error for what it does not know."""
    assert "urn:ietf:params:netconf:base:1.0" in client.hello
    assert "netconf:base:1.1" not in client.hello
    answer = client.ask("<get-nothing/>")
    assert 'message-id="7"' in answer
    assert "<error-message>syntax error</error-message>" in answer
    assert "<bad-element>get-nothing</bad-element>" in answer
    assert "expecting &lt;command&gt;" in client.ask('<command format="text">reload</command>')
    assert "<ok/>" in client.ask("<close-session/>")


def test_two_messages_in_one_packet(client: Client) -> None:
    """Are two."""
    message = f"<get-chassis-inventory/></rpc>{END}"
    both = f'<rpc message-id="1">{message}<rpc message-id="2">{message}'
    client._send(both)
    text = client.read()
    while text.count(END) < 2:
        text += client.read()
    assert text.count("SER1") == 2


def test_a_session_that_breaks_gives_its_lock_back(lab: Lab, client: Client) -> None:
    """With the changes that it made."""
    client.ask("<lock-configuration/>")
    lines = "<configuration-set>set system arp aging-timer 9</configuration-set>"
    assert "<ok/>" in client.ask(
        f'<load-configuration action="set" format="text">{lines}</load-configuration>'
    )
    assert lab["leaf1"].store.changed
    client.close()
    until(lambda: lab["leaf1"].store.owner is None, "the lock is free")
    assert not lab["leaf1"].store.changed


def test_a_shell_is_not_served(lab: Lab) -> None:
    """Only the subsystem is."""
    ssh = paramiko.Transport((lab["leaf1"].address, lab["leaf1"].port))
    ssh.connect(username="admin", password=PASSWORD)
    channel = ssh.open_session()
    channel.exec_command("id")
    assert channel.recv_exit_status() == 1
    ssh.close()


def test_cut_answer_and_reboot(lab: Lab, client: Client) -> None:
    """What came before the cut arrives; after a reboot the switch is there again."""
    leaf = lab["leaf1"]
    leaf.faults.add(Fault("cut_at_byte", pattern="show version", count=30))
    assert len(client.ask("<command>show version</command>")) == 30
    again = Client(leaf)
    leaf.faults.add(Fault("reboot", pattern="show version", seconds=0.3))
    assert again.ask("<command>show version</command>") == ""
    again.close()
    deadline_s = time.monotonic() + LONGEST_S
    while True:
        try:
            back = Client(leaf)
        except (OSError, EOFError, paramiko.SSHException):
            assert time.monotonic() < deadline_s
            time.sleep(0.05)
        else:
            break
    assert "leaf1" in back.ask("<command>show version</command>")
    back.close()
    assert leaf.boots == 2


def test_a_commit_without_netconf_cuts_the_switch_off(lab: Lab, client: Client) -> None:
    """Until its timer brings it back."""
    lines = "<configuration-set>delete system services</configuration-set>"
    client.ask(f'<load-configuration action="set" format="text">{lines}</load-configuration>')
    client.ask(
        "<commit-configuration><confirmed/><confirm-timeout>1</confirm-timeout></commit-configuration>"
    )
    assert client.read() == ""
    with pytest.raises((OSError, EOFError, paramiko.SSHException, AssertionError)):
        assert Client(lab["leaf1"]).hello
    lab.clock.advance(61)
    back = Client(lab["leaf1"])
    assert back.hello
    back.close()


def test_wired_switches_have_sessions_when_both_ends_know_them() -> None:
    """And their ports have the names that the design says."""
    made = designs("demo")
    lab = Lab(specs(made, {}, PASSWORD))
    wire(lab, made)
    leaf, spine = lab["su1-rail0"], lab["spine01"]
    for switch in (leaf, spine):
        assert "BGP is not running" in switch.view.bgp(switch.lines)
        switch.hand_edit(render_device(made[switch.spec.name])[0].text)
    assert re.search(r"10\.254\.0\.0 .* Establ\n", leaf.view.bgp(leaf.lines))
    assert re.search(r"10\.254\.0\.2 .* Active\n", leaf.view.bgp(leaf.lines))
    spine.hand_edit("delete protocols bgp")
    assert "Peers: 2 Down peers: 2" in leaf.view.bgp(leaf.lines)
    assert "et-0/0/32          -" in leaf.view.lldp(leaf.lines)


def test_edit_refuses_what_cannot_be_deactivated() -> None:
    """A statement that is not there."""
    with pytest.raises(JunosError, match="statement not found"):
        edit({}, "deactivate", ("protocols", "rstp"))
