"""The lines that the stand-in of Enterprise SONiC accepts, mode by mode, as it orders them.

Known: options, ranges and examples of ansible-collections/dellemc.enterprise_sonic @ 9851e680
(sonic_qos_*, sonic_interfaces, sonic_l3_interfaces, sonic_bgp*, sonic_prefix_lists,
sonic_route_maps, sonic_ecmp_load_share, sonic_ip_neighbor); the lines of sonic-net/sonic-mgmt @
b4ba9de3 spytest/apis; prompts of its spytest/datastore/prompts/sonic_prompts.yaml. The language of
the rules is that of `fabric.lab.lines.grammar`.
Assumed: any mode whose parts share the lanes of a cage evenly; the order of the sections; ``speed
1000`` to ``800000`` whatever the port is; that ``no`` takes the first words of a line; the ages of
MAC entries up to 1000000 s.
"""

from __future__ import annotations

_MANAGEMENT = """
hostname = <host>
interface-naming = native|standard
username <name> = password <word> role <name>
-username <name>
ip vrf <name>
ip route <cidr4> <ip4>
snmp-server community|host|user|location|contact <text>
ntp server <host> = [ minpoll <3-17> maxpoll <3-17> ]
logging server <host> = [ remote-port <1-65535> ]
lldp enable
no lldp enable
lldp timer = <5-254>
"""

_SWITCH = """
buffer init lossless
roce enable
ip load-share hash algorithm = CRC|XOR|CRC_32LO|CRC_32HI|CRC_CCITT|CRC_XOR|JENKINS_HASH_LO
ip load-share hash seed = <0-16777215>
ip load-share hash offset = ( flow-based | <0-15> )
ip load-share hash ipv4 ipv4-src-ip|ipv4-dst-ip|ipv4-ip-proto|ipv4-l4-src-port|ipv4-l4-dst-port
ip load-share hash ingress-port
ip load-share hash roce qpn
ip arp timeout = <60-14400>
mac address-table aging-time = <0-1000000>
priority-flow-control watchdog polling-interval = <100-3000>
qos wred-policy <name> > wred
qos scheduler-policy <name> > scheduler
qos map dscp-tc <name> > dscp-tc
qos map tc-queue <name> > tc-queue
qos map tc-pg <name> > tc-pg
qos map pfc-priority-queue <name> > pfc-priority-queue
ip prefix-list <name> seq <1-65535> = permit|deny <cidr4> [ ge <1-32> ] [ le <1-32> ]
route-map <name> permit|deny <1-65535> > route-map
interface breakout port <word> = mode <word>
interface <svi> > if-vlan
interface <loopback> > if-loopback
interface <ethernet> > if-ethernet
interface <management> > if-management
router bgp <asn> > bgp
"""

_MAPS = "\n".join(
    f"qos-map {kind} = <name>" for kind in ("dscp-tc", "tc-queue", "tc-pg", "pfc-priority-queue")
)

MODES: dict[str, str] = {
    "config": _MANAGEMENT + _SWITCH,
    "wred": "ecn = all|none|green\n"
    "green = minimum-threshold <1-12480> maximum-threshold <1-12480> drop-probability <0-100>",
    "scheduler": "queue <0-7> > scheduler-queue",
    "scheduler-queue": "type = dwrr|wrr|strict\nweight = <1-100>\nmeter-type = packets|bytes",
    "dscp-tc": "dscp <0-63 ...> = traffic-class <0-7>",
    "tc-queue": "traffic-class <0-7 ...> = queue <0-7>",
    "tc-pg": "traffic-class <0-7 ...> = priority-group <0-7>",
    "pfc-priority-queue": "pfc-priority <0-7 ...> = queue <0-7>",
    "route-map": "match ip address prefix-list = <name>\nmatch tag = <1-4294967295>",
    "if-vlan": "description = <text>\nmtu = <68-9216>\nip address = <cidr4>\nshutdown\nno shutdown",
    "if-loopback": "description = <text>\nip address = <cidr4>",
    "if-management": "description = <text>\nip address = <cidr4>\nip vrf forwarding = <name>",
    "if-ethernet": f"""
description = <text>
mtu = <68-9216>
speed = ( auto | <1000-800000> )
fec = RS|FC|AUTO|none
shutdown
no shutdown
ip address = <cidr4>
switchport access Vlan = <1-4094>
switchport trunk allowed Vlan = <numbers>
queue <0-7> wred-policy = <name>
scheduler-policy = <name>
cable-length = 5m|40m|300m
{_MAPS}
priority-flow-control priority <0-7>
priority-flow-control asymmetric
priority-flow-control watchdog action = drop|forward|alert
priority-flow-control watchdog on detect-time = <100-5000>
priority-flow-control watchdog off
priority-flow-control watchdog restore-time = <100-60000>
""",
    "bgp": """
router-id = <ip4>
bestpath as-path multipath-relax
log-neighbor-changes
timers = <1-3600> <1-3600>
address-family ipv4 unicast > bgp-af
neighbor <ip4> > bgp-neighbor
""",
    "bgp-af": "redistribute connected = [ route-map <name> ]\nmaximum-paths = <1-256>\n"
    "maximum-paths ibgp = <1-256>\nnetwork <cidr4>",
    "bgp-neighbor": """
remote-as = ( external | internal | <asn> )
description = <text>
timers = <1-3600> <1-3600>
timers connect = <1-65535>
bfd
shutdown
address-family ipv4 unicast > neighbor-af
""",
    "neighbor-af": "activate\nroute-map <name> in|out\nprefix-list <name> in|out\n"
    "send-community = both|standard|extended\nallowas-in = <1-10>",
}

#: Prompts of the modes; ``{}`` stands for the last word of the line that opened it.
PROMPTS = {
    "": "",
    "config": "(config)",
    "wred": "(conf-wred-{})",
    "scheduler": "(conf-sched-policy-{})",
    "scheduler-queue": "(conf-scheduler-queue-{})",
    "dscp-tc": "(conf-dscp-tc-map-{})",
    "tc-queue": "(conf-tc-queue-map-{})",
    "tc-pg": "(conf-tc-pg-map-{})",
    "pfc-priority-queue": "(conf-pfc-priority-queue-map-{})",
    "route-map": "(config-route-map)",
    "if-vlan": "(conf-if-{})",
    "if-loopback": "(conf-if-lo)",
    "if-management": "(conf-if-{})",
    "if-ethernet": "(conf-if-{})",
    "bgp": "(config-router-bgp)",
    "bgp-af": "(config-router-bgp-af)",
    "bgp-neighbor": "(config-router-bgp-neighbor)",
    "neighbor-af": "(config-router-bgp-neighbor-af)",
}

#: Lines that say what is so anyway; the running configuration does not show them.
HIDDEN: dict[str, frozenset[str]] = {
    "config": frozenset({
        "ip arp timeout 180", "mac address-table aging-time 600", "lldp enable",
        "interface-naming native", "lldp timer 30",
    }),
    "if-ethernet": frozenset({"cable-length 40m", "priority-flow-control watchdog action drop"}),
    "if-vlan": frozenset({"mtu 9100", "no shutdown"}),
    "bgp-af": frozenset({"maximum-paths 1", "maximum-paths ibgp 1"}),
}  # fmt: skip

#: Lines that a port shows whatever was configured, by their keys; what ``no`` brings back.
PORT_DEFAULTS = {"mtu": "mtu 9100", "shutdown": "shutdown"}
