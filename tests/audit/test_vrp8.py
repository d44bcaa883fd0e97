"""Faults planted in VRP8 configurations of both families, each found; the clean twins have none."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import Lossless, PortPolicy, Value, lossless_readers
from tests.audit.planting import expect, fabric_findings, findings
from tests.observe.test_fixtures import recorded
from tests.prove.fabrics import example
from tests.render.designs import text_of
from tests.render.vrp8_designs import CHANGES, designs
from tests.systems.outputs import recordings

#: Pattern, replacement, rule. Places are those of the leaf with a headroom pool.
FAULTS = {
    "one of the equal paths": (r" *maximum load-balancing .*\n", "", "AUD050"),
    "CNPs in the lossless class": (
        r"ip-dscp-inbound 48 phb \S+ green",
        "ip-dscp-inbound 48 phb af3 green",
        "AUD051",
    ),
    "PFC is on nowhere": (r" dcb pfc enable roce mode manual\n", "", "AUD001"),
    "PFC is off on the switch": (r"^sysname", "dcb pfc global disable\n#\nsysname", "AUD001"),
    "PFC follows DCBX": (r"mode manual", "mode auto", "AUD042"),
    "the profile pauses nothing": (r"^ priority 3\n", "", "AUD001"),
    "the profile is emptied": (r"^ priority 3\n", " priority 3\n undo priority 3\n", "AUD001"),
    "no headroom pool": (r"^qos buffer headroom-pool .*\n", "", "AUD001"),
    "a port without PFC": (r" dcb pfc enable roce mode manual\n", "", "AUD002"),
    "a port that follows DCBX": (r"mode manual", "mode auto", "AUD042"),
    "a port with another profile": (
        r" dcb pfc enable roce mode manual\n",
        " dcb pfc enable OLD\n#\ndcb pfc OLD\n priority 4\n#\ninterface 100GE1/0/31\n",
        "AUD002",
    ),
    "no ECN on the queue": (r" qos queue 3 ecn\n", "", "AUD003"),
    "no drop profile on the queue": (r" qos queue 3 wred roce-ecn\n", "", "AUD003"),
    "ECN on another queue": (r"qos queue 3 (ecn|wred)", r"qos queue 4 \1", "AUD003"),
    "a drop profile without thresholds": (
        r" ecn buffer-size .*\n",
        " color green low-limit 50 high-limit 90 discard-percentage 10\n",
        "AUD003",
    ),
    "a port without ECN": (r" qos queue 3 ecn\n", "", "AUD003"),
    "Kmin above Kmax": (r"low-limit \d+ high-limit", "low-limit 9000000 high-limit", "AUD004"),
    "Kmin is Kmax": (
        r"low-limit \d+ high-limit (\d+) discard-percentage 100",
        r"low-limit \1 high-limit \1 discard-percentage 50",
        "AUD004",
    ),
    "percents out of order": (
        r"ecn buffer-size low-limit \d+ high-limit \d+",
        "ecn low-limit 80 high-limit 20",
        "AUD004",
    ),
    "cells out of order": (
        r"buffer-size low-limit \d+ high-limit \d+",
        "buffer-size cell low-limit 800 high-limit 20",
        "AUD004",
    ),
    "the pause comes before the mark": (
        r"( qos queue 3 ecn\n)",
        r"\1 dcb pfc buffer 3 xoff static 100 kbytes xon offset 6 kbytes\n",
        "AUD005",
    ),
    "a pause threshold without a unit": (
        r"( qos queue 3 ecn\n)",
        r"\1 dcb pfc buffer 3 xoff static 1\n",
        "AUD005",
    ),
    "a deadlock shuts the port": (
        r"( qos queue 3 ecn\n)",
        r"\1 port pfc-deadlock trigger error-down\n",
        "AUD006",
    ),
    "a deadlock is never left": (
        r"deadlock-recovery time \d+",
        "deadlock-recovery time 0",
        "AUD006",
    ),
    "no host port trusts DSCP": (r" trust dscp\n", "", "AUD007"),
    "a port trusts 802.1p": (r" trust dscp\n", " trust 8021p outer\n", "AUD007"),
    "a port trusts nothing": (r"trust upstream roce", "trust upstream none", "AUD007"),
    "pauses go by 802.1p": (r"^dcb pfc dscp-mapping .*\n", "", "AUD007"),
    "no DSCP leads to the class": (r"phb af3 ", "phb af2 ", "AUD008"),
    "frames of 1518 bytes": (r"jumboframe enable \d+", "jumboframe enable 1518", "AUD009"),
    "a port for 2,048 bytes": (r"jumboframe enable \d+", "jumboframe enable 2200", "AUD009"),
    "ARP entries live longer": (r"^arp timeout \d+", "arp timeout 3600", "AUD010"),
    "ARP entries live as long as by default": (r"^arp timeout \d+\n", "", "AUD010"),
    "ARP entries of a gateway live longer": (
        r"^(interface Vlanif\d+)$",
        r"\1\n arp timeout 7200",
        "AUD010",
    ),
    "MAC entries end first": (
        r"^mac-address aging-time \d+",
        "mac-address aging-time 120",
        "AUD010",
    ),
    "the hash takes addresses alone": (
        r"^sysname",
        "load-balance ecmp\n ip src-ip dst-ip\n#\nsysname",
        "AUD011",
    ),
    "the hash takes the destination port alone": (
        r"^sysname",
        "load-balance ecmp\n ip src-ip dst-ip l4-dst-port\n#\nsysname",
        "AUD011",
    ),
    "long BGP timers": (r"timer keepalive \d+ hold \d+", "timer keepalive 60 hold 180", "AUD012"),
    "BGP timers by their default": (r"^ peer \S+ timer .*\n", "", "AUD012"),
    "a routing policy that does not exist": (
        r"(  peer \S+ enable\n)",
        r"\1  peer 10.254.0.0 route-policy NONE export\n",
        "AUD013",
    ),
    "a PFC profile that does not exist": (r"dcb pfc enable roce", "dcb pfc enable rose", "AUD013"),
    "a domain that does not exist": (r"trust upstream roce", "trust upstream rose", "AUD013"),
    "a drop profile that does not exist": (r"wred roce-ecn", "wred rose-ecn", "AUD013"),
    "a drop profile that nobody uses": (
        r"^sysname",
        "drop-profile OLD\n color green low-limit 5 high-limit 9 discard-percentage 1\n#\nsysname",
        "AUD013",
    ),
    "a domain that nobody uses": (r"^sysname", "diffserv domain OLD\n#\nsysname", "AUD013"),
    "three lossless classes": (r"^ priority 3\n", " priority 3 4\n priority 5\n", "AUD014"),
    "the queue is strict": (r"qos drr 0 to 5", "qos pq 3 drr 0 to 2 4 to 5", "AUD015"),
    "every queue is strict": (r" qos drr 0 to 5\n", "", "AUD015"),
    "the queue comes last": (r"qos drr 0 to 5", "qos drr 0 to 2 4 to 5 lpq 3", "AUD015"),
    "the committed rate is strict": (r" qos queue 3 shaping .*\n", "", "AUD015"),
    "a port with too little headroom": (
        r"( dcb pfc enable roce mode manual\n)",
        r"\1 dcb pfc buffer 3 hdrm 16 kbytes\n",
        "AUD040",
    ),
    "a line of a port that nobody knows": (
        r" qos queue 3 ecn\n",
        " qos queue 3 ecn\n qos cheer\n",
        "AUD018",
    ),
    "a port with a policy that may classify": (
        r" qos queue 3 ecn\n",
        " qos queue 3 ecn\n traffic-policy MARK inbound\n",
        "AUD018",
    ),
    "another kind of PFC": (
        r" qos queue 3 ecn\n",
        " qos queue 3 ecn\n dcb abs-pfc queue 3 enable\n",
        "AUD018",
    ),
    "a line of a profile that nobody knows": (r"^ priority 3\n", " priority 3\n cheer\n", "AUD018"),
}

#: The same on a leaf of the other family.
SWITCHED_FAULTS = {
    "ECN is off on the switch": (r"^qos ecn enable\n", "", "AUD003"),
    "the pause comes before the mark": (
        r"( qos queue 3 ecn\n)",
        r"\1 dcb pfc buffer 3 xon static 80 kbytes xoff static 100 kbytes\n",
        "AUD005",
    ),
    "no host port trusts DSCP": (r" trust dscp\n", "", "AUD007"),
    "the queue is strict": (r"qos drr 0 to 5", "qos pq 0 to 5", "AUD015"),
}


@cache
def pooled() -> str:
    """Return a leaf of the family with a headroom pool."""
    return text_of(designs("demo")["su1-rail0"])


@cache
def switched() -> str:
    """Return a leaf of the family with a switch for ECN."""
    return text_of(designs("a100-pcie")["rack1-leaf"])


def read(text: str) -> Lossless:
    return lossless_readers["vrp8"].read(text)


def port(text: str) -> PortPolicy:
    switch = read(text)
    assert switch.leftovers == []
    return next(iter(switch.ports.values()))


@pytest.mark.parametrize("leaf", [pooled, switched], ids=["headroom pool", "switch for ECN"])
def test_the_clean_twin(tmp_path: Path, leaf: Callable[[], str]) -> None:
    assert findings(tmp_path, leaf()) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, pooled(), FAULTS[name], one_place=name.startswith("a port"))


TRUST = "add `trust dscp`"
MAPPING = "`dcb pfc dscp-mapping enable slot 1`"
SHAPING = "`qos queue 3 shaping cir 64 kbps pir 100 gbps`"
#: Leaf, name of a fault, and the lines that mend it.
FIXES = {
    "the mapping of the family": (pooled, FAULTS["pauses go by 802.1p"], f"add {MAPPING}"),
    "trust": (pooled, FAULTS["no host port trusts DSCP"], TRUST),
    "trust of the other family": (switched, SWITCHED_FAULTS["no host port trusts DSCP"], TRUST),
    "shaping": (pooled, FAULTS["the committed rate is strict"], f"add {SHAPING}"),
    "a share": (pooled, FAULTS["the queue is strict"], "add `qos drr 3`"),
    "a share, shaping": (
        pooled,
        (r" qos (drr 0 to 5|queue 3 shaping .*)\n", "", "AUD015"),
        f"add `qos drr 3` and {SHAPING}",
    ),
    "a share, in the other family": (
        switched,
        SWITCHED_FAULTS["the queue is strict"],
        "add `qos drr 3`",
    ),
}


@pytest.mark.parametrize("name", FIXES)
def test_a_fix_names_the_lines_of_the_family(tmp_path: Path, name: str) -> None:
    leaf, (pattern, replacement, rule), fix = FIXES[name]
    wrong = re.sub(pattern, replacement, leaf(), flags=re.MULTILINE)
    fired = [finding for finding in findings(tmp_path, wrong) if finding.rule == rule]
    assert {finding.fix for finding in fired} == {fix}


@pytest.mark.parametrize("name", SWITCHED_FAULTS)
def test_a_planted_fault_of_the_other_family_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, switched(), SWITCHED_FAULTS[name])


@pytest.mark.parametrize("inventory", CHANGES)
def test_rendered_fabrics_are_clean(tmp_path: Path, inventory: str) -> None:
    """Each file, and both ends of the cables."""
    texts = {name: text_of(device) for name, device in designs(inventory).items()}
    texts = {name: text for name, text in texts.items() if "dcb pfc" in text}
    assert texts
    assert fabric_findings(tmp_path, texts, ".vrp8") == ()


def test_the_rendered_leaf_of_a_mixed_fabric_is_clean(tmp_path: Path) -> None:
    assert findings(tmp_path, example("mixed")[1]["vrp8-leaf"]["running-config"]) == ()


def test_the_two_ends_of_a_cable_are_compared(tmp_path: Path) -> None:
    names = ("su1-rail0", "spine01")
    texts = {name: text_of(designs("demo")[name]) for name in names}
    start = texts["spine01"].index("interface 100GE1/0/1\n")
    texts["spine01"] = texts["spine01"][:start] + texts["spine01"][start:].replace(
        "jumboframe enable 9122", "jumboframe enable 9000", 1
    )
    fired = fabric_findings(tmp_path, texts, ".vrp8")
    assert [finding.rule for finding in fired] == ["AUD016"]


def test_maps_of_all_switches_are_compared(tmp_path: Path) -> None:
    texts = {name: text_of(device) for name, device in designs("demo").items()}
    texts["spine01"] = texts["spine01"].replace("inbound 40 phb be", "inbound 40 phb af3")
    fired = fabric_findings(tmp_path, texts, ".vrp8")
    assert [(finding.rule, finding.device) for finding in fired] == [("AUD017", "spine01")]


def test_values_of_a_leaf() -> None:
    switch = read(pooled())
    host, uplink = switch.ports["100GE1/0/1"], switch.ports["100GE1/0/17"]
    assert (switch.name, switch.leftovers) == ("su1-rail0", [])
    assert switch.arp_timeout_s
    assert switch.mac_ageing_s
    assert switch.arp_timeout_s.value < switch.mac_ageing_s.value
    assert (host.routed, uplink.routed) == (False, True)
    assert (host.speed_gbps, host.description) == (100, "gpu001 eth1")
    assert set(host.lossless) == {3}
    assert host.mtu_bytes
    assert host.mtu_bytes.value == 9100
    assert host.dscp_to_class[26] == 3
    assert host.dscp_to_class[48] == 6
    assert [number for number, phb in host.dscp_to_class.items() if phb == 3] == [26]
    assert host.percent[3].value == 50
    assert set(host.strict) == set(range(8)) - {0, 3}
    marking = host.markings[3]
    assert (marking.kmin_bytes, marking.kmax_bytes, marking.ecn) == (150_000, 1_500_000, True)
    assert host.watchdog
    assert (host.watchdog.detection_ms, host.watchdog.restoration_ms) == (400, 400)
    assert not switch.ports["100GE1/0/36"].enabled


def test_a_bare_port_has_the_defaults() -> None:
    bare = port("interface 100GE1/0/1\n")
    assert (bare.enabled, bare.routed, bare.lossless, bare.trusts_dscp) == (True, None, {}, False)
    assert bare.mtu_bytes == Value(9_194, 0)
    assert set(bare.strict) == set(range(8))
    assert bare.dscp_to_class[46] == 5


def test_the_built_in_profile_pauses_priority_3() -> None:
    assert set(port("interface 100GE1/0/1\n dcb pfc enable\n").lossless) == {3}
    text = "dcb pfc\n priority 4\n#\ninterface 100GE1/0/1\n dcb pfc enable mode manual\n"
    assert set(port(text).lossless) == {3, 4}


def test_timers_of_both_families() -> None:
    text = "interface 100GE1/0/1\n dcb pfc enable\n#\n"
    slow = port(f"{text}dcb pfc deadlock-detect timer 400\n").watchdog
    fast = port(f"{text}dcb pfc deadlock-detect interval 100\n").watchdog
    assert slow
    assert fast
    assert (slow.detection_ms, slow.restoration_ms) == (400, 100)
    assert (fast.detection_ms, fast.restoration_ms) == (1000, 1000)


def test_members_of_a_trunk_have_what_the_trunk_says() -> None:
    text = (
        "diffserv domain roce\n ip-dscp-inbound 26 phb af4\n#\ninterface Eth-Trunk1\n"
        " port link-type trunk\n trust dscp\n trust upstream roce\n jumboframe enable 5000\n#\n"
        "interface 100GE1/0/1\n eth-trunk 1\n dcb pfc enable\n"
    )
    member = port(text)
    assert (member.routed, member.trusts_dscp, member.dscp_to_class[26]) == (False, True, 4)
    assert member.mtu_bytes == Value(4_978, 8)


def test_a_queue_that_learns_its_thresholds_marks() -> None:
    text = (
        "ai-service\n ai-ecn\n  assign queue 3 model ai_ecn_hpc\n  ai-ecn enable\n#\n"
        "interface 100GE1/0/1\n dcb pfc enable\n"
    )
    marking = port(text).markings[3]
    assert (marking.ecn, marking.kmin_bytes) == (True, None)
    assert port(text.replace("  ai-ecn enable\n", "")).markings == {}


def test_speeds_of_parts_and_of_slower_ports() -> None:
    split = "port split dimension interface 100GE1/0/1 split-type 4*25GE\n"
    assert port(f"{split}#\ninterface 100GE1/0/1:2\n").speed_gbps == 25
    assert port("interface 100GE1/0/1:2\n").speed_gbps is None
    assert (
        port("port mode 200GE interface 400GE 1/0/2\n#\ninterface 400GE1/0/2\n").speed_gbps == 200
    )


def test_a_profile_of_groups_leaves_the_scheduler_open() -> None:
    text = (
        "dcb ets-profile E\n priority-group 1 queue 3\n#\n"
        "interface 100GE1/0/1\n dcb ets enable E\n dcb pfc enable\n"
    )
    assert (port(text).strict, port(text).percent) == ({}, {})


def test_packets_that_are_sprayed_need_no_hash() -> None:
    assert read("load-balance ecmp\n ecmp mode spray\n").hash_fields is None
    assert read("load-balance ecmp\n ecmp mode fixed\n").hash_fields


def test_a_megabyte_is_more_than_a_thousand_kbytes() -> None:
    text = "interface 100GE1/0/1\n dcb pfc buffer 3 xoff static 1 mbytes\n"
    assert port(text).pause_bytes[3] == Value(1_048_576, 2)
    assert port(re.sub("mbytes", "kbytes", text)).pause_bytes[3] == Value(1_024, 2)


#: Lines that no switch has where they stand, and lines that count by no form of them.
LEFT = (
    "interface 100GE1/0",
    "interface Vlanif5\n qos queue 3 ecn",
    "dcb pfc uplink",
    "dcb pfc deadlock-detect interval 1",
    "drop-profile P\n color green low-limit 5",
    "port split dimension interface 400GE1/0/1 to 400GE1/0/3 split-type 4*100GE",
)


def test_what_is_not_understood_is_left() -> None:
    for text in LEFT:
        assert [item.text for item in read(f"{text}\n").leftovers] == [text.rpartition("\n ")[2]]


def test_recorded_outputs_say_nothing_of_the_lossless_class() -> None:
    for name in sorted(recordings("huawei-vrp8")):
        switch = read(recorded(f"huawei-vrp8/{name}"))
        assert all(not one.lossless for one in switch.ports.values()), name
