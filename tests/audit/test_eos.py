"""Faults planted in EOS configurations, each found; the clean twin has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.systems.eos.reading_lossless import read
from tests.audit.planting import expect, findings
from tests.prove.fabrics import example

#: Pattern, replacement, rule. Places are those of a leaf of the example a100-pcie.
FAULTS = {
    "one of the equal paths": (r"maximum-paths 64 ecmp 64", "maximum-paths 1", "AUD050"),
    "no line about equal paths": (r"   maximum-paths 64 ecmp 64\n", "", "AUD050"),
    "CNPs in the lossless class": (
        r"dscp 48 to traffic-class 6",
        "dscp 48 to traffic-class 3",
        "AUD051",
    ),
    "a watchdog that waits": (r"default timeout 0.40", "default timeout 30.00", "AUD006"),
    "shares above 100": (r"bandwidth percent 10$", "bandwidth percent 30", "AUD052"),
    "two ports with one address": (
        r"(interface Ethernet18/1\n(?:   .*\n)*?   ip address )\S+",
        r"\g<1>10.254.0.1/31",
        "AUD054",
    ),
    "flow control beside PFC": (
        r"   service-profile ROCE\n",
        "   service-profile ROCE\n   flowcontrol receive on\n",
        "AUD055",
    ),
    "PFC is not on": (r"   priority-flow-control on\n", "", "AUD001"),
    "no priority is lossless": (
        r"   priority-flow-control priority 3 no-drop\n",
        "",
        "AUD001",
    ),
    "the priority drops": (r"priority 3 no-drop", "priority 3 drop", "AUD001"),
    "PFC is off everywhere": (
        r"^ip routing$",
        "ip routing\npriority-flow-control all off",
        "AUD001",
    ),
    "a port lost its profile": (r"   service-profile ROCE\n", "", "AUD002"),
    "a port has PFC off": (
        r"   service-profile ROCE\n",
        "   service-profile ROCE\n   no priority-flow-control\n",
        "AUD002",
    ),
    "a port pauses another priority": (
        r"   service-profile ROCE\n",
        "   priority-flow-control on\n   priority-flow-control priority 4 no-drop\n",
        "AUD002",
    ),
    "a port pauses one priority more": (
        r"   service-profile ROCE\n",
        "   service-profile ROCE\n   priority-flow-control priority 4 no-drop\n",
        "AUD002",
    ),
    "no ECN": (r"      random-detect ecn minimum.*\n", "", "AUD003"),
    "WRED without ECN": (
        r"random-detect ecn minimum-threshold (.*) max-mark-probability (\d+)",
        r"random-detect drop minimum-threshold \1 drop-probability \2",
        "AUD003",
    ),
    "ECN on another queue": (
        r"(?s)(      random-detect ecn minimum[^\n]*\n)(.*?   uc-tx-queue 6\n)",
        r"\2\1",
        "AUD003",
    ),
    "Kmin above Kmax": (r"minimum-threshold \d+", "minimum-threshold 9000000", "AUD004"),
    "Kmin is Kmax": (
        r"minimum-threshold \d+ bytes maximum-threshold (\d+)( bytes max-mark-probability) 100",
        r"minimum-threshold \1 bytes maximum-threshold \1\2 50",
        "AUD004",
    ),
    "thresholds in two units": (
        r"minimum-threshold \d+ bytes maximum-threshold \d+ bytes",
        "minimum-threshold 9 mbytes maximum-threshold 3 mbytes",
        "AUD004",
    ),
    "marking with no chance": (r"max-mark-probability \d+", "max-mark-probability 0", "AUD004"),
    "no watchdog on the ports": (
        r"   priority-flow-control pause watchdog\n",
        "   no priority-flow-control pause watchdog\n",
        "AUD006",
    ),
    "no watchdog at all": (
        r"(?s)priority-flow-control pause watchdog default.*?action drop\n",
        "",
        "AUD006",
    ),
    "a watchdog that shuts ports down": (
        r"pause watchdog action drop",
        "pause watchdog action errdisable",
        "AUD006",
    ),
    "a profile whose watchdog only reports": (
        r"(   priority-flow-control pause watchdog)\n",
        r"\1\n\1 port action notify-only\n",
        "AUD006",
    ),
    "no trust": (r"   qos trust dscp\n", "   no qos trust\n", "AUD007"),
    "trust of CoS": (r"   qos trust dscp\n", "   qos trust cos\n", "AUD007"),
    "trust left to the default of a switched port": (r"   qos trust dscp\n", "", "AUD007"),
    "no DSCP leads to the class": (
        r"(?m)^qos map dscp 26 to traffic-class 3$",
        "qos map dscp 24 25 26 27 28 29 30 31 to traffic-class 1",
        "AUD008",
    ),
    "the queue is shared": (
        r"qos map traffic-class 0 to tx-queue 0",
        "qos map traffic-class 0 to tx-queue 3",
        "AUD008",
    ),
    "a port with the default MTU": (r"   mtu 9\d+\n", "   mtu 1500\n", "AUD009"),
    "an MTU for 2,048 bytes": (r"   mtu 9\d+\n", "   mtu 2200\n", "AUD009"),
    "ARP by its default": (r"(?:   )?arp aging timeout (default )?\d+\n", "", "AUD010"),
    "MAC entries end first": (
        r"mac address-table aging-time \d+",
        "mac address-table aging-time 100",
        "AUD010",
    ),
    "long BGP timers": (r"timers 3 9", "timers 60 180", "AUD012"),
    "BGP timers by their default": (r"   neighbor \S+ timers 3 9\n", "", "AUD012"),
    "a prefix list that does not exist": (
        r"match ip address prefix-list PL-FABRIC",
        "match ip address prefix-list PL-X",
        "AUD013",
    ),
    "a profile that does not exist": (
        r"service-profile ROCE\n",
        "service-profile ROSE\n",
        "AUD013",
    ),
    "a profile that nobody uses": (
        r"(?m)^qos profile ROCE$",
        "qos profile OLD\n   qos trust dscp\nqos profile ROCE",
        "AUD013",
    ),
    "a buffer profile that is not applied": (
        r"(?m)^ip routing$",
        "ip routing\nplatform trident mmu queue profile P\n   ingress priority-group 3 threshold 1",
        "AUD013",
    ),
    "three lossless priorities": (
        r"   priority-flow-control priority 3 no-drop\n",
        "".join(f"   priority-flow-control priority {one} no-drop\n" for one in (1, 3, 4)),
        "AUD014",
    ),
    "the queue is strict": (
        r"(   uc-tx-queue 3\n)      no priority\n      bandwidth percent \d+\n",
        r"\1      priority strict\n",
        "AUD015",
    ),
    "the queue has no share": (
        r"(   uc-tx-queue 3\n      no priority\n)      bandwidth percent \d+\n",
        r"\1",
        "AUD015",
    ),
    "a line that nobody knows": (
        r"   qos trust dscp\n",
        "   qos trust dscp\n   priority-flow-control marvel\n",
        "AUD018",
    ),
}


def clean() -> str:
    return example("a100-pcie")[1]["rack1-leaf"]["startup-config"]


def test_the_clean_twin(tmp_path: Path) -> None:
    assert findings(tmp_path, clean()) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, clean(), FAULTS[name], one_place=name.startswith("a port"))


@pytest.mark.parametrize(
    ("interval", "poll_ms"), [("0.050", 50.0), ("auto", None)], ids=["a number", "auto"]
)
def test_a_profile_has_times_of_its_own(interval: str, poll_ms: float | None) -> None:
    on = "   priority-flow-control pause watchdog\n"
    timer = f"port timer timeout 0.20 polling-interval {interval} recovery-time 0.30"
    text = clean().replace(on, f"{on}   priority-flow-control pause watchdog {timer}\n")
    watchdogs = [port.watchdog for port in read(text).ports.values() if port.lossless]
    assert {(one.detection_ms, one.restoration_ms, one.poll_ms) for one in watchdogs if one} == {
        (200.0, 300.0, poll_ms)
    }


def test_a_port_without_its_default_line_is_in_use(tmp_path: Path) -> None:
    """Running configurations do not print `switchport`."""
    shown = clean().replace("   switchport\n", "").replace("   switchport mode access\n", "")
    assert findings(tmp_path, shown) == ()
    expect(tmp_path, shown, FAULTS["a port lost its profile"], one_place=True)


def test_two_priorities_on_as_many_ports(tmp_path: Path) -> None:
    """Nothing tells which of the two ports is right."""
    port = (
        "interface Ethernet{0}\n   switchport\n   priority-flow-control on\n"
        "   priority-flow-control priority {1} no-drop\n"
    )
    head = "! device: leaf (DCS-7060X6-64PE-F, EOS-4.32.2F)\nhostname leaf\n!\n"
    text = head + "qos map dscp 26 to traffic-class 3\n" + port.format(1, 3) + port.format(2, 5)
    (tie,) = [finding for finding in findings(tmp_path, text) if finding.rule == "AUD002"]
    assert tie.message == "the port has lossless priority 5, as many ports have lossless priority 3"
    assert "the others" not in tie.fix
    more = [one for one in findings(tmp_path, text + port.format(3, 3)) if one.rule == "AUD002"]
    assert [one.message for one in more] == [tie.message.replace("as many", "most")]


FLOW_CONTROL = {
    "off": ("flowcontrol receive off", False),
    "agreed with the peer": ("flowcontrol send desired", True),
    "of both directions": ("flowcontrol receive on\n   flowcontrol send on", True),
    "of a port without PFC": ("flowcontrol receive on\n   no priority-flow-control", False),
}


@pytest.mark.parametrize(("lines", "found"), FLOW_CONTROL.values(), ids=FLOW_CONTROL)
def test_flow_control_of_the_whole_port(lines: str, found: bool, tmp_path: Path) -> None:
    text = clean().replace("   service-profile ROCE\n", f"   service-profile ROCE\n   {lines}\n")
    rules = {finding.rule for finding in findings(tmp_path, text)}
    assert ("AUD055" in rules) is found


ADDRESSES = {
    "another one": ("Ethernet40/1", "10.9.0.0/31", "", "", False),
    "the same": ("Ethernet40/1", "10.9.0.1/31", "", "", True),
    "in another VRF": ("Ethernet40/1", "10.9.0.1/31", "   vrf BLUE\n", "", False),
    "of a port that is off": ("Ethernet40/1", "10.9.0.1/31", "   shutdown\n", "", False),
    "of a loopback": ("Loopback9", "10.9.0.1/32", "", "", True),
    "link-local ones": ("Ethernet40/1", "fe80::1/64", "", "fe80::1/64", False),
    "of IPv6": ("Ethernet40/1", "fd00::1/64", "", "fd00::1/64", True),
}


@pytest.mark.parametrize("case", ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_on_two_ports(case: tuple[str, str, str, str, bool], tmp_path: Path) -> None:
    name, second, extra, six, found = case
    word = "ipv6" if ":" in second else "ip"
    first = six or "10.9.0.1/31"
    ports = (("Ethernet39/1", first, ""), (name, second, extra))
    lines = "".join(
        f"interface {port}\n{'' if port[0] == 'L' else '   no switchport' + chr(10)}{more}"
        f"   {word} address {address}\n!\n"
        for port, address, more in ports
    )
    text = clean().replace("interface Loopback0\n", f"{lines}interface Loopback0\n")
    assert text != clean()
    rules = {finding.rule for finding in findings(tmp_path, text)}
    assert ("AUD054" in rules) is found
