"""Lines of others, and lines of ours that are stale, on a leaf of the smallest fabric."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.core.lines import Path
from tests.change import labs


@dataclass(frozen=True, kw_only=True)
class System:
    """Lines on a leaf whose first port is a host's; a last port is not in the inventory.

    Parameters
    ----------
    inventory : str
        The smallest fabric.
    foreign : tuple
        Paths of lines of others, in our sections and outside of them.
    named : int
        How many of them stand in sections of ours: the plan names them.
    stale : tuple
        Paths of lines of ours that the inventory does not have.
    process : tuple of str
        A line that says another AS number.
    """

    inventory: str
    foreign: tuple[Path, ...]
    named: int
    stale: tuple[Path, ...]
    process: Path


def words(*lines: str) -> tuple[Path, ...]:
    return tuple(tuple(line.split()) for line in lines)


SYSTEMS = {
    "nxos": System(
        inventory=labs.NXOS,
        foreign=(
            ("interface Ethernet1/1", "ip access-group STORAGE in"),
            ("interface Ethernet1/1", "storm-control broadcast level 1.00"),
            ("interface Vlan101", "ip address 192.0.2.9/24 secondary"),
            ("interface loopback0", "ip address 192.0.2.10/32 secondary"),
            ("router bgp 65101", "neighbor 192.0.2.7", "remote-as 65000"),
            ("router bgp 65101", "vrf STORAGE", "router-id 192.0.2.1"),
            ("router bgp 65101", "address-family ipv4 unicast", "network 192.0.2.0/24"),
            ("vlan 101", "vn-segment 10101"),
            ("interface Ethernet1/9", "description of others"),
            ("interface Ethernet1/10",),
            ("interface Vlan3999", "ip address 198.51.100.1/24"),
            ("interface nve1", "member vni 10101"),
            ("vlan 3999",),
            ("feature nv overlay",),
            ("ntp server 192.0.2.77",),
            ("snmp-server community SECRET ro",),
            ("policy-map type qos THEIRS", "class class-default"),
            ("policy-map type qos EMPTY",),
        ),
        named=8,
        stale=(
            ("interface Ethernet1/1", "shutdown"),
            ("interface Ethernet1/1", "switchport access vlan 7"),
            ("interface Ethernet1/1", "spanning-tree port type network"),
            ("interface Vlan101", "ip address 10.64.0.9/24"),
            ("router bgp 65101", "router-id 10.255.0.9"),
            ("router bgp 65101", "neighbor 10.254.0.0", "bfd"),
            ("system qos", "service-policy type qos input THEIRS"),
            ("policy-map type qos ROCE-IN", "class OLD"),
            ("class-map type qos match-any ROCE-OLD", "match dscp 3"),
            ("priority-flow-control watch-dog-interval off",),
            ("hostname old",),
        ),
        process=("router bgp 65000", "router-id 192.0.2.1"),
    ),
    "vrp8": System(
        inventory=labs.VRP8,
        foreign=(
            ("interface 100GE1/0/1", "traffic-filter acl 3999 inbound"),
            ("interface Vlanif101", "ip address 192.0.2.9 255.255.255.0 sub"),
            ("bgp 65101", "peer 192.0.2.7 as-number 65000"),
            ("bgp 65101", "ipv4-family unicast", "peer 192.0.2.7 enable"),
            ("bgp 65101", "ipv4-family unicast", "network 192.0.2.0 255.255.255.0"),
            ("bgp 65101", "l2vpn-family evpn", "peer 192.0.2.7 enable"),
            ("interface 100GE1/0/9", "description of others"),
            ("interface 100GE1/0/10",),
            ("interface Vlanif3999", "ip address 198.51.100.1 255.255.255.0"),
            ("vlan batch 3999",),
            ("ntp unicast-server 192.0.2.77",),
            ("acl number 3999", "rule 5 permit ip"),
            ("drop-profile empty",),
            ("drop-profile theirs", "color green low-limit 50 high-limit 60 discard-percentage 10"),
        ),
        named=6,
        stale=(
            ("interface 100GE1/0/1", "port default vlan 7"),
            ("interface 100GE1/0/1", "qos queue 5 drr weight 9"),
            ("interface Vlanif101", "ip address 10.64.0.9 255.255.255.0"),
            ("bgp 65101", "router-id 10.255.0.9"),
            ("bgp 65101", "peer 10.254.0.0 bfd enable"),
            ("dcb pfc roce", "priority 5"),
            ("drop-profile roce-old", "ecn buffer-size low-limit 1"),
            ("sysname old",),
        ),
        process=("bgp 65000", "router-id 192.0.2.1"),
    ),
    "comware7": System(
        inventory=labs.COMWARE7,
        foreign=(
            ("interface HundredGigE1/0/1", "packet-filter 3999 inbound"),
            ("interface HundredGigE1/0/1", "priority-flow-control deadlock enable"),
            ("interface Vlan-interface101", "ip address 192.0.2.9 255.255.255.0 sub"),
            ("bgp 65101", "peer 192.0.2.7 as-number 65000"),
            ("bgp 65101", "address-family ipv4 unicast", "peer 192.0.2.7 enable"),
            ("bgp 65101", "address-family ipv4 unicast", "network 192.0.2.0 255.255.255.0"),
            ("bgp 65101", "address-family l2vpn evpn", "peer 192.0.2.7 enable"),
            ("interface HundredGigE1/0/9", "description of others"),
            ("interface HundredGigE1/0/10",),
            ("interface Vlan-interface3999", "ip address 198.51.100.1 255.255.255.0"),
            ("vlan 3999",),
            ("ntp-service unicast-server 192.0.2.77",),
            ("acl advanced 3999", "rule 5 permit ip"),
            ("qos wred queue table EMPTY",),
            ("qos wred queue table THEIRS", "queue 1 low-limit 10 high-limit 20"),
        ),
        named=7,
        stale=(
            ("interface HundredGigE1/0/1", "shutdown"),
            ("interface HundredGigE1/0/1", "port access vlan 7"),
            ("interface HundredGigE1/0/1", "qos wfq ef group 1 byte-count 9"),
            ("interface Vlan-interface101", "ip address 10.64.0.9 255.255.255.0"),
            ("bgp 65101", "router-id 10.255.0.9"),
            ("bgp 65101", "peer 10.254.0.0 bfd"),
            ("qos map-table dscp-lp", "import 26 export 2"),
            ("qos wred queue table ROCE-OLD", "queue 1 ecn"),
            ("sysname old",),
        ),
        process=("bgp 65000", "router-id 192.0.2.1"),
    ),
    "esonic": System(
        inventory=labs.ESONIC,
        foreign=(
            ("interface Ethernet0", "ip access-group STORAGE in"),
            ("interface Ethernet0", "storm-control broadcast 1000"),
            ("interface Vlan101", "ip address 192.0.2.9/24 secondary"),
            ("interface Loopback0", "ip address 192.0.2.10/32 secondary"),
            ("router bgp 65101", "neighbor 192.0.2.7", "remote-as 65000"),
            ("router bgp 65101", "address-family l2vpn evpn", "advertise-all-vni"),
            ("router bgp 65101", "address-family ipv4 unicast", "network 192.0.2.0/24"),
            ("interface Ethernet8", "description others"),
            ("interface Ethernet16",),
            ("interface Vlan3999", "ip address 198.51.100.1/24"),
            ("interface vxlan vtep1", "map vni 13999 vlan 3999"),
            ("ntp server 192.0.2.77",),
            ("snmp-server community SECRET ro",),
            ("qos scheduler-policy THEIRS", "queue 1"),
            ("qos map dscp-tc THEIRS", "dscp 1 traffic-class 1"),
            ("qos wred-policy EMPTY",),
            ("qos map dscp-tc EMPTY",),
            ("route-map THEIRS permit 10",),
        ),
        named=7,
        stale=(
            ("interface Ethernet0", "shutdown"),
            ("interface Ethernet0", "switchport access Vlan 7"),
            ("interface Ethernet0", "queue 5 wred-policy ROCE"),
            ("interface Ethernet128", "switchport access Vlan 7"),
            ("interface Ethernet0", "qos-map dot1p-tc THEIRS"),
            ("interface Ethernet0", "priority-flow-control priority 4"),
            ("interface Vlan101", "ip address 10.64.0.9/24"),
            ("router bgp 65101", "router-id 10.255.0.9"),
            ("router bgp 65101", "neighbor 10.254.0.0", "bfd"),
            (
                *("router bgp 65101", "neighbor 10.254.0.0", "address-family ipv4 unicast"),
                "route-map RM-OLD in",
            ),
            ("qos scheduler-policy ROCE", "queue 5"),
            ("qos wred-policy ROCE-OLD", "ecn all"),
            ("hostname old",),
        ),
        process=("router bgp 65000", "router-id 192.0.2.1"),
    ),
    "junos": System(
        inventory=labs.JUNOS,
        foreign=words(
            "interfaces et-0/0/0 unit 0 family ethernet-switching filter input STORAGE",
            "interfaces et-0/0/0 unit 5 family inet address 192.0.2.9/24",
            "interfaces lo0 unit 0 family inet address 192.0.2.10/32",
            "protocols bgp group fabric neighbor 192.0.2.7 peer-as 65000",
            "protocols bgp group fabric authentication-key x",
            "protocols bgp group evpn type internal",
            "protocols lldp interface et-0/0/5 disable",
            "protocols rstp interface et-0/0/5 edge",
            "class-of-service forwarding-classes class VIDEO queue-num 2",
            "class-of-service schedulers VIDEO priority low",
            "interfaces irb unit 3999 family inet address 198.51.100.1/24",
            "interfaces et-0/0/9 description others",
            "vlans STORAGE vlan-id 3999",
            "vlans STORAGE vxlan vni 13999",
            "system ntp server 192.0.2.77",
            "system services netconf ssh",
            "routing-options static route 198.51.100.0/24 next-hop 192.0.2.1",
            "policy-options policy-statement THEIRS then accept",
            "snmp community SECRET authorization read-only",
        ),
        named=11,
        stale=words(
            "system host-name old",
            "interfaces et-0/0/0 disable",
            "interfaces et-0/0/0 speed 1g",
            "interfaces et-0/0/0 unit 0 family ethernet-switching vlan members OLD",
            "interfaces et-0/0/0 unit 0 family inet address 10.9.9.9/31",
            "interfaces irb unit 101 family inet address 10.64.0.9/24",
            "routing-options router-id 10.255.0.9",
            "protocols bgp group fabric bfd-liveness-detection multiplier 9",
            "protocols bgp group fabric neighbor 10.254.0.0 peer-as 65999",
            "class-of-service shared-buffer ingress buffer-partition lossy dynamic-threshold 3",
            "class-of-service schedulers LOSSLESS-old priority low",
            "class-of-service scheduler-maps ROCE forwarding-class VIDEO scheduler VIDEO",
            "policy-options policy-statement FABRIC-OUT term more then accept",
        ),
        process=tuple("routing-options autonomous-system 65000".split()),
    ),
    "cumulus": System(
        inventory=labs.CUMULUS,
        foreign=words(
            "interface swp1 acl STORAGE inbound",
            "interface swp1 bridge domain br_default vlan 3999",
            "interface swp1 ip address 2001:db8::1/64",
            "interface vlan101 ip vrr address 192.0.2.9/24",
            "bridge domain br_default vlan 3999",
            "bridge domain br_default vlan 101 vni 13999",
            "vrf default router bgp neighbor 192.0.2.7 remote-as 65000",
            "vrf default router bgp neighbor 10.254.0.0 password SECRET",
            "vrf default router bgp address-family ipv4-unicast network 192.0.2.0/24",
            "vrf default router bgp address-family l2vpn-evpn enable on",
            "qos mapping STORAGE dscp 10 switch-priority 2",
            "interface lo ip address 192.0.2.10/32",
            "interface swp9 description others",
            "interface swp9 qos mapping profile STORAGE",
            "interface swp10 type swp",
            "interface vlan3999 ip address 198.51.100.1/24",
            "interface eth0 ip address 192.0.2.3/24",
            "interface bond1 bond member swp11",
            "service ntp mgmt server 192.0.2.77",
            "system aaa user x role system-admin",
            "nve vxlan enable on",
        ),
        named=12,
        stale=words(
            "system hostname old",
            "interface swp1 description old",
            "interface swp1 link state down",
            "interface swp1 link breakout 4x",
            "interface swp1s0 description part",
            "interface swp1 bridge domain br_default access 7",
            "interface swp1 ip address 10.9.9.9/31",
            "interface swp1 qos mapping profile STORAGE",
            "interface vlan101 ip address 10.64.0.9/24",
            "router bgp router-id 10.255.0.9",
            "vrf default router bgp neighbor 10.254.0.0 bfd enable on",
            "vrf default router bgp neighbor 10.254.0.0 remote-as 65999",
            "qos mapping default-global dscp 40 switch-priority 2",
            "qos traffic-pool roce-lossless memory-percent 90",
            "qos roce mode lossy",
        ),
        process=tuple("router bgp autonomous-system 65000".split()),
    ),
}
