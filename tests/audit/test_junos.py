"""Faults planted in Junos configurations, each found; the clean twin has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.platforms.tree import tree_text
from fabric.workflow.audit import audit
from tests.audit.planting import expect, findings
from tests.prove.fabrics import example
from tests.reference import reference

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "junos"
LEAF = GOLDEN / "a100-pcie" / "rack1-leaf"
CLEAN = (LEAF / "junos.set").read_text(encoding="utf-8")
TREE = tree_text(words for _, words in read_set(CLEAN))

COS = "set class-of-service"
PFC = f"{COS} congestion-notification-profile ROCE"
BOUND = f"{COS} interfaces et-0/0/0"

#: Pattern, replacement, rule. Places are those of a leaf of the example a100-pcie.
FAULTS = {
    "no policy installs equal paths": (r"^.* forwarding-table export .*\n", "", "AUD050"),
    "the group has no multipath": (r"^.* multipath.*\n", "", "AUD050"),
    "CNPs in the lossless class": (
        r"forwarding-class CNP loss-priority low code-points 110000",
        "forwarding-class NO-LOSS loss-priority low code-points 110000",
        "AUD051",
    ),
    "transmit rates above 100": (
        r"LOSSLESS transmit-rate percent \d+",
        "LOSSLESS transmit-rate percent 90",
        "AUD052",
    ),
    "the rate of the strict queue counts": (
        r"CNP transmit-rate percent 5",
        "CNP transmit-rate percent 6",
        "AUD052",
    ),
    "ingress parts above 100": (r"(ingress \S+ lossy percent) \d+", r"\1 30", "AUD053"),
    "ingress parts below 100": (r"(ingress \S+ lossy percent) \d+", r"\1 9", "AUD053"),
    "egress parts above 100": (r"(egress \S+ lossy percent) \d+", r"\1 90", "AUD053"),
    "no port has PFC": (rf"{COS} interfaces \S+ congestion-.*\n", "", "AUD001"),
    "the class may drop": (r"^.* NO-LOSS no-loss\n", "", "AUD001"),
    "the class has no priority": (r"^.* NO-LOSS pfc-priority 3\n", "", "AUD001"),
    "no DSCP pauses": (rf"{PFC} input .*\n", "", "AUD001"),
    "the profile is deactivated": (r"\Z", f"deactivate {PFC[4:]}\n", "AUD001"),
    "the classes are deleted": (r"\Z", "delete class-of-service forwarding-classes\n", "AUD001"),
    "a port has no PFC": (rf"{BOUND} congestion-.*\n", "", "AUD002"),
    "a port has another profile": (
        rf"{BOUND} congestion-notification-profile ROCE\n",
        (
            f"{BOUND} congestion-notification-profile TAG\n"
            f"{PFC[:-4]}TAG input ieee-802.1 code-point 100 pfc\n"
        ),
        "AUD002",
    ),
    "a pause stops another queue": (r"flow-control-queue 3", "flow-control-queue 4", "AUD002"),
    "a pause of another priority stops the queue": (
        r"code-point 011 flow-control-queue",
        "code-point 100 flow-control-queue",
        "AUD002",
    ),
    "the default of a pause stops another queue": (
        rf"(?s){COS} forwarding-classes class NO-LOSS queue-num 3\n(.*){PFC} output [^\n]*\n",
        rf"{COS} forwarding-classes class NO-LOSS queue-num 5\n\1",
        "AUD002",
    ),
    "the scheduler has no ECN": (r"^.* explicit-congestion-notification\n", "", "AUD003"),
    "the scheduler has no drop profile": (r"^.* drop-profile-map .*\n", "", "AUD003"),
    "the drop profile is for another loss priority": (
        r"drop-profile-map loss-priority any",
        "drop-profile-map loss-priority high",
        "AUD003",
    ),
    "a port with priorities of VLAN tags marks another queue": (
        rf"{PFC} input dscp code-point 011010 pfc\n",
        (
            f"{PFC} input ieee-802.1 code-point 100 pfc\n"
            f"{COS} classifiers ieee-802.1 T forwarding-class CNP loss-priority low"
            f" code-points 100\n{BOUND} unit 0 classifiers ieee-802.1 T\n"
        ),
        "AUD003",
    ),
    "the class has no scheduler": (r"^.*scheduler-maps ROCE .*NO-LOSS.*\n", "", "AUD003"),
    "the class has the scheduler of others": (
        r"NO-LOSS scheduler LOSSLESS",
        "NO-LOSS scheduler DEFAULT",
        "AUD003",
    ),
    "a port has no scheduler map": (rf"{BOUND} scheduler-map .*\n", "", "AUD003"),
    "Kmin above Kmax": (r"fill-level 1$", "fill-level 9", "AUD004"),
    "Kmin above Kmax, point by point": (
        r"^(.* interpolate) fill-level 1\n(.*\n){3}",
        r"\1 fill-level 9 drop-probability 0\n\1 fill-level 3 drop-probability 100\n",
        "AUD004",
    ),
    "marking with no chance": (r"^.* (fill-level 3|drop-probability 100)\n", "", "AUD004"),
    "no watchdog": (rf"{PFC} pfc-watchdog .*\n", "", "AUD006"),
    "a watchdog that guards no queue": (rf"{PFC} output .*\n", "", "AUD006"),
    "no port classifies by DSCP": (r"^.* classifiers dscp ROCE\n", "", "AUD007"),
    "a port does not classify": (rf"{BOUND} unit 0 classifiers.*\n", "", "AUD007"),
    "a port classifies by VLAN tag": (
        rf"{BOUND} unit 0 classifiers dscp",
        f"{BOUND} unit 0 classifiers ieee-802.1",
        "AUD007",
    ),
    "no DSCP leads to the class": (r"NO-LOSS (.*) 011010$", r"CNP \1 011010", "AUD008"),
    "another DSCP pauses": (
        r"input dscp code-point 011010",
        "input dscp code-point af32",
        "AUD008",
    ),
    "a DSCP of the class does not pause": (
        r"^(.* NO-LOSS loss-priority low code-points) 011010\n",
        r"\1 [ 011010 cs3 ]\n",
        "AUD008",
    ),
    "the queue is shared": (r"CNP queue-num 6", "CNP queue-num 3", "AUD008"),
    "the queue is that of best effort": (r"NO-LOSS queue-num 3", "NO-LOSS queue-num 0", "AUD008"),
    "a port with the default MTU": (r"et-0/0/0 mtu .*\n", "et-0/0/0 speed 100g\n", "AUD009"),
    "an MTU that lacks the Ethernet header": (r"et-0/0/0 mtu 9114", "et-0/0/0 mtu 4160", "AUD009"),
    "short packets in long frames": (
        r"^(set interfaces et-0/0/16 unit 0 family inet) address",
        r"\1 mtu 1500\n\1 address",
        "AUD009",
    ),
    "ARP by its default": (r"set system arp .*\n", "", "AUD010"),
    "ARP of a gateway": (
        r"^set system arp .*\n",
        "set system arp interfaces irb.101 aging-timer 30\n",
        "AUD010",
    ),
    "MAC ageing below ARP": (
        r"global-mac-table-aging-time \d+",
        r"global-mac-table-aging-time 60",
        "AUD010",
    ),
    "the hash takes addresses alone": (r"^.* hash-key family inet layer-4\n", "", "AUD011"),
    "long BGP timers": (r"hold-time 9", "hold-time 90", "AUD012"),
    "BGP timers by their default": (r"^.* hold-time 9\n", "", "AUD012"),
    "a policy that does not exist": (
        r"neighbor (\S+) export .*",
        r"neighbor \1 export X",
        "AUD013",
    ),
    "a profile that does not exist": (
        r"congestion-notification-profile ROCE$",
        "congestion-notification-profile ROSE",
        "AUD013",
    ),
    "a drop profile that does not exist": (r"drop-profile ECN$", "drop-profile ENC", "AUD013"),
    "a scheduler that does not exist": (r"scheduler LOSSLESS$", "scheduler LOSELESS", "AUD013"),
    "a class that does not exist": (r"forwarding-class CNP", "forwarding-class CMP", "AUD013"),
    "a scheduler map that nobody uses": (
        r"^(.*scheduler-maps) ROCE (.*NO-LOSS.*)$",
        r"\1 ROCE \2\n\1 OLD \2",
        "AUD013",
    ),
    "three lossless classes": (
        rf"^{COS} forwarding-classes class NO-LOSS no-loss\n",
        "".join(
            f"{COS} forwarding-classes class X{one} queue-num {one}\n"
            f"{COS} forwarding-classes class X{one} no-loss\n"
            f"{COS} forwarding-classes class X{one} pfc-priority {one}\n"
            f"{COS} classifiers dscp ROCE forwarding-class X{one} loss-priority low"
            f" code-points cs{one}\n"
            f"{PFC} input dscp code-point cs{one} pfc\n"
            for one in (4, 5)
        )
        + f"{COS} forwarding-classes class NO-LOSS no-loss\n",
        "AUD014",
    ),
    "the queue is strict": (
        r"schedulers LOSSLESS transmit-rate percent 81",
        "schedulers LOSSLESS priority strict-high",
        "AUD015",
    ),
    "the queue is strict with a cap": (
        rf"^{COS} schedulers LOSSLESS transmit-rate .*$",
        rf"\g<0>\n{COS} schedulers LOSSLESS priority strict-high",
        "AUD015",
    ),
    "the queue has no share": (
        r"LOSSLESS transmit-rate percent 81",
        "LOSSLESS transmit-rate percent 0",
        "AUD015",
    ),
    "a line that nobody knows": (rf"^{PFC} input ", rf"{PFC} cheer\n\g<0>", "AUD018"),
    "thresholds and chances that do not pair": (r"^.* fill-level 1\n", "", "AUD018"),
    "a group that is not read": (
        r"\A",
        f"set groups G {COS[4:]} schedulers LOSSLESS priority low\n",
        "AUD018",
    ),
}
#: The same in the form that a device prints.
TREE_FAULTS = {
    "the class may drop": (r" no-loss", "", "AUD001"),
    "a port has no PFC": (r"^ +congestion-notification-profile ROCE;\n", "", "AUD002"),
    "the profile is inactive": (r"( +)pfc-watchdog \{", r"\1inactive: pfc-watchdog {", "AUD006"),
    "no ECN": (r"^ +explicit-congestion-notification;\n", "", "AUD003"),
    "Kmin above Kmax": (r"fill-level \[ 1 3 \]", "fill-level [ 3 1 ]", "AUD004"),
    "a DSCP of the class does not pause": (
        r"(NO-LOSS \{\n +loss-priority low code-points) 011010",
        r"\1 [ 011010 011011 ]",
        "AUD008",
    ),
    "an MTU of packets without jumbo frames": (r"mtu 9114;", "mtu 1514;", "AUD009"),
    "ARP by its default": (r" +aging-timer 4;\n", "", "AUD010"),
}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*/junos.*")))
def test_rendered_files_are_clean(path: Path) -> None:
    audited = audit([path])
    assert list(audited.systems.values()) == ["junos"]
    assert audited.outcome.findings == ()


def test_a_rendered_leaf_of_a_mixed_fabric_is_clean(tmp_path: Path) -> None:
    _, texts = example("mixed")
    for text in texts["junos-leaf"].values():
        assert findings(tmp_path, text) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, CLEAN, FAULTS[name], one_place=name.startswith("a port"))


@pytest.mark.parametrize("name", TREE_FAULTS)
def test_a_fault_in_a_hierarchy_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, TREE, TREE_FAULTS[name], one_place=name.startswith("a port"))


HARMLESS = {
    "an MTU that may come from a range of interfaces": (
        r"^set interfaces et-0/0/0 mtu 9114\n",
        (
            "set interfaces interface-range NICS member et-0/0/0\n"
            "set interfaces interface-range NICS mtu 9114\n"
        ),
    ),
    "priorities of VLAN tags in the same queue": (
        rf"^{PFC} input dscp code-point 011010 pfc\n",
        (
            f"{PFC} input ieee-802.1 code-point 011 pfc\n"
            f"{COS} classifiers ieee-802.1 T forwarding-class NO-LOSS loss-priority low"
            " code-points 011\n"
            f"{COS} interfaces et-* unit 0 classifiers ieee-802.1 T\n"
        ),
    ),
    "a wildcard": (
        rf"^{COS} interfaces et-0/0/0 (.*)\n",
        rf"{COS} interfaces et-* \1\n",
    ),
    "packets of any length, hashed one by one": (
        r"^set forwarding-options hash-key family inet layer-4\n",
        "set forwarding-options enhanced-hash-key ecmp-dlb per-packet\n",
    ),
    "a classifier that imports another": (
        rf"^{COS} classifiers dscp ROCE (forwarding-class NO-LOSS .*)\n",
        rf"{COS} classifiers dscp BASE \1\n{COS} classifiers dscp ROCE import BASE\n",
    ),
    "code points by name": (r"code-points 011010", "code-points af31"),
    "code points by a name of the configuration": (
        r"^(.*) code-points 011010\n",
        rf"\1 code-points rdma\n{COS} code-point-aliases dscp rdma 011010\n",
    ),
    "a default pause that stops the queue, without a watchdog": (
        rf"^{PFC} (output|pfc-watchdog) .*\n",
        "",
    ),
    "a breakout": (
        r"^set interfaces et-0/0/2 disable\n",
        "set interfaces et-0/0/2 number-of-sub-ports 2\nset interfaces et-0/0/2 speed 400g\n",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_fault_is_not_reported(tmp_path: Path, name: str) -> None:
    pattern, replacement = HARMLESS[name]
    text = re.sub(pattern, replacement, CLEAN, flags=re.MULTILINE)
    assert text != CLEAN
    wrong = {one.rule for one in findings(tmp_path, text)}
    wrong.discard("AUD018")
    assert wrong == ({"AUD006"} if "without a watchdog" in name else set())


def test_two_switches_are_compared(tmp_path: Path) -> None:
    leaf = (GOLDEN / "demo" / "su1-rail0" / "junos.set").read_text(encoding="utf-8")
    spine = (GOLDEN / "demo" / "spine01" / "junos.set").read_text(encoding="utf-8")
    (tmp_path / "leaf.set").write_text(leaf, encoding="utf-8")
    (tmp_path / "spine.set").write_text(spine, encoding="utf-8")
    assert audit([tmp_path]).outcome.findings == ()
    wrong = spine.replace("mtu 9114", "mtu 9216").replace("011010", "011100")
    assert wrong != spine
    (tmp_path / "spine.set").write_text(wrong, encoding="utf-8")
    assert {one.rule for one in audit([tmp_path]).outcome.findings} == {"AUD016", "AUD017"}


@pytest.fixture
def validated() -> Path:
    """Return the folder of configurations that the vendor validated."""
    return reference("fixtures", "junos", "jvd")


@pytest.mark.parametrize("name", ["leaf1_qfx5240-64od.conf", "spine1_qfx5240-64od.conf"])
def test_a_validated_back_end_switch_has_no_fault(validated: Path, name: str) -> None:
    """Queue 4 with priority 3, wildcards for all ports, ports without traffic: no finding."""
    assert audit([validated / name]).outcome.findings == ()


def test_a_validated_front_end_switch_has_no_lossless_class(validated: Path) -> None:
    """It has no class of service, a VLAN, and ageing by its defaults."""
    every = audit([validated / "leaf1_qfx5130-32cd.conf"]).outcome.findings
    assert [(one.rule, one.message) for one in every] == [
        ("AUD001", "no port has a lossless class (PFC)"),
        ("AUD010", "ARP entries live 1,200 s, MAC entries 300 s"),
    ]


def test_a_fault_in_a_validated_switch_is_found(validated: Path, tmp_path: Path) -> None:
    """Without its output part, a pause of priority 3 stops the queue of CNPs."""
    text = (validated / "leaf1_qfx5240-64od.conf").read_text(encoding="utf-8")
    wrong = text.replace("flow-control-queue 4", "flow-control-queue 3")
    assert wrong != text
    every = findings(tmp_path, wrong)
    assert {one.rule for one in every} == {"AUD002", "AUD006"}
    assert "stops queue 3, and the class has queue 4" in every[0].message
