"""Configurations that people published, written anew in small: what the audit says of each.

Sources stand with the cases.
"""

from __future__ import annotations

import re

import pytest

from fabric.observe.configuration.lossless import lossless_readers
from tests.audit.planting import rules_of
from tests.audit.test_bundles import COMWARE, CUMULUS, EOS, ESONIC, JUNOS, NXOS, VRP8
from tests.cases import each

#: microsoft/AzureStack_Network_Switch_Config_Generator, templates of NX-OS and its expected files.
NXOS_COS = NXOS.replace("  match dscp 26\n", "  match cos 3\n")
NXOS_MIXED = NXOS.replace(
    "  match dscp 26\n", "  match cos 3\nclass-map type qos match-all CLUSTER\n  match dscp 48\n"
).replace("    set qos-group 3\n", "    set qos-group 3\n  class CLUSTER\n    set qos-group 7\n")
#: A second port beside the port channel.
NXOS_PORT = """\
interface Ethernet1/2
  switchport
  switchport mode trunk
  {line}
  priority-flow-control watch-dog-interval on
  mtu 9216
  service-policy type qos input IN
  no shutdown
"""
#: aristanetworks/avd, molecule eos_cli_config_gen: ports with a policy, a profile, PFC off.
EOS_PORT = """\
interface Ethernet3
   mtu 9214
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   {line}
   tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 1 mbytes maximum-threshold 3 mbytes \
max-mark-probability 10 weight 0
"""
#: sonic-net/SONiC, RoCEv2 design of Enterprise SONiC: classes by tags alone.
ESONIC_TAGS = (
    ESONIC
    .replace("qos map dscp-tc ROCE\n dscp 24,26", "qos map dot1p-tc ROCE\n dot1p 3")
    .replace("qos-map dscp-tc", "qos-map dot1p-tc")
    .replace(" ip address 10.0.0.1/31\n", " switchport trunk allowed Vlan 10\n")
)
#: ROCm/gpu-cluster-networking, Dell Z9664F-O64: both maps, and ``pg`` for the group.
ESONIC_PG = ESONIC.replace(
    "interface PortChannel10\n",
    "qos map tc-pg ROCE\n traffic-class 3 priority-group 3\n"
    "qos map pfc-priority-pg ROCE\n pfc-priority 3 pg 3\ninterface PortChannel10\n",
).replace(
    " qos-map dscp-tc ROCE\n",
    " qos-map dscp-tc ROCE\n qos-map tc-pg ROCE\n qos-map pfc-priority-pg ROCE\n",
)
#: The same maps where traffic class, queue and priority have three numbers.
ESONIC_NUMBERS = (
    ESONIC
    .replace("traffic-class 3", "traffic-class 5")
    .replace(
        "interface PortChannel10\n",
        "qos map tc-queue ROCE\n traffic-class 5 queue 4\n"
        "qos map pfc-priority-queue ROCE\n pfc-priority 3 queue 4\ninterface PortChannel10\n",
    )
    .replace("queue 3", "queue 4")
    .replace(
        "dscp-tc ROCE\n priority",
        "dscp-tc ROCE\n qos-map tc-queue ROCE\n qos-map pfc-priority-queue ROCE\n priority",
    )
)
#: redhat-performance/quads, src/quads/tools/external/juniper.py: a filter classifies.
JUNOS_FILTER = (
    JUNOS.replace(
        "set class-of-service interfaces ae0 unit 0 classifiers ieee-802.1 TAGS\n", ""
    ).replace("interface-mode trunk", "filter input ROCE-IN")
    + """\
set firewall family ethernet-switching filter ROCE-IN term roce from dscp 26
set firewall family ethernet-switching filter ROCE-IN term roce then accept
set firewall family ethernet-switching filter ROCE-IN term roce then forwarding-class roce
set firewall family ethernet-switching filter ROCE-IN term default then accept
"""
)
NXOS_RED = (
    "    random-detect minimum-threshold 150 kbytes maximum-threshold 3 mbytes drop-probability 7 "
    "ecn\n"
)
NXOS_OUT = (
    "policy-map type queuing OUT\n  class type queuing c-out-8q-q3\n"
    f"    bandwidth remaining percent 60\n{NXOS_RED}"
)
#: Cisco Nexus 5500 QoS guide, "Configuring QoS on VLANs": the ports of a VLAN have its policy.
NXOS_VLAN = (
    NXOS
    .replace("  service-policy type qos input IN\n", "")
    .replace("switchport mode trunk", "switchport access vlan 10")
    .replace(
        "interface port",
        "vlan configuration 10-11\n  service-policy type qos input IN\ninterface port",
    )
)
#: Huawei CloudEngine V200 with Ascend servers: a drop profile without a line of its own for ECN.
VRP8_GREEN = (
    VRP8
    .replace("V300R023C00SPC500", "V200R020C10SPC600")
    .replace("qos ecn enable\n#\n", "")
    .replace(
        "ecn buffer-size low-limit 7000 high-limit 500000 discard-percentage 30",
        "color green buffer-size low-limit 247520 high-limit 18000000 discard-percentage 100",
    )
)
#: aristanetworks/avd, eos_cli_config_gen: `switchport default mode routed`, `interface defaults`.
EOS_ROUTED = EOS.replace("ip routing\n", "ip routing\nswitchport default mode routed\n") + (
    EOS_PORT.format(line="no shutdown")
)
#: sonic-net/sonic-buildimage issues 3942 and 7134: a VLAN interface with an MTU of its own.
EOS_GATEWAY = EOS.replace("   no switchport\n", "   switchport access vlan 10\n") + (
    "interface Vlan10\n   mtu 1500\n   ip address 10.0.0.1/24\n"
)
NXOS_GATEWAY = NXOS.replace("mode trunk", "access vlan 10") + (
    "interface Vlan10\n  no shutdown\n  mtu 1500\n  ip address 10.0.0.1/24\n"
)
#: CumulusNetworks/docs, Quality of Service: 802.1p decides, and a tag has its own priority.
CUMULUS_TAGS = f"{CUMULUS}nv set qos mapping default-global trust l2\n"
#: By name: a text, the rules that must speak, and those that must not.
CASES = {
    "classes of NX-OS by CoS on a trunk": (NXOS_COS, set(), {"AUD007", "AUD008", "AUD042"}),
    "by CoS on ports without tags": (
        NXOS_COS.replace("  switchport mode trunk\n", "  switchport access vlan 711\n"),
        {"AUD007"},
        set(),
    ),
    "RoCE by CoS and CNPs by DSCP": (NXOS_MIXED, set(), {"AUD007", "AUD008"}),
    "RoCE by an access list": (
        NXOS_MIXED.replace("match cos 3", "match access-group name ROCE"),
        {"AUD018", "AUD042"},
        {"AUD007", "AUD008"},
    ),
    "thresholds of NX-OS in two units": (NXOS, set(), {"AUD004"}),
    "in two units and out of order": (
        NXOS.replace(
            "150 kbytes maximum-threshold 3 mbytes", "3 mbytes maximum-threshold 9 kbytes"
        ),
        {"AUD004"},
        set(),
    ),
    "thresholds of EOS in two units": (
        EOS.replace("1 mbytes maximum", "150 kbytes maximum"),
        set(),
        {"AUD004"},
    ),
    "segments out of order": (
        EOS.replace(
            "1 mbytes maximum-threshold 3 mbytes", "9 segments maximum-threshold 3 segments"
        ),
        {"AUD004"},
        set(),
    ),
    "PFC of EOS is off, whatever ports say": (
        EOS.replace("ip routing\n", "ip routing\npriority-flow-control all off\n")
        + EOS_PORT.format(line="qos trust dscp"),
        {"AUD001"},
        {"AUD042"},
    ),
    "a policy of EOS that classifies": (
        EOS + EOS_PORT.format(line="service-policy type qos input IN"),
        {"AUD018", "AUD042"},
        {"AUD007"},
    ),
    "a profile of interfaces": (
        EOS.replace("   service-profile ROCE\n", "   profile GPU\n"),
        {"AUD018", "AUD042"},
        {"AUD001"},
    ),
    "an access port of EOS that trusts nothing": (
        EOS + EOS_PORT.format(line="no qos trust"),
        {"AUD007"},
        {"AUD042"},
    ),
    "classes of Enterprise SONiC by tags": (ESONIC_TAGS, set(), {"AUD007", "AUD008", "AUD042"}),
    "tags on a port that has none": (
        ESONIC_TAGS.replace("switchport trunk allowed Vlan 10", "switchport access Vlan 10"),
        {"AUD007"},
        set(),
    ),
    "priority groups in short": (ESONIC_PG, set(), {"AUD008", "AUD018", "AUD042"}),
    "class, queue and priority with three numbers": (
        ESONIC_NUMBERS,
        set(),
        {"AUD003", "AUD008", "AUD015"},
    ),
    "counters of the watchdog that nobody polls": (
        f"no priority-flow-control watchdog counter-poll\n{ESONIC}",
        {"AUD006"},
        {"AUD042"},
    ),
    "a watchdog": (ESONIC, set(), {"AUD006"}),
    "a step of NX-OS": (
        NXOS.replace("150 kbytes max", "3 mbytes max").replace("probability 7", "probability 100"),
        set(),
        {"AUD003", "AUD004"},
    ),
    "one threshold, and a part of the packets": (
        NXOS.replace("150 kbytes max", "3 mbytes max"),
        {"AUD004"},
        set(),
    ),
    "a step of VRP8": (
        VRP8.replace("limit 7000", "limit 500000").replace("percentage 30", "percentage 100"),
        set(),
        {"AUD003", "AUD004"},
    ),
    "limits of green packets in V200": (VRP8_GREEN, set(), {"AUD003", "AUD018", "AUD042"}),
    "out of order": (
        VRP8_GREEN.replace("limit 247520", "limit 24752000"),
        {"AUD004"},
        {"AUD003"},
    ),
    "limits of green packets, and no release": (
        VRP8_GREEN.partition("\n")[2],
        {"AUD018", "AUD042"},
        {"AUD003"},
    ),
    "limits of green packets in V300": (
        VRP8_GREEN.replace("V200R020C10SPC600", "V300R023C00SPC500"),
        {"AUD003"},
        {"AUD042"},
    ),
    "ports of EOS that route by default": (
        EOS_ROUTED,
        set(),
        {"AUD002", "AUD007", "AUD009", "AUD042"},
    ),
    "EOS ports that do not": (
        EOS_ROUTED.replace("switchport default mode routed\n", ""),
        {"AUD007"},
        set(),
    ),
    "the longest packet of all EOS ports": (
        EOS_ROUTED.replace("   mtu 9214\n   p", "   p").replace(
            "ip routing\n", "ip routing\ninterface defaults\n   mtu 9000\n"
        ),
        set(),
        {"AUD009"},
    ),
    "too short for RoCE": (
        EOS_ROUTED.replace("   mtu 9214\n   p", "   p").replace(
            "ip routing\n", "ip routing\ninterface defaults\n   mtu 2000\n"
        ),
        {"AUD009"},
        set(),
    ),
    "a routed EOS port without an MTU": (EOS.replace("   mtu 9214\n", ""), {"AUD009"}, set()),
    "a routed NX-OS port without an MTU": (
        NXOS.replace("switchport mode trunk", "no switchport").replace("  mtu 9216\n", ""),
        {"AUD009"},
        set(),
    ),
    "a switched NX-OS port without an MTU": (
        NXOS.replace("  mtu 9216\n", ""),
        set(),
        {"AUD009"},
    ),
    "a gateway of EOS": (EOS_GATEWAY, {"AUD009"}, set()),
    "a gateway of EOS without an MTU": (
        EOS_GATEWAY.replace("   mtu 1500\n", ""),
        {"AUD009"},
        set(),
    ),
    "a gateway of EOS with a large MTU": (
        EOS_GATEWAY.replace("mtu 1500", "mtu 9000"),
        set(),
        {"AUD009"},
    ),
    "of another VLAN": (EOS_GATEWAY.replace("face Vlan10", "face Vlan11"), set(), {"AUD009"}),
    "a gateway of NX-OS": (NXOS_GATEWAY, {"AUD009"}, set()),
    "a gateway of NX-OS with a large MTU": (
        NXOS_GATEWAY.replace("mtu 1500", "mtu 9216"),
        set(),
        {"AUD009"},
    ),
    "a policy map in a QoS profile": (
        EOS.replace("   qos trust dscp\n", "   service-policy type qos input IN\n").replace(
            "   no switchport\n", "   switchport access vlan 10\n"
        ),
        {"AUD018", "AUD042"},
        {"AUD007", "AUD008"},
    ),
    "a watchdog of EOS that only tells": (
        EOS.replace(
            "default timeout 0.2\n",
            "default timeout 0.2\npriority-flow-control pause watchdog action notify-only\n",
        ),
        {"AUD006"},
        set(),
    ),
    "tags of Cumulus that lead elsewhere": (
        f"{CUMULUS_TAGS}nv set qos mapping default-global pcp 3 switch-priority 0\n",
        {"AUD008"},
        {"AUD042"},
    ),
    "tags of Cumulus": (CUMULUS_TAGS, set(), {"AUD007", "AUD008", "AUD018", "AUD042"}),
    "another tag of Cumulus": (
        f"{CUMULUS_TAGS}nv set qos mapping default-global pcp 4 switch-priority 3\n",
        set(),
        {"AUD007", "AUD008", "AUD018", "AUD042"},
    ),
    "a step in reverse": (
        VRP8.replace("limit 7000", "limit 900000").replace("percentage 30", "percentage 100"),
        {"AUD004"},
        set(),
    ),
    "a step in segments": (
        EOS.replace(
            "1 mbytes maximum-threshold 3 mbytes max-mark-probability 10",
            "9 segments maximum-threshold 9 segments max-mark-probability 100",
        ),
        set(),
        {"AUD003", "AUD004"},
    ),
    "queuing that NX-OS defines": (
        NXOS.replace("queuing output OUT", "queuing output default-8q-out-policy").replace(
            NXOS_OUT, ""
        ),
        {"AUD018", "AUD042"},
        {"AUD003", "AUD013"},
    ),
    "network policy that NX-OS defines": (
        NXOS.replace("network-qos NQ\n  service", "network-qos fcoe-default-nq-policy\n  service"),
        {"AUD018", "AUD042"},
        {"AUD001"},
    ),
    "a policy of a VLAN": (NXOS_VLAN, set(), {"AUD007", "AUD008", "AUD013", "AUD042"}),
    "a policy of another VLAN": (
        NXOS_VLAN.replace("access vlan 10", "access vlan 12"),
        {"AUD007"},
        set(),
    ),
    "a policy without counters": (
        NXOS.replace("qos input IN\n", "qos input IN no-stats\n"),
        set(),
        {"AUD007", "AUD013", "AUD018", "AUD042"},
    ),
    "the port channel wins over its member": (
        NXOS.replace("channel-group 50", "service-policy type qos input GONE\n  channel-group 50")
        + "policy-map type qos GONE\n  class class-default\n    set qos-group 0\n",
        set(),
        {"AUD007", "AUD008"},
    ),
    "marking of the network policy": (
        NXOS.replace(NXOS_RED, "").replace(
            "    pause pfc-cos 3\n",
            "    pause pfc-cos 3\n    congestion-control random-detect threshold 150 1500 ecn\n",
        ),
        set(),
        {"AUD003", "AUD042"},
    ),
    "congestion control without ECN": (
        NXOS.replace(NXOS_RED, "").replace(
            "    pause pfc-cos 3\n",
            "    pause pfc-cos 3\n    congestion-control tail-drop\n",
        ),
        {"AUD003"},
        set(),
    ),
    "thresholds that NX-OS chooses": (
        NXOS.replace(NXOS_RED, "    random-detect threshold burst-optimized ecn\n"),
        set(),
        {"AUD003", "AUD018", "AUD042"},
    ),
    "thresholds that NX-OS chooses, and no ECN": (
        NXOS.replace(NXOS_RED, "    random-detect threshold burst-optimized\n"),
        {"AUD003"},
        set(),
    ),
    "PFC of NX-OS by DCBX": (
        NXOS.replace("control mode on", "control mode auto"),
        {"AUD042"},
        {"AUD001", "AUD002"},
    ),
    "PFC of NX-OS without a line": (
        NXOS.replace("  priority-flow-control mode on\n", ""),
        {"AUD042"},
        {"AUD001", "AUD002"},
    ),
    "one of two ports by DCBX": (
        NXOS
        + NXOS_PORT.format(line="priority-flow-control mode on").replace("1/2", "1/3")
        + NXOS_PORT.format(line="priority-flow-control mode auto"),
        {"AUD042"},
        {"AUD001", "AUD002"},
    ),
    "PFC of NX-OS by DCBX, and no class pauses": (
        NXOS.replace("control mode on", "control mode auto").replace("    pause pfc-cos 3\n", ""),
        {"AUD001"},
        {"AUD042"},
    ),
    "PFC of VRP8 by DCBX": (
        VRP8.replace("mode manual", "mode auto"),
        {"AUD042"},
        {"AUD001", "AUD002"},
    ),
    "PFC of Comware by DCBX": (
        COMWARE.replace("control enable", "control auto"),
        {"AUD042"},
        {"AUD001", "AUD002"},
    ),
    "a filter of Junos that classifies": (JUNOS_FILTER, {"AUD018", "AUD042"}, {"AUD007"}),
    "a filter that does not": (
        JUNOS_FILTER.replace(" then forwarding-class roce", " then count roce"),
        {"AUD007"},
        {"AUD042"},
    ),
}


@each("name", CASES)
def test_a_published_configuration(tmp_path, name: str) -> None:
    text, speak, silent = CASES[name]
    fired = rules_of(tmp_path, text)
    assert speak <= fired
    assert not silent & fired


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_each_threshold_has_its_own_unit(system: str) -> None:
    text = {"eos": EOS, "nxos": NXOS}[system].replace("1 mbytes max", "150 kbytes max")
    (marking,) = {
        (port.markings[3].kmin_bytes, port.markings[3].kmax_bytes)
        for port in lossless_readers[system].read(text).ports.values()
    }
    assert marking == (150_000, 3_000_000)


#: By system: a text with a session whose hold time is that of the process, 9 s.
TIMERS = {
    "junos": f"{JUNOS}set routing-options autonomous-system 65001\n"
    "set protocols bgp hold-time 9\n"
    "set protocols bgp group FABRIC type external\n"
    "set protocols bgp group FABRIC neighbor 10.0.0.0 peer-as 65000\n",
    "eos": f"{EOS}router bgp 65001\n   timers bgp 3 9\n   neighbor 10.0.0.0 remote-as 65000\n",
    "nxos": f"{NXOS}feature bgp\nrouter bgp 65001\n  timers bgp 3 9\n"
    "  neighbor 10.0.0.0\n    remote-as 65000\n",
    "cumulus": CUMULUS
    + "nv set router bgp autonomous-system 65001\n"
    + "nv set vrf default router bgp timers hold 9\n"
    + "nv set vrf default router bgp neighbor swp9 remote-as external\n",
    "vrp8": f"{VRP8}bgp 65001\n timer keepalive 3 hold 9\n peer 10.0.0.0 as-number 65000\n#\n",
    "comware7": f"{COMWARE}bgp 65001\n timer keepalive 3 hold 9\n"
    " peer 10.0.0.0 as-number 65000\n#\n",
    "esonic": f"{ESONIC}router bgp 65001\n timers 3 9\n neighbor 10.0.0.0\n  remote-as 65000\n",
}


@each("system", TIMERS)
def test_sessions_have_the_timers_of_the_process(tmp_path, system: str) -> None:
    text = TIMERS[system]
    assert "AUD012" not in rules_of(tmp_path, text)
    slow = re.sub(r"(time.*) 9$", r"\1 180", text, flags=re.MULTILINE)
    assert "AUD012" in rules_of(tmp_path, slow)
