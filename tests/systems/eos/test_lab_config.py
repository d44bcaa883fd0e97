"""The grammar and the configuration tree of the EOS stand-in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from fabric.book.grammar import Grammar
from fabric.lab.clock import LabClock
from fabric.systems.eos.lab import EosStandIn, ports_of, traits_of
from fabric.systems.eos.lab.config import (
    Editor,
    Section,
    diff_lines,
    feed_text,
    read_text,
    shown,
    text_lines,
)
from fabric.systems.eos.lab.rules import MODES
from tests.cases import each
from tests.lab.eos_running import FULL, LEAF, MANAGEMENT, spec_of


@cache
def xgs() -> Grammar:
    return Grammar(MODES, frozenset({"xgs", "uc"}))


@cache
def dnx() -> Grammar:
    return Grammar(MODES, frozenset({"dnx", "tx"}))


def text_of(tree: Section) -> list[str]:
    """Return the lines of a tree without separators."""
    return [line for line in text_lines(shown(tree)) if line.strip() != "!"]


def kept(text: str, grammar: Callable[[], Grammar] = xgs) -> list[str]:
    """Return what a switch shows of a text, without the defaults that it always shows."""
    always = text_of(read_text("", grammar()))
    return [line for line in text_of(read_text(text, grammar())) if line not in always]


def test_worked_example_comes_back_without_defaults() -> None:
    hidden = {
        "   switchport mode access", "   switchport",
        "qos map dscp 26 to traffic-class 3", "qos map dscp 48 to traffic-class 6",
    }  # fmt: skip
    wanted = [line for line in LEAF.splitlines() if line.strip() != "!" and line not in hidden]
    assert kept(LEAF) == wanted


def test_reading_the_shown_text_again_changes_nothing() -> None:
    once = read_text(FULL, xgs())
    again = read_text("\n".join(text_lines(shown(once))), xgs())
    assert list(diff_lines(shown(once), shown(again))) == []
    assert text_of(once) == text_of(again)


@each(
    ("text", "error"),
    [
        ("foo bar", "Invalid input (at token 0: 'foo')"),
        ("hostname", "Incomplete command (at token 0: 'hostname')"),
        ("priority-flow-control mode on", "Invalid input (at token 1: 'mode')"),
        ("interface Ethernet1/1\n priority-flow-control mode on", "(at token 1: 'mode')"),
        ("interface Vlan101\n arp timeout 1500", "(at token 1: 'timeout')"),
        ("interface Vlan101\n mtu 67", "(at token 1: '67')"),
        ("interface Vlan101\n mtu 9215", "(at token 1: '9215')"),
        ("interface Vlan101\n switchport", "Invalid input"),
        ("interface Vlan5000", "Invalid input"),
        ("interface Loopback0\n speed 400g-4", "Invalid input"),
        ("interface Ethernet1/1\n speed 500g", "Invalid input"),
        ("vlan 4095", "(at token 1: '4095')"),
        ("vlan 0", "Invalid input"),
        ("mac address-table aging-time 5", "Invalid input"),
        ("arp aging timeout default 59", "Invalid input"),
        ("qos map dscp 64 to traffic-class 3", "(at token 3: '64')"),
        ("qos map dscp 3 to traffic-class 8", "Invalid input"),
        ("qos map traffic-class 3 to uc-tx-queue 3", "Invalid input"),
        ("priority-flow-control pause watchdog action no-drop", "(at token 4: 'no-drop')"),
        ("priority-flow-control pause watchdog default timeout 61", "Invalid input"),
        ("qos profile P\n priority-flow-control priority 8 no-drop", "(at token 2: '8')"),
        ("qos profile P\n uc-tx-queue 3\n bandwidth percent 101", "Invalid input"),
        ("qos profile P\n uc-tx-queue 3\n bandwidth percent 0", "Invalid input"),
        ("qos profile P\n uc-tx-queue 8", "Invalid input"),
        ("qos profile P\n tx-queue 3", "Invalid input (at token 0: 'tx-queue')"),
        (
            (
                "qos profile P\n uc-tx-queue 3\n random-detect ecn minimum-threshold 256 kbytes "
                "maximum-threshold 512 bytes"
            ),
            "Invalid input",
        ),
        (
            (
                "qos profile P\n uc-tx-queue 3\n random-detect ecn minimum-threshold 256 "
                "microseconds maximum-threshold 512 microseconds"
            ),
            "Invalid input",
        ),
        ("platform trident mmu queue profile M\n ingress threshold 1/3", "Invalid input"),
        ("platform fap voq credit rates unified", "Invalid input"),
        ("hardware counter feature ecn out", "Invalid input"),
        ("router bgp 65101\n neighbor 10.0.0.0 remote-as none", "(at token 3: 'none')"),
        ("router bfd\n interval 300 min-rx 300 multiplier 2", "Invalid input"),
        ("no foo", "Invalid input"),
    ],
)
def test_lines_that_eos_refuses(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: ") as caught:
        read_text(text, xgs())
    assert error in str(caught.value)


@each(
    "text",
    [
        "hardware speed-group 1 serdes 50g",
        ("qos profile P\n   qos trust dscp\n   priority-flow-control pause watchdog port timer "
        "timeout 0.05 polling-interval auto recovery-time 1.11 forced"),
        "qos profile P\n   uc-tx-queue 3\n      bandwidth guaranteed 100",
        "qos profile P\n   uc-tx-queue 3\n      shape rate 40 percent",
        "interface Ethernet1/1\n   no error-correction encoding",
        "interface Ethernet1/1\n   error-correction encoding reed-solomon",
        "interface Ethernet1/1\n   dcbx mode ieee\n   no lldp transmit",
        "interface Ethernet1/1\n   uc-tx-queue 3\n      random-detect ecn count",
        "interface Vlan101\n   ip address virtual 10.1.1.1/24",
        "interface Vlan101\n   ipv6 nd cache expire 240\n   ipv6 nd cache refresh always",
        "arp persistent refresh-delay 600",
        "ip hardware fib load-balance distribution dynamic flow-set-size 7",
        ("load-balance cluster\n   forwarding type routed ipv4\n   destination grouping bgp "
        "field-set\n   load-balance method flow round-robin\n   flow monitor\n   flow source "
        "learning\n      aging timeout 300 seconds\n   port group host G1\n      interface "
        "Ethernet1/1-8/1\n      flow limit 100\n      balance factor 1\n      flow warning 80\n"
        "      flow exhaustion action dscp 10 traffic-class 1"),
        "qos rewrite dscp\nqos random-detect ecn allow non-ect chip-based",
        "qos tx-queue 3 scheduler profile responsive\npriority-flow-control all off",
        "priority-flow-control pause watchdog override action drop",
        ("platform trident mmu queue profile M\n   ingress threshold 1/8\n   ingress priority-group"
        " 3 threshold 1/4\n   egress unicast queue 3 reserved bytes 1664\n   egress unicast queue "
        "3 drop-precedence 1 drop-threshold 3/4\nplatform trident mmu queue profile M apply"),
        "platform trident mmu headroom-pool limit bytes 1000000",
        "ip routing ipv6 interfaces\nipv6 unicast-routing",
        ("router bgp 65102\n   neighbor FABRIC peer group\n   neighbor interface Ethernet49/1 "
        "peer-group FABRIC remote-as 65001\n   address-family ipv4\n      neighbor FABRIC activate"
        "\n      neighbor FABRIC next-hop address-family ipv6 originate"),
        "daemon TerminAttr\n   exec /usr/bin/TerminAttr -taillogs\n   no shutdown",
        "lldp timer 10\nlldp hold-time 40",
        "no lldp run",
    ],
)  # fmt: skip
def test_lines_that_eos_takes_and_shows_as_they_are(text: str) -> None:
    assert kept(text) == text.splitlines()


def test_lines_of_the_other_family() -> None:
    text = (
        "hardware counter feature ecn out\nqos profile P\n   tx-queue 3\n      no priority\n"
        "load-balance policies\n   load-balance sand profile ROCE\n      fields udp dst-port 4791\n"
        "         payload bytes 5-7\nplatform sand qos map traffic-class 3 to network-qos 3\n"
        "platform fap voq credit rates unified\nport-channel load-balance sand profile ROCE"
    )
    assert kept(text, dnx) == text.splitlines()
    with pytest.raises(ValueError, match="'uc-tx-queue'"):
        read_text("qos profile P\n uc-tx-queue 3", dnx())
    with pytest.raises(ValueError, match="'7'"):
        read_text("qos profile P\n tx-queue 7", dnx())


def test_a_line_belongs_to_the_innermost_mode_that_takes_it() -> None:
    text = """
    interface Ethernet1/1
    uc-tx-queue 3
    random-detect ecn count
    spanning-tree portfast
    router bgp 65101
    address-family ipv4
    neighbor X activate
    neighbor X bfd
    hostname leaf1
    """
    assert kept(text) == [
        "hostname leaf1", "interface Ethernet1/1", "   uc-tx-queue 3",
        "      random-detect ecn count", "   spanning-tree portfast", "router bgp 65101",
        "   neighbor X bfd", "   address-family ipv4", "      neighbor X activate",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "gone", "come"),
    [
        ("hostname b", ["hostname leaf1"], ["hostname b"]),
        ("interface Ethernet1/1\nmtu 9000", ["   mtu 9214"], ["   mtu 9000"]),
        ("interface Ethernet1/1\nmtu 1500", ["   mtu 9214"], []),
        ("interface Ethernet1/1\nno mtu", ["   mtu 9214"], []),
        ("interface Ethernet1/1\ndefault mtu", ["   mtu 9214"], []),
        ("interface Ethernet1/1\nno service-profile", ["   service-profile ROCE"], []),
        ("interface Ethernet49/1\nswitchport", ["   no switchport"], []),
        ("interface Ethernet1/1\nshutdown", [], ["   shutdown"]),
        ("interface Ethernet1/1\nno shutdown", [], []),
        ("vlan 102-103", [], ["vlan 102-103"]),
        ("no vlan 101", ["vlan 101", "   name RAIL1"], []),
        ("qos map dscp 26 27 to traffic-class 1", [], ["qos map dscp 26 27 to traffic-class 1"]),
        (
            "qos map dscp 26-28 to traffic-class 1\nno qos map dscp 27", [],
            ["qos map dscp 26 28 to traffic-class 1"],
        ),
        (
            "router bgp 65101\nno neighbor 10.0.0.2",
            ["   neighbor 10.0.0.2 peer group FABRIC", "   neighbor 10.0.0.2 remote-as 65001"], [],
        ),
        (
            "priority-flow-control pause watchdog default timeout 0.2", [], [],
        ),
    ],
)  # fmt: skip
def test_edits(lines: str, gone: list[str], come: list[str]) -> None:
    old = read_text(FULL, xgs())
    new = old.copy()
    before = text_of(old)
    feed_text(editor_of(new), lines)
    assert text_of(old) == before
    changed = list(diff_lines(shown(old), shown(new)))
    assert [line[1:] for line in changed if line[0] == "-"] == gone
    assert [line[1:] for line in changed if line[0] == "+"] == come


def editor_of(tree: Section) -> Editor:
    """Return an editor of a switch with one port."""
    return Editor(tree, xgs(), ["Ethernet1/1"])


def test_dscp_trust_is_not_shown_where_it_is_the_default() -> None:
    routed = "interface Ethernet1/1\n   no switchport\n"
    assert kept(routed + "   qos trust dscp") == routed.splitlines()
    switched = "interface Ethernet1/1\n   qos trust dscp"
    assert kept(switched) == switched.splitlines()


def test_the_default_dscp_map_vanishes() -> None:
    assert kept("qos map dscp 24-31 to traffic-class 3\nqos map dscp 0 to traffic-class 1") == []
    assert kept("qos map dscp 0 to traffic-class 0") == ["qos map dscp 0 to traffic-class 0"]


def test_ports_of_the_hardware_stay() -> None:
    tree = read_text("interface Ethernet1/1\n description x", xgs(), ["Ethernet1/1"])
    feed_text(editor_of(tree), "no interface Ethernet1/1\nno interface Loopback0")
    assert text_of(tree)[-1] == "interface Ethernet1/1"


def test_diff_names_the_sections_without_a_mark() -> None:
    old = read_text(FULL, xgs())
    new = old.copy()
    feed_text(editor_of(new), "qos profile ROCE\nuc-tx-queue 3\nbandwidth percent 90\nhostname b")
    assert list(diff_lines(shown(old), shown(new))) == [
        "-hostname leaf1", "+hostname b", "qos profile ROCE", "   uc-tx-queue 3",
        "-      bandwidth percent 95", "+      bandwidth percent 90",
    ]  # fmt: skip


def test_banners_and_comments_keep_their_lines() -> None:
    text = "banner motd\nno service\nwithout notice\nEOF"
    assert kept(text) == text.splitlines()
    tree = read_text("interface Ethernet1/1", xgs())
    editor = editor_of(tree)
    editor.feed("interface Ethernet1/1")
    editor.feed("comment", "one\ntwo")
    assert text_of(tree)[-2:] == ["   !! one", "   !! two"]


def test_families_follow_the_model() -> None:
    assert traits_of(spec_of()) == {"xgs", "uc"}
    assert traits_of(spec_of(family="dnx")) == {"dnx", "tx"}
    assert traits_of(spec_of(queues="tx-queue")) == {"xgs", "tx", "q7"}
    assert traits_of(spec_of(asic="jericho-2", queues="tx-queue")) == {"dnx", "tx"}
    assert traits_of(spec_of(asic="tomahawk-5")) == {"xgs", "uc"}
    ports = ("Management1", "Ethernet1/1", "Ethernet49/1", "Ethernet50/1", "Ethernet2/1")
    assert ports_of(spec_of(ports="Ethernet2/1, Ethernet1/1")) == ports


def test_a_wrong_start_configuration_is_told() -> None:
    with pytest.raises(ValueError, match="line 2: 'bogus': % Invalid input"):
        EosStandIn(spec_of("hostname a\nbogus"), LabClock())


def test_management_stanzas_survive() -> None:
    wanted = {line for line in MANAGEMENT.splitlines() if line.strip() != "!"}
    assert wanted <= set(text_of(read_text(MANAGEMENT, xgs())))
