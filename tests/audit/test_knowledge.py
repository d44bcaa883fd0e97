"""A verdict needs knowledge: what a reader does not know is named, and nothing follows from it."""

from __future__ import annotations

import pytest

from fabric.audit.fault import Fault
from fabric.audit.knowledge import weighed
from fabric.audit.switch import judge
from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.observe.configuration.lossless import Lossless, PortPolicy
from fabric.observe.configuration.model import Leftover
from fabric.platforms import platforms
from fabric.workflow.audit import audit
from tests.cases import each

NXOS_PORT = """\
interface Ethernet1/{number}
  switchport
  priority-flow-control mode on
  mtu 9216
  no shutdown
"""
NXOS = """\
version 10.3(5)
hostname leaf1
feature lldp
class-map type qos match-any STORAGE
  match dscp 26
class-map type network-qos NO-DROP
  match qos-group 4
policy-map type qos MARK
  class STORAGE
    set qos-group 4
policy-map type network-qos LOSSLESS
  class type network-qos NO-DROP
    mtu 9216
    pause pfc-cos 3
system qos
  service-policy type qos input MARK
  service-policy type network-qos LOSSLESS
""" + "".join(NXOS_PORT.format(number=number) for number in (1, 2))
EOS_PORT = """\
interface Ethernet{number}
   mtu 9214
   switchport mode trunk
   switchport trunk allowed vlan 711
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes \
max-mark-probability 10 weight 0
!
"""
EOS = """\
! device: leaf1 (DCS-7050CX3-32S, EOS-4.31.2F)
transceiver qsfp default-mode 4x10G
hostname leaf1
!
vlan 711
!
priority-flow-control pause watchdog default timeout 0.2
!
""" + "".join(EOS_PORT.format(number=number) for number in (1, 2))
OS10 = """\
! Version 10.5.4.0
hostname tor1
dcbx enable
class-map type network-qos storage
 match qos-group 3
policy-map type network-qos lossless
 class storage
  pause
  pfc-cos 3
system qos
 trust-map dscp map
interface ethernet1/1/1
 switchport mode trunk
 priority-flow-control mode on
"""
CUMULUS = """\
nv set system hostname spine01
nv set qos roce state enabled
nv set qos roce mode lossless
nv set router bgp autonomous-system 4200000100
nv set interface swp1 qos pfc-watchdog state enable
nv set vrf default router bgp neighbor swp1 peer-group underlay
nv set vrf default router bgp neighbor swp1 type unnumbered
nv set vrf default router bgp peer-group underlay remote-as external
nv set vrf default router bgp peer-group underlay bfd profile fast
"""
VRP8 = """\
!Software Version V200R019C10
#
sysname Spine1
#
dcb pfc
#
diffserv domain roce
 ip-dscp-inbound 24 phb af3 green
#
drop-profile mark
 ecn buffer-size low-limit 7000 high-limit 500000 discard-percentage 30
#
interface 100GE1/0/1
 undo portswitch
 trust upstream roce
 qos drr 0 to 5
 qos queue 3 wred mark
 qos queue 3 ecn
 dcb pfc enable mode manual
#
"""
#: By name: a text, the rules that must speak, and those that must not.
CASES = {
    "classes of NX-OS with names of their own, and a CoS unlike the group": (
        NXOS,
        {"AUD003", "AUD006"},
        {"AUD001", "AUD007", "AUD008", "AUD042"},
    ),
    "the class of no group is not judged": (
        NXOS.replace("match qos-group 4", "match protocol fcoe"),
        {"AUD018", "AUD042"},
        {"AUD001"},
    ),
    "names of ports with a space": (
        NXOS.replace("interface Ethernet1", "interface Ethernet 1"),
        {"AUD003"},
        {"AUD001", "AUD018", "AUD042"},
    ),
    "a port in a banner is none": (
        f"banner motd #\ninterface Ethernet1/9\n  priority-flow-control mode off\n#\n{NXOS}",
        {"AUD003"},
        {"AUD002"},
    ),
    "trunks that go by the priority of tags": (EOS, set(), {"AUD007", "AUD010"}),
    "access ports that do": (
        EOS.replace("switchport mode trunk", "switchport access vlan 711"),
        {"AUD007"},
        set(),
    ),
    "both ages behind the gateway of a VLAN": (
        f"{EOS}interface Vlan711\n   ip address 10.0.0.1/24\n!\n",
        {"AUD010"},
        set(),
    ),
    "a port in a banner of EOS is none": (
        EOS.replace("vlan 711\n", "banner login\ninterface Ethernet9\n no switchport\nEOF\n"),
        set(),
        {"AUD002"},
    ),
    "an ECN line of another release is not judged": (
        EOS.replace("random-detect ecn minimum", "random-detect ecn global minimum"),
        {"AUD018", "AUD042"},
        {"AUD003"},
    ),
    "the recipe of Cumulus on ports of sessions alone, with BFD by a profile": (
        CUMULUS,
        set(),
        {"AUD001", "AUD012", "AUD042"},
    ),
    "the recipe of Cumulus without a port": (
        CUMULUS[: CUMULUS.index("nv set interface")],
        {"AUD042"},
        {"AUD001"},
    ),
    "no recipe and no class": (
        CUMULUS.replace("nv set qos roce state enabled\nnv set qos roce mode lossless\n", ""),
        {"AUD001"},
        {"AUD042"},
    ),
    "ECN of V200 needs no line of the switch": (VRP8, set(), {"AUD003"}),
    "ECN of V300 needs it": (VRP8.replace("V200R019C10", "V300R023C00"), {"AUD003"}, set()),
}


@each("name", CASES)
def test_verdicts(tmp_path, name: str) -> None:
    text, speak, silent = CASES[name]
    file = tmp_path / "switch.cfg"
    file.write_text(text)
    fired = {item.rule for item in audit([file]).outcome.at_least(Severity.INFO)}
    assert speak <= fired
    assert not silent & fired


@each("text", (OS10, OS10.replace("! Version 10.5.4.0\n", ""), "hostname x\nfeature lldp\n"))
def test_a_foreign_system_is_rejected(tmp_path, text: str) -> None:
    file = tmp_path / "switch.cfg"
    file.write_text(text)
    with pytest.raises(InputError, match="nothing was read") as refused:
        audit([file])
    assert [item.rule for item in refused.value.findings] == ["AUD019"]


#: By rule: a line of some system that may say what the rule misses.
LINES = {
    "AUD001": "dcb pfc profile new",
    "AUD002": "set class-of-service congestion-notification-profile NEW unknown",
    "AUD003": "random-detect ecn adaptive",
    "AUD006": "priority-flow-control watchdog2 on",
    "AUD007": "service-policy type qos input MARK",
    "AUD008": "match access-group name ROCE",
    "AUD009": "jumboframe all",
    "AUD010": "arp refresh 100",
    "AUD011": "port-channel load-balance roce",
    "AUD012": "neighbor 10.0.0.1 bfd profile fast",
    "AUD013": "route-map2 X permit",
    "AUD015": "tx-queue scheduler new",
    "AUD016": "apply-groups GPU",
    "AUD017": "qos map dscp-list 24 26",
}


@each("rule", LINES)
def test_a_verdict_of_absence_needs_every_line(rule: str) -> None:
    fault = Fault(rule, "Ethernet1", 3, "nothing says it", is_absence=True)
    doubt = weighed(fault, [Leftover(7, "snmp-server2 lab"), Leftover(9, LINES[rule])])
    assert (doubt.rule, doubt.port, doubt.line) == ("AUD042", "Ethernet1", 9)
    assert f"so {rule} is not judged; if" in doubt.message
    assert weighed(fault, [Leftover(7, "snmp-server location lab")]) == fault
    assert weighed(fault._replace(is_absence=False), [Leftover(9, LINES[rule])]).rule == rule


def test_a_time_is_proposed_where_its_unit_is_known() -> None:
    """The rule names no system: each says whether a public source has the unit."""
    fixes = {}
    for name in platforms:
        port = PortPolicy(line=1, name="p1", pfc={3: 2}, pfc_on=True)
        faults = judge(Lossless(name, ports={"p1": port}))
        (fixes[name],) = {fault.fix for fault in faults if fault.rule == "AUD006"}
    known, unknown = "with a time for detection such as 200 ms", "no public source has the unit of"
    assert {name for name, fix in fixes.items() if unknown in fix} == {"comware7"}
    assert {name for name, fix in fixes.items() if known in fix} == {*platforms} - {"comware7"}
    assert fixes["comware7"].endswith("its times on H3C Comware 7")
