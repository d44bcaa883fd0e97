"""The lines that the NX-OS stand-in accepts, mode by mode, in the order in which it shows them.

Known: spellings of batfish/batfish @ cba18733 cisco_nxos grammar and of paregupt/nx-os @ ad8128f3;
ranges of YangModels/yang Cisco NX-OS 9.3(2); the order q7 to q1 and default, `pause` before `mtu`,
of checkpoint captures (batfish test configurations); ``show running-config all`` of one port names
the defaults. The language of the rules is that of `fabric.lab.lines.grammar`.
Assumed: the order of the sections; `speed 10000` to `800000` whatever the port is; the maps of a
breakout other than `10g-4x`, which alone that grammar has; that every model has the input classes
of a 93180YC-EX with NX-OS 10.3(8).
"""

from __future__ import annotations

_MANAGEMENT = """
hostname = <host>
feature nxapi|scheduler|scp-server|sftp-server|ssh|bash-shell|lacp|hsrp|bgp|bfd|interface-vlan|lldp
no password strength-check
username <name> = password 5 <word> role <name>
-username <name>
ip domain-lookup
no ip domain-lookup
system default switchport
system default switchport shutdown
no system default switchport
system jumbomtu = <1500-9216>
copp profile strict
snmp-server community|host|user|location|contact <text>
ntp server <host> = [ prefer ] [ use-vrf <name> ]
-ntp server <host>
logging server <host> = [ <0-7> ] [ use-vrf <name> ]
-logging server <host>
logging console = <0-7>
aaa authentication|authorization <text>
ip route <cidr4> <ip4>
ip arp timeout = <60-28800>
ip load-sharing address source-destination port source-destination = [ rotate <1-63> ]
vrf context <name> > vrf
mac address-table aging-time = ( 0 | <120-918000> )
lldp timer = <5-254>
lldp holdtime = <10-255>
lldp reinit = <1-10>
"""

_QOS = """
priority-flow-control watch-dog-interval = on|off
priority-flow-control override-interface mode = off
class-map type qos match-any|match-all <name> > class-map
policy-map type qos <name> > qos-policy
policy-map type network-qos <name> > network-qos
policy-map type queuing <name> > queuing
system qos > system-qos
"""

_QUEUES = "\n".join(f"class type queuing c-out-8q-q{number} > queue" for number in range(7, 0, -1))
_NO_DROP = "\n".join(
    f"class type network-qos c-8q-nq{number} > nq-class" for number in range(7, 0, -1)
)

_INPUTS = "\n".join(f"class type queuing c-in-q{number} > in-queue" for number in range(7, 0, -1))
_PAUSE = "<5000-268435456>"
_SIZE = "<0-52428800>"
_THRESHOLDS = "\n".join(
    f"random-detect minimum-threshold = {_SIZE} {unit} maximum-threshold {_SIZE} {unit} "
    "drop-probability <0-100> weight <0-15> [ cap-average ] [ ecn ]"
    for unit in ("packets", "bytes", "kbytes", "mbytes")
)

_PORT = """
EVLM description = <text>
E lldp transmit
E no lldp transmit
E lldp receive
E no lldp receive
E switchport
E no switchport
E switchport access vlan = <1-4094>
E priority-flow-control mode = auto|on|off
E priority-flow-control watch-dog-interval = on|off
E spanning-tree port type = edge|network|normal
E speed = ( auto | <10-800000> )
E fec = auto|fc-fec|rs-fec|rs-cons16|rs-ieee|kp-fec
EV mtu = <1500-9216>
E service-policy type qos input = <name>
E service-policy type queuing output = <name>
M vrf member = management
EV no ip redirects
EV ip redirects
EVLM ip address = <cidr4>
EV ip arp timeout = <60-28800>
EV bfd interval = <50-999> min_rx <50-999> multiplier <1-50>
EVLM shutdown
EVLM no shutdown
"""


def _port_mode(kind: str) -> str:
    lines = (line.partition(" ") for line in _PORT.strip().splitlines())
    return "\n".join(rule for kinds, _, rule in lines if kind in kinds)


MODES: dict[str, str] = {
    "config": _MANAGEMENT
    + _QOS
    + """
vlan <1-4094> > vlan
ip prefix-list <name> seq <1-4294967294> = permit|deny <cidr4> [ eq|ge|le <1-32> ] [ le <1-32> ]
route-map <name> permit|deny <0-65535> > route-map
interface <svi> > if-vlan
interface breakout module 1 port <1-64> map = 10g-4x|25g-4x|50g-2x|100g-2x|100g-4x|200g-2x
interface <ethernet> > if-ethernet
interface mgmt0 > if-mgmt
interface loopback0|loopback1|loopback2|loopback10 > if-loopback
line console > line
line vty > line
router bgp <asn> > bgp
hardware profile dlb > dlb
scheduler job name <name> > job
scheduler schedule name <name> > schedule
""",
    "vrf": "ip route <cidr4> <ip4>\nip name-server <ip4>",
    "class-map": "match dscp = <0-63>\nmatch cos = <0-7>",
    "qos-policy": "class <name> > qos-class",
    "qos-class": "set qos-group = <0-7>",
    "network-qos": f"{_NO_DROP}\nclass type network-qos c-8q-nq-default > nq-class",
    "nq-class": "pause pfc-cos = <0-7>\nmtu = <576-9216>",
    "queuing": f"{_QUEUES}\nclass type queuing c-out-8q-q-default > queue\n{_INPUTS}",
    "queue": f"priority level = <1-8>\nbandwidth remaining percent = <0-100>\n{_THRESHOLDS}",
    "in-queue": f"pause buffer-size = {_PAUSE} pause-threshold {_PAUSE} resume-threshold {_PAUSE}",
    "system-qos": "service-policy type queuing input = <name>\n"
    "service-policy type queuing output = <name>\n"
    "service-policy type network-qos = <name>\nservice-policy type qos input = <name>",
    "vlan": "name = <word>",
    "dlb": "mode = flowlet|per-packet\ndlb-interface = all\nflowlet-aging = <1-2000000>",
    "route-map": "match ip address prefix-list <name>\nmatch tag = <0-4294967295>",
    "line": "exec-timeout = <0-525600>\nsession-limit = <1-64>",
    "if-ethernet": _port_mode("E"),
    "if-vlan": _port_mode("V"),
    "if-loopback": _port_mode("L"),
    "if-mgmt": _port_mode("M"),
    "bgp": """
router-id = <ip4>
bestpath as-path multipath-relax
log-neighbor-changes
address-family ipv4 unicast > bgp-af
neighbor <ip4> > bgp-neighbor
""",
    "bgp-af": "network <cidr4>\nredistribute direct route-map = <name>\nmaximum-paths = <1-512>",
    "bgp-neighbor": """
bfd
remote-as = <asn>
description = <text>
password = 3 <word>
timers = <0-3600> <0-3600>
shutdown
address-family ipv4 unicast > neighbor-af
""",
    "neighbor-af": "allowas-in = [ <1-10> ]\ndisable-peer-as-check\nsend-community",
    "job": "<text>",
    "schedule": "job name <name>\ntime = <text>",
}

#: Lines that say what is so anyway; the running configuration does not show them.
HIDDEN: dict[str, frozenset[str]] = {
    "config": frozenset({
        "mac address-table aging-time 1800", "priority-flow-control watch-dog-interval off",
        "system jumbomtu 9216", "ip arp timeout 1500", "ip domain-lookup", "lldp timer 30",
        "lldp holdtime 120", "lldp reinit 2",
        "ip load-sharing address source-destination port source-destination",
    }),
    "if-ethernet": frozenset({
        "switchport", "switchport access vlan 1", "mtu 1500", "speed auto", "fec auto",
        "ip redirects", "priority-flow-control mode auto", "spanning-tree port type normal",
        "priority-flow-control watch-dog-interval off", "lldp transmit", "lldp receive",
        "no shutdown",
    }),
    "if-vlan": frozenset({"mtu 1500", "ip redirects", "ip arp timeout 1500", "shutdown"}),
    "if-loopback": frozenset({"no shutdown"}),
    "if-mgmt": frozenset({"no shutdown"}),
    "bgp-af": frozenset({"maximum-paths 1"}),
    "bgp-neighbor": frozenset({"timers 60 180"}),
}  # fmt: skip

#: Lines that exist only while a feature is on.
FEATURES = {
    "router bgp": "bgp",
    "interface Vlan": "interface-vlan",
    "bfd": "bfd",
    "scheduler": "scheduler",
    "lldp": "lldp",
}
#: What only a switched port has, what only a routed one has, and what both keep when they change.
SWITCHED_ONLY = ("switchport access", "spanning-tree")
ROUTED_ONLY = ("ip address", "no ip redirects", "ip arp", "bfd interval")
KEPT_BY_PORT = ("description", "shutdown", "no switchport")
