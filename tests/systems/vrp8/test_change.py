"""VRP8: what is ours and what is not, and patches on a strict switch."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.devices.redaction import redacted
from fabric.lab.clock import LabClock
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.systems.vrp8.adapters.tree import tree
from fabric.systems.vrp8.lab.config import feed_text, read_text, text_lines
from fabric.systems.vrp8.lab.state import Vrp8State
from fabric.systems.vrp8.parsers.text import configuration
from tests.render.designs import variant
from tests.render.vrp8_designs import CHANGES, FAMILY_A, FAMILY_B, designs

ADAPTER = adapters["vrp8"]
compose, patch, steps = ADAPTER.compose, ADAPTER.patch, ADAPTER.steps
key_of, negated, line_risk = (
    ADAPTER.grammar.key_of,
    ADAPTER.grammar.negated,
    ADAPTER.grammar.risk_of,
)
KEPT = {
    "account": "aaa\n local-user admin password irreversible-cipher $1d$x",
    "vrf": "ip vpn-instance MGMT\n ipv4-family",
    "management": "interface MEth0/0/0\n ip address 192.0.2.2 255.255.255.0",
    "other loopback": "interface LoopBack10\n ip address 192.0.2.99 255.255.255.255",
    "route": "ip route-static 203.0.113.0 24 192.0.2.1",
    "snmp": "snmp-agent community read cipher xyz",
    "switch of ours that the design does not need": "bfd",
    "service port": "interface 400GE1/0/1\n description console server",
    "default vlan": "vlan batch 1",
    "built-in PFC profile": "dcb pfc\n priority 5",
    "foreign PFC profile": "dcb pfc storage\n priority 4",
    "foreign domain": "diffserv domain voice\n ip-dscp-inbound 46 phb ef green",
    "foreign drop profile": "drop-profile voice",
    "line": "user-interface vty 0 4\n protocol inbound ssh",
    "header": 'header shell information "sysname of yours?\n#\nbgp 1\n"',
}
OURS = {
    "port": "interface 100GE1/0/1\n description old",
    "loopback": "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255",
    "gateway": "interface Vlanif107\n ip address 10.64.7.1 255.255.255.0",
    "vlans": "vlan batch 107 to 108 200",
    "PFC profile": "dcb pfc roce\n priority 4",
    "headroom": "qos buffer headroom-pool size 8 mbytes slot 1",
    "kill switch": "dcb pfc global disable",
    "behaviour": "dcb pfc deadlock recovery-behavior discard slot 1",
    "domain": "diffserv domain roce_1\n ip-dscp-inbound 24 phb af3 green",
    "drop profile": "drop-profile roce-ecn_1\n ecn buffer-size low-limit 1 high-limit 2",
    "bgp": "bgp 65000\n router-id 10.0.0.1",
    "ntp": "ntp unicast-server 192.0.2.99 vpn-instance MGMT",
    "syslog": "info-center loghost 192.0.2.98",
}
INTENDED = "sysname leaf1\n#\ninterface 100GE1/0/1\n description new\n undo shutdown\n"


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_ours_is_kept(name):
    running = tree(f"sysname old\n{KEPT[name]}\n")
    wanted = compose(running, tree(INTENDED))
    assert set(tree(KEPT[name]).lines()) <= set(wanted.lines())
    assert ("sysname leaf1",) in set(wanted.lines())
    assert [line for line in patch(running, wanted) if line.lstrip().startswith("undo")] == [
        " undo shutdown"
    ] * ("100GE1/0/1" not in KEPT[name])


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_is_replaced(name):
    running = tree(f"{OURS[name]}\nuser-interface con 0\n")
    wanted = compose(running, tree(INTENDED))
    kept = {("user-interface con 0",), ("interface 100GE1/0/1",)}
    gone = set(running.lines()) - kept
    assert gone
    assert not gone & set(wanted.lines())
    assert {step.path for step in steps(running, wanted) if not step.adds} == gone


def test_a_vlan_that_goes_takes_its_settings_along():
    running = tree("vlan batch 101 107\nvlan 101\n name RAIL0\nvlan 107\n name OLD\n")
    wanted = compose(running, tree("vlan batch 101\n"))
    assert ("vlan 101", "name RAIL0") in set(wanted.lines())
    assert patch(running, wanted) == ["undo vlan batch 107"]


def test_how_a_server_is_reached_is_kept():
    running = tree("ntp unicast-server 192.0.2.10 vpn-instance MGMT\n")
    wanted = compose(running, tree("ntp unicast-server 192.0.2.10\n"))
    assert patch(running, wanted) == []
    other = compose(running, tree("ntp unicast-server 192.0.2.11\n"))
    assert patch(running, other) == [
        "ntp unicast-server 192.0.2.11",
        "undo ntp unicast-server 192.0.2.10 vpn-instance MGMT",
    ]


def test_keys_of_the_hash_are_kept():
    """The mode is ours, the rest of the section is not."""
    running = tree("load-balance ecmp\n ecmp mode spray\n ecmp seed 7\n")
    for mode, wanted in (
        ("ecmp mode fixed", ["load-balance ecmp", " ecmp mode fixed"]),
        ("ecmp mode eligible", ["load-balance ecmp", " undo ecmp mode spray"]),
    ):
        intended = tree(f"load-balance ecmp\n {mode}\n")
        assert patch(running, compose(running, intended)) == wanted
    alone = tree("load-balance ecmp\n ecmp mode spray\n")
    intended = tree("load-balance ecmp\n ecmp mode eligible\n")
    assert patch(alone, compose(alone, intended)) == ["undo load-balance ecmp"]
    assert patch(intended, tree("sysname x\n")) == ["sysname x"]


def test_what_a_switch_does_not_print_is_not_missing():
    wanted = tree(
        "interface 100GE1/0/1\n port link-type access\n port default vlan 5\n"
        " jumboframe enable 9216\n undo shutdown\n"
        "interface 100GE1/0/2\n undo portswitch\n mtu 1500\n ip address 10.0.0.1 255.255.255.254\n"
        "interface Vlanif5\n mtu 1500\n"
        "arp timeout 1200\nmac-address aging-time 300\ndcb pfc deadlock-detect interval 10\n"
        "dcb pfc roce\n priority 3\n priority 3 deadlock-detect time 10\n"
        "dcb pfc deadlock recovery-behavior forwarding slot 1\n"
        "bgp 65001\n peer 10.0.0.0 as-number 65000\n peer 10.0.0.0 timer keepalive 60 hold 180\n"
        " ipv4-family unicast\n  maximum load-balancing ebgp 1\n  peer 10.0.0.0 enable\n"
    )
    running = tree(
        "interface 100GE1/0/1\n port default vlan 5\n"
        "interface 100GE1/0/2\n undo portswitch\n ip address 10.0.0.1 255.255.255.254\n"
        "interface Vlanif5\ndcb pfc roce\n priority 3\n"
        "bgp 65001\n peer 10.0.0.0 as-number 65000\n #\n ipv4-family unicast\n"
    )
    assert steps(running, wanted) == []
    assert patch(running, wanted) == []


def test_the_behaviour_of_the_other_family():
    discard = "dcb pfc deadlock recovery-behavior discard slot 1"
    assert patch(tree("qos ecn enable\n"), tree(f"qos ecn enable\n{discard}\n")) == []
    assert patch(tree("sysname x\n"), tree(f"sysname x\n{discard}\n")) == [discard]


@pytest.mark.parametrize(
    ("line", "undo"),
    [
        ("sysname leaf1", "undo sysname"),
        ("qos buffer headroom-pool size 4 mbytes slot 1", "undo qos buffer headroom-pool slot 1"),
        ("dcb pfc deadlock-detect timer 400", "undo dcb pfc deadlock-detect"),
        ("dcb pfc deadlock-detect interval 100", "undo dcb pfc deadlock-detect interval"),
        (
            "dcb pfc deadlock recovery-behavior discard slot 1",
            "undo dcb pfc deadlock recovery-behavior discard slot 1",
        ),
        ("priority 3", "undo priority 3"),
        ("priority 3 deadlock-detect time 4", "undo priority 3 deadlock-detect"),
        ("ip-dscp-inbound 26 phb af3 green", "undo ip-dscp-inbound 26"),
        ("ecn buffer-size low-limit 1 high-limit 2 discard-percentage 3", "undo ecn"),
        ("jumboframe enable 9122", "undo jumboframe enable"),
        ("ip address 10.0.0.1 255.255.255.0", "undo ip address 10.0.0.1 255.255.255.0"),
        ("trust dscp", "undo trust"),
        ("trust upstream roce", "undo trust upstream"),
        ("dcb pfc enable roce mode manual", "undo dcb pfc enable roce mode manual"),
        ("qos queue 3 drr weight 50", "undo qos queue 3 drr weight"),
        ("qos queue 3 wred roce-ecn", "undo qos queue 3 wred"),
        ("qos queue 3 ecn", "undo qos queue 3 ecn"),
        ("peer 10.0.0.1 as-number 65001", "undo peer 10.0.0.1"),
        ("peer 10.0.0.1 timer keepalive 3 hold 9", "undo peer 10.0.0.1 timer keepalive hold"),
        ("maximum load-balancing ebgp 64", "undo maximum load-balancing ebgp"),
        ("undo portswitch", "portswitch"),
        ("shutdown", "undo shutdown"),
        ("lldp enable", "undo lldp enable"),
    ],
)
def test_undo(line, undo):
    assert negated(line) == undo


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("trust dscp", "trust upstream roce", False),
        ("qos queue 3 wred a", "qos queue 3 wred b", True),
        ("qos queue 3 wred a", "qos queue 4 wred a", False),
        ("qos queue 3 wred a", "qos queue 3 ecn", False),
        ("peer 10.0.0.1 description a", "peer 10.0.0.1 timer keepalive 1 hold 3", False),
        ("peer 10.0.0.1 description a", "peer 10.0.0.2 description a", False),
        ("dcb pfc deadlock-detect timer 1", "dcb pfc deadlock-detect interval 10", False),
        ("ip-dscp-inbound 26 phb af3 green", "ip-dscp-inbound 26 phb be green", True),
        ("portswitch", "undo portswitch", True),
        ("info-center loghost 192.0.2.1", "info-center loghost 192.0.2.2", False),
    ],
)
def test_keys(one, other, same):
    assert (key_of(one) == key_of(other)) is same


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("undo shutdown", Risk.PORT_FLAP),
        ("undo portswitch", Risk.PORT_FLAP),
        ("port split dimension interface 100GE1/0/1 split-type 4*25GE", Risk.PORT_FLAP),
        ("fec mode rs", Risk.PORT_FLAP),
        ("description x", Risk.HARMLESS),
        ("undo description", Risk.HARMLESS),
        ("ecn buffer-size low-limit 1", Risk.HARMLESS),
        ("ntp unicast-server 192.0.2.1", Risk.HARMLESS),
        ("dcb pfc enable roce mode manual", Risk.BRIEF_LOSS),
        ("bgp 65001", Risk.BRIEF_LOSS),
    ],
)
def test_risk_of_a_line(line, risk):
    assert line_risk(line) is risk


def running_of(text):
    return Running("leaf1", "vrp8", text, text, None, {})


class Artefact:
    kind = "running-config"
    text = "sysname leaf1\nbgp 65001\n peer 10.0.0.1 as-number 65002\n"


def test_draft_names_paths_and_hides_secrets():
    before = (
        "sysname leaf1\nbgp 65001\n peer 10.0.0.1 as-number 65002\n"
        " peer 10.0.0.1 password cipher HUNTER2\n peer 10.0.0.1 description x\n"
    )
    draft = adapters["vrp8"].draft(running_of(before), [Artefact()], None)
    assert "HUNTER2" not in draft.diff
    assert "HUNTER2" not in repr(draft.changes)
    assert draft.diff == (
        " bgp 65001\n-  peer 10.0.0.1 password ***\n-  peer 10.0.0.1 description x\n"
    )
    after = before.replace(" peer 10.0.0.1 password cipher HUNTER2\n", "")
    after = after.replace(" peer 10.0.0.1 description x\n", "")
    found = adapters["vrp8"].apart(running_of(before), running_of(after))
    assert found == {change.path for change in draft.changes}


@pytest.mark.parametrize(
    "line",
    [
        " local-user admin password irreversible-cipher $1d$HUNTER2",
        "snmp-agent community read cipher %^%#HUNTER2",
        "snmp-agent community write HUNTER2",
        " set authentication password cipher HUNTER2",
        "ntp authentication-keyid 1 authentication-mode hmac-sha256 cipher HUNTER2",
        " peer 10.0.0.1 password cipher HUNTER2",
        " radius-server shared-key cipher HUNTER2",
    ],
)
def test_secrets_are_hidden(line):
    assert "HUNTER2" not in redacted(line)


# -- Patches on the lab's switch, which is strict.

PORTS = tuple(f"100GE1/0/{number}" for number in range(1, 33))
FRESH = "sysname leaf1\nip route-static 203.0.113.0 24 192.0.2.1\n"


def demo(folder, name, changes, devices="", switch="su1-rail0", model=FAMILY_B):
    """Return a switch of the demo on one model."""
    changed = {
        old: new.replace(FAMILY_A, model).replace(FAMILY_B, model)
        for old, new in CHANGES["demo"].items()
    }
    made = variant(folder / name, "demo", {**changed, **changes}, devices)
    return render_device(made[switch])[0].text


def numbers(number):
    return {
        "  pfc_priority: 3\n": f"  pfc_priority: {number}\n  queue: {number}\n"
        f"  traffic_class: {number}\n"
    }


@cache
def states(model=FAMILY_B):
    """Return intended configurations of one switch that differ in every kind of line."""
    port = "devices:\n  - names: su1-rail0\n    ports:\n"
    with TemporaryDirectory() as name:
        folder = Path(name)

        def made(title, changes, devices="", switch="su1-rail0"):
            return demo(folder, title, changes, devices, switch, model)

        return {
            "demo": made("demo", {}),
            "other leaf": made("other", {}, switch="su2-rail1"),
            "spine": made("spine", {}, switch="spine01"),
            "ECN and shares": made(
                "ecn",
                {
                    "kmax_bytes: 1500000": "kmax_bytes: 1600000",
                    "  cnp_dscp: 48\n": "  cnp_dscp: 46\n  scheduler: "
                    "{lossless_percent: 90, default_percent: 10}\n",
                },
            ),
            "other class": made("class", numbers(4)),
            "no PFC, BFD": made(
                "pfc",
                {
                    "  cnp_dscp: 48\n": "  cnp_dscp: 48\n  pfc: false\n",
                    "bgp: {": "bgp: {bfd: true, ",
                },
            ),
            "ASN, VLAN, addresses": made(
                "asn",
                {
                    "leaf_asn_first: 65101": "leaf_asn_first: 65301",
                    "vlan_first: 101": "vlan_first: 201",
                    "uplinks: 10.254.0.0/21": "uplinks: 10.253.0.0/21",
                    "hosts: 10.64.0.0/16": "hosts: 10.65.0.0/16",
                },
            ),
            "spine ASN": made("spines", {"spine_asn: 65100": "spine_asn: 65099"}),
            "policies of a port": made(
                "port",
                {},
                f"{port}      100GE1/0/1: {{fec: rs, lossless: {{ecn: {{kmax_bytes: 2000000}}}}}}\n"
                "      100GE1/0/2: {fec: none, lossless: {roce_dscp: 24}}\n",
            ),
            "down": made("down", {}, f"{port}      100GE1/0/17: {{enabled: false}}\n"),
            "times": made(
                "times",
                {"detection_ms: 400, restoration_ms": "detection_ms: 500, restoration_ms"},
            ),
            "by load": made("load", {"bgp: {": "ecmp: {mode: flowlet}\nbgp: {"}),
        }  # fmt: skip


NAMES = (
    "demo",
    "other leaf",
    "spine",
    "ECN and shares",
    "other class",
    "no PFC, BFD",
    "ASN, VLAN, addresses",
    "spine ASN",
    "policies of a port",
    "down",
    "times",
    "by load",
)


class Switch:
    """The configuration of the lab's switch alone."""

    def __init__(self, text=FRESH, family="b"):
        self.state = Vrp8State(LabClock(), text, PORTS, family)

    @property
    def text(self):
        return configuration("\n".join([*text_lines(self.state.running), ""]))

    def send(self, lines):
        feed_text(self.state.editor(self.state.running), "\n".join(lines))

    def become(self, intended):
        now = tree(self.text)
        self.send(patch(now, compose(now, tree(intended))))

    def left(self, intended):
        now = tree(self.text)
        return steps(now, compose(now, tree(intended)))


def test_names_are_those_of_the_states():
    assert set(NAMES) == set(states())
    assert len(set(states().values())) == len(NAMES)


@pytest.mark.parametrize("model", [FAMILY_A, FAMILY_B])
@pytest.mark.parametrize("name", NAMES)
def test_from_the_box_and_back(name, model):
    switch = Switch(family="a" if model == FAMILY_A else "b")
    fresh = switch.text
    intended = states(model)[name]
    switch.become(intended)
    assert switch.left(intended) == []
    assert "ip route-static 203.0.113.0 24 192.0.2.1\n" in switch.text
    switch.send(patch(tree(switch.text), tree(fresh)))
    assert switch.text == fresh


@pytest.mark.parametrize("model", [FAMILY_A, FAMILY_B])
@pytest.mark.parametrize(("first", "second"), list(permutations(NAMES, 2)))
def test_from_each_state_to_each_other_and_back(first, second, model):
    switch = Switch(family="a" if model == FAMILY_A else "b")
    switch.become(states(model)[first])
    before = switch.text
    switch.become(states(model)[second])
    assert switch.left(states(model)[second]) == []
    switch.send(patch(tree(switch.text), tree(before)))
    assert switch.text == before


@cache
def splits():
    """Return intended configurations of one switch that differ in how its ports are split."""
    modes = {
        "whole": (100, ""),
        "four": (25, ', breakouts: [{cages: "1-2", mode: 4x25G}]'),
        "two": (50, ', breakouts: [{cages: "2-3", mode: 2x50G}]'),
        "both": (25, ', breakouts: [{cages: "1", mode: 4x25G}, {cages: "30-31", mode: 2x50G}]'),
    }
    with TemporaryDirectory() as name:
        return {
            mode: demo(
                Path(name),
                mode,
                {
                    "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {FAMILY_A}{breakouts}}}",
                    "speeds: {host_gbps: 400, uplink_gbps: 400}": (
                        f"speeds: {{host_gbps: {host_gbps}, uplink_gbps: 100}}"
                    ),
                },
                model=FAMILY_A,
            )
            for mode, (host_gbps, breakouts) in modes.items()
        }


@pytest.mark.parametrize(
    ("first", "second"), list(permutations(("whole", "four", "two", "both"), 2))
)
def test_from_each_split_to_each_other_and_back(first, second):
    """All that stands on the ports of a cage is sent anew, since the switch forgets it."""
    switch = Switch(family="a")
    switch.become(splits()[first])
    before = switch.text
    switch.become(splits()[second])
    assert switch.left(splits()[second]) == []
    assert "interface 100GE1/0/31:2\n" in switch.text or second != "both"
    switch.send(patch(tree(switch.text), tree(before)))
    assert switch.text == before


def test_splits_of_other_ports_are_kept():
    """Those of 400GE ports, which no model of ours counts; several can stand in one line."""
    line = "port split dimension interface 400GE 1/0/33 to 400GE 1/0/35 400GE1/0/37 split-type"
    other = f"{line} 4*100GE\ninterface 400GE1/0/33:1\n description hand\n"
    running = tree(f"{other}port split dimension interface 100GE1/0/1 split-type 4*25GE\n")
    kept = [
        f"port split dimension interface 400GE1/0/{n} split-type 4*100GE" for n in (33, 34, 35, 37)
    ]
    assert [one for one in running.children if "400GE" in one and "split" in one] == kept
    wanted = compose(running, tree("interface 100GE1/0/1\n shutdown\n"))
    assert set(kept) | {"interface 400GE1/0/33:1"} <= set(wanted.children)
    assert patch(running, wanted) == [
        "undo port split dimension interface 100GE1/0/1",
        "interface 100GE1/0/1",
        " shutdown",
    ]


@pytest.mark.parametrize(
    ("inventory", "switch"),
    [("rail-512", "su1-rail0"), ("rail-512", "spine01"), ("a100-pcie", "rack1-leaf")],
)
def test_other_examples(inventory, switch):
    device = designs(inventory)[switch]
    text = render_device(device)[0].text
    tried = Switch(family=device.sku.asic[-1])
    tried.become(text)
    assert tried.left(text) == []


EDITS = [
    "mtu 2000",
    "undo mtu",
    "shutdown",
    "description by hand",
    "undo trust upstream",
    "undo trust",
    "undo dcb pfc enable roce mode manual",
    "undo qos queue 3 ecn",
    "undo qos drr 0 to 5",
    "qos queue 3 drr weight 7",
    "undo port default vlan",
    "port link-type trunk",
    "stp edged-port disable",
    "fec mode none",
    "undo ip address",
    "jumboframe enable 2000",
    "portswitch",
    "undo portswitch",
]


@settings(max_examples=60)
@given(
    edits=st.lists(st.tuples(st.sampled_from(PORTS[:18]), st.sampled_from(EDITS)), max_size=8),
    name=st.sampled_from(NAMES),
)
def test_hand_edits_of_ports_go_away(edits, name):
    switch = Switch()
    switch.become(states()[name])
    clean = switch.text
    for port, edit in edits:
        try:
            switch.send([f"interface {port}", f" {edit}"])
        except ValueError:
            continue
    switch.become(states()[name])
    assert switch.left(states()[name]) == []
    assert switch.text == clean


def test_a_strict_switch_refuses_what_the_other_family_takes():
    for family, line in (("a", "dcb pfc dscp-mapping enable slot 1"), ("b", "qos ecn enable")):
        with pytest.raises(ValueError, match="Unrecognized command"):
            read_text(f"{line}\n", PORTS, family)
