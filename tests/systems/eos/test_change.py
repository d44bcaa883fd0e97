"""EOS: what is not ours is kept, secrets are hidden, and the lab's switch agrees."""

from __future__ import annotations

import pytest

from fabric.change.model import Risk
from fabric.devices.redaction import redacted
from fabric.observe.snapshot import Running
from fabric.systems.eos import adapters as eos
from fabric.systems.eos.parsers import configuration
from tests.cases import each

KEPT = {
    "account": "username admin privilege 15 role network-admin secret sha512 $6$salt$hash",
    "ssh key": "username admin ssh-key ssh-rsa AAAAB3Nza admin@host",
    "aaa": "aaa authorization exec default local",
    "no aaa root": "no aaa root",
    "vrf": "vrf instance MGMT",
    "routing of a vrf": "ip routing vrf MGMT",
    "no routing of a vrf": "no ip routing vrf MGMT",
    "internal vlans": "vlan internal order ascending range 1006 1199",
    "management interface": "interface Management1\n   vrf MGMT\n   ip address 192.0.2.2/24",
    "other loopback": "interface Loopback10\n   ip address 192.0.2.99/32",
    "management api": "management api http-commands\n   vrf MGMT\n      no shutdown",
    "static route": "ip route vrf MGMT 0.0.0.0/0 192.0.2.1",
    "daemon": "daemon TerminAttr\n   exec /usr/bin/TerminAttr -cvaddr=192.0.2.5:9910",
    "snmp": "snmp-server community public ro",
    "access list": "ip access-list MGMT\n   !! who may come in\n   10 permit ip any any",
    "foreign prefix list": "ip prefix-list OURS\n   seq 10 permit 192.0.2.0/24",
    "guard of edge ports": "spanning-tree edge-port bpduguard default",
    "foreign route-map": "route-map THEIRS permit 10",
    "ntp local interface": "ntp local-interface vrf MGMT Management1",
    "logging": "logging vrf MGMT source-interface Management1",
    "spanning tree": "spanning-tree mode none",
    "banner": "banner motd\n  ACME\n\nvlan 7 is closed\nip routing\n! no entry !\nend\nEOF",
    "certificate": (
        "management security\n   protocol https certificate\n-----BEGIN CERTIFICATE-----\nMIIB\n"
        "EOF\n-----BEGIN EC PRIVATE KEY-----\nMHcC\nEOF"
    ),
    "ends a banner": "banner login\nhostname of yours?\nEOF\ntransceiver qsfp default-mode 4x10G",
}
OURS = {
    "hostname": "hostname old",
    "port": "interface Ethernet1/1\n   description old",
    "loopback": "interface Loopback0\n   ip address 10.0.0.1/32",
    "gateway": "interface Vlan101\n   ip address 10.64.0.1/24",
    "vlan": "vlan 101\n   name old",
    "vlans": "vlan 101-104,200",
    "routing": "ip routing",
    "no routing": "no ip routing",
    "bgp": "router bgp 65001\n   neighbor 10.0.0.2 remote-as 65002",
    "prefix list": "ip prefix-list PL-LOOPBACKS\n   seq 10 permit 10.0.0.0/8",
    "route-map": "route-map RM-OUT permit 10",
    "profile": "qos profile OLD",
    "watchdog": "priority-flow-control pause watchdog default timeout 0.2",
    "ntp": "ntp server vrf MGMT 192.0.2.9",
    "syslog": "logging host 192.0.2.20",
    "model": "service routing protocols model multi-agent",
}
INTENDED = "hostname leaf1\nip routing\ninterface Ethernet1/1\n   description new\n"


@each("name", KEPT)
def test_what_is_not_ours_is_kept(name):
    running = configuration(f"! device: x\n{KEPT[name]}\n!\nhostname old\nend\n")
    assert KEPT[name] in eos.compose(running, INTENDED)


@each("name", OURS)
def test_what_is_ours_is_replaced(name):
    text = eos.compose(configuration(f"{OURS[name]}\nspanning-tree mode none\nend\n"), INTENDED)
    assert text == f"spanning-tree mode none\n{INTENDED}"


def test_composing_twice_changes_nothing():
    running = "\n".join([*KEPT.values(), *OURS.values(), "end"])
    once = eos.compose(configuration(running), INTENDED)
    assert eos.compose(configuration(once), INTENDED) == once


SECRETS = [
    "username admin privilege 15 secret sha512 HUNTER2",
    "username admin secret 5 HUNTER2",
    "username admin secret 0 HUNTER2 word HUNTER2",
    "enable secret HUNTER2",
    "enable password sha512 HUNTER2",
    "   neighbor 10.0.0.1 password 7 HUNTER2",
    "   neighbor 10.0.0.1 password HUNTER2",
    "   neighbor UNDERLAY password 8a HUNTER2",
    "snmp-server community HUNTER2 ro",
    "snmp-server community HUNTER2",
    "snmp-server host 192.0.2.1 vrf MGMT version 2c HUNTER2",
    "snmp-server user u g v3 localized f5717f auth sha HUNTER2 priv aes HUNTER2",
    "snmp-server user u g v3 auth sha HUNTER2",
    "ntp authentication-key 1 md5 7 HUNTER2",
    "ntp authentication-key 1 sha1 HUNTER2",
    "radius-server key 7 HUNTER2",
    "radius-server host 192.0.2.1 vrf MGMT key 7 HUNTER2",
    "tacacs-server key 8a HUNTER2",
    "tacacs-server host 192.0.2.1 key HUNTER2",
    "   ip ospf message-digest-key 1 md5 7 HUNTER2",
    "   ip ospf authentication-key 7 HUNTER2",
    "   isis authentication key 7 HUNTER2",
    "   vrrp 1 peer authentication ietf-md5 key-string 7 HUNTER2",
    "   key 0abc1234 7 HUNTER2 fallback",
    "   shared-secret profile x HUNTER2",
    "   exec /usr/bin/TerminAttr -ingestauth=key,HUNTER2 -taillogs",
    "   search username cn=x password 7 HUNTER2",
    "-----BEGIN RSA PRIVATE KEY-----\nHUNTER2\nHUNTER2\n-----END RSA PRIVATE KEY-----",
]
PLAIN = [
    "   random-detect ecn minimum-threshold 150 kbytes",
    "   description key to the city is here".replace("key to", "keys to"),
    "ntp server 192.0.2.10",
    "management security",
    "priority-flow-control pause watchdog default timeout 0.2",
]


@each("line", SECRETS)
def test_secrets_are_hidden(line):
    for text in (line, f"+{line}", f"CLI command 3 of 9 {line.strip()!r} failed: invalid command"):
        assert "HUNTER2" not in redacted(text)
        assert "***" in redacted(text)


@pytest.mark.parametrize("line", PLAIN)
def test_other_lines_are_not_touched(line):
    assert redacted(line) == line


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("   speed 400g-4", Risk.PORT_FLAP),
        ("   shutdown", Risk.PORT_FLAP),
        ("   no shutdown", Risk.PORT_FLAP),
        ("   description x", Risk.HARMLESS),
        ("   no description x", Risk.HARMLESS),
        ("   random-detect ecn minimum-threshold 1 kbytes", Risk.HARMLESS),
        ("ntp server 192.0.2.10", Risk.HARMLESS),
        ("   priority-flow-control priority 3 no-drop", Risk.BRIEF_LOSS),
        ("router bgp 65001", Risk.BRIEF_LOSS),
        ("service routing protocols model multi-agent", Risk.RESTART),
    ],
)
def test_risk_of_a_line(line, risk):
    assert eos.line_risk(line) is risk


def running_of(text):
    return Running("leaf1", "eos", text, text, None, {})


def test_states_apart_are_named_as_the_diff_names_them():
    left = "interface Ethernet1\n   mtu 9214\nhostname a\nusername x secret 5 HUNTER2\nend\n"
    right = "interface Ethernet1\n   mtu 1500\nhostname a\nusername x secret 5 HUNTER3\nend\n"
    found = eos.EosAdapter().apart(running_of(left), running_of(right))
    diff = " interface Ethernet1\n-   mtu 9214\n+   mtu 1500\n"
    assert found == {change.path for change in eos._changes(diff)}
    bare = "interface Ethernet1\n-   mtu 9214\n+   mtu 1500\n"
    assert found == {change.path for change in eos._changes(bare)}


@each(
    ("running", "planned", "after"),
    [
        ("ntp server vrf MGMT 192.0.2.10 prefer", "ntp server 192.0.2.10", ""),
        ("logging vrf MGMT host 192.0.2.20 514", "logging host 192.0.2.20", ""),
        ("ntp server vrf MGMT 192.0.2.9", "ntp server 192.0.2.10", "ntp server 192.0.2.10"),
        ("ntp server 192.0.2.10 prefer", "ntp server 192.0.2.10", "ntp server 192.0.2.10"),
        ("logging vrf MGMT host 192.0.2.20 514", "logging vrf MGMT host 192.0.2.20", ""),
        *(
            (running, *("ntp server vrf MGMT 192.0.2.10",) * 2)
            for running in ("ntp server vrf OOB 192.0.2.10", "ntp server 192.0.2.10")
        ),
    ],
)
def test_the_vrf_in_which_a_server_is_looked_for_stays(running, planned, after):
    """The management port is in a VRF of the operator, or of the configuration from the box."""
    assert eos.compose(f"{running}\n", f"{planned}\n") == f"{after or running}\n"
