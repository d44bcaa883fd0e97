"""What the inventory asks for is in the text of every system, or a finding says that it is not.

One table for all systems: a system that is added without a row fails.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from fabric.platforms import platforms
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.cases import each
from tests.render import comware7_designs, esonic_designs, junos_designs, nxos_designs, vrp8_designs
from tests.render.designs import variant

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAF, SPINE = "su1-rail0", "spine01"
OLD = {"leaf: {sku: ACS-MSN4700}": "leaf", "spine: {sku: 7060X6-64PE}": "spine"}


def both(model: str) -> dict[str, str]:
    """Return the changes that put one model everywhere."""
    return {old: f"{role}: {{sku: {model}}}" for old, role in OLD.items()}


#: The demo, all of its switches of one system.
SYSTEMS = {
    "sonic": both("ACS-MSN4700"),
    "eos": both("7060X6-64PE"),
    "cumulus": both("SN4700"),
    "nxos": nxos_designs.CHANGES["demo"],
    "junos": junos_designs.CHANGES["demo"],
    "vrp8": vrp8_designs.CHANGES["demo"],
    "comware7": comware7_designs.CHANGES["demo"],
    "esonic": esonic_designs.CHANGES["demo"],
}
FIRST_PORT = {
    "sonic": "Ethernet0",
    "eos": "Ethernet1/1",
    "cumulus": "swp1",
    "nxos": "Ethernet1/1",
    "junos": "et-0/0/0",
    "vrp8": "100GE1/0/1",
    "comware7": "HundredGigE1/0/1",
    "esonic": "Ethernet0",
}
#: What is asked for: the change of the inventory, and for each system the pattern of the line or
#: the rule that says why there is none.
ASKED: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "ntp server": (
        {"ntp_servers: [192.0.2.10]": "ntp_servers: [192.0.2.10, 192.0.2.11]"},
        {
            "sonic": r'"NTP_SERVER": \{[^}]*\{\},?\s*"192.0.2.11": \{',
            "eos": r"^ntp server vrf MGMT 192.0.2.11$",
            "cumulus": r"^nv set (service|system) ntp .*server 192.0.2.11 iburst",
            "nxos": r"^ntp server 192.0.2.11 use-vrf management$",
            "junos": r"^set system ntp server 192.0.2.11 routing-instance mgmt_junos$",
            "vrp8": r"^ntp unicast-server 192.0.2.11 vpn-instance MGMT$",
            "comware7": r"^ ntp-service enable\n(.*\n)* ntp-service unicast-server 192.0.2.11 "
            r"vpn-instance MGMT$",
            "esonic": r"^ntp server 192.0.2.11$",
        },
    ),
    "syslog server": (
        {"syslog_servers: [192.0.2.20]": "syslog_servers: [192.0.2.20, 192.0.2.21]"},
        {
            "sonic": r'"SYSLOG_SERVER": \{[^}]*\{\},?\s*"192.0.2.21": \{',
            "eos": r"^logging vrf MGMT host 192.0.2.21$",
            "cumulus": r"^nv set (service|system) syslog .*server 192.0.2.21 port 514$",
            "nxos": r"^logging server 192.0.2.21 use-vrf management$",
            "junos": r"^set system syslog host 192.0.2.21 any notice$",
            "vrp8": r"^info-center loghost 192.0.2.21 vpn-instance MGMT$",
            "comware7": r"^ info-center loghost vpn-instance MGMT 192.0.2.21$",
            "esonic": r"^logging server 192.0.2.21$",
        },
    ),
    "bfd": (
        {"bgp: {": "bgp: {bfd: true, "},
        {
            "sonic": r'"bfd": "true"',
            "eos": r"^ +neighbor \S+ bfd$",
            "cumulus": r"^nv set .*bgp .*bfd (enable on|state enabled)$",
            "nxos": r"^feature bfd\n(.*\n)* +bfd$",
            "junos": r"^set protocols bgp .*bfd-liveness-detection ",
            "vrp8": r"^bfd\n(.*\n)* peer \S+ bfd enable single-hop-prefer$",
            "comware7": r"^ bfd min-transmit-interval \d+\n(.*\n)* peer \S+ bfd$",
            "esonic": r"^ neighbor \S+\n(  .*\n)*  bfd$",
        },
    ),
    "watchdog": (
        {},
        {
            "sonic": r'"PFC_WD": \{',
            "eos": r"^ *priority-flow-control pause watchdog ",
            "cumulus": r"^nv set .*pfc-watchdog ",
            "nxos": r"^ *priority-flow-control watch-dog-interval on$",
            "junos": r"^set .*pfc-watchdog$",
            "vrp8": r"^dcb pfc deadlock",
            "comware7": "CMW003",
            "esonic": r"^ priority-flow-control watchdog on detect-time 400$",
        },
    ),
    "no addresses between switches": (
        {"bgp: {": "bgp: {peering: unnumbered, "},
        {
            "sonic": r'"ipv6_use_link_local_only": "enable"',
            "eos": r"^ +neighbor interface \S+ peer-group",
            "cumulus": r"^nv set .*neighbor swp\d+ .*unnumbered|^nv set .*neighbor swp\d+ ",
            "nxos": r"^  neighbor Ethernet\S+$",
            "junos": r"^set protocols bgp group \S+ dynamic-neighbor \S+ peer-auto-discovery ",
            "vrp8": r"^ *peer \S+ unnumbered-interface \S+$",
            "comware7": "BGP007",
            "esonic": r"^ neighbor interface \S+$",
        },
    ),
    "flowlets": (
        {"bgp: {": "ecmp: {mode: flowlet}\nbgp: {"},
        {
            "sonic": "ECM001",
            "eos": r"^ip hardware fib load-balance distribution dynamic$",
            "cumulus": "ECM001",
            "nxos": r"^hardware profile dlb\n +mode flowlet$",
            "junos": r" ecmp-dlb flowlet ",
            "vrp8": r"^ ecmp mode eligible$",
            "comware7": "ECM001",
            "esonic": "ECM001",
        },
    ),
    "single packets": (
        {"bgp: {": "ecmp: {mode: per-packet}\nbgp: {"},
        {
            "sonic": "ECM001",
            "eos": "ECM001",
            "cumulus": r"^nv set router adaptive-routing ",
            "nxos": r"^hardware profile dlb\n +mode per-packet$",
            "junos": r" ecmp-dlb per-packet$",
            "vrp8": r"^ ecmp mode spray$",
            "comware7": "ECM001",
            "esonic": "ECM001",
        },
    ),
    "MAC ageing": (
        {"arp: {timeout_s: 240,": "arp: {timeout_s: 240, mac_ageing_s: 1500,"},
        {
            "sonic": "ARP002",
            "eos": r"^mac address-table aging-time 1500$",
            "cumulus": r"^nv set bridge domain br_default ageing 1500$",
            "nxos": r"^mac address-table aging-time 1500$",
            "junos": r"^set .*mac-table-aging-time 1500$",
            "vrp8": r"^mac-address aging-time 1500$",
            "comware7": r"^ mac-address timer aging 1500$",
            "esonic": r"^mac address-table aging-time 1500$",
        },
    ),
    "FEC of a port": (
        {},
        {
            "sonic": r'"fec": "none"',
            "eos": r"^ +error-correction encoding reed-solomon$",
            "cumulus": r"^nv set interface swp1 link fec rs$",
            "nxos": r"^ +fec rs",
            "junos": r"^set .*fec fec91",
            "vrp8": r"^ fec mode rs$",
            "comware7": "CMW009",
            "esonic": r"^ fec RS$",
        },
    ),
}
#: What a switch without hosts need not have.
ON_LEAVES = {"MAC ageing"}
#: SONiC writes rs by itself at this speed.
FEC = {"sonic": "none"}
#: LLDP is never asked for, and never off: the line that switches it on, or, where it is on by
#: itself, what would switch it off. Source of the latter: sonic-buildimage init_cfg (FEATURE lldp),
#: aristanetworks/avd lldp, CumulusNetworks/docs Link Layer Discovery Protocol, sonic_lldp_global.
LLDP_ON = {
    "nxos": r"^feature lldp$",
    "junos": r"^set protocols lldp interface all$",
    "vrp8": r"^lldp enable$",
    "comware7": r"^ lldp global enable$",
}
LLDP_OFF = {
    "sonic": r'"FEATURE"',
    "eos": r"^ *no lldp",
    "cumulus": r"lldp.* (off|disabled)$",
    "esonic": r"^ *no lldp",
}
#: Accounts, access and management ports of all systems.
MANAGEMENT = re.compile(
    r"(?m)^(?:set )?(?:user|username|aaa|local-user|line vty|user-interface|snmp|ssh|stelnet|"
    r"management|system login|system services|interface (?:MEth|M-|mgmt|Management|eth0)|vrf )"
    r'|"(?:MGMT_INTERFACE|MGMT_PORT|AAA|TACPLUS_SERVER)"|nv set (?:interface eth0|system aaa)'
)


def test_every_system_has_a_row() -> None:
    """The table is whole."""
    assert {name for name in platforms if name in SYSTEMS} == set(SYSTEMS) == set(FIRST_PORT)
    shipped = {path.name for path in (Path(__file__).parents[2] / "templates").iterdir()}
    assert (
        shipped - {"boot", "host", "labels", "picture", "grafana", "prometheus"}
        == set(SYSTEMS)
        == {*LLDP_ON, *LLDP_OFF}
    )
    for name, (_, rows) in ASKED.items():
        assert set(rows) == set(SYSTEMS), name


def project_of(folder: Path, system: str, changes: dict[str, str], devices: str = "") -> Project:
    """Return the demo with switches of one system and one more change."""
    variant(folder / "i", "demo", {**SYSTEMS[system], **changes}, devices)
    return Project(folder / "i")


def texts(project: Project) -> Iterator[str]:
    """Yield what is rendered for a leaf and a spine."""
    for name in (LEAF, SPINE):
        yield "\n".join(item.text for item in project.switch_artefacts[name])


@cache
def plain(system: str) -> tuple[str, ...]:
    """Return what is rendered when nothing more is asked for."""
    with TemporaryDirectory() as folder:
        return tuple(texts(project_of(Path(folder), system, {})))


@each("system", SYSTEMS)
@pytest.mark.parametrize("asked", ASKED)
def test_shown_or_said(asked: str, system: str, tmp_path: Path) -> None:
    """By its line, which does not exist without the question, or by the rule that names it."""
    changes, rows = ASKED[asked]
    devices = ""
    if asked == "FEC of a port":
        port = f"ports: {{{FIRST_PORT[system]}: {{fec: {FEC.get(system, 'rs')}}}}}"
        devices = f"devices: [{{names: {LEAF}, {port}}}, {{names: {SPINE}, {port}}}]\n"
    (tmp_path / system).mkdir()
    project = project_of(tmp_path / system, system, changes, devices)
    expected = rows[system]
    if re.fullmatch(r"[A-Z]{3}\d{3}", expected):
        named = {finding.device for finding in check(project).findings if finding.rule == expected}
        assert named, expected
        return
    found = list(texts(project))
    for text in found[:1] if asked in ON_LEAVES else found:
        assert re.search(expected, text, re.MULTILINE), text[:3000]
    if changes or devices:
        assert all(not re.search(expected, text, re.MULTILINE) for text in plain(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_neighbours_are_announced(system: str) -> None:
    """LLDP is switched on where it is off by itself, and nowhere off."""
    for text in plain(system):
        if system in LLDP_ON:
            assert re.search(LLDP_ON[system], text, re.MULTILINE)
        else:
            assert not re.search(LLDP_OFF[system], text, re.MULTILINE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_way_in_is_left_alone(system: str) -> None:
    """No account, no access, no management port is written."""
    assert [MANAGEMENT.findall(text) for text in plain(system)] == [[], []]
