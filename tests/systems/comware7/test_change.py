"""H3C Comware 7: what is ours and what is not, and patches on a strict switch."""

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
from fabric.systems.comware7.lab import Comware7StandIn
from fabric.systems.comware7.lab.config import DEFAULT_MAPS, Editor, read_text
from fabric.systems.comware7.lab.show import display_configuration
from fabric.systems.comware7.parsers.config import with_read_values
from fabric.systems.comware7.parsers.text import whole_configuration
from fabric.systems.comware7.platforms import EXPERIMENTAL
from fabric.systems.comware7.platforms.text import tree
from tests.render.comware7_designs import CHANGES, designs
from tests.render.designs import variant

ADAPTER = adapters["comware7"]
compose, patch, steps = ADAPTER.compose, ADAPTER.patch, ADAPTER.steps
undo_of, line_risk = ADAPTER.grammar.negated, ADAPTER.grammar.risk_of
PORT = "interface HundredGigE1/0/1\n port link-mode bridge\n"
KEPT = {
    "account": "local-user admin class manage\n password hash $h$6$x\n service-type ssh\n",
    "VPN instance": "ip vpn-instance Mgnt\n",
    "management": "interface M-GigabitEthernet0/0/0\n ip address 192.0.2.2 255.255.255.0\n",
    "other loopback": "interface LoopBack10\n ip address 192.0.2.99 255.255.255.255\n",
    "route": " ip route-static 203.0.113.0 24 192.0.2.1\n",
    "snmp": " snmp-agent community read public\n",
    "service that the design does not need": " ntp-service enable\n",
    "port of other kind": "interface Ten-GigabitEthernet1/0/65\n description console server\n",
    "port that the design does not know": "interface HundredGigE1/0/65\n description free\n",
    "default vlan": "vlan 1\n",
    "foreign table": "qos wred queue table VOICE\n queue 5 ecn\n",
    "foreign map": "qos map-table dscp-dscp\n import 1 export 2\n",
    "foreign policy": "route-policy THEIRS permit node 10\n",
    "watchdog of the switch": " priority-flow-control deadlock cos 3 interval 10\n",
    "buffers": " buffer egress cell queue 3 shared ratio 100\n buffer apply\n",
    "header": " header motd %\n#\n sysname of yours?\n%\n",
    "line": "line vty 0 63\n authentication-mode scheme\n",
    "watchdog of a port": f"{PORT} priority-flow-control deadlock enable\n",
    "headroom by hand": f"{PORT} priority-flow-control dot1p 3 headroom 2000\n",
    "marking by hand": f"{PORT} qos wred queue 3 low-limit 1000 high-limit 2000\n",
    "table by hand": f"{PORT} qos wred apply THEIRS\n",
    "largest frame": f"{PORT} jumboframe enable 9216\n",
    "damping": f"{PORT} link-delay 2\n",
}
OURS = {
    "port": "interface HundredGigE1/0/1\n port link-mode bridge\n description old\n",
    "pause frames of old": f"{PORT} flow-control\n",
    "marking that is ours": f"{PORT} qos wred apply ROCE_1\n",
    "loopback": "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255\n",
    "gateway": "interface Vlan-interface107\n ip address 10.64.7.1 255.255.255.0\n",
    "vlan": "vlan 107\n description OLD\n",
    "vlans": "vlan 107 to 108\n",
    "table": "qos wred queue table ROCE_1\n queue 3 ecn\n",
    "bgp": "bgp 65000\n router-id 10.0.0.1\n",
    "ntp": " ntp-service unicast-server 192.0.2.99 vpn-instance Mgnt\n",
    "syslog": " info-center loghost vpn-instance Mgnt 192.0.2.98\n",
    "lldp": " undo lldp global enable\n",
}
INTENDED = f" sysname leaf1\n#\n{PORT} description new\n"
ALWAYS = {("line vty 0 63",), ("interface HundredGigE1/0/1",), ("vlan 1",)}
MODE = ("interface HundredGigE1/0/1", "port link-mode bridge")


@pytest.mark.parametrize("name", KEPT)
def test_what_is_not_ours_is_kept(name):
    running = tree(f" sysname old\n#\n{KEPT[name]}")
    wanted = compose(running, tree(INTENDED))
    assert set(tree(KEPT[name]).lines()) <= set(wanted.lines())
    assert ("sysname leaf1",) in set(wanted.lines())
    assert [line for line in patch(running, wanted) if "undo" in line] == []


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_is_replaced(name):
    running = tree(f"{OURS[name]}#\nline vty 0 63\n")
    wanted = compose(running, tree(INTENDED))
    gone = set(running.lines()) - ALWAYS - {MODE}
    assert gone
    assert not gone & set(wanted.lines())
    assert {step.path for step in steps(running, wanted) if not step.adds} == gone


def test_what_a_switch_does_not_print_is_not_missing():
    running = tree(
        "interface Vlan-interface5\n ip address 10.0.0.1 255.255.255.0\n"
        "#\n ntp-service unicast-server 192.0.2.1 priority\n"
        "#\n info-center loghost vpn-instance Mgnt 192.0.2.2 facility local5\n"
    )
    intended = tree(
        "interface Vlan-interface5\n ip address 10.0.0.1 255.255.255.0\n mtu 1500\n"
        "#\n arp timer aging 20\n mac-address timer aging 300\n"
        "#\n ntp-service unicast-server 192.0.2.1\n"
        "#\n info-center loghost 192.0.2.2\n"
    )
    wanted = compose(running, intended)
    assert list(steps(running, wanted)) == []
    assert patch(running, wanted) == []


def test_a_default_in_place_of_another_value_is_said():
    running = tree(" arp timer aging 4\n")
    wanted = compose(running, tree(" arp timer aging 20\n"))
    assert patch(running, wanted) == ["arp timer aging 20"]


@pytest.mark.parametrize(
    ("line", "undone"),
    [
        ("description x y", "undo description"),
        ("port access vlan 5", "undo port access vlan"),
        ("ip address 10.0.0.1 255.255.255.0", "undo ip address"),
        (
            "ip address 10.0.0.1 255.255.255.0 sub",
            "undo ip address 10.0.0.1 255.255.255.0 sub",
        ),
        ("priority-flow-control enable", "undo priority-flow-control"),
        ("priority-flow-control no-drop dot1p 3", "undo priority-flow-control no-drop dot1p"),
        ("qos wfq byte-count", "undo qos wfq"),
        ("qos wfq cs6 group sp", "undo qos wfq cs6"),
        ("queue 3 low-limit 1 high-limit 2", "undo queue 3"),
        ("queue 3 ecn", "undo queue 3 ecn"),
        ("peer 10.0.0.1 as-number 5", "undo peer 10.0.0.1"),
        ("peer 10.0.0.1 timer keepalive 3 hold 9", "undo peer 10.0.0.1 timer"),
        ("peer 10.0.0.1 enable", "undo peer 10.0.0.1 enable"),
        ("balance ebgp 8", "undo balance ebgp"),
        ("import 26 export 3", "undo import 26"),
        ("shutdown", "undo shutdown"),
        ("undo lldp enable", "lldp enable"),
        ("sysnames x", "undo sysnames x"),
    ],
)
def test_what_takes_a_line_away(line, undone):
    assert undo_of(line) == undone


BRIDGE = f"{PORT} port access vlan 5\n qos trust dscp\n flow-control\n shutdown\n"
ROUTE = BRIDGE.replace("bridge", "route").replace(
    "port access vlan 5", "ip address 10.0.0.1 255.255.255.254"
)


@pytest.mark.parametrize(("now", "then"), [(BRIDGE, ROUTE), (ROUTE, BRIDGE)])
def test_a_port_that_changes_its_mode_is_told_everything_again(now, then):
    sent = patch(tree(now), tree(then))
    mode = next(at for at, line in enumerate(sent) if line.startswith(" port link-mode"))
    assert " qos trust dscp" in sent[mode:]
    assert " shutdown" not in sent
    assert not [line for line in sent[mode:] if "undo" in line]


def test_a_peer_of_another_as_is_made_anew():
    now = tree(
        "bgp 1\n peer 10.0.0.1 as-number 2\n peer 10.0.0.1 bfd\n address-family ipv4 unicast\n"
        "  peer 10.0.0.1 enable\n"
    )
    then = (
        "bgp 1\n peer 10.0.0.1 as-number 3\n address-family ipv4 unicast\n  peer 10.0.0.1 enable\n"
    )
    text = "\n".join(patch(now, tree(then)))
    assert text == (
        "bgp 1\n undo peer 10.0.0.1\n peer 10.0.0.1 as-number 3\n address-family ipv4 unicast\n"
        "  peer 10.0.0.1 enable"
    )


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("port link-mode route", Risk.PORT_FLAP),
        ("undo shutdown", Risk.PORT_FLAP),
        ("shutdown", Risk.PORT_FLAP),
        ("port access vlan 5", Risk.PORT_FLAP),
        ("description x", Risk.HARMLESS),
        ("queue 3 low-limit 1 high-limit 2", Risk.HARMLESS),
        ("ntp-service unicast-server 192.0.2.1", Risk.HARMLESS),
        ("mtu 9100", Risk.BRIEF_LOSS),
        ("priority-flow-control enable", Risk.BRIEF_LOSS),
        ("bgp 65001", Risk.BRIEF_LOSS),
    ],
)
def test_risk_of_a_line(line, risk):
    assert line_risk(line) is risk


def running_of(text):
    return Running("leaf1", "comware7", text, text, None, {})


class Artefact:
    kind = "running-config"
    text = "# x\n#\n sysname leaf1\n#\nbgp 65001\n peer 10.0.0.1 as-number 65002\n"


def test_draft_names_paths_hides_secrets_and_says_that_it_is_experimental():
    before = (
        " sysname leaf1\n#\nbgp 65001\n peer 10.0.0.1 as-number 65003\n"
        " peer 10.0.0.1 password cipher HUNTER2\n"
    )
    draft = adapters["comware7"].draft(running_of(before), [Artefact()], None)
    assert "HUNTER2" not in draft.diff
    assert "HUNTER2" not in repr(draft.changes)
    assert draft.diff == (
        f"# {EXPERIMENTAL}\n bgp 65001\n- peer 10.0.0.1 as-number 65003\n"
        "- peer 10.0.0.1 password ***\n+ peer 10.0.0.1 as-number 65002\n"
    )
    after = " sysname leaf1\n#\nbgp 65001\n peer 10.0.0.1 as-number 65002\n"
    found = adapters["comware7"].apart(running_of(before), running_of(after))
    assert found == {change.path for change in draft.changes}
    assert adapters["comware7"].draft(running_of(after), [Artefact()], None).diff == ""


@pytest.mark.parametrize(
    "line",
    [
        "password hash $h$6$HUNTER2",
        "super password role network-admin hash HUNTER2",
        "snmp-agent community read cipher HUNTER2",
        "snmp-agent usm-user v3 ops ops cipher authentication-mode sha HUNTER2",
        "primary authentication 192.0.2.1 key cipher HUNTER2",
        "ntp-service authentication-keyid 1 authentication-mode md5 cipher HUNTER2",
        "peer 10.0.0.1 password cipher HUNTER2",
    ],
)
def test_secrets_are_hidden(line):
    assert "HUNTER2" not in redacted(line)


# -- Patches on the lab's switch, which is strict.

PORTS = [f"HundredGigE1/0/{number}" for number in range(1, 65)]


def demo(folder, name, changes, devices="", switch="su1-rail0"):
    """Return a switch of the demo with changes."""
    made = variant(folder / name, "demo", {**CHANGES["demo"], **changes}, devices)
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
            "ECN, shares, DSCP": demo(
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
            "spine ASN": demo(folder, "peer", {"spine_asn: 65100": "spine_asn: 65200"}),
            "marking of a port": demo(
                folder,
                "port",
                {},
                f"{port}      HundredGigE1/0/1: {{lossless: {{ecn: {{kmax_bytes: 2000000}}}}}}\n",
            ),
            "defaults": demo(folder, "defaults", {"timeout_s: 240": "timeout_s: 1200"}),
            "down": demo(folder, "down", {}, f"{port}      HundredGigE1/0/1: {{enabled: false}}\n"),
        }


NAMES = (
    "demo",
    "other leaf",
    "spine",
    "rail-512",
    "ECN, shares, DSCP",
    "other class",
    "no PFC, BFD",
    "ASN, VLAN, addresses",
    "spine ASN",
    "marking of a port",
    "defaults",
    "down",
)


class Switch:
    """The configuration of the lab's switch alone."""

    def __init__(self):
        design = designs("demo")["su1-rail0"]
        self.root = read_text(Comware7StandIn.factory(design, "") + HAND_MADE, PORTS)

    @property
    def text(self):
        return display_configuration(self.root, "7.1")

    @property
    def tree(self):
        """What is read back, with the values that are not printed."""
        maps = {
            name: tuple(self._mapped(name, number) for number in range(len(values)))
            for name, values in DEFAULT_MAPS.items()
        }
        on = self.root.has("lldp global enable")
        return with_read_values(whole_configuration(self.text), maps, lldp=on)

    def _mapped(self, name, number):
        section = self.root.children.get(f"qos map-table {name}")
        said = section.value(f"import {number} export") if section else ""
        return int(said or DEFAULT_MAPS[name][number])

    def send(self, lines):
        """Feed indented lines, each view left as the driver leaves it."""
        editor, before = Editor(self.root, PORTS), 0
        for line in lines:
            depth = len(line) - len(line.lstrip(" "))
            if depth == 0:
                editor.stack = editor.stack[:1]
            for _ in range(before - depth if depth else 0):
                editor.feed("quit")
            editor.feed(line.strip())
            before = depth

    def become(self, intended):
        now = self.tree
        self.send(patch(now, compose(now, tree(intended))))

    def left(self, intended):
        now = self.tree
        return list(steps(now, compose(now, tree(intended))))


HAND_MADE = (
    "#\n ip route-static 203.0.113.0 24 192.0.2.1\n#\nqos wred queue table THEIRS\n queue 5 ecn\n"
    "#\ninterface HundredGigE1/0/60\n port link-mode route\n qos wred apply THEIRS\n"
    " link-delay 2\n#\nreturn\n"
)


def test_names_are_those_of_the_states():
    assert set(NAMES) == set(states())


@pytest.mark.parametrize("name", NAMES)
def test_from_the_box_and_back(name):
    switch = Switch()
    fresh = switch.tree
    text = switch.text
    switch.become(states()[name])
    assert switch.left(states()[name]) == []
    assert " ip route-static 203.0.113.0 24 192.0.2.1\n" in switch.text
    switch.send(patch(switch.tree, fresh))
    assert switch.text == text


@pytest.mark.parametrize(("first", "second"), list(permutations(NAMES, 2)))
def test_from_each_state_to_each_other_and_back(first, second):
    switch = Switch()
    switch.become(states()[first])
    before, text = switch.tree, switch.text
    switch.become(states()[second])
    assert switch.left(states()[second]) == []
    assert {line.strip() for line in tree(states()[second]).children} <= (
        set(switch.tree.children) | {"arp timer aging 20", "mac-address timer aging 300"}
    )
    switch.send(patch(switch.tree, before))
    assert switch.text == text


EDITS = [
    "mtu 1600",
    "undo mtu",
    "shutdown",
    "undo shutdown",
    "description by hand",
    "undo qos wred apply",
    "priority-flow-control auto",
    "undo priority-flow-control",
    "port link-mode route",
    "port link-mode bridge",
    "port link-type trunk",
    "undo ip address",
    "undo qos wfq",
    "qos trust dot1p",
    "flow-control",
]


@settings(max_examples=40)
@given(
    edits=st.lists(st.tuples(st.sampled_from(PORTS), st.sampled_from(EDITS)), max_size=6),
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
    if not any(port.endswith("/60") for port, _ in edits):  # its mode may have cleared what is kept
        assert switch.text == clean
