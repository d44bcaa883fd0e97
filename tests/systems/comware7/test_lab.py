"""The Comware 7 stand-in as netmiko's own class meets it: views, questions, strictness, faults."""

from __future__ import annotations

import pytest

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.systems.comware7.lab.config import (
    Editor,
    LineRefusedError,
    Section,
    read_text,
    text_lines,
)
from tests.cases import each

PASSWORD = "lab-Passw0rd"
PORTS = tuple(f"HundredGigE1/0/{number}" for number in range(1, 31))
RUNNING = """\
#
 sysname leaf1
#
 lldp global enable
#
vlan 101
#
interface HundredGigE1/0/1
 port link-mode route
 ip address 10.0.0.1 255.255.255.254
#
bgp 65001
 peer 10.0.0.0 as-number 65002
 #
 address-family ipv4 unicast
  peer 10.0.0.0 enable
#
 ntp-service enable
#
return
"""


@pytest.fixture(scope="module")
def lab():
    spec = StandInSpec(
        name="leaf1",
        platform="comware7",
        username="admin",
        password=PASSWORD,
        mac="02:00:00:00:00:01",
        serial="210235A1",
        model="S9820-64H",
        running=RUNNING,
        neighbours=(Neighbour("HundredGigE1/0/1", "spine1", "HundredGigE1/0/7"),),
        options={"ports": ",".join(PORTS)},
    )
    with Lab([spec]) as running:
        yield running


@pytest.fixture
def leaf(lab):
    found = lab["leaf1"]
    yield found
    found.faults.clear()
    found.disarm()
    found.become(RUNNING)
    found.save()
    found.watch_bgp(lambda _peer: True)


def opened(leaf, password=PASSWORD, device_type="hp_comware"):
    from netmiko import ConnectHandler

    return ConnectHandler(
        device_type=device_type,
        host=leaf.address,
        port=leaf.port,
        username="admin",
        password=password,
        fast_cli=True,
    )


@pytest.fixture(scope="module")
def client(lab):
    found = opened(lab["leaf1"])
    yield found
    found.disconnect()


def test_prompts_and_views(client):
    assert client.find_prompt() == "<leaf1>"
    client.config_mode()
    assert client.check_config_mode()
    assert client.find_prompt() == "[leaf1]"
    assert client.send_command("interface HundredGigE1/0/1", expect_string=r"\]") == ""
    assert client.find_prompt() == "[leaf1-HundredGigE1/0/1]"
    client.exit_config_mode()
    assert client.find_prompt() == "<leaf1>"


def test_displays(client):
    rows = client.send_command("display bgp peer ipv4 unicast")
    assert "10.0.0.0" in rows
    found = client.send_command("display device manuinfo")
    assert "DEVICE_SERIAL_NUMBER : 210235A1" in found


def test_lines_of_netmiko_act_at_once_and_are_saved_by_it(client, leaf):
    client.send_config_set(["vlan 7", "description new"])
    assert "vlan 7\n description new\n" in leaf.text
    assert "vlan 7" not in leaf.startup
    client.save_config()
    assert leaf.startup == leaf.text


def test_errors_are_those_that_public_drivers_look_for(client, leaf):
    from netmiko.exceptions import ConfigInvalidException

    before = leaf.text
    with pytest.raises(ConfigInvalidException):
        client.send_config_set(["nonsense"], error_pattern="% Unrecognized command")
    client.exit_config_mode()
    with pytest.raises(ConfigInvalidException):
        client.send_config_set(["vlan"], error_pattern="% Incomplete command")
    client.exit_config_mode()
    assert leaf.text == before


def test_wrong_password(leaf):
    from netmiko.exceptions import NetmikoAuthenticationException

    with pytest.raises(NetmikoAuthenticationException):
        opened(leaf, "wrong")


def test_long_outputs_are_paged_until_that_is_switched_off(leaf):
    plain = opened(leaf, device_type="generic")
    try:
        first = plain.send_command_timing("display current-configuration", strip_prompt=False)
        assert first.endswith("---- More ----")
        plain.send_command_timing("q" * 8)
        plain.send_command_timing("screen-length disable")
        assert "More" not in plain.send_command_timing("display current-configuration")
    finally:
        plain.disconnect()


def test_neighbours_and_sessions(client, leaf):
    assert "System name         : spine1" in client.send_command(
        "display lldp neighbor-information verbose"
    )
    assert "Established" in client.send_command("display bgp peer ipv4 unicast")
    leaf.watch_bgp(lambda _peer: False)
    assert "Connect" in client.send_command("display bgp peer ipv4 unicast")
    leaf.watch_bgp(lambda _peer: True)
    leaf.hand_edit("interface HundredGigE1/0/1\nshutdown")
    assert "Connect" in client.send_command("display bgp peer ipv4 unicast")
    assert client.send_command("display lldp neighbor-information verbose").strip() == ""


def test_the_timer_brings_back_the_state_of_its_first_moment(lab, leaf):
    leaf.hand_edit("vlan 7")
    leaf.arm(10)
    leaf.hand_edit("vlan 8")
    leaf.arm(20)
    lab.clock.advance(15 * 60)
    assert "vlan 8" in leaf.text
    lab.clock.advance(6 * 60)
    assert "vlan 8" not in leaf.text
    assert "vlan 7" in leaf.text
    assert not leaf.armed


def test_a_commit_stops_the_timer(lab, leaf):
    leaf.arm(10)
    leaf.hand_edit("vlan 8")
    leaf.disarm()
    lab.clock.advance(11 * 60)
    assert "vlan 8" in leaf.text


def test_a_reboot_loads_what_was_saved_and_forgets_the_timer(leaf):
    leaf.arm(10)
    leaf.hand_edit("vlan 8")
    leaf.files["x.cfg"] = "kept"
    leaf.on_reboot()
    assert "vlan 8" not in leaf.text
    assert not leaf.armed
    assert leaf.files.pop("x.cfg") == "kept"


def test_faults(client, leaf):
    leaf.faults.add(Fault("refuse_line", pattern="^vlan 9$", text="% no\n"))
    assert "% no" in client.send_config_set(["vlan 9"])
    assert "vlan 9" not in leaf.text
    leaf.faults.add(Fault("accept_part", pattern="^vlan 10$", count=1))
    fresh = opened(leaf)
    fresh.send_config_set(["vlan 10", "description lost"])
    fresh.disconnect()
    assert "vlan 10\n" in leaf.text
    assert "lost" not in leaf.text


# -- The configuration.


def shown(root):
    return "\n".join([*text_lines(root), ""])


def edited(*lines, text=RUNNING):
    editor = Editor(read_text(text, PORTS), PORTS)
    for line in lines:
        editor.feed(line)
    return shown(editor.root)


def test_what_is_shown_can_be_read_again():
    text = shown(read_text(RUNNING, PORTS))
    assert shown(read_text(text, PORTS)) == text
    assert (
        "#\nbgp 65001\n peer 10.0.0.0 as-number 65002\n #\n address-family ipv4 unicast\n" in text
    )


PORT = "interface HundredGigE1/0/2"
ROUTED = "interface HundredGigE1/0/1"
REFUSED = {
    "no such command": (["nonsense"], "Unrecognized command"),
    "a word too few": (["vlan"], "Incomplete command"),
    "a VLAN out of range": (["vlan 4095"], "Unrecognized command"),
    "a line of another view": ([PORT, "arp timer aging 5"], "Unrecognized command"),
    "EOS": (["router bgp 65001"], "Unrecognized command"),
    "undo of nothing like it": (["undo nonsense"], "Unrecognized command"),
    "ARP ageing in seconds": (["arp timer aging second 60"], "Unrecognized command"),
    "a day and a minute": (["arp timer aging 1441"], "Unrecognized command"),
    "no such port": (["interface HundredGigE1/0/99"], "The interface does not exist"),
    "a gateway without VLAN": (["interface Vlan-interface9"], "VLAN 9 does not exist"),
    "access without VLAN": ([PORT, "port access vlan 9"], "VLAN 9 does not exist"),
    "an address on a switched port": ([PORT, "ip address 10.9.0.1 255.255.255.0"], "Layer 3"),
    "a VLAN on a routed port": ([ROUTED, "port access vlan 101"], "Layer 2"),
    "queues without WFQ": ([PORT, "qos wfq cs6 group sp"], "WFQ is not enabled"),
    "no such table": ([PORT, "qos wred apply X"], "The WRED table does not exist"),
    "a watchdog without PFC": ([PORT, "priority-flow-control deadlock enable"], "PFC is not"),
    "limits the wrong way round": (
        ["qos wred queue table X", "queue 3 low-limit 9 high-limit 8"],
        "exceeds the upper limit",
    ),
    "a table in use": (
        ["qos wred queue table X", "quit", PORT, "qos wred apply X", "quit",
         "undo qos wred queue table X"],
        "in use",
    ),
    "a second process": (["bgp 65002"], "already running"),
    "a peer that is not there": (["bgp 65001", "peer 10.9.9.9 bfd"], "The peer does not exist"),
    "a peer that is not there, in the family": (
        ["bgp 65001", "address-family ipv4 unicast", "peer 10.9.9.9 enable"],
        "The peer does not exist",
    ),
    "another AS": (["bgp 65001", "peer 10.0.0.0 as-number 9"], "cannot be changed"),
    "a short hold time": (
        ["bgp 65001", "peer 10.0.0.0 timer keepalive 3 hold 8"],
        "three times",
    ),
    "a fifth log host": (
        [f"info-center loghost 192.0.2.{number}" for number in range(1, 6)],
        "exceeds the limit",
    ),
    "overlapping addresses": (
        ["interface LoopBack0", "ip address 10.0.0.0 255.255.255.255"],
        "overlaps",
    ),
    "a value beyond the map": (["qos map-table dot1p-lp", "import 8 export 1"], "out of range"),
    "a port of the hardware goes": (["undo interface HundredGigE1/0/1"], "cannot be removed"),
    "the first VLAN goes": (["undo vlan 1"], "cannot be removed"),
}  # fmt: skip


@each("name", REFUSED)
def test_refused(name):
    *before, last = REFUSED[name][0]
    editor = Editor(read_text(RUNNING, PORTS), PORTS)
    for line in before:
        editor.feed(line)
    was = shown(editor.root)
    with pytest.raises(LineRefusedError, match=REFUSED[name][1]):
        editor.feed(last)
    assert shown(editor.root) == was


def test_a_change_of_the_link_mode_resets_all_but_shutdown():
    text = edited(ROUTED, "description x", "qos trust dscp", "shutdown", "port link-mode bridge")
    assert "interface HundredGigE1/0/1\n port link-mode bridge\n shutdown\n#" in text
    text = edited(ROUTED, "description x", "undo port link-mode")
    assert "interface HundredGigE1/0/1\n port link-mode bridge\n#" in text


def test_defaults_are_not_shown():
    text = edited(
        "arp timer aging 20", "mac-address timer aging 300", "qos map-table dot1p-lp",
        "import 3 export 3", "import 0 export 0", "quit", ROUTED, "mtu 1500",
        "bfd detect-multiplier 5",
    )  # fmt: skip
    assert "arp timer" not in text
    assert "mac-address" not in text
    assert "qos map-table dot1p-lp\n import 0 export 0\n#" in text
    assert "mtu" not in text


def test_what_goes_takes_along_what_hangs_on_it():
    lines = ["interface Vlan-interface101", "quit", PORT, "port access vlan 101", "quit"]
    text = edited(*lines, "undo vlan 101")
    assert "Vlan-interface101" not in text
    assert "access" not in text
    text = edited("bgp 65001", "undo peer 10.0.0.0")
    assert "peer" not in text
    text = edited(PORT, "qos wfq byte-count", "qos wfq cs6 group sp", "undo qos wfq")
    assert "wfq" not in text


def test_lists_are_single_values():
    text = edited("qos map-table dscp-lp", "import 1 2 40 export 3")
    assert " import 1 export 3\n import 2 export 3\n import 40 export 3\n" in text


def test_lines_that_nobody_knows_stop_the_start():
    with pytest.raises(ValueError, match="line 2: ' nonsense'"):
        read_text("#\n nonsense\n#\nreturn\n", PORTS)
    assert Section().has("x") is False
