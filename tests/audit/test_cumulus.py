"""Faults planted in configurations of Cumulus Linux, each found; the clean twin has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.configuration.recognition import system_of
from fabric.observe.parsers import UnreadableError
from fabric.workflow.audit import audit
from tests.audit.planting import expect, findings
from tests.observe.test_fixtures import recorded
from tests.prove.fabrics import example
from tests.systems.outputs import recordings

GOLDEN = Path(__file__).parents[1] / "golden" / "cumulus"
CLEAN = (GOLDEN / "a100-pcie" / "rack1-leaf" / "config.nv").read_text(encoding="utf-8")

QOS = "nv set qos"
ROCE = rf"{QOS} roce enable on\n{QOS} roce mode lossless\n"
PORT = "nv set interface swp1"
MARKING = f"{QOS} congestion-control default-global traffic-class 3"
PROFILE = f"{QOS} pfc P switch-priority 3\n{PORT} qos pfc profile P\n"

#: Pattern, replacement, rule. Places are those of a leaf of the example a100-pcie.
FAULTS = {
    "one of the equal paths": (r"multipaths ebgp 64", "multipaths ebgp 1", "AUD050"),
    "shares above 100": (r"bw-percent 10$", "bw-percent 30", "AUD052"),
    "no recipe": (ROCE, "", "AUD001"),
    "the recipe is off": (r"roce enable on", "roce enable off", "AUD001"),
    "the recipe of newer releases is off": (r"roce enable on", "roce state disabled", "AUD001"),
    "the recipe is taken away": (r"\Z", "nv unset qos roce\n", "AUD001"),
    "the recipe drops": (r"roce mode lossless", "roce mode lossy", "AUD001"),
    "the recipe trims": (r"roce mode lossless", "roce mode lossy-multi-tc", "AUD001"),
    "PFC is off both ways": (
        r"\Z",
        f"{QOS} pfc default-global tx disable\n{QOS} pfc default-global rx disable\n",
        "AUD001",
    ),
    "a port pauses another priority": (
        r"\Z",
        PROFILE.replace("switch-priority 3", "switch-priority 4"),
        "AUD002",
    ),
    "a port pauses one priority more": (
        r"\Z",
        f"{PROFILE}{QOS} pfc P switch-priority 4\n",
        "AUD002",
    ),
    "a port has a profile without PFC": (r"\Z", f"{PORT} qos pfc profile EMPTY\n", "AUD002"),
    "no port sends pause frames": (r"\Z", f"{QOS} pfc default-global tx disable\n", "AUD002"),
    "no port stops": (r"\Z", f"{QOS} pfc default-global rx disable\n", "AUD002"),
    "a port does not stop": (r"\Z", f"{PROFILE}{QOS} pfc P rx disabled\n", "AUD002"),
    "PFC by hand without memory": (
        ROCE,
        f"{QOS} pfc default-global switch-priority 3\n",
        "AUD002",
    ),
    "ECN is off": (r"\Z", f"{MARKING} ecn disable\n", "AUD003"),
    "ECN is off, and packets drop at random": (
        r"\Z",
        f"{MARKING} ecn disable\n{MARKING} red enable\n",
        "AUD003",
    ),
    "the queue of another priority": (
        r"\Z",
        (
            f"{QOS} pfc default-global switch-priority 2\n"
            f"{QOS} egress-queue-mapping default-global switch-priority 2 traffic-class 2\n"
        ),
        "AUD003",
    ),
    "PFC by hand, ECN by its default": (
        rf"{ROCE}|^{MARKING} .*\n",
        f"{QOS} pfc default-global switch-priority 3\n",
        "AUD003",
    ),
    "a port marks no ECN": (
        r"\Z",
        (
            f"{QOS} congestion-control C traffic-class 0 min-threshold 40000\n"
            f"{PORT} qos congestion-control profile C\n"
        ),
        "AUD003",
    ),
    "Kmin above Kmax": (r"min-threshold \d+", "min-threshold 1500001", "AUD004"),
    "Kmin is Kmax": (
        rf"{MARKING} min-threshold \d+\n((?:.*\n)*?){MARKING} probability \d+",
        rf"{MARKING} min-threshold 1500000\n\1{MARKING} probability 50",
        "AUD004",
    ),
    "Kmax below the Kmin of the recipe": (
        rf"^{MARKING} min-threshold .*\n{MARKING} max-threshold \d+",
        f"{MARKING} max-threshold 100000",
        "AUD004",
    ),
    "marking with no chance": (r"probability \d+", "probability 0", "AUD004"),
    "no watchdog": (r"^.* qos pfc-watchdog state enable\n", "", "AUD006"),
    "a port without watchdog": (rf"^{PORT} qos pfc-watchdog state enable\n", "", "AUD006"),
    "a port with its watchdog off": (
        r"qos pfc-watchdog state enable",
        "qos pfc-watchdog state disable",
        "AUD006",
    ),
    "trust of PCP": (r"default-global trust both", "default-global trust l2", "AUD007"),
    "trust of the port": (r"default-global trust both", "default-global trust port", "AUD007"),
    "trust by its default, without the recipe": (
        rf"{ROCE}{QOS} mapping default-global trust both\n",
        (
            f"{QOS} pfc default-global switch-priority 3\n"
            f"{QOS} traffic-pool default-lossless memory-percent 50\n"
        ),
        "AUD007",
    ),
    "a port trusts PCP": (
        r"\Z",
        f"{QOS} mapping M trust l2\n{PORT} qos mapping profile M\n",
        "AUD007",
    ),
    "no DSCP leads to the class": (
        r"\Z",
        f"{QOS} mapping default-global dscp 26 switch-priority 0\n",
        "AUD008",
    ),
    "the queue is shared with CNPs": (
        r"\Z",
        f"{QOS} egress-queue-mapping default-global switch-priority 6 traffic-class 3\n",
        "AUD008",
    ),
    "the queue is that of all other traffic": (
        r"\Z",
        f"{QOS} egress-queue-mapping default-global switch-priority 3 traffic-class 0\n",
        "AUD008",
    ),
    "an MTU without jumbo frames": (r"link mtu 9100", "link mtu 1500", "AUD009"),
    "a port with an MTU for 2,048 bytes": (r"link mtu 9100", "link mtu 2200", "AUD009"),
    "ARP by its default": (r"^nv set system global arp .*\n", "", "AUD010"),
    "ARP as long as MAC addresses": (
        r"base-reachable-time \d+",
        "base-reachable-time 400",
        "AUD010",
    ),
    "MAC addresses end first": (r"ageing 600", "ageing 200", "AUD010"),
    "the hash leaves the source port out": (
        r"\Z",
        "nv set system forwarding ecmp-hash source-port off\n",
        "AUD011",
    ),
    "long BGP timers": (r"timers hold 9", "timers hold 180", "AUD012"),
    "BGP timers by their default": (r"^.* timers hold 9\n", "", "AUD012"),
    "a profile that does not exist": (r"\Z", f"{PORT} qos mapping profile X\n", "AUD013"),
    "a profile that nobody uses": (r"\Z", f"{QOS} mapping OLD trust l3\n", "AUD013"),
    "three lossless priorities": (
        r"\Z",
        f"{QOS} pfc default-global switch-priority 3,4,5\n",
        "AUD014",
    ),
    "the queue is strict": (
        r"\Z",
        f"{QOS} egress-scheduler default-global traffic-class 3 mode strict\n",
        "AUD015",
    ),
    "a port serves other queues alone": (
        r"\Z",
        (
            f"{QOS} egress-scheduler S traffic-class 0 mode dwrr\n"
            f"{QOS} egress-scheduler S traffic-class 0 bw-percent 100\n"
            f"{PORT} qos egress-scheduler profile S\n"
        ),
        "AUD015",
    ),
    "the scheduler by hand leaves the queue out": (
        rf"{ROCE}|^{QOS} egress-scheduler default-global traffic-class 3 .*\n",
        (
            f"{QOS} pfc default-global switch-priority 3\n"
            f"{QOS} traffic-pool default-lossless memory-percent 50\n"
        ),
        "AUD015",
    ),
    "a line that nobody knows": (r"\Z", f"{QOS} roce cheer on\n", "AUD018"),
    "a line of a port that nobody knows": (r"\Z", f"{PORT} qos cheer on\n", "AUD018"),
}

#: As a switch keeps it, with keys where lines have words.
YAML = """\
- header:
    model: SN4700
    nvue-api-version: nvue_v1
- set:
    bridge:
      domain:
        br_default:
          ageing: 1800
          vlan:
            '101': {}
    interface:
      lo:
        ip:
          address:
            10.0.0.11/32: {}
        type: loopback
      swp1:
        bridge:
          domain:
            br_default:
              access: 101
        qos:
          pfc-watchdog:
            state: enable
        type: swp
      swp51:
        qos:
          pfc-watchdog: {}
        type: swp
      vlan101:
        ip:
          address:
            10.101.1.1/24: {}
        type: svi
        vlan: 101
    qos:
      roce:
        enable: on
        mode: lossless
    router:
      bgp:
        autonomous-system: 65101
        enable: on
    system:
      hostname: leaf01
    vrf:
      default:
        router:
          bgp:
            enable: on
            neighbor:
              swp51:
                remote-as: external
                timers:
                  hold: 9
                  keepalive: 3
                type: unnumbered
"""
YAML_FAULTS = {
    "the recipe is off": (
        r"qos:\n      roce:\n        enable: on",
        "qos:\n      roce:\n        enable: off",
        "AUD001",
    ),
    "the recipe drops": (r"mode: lossless", "mode: lossy", "AUD001"),
    "an uplink has no watchdog": (r"        qos:\n          pfc-watchdog: \{\}\n", "", "AUD006"),
    "a watchdog is off": (r"state: enable", "state: disable", "AUD006"),
    "an uplink for short packets": (
        r"      swp51:\n        qos",
        "      swp51:\n        link:\n          mtu: 1500\n        qos",
        "AUD009",
    ),
    "MAC addresses end first": (r"ageing: 1800", "ageing: 300", "AUD010"),
    "long BGP timers": (r"hold: 9", "hold: 90", "AUD012"),
    "no ECN": (
        r"^    qos:\n",
        (
            "    qos:\n      congestion-control:\n        default-global:\n"
            "          traffic-class:\n            '3':\n              ecn: disable\n"
        ),
        "AUD003",
    ),
}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*/config.nv")))
def test_rendered_files_are_clean(path: Path) -> None:
    audited = audit([path])
    assert list(audited.systems.values()) == ["cumulus"]
    assert audited.outcome.findings == ()


def test_a_rendered_leaf_of_a_mixed_fabric_is_clean(tmp_path: Path) -> None:
    _, texts = example("mixed")
    assert findings(tmp_path, texts["cumulus-leaf"]["nv-set"]) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, CLEAN, FAULTS[name], one_place=name.startswith("a port"))


def test_a_file_of_a_switch_is_clean(tmp_path: Path) -> None:
    assert findings(tmp_path, YAML) == ()


@pytest.mark.parametrize("name", YAML_FAULTS)
def test_a_fault_in_a_file_of_a_switch_is_found(tmp_path: Path, name: str) -> None:
    expect(tmp_path, YAML, YAML_FAULTS[name])


HARMLESS = {
    "the bare recipe": (ROCE, f"{QOS} roce\n"),
    "the recipe with one pool": (r"mode lossless", "mode lossless-single-ipool"),
    "thresholds of the recipe": (rf"^{MARKING} .*\n", ""),
    "ageing that nobody documents alike": (r"ageing 600", "ageing 0"),
    "a port of its own profile": (r"\Z", PROFILE),
    "another priority, as the guide moves it": (
        r"\Z",
        (
            f"{QOS} pfc default-global switch-priority 2\n"
            f"{QOS} egress-queue-mapping default-global switch-priority 2 traffic-class 3\n"
            f"{QOS} egress-queue-mapping default-global switch-priority 3 traffic-class 0\n"
            f"{QOS} mapping default-global dscp 26 switch-priority 2\n"
        ),
    ),
    "by hand": (
        ROCE,
        (
            f"{QOS} pfc default-global switch-priority 3\n"
            f"{QOS} traffic-pool default-lossless memory-percent 50\n"
        ),
    ),
    "a port without traffic": (r"swp3 link state down", "swp3 link state up"),
    "a split port": (r"swp3 link state down", "swp3 link breakout 4x"),
    "thresholds that the switch should size": (
        r"\Z",
        f"{QOS} pfc default-global xoff-threshold 10000\n",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_fault_is_not_reported(tmp_path: Path, name: str) -> None:
    pattern, replacement = HARMLESS[name]
    text = re.sub(pattern, replacement, CLEAN, flags=re.MULTILINE)
    assert text != CLEAN
    assert findings(tmp_path, text) == ()


def test_the_recipe_is_what_the_guide_shows() -> None:
    """`nv show qos roce` of the guide: classes, shares, thresholds and the trust of the recipe."""
    text = "nv set qos roce\nnv set interface swp1 ip address 10.0.0.1/31\n"
    port = lossless_readers["cumulus"].read(text).ports["swp1"]
    assert port.lossless == {3: 1}
    assert port.trusts_dscp
    assert [port.dscp_to_class[dscp] for dscp in (0, 26, 31, 32, 48)] == [0, 3, 3, 4, 6]
    assert port.class_to_queue == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    assert {queue: value.value for queue, value in port.percent.items()} == {0: 50, 3: 50}
    assert list(port.strict) == [6]
    marking = port.markings[3]
    assert (marking.kmin_bytes, marking.kmax_bytes, marking.pmax_percent) == (150000, 1500000, 100)


def test_the_recipe_is_what_a_switch_shows() -> None:
    """Every row of the two tables of a recorded `nv show qos roce`."""
    shown = recorded("cumulus/nv_show_qos_roce.lossless.txt")
    port = lossless_readers["cumulus"].read(f"nv set qos roce\n{PORT} type swp\n").ports["swp1"]
    maps = re.findall(r"^ +\d +\d +(\d+(?:,\d+)+) +(\d) *$", shown, re.MULTILINE)
    assert len(maps) == 8
    for dscps, priority in maps:
        assert {port.dscp_to_class[int(dscp)] for dscp in dscps.split(",")} == {int(priority)}
    rows = re.findall(r"^ +\d +(\d) +(\d) +(DWRR-50%|strict-priority) *$", shown, re.MULTILINE)
    assert len(rows) == 8
    for priority, queue, service in rows:
        assert port.class_to_queue[int(priority)] == int(queue)
        assert (int(queue) in port.strict) == (service == "strict-priority")
        assert (int(queue) in port.percent) == (service == "DWRR-50%")


def test_recorded_outputs_are_no_configuration() -> None:
    """What other commands print is neither read nor recognised."""
    for name in recordings("cumulus"):
        if name.endswith(".txt"):
            text = recorded(f"cumulus/{name}")
            assert system_of(text) is None
            with pytest.raises(UnreadableError):
                lossless_readers["cumulus"].read(text)


def test_two_switches_are_compared(tmp_path: Path) -> None:
    texts = {
        name: (GOLDEN / "demo" / name / "config.nv").read_text(encoding="utf-8")
        for name in ("su1-rail0", "spine01")
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.nv").write_text(text, encoding="utf-8")
    assert audit([tmp_path]).outcome.findings == ()
    wrong = texts["spine01"].replace("mtu 9100", "mtu 9216")
    wrong += "nv set qos mapping default-global dscp 27 switch-priority 3\n"
    (tmp_path / "spine01.nv").write_text(wrong, encoding="utf-8")
    assert {one.rule for one in audit([tmp_path]).outcome.findings} == {"AUD016", "AUD017"}
