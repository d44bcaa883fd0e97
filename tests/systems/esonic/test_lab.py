"""The Enterprise SONiC switch of the lab: strict, with sonic-cli before the shell of SONiC."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.spec import StandInSpec
from fabric.render import render_device
from fabric.systems.esonic.lab.cli import breakouts
from fabric.systems.esonic.lab.config import (
    Editor,
    LineRefusedError,
    feed_text,
    read_text,
    text_lines,
)
from fabric.systems.esonic.lab.rules import HIDDEN
from tests.cases import each
from tests.lab.conftest import PASSWORD, execute
from tests.render.esonic_designs import designs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PORTS = {"Ethernet0": "400000", "Ethernet8": "400000"}
START = """\
hostname leaf01
username admin password $6$LAB role admin
qos wred-policy W
 ecn all
qos scheduler-policy S
 queue 3
  type dwrr
  weight 50
qos map dscp-tc M
 dscp 0-2,26 traffic-class 3
interface Vlan101
 ip address 10.64.0.1/24
interface Ethernet0
 switchport access Vlan 101
 queue 3 wred-policy W
 scheduler-policy S
 qos-map dscp-tc M
 priority-flow-control priority 3
 priority-flow-control watchdog on detect-time 400
 no shutdown
interface Ethernet8
 ip address 10.254.0.1/31
 no shutdown
router bgp 65101
 neighbor 10.254.0.0
  remote-as 65100
"""


def after(lines: str, start: str = START) -> list[str]:
    root = read_text(start, PORTS)
    feed_text(Editor(root, PORTS), lines)
    return list(text_lines(root))


REFUSED = [
    "hostname",
    "hostname two words",
    "ip arp timeout 59",
    "ip arp timeout 14401",
    "ip load-share hash algorithm MD5",
    "ip load-share hash seed 16777216",
    "ip load-share hash roce",
    "priority-flow-control watchdog polling-interval 99",
    "qos wred-policy X\n ecn red",
    "qos wred-policy X\n green minimum-threshold 0 maximum-threshold 2 drop-probability 3",
    "qos wred-policy X\n green minimum-threshold 1 maximum-threshold 12481 drop-probability 3",
    "qos wred-policy X\n green minimum-threshold 3 maximum-threshold 2 drop-probability 3",
    "qos scheduler-policy X\n queue 8",
    "qos scheduler-policy S\n queue 3\n  weight 101",
    "qos scheduler-policy S\n queue 3\n  type strict",
    "qos map dscp-tc X\n dscp 64 traffic-class 1",
    "qos map dscp-tc X\n dscp 1 traffic-class 8",
    "qos map other X",
    "interface Ethernet16",
    "interface breakout port 1/3 mode 4x100G",
    "interface breakout port 2/1 mode 4x100G",
    "interface breakout port 1/1 mode 3x100G",
    "interface breakout port 1/1 mode 4x100",
    "interface Ethernet2",
    "interface Port1",
    "interface Vlan4095",
    "interface Ethernet0\n mtu 9217",
    "interface Ethernet0\n fec rs",
    "interface Ethernet0\n cable-length 10m",
    "interface Ethernet0\n description two words",
    'interface Ethernet0\n description "a" b',
    "interface Ethernet0\n queue 3 wred-policy NONE",
    "interface Ethernet0\n scheduler-policy NONE",
    "interface Ethernet0\n qos-map tc-pg M",
    "interface Ethernet0\n ip address 192.0.2.0/31",
    "interface Ethernet8\n switchport access Vlan 101",
    "interface Ethernet0\n no switchport access Vlan\n switchport access Vlan 300",
    "interface Ethernet0\n priority-flow-control priority 4\n priority-flow-control priority 5",
    "interface Ethernet0\n priority-flow-control watchdog on detect-time 99",
    "interface Ethernet8\n ip address 10.64.0.0/31",
    "interface Loopback0\n ip address 10.254.0.0/32",
    "router bgp 65102",
    "router bgp 65101\n neighbor spine1",
    "router bgp 65101\n neighbor 10.254.0.0\n  route-map X both",
    "mtu 9100",
    "ip prefix-list X seq 0 permit 10.0.0.0/8",
    "no qos wred-policy W",
    "no qos map dscp-tc M",
    "no interface Vlan101",
    "no interface Ethernet0",
    "no such line",
    "show running-configuration",
]


@each("lines", REFUSED)
def test_a_line_outside_the_grammar_or_the_state_is_refused(lines: str) -> None:
    with pytest.raises(ValueError, match="% Error"):
        after(lines)


@pytest.mark.parametrize("switch", ["su1-rail0", "spine01"])
def test_what_we_render_is_accepted_and_shown(switch: str) -> None:
    """Line by line; maps are shown without ranges, ports with what they have by themselves."""
    design = designs("demo")[switch]
    names = {port.name: "400000" for port in design.ports}
    text = render_device(design)[0].text
    shown = set(text_lines(read_text(text, names)))
    for line in text.splitlines():
        hidden = any(line.strip() in lines for lines in HIDDEN.values())
        row = line.split()[:1] in (["dscp"], ["traffic-class"], ["pfc-priority"])
        assert hidden or row or line in shown, line


def test_text_and_lines_are_one() -> None:
    root = read_text(START, PORTS)
    text = "".join(f"{line}\n" for line in text_lines(root))
    assert list(text_lines(read_text(text, PORTS))) == text.splitlines()
    assert " dscp 26 traffic-class 3" in text
    assert "interface Ethernet8\n mtu 9100\n speed 400000\n no shutdown\n" in text


@pytest.mark.parametrize(
    ("lines", "gone"),
    [
        ("interface Ethernet 0\n no queue 3 wred-policy", " queue 3 wred-policy W"),
        ("interface Ethernet0\n no switchport access Vlan", " switchport access Vlan 101"),
        (
            "interface Ethernet0\n priority-flow-control watchdog off",
            " priority-flow-control watchdog on detect-time 400",
        ),
        ("no router bgp", "router bgp 65101"),
        ("qos map dscp-tc M\n no dscp 1", " dscp 1 traffic-class 3"),
        ("router bgp 65101\n no neighbor 10.254.0.0", " neighbor 10.254.0.0"),
    ],
)
def test_lines_that_take_away(lines: str, gone: str) -> None:
    assert gone in list(text_lines(read_text(START, PORTS)))
    assert gone not in after(lines)


def test_no_brings_back_what_a_port_has_by_itself() -> None:
    changed = "interface Ethernet8\n mtu 9216\n"
    assert " mtu 9216" in after(changed)
    assert " mtu 9216" not in after(f"{changed} no mtu\n")


def test_a_section_is_left_by_exit_only() -> None:
    editor = Editor(read_text(START, PORTS), PORTS)
    editor.feed("interface Ethernet 0")
    assert editor.prompt == "(conf-if-Ethernet0)"
    with pytest.raises(LineRefusedError):
        editor.feed("hostname other")
    editor.feed("exit")
    editor.feed("hostname other")
    assert editor.prompt == "(config)"


# -- over SSH --------------------------------------------------------------------------------------


@pytest.fixture
def running() -> Iterator[Lab]:
    spec = StandInSpec(
        name="leaf01",
        platform="esonic",
        username="admin",
        password=PASSWORD,
        mac="52:54:00:00:00:01",
        serial="TH0001",
        model="Z9332F-ON",
        running=START,
        options={"ports": ",".join(PORTS)},
    )
    with Lab([spec]) as made:
        yield made


@pytest.fixture
def leaf(running: Lab) -> Any:
    return running["leaf01"]


@pytest.fixture
def terminal(leaf: Any, connect: Callable[[Any], Any]) -> Iterator[Callable[[str, str], str]]:
    """Return a function that types a line and returns what is printed up to an end."""
    channel = connect(leaf).invoke_shell()
    channel.settimeout(5)

    def read(end: str) -> str:
        text = ""
        while not text.endswith(end):
            text += channel.recv(4096).decode()
        return text

    read("$ ")

    def say(line: str, end: str = "# ") -> str:
        channel.send(f"{line}\n")
        return read(end)

    yield say
    channel.close()


def test_sonic_cli(terminal: Callable[..., str], leaf: Any) -> None:
    """From the shell and back, with the prompts of its modes."""
    assert terminal("sonic-cli").endswith("\r\nleaf01# ")
    assert terminal("configure terminal").endswith("leaf01(config)# ")
    assert terminal("interface Ethernet 8").endswith("leaf01(conf-if-Ethernet8)# ")
    assert "% Error: Illegal parameter." in terminal("mtu 9999")
    assert terminal("mtu 9216").endswith("9216\r\nleaf01(conf-if-Ethernet8)# ")
    assert leaf.table("PORT")["Ethernet8"]["mtu"] == "9216"
    assert terminal("end").endswith("leaf01# ")
    assert " mtu 9216\r\n" in terminal("show running-configuration | no-more")
    assert "% Error: Unrecognized command" in terminal("reload")
    assert "mtu 9216" not in leaf.startup_text
    terminal("write memory")
    assert "mtu 9216" in leaf.startup_text
    terminal("exit", "$ ")


def test_the_database_is_that_of_the_lines(leaf: Any, connect: Callable[[Any], Any]) -> None:
    client = connect(leaf)
    out, _, code = execute(client, "sudo sonic-cfggen -d --print-data")
    tables = json.loads(out)
    assert code == 0
    assert tables["PORT_QOS_MAP"]["Ethernet0"]["pfcwd_sw_enable"] == "3"
    assert tables["PFC_WD"]["Ethernet0"]["detection_time"] == "400"
    assert tables["VLAN_MEMBER"] == {"Vlan101|Ethernet0": {"tagging_mode": "untagged"}}
    assert tables["BGP_NEIGHBOR"]["10.254.0.0"]["local_addr"] == "10.254.0.1"
    before, restarts = leaf.running_text, leaf.restarts
    execute(client, "sudo sh -c 'sonic-cfggen -d --print-data > /tmp/x.json'")
    leaf.hand_edit("hostname other\nno router bgp\n")
    assert "BGP_NEIGHBOR" not in leaf.running
    assert execute(client, "sudo config reload /tmp/x.json -y -f")[2] == 0
    assert leaf.running_text == before
    assert leaf.restarts == restarts + 1


def test_a_restart_holds_sessions_down_for_a_while(running: Lab, leaf: Any) -> None:
    leaf.hand_edit("interface Loopback0\n ip address 10.255.0.1/32\n")
    assert leaf.bgp_state("10.254.0.0") == "Established"
    leaf.save()
    leaf.on_reboot()
    assert leaf.bgp_state("10.254.0.0") == "Active"
    running.clock.advance(2)
    assert leaf.bgp_state("10.254.0.0") == "Established"
    leaf.hand_edit("interface Ethernet8\n shutdown\n")
    assert leaf.bgp_state("10.254.0.0") == "Active"


def test_a_reboot_forgets_what_was_not_saved(leaf: Any) -> None:
    leaf.hand_edit("ntp server 192.0.2.1\n")
    assert "ntp server" in leaf.running_text
    leaf.on_reboot()
    assert "ntp server" not in leaf.running_text


def test_faults_at_a_line(terminal: Callable[..., str], leaf: Any) -> None:
    terminal("sonic-cli")
    terminal("configure terminal")
    leaf.faults.add(Fault("refuse_line", pattern="^ntp", text="% Error: no\n"))
    assert "% Error: no" in terminal("ntp server 192.0.2.1")
    assert "% Error" not in terminal("ntp server 192.0.2.1")
    leaf.faults.add(Fault("accept_part", pattern="^ntp", count=1))
    terminal("ntp server 192.0.2.2")
    terminal("ntp server 192.0.2.3")
    assert "192.0.2.2" in leaf.running_text
    assert "192.0.2.3" not in leaf.running_text
    leaf.faults.add(Fault("slow", pattern="^ntp", seconds=0.2))
    start_s = time.monotonic()
    terminal("ntp server 192.0.2.4")
    assert time.monotonic() - start_s >= 0.2


def test_root_may_not_start_it(terminal: Callable[..., str]) -> None:
    terminal("sudo -s")
    assert "root cannot launch CLI" in terminal("sonic-cli")


def test_a_cage_that_is_broken_out_has_new_ports() -> None:
    """And is whole again without the line; what stood on its ports is gone each time."""
    root = read_text(START, PORTS)
    editor = Editor(root, PORTS)
    feed_text(editor, "interface breakout port 1/1 mode 4x100G\n")
    shown = list(text_lines(root))
    assert [line for line in shown if line.startswith("interface Ethernet")] == [
        *(f"interface Ethernet{lane}" for lane in (0, 2, 4, 6)),
        "interface Ethernet8",
    ]
    assert shown.count(" speed 100000") == 4
    assert " switchport access Vlan 101" not in shown
    assert editor.parts("1/1") == ["Ethernet0", "Ethernet2", "Ethernet4", "Ethernet6"]
    assert list(text_lines(read_text("\n".join(shown), PORTS))) == shown
    feed_text(Editor(root, PORTS), "interface Ethernet0\n description part\n")
    feed_text(Editor(root, PORTS), "no interface breakout port 1/1\n")
    shown = list(text_lines(root))
    assert [line for line in shown if line.startswith("interface Ethernet")] == [
        "interface Ethernet0",
        "interface Ethernet8",
    ]
    assert " description part" not in shown


def test_the_table_of_breakouts() -> None:
    """In the form of the examples of sonic_port_breakout."""
    root = read_text("interface breakout port 1/2 mode 2x200G\n", PORTS)
    assert breakouts(Editor(root, PORTS)).splitlines()[3:] == [
        "1/2   2x200G         Completed     Ethernet8",
        "                                   Ethernet12",
    ]
