"""Faults planted in configurations of Enterprise SONiC, each found; the clean twin has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.observe.configuration.recognition import system_of
from fabric.workflow.audit import audit
from tests.audit.planting import expect, findings
from tests.prove.fabrics import example
from tests.reference import SHARED

GOLDEN = Path(__file__).parents[1] / "golden" / "esonic"
FILES = sorted(GOLDEN.rglob("*.esonic"))
OTHERS = {".eos", ".nxos", ".set", ".vrp8", ".comware7", ".nv", ".json"}
CLEAN = (GOLDEN / "demo" / "su1-rail0" / "running-configuration.esonic").read_text(encoding="utf-8")
_THRESHOLDS = r"minimum-threshold \d+ maximum-threshold (\d+)"
_QUEUE = r" queue 3\n  type dwrr\n  weight \d+\n"

#: Pattern, replacement, rule; a name that begins with "a port" is planted in one place.
FAULTS = {
    "one of the equal paths": (r"  maximum-paths 64", "  maximum-paths 1", "AUD050"),
    "CNPs in the lossless class": (
        r" dscp 48 traffic-class 6",
        " dscp 48 traffic-class 3",
        "AUD051",
    ),
    "a watchdog that waits": (r"detect-time 400", "detect-time 5001", "AUD006"),
    "no port pauses": (r" priority-flow-control priority 3\n", "", "AUD001"),
    "a port does not pause": (r" priority-flow-control priority 3\n", "", "AUD002"),
    "a port pauses another priority": (
        r"flow-control priority 3",
        "flow-control priority 4",
        "AUD002",
    ),
    "a port pauses one priority more": (
        r"^ priority-flow-control priority 3\n",
        " priority-flow-control priority 3\n priority-flow-control priority 4\n",
        "AUD002",
    ),
    "the profile does not mark": (r"^ ecn all\n", " ecn none\n", "AUD003"),
    "the profile does not say that it marks": (r"^ ecn all\n", "", "AUD003"),
    "no queue has a WRED profile": (r" queue 3 wred-policy ROCE\n", "", "AUD003"),
    "a port has no WRED profile": (r" queue 3 wred-policy ROCE\n", "", "AUD003"),
    "a port marks another queue": (r" queue 3 wred-policy", " queue 4 wred-policy", "AUD003"),
    "Kmin above Kmax": (r"minimum-threshold \d+", "minimum-threshold 9000", "AUD004"),
    "Kmin is Kmax": (
        rf"{_THRESHOLDS} drop-probability 100",
        r"minimum-threshold \1 maximum-threshold \1 drop-probability 50",
        "AUD004",
    ),
    "marking with no chance": (r"drop-probability \d+", "drop-probability 0", "AUD004"),
    "the watchdog is off": (
        r" priority-flow-control watchdog on detect-time \d+\n",
        " priority-flow-control watchdog off\n",
        "AUD006",
    ),
    "a port has its watchdog off": (
        r" priority-flow-control watchdog on detect-time \d+\n",
        " priority-flow-control watchdog off\n",
        "AUD006",
    ),
    "a port has no watchdog": (
        r"( priority-flow-control watchdog .*\n)+",
        "",
        "AUD006",
    ),
    "a port has a watchdog without a time": (
        r" priority-flow-control watchdog on detect-time \d+\n",
        "",
        "AUD006",
    ),
    "no port maps DSCPs": (r" qos-map dscp-tc ROCE\n", "", "AUD007"),
    "a port does not map DSCPs": (r" qos-map dscp-tc ROCE\n", "", "AUD007"),
    "no DSCP leads to the class": (r"^ dscp 26 traffic-class 3\n", "", "AUD008"),
    "the DSCP leads to another class": (
        r"^ dscp 26 traffic-class 3\n",
        " dscp 26 traffic-class 4\n",
        "AUD008",
    ),
    "best effort shares the queue": (
        r"^ traffic-class 0 queue 0\n",
        " traffic-class 0 queue 3\n",
        "AUD008",
    ),
    "the class enters the lossy group": (
        r"^ traffic-class 3 priority-group 3\n",
        " traffic-class 3 priority-group 0\n",
        "AUD008",
    ),
    "a pause stops another queue": (
        r"^ pfc-priority 3 queue 3\n",
        " pfc-priority 3 queue 4\n",
        "AUD008",
    ),
    "a port does not lead classes to queues": (r" qos-map tc-queue ROCE\n", "", "AUD056"),
    "a port does not lead classes to groups": (r" qos-map tc-pg ROCE\n", "", "AUD056"),
    "a port does not lead pauses to queues": (
        r" qos-map pfc-priority-queue ROCE\n",
        "",
        "AUD056",
    ),
    "no port leads classes to queues": (
        r"^ qos-map tc-queue ROCE\n|^qos map tc-queue ROCE\n(?: .*\n)+",
        "",
        "AUD056",
    ),
    "a port has a map that does not exist": (
        r" qos-map dscp-tc ROCE\n",
        " qos-map dscp-tc ROCEE\n",
        "AUD007",
    ),
    "no lossless buffers": (r"^buffer init lossless\n", "", "AUD057"),
    "a port has a small MTU": (
        r"(interface Ethernet0\n description .*\n) mtu 9100\n",
        r"\1 mtu 1500\n",
        "AUD009",
    ),
    "an MTU for 2,048 bytes": (r"^ mtu 9100\n", " mtu 2200\n", "AUD009"),
    "ARP entries live longer": (r"ip arp timeout \d+", "ip arp timeout 3600", "AUD010"),
    "MAC entries end first": (r"aging-time \d+", "aging-time 120", "AUD010"),
    "MAC entries end before ARP entries by default": (
        r"ip arp timeout \d+\nmac address-table aging-time \d+",
        "mac address-table aging-time 170",
        "AUD010",
    ),
    "the hash takes addresses alone": (
        r"ip load-share hash (ipv4 ipv4-l4-src-port|roce qpn)\n",
        "",
        "AUD011",
    ),
    "long BGP timers": (r"  timers 3 9\n", "  timers 60 180\n", "AUD012"),
    "BGP timers by their default": (r"  timers 3 9\n", "", "AUD012"),
    "a routing policy that does not exist": (
        r"redistribute connected route-map RM-FABRIC",
        "redistribute connected route-map RM-X",
        "AUD013",
    ),
    "a WRED profile that does not exist": (r"3 wred-policy ROCE", "3 wred-policy ROSE", "AUD013"),
    "a scheduler that does not exist": (
        r"^ scheduler-policy ROCE",
        " scheduler-policy R",
        "AUD013",
    ),
    "a port has a map of DSCPs that does not exist": (
        r"qos-map dscp-tc ROCE",
        "qos-map dscp-tc ROSE",
        "AUD013",
    ),
    "a port has a map of groups that does not exist": (
        r"qos-map tc-pg ROCE",
        "qos-map tc-pg ROSE",
        "AUD013",
    ),
    "a map that nobody uses": (
        r"^qos map tc-queue ROCE\n",
        "qos map dscp-tc OLD\n dscp 0-63 traffic-class 0\nqos map tc-queue ROCE\n",
        "AUD013",
    ),
    "three lossless priorities": (
        r"^ priority-flow-control priority 3\n",
        "".join(f" priority-flow-control priority {one}\n" for one in (2, 3, 4)),
        "AUD014",
    ),
    "the queue is strict": (_QUEUE, " queue 3\n  type strict\n", "AUD015"),
    "the queue has no share": (_QUEUE, " queue 3\n  type dwrr\n  weight 0\n", "AUD015"),
    "a line that nobody knows": (
        r"^ priority-flow-control priority 3\n",
        " priority-flow-control priority 3\n priority-flow-control marvel\n",
        "AUD018",
    ),
    "a row of another map": (
        r"^qos map tc-queue ROCE\n",
        "qos map tc-queue ROCE\n dscp 3 queue 3\n",
        "AUD018",
    ),
    "everything in one line": (r"^buffer init lossless\n", "roce enable\n", "AUD018"),
}

#: What means the same, or is not about the lossless class.
HARMLESS = {
    "names apart from their numbers": (r"^interface Ethernet(\d)", r"interface Ethernet \1"),
    "standard names": (r"^interface Ethernet(\d+)", r"interface Eth1/\1"),
    "defaults of the system": (
        r"ip arp timeout \d+\nmac address-table aging-time \d+\n",
        "",
    ),
    "the MTU by its default": (r"^ mtu 9100\n", ""),
    "queue pairs instead of ports": (r"ip load-share hash ipv4 ipv4-l4-src-port\n", ""),
    "nothing is said of the hash": (r"^ip load-share hash .*\n", ""),
    "the action by its default": (r" priority-flow-control watchdog action drop\n", ""),
    "a policy without the other queues": (r" queue 0\n  type dwrr\n  weight \d+\n", ""),
    "other colours": (r"^ ecn all\n", " ecn all\n yellow minimum-threshold 1 drop-probability 9\n"),
    "a map of 802.1p": (
        r"^!\nrouter",
        "!\nqos map dot1p-tc X\n dot1p 0-7 traffic-class 0\n!\nrouter",
    ),
    "a port that nobody enabled": (
        r"^interface Ethernet16\n shutdown\n",
        "interface Ethernet16\n ip address 10.9.9.1/31\n",
    ),
    "no map of groups": (
        (
            r"^ qos-map (tc-pg|pfc-priority-queue) ROCE\n"
            r"|^qos map (tc-pg|pfc-priority-queue) ROCE\n( .*\n)+"
        ),
        "",
    ),
    "other topics": (r"^router", "snmp-server location x\nip dhcp-relay 1.1.1.1\n!\nrouter"),
}


def test_the_clean_twin(tmp_path: Path) -> None:
    assert findings(tmp_path, CLEAN) == ()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.parts[-2]}")
def test_rendered_files_are_clean(tmp_path: Path, file: Path) -> None:
    assert findings(tmp_path, file.read_text(encoding="utf-8")) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, CLEAN, FAULTS[name], one_place=name.startswith("a port"))


def test_maps_without_a_known_default_are_asked_of_no_port(tmp_path: Path) -> None:
    """SAI has no sentence on a port without a map from classes to priority groups."""
    without = re.sub(
        r"^ qos-map tc-pg ROCE\n|^qos map tc-pg ROCE\n(?: .*\n)+", "", CLEAN, flags=re.MULTILINE
    )
    assert without.count("\n") < CLEAN.count("\n") - 3
    assert findings(tmp_path, without) == ()


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_change_has_no_finding(tmp_path: Path, name: str) -> None:
    pattern, replacement = HARMLESS[name]
    changed = re.sub(pattern, replacement, CLEAN, flags=re.MULTILINE)
    assert changed != CLEAN
    assert findings(tmp_path, changed) == ()


def test_the_switch_of_the_mixed_example(tmp_path: Path) -> None:
    _, texts = example("mixed")
    assert findings(tmp_path, texts["esonic-leaf"]["running-configuration"]) == ()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.parts[-2]}")
def test_its_files_are_recognised(file: Path) -> None:
    assert system_of(file.read_text(encoding="utf-8")) == "esonic"


def test_files_of_others_are_not_taken_for_it() -> None:
    files = [file for file in GOLDEN.parent.rglob("*") if file.suffix in OTHERS]
    assert files
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    assert [file for file, text in texts.items() if system_of(text) == "esonic"] == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data is not here")
def test_recorded_outputs_of_others_are_not_taken_for_it() -> None:
    files = [file for file in (SHARED / "fixtures").rglob("*") if file.is_file()]
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in files}
    assert [file for file, text in texts.items() if system_of(text) == "esonic"] == []


def test_both_ends_of_a_cable(tmp_path: Path) -> None:
    spine = GOLDEN / "demo" / "spine01" / "running-configuration.esonic"
    leaf = tmp_path / "leaf.esonic"
    for text, rules in (
        (CLEAN, set()),
        (CLEAN.replace(" speed 400000", " speed 200000"), {"AUD016"}),
        (CLEAN.replace("dscp 26 traffic", "dscp 24 traffic"), {"AUD017"}),
    ):
        leaf.write_text(text, encoding="utf-8")
        fired = {one.rule for one in audit([leaf, spine]).outcome.findings}
        assert fired == rules
