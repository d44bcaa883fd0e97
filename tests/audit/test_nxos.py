"""Faults planted in NX-OS configurations, each found; the clean twin has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.audit.planting import expect, findings
from tests.prove.fabrics import example

LOSSLESS = r"(?s)(  class type queuing c-out-8q-q3\n)    bandwidth remaining percent \d+\n"

FAULTS = {
    "one of the equal paths": (r"maximum-paths 64", "maximum-paths 1", "AUD050"),
    "CNPs in the lossless class": (r"match dscp 26", "match dscp 26,48", "AUD051"),
    "shares above 100": (r"remaining percent 50", "remaining percent 60", "AUD052"),
    "no class is lossless": (r"    pause pfc-cos 3\n", "", "AUD001"),
    "PFC is off on all ports": (r"flow-control mode on", "flow-control mode off", "AUD001"),
    "PFC follows DCBX": (r"flow-control mode on", "flow-control mode auto", "AUD042"),
    "PFC by its default": (r"  priority-flow-control mode on\n", "", "AUD042"),
    "the network policy is not bound": (
        r"  service-policy type network-qos ROCE-NQ\n",
        "",
        "AUD001",
    ),
    "a port has PFC off": (r"flow-control mode on", "flow-control mode off", "AUD002"),
    "a port follows DCBX": (r"flow-control mode on", "flow-control mode auto", "AUD042"),
    "a port has no PFC line": (r"  priority-flow-control mode on\n", "", "AUD042"),
    "no marking": (r"    random-detect .*\n", "", "AUD003"),
    "WRED without ECN": (r"(    random-detect .*) ecn", r"\1", "AUD003"),
    "marking of another queue": (
        (
            r"(?s)(  class type queuing c-out-8q-q3\n[^\n]*\n)(    random-detect [^\n]*\n)"
            r"(  class type queuing c-out-8q-q2\n[^\n]*\n)"
        ),
        r"\1\3\2",
        "AUD003",
    ),
    "the queuing policy is bound nowhere": (
        r"  service-policy type queuing output .*\n",
        "",
        "AUD003",
    ),
    "Kmin above Kmax": (r"minimum-threshold \d+", "minimum-threshold 9000", "AUD004"),
    "Kmin is Kmax": (
        r"minimum-threshold \d+ kbytes maximum-threshold (\d+)( kbytes drop-probability) 100",
        r"minimum-threshold \1 kbytes maximum-threshold \1\2 50",
        "AUD004",
    ),
    "marking with no chance": (r"drop-probability \d+", "drop-probability 0", "AUD004"),
    "the pause comes before the mark": (
        r"^system qos$",
        (
            "policy-map type queuing ROCE-PAUSE\n  class type queuing c-in-q3\n"
            "    pause buffer-size 900000 pause-threshold 100000 resume-threshold 90000\n"
            "system qos\n  service-policy type queuing input ROCE-PAUSE"
        ),
        "AUD005",
    ),
    "a headroom of one frame": (
        r"^system qos$",
        (
            "policy-map type queuing ROCE-PAUSE\n  class type queuing c-in-q3\n"
            "    pause buffer-size 9000000 pause-threshold 8990000 resume-threshold 8900000\n"
            "system qos\n  service-policy type queuing input ROCE-PAUSE"
        ),
        "AUD040",
    ),
    "long BGP timers": (r"    timers 3 9\n", "    timers 60 180\n", "AUD012"),
    "BGP timers by their default": (r"    timers 3 9\n", "", "AUD012"),
    "a routing policy that does not exist": (
        r"redistribute direct route-map RM-FABRIC",
        "redistribute direct route-map RM-X",
        "AUD013",
    ),
    "no watchdog on the switch": (
        r"^priority-flow-control watch-dog-interval on\n",
        "",
        "AUD006",
    ),
    "the watchdog of the switch is off": (
        r"^priority-flow-control watch-dog-interval on",
        "priority-flow-control watch-dog-interval off",
        "AUD006",
    ),
    "a port without watchdog": (r"  priority-flow-control watch-dog-interval on\n", "", "AUD006"),
    "a port with its watchdog off": (
        r"  priority-flow-control watch-dog-interval on",
        "  priority-flow-control watch-dog-interval off",
        "AUD006",
    ),
    "no port classifies": (r"  service-policy type qos input ROCE-IN\n", "", "AUD007"),
    "a port does not classify": (r"  service-policy type qos input ROCE-IN\n", "", "AUD007"),
    "no DSCP leads to the class": (r"    set qos-group 3\n", "    set qos-group 2\n", "AUD008"),
    "a port with the default MTU": (
        r"(interface Ethernet1/1\n(?:  .*\n)*?)  mtu 9216\n",
        r"\1  mtu 1500\n",
        "AUD009",
    ),
    "an MTU for 2,048 bytes": (r"^  mtu 9\d+\n", "  mtu 2200\n", "AUD009"),
    "ARP entries live longer": (r"ip arp timeout \d+", "ip arp timeout 3600", "AUD010"),
    "MAC entries end first": (
        r"mac address-table aging-time \d+",
        "mac address-table aging-time 120",
        "AUD010",
    ),
    "the hash takes addresses alone": (
        r"ip load-sharing address .*",
        "ip load-sharing address source-destination",
        "AUD011",
    ),
    "the hash takes the destination port alone": (
        r"ip load-sharing address .*",
        "ip load-sharing address destination port destination",
        "AUD011",
    ),
    "a policy that does not exist": (
        r"type qos input ROCE-IN",
        "type qos input ROSE-IN",
        "AUD013",
    ),
    "a class that does not exist": (r"^  class CNP$", "  class CMP", "AUD013"),
    "a class that nobody uses": (
        r"^policy-map type qos ROCE-IN$",
        "class-map type qos match-any OLD\n  match dscp 40\npolicy-map type qos ROCE-IN",
        "AUD013",
    ),
    "three lossless classes": (
        r"^  class type network-qos c-8q-nq3$",
        (
            "  class type network-qos c-8q-nq1\n    pause pfc-cos 1\n"
            "  class type network-qos c-8q-nq2\n    pause pfc-cos 2\n"
            "  class type network-qos c-8q-nq3"
        ),
        "AUD014",
    ),
    "the queue is strict": (LOSSLESS, r"\1    priority level 2\n", "AUD015"),
    "the queue has no share": (LOSSLESS, r"\1    bandwidth remaining percent 0\n", "AUD015"),
    "a line that nobody knows": (
        r"^    pause pfc-cos 3$",
        "    pause pfc-cos 3\n    cheer",
        "AUD018",
    ),
}


def clean() -> str:
    return example("mixed")[1]["nxos-leaf"]["running-config"]


def test_the_clean_twin(tmp_path: Path) -> None:
    assert findings(tmp_path, clean()) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, clean(), FAULTS[name], one_place=name.startswith("a port"))


def test_a_port_without_its_default_line_is_in_use(tmp_path: Path) -> None:
    """Running configurations do not print `switchport`."""
    shown = clean().replace("  switchport\n", "")
    assert shown != clean()
    assert findings(tmp_path, shown) == ()
    fault = (r"^  priority-flow-control mode on\n", "  priority-flow-control mode off\n", "AUD002")
    expect(tmp_path, shown, fault, one_place=True)


def test_a_port_has_a_queuing_policy_of_its_own(tmp_path: Path) -> None:
    """That of `system qos` counts on the other ports."""
    policy = re.search(r"(?ms)^policy-map type queuing ROCE-OUT\n.*?(?=^\S)", clean())
    assert policy
    unmarked = re.sub(r" *random-detect .*\n", "", policy[0]).replace("ROCE-OUT", "OF-PORT")
    text = clean().replace(policy[0], f"{policy[0]}{unmarked}")
    port = "interface Ethernet1/1\n"
    bound = text.replace(port, f"{port}  service-policy type queuing output OF-PORT\n")
    found = findings(tmp_path, bound)
    assert {(finding.rule, finding.port) for finding in found} == {("AUD003", "Ethernet1/1")}


WITHOUT_DCBX = {
    "no feature lldp": (r"^feature lldp\n", "", "AUD001"),
    "a port sends no LLDP": (r"^(interface Ethernet.*)$", r"\1\n  no lldp transmit", "AUD001"),
    "LLDP": (r"$^", "", "AUD042"),
    "a part of a file, without features": (r"^feature .*\n", "", "AUD042"),
}


@pytest.mark.parametrize(("pattern", "line", "rule"), WITHOUT_DCBX.values(), ids=WITHOUT_DCBX)
@pytest.mark.parametrize(
    "mode", ["  priority-flow-control mode auto\n", ""], ids=["auto", "default"]
)
def test_pfc_that_follows_dcbx_is_off_without_lldp(
    pattern: str, line: str, rule: str, mode: str, tmp_path: Path
) -> None:
    """DCBX is a part of LLDP: without it, PFC that DCBX decides on stays off."""
    text = clean().replace("  priority-flow-control mode on\n", mode)
    text = re.sub(pattern, line, text, flags=re.MULTILINE)
    fired = {finding.rule for finding in findings(tmp_path, text)} & {"AUD001", "AUD042"}
    assert fired == {rule}


def test_what_is_left_to_dcbx_is_said(tmp_path: Path) -> None:
    line = "  priority-flow-control mode on\n"
    auto = line.replace("mode on", "mode auto")
    for mode, words in ((auto, "set to auto"), ("", "auto by default")):
        text = clean().replace(line, mode)
        first = next(one for one in findings(tmp_path, text) if one.rule == "AUD042")
        assert words in first.message
