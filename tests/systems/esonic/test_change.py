"""Enterprise SONiC: what changes and how, line by line, and that the way leads there and back."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.adapter import adapters
from fabric.change.lines.steps import difference
from fabric.change.model import Risk
from fabric.core.errors import RefusedError
from fabric.core.lines import LineTree
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.systems.esonic.lab.config import Editor, LineRefusedError, read_text, text_lines
from fabric.systems.esonic.parsers import configuration
from fabric.systems.esonic.platforms.lines import read, write
from tests.cases import examples
from tests.render.designs import variant
from tests.render.esonic_designs import CHANGES, designs

esonic = adapters["esonic"]
patch, steps = esonic.patch, esonic.steps
key_of, negated = esonic.grammar.key_of, esonic.grammar.negated
PORTS = {f"Ethernet{4 * number}": "400000" for number in range(64)}
KEPT = """\
username admin password $6$HUNTER2 role admin
ip route 0.0.0.0/0 192.0.2.1
ip vrf mgmt
interface Management0
 ip address 192.0.2.2/24
snmp-server location rack
lldp timer 60
"""
OURS = """\
hostname old
ip load-share hash seed 77
ip load-share hash ingress-port
ip arp timeout 300
mac address-table aging-time 50
qos wred-policy ROCE_9
 ecn all
 green minimum-threshold 1 maximum-threshold 2 drop-probability 3
qos scheduler-policy ROCE_9
 queue 1
  type wrr
  weight 9
qos map dscp-tc ROCE
 dscp 26 traffic-class 4
qos map tc-pg ROCE_9
 traffic-class 1 priority-group 1
ip prefix-list PL-FABRIC seq 10 permit 192.0.2.0/24
ip prefix-list PL-OLD seq 5 permit 192.0.2.0/24 le 32
route-map RM-OLD permit 10
 match ip address prefix-list PL-OLD
interface Vlan77
 ip address 10.64.0.9/24
interface Loopback0
 ip address 10.0.0.99/32
interface Ethernet8
 description "old words"
 mtu 9216
 ip address 198.51.100.1/31
 no shutdown
interface Ethernet16
 scheduler-policy ROCE_9
 queue 2 wred-policy ROCE_9
 qos-map tc-pg ROCE_9
 cable-length 300m
 priority-flow-control priority 4
 priority-flow-control watchdog on detect-time 100
 switchport access Vlan 77
router bgp 65000
 router-id 10.0.0.99
 neighbor 10.254.0.0
  remote-as 65001
ntp server 203.0.113.1
logging server 203.0.113.2
no lldp enable
"""


def intended(switch: str = "su1-rail0") -> LineTree:
    return read(render_device(designs("demo")[switch])[0].text)


def running_of(root) -> LineTree:
    """Return what is read back from a stand-in."""
    return read(configuration("".join(f"{line}\n" for line in text_lines(root))))


def sent(root, lines, ports=PORTS):
    """Return a stand-in's configuration after lines, sent as the driver sends them."""
    editor = Editor(root.copy(), ports)
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        while len(editor.stack) - 1 > depth:
            editor.feed("exit")
        assert len(editor.stack) - 1 == depth, line
        editor.feed(line)
    return editor.root


# -- lines -----------------------------------------------------------------------------------------


def test_what_is_not_ours_is_kept() -> None:
    wanted = esonic.compose(read(KEPT + OURS), intended())
    kept = read(KEPT).children
    assert {line: wanted.children[line] for line in kept} == kept


def test_what_is_ours_is_replaced() -> None:
    """A port that the design knows has our lines, and what the switch writes by itself."""
    wanted = esonic.compose(read(OURS), intended())
    assert set(wanted.children) == set(intended().children)
    for line, child in intended().children.items():
        assert set(child.lines()) <= set(wanted.children[line].lines())
    extra = {path for line in wanted.children for path in wanted.children[line].lines((line,))} - {
        path for line in wanted.children for path in intended().children[line].lines((line,))
    }
    assert extra == set()


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("interface Ethernet16", "mtu 9100"),
        ("interface Ethernet16", "speed 400000"),
        ("interface Ethernet0", "fec AUTO"),
        ("interface Ethernet0", "unreliable-los auto"),
        ("router bgp 65101", "log-neighbor-changes"),
        ("router bgp 65101", "timers 60 180"),
    ],
)
def test_what_the_switch_writes_by_itself_is_no_difference(section: str, line: str) -> None:
    now = intended()
    now.children[section].children[line] = LineTree()
    assert list(steps(now, esonic.compose(now, intended()))) == []


def test_a_value_of_ours_is_not_taken_for_the_switchs_own() -> None:
    now = intended()
    port = now.children["interface Ethernet0"]
    del port.children["mtu 9100"]
    port.children["mtu 9216"] = LineTree()
    wanted = esonic.compose(now, intended())
    assert patch(now, wanted) == ["interface Ethernet 0", " mtu 9100"]
    assert patch(wanted, now) == ["interface Ethernet 0", " mtu 9216"]


@pytest.mark.parametrize(
    ("line", "key", "no"),
    [
        ("mtu 9100", "mtu", "no mtu"),
        ("switchport access Vlan 101", "switchport access Vlan", "no switchport access Vlan"),
        ("timers connect 30", "timers connect", "no timers connect"),
        ("maximum-paths ibgp 2", "maximum-paths ibgp", "no maximum-paths ibgp"),
        ("qos-map dscp-tc ROCE", "qos-map dscp-tc", "no qos-map dscp-tc"),
        ("queue 3 wred-policy ROCE", "queue 3 wred-policy", "no queue 3 wred-policy"),
        ("dscp 26 traffic-class 3", "dscp 26", "no dscp 26"),
        ("route-map RM-FABRIC in", "route-map in", "no route-map RM-FABRIC in"),
        ("no shutdown", "shutdown", "shutdown"),
        ("shutdown", "shutdown", "no shutdown"),
        ("no lldp enable", "lldp enable", "lldp enable"),
        ("router bgp 65101", "router bgp 65101", "no router bgp"),
        (
            "priority-flow-control watchdog on detect-time 400",
            "priority-flow-control watchdog on detect-time",
            "priority-flow-control watchdog off",
        ),
        (
            "priority-flow-control priority 3",
            "priority-flow-control priority 3",
            "no priority-flow-control priority 3",
        ),
        ("ip address 10.0.0.1/31", "ip address 10.0.0.1/31", "no ip address 10.0.0.1/31"),
    ],
)
def test_what_a_line_speaks_of_and_what_takes_it_away(line: str, key: str, no: str) -> None:
    assert (key_of(line), negated(line)) == (key, no)


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("green minimum-threshold 1 maximum-threshold 2 drop-probability 3", Risk.HARMLESS),
        ('description "x y"', Risk.HARMLESS),
        ("priority-flow-control watchdog restore-time 400", Risk.HARMLESS),
        ("priority-flow-control priority 3", Risk.BRIEF_LOSS),
        ("speed 400000", Risk.PORT_FLAP),
        ("no shutdown", Risk.PORT_FLAP),
        ("cable-length 40m", Risk.PORT_FLAP),
        ("router bgp 65101", Risk.BRIEF_LOSS),
        ("router bgp 65101 vrf Vrf5", Risk.BRIEF_LOSS),
        ("interface Ethernet0", Risk.PORT_FLAP),
        ("interface Vlan101", Risk.BRIEF_LOSS),
        ("no lldp enable", Risk.HARMLESS),
    ],
)
def test_risk_of_a_line(line: str, risk: Risk) -> None:
    assert esonic.grammar.risk_of(line) is risk


# -- there and back --------------------------------------------------------------------------------


def lines_of(text: str) -> list[list[str]]:
    """Return the sections of a text, each with its lines."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if line.strip() in {"", "!"}:
            continue
        if line[0] == " " and found:
            found[-1].append(line)
        else:
            found.append([line])
    return found


def configurations(switch: str):
    """Return a strategy of configurations that a switch can have, made of parts of three texts."""
    pool = [
        *lines_of(OURS),
        *lines_of(KEPT),
        *lines_of(render_device(designs("demo")[switch])[0].text),
    ]
    return st.lists(st.sampled_from(pool), max_size=14).map(_accepted)


def _accepted(sections):
    root = read_text("", PORTS)
    for lines in sections:
        editor = Editor(root, PORTS)
        for line in lines:
            depth = len(line) - len(line.lstrip(" ")) + 1
            if depth > len(editor.stack):
                continue
            editor.stack = editor.stack[:depth]
            try:
                editor.feed(line)
            except LineRefusedError:
                continue
    return root


def canonical(root) -> str:
    return write(LineTree(dict(sorted(running_of(root).children.items()))))


@pytest.mark.parametrize("switch", ["su1-rail0", "spine01"])
@examples(50)
@given(data=st.data())
def test_running_and_patch_is_intended_and_back(switch: str, data) -> None:
    """On the stand-in, which refuses what a switch refuses; the second plan is empty."""
    before = data.draw(configurations(switch))
    now = running_of(before)
    wanted = esonic.compose(now, intended(switch))
    after = sent(before, patch(now, wanted))
    there = running_of(after)
    assert list(steps(there, wanted)) == []
    assert list(steps(there, esonic.compose(there, intended(switch)))) == []
    assert running_of(sent(after, patch(there, now))) == now


MODES = {
    "whole": "",
    "two": ', breakouts: [{cages: "1-2", mode: 2x200G}]',
    "four": ', breakouts: [{cages: "2-3", mode: 4x100G}]',
    "both": ", breakouts: [{cages: '1', mode: 4x100G}, {cages: '31', mode: 2x200G}]",
}


@cache
def broken_out(mode: str) -> LineTree:
    """Return what is intended on a leaf with some cages broken out."""
    changes = {
        **CHANGES["demo"],
        "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: Z9332F-ON{MODES[mode]}}}",
    }
    with TemporaryDirectory() as folder:
        design = variant(Path(folder) / "i", "demo", changes)["su1-rail0"]
    return read(render_device(design)[0].text)


LEAF_PORTS = {f"Ethernet{8 * number}": "400000" for number in range(32)}


@pytest.mark.parametrize(("first", "second"), list(permutations(MODES, 2)))
def test_from_each_breakout_to_each_other_and_back(first: str, second: str) -> None:
    """All that stands on the ports of a cage is sent anew, since the switch forgets it."""
    start = read_text("buffer init lossless\n", LEAF_PORTS)
    there = esonic.compose(running_of(start), broken_out(first))
    before = sent(start, patch(running_of(start), there), LEAF_PORTS)
    now = running_of(before)
    assert list(steps(now, esonic.compose(now, broken_out(first)))) == []
    wanted = esonic.compose(now, broken_out(second))
    after = sent(before, patch(now, wanted), LEAF_PORTS)
    found = running_of(after)
    assert list(steps(found, esonic.compose(found, broken_out(second)))) == []
    assert running_of(sent(after, patch(found, now), LEAF_PORTS)) == now


def test_a_prefix_list_that_is_named_never_runs_empty() -> None:
    """Its only entry is replaced by another one with the same number."""
    text = (
        "ip prefix-list PL-FABRIC seq 10 permit 192.0.2.0/24\n"
        "route-map RM-FABRIC permit 10\n match ip address prefix-list PL-FABRIC\n"
    )
    before = read_text(text, PORTS)
    now = running_of(before)
    wanted = esonic.compose(now, intended())
    after = sent(before, patch(now, wanted))
    assert running_of(sent(after, patch(running_of(after), now))) == now


def test_another_address_of_the_loopback_takes_the_place_of_the_old_one() -> None:
    now = intended()
    loopback = now.children["interface Loopback0"]
    (old,) = [line for line in loopback.children if line.startswith("ip address ")]
    target = now.copy()
    target.children["interface Loopback0"] = LineTree({"ip address 10.0.0.99/32": LineTree()})
    assert patch(now, target) == [
        "interface Loopback 0",
        f" no {old}",
        "interface Loopback 0",
        " ip address 10.0.0.99/32",
    ]


# -- the adapter -----------------------------------------------------------------------------------


def state(text: str) -> Running:
    return Running("leaf1", "esonic", text, text, None, {})


def draft(text: str):
    artefacts = render_device(designs("demo")["su1-rail0"])
    return adapters["esonic"].draft(state(text), artefacts, None)


def test_a_switch_without_lossless_buffers_is_refused() -> None:
    """The line that makes them restarts it."""
    with pytest.raises(RefusedError, match="'buffer init lossless' by hand"):
        draft("hostname leaf1\n")


@pytest.mark.parametrize(
    "line", ["interface-naming standard", "interface-naming standard extended"]
)
def test_a_switch_whose_ports_have_other_names_is_refused(line: str) -> None:
    with pytest.raises(RefusedError, match="'interface-naming native' by hand"):
        draft(f"hostname leaf1\n{line}\nbuffer init lossless\n")


def test_lines_that_lead_back_go_along() -> None:
    made = draft("hostname leaf1\nbuffer init lossless\n")
    assert made.candidate.method == "merge"
    assert "hostname su1-rail0\n" in made.candidate.lines
    assert "hostname leaf1\n" in made.candidate.rollback
    assert "no router bgp\n" in made.candidate.rollback
    assert "+hostname su1-rail0\n" in made.diff
    assert "buffer init" not in made.candidate.lines


def test_secrets_are_hidden() -> None:
    left, right = (f"username admin password {word} role admin\n" for word in ("$6$A", "$6$B"))
    found = adapters["esonic"].apart(state(left), state(right))
    assert found == {"username admin password ***"}


def test_the_diff_shows_sections() -> None:
    now = intended()
    del now.children["interface Ethernet0"].children["cable-length 5m"]
    found = difference(steps(now, intended()), " ")
    assert found == " interface Ethernet0\n+ cable-length 5m\n"
