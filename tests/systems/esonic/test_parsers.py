"""Enterprise SONiC: the configuration in one spelling, and the readings of SONiC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.parsers import UnreadableError, parsers
from fabric.systems.esonic.parsers import EsonicParser, configuration
from fabric.systems.esonic.platforms.lines import read, write
from fabric.systems.sonic.parsers import SonicParser
from tests.reference import reference

SAMPLES = Path(__file__).parents[2] / "observe" / "samples"
TEXT = (SAMPLES / "esonic" / "running.cfg").read_text(encoding="utf-8")
SHOWN = """\
hostname leaf01
interface-naming native
banner motd @
interface Ethernet0
 not a section
@
ip load-share hash seed 10
ip arp timeout 240
ntp server 192.0.2.10
qos map dscp-tc ROCE
 dscp 0 traffic-class 0
 dscp 1 traffic-class 0
 dscp 2 traffic-class 0
 dscp 5 traffic-class 0
 dscp 26 traffic-class 3
qos scheduler-policy ROCE
 queue 3
  type dwrr
  weight 50
interface Ethernet0
 description "gpu001 eth1"
 mtu 9100
 speed 400000
 fec RS
 no shutdown
 switchport access Vlan 101
interface Vlan101
 ip address 10.64.0.1/24
interface Loopback0
 ip address 10.255.0.1/32
router bgp 65101
 router-id 10.255.0.1
 address-family ipv4 unicast
  maximum-paths 64
 neighbor 10.254.0.0
  description spine01
  remote-as 65100
  address-family ipv4 unicast
   activate
   route-map RM-FABRIC in
"""
DATABASE = json.dumps({"VLAN": {"Vlan101": {"vlanid": "101"}}, "EMPTY": {}})


def running(config: str = TEXT, database: str = DATABASE, startup: str = DATABASE):
    texts = {"config": config, "database": database, "startup": startup}
    return EsonicParser().running("leaf01", texts)


def test_it_is_registered() -> None:
    assert isinstance(parsers["esonic"], EsonicParser)


def test_one_spelling() -> None:
    """However the switch writes it; a banner is text, whatever it looks like."""
    assert configuration(TEXT) == SHOWN
    assert configuration(f"!\n{SHOWN}") == SHOWN
    assert write(read(SHOWN)) == SHOWN


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("interface Ethernet 8\n mtu 9100\n", "interface Ethernet8\n mtu 9100\n"),
        ("interface Eth 1/5\n", "interface Eth1/5\n"),
        ("interface Vlan 9\n description x\n", 'interface Vlan9\n description "x"\n'),
        ("qos map tc-pg A\n traffic-class 0-1,3 priority-group 0\n", None),
        ("ntp server 192.0.2.1 prefer true\n", "ntp server 192.0.2.1\n"),
        ("logging server 192.0.2.1 remote-port 514\n", "logging server 192.0.2.1\n"),
        ("interface Ethernet0\n fec auto\n", "interface Ethernet0\n fec AUTO\n"),
        (
            "ip prefix-list A seq 5 permit 10.0.0.0/8 ge 24 le 32\n",
            "ip prefix-list A seq 5 permit 10.0.0.0/8 ge 24\n",
        ),
    ],
)
def test_spellings_of_one_line(left: str, right: str | None) -> None:
    """Are the same configuration."""
    rows = "".join(f" traffic-class {number} priority-group 0\n" for number in (0, 1, 3))
    assert write(read(left)) == write(read(right or f"qos map tc-pg A\n{rows}"))


def test_saved() -> None:
    """The database is that of the file; a table without rows is none."""
    assert running().saved is True
    other = json.dumps({"VLAN": {}})
    assert running(startup=other).saved is False
    assert running().fingerprint == running(f"!\n{SHOWN}").fingerprint
    assert running().fingerprint != running(TEXT.replace("9100", "9216")).fingerprint


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "!\n",
        TEXT.rstrip("!\n"),
        "% Error: Transaction failure\n",
        f"{TEXT}% Error: Timeout\n",
        "Syntax error: Illegal command line\n",
        f"!\n{TEXT}--more--\n",
        f"!\n{TEXT}\x1b[7m\n",
        "!\nbanner motd @\nno end\n",
        "Konfiguration:\n!\nhostname leaf01\n",
    ],
)
def test_no_configuration_is_unreadable(text: str) -> None:
    """Empty, cut, an error, a pager, another language."""
    with pytest.raises(UnreadableError):
        configuration(text)


@given(st.integers(0, len(TEXT) - 1))
def test_a_cut_configuration_has_whole_lines_only(end: int) -> None:
    """What is left of it is a part of the whole, or it is unreadable."""
    try:
        found = configuration(TEXT[:end])
    except UnreadableError:
        return
    assert found
    whole = set(read(SHOWN).lines())
    assert set(read(found).lines()) <= whole


@pytest.mark.parametrize("text", ["", "[]", "no JSON", DATABASE[:-1]])
def test_a_database_that_is_cut_is_unreadable(text: str) -> None:
    """Neither saved nor not."""
    with pytest.raises(UnreadableError):
        running(database=text)


OWN = {
    "lldp": "show_lldp_table.txt",
    "bgp": "show_ip_bgp_summary.txt",
    "pfc_priority": "show_pfc_priority.txt",
    "pfc_counters": "sonic/pfc_counters.txt",
    "watchdog_stats": "sonic/pfcwd_stats.txt",
    "ecn": "sonic/ecnconfig.txt",
    "interfaces": "sonic/interfaces_status.txt",
    "arp": "sonic/arp.txt",
    "macs": "sonic/mac.txt",
    "tables": "sonic/crm.txt",
}


@pytest.mark.parametrize("subject", OWN)
def test_state_is_read_as_that_of_sonic(subject: str) -> None:
    """By the same parsers into the same fields; the tests of SONiC cut them."""
    field, parse = parsers["esonic"].readings[subject]
    assert (field, parse) == SonicParser.readings[subject]
    assert parse((SAMPLES / OWN[subject]).read_text(encoding="utf-8"))


def test_recorded_outputs_of_sonic_are_read() -> None:
    """Those of the commands that its driver sends."""
    path = reference("fixtures", "sonic", "show_interfaces_status.txt")
    _, parse = parsers["esonic"].readings["interfaces"]
    assert parse(path.read_text(encoding="utf-8"))
