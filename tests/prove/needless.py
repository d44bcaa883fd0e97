"""Lines that a proof need not miss, by system, each with the reason.

A pattern is that of a whole label of `Mutation`: a line below those that it stands in, or a row of
CONFIG_DB, and the kind of the port that it is about in brackets.
"""

from __future__ import annotations

import re

QOS = "class of service and load balancing: `check` and `audit` judge them"
MANAGEMENT = "management, ageing and discovery: no part of a path"
NAME = "a name, or a text for people"
HARDWARE = "speed, FEC and lanes: the proof looks at no hardware"
TIMERS = "without it both ends use timers of their own, and the session comes up"
UNUSED = "the port has no cable, and a default that nobody needs"
ROUTER_ID = "without it the system takes one of its own addresses"
SAME_AS = "the neighbours have one AS, so that the paths are equal; three tiers need it"
LEAK = "it forbids: without it more is announced, over longer paths, which no switch prefers"
DEFAULT = "what it says is the default of the system: lines.book, absent"
ADDRESSES = "the sessions begin at the address of the port anyway"
ONE_LINK = "one link to each switch needs no link-local address of each port"
ONE_PATH = "a spine has one path to each leaf"
PORT = "it is the port of VXLAN (RFC 7348), which every system takes"
EMPTY = "it permits networks that this switch does not have"
DERIVED = "the system takes it from the name of the interface"
PASSED_ON = "it is passed on, and no session or route depends on it"
SWITCHED = "`mtu` is about routed packets, and a switched port has none"
NVUE = "NVUE adds it with the lines below it: lines.book, absent"

_EVERYWHERE = {
    r".*\(unused\)": UNUSED,
    r"(.* )?description .*": NAME,
}

_SONIC_TABLES = (
    r"\w*(QOS|QUEUE|SCHEDULER|WRED|BUFFER|PFC|DSCP|TC_TO|DOT1P|CABLE_LENGTH|SWITCH_HASH)\w*\|.*"
)

NEEDLESS: dict[str, dict[str, str]] = {
    "eos": {
        r"(qos|priority-flow-control|interface \S+ / service-profile) .*": QOS,
        r"(logging|ntp|arp|mac address-table|interface \S+ / (arp|ipv6 nd cache)) .*": MANAGEMENT,
        r"interface \S+ / ipv6 nd ra disabled .*": "a NIC with static addresses takes none of it",
        r"interface \S+ / (speed|spanning-tree) .*": HARDWARE,
        r"interface \S+ / switchport( mode access)?( .*)?": DEFAULT,
        r"interface \S+ / mtu \d+ \(host\)": SWITCHED,
        r"vlan \d+ / name .*": NAME,
        r"router bgp \d+ / (vrf \S+ / )?router-id .*": ROUTER_ID,
        r"router bgp \d+ / no bgp default ipv4-unicast": DEFAULT,
        r"router bgp \d+ / maximum-paths .*": ONE_PATH,
        r"router bgp \d+ / neighbor \S+ timers .*": TIMERS,
        r"router bgp \d+ / neighbor \S+ (send-community|maximum-routes .*)": PASSED_ON,
        r"interface Vxlan1 / vxlan qos .*": QOS,
        r"interface Vxlan1 / vxlan udp-port .*": PORT,
        r"route-map RM-(FABRIC|Vrf\d+) permit [12]0 / match .*": LEAK,
        r"ip(v6)? prefix-list PL-FABRIC6? / seq \d+ permit .*": EMPTY,
    },
    "eos, numbered": {r"service routing protocols .*": "sessions over ports alone depend on it"},
    "sonic": {
        _SONIC_TABLES: QOS,
        r"(CRM|NTP_SERVER|SYSLOG_SERVER)\|.*": MANAGEMENT,
        r"DEVICE_METADATA\|localhost\.(hwsku|platform|buffer_model|mac|\w*pfcwd\w*)": HARDWARE,
        r"DEVICE_METADATA\|localhost\.(default_bgp_status|docker_routing_config_mode)": DEFAULT,
        r"(BREAKOUT_CFG\|.*|PORT\|\w+\.(alias|lanes|index|speed|fec|pfc_\w+|subport) .*)": HARDWARE,
        r"PORT\|\w+\.description .*": NAME,
        r"PORT\|\w+\.mtu .*": DEFAULT,
        r"VLAN\|\w+\.(mtu|description)": DEFAULT,
        r"VLAN_MEMBER\|.*\.tagging_mode .*": DEFAULT,
        r"BGP_NEIGHBOR\|[\d.]+\.(name|local_addr|nhopself|rrclient)": PASSED_ON,
        r"BGP_NEIGHBOR\|[\d.]+\.(holdtime|keepalive)": TIMERS,
        r"BGP_NEIGHBOR\|[\d.]+\.admin_status": DEFAULT,
    },
    "sonic, alone": {
        r"DEVICE_METADATA\|localhost(\.(bgp_asn|type))?": "a switch alone has no session"
    },
    "sonic, managed": {
        r"DEVICE_METADATA\|localhost\.bgp_asn": "BGP_GLOBALS says it",
        r"DEVICE_METADATA\|localhost\.type": "bgpcfgd alone waits for it",
        r"BGP_GLOBALS\|default\.router_id": ROUTER_ID,
        r"BGP_GLOBALS\|default\.load_balance_mp_relax": SAME_AS,
        r"BGP_PEER_GROUP\|default\|FABRIC\.(keepalive|holdtime)": TIMERS,
        r"BGP_PEER_GROUP\|default\|FABRIC\.capability_ext_nexthop": DEFAULT,
        r"BGP_NEIGHBOR\|default\|\w+\.name .*": NAME,
        r"ROUTE_MAP_SET\|PERMIT": "YANG wants it: `check --sonic-config`",
    },
    "cumulus": {
        r"nv set (qos|service|system|interface \S+ qos) .*": MANAGEMENT,
        r"nv set bridge domain br_default ageing .*": MANAGEMENT,
        r"nv set interface \S+ link (speed|fec) .*": HARDWARE,
        r"nv set interface \S+ bridge domain br_default stp .*": HARDWARE,
        r"nv set interface \S+ link mtu .*": DEFAULT,
        r"nv set interface \S+ (type|vlan) \S+( \(.*\))?": DERIVED,
        r"nv set( vrf default)? router bgp enable on": NVUE,
        r"nv set vrf default router bgp address-family ipv4-unicast enable on": NVUE,
        r"nv set router bgp router-id .*": ROUTER_ID,
        r"nv set vrf default router bgp path-selection multipath aspath-ignore on": SAME_AS,
        r"nv set vrf default router bgp address-family ipv4-unicast multipaths ebgp .*": DEFAULT,
        r"nv set vrf default router bgp neighbor \S+ type \w+.*": DERIVED,
        r"nv set vrf default router bgp neighbor \S+ timers .*": TIMERS,
    },
    "nxos": {
        r"(priority-flow-control|class-map|policy-map|system qos|ip load-sharing) ?.*": QOS,
        r"interface \S+ / (no )?(priority-flow-control|service-policy) .*": QOS,
        r"(feature lldp|ntp|logging|mac address-table|interface \S+ / ip arp) ?.*": MANAGEMENT,
        r"interface \S+ / (no ip redirects|speed .*|spanning-tree .*)( \(.*\))?": HARDWARE,
        r"interface \S+ / (switchport|no shutdown) \(host\)": DEFAULT,
        r"interface \S+ / ipv6 link-local use-bia .*": ONE_LINK,
        r"vlan \d+ / name .*": NAME,
        r"ip prefix-list PL-FABRIC .*": EMPTY,
        r"route-map RM-FABRIC permit 10 / match .*": LEAK,
        r"router bgp \d+ / router-id .*": ROUTER_ID,
        r"router bgp \d+ / bestpath as-path multipath-relax": SAME_AS,
        r"router bgp \d+ / neighbor \S+( remote-as \d+)? / timers .*": TIMERS,
    },
    "junos": {
        r"set (system (arp|ntp|syslog)|protocols (lldp|l2-learning)) .*": MANAGEMENT,
        r"set (class-of-service|forwarding-options) .*": QOS,
        r"set routing-options forwarding-table ecmp-fast-reroute": QOS,
        r"set interfaces \S+ speed .*": HARDWARE,
        r"set protocols rstp .*": HARDWARE,
        r"set interfaces \S+ unit 0 family ethernet-switching interface-mode .*": DEFAULT,
        r"set policy-options policy-statement FABRIC-OUT term \w+ from .*": LEAK,
        r"set policy-options policy-statement FABRIC-OUT term rest then reject": LEAK,
        r"set routing-options router-id .*": ROUTER_ID,
        r"set protocols bgp group fabric\S* type external": "the AS numbers say it too",
        r"set protocols bgp group fabric\S* hold-time .*": TIMERS,
        r"set protocols bgp group fabric neighbor \S+ local-address .*": ADDRESSES,
        r"set protocols bgp group fabric neighbor \S+ family inet unicast": DEFAULT,
    },
    "vrp8": {
        r"(qos|dcb|diffserv domain|drop-profile|load-balance) ?.*": QOS,
        r"interface \S+ / (qos|dcb|trust) .*": QOS,
        r"(lldp|arp|mac-address|ntp|info-center) .*": MANAGEMENT,
        r"interface \S+ / (stp|port link-type) .*": HARDWARE,
        r"interface \S+ / (jumboframe enable \d+|undo shutdown) .*": DEFAULT,
        r"bgp \d+ / router-id .*": ROUTER_ID,
        r"bgp \d+ / peer \S+ timer .*": TIMERS,
        r"bgp \d+ / ipv4-family unicast / peer \S+ enable": DEFAULT,
    },
    "comware7": {
        r"(qos|priority-flow-control|buffer|ip load-sharing) .*": QOS,
        r"interface \S+ / (qos|priority-flow-control) .*": QOS,
        r"(lldp|arp|mac-address|ntp-service|info-center) .*": MANAGEMENT,
        r"return": MANAGEMENT,
        r"interface \S+ / (stp|port link-type|speed) ?.*": HARDWARE,
        r"bgp \d+ / router-id .*": ROUTER_ID,
        r"bgp \d+ / peer \S+ timer .*": TIMERS,
    },
    "esonic": {
        r"(no )?(qos|buffer|ip load-share|priority-flow-control|watermark) .*": QOS,
        r"interface \S+ / (qos-map|queue|scheduler-policy|priority-.*|cable-length) .*": QOS,
        r"(ip arp|mac address-table|ntp|logging) .*": MANAGEMENT,
        r"interface \S+( \S+)? / speed .*": HARDWARE,
        r"interface \S+( \S+)? / mtu .*": DEFAULT,
        r"ip prefix-list PL-FABRIC .*": EMPTY,
        r"route-map RM-FABRIC permit 10 / match .*": LEAK,
        r"router bgp \d+ / router-id .*": ROUTER_ID,
        r"router bgp \d+ / bestpath as-path multipath-relax": SAME_AS,
        r"router bgp \d+ / neighbor (interface )?\S+ / timers .*": TIMERS,
        r"router bgp \d+ / neighbor interface \S+ / capability extended-nexthop .*": DEFAULT,
    },
}


def reason_of(form: str, label: str) -> str:
    """Return why a proof need not miss a line; empty where it must."""
    rows = {**_EVERYWHERE, **NEEDLESS.get(form, {}), **NEEDLESS[form.partition(",")[0]]}
    return next((why for pattern, why in rows.items() if re.fullmatch(pattern, label)), "")
