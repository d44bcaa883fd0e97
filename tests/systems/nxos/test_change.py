"""NX-OS: what is ours and what is not, and patches on a strict switch."""

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
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.systems.nxos.adapters import tree
from fabric.systems.nxos.drivers import batches
from fabric.systems.nxos.lab.config import Editor, feed_text, read_text, text_lines
from fabric.systems.nxos.parsers.text import configuration
from tests.render.designs import variant
from tests.render.nxos_designs import CHANGES, GX2A, GX2B, designs

ADAPTER = adapters["nxos"]
compose, patch, steps = ADAPTER.compose, ADAPTER.patch, ADAPTER.steps
line_risk = ADAPTER.grammar.risk_of
KEPT = {
    "account": "username admin password 5 $5$salt$hash role network-admin",
    "vrf": "vrf context management\n  ip route 0.0.0.0/0 192.0.2.1",
    "management": "interface mgmt0\n  vrf member management\n  ip address 192.0.2.2/24",
    "other loopback": "interface loopback10\n  ip address 192.0.2.99/32",
    "route": "ip route 203.0.113.0/24 192.0.2.1",
    "snmp": "snmp-server community public group network-operator",
    "feature": "feature nxapi",
    "feature of ours that the design does not need": "feature bfd",
    "service port": "interface Ethernet1/33\n  description console server",
    "default vlan": "vlan 1",
    "foreign class": "class-map type qos match-any VOICE\n  match dscp 46",
    "foreign policy": "policy-map type qos VOICE-IN\n  class VOICE",
    "foreign prefix list": "ip prefix-list OURS seq 5 permit 192.0.2.0/24",
    "foreign route-map": "route-map THEIRS permit 10",
    "banner": "banner motd #\nhostname of yours?\nrouter bgp 1\n#",
    "job": "scheduler job name backup\nrouter bgp 1\nend-job",
    "line": "line vty\n  exec-timeout 30",
}
OURS = {
    "port": "interface Ethernet1/1\n  description old",
    "loopback": "interface loopback0\n  ip address 10.0.0.1/32",
    "gateway": "interface Vlan107\n  ip address 10.64.7.1/24",
    "vlan": "vlan 107\n  name OLD",
    "vlans": "vlan 1,107-108",
    "class": "class-map type qos match-any ROCE_1\n  match dscp 24",
    "policy": "policy-map type queuing ROCE-OUT_1",
    "prefix list": "ip prefix-list PL-OLD seq 5 permit 10.0.0.0/8",
    "route-map": "route-map RM-OLD permit 10",
    "kill switch": "priority-flow-control override-interface mode off",
    "bgp": "router bgp 65000\n  router-id 10.0.0.1",
    "ntp": "ntp server 192.0.2.99 use-vrf management",
    "syslog": "logging server 192.0.2.98",
}
INTENDED = "hostname leaf1\ninterface Ethernet1/1\n  description new\n  no shutdown\n"


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_ours_is_kept(name):
    running = tree(f"hostname old\n{KEPT[name]}\n")
    wanted = compose(running, tree(INTENDED))
    assert set(tree(KEPT[name]).lines()) <= set(wanted.lines())
    assert ("hostname leaf1",) in set(wanted.lines())
    sent = [line.strip() for line in patch(running, wanted)]
    assert [line for line in sent if line.startswith("no ") and line != "no shutdown"] == []


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_is_replaced(name):
    running = tree(f"{OURS[name]}\nline vty\n")
    wanted = compose(running, tree(INTENDED))
    gone = set(running.lines()) - {("line vty",), ("interface Ethernet1/1",), ("vlan 1",)}
    assert not gone & set(wanted.lines())
    assert {step.path for step in steps(running, wanted) if not step.adds} == gone


def test_what_a_switch_does_not_print_is_not_missing():
    wanted = tree(
        "interface Ethernet1/1\n  switchport\n  switchport access vlan 5\n  no shutdown\n"
        "interface Ethernet1/2\n  no switchport\n  ip address 10.0.0.1/31\n  no shutdown\n"
        "interface Vlan5\n  no shutdown\n  ip arp timeout 1500\n"
        "mac address-table aging-time 1800\nntp server 192.0.2.1\n"
    )
    running = tree(
        "interface Ethernet1/1\n  switchport access vlan 5\n"
        "interface Ethernet1/2\n  ip address 10.0.0.1/31\n"
        "interface Vlan5\n  no shutdown\nntp server 192.0.2.1 use-vrf management\n"
    )
    assert steps(running, wanted) == []
    assert patch(running, wanted) == []


@pytest.mark.parametrize(
    ("running", "wanted", "line"),
    [
        (
            "interface Ethernet1/1\n  shutdown\n",
            "interface Ethernet1/1\n  no shutdown\n",
            "no shut",
        ),
        ("interface Ethernet1/1\n", "interface Ethernet1/1\n  shutdown\n", "  shutdown"),
        ("interface Ethernet1/1\n", "interface Ethernet1/1\n  switchport\n", "  switchport"),
        ("interface Vlan5\n", "interface Vlan5\n  no shutdown\n", "  no shutdown"),
        (
            "system default switchport shutdown\ninterface Ethernet1/1\n",
            "system default switchport shutdown\ninterface Ethernet1/1\n  no shutdown\n",
            "  no shutdown",
        ),
        ("mac address-table aging-time 300\n", "mac address-table aging-time 1800\n", "mac "),
    ],
)
def test_what_it_would_print_is_missing(running, wanted, line):
    assert [
        sent
        for sent in patch(tree(running), tree(wanted))
        if sent.lstrip().startswith(line.lstrip())
    ]


SWITCHED = "interface Ethernet1/1\n  switchport access vlan 5\n  mtu 9216\n"
ROUTED = "interface Ethernet1/1\n  no switchport\n  mtu 9216\n  ip address 10.0.0.1/31\n"


@pytest.mark.parametrize(("now", "then"), [(SWITCHED, ROUTED), (ROUTED, SWITCHED)])
def test_a_port_that_changes_its_layer_is_told_everything_again(now, then):
    sent = patch(tree(now), tree(then))
    layer = sent.index("  no switchport" if then == ROUTED else "  switchport")
    assert "  mtu 9216" in sent[layer:]
    assert not [line for line in sent[layer:] if line.startswith("  no ") and "switch" not in line]


def test_ports_that_are_down_unless_said_otherwise():
    down = "system default switchport shutdown\ninterface Ethernet1/1\n"
    assert steps(tree(down), tree(f"{down}  shutdown\n")) == []


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("speed 400000", Risk.PORT_FLAP),
        ("no shutdown", Risk.PORT_FLAP),
        ("no switchport", Risk.PORT_FLAP),
        ("description x", Risk.HARMLESS),
        ("no description x", Risk.HARMLESS),
        ("random-detect minimum-threshold 1 kbytes", Risk.HARMLESS),
        ("ntp server 192.0.2.1", Risk.HARMLESS),
        ("mtu 9216", Risk.BRIEF_LOSS),
        ("pause pfc-cos 3", Risk.BRIEF_LOSS),
        ("router bgp 65001", Risk.BRIEF_LOSS),
    ],
)
def test_risk_of_a_line(line, risk):
    assert line_risk(line) is risk


def running_of(text):
    return Running("leaf1", "nxos", text, text, None, {})


class Artefact:
    kind = "running-config"
    text = "hostname leaf1\nrouter bgp 65001\n  neighbor 10.0.0.1\n    remote-as 65002\n"


def test_draft_names_paths_and_hides_secrets():
    before = (
        "hostname leaf1\nrouter bgp 65001\n  neighbor 10.0.0.1\n"
        "    password 3 HUNTER2\n    remote-as 65003\n"
    )
    draft = adapters["nxos"].draft(running_of(before), [Artefact()], None)
    assert "HUNTER2" not in draft.diff
    assert "HUNTER2" not in repr(draft.changes)
    assert draft.diff == (
        " router bgp 65001\n   neighbor 10.0.0.1\n-    password ***\n-    remote-as 65003\n"
        "+    remote-as 65002\n"
    )
    after = before.replace("    password 3 HUNTER2\n", "").replace("65003", "65002")
    found = adapters["nxos"].apart(running_of(before), running_of(after))
    assert found == {change.path for change in draft.changes}


@pytest.mark.parametrize(
    "line",
    [
        "username admin password 5 $5$HUNTER2 role network-admin",
        "snmp-server community HUNTER2 group network-operator",
        "snmp-server user admin network-admin auth md5 HUNTER2 priv HUNTER2 localizedkey",
        'radius-server key 7 "HUNTER2"',
        'tacacs-server host 192.0.2.1 key 7 "HUNTER2"',
        "scheduler aaa-authentication username admin password 7 HUNTER2",
        "ntp authentication-key 1 md5 HUNTER2 7",
        "    password 3 HUNTER2",
    ],
)
def test_secrets_are_hidden(line):
    assert "HUNTER2" not in redacted(line)


# -- Patches on the lab's switch, which is strict.

PORTS = [f"Ethernet1/{number}" for number in range(1, 65)]
FRESH = "hostname leaf1\nfeature nxapi\nfeature scheduler\nip route 203.0.113.0/24 192.0.2.1\n"


def demo(folder, name, changes, devices="", switch="su1-rail0"):
    """Return a switch of the demo, on a model with as many ports as the other states have."""
    model = {f"leaf: {{sku: {GX2B}}}": f"leaf: {{sku: {GX2A}}}"}
    base = {old: model.get(new, new) for old, new in CHANGES["demo"].items()}
    made = variant(folder / name, "demo", {**base, **changes}, devices)
    return render_device(made[switch])[0].text


@cache
def states():
    """Return intended configurations of one leaf that differ in every kind of line."""
    port = "devices:\n  - names: su1-rail0\n    ports:\n"
    with TemporaryDirectory() as name:
        folder = Path(name)
        return {
            "demo": demo(folder, "demo", {}),
            "other leaf": demo(folder, "other", {}, switch="su2-rail1"),
            "spine": demo(folder, "spine", {}, switch="spine01"),
            "rail-512": render_device(designs("rail-512")["su1-rail0"])[0].text,
            "ECN and shares": demo(
                folder,
                "ecn",
                {
                    "kmax_bytes: 1500000": "kmax_bytes: 1600000",
                    "  cnp_dscp: 48\n": "  cnp_dscp: 46\n  scheduler: "
                    "{lossless_percent: 90, default_percent: 10}\n",
                },
            ),
            "other class": demo(
                folder,
                "class",
                {"  pfc_priority: 3\n": "  pfc_priority: 4\n  queue: 4\n  traffic_class: 4\n"},
            ),
            "no PFC, BFD": demo(
                folder,
                "pfc",
                {
                    "  cnp_dscp: 48\n": "  cnp_dscp: 48\n  pfc: false\n",
                    "bgp: {": "bgp: {bfd: true, ",
                },
            ),
            "ASN, VLAN, addresses": demo(
                folder,
                "asn",
                {
                    "leaf_asn_first: 65101": "leaf_asn_first: 65301",
                    "vlan_first: 101": "vlan_first: 201",
                    "uplinks: 10.254.0.0/21": "uplinks: 10.253.0.0/21",
                    "hosts: 10.64.0.0/16": "hosts: 10.65.0.0/16",
                },
            ),
            "a policy of a port": demo(
                folder,
                "port",
                {},
                f"{port}      Ethernet1/1: {{lossless: {{ecn: {{kmax_bytes: 2000000}}}}}}\n",
            ),
            "down": demo(folder, "down", {}, f"{port}      Ethernet1/17: {{enabled: false}}\n"),
        }  # fmt: skip


NAMES = (
    "demo",
    "other leaf",
    "spine",
    "rail-512",
    "ECN and shares",
    "other class",
    "no PFC, BFD",
    "ASN, VLAN, addresses",
    "a policy of a port",
    "down",
)


class Switch:
    """The configuration of the lab's switch alone."""

    def __init__(self, text=FRESH):
        self.root = read_text(text, PORTS)

    @property
    def text(self):
        return configuration("\n".join([*text_lines(self.root), ""]))

    def send(self, lines):
        for batch in batches(lines):
            feed_text(Editor(self.root, PORTS), "\n".join(batch))

    def become(self, intended):
        now = tree(self.text)
        self.send(patch(now, compose(now, tree(intended))))

    def left(self, intended):
        now = tree(self.text)
        return steps(now, compose(now, tree(intended)))


def test_names_are_those_of_the_states():
    assert set(NAMES) == set(states())


@pytest.mark.parametrize("name", NAMES)
def test_from_the_box_and_back(name):
    switch = Switch()
    fresh = switch.text
    switch.become(states()[name])
    assert switch.left(states()[name]) == []
    assert "ip route 203.0.113.0/24 192.0.2.1\n" in switch.text
    switch.send(patch(tree(switch.text), tree(fresh)))
    assert switch.text == fresh


@pytest.mark.parametrize(("first", "second"), list(permutations(NAMES, 2)))
def test_from_each_state_to_each_other_and_back(first, second):
    switch = Switch()
    switch.become(states()[first])
    before = switch.text
    switch.become(states()[second])
    assert switch.left(states()[second]) == []
    switch.send(patch(tree(switch.text), tree(before)))
    assert switch.text == before


def test_ports_that_are_broken_out_and_whole_again():
    base = "hostname leaf1\n"
    parts = "".join(f"interface Ethernet1/5/{part}\n  no shutdown\n  mtu 9216\n" for part in (1, 2))
    broken = f"{base}interface breakout module 1 port 5 map 100g-2x\n{parts}"
    whole = f"{base}interface Ethernet1/5\n  description whole\n"
    switch = Switch()
    for intended in (whole, broken, whole):
        switch.become(intended)
        assert switch.left(intended) == []
    assert "breakout" not in switch.text
    assert "Ethernet1/5/1" not in switch.text


EDITS = [
    "mtu 1500",
    "no mtu",
    "shutdown",
    "description by hand",
    "no service-policy type qos input ROCE-IN",
    "priority-flow-control mode auto",
    "no priority-flow-control watch-dog-interval",
    "no switchport",
    "switchport",
    "no ip address",
    "speed 100000",
    "spanning-tree port type network",
]


@settings(max_examples=40)
@given(
    edits=st.lists(st.tuples(st.sampled_from(PORTS[:18]), st.sampled_from(EDITS)), max_size=6),
    name=st.sampled_from(NAMES),
)
def test_hand_edits_of_ports_go_away(edits, name):
    switch = Switch()
    switch.become(states()[name])
    clean = switch.text
    for port, edit in edits:
        try:
            switch.send([f"interface {port}", f"  {edit}"])
        except ValueError:
            continue
    switch.become(states()[name])
    assert switch.left(states()[name]) == []
    assert switch.text == clean
