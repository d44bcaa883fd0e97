"""The VRP8 switch of the lab: strict by view and family, with candidates and trial runs."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import paramiko
import pytest

from fabric.lab.clock import LabClock
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.systems.vrp8.lab.config import feed_text, read_text, text_lines
from fabric.systems.vrp8.lab.state import Candidate, Vrp8State
from fabric.systems.vrp8.parsers.text import configuration
from tests.cases import each
from tests.lab.conftest import PASSWORD
from tests.waiting import LONGEST_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator

PORTS = ("100GE1/0/1", "100GE1/0/2", "100GE1/0/3")
START = """\
sysname leaf01
lldp enable
aaa
 local-user admin password irreversible-cipher $1d$LAB
interface 100GE1/0/1
 undo portswitch
 ip address 10.1.1.1 255.255.255.254
bgp 65101
 peer 10.1.1.0 as-number 65200
"""
POOL = "qos buffer headroom-pool size 4 mbytes slot 1\n"
DOMAIN = "diffserv domain roce\ninterface 100GE1/0/2\n trust upstream roce\n"
DROP = "drop-profile p\n ecn buffer-size low-limit 400 high-limit 500 discard-percentage 5\n"
LIMITS = "drop-profile p\n ecn buffer-size"
QUEUE = f"{DROP}interface 100GE1/0/2\n qos queue 3 wred p\n"
PFC = f"{POOL}dcb pfc roce\n priority 3\ninterface 100GE1/0/2\n dcb pfc enable roce mode manual\n"


def tree(text: str, family: str = "b") -> Any:
    """Return a configuration that the switch has read."""
    return read_text(text, PORTS, family)


def shown(root: Any) -> str:
    """Return a configuration without its separators."""
    return configuration("\n".join([*text_lines(root), ""]))


SPLIT = "port split dimension interface 100GE1/0/1 split-type 4*25GE\n"


TAKEN = {
    "vlans": ("b", "vlan batch 5 to 7 9\n", "vlan batch 5 to 7 9\n"),
    "defaults are not shown": ("b", "arp timeout 1200\nmac-address aging-time 300\n", ""),
    "mappings are": ("b", "diffserv domain d\n ip-dscp-inbound 0 phb be green\n", " ip-dscp-inb"),
    "priorities one by one": (
        "b",
        f"{POOL}dcb pfc x\n priority 3 5\n",
        " priority 3\n priority 5",
    ),
    "headroom of a queue": (
        "b",
        (
            "interface 100GE1/0/1\n"
            " dcb pfc buffer 3 hdrm 400 kbytes\n dcb pfc buffer 3 hdrm 500 kbytes\n"
        ),
        "interface 100GE1/0/1\n dcb pfc buffer 3 hdrm 500 kbytes\n",
    ),
    "ECN of family a": ("a", "qos ecn enable\n", "qos ecn enable\n"),
    "timers of family a": ("a", "dcb pfc deadlock-detect timer 400\n", "timer 400\n"),
    "a peer is enabled": ("b", START, " ipv4-family unicast\n  peer 10.1.1.0 enable\n"),
    "the behaviour that is not its own": (
        "b",
        "dcb pfc deadlock recovery-behavior discard slot 1\n",
        "recovery-behavior discard",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    """And shown in the form of the switch."""
    family, text, wanted = TAKEN[name]
    found = shown(tree(text, family))
    assert wanted in found
    if not wanted:
        assert found == "".join(f"interface {port}\n" for port in PORTS)


def test_its_own_behaviour_is_not_shown() -> None:
    """Which it is depends on the family."""
    line = "dcb pfc deadlock recovery-behavior {} slot 1\n"
    assert "recovery" not in shown(tree(line.format("discard"), "a"))
    assert "recovery" not in shown(tree(line.format("forwarding"), "b"))


REFUSED = {
    "another family": ("a", "", "dcb pfc dscp-mapping enable slot 1", "Unrecognized"),
    "headroom of the other family": (
        "a",
        "",
        "interface 100GE1/0/1\n dcb pfc buffer 3 hdrm 400 kbytes",
        "Unrecognized",
    ),
    "too little headroom": (
        "b",
        "",
        "interface 100GE1/0/1\n dcb pfc buffer 3 hdrm 15 kbytes",
        "Unrecognized",
    ),
    "ECN of the other family": ("b", "", "qos ecn enable", "Unrecognized"),
    "timers of the other family": ("b", "", "dcb pfc deadlock-detect timer 400", "Unrecognized"),
    "another view": ("b", "", "interface 100GE1/0/2\n lldp enable", "Unrecognized"),
    "a port that is not there": ("b", "", "interface 100GE1/0/4", "Wrong parameter"),
    "a question mark": ("b", "", "interface 100GE1/0/2\n description a?", "Unrecognized"),
    "PFC without a pool": (
        "b", "", "interface 100GE1/0/2\n dcb pfc enable mode manual", "headroom"),
    "a profile that is not there": (
        "b", POOL, "interface 100GE1/0/2\n dcb pfc enable roce", "does not exist"),
    "a second profile on a port": (
        "b", f"{PFC}", "interface 100GE1/0/2\n dcb pfc enable mode auto", "Another PFC profile"),
    "a third profile": ("b", "dcb pfc one\n", "dcb pfc two", "upper limit"),
    "the pool in use": ("b", PFC, "undo qos buffer headroom-pool slot 1", "in use"),
    "the profile in use": ("b", PFC, "undo dcb pfc roce", "in use"),
    "a priority with times": (
        "b", f"{PFC}dcb pfc roce\n priority 3 deadlock-detect time 4\n",
        "dcb pfc roce\n undo priority 3", "times of the priority"),
    "times without a priority": (
        "b", "dcb pfc roce\n", "dcb pfc roce\n priority 3 deadlock-detect time 4", "not enabled"),
    "a queue of the other family": ("a", "", "dcb pfc roce\n priority 6", "does not support"),
    "four priorities": ("a", "", "dcb pfc roce\n priority 1 2 3 4", "upper limit"),
    "five priorities": ("b", "", "dcb pfc roce\n priority 1 2 3 4 5", "upper limit"),
    "a large pool": ("a", "", "qos buffer headroom-pool size 4 mbytes slot 1", "out of range"),
    "a domain that is not there": (
        "b", "", "interface 100GE1/0/2\n trust upstream roce", "does not exist"),
    "a domain in use": ("b", DOMAIN, "undo diffserv domain roce", "in use"),
    "trust of a routed port": ("b", START, "interface 100GE1/0/1\n trust dscp", "not a layer 2"),
    "an address on a switched port": (
        "b", "", "interface 100GE1/0/2\n ip address 10.0.0.1 255.255.255.0", "not a layer 3"),
    "a layer that is not empty": ("b", START, "interface 100GE1/0/1\n portswitch", "Delete the"),
    "and the other way": (
        "b", "vlan batch 5\ninterface 100GE1/0/2\n port default vlan 5\n",
        "interface 100GE1/0/2\n undo portswitch", "Delete the"),
    "a VLAN that is not there": (
        "b", "", "interface 100GE1/0/2\n port default vlan 5", "VLAN does not exist"),
    "a gateway without VLAN": ("b", "", "interface Vlanif5", "VLAN does not exist"),
    "a VLAN in use": (
        "b", "vlan batch 5\ninterface 100GE1/0/2\n port default vlan 5\n", "undo vlan batch 5",
        "in use"),
    "marking without a profile": (
        "b", "", "interface 100GE1/0/2\n qos queue 3 wred p", "does not exist"),
    "ECN without marking": ("b", "", "interface 100GE1/0/2\n qos queue 3 ecn", "WRED drop profile"),
    "a profile that marks": ("b", QUEUE, "undo drop-profile p", "in use"),
    "marking below ECN": (
        "b", f"{QUEUE} qos queue 3 ecn\n", "interface 100GE1/0/2\n undo qos queue 3 wred", "ECN"),
    "thresholds of the other family": (
        "a", "", f"{LIMITS} low-limit 128 high-limit 16000001 discard-percentage 5", "range"),
    "thresholds upside down": (
        "b", "", f"{LIMITS} low-limit 501 high-limit 500 discard-percentage 5", "range"),
    "an undo with other words": ("b", QUEUE, "interface 100GE1/0/2\n undo qos queue 3 wred p",
        "Unrecognized"),
    "undo of trust with a value": (
        "b", "interface 100GE1/0/2\n trust dscp\n", "interface 100GE1/0/2\n undo trust dscp",
        "Unrecognized"),
    "the address of a network": (
        "b", "", "interface 100GE1/0/2\n undo portswitch\n ip address 10.0.0.0 255.255.255.0",
        "invalid"),
    "overlapping addresses": (
        "b", START, "interface LoopBack0\n ip address 10.1.1.1 255.255.255.255", "conflicts"),
    "a host route on a port": (
        "b", "", "interface 100GE1/0/2\n undo portswitch\n ip address 10.0.0.1 255.255.255.255",
        "loopback"),
    "another AS": ("b", START, "bgp 65102", "another AS"),
    "another AS of a peer": ("b", START, "bgp 65101\n peer 10.1.1.0 as-number 1", "already"),
    "a peer that is not there": (
        "b", START, "bgp 65101\n peer 10.1.1.9 description x", "not exist"),
    "BFD that is off": ("b", START, "bgp 65101\n peer 10.1.1.0 bfd enable", "not enabled"),
    "BFD in use": (
        "b", f"bfd\n{START} peer 10.1.1.0 bfd enable\n", "undo bfd", "in use"),
    "a split of another speed": (
        "b", "", "port split dimension interface 100GE1/0/1 split-type 2*100GE", "Wrong parameter"),
    "a split of a split port": (
        "b", SPLIT, "port split dimension interface 100GE1/0/1 split-type 2*50GE", "split already"),
    "a split of a part": (
        "b", SPLIT, "port split dimension interface 100GE1/0/1:1 split-type 4*25GE", "Wrong"),
    "a port that was split": ("b", SPLIT, "interface 100GE1/0/1", "Wrong parameter"),
    "a part that is not there": ("b", SPLIT, "interface 100GE1/0/1:5", "Wrong parameter"),
    "a port cannot go": ("b", "", "undo interface 100GE1/0/2", "Unrecognized"),
}  # fmt: skip


@each("name", REFUSED)
def test_refused(name: str) -> None:
    """In words of the switch; nothing is changed by the line."""
    family, before, line, words = REFUSED[name]
    root = tree(before, family)
    state = Vrp8State(LabClock(), before, PORTS, family)
    with pytest.raises(ValueError, match=words):
        feed_text(state.editor(root), line)


def test_a_peer_that_goes_takes_all_its_lines_along() -> None:
    """Those of the address family too."""
    root = tree(f"{START} peer 10.1.1.0 description x\n")
    feed_text(Vrp8State(LabClock(), "", PORTS, "b").editor(root), "bgp 65101\n undo peer 10.1.1.0")
    assert "10.1.1.0" not in shown(root)


def test_a_changed_link_type_takes_the_vlan_away() -> None:
    """As the command reference says."""
    root = tree("vlan batch 5\ninterface 100GE1/0/2\n port default vlan 5\n port link-type trunk\n")
    assert "port default vlan" not in shown(root)


def test_a_split_makes_new_ports_and_so_does_its_end() -> None:
    """What was said about the ports is lost each time."""
    before = "interface 100GE1/0/1\n description whole\n"
    root = tree(f"{before}{SPLIT}interface 100GE1/0/1:2\n description part\n")
    found = shown(root)
    assert "whole" not in found
    parts = [line for line in found.splitlines() if line.startswith("interface 100GE1/0/1")]
    assert parts == [f"interface 100GE1/0/1:{part}" for part in range(1, 5)]
    assert "interface 100GE1/0/1:2\n description part\n" in found
    assert shown(tree(found)) == found
    editor = Vrp8State(LabClock(), "", PORTS, "b").editor(root)
    feed_text(editor, f"undo {SPLIT}")
    assert shown(root) == shown(tree(""))


def test_a_rollback_does_not_bring_back_what_stood_on_a_split_port() -> None:
    """As the command reference says."""
    state = Vrp8State(
        LabClock(), "sysname old\ninterface 100GE1/0/1\n description whole\n", PORTS, "b"
    )
    candidate = Candidate()
    for line in ("sysname new", SPLIT.strip()):
        state.feed(candidate, line)
    state.commit(candidate, "commit trial 60 persist x", object(), None)
    assert "100GE1/0/1:4" in shown(state.running)
    state.abort("x")
    assert shown(state.running) == shown(tree("sysname old\n"))


def test_every_configuration_reads_itself_back() -> None:
    """What is shown is taken again."""
    text = shown(tree(f"{START}{PFC}{QUEUE} qos queue 3 ecn\n qos drr 0 to 5\n"))
    assert shown(tree(text)) == text


# -- The command line.


@pytest.fixture
def running() -> Iterator[Lab]:
    spec = StandInSpec(
        name="leaf01",
        platform="vrp8",
        username="admin",
        password=PASSWORD,
        mac="52:54:00:00:00:01",
        serial="2102AB01",
        model="CE8855-32CQ4BQ",
        running=START,
        neighbours=(Neighbour("100GE1/0/1", "spine01", "100GE1/0/7", "52:54:00:00:01:01"),),
        options={"ports": ",".join(PORTS)},
    )
    with Lab([spec]) as made:
        yield made


@pytest.fixture
def leaf(running: Lab) -> Any:
    return running["leaf01"]


@pytest.fixture
def clients() -> Iterator[list[Any]]:
    opened: list[Any] = []
    yield opened
    for client in opened:
        client.close()


@pytest.fixture
def login(leaf: Any, clients: list[Any]) -> Any:
    def made() -> Any:
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        client.connect(
            leaf.address, leaf.port, "admin", PASSWORD, allow_agent=False, look_for_keys=False
        )
        clients.append(client)
        channel = client.invoke_shell()
        _until(channel)

        def say(line: str) -> str:
            channel.send(f"{line}\n".encode())
            return _until(channel)

        return say

    return made


def _until(channel: Any) -> str:
    """Return what comes up to the next prompt or question."""
    text, end_s = "", time.monotonic() + LONGEST_S
    while not re.search(r"(?:^|\n)(?:<\S+>|\[[~*]\S+\])$|\[Y[^\]]*\]:?$", text):
        assert time.monotonic() < end_s, text
        text += channel.recv(65536).decode().replace("\r", "") if channel.recv_ready() else ""
        time.sleep(0.002)
    return text


def test_prompts_and_views(login: Any) -> None:
    """Clean and changed, with the view behind the name."""
    say = login()
    assert say("system-view").endswith("[~leaf01]")
    assert say("interface 100GE1/0/2").endswith("[*leaf01-100GE1/0/2]")
    assert say("description x").endswith("[*leaf01-100GE1/0/2]")
    assert "^\nError: Unrecognized command" in say("lldp enable")
    assert say("quit").endswith("[*leaf01]")
    assert say("bgp 65101").endswith("[*leaf01-bgp]")
    assert say("ipv4-family unicast").endswith("[*leaf01-bgp-af-ipv4]")
    assert "+ description x" in say("display configuration candidate changes")
    assert say("clear configuration candidate").endswith("[~leaf01]")
    assert say("return").endswith("<leaf01>")
    assert "Unrecognized" in say("description x")


@pytest.mark.parametrize(("answer", "prompt"), [("y", "<"), ("n", "<"), ("c", "[")])
def test_leaving_asks(login: Any, leaf: Any, answer: str, prompt: str) -> None:
    """Yes commits, no forgets, cancel stays."""
    say = login()
    say("system-view")
    say("arp timeout 600")
    assert say("return").endswith("[Y(yes)/N(no)/C(cancel)]:")
    assert say(answer).split("\n")[-1].startswith(prompt)
    assert ("arp timeout 600" in leaf.running_text) is (answer == "y")


def test_a_candidate_is_of_its_session(login: Any, leaf: Any) -> None:
    """Nobody else sees it; two of them meet at the commit."""
    first, second = login(), login()
    for say, line in ((first, "arp timeout 600"), (second, "mac-address aging-time 600")):
        say("system-view")
        say(line)
    assert "mac-address" not in first("display configuration candidate changes")
    first("commit")
    second("commit")
    assert "arp timeout 600" in leaf.running_text
    assert "mac-address aging-time 600" in leaf.running_text


def test_a_trial_without_a_name_ends_with_its_session(
    running: Lab, login: Any, clients: list[Any], leaf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one it stays."""
    ended: list[object] = []
    end = leaf.state.end_session
    monkeypatch.setattr(leaf.state, "end_session", lambda one: ended.append(end(one)))
    for words, stays in (("", False), (" persist mine", True)):
        say = login()
        say("system-view")
        say("arp timeout 600")
        assert "will revert" in say(f"commit trial 60{words}")
        assert "Trial status: ACTIVE" in say("display configuration trial status")
        clients[-1].close()
        until(lambda: len(ended) == len(clients), "the session has ended")
        assert ("arp timeout 600" in leaf.running_text) is stays
    running.clock.advance(61)
    assert "arp timeout 600" not in leaf.running_text


def test_trial_times_and_names(login: Any) -> None:
    """A time out of range is refused, another name too, and a second trial."""
    say = login()
    say("system-view")
    say("arp timeout 600")
    assert "Error" in say("commit trial 59 persist mine")
    assert "Error" in say("commit persist mine")
    assert "will revert" in say("commit trial 60 persist mine")
    say("arp timeout 700")
    assert "Error" in say("commit trial 60 persist other")
    assert "Error" in say("commit persist other")
    assert "Error" not in say("commit persist mine")
    assert "INACTIVE" in say("display configuration trial status")


def test_abort_asks(login: Any, leaf: Any) -> None:
    """And does nothing without a yes."""
    say = login()
    say("system-view")
    say("arp timeout 600")
    say("commit trial 60 persist mine")
    assert say("abort trial persist mine").endswith("[Y/N]:")
    say("n")
    assert "arp timeout 600" in leaf.running_text
    say("abort trial persist mine")
    assert "succeeded" in say("y")
    assert "arp timeout 600" not in leaf.running_text


def test_what_is_off_is_not_displayed(login: Any, leaf: Any) -> None:
    """The switch says that it is off."""
    say = login()
    assert "has 1 neighbor(s)" in say("display lldp neighbor")
    leaf.hand_edit("undo lldp enable\nundo bgp 65101")
    assert "Error: Global LLDP" in say("display lldp neighbor")
    assert "Error: BGP" in say("display bgp peer")
    assert "Error: BFD" in say("display bfd session all")
    assert "Unrecognized" in say("display clock of somebody")


def test_a_reboot_loads_what_was_saved(running: Lab, leaf: Any, login: Any) -> None:
    """And forgets a trial."""
    say = login()
    say("system-view")
    say("arp timeout 600")
    say("commit trial 600 persist mine")
    leaf.reboot(1.0)
    running.clock.advance(2.0)
    assert leaf.state.trial is None
    assert "arp timeout 600" not in leaf.running_text


def test_a_start_that_the_switch_would_refuse() -> None:
    """Is told with its line."""
    with pytest.raises(ValueError, match="line 1: 'lldp enabled'"):
        tree("lldp enabled\n")
