"""A member of a port channel, bond or aggregation has what the lines of its bundle say.

Forms: aristanetworks/avd (port-channel-interfaces.j2: QoS and MTU on the port channel),
microsoft/AzureStack_Network_Switch_Config_Generator (std_cisco_nxos_fc: trunks with a policy),
redhat-performance/quads (RoCE of Junos bound to ae0), CumulusNetworks/docs (bonds in NVUE),
sonic-net/sonic-swss cfgmgr/teammgr.cpp (a member has the MTU of its port channel).
"""

from __future__ import annotations

import json

import pytest

from fabric.observe.configuration.lossless import lossless_readers
from tests.audit.planting import rules_of
from tests.cases import each

EOS = """\
! device: leaf1 (DCS-7060X6-64PE, EOS-4.31.2F)
ip routing
hostname leaf1
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 1 mbytes maximum-threshold 3 mbytes \
max-mark-probability 10 weight 0
priority-flow-control pause watchdog default timeout 0.2
interface Port-Channel10
   no switchport
   mtu 9214
   service-profile ROCE
interface Ethernet1
   channel-group 10 mode active
interface Ethernet2
   channel-group 10 mode active
"""
NXOS = """\
version 10.3(5)
hostname leaf1
feature lacp
priority-flow-control watch-dog-interval on
class-map type qos match-all ROCE
  match dscp 26
policy-map type qos IN
  class ROCE
    set qos-group 3
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    pause pfc-cos 3
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3 mbytes drop-probability 7 ecn
system qos
  service-policy type network-qos NQ
  service-policy type queuing output OUT
interface port-channel50
  switchport mode trunk
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  mtu 9216
  service-policy type qos input IN
interface Ethernet1/1
  channel-group 50 mode active
  no shutdown
"""
JUNOS = """\
set system host-name leaf1
set interfaces et-0/0/1 ether-options 802.3ad ae0
set interfaces et-0/0/2 gigether-options 802.3ad ae0
set interfaces ae0 mtu 9216
set interfaces ae0 unit 0 family ethernet-switching interface-mode trunk
set class-of-service classifiers ieee-802.1 TAGS forwarding-class roce loss-priority low \
code-points 011
set class-of-service drop-profiles ECN interpolate fill-level 55
set class-of-service drop-profiles ECN interpolate fill-level 90
set class-of-service drop-profiles ECN interpolate drop-probability 0
set class-of-service drop-profiles ECN interpolate drop-probability 100
set class-of-service forwarding-classes class roce queue-num 3
set class-of-service forwarding-classes class roce no-loss
set class-of-service forwarding-classes class roce pfc-priority 3
set class-of-service congestion-notification-profile CNP input ieee-802.1 code-point 011 pfc
set class-of-service congestion-notification-profile CNP output ieee-802.1 code-point 011 \
flow-control-queue 3
set class-of-service congestion-notification-profile CNP pfc-watchdog
set class-of-service scheduler-maps MAP forwarding-class roce scheduler ROCE
set class-of-service schedulers ROCE transmit-rate percent 50
set class-of-service schedulers ROCE drop-profile-map loss-priority low protocol any \
drop-profile ECN
set class-of-service schedulers ROCE explicit-congestion-notification
set class-of-service interfaces ae0 congestion-notification-profile CNP
set class-of-service interfaces ae0 scheduler-map MAP
set class-of-service interfaces ae0 unit 0 classifiers ieee-802.1 TAGS
"""
CUMULUS = """\
nv set system hostname leaf01
nv set interface swp1-2 type swp
nv set interface swp1-2 qos pfc-watchdog state enable
nv set interface bond1 bond member swp1-2
nv set interface bond1 link mtu 9000
nv set interface bond1 bridge domain br_default
nv set qos roce state enabled
nv set qos roce mode lossless
"""
VRP8 = """\
!Software Version V300R023C00SPC500
#
sysname leaf1
#
dcb pfc
#
qos ecn enable
#
drop-profile mark
 ecn buffer-size low-limit 7000 high-limit 500000 discard-percentage 30
#
interface Eth-Trunk1
 port link-type trunk
 jumboframe enable 9216
#
interface 100GE1/0/1
 eth-trunk 1
 qos drr 0 to 5
 qos queue 3 wred mark
 qos queue 3 ecn
 dcb pfc enable mode manual
#
"""
COMWARE = """\
 version 7.1.070, Release 6710
#
 sysname leaf1
#
qos wred queue table ROCE
 queue 3 drop-level 0 low-limit 1000 high-limit 2000 discard-probability 20
 queue 3 ecn
#
priority-flow-control deadlock cos 3 interval 10
#
interface Route-Aggregation1
 ip address 10.0.0.1 255.255.255.254
 mtu 9000
#
interface HundredGigE1/0/1
 port link-mode route
 port link-aggregation group 1
 priority-flow-control enable
 priority-flow-control no-drop dot1p 3
 priority-flow-control deadlock enable
 qos trust dscp
 qos wfq byte-count
 qos wfq 3 group 1 byte-count 60
 qos wred apply ROCE
#
"""
ESONIC = """\
hostname leaf1
buffer init lossless
qos wred-policy ROCE
 green minimum-threshold 1000 maximum-threshold 2000 drop-probability 5
 ecn all
qos scheduler-policy ROCE
 queue 3
  type dwrr
  weight 50
qos map dscp-tc ROCE
 dscp 24,26 traffic-class 3
interface PortChannel10
 mtu 9216
 no shutdown
 ip address 10.0.0.1/31
interface Eth1/1
 mtu 1500
 no shutdown
 channel-group 10 mode active
 queue 3 wred-policy ROCE
 scheduler-policy ROCE
 qos-map dscp-tc ROCE
 priority-flow-control priority 3
 priority-flow-control watchdog action drop
 priority-flow-control watchdog on detect-time 200
"""
#: By system: a text, its members, and the state of each: routed, tagged, MTU.
TEXTS = {
    "eos": (EOS, ("Ethernet1", "Ethernet2"), (True, False, 9214)),
    "nxos": (NXOS, ("Ethernet1/1",), (False, True, 9216)),
    "junos": (JUNOS, ("et-0/0/1", "et-0/0/2"), (False, True, 9202)),
    "cumulus": (CUMULUS, ("swp1", "swp2"), (False, True, 9000)),
    "vrp8": (VRP8, ("100GE1/0/1",), (False, True, 9194)),
    "comware7": (COMWARE, ("HundredGigE1/0/1",), (True, False, 9000)),
    "esonic": (ESONIC, ("Eth1/1",), (True, False, 9216)),
}
#: Rules that a member must not be judged by alone.
QUIET = {"AUD001", "AUD002", "AUD003", "AUD007", "AUD008", "AUD009", "AUD018", "AUD042"}


@each("system", TEXTS)
def test_members_have_what_their_bundle_says(system: str) -> None:
    text, names, state = TEXTS[system]
    switch = lossless_readers[system].read(text)
    assert set(switch.ports) == set(names)
    for port in switch.ports.values():
        assert port.mtu_bytes
        assert (port.routed, port.tagged, port.mtu_bytes.value) == state
        assert set(port.lossless) == {3}


@each("system", TEXTS)
def test_members_are_judged_with_their_bundle(tmp_path, system: str) -> None:
    assert not rules_of(tmp_path, TEXTS[system][0]) & QUIET


def _sonic(**rows: dict[str, dict[str, str]]) -> str:
    port = {"admin_status": "up", "mtu": "1500", "speed": "400000"}
    tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "ACS-MSN4700"}},
        "PORT": {"Ethernet0": port},
        "PORTCHANNEL": {"PortChannel1": {"admin_status": "up", "mtu": "9100"}},
        "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}},
    }
    return json.dumps({**tables, **rows})


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ({"PORTCHANNEL_INTERFACE": {"PortChannel1": {}}}, (True, False)),
        ({"VLAN_MEMBER": {"Vlan10|PortChannel1": {"tagging_mode": "tagged"}}}, (False, True)),
    ],
)
def test_a_port_channel_of_sonic(rows, state) -> None:
    switch = lossless_readers["sonic"].read(_sonic(**rows))
    (port,) = switch.ports.values()
    assert port.mtu_bytes
    assert (port.name, port.mtu_bytes.value, port.routed, port.tagged) == (
        "Ethernet0",
        9100,
        *state,
    )
