"""The lines that the Comware 7 stand-in accepts, view by view, in the order in which it shows them.

Known: spellings of grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help (Comware V7
command reference) and of the H3C configuration guide "Configuring PFC"; ranges where they give one.
The language of the rules is that of `fabric.lab.lines.grammar`; a leading ``-`` marks what only
``undo`` may use.
Assumed: ranges that the reference leaves to the model, among them that of `balance`; the order of
the parts of the configuration; what a capture would show beside.
"""

from __future__ import annotations

_SYSTEM = """
sysname = <name>
irf mac-address persistent = always|timer
lldp global enable
password-recovery enable
stp global enable
priority-flow-control = auto|enable
priority-flow-control no-drop dot1p = <numbers>
priority-flow-control deadlock precision = high|normal|low
priority-flow-control deadlock cos <0-7> interval = <1-1000>
priority-flow-control deadlock auto-recover cos <0-7> delay = <1-1000>
ip vpn-instance <name> > vpn
qos map-table dot1p-lp|dscp-dot1p|dscp-lp > map
qos wred queue table <name> > wred
vlan <1-4094> > vlan
interface <word> > interface
bgp <1-4294967295> > bgp
route-policy <name> permit|deny node <0-65535> > route-policy
-route-policy <name>
ip route-static <ip4> <word> <ip4>
ip route-static vpn-instance <name> <ip4> <word> <ip4>
arp timer aging = <1-1440>
mac-address timer aging = <10-3600>
-mac-address timer
info-center loghost <ip4> = [ facility <name> ]
snmp-agent
snmp-agent community read|write <text>
ssh server enable
ntp-service enable
ntp-service unicast-server <ip4> = [ priority ] [ version <1-4> ]
line vty <0-63> <0-63> > line
local-user <name> class manage > local-user
"""

_WFQ = "qos wfq be|af1|af2|af3|af4|ef|cs6|cs7"

#: Lines of interfaces: E a port, V the gateway of a VLAN, L a loopback, M the management port.
_INTERFACE = f"""
E port link-mode = bridge|route
M ip binding vpn-instance = <name>
EVLM description = <text>
E port link-type = access|trunk|hybrid
E port access vlan = <1-4094>
E port trunk permit vlan <text>
E port trunk pvid vlan = <1-4094>
E speed = auto|10000|40000|100000
E jumboframe enable = <1522-10000>
E link-delay = <0-30>
E flow-control
E stp edged-port
EVLM ip address = <ip4> <mask>
EV mtu = <46-9216>
E bfd min-transmit-interval = <100-10000>
E bfd min-receive-interval = <100-10000>
E bfd detect-multiplier = <3-50>
E lldp enable
E undo lldp enable
E qos trust = auto|dot1p|dscp|none
E qos wfq = byte-count|weight
E {_WFQ} = ( group sp | group 1|2 byte-count|weight <1-127> )
E qos gts queue <0-7> = cir <1-1000000000>
E priority-flow-control = auto|enable
E priority-flow-control no-drop dot1p = <numbers>
E priority-flow-control dot1p <0-7> headroom = <0-1000000>
E priority-flow-control deadlock enable
E qos wred apply = <name>
EVM shutdown
"""


def _view(kind: str) -> str:
    lines = (line.partition(" ") for line in _INTERFACE.strip().splitlines())
    return "\n".join(rule for kinds, _, rule in lines if kind in kinds)


VIEWS: dict[str, str] = {
    "config": _SYSTEM,
    "vpn": "route-distinguisher = <word>",
    "map": "import <0-63 ...> = export <0-7>",
    "wred": """
queue <0-7> = [ drop-level <0-2> ] low-limit <0-16000> high-limit <0-16000>
queue <0-7> weighting-constant = <0-15>
queue <0-7> ecn
""",
    "vlan": "name = <text>\ndescription = <text>",
    "port": _view("E"),
    "gateway": _view("V"),
    "loopback": _view("L"),
    "management": _view("M"),
    "null": "description = <text>",
    "bgp": """
router-id = <ip4>
peer <ip4> as-number = <1-4294967295>
peer <ip4> description = <text>
peer <ip4> timer = keepalive <0-21845> hold <0-65535>
peer <ip4> bfd = [ single-hop|multi-hop ]
-peer <ip4>
address-family ipv4 unicast > bgp-ipv4
""",
    "bgp-ipv4": """
balance ebgp = <1-64>
network <ip4> <ip4>
import-route direct
peer <ip4> enable
""",
    "route-policy": "if-match tag = <0-4294967295>",
    "line": "authentication-mode = scheme\nuser-role <name>\nidle-timeout = <0-35791>",
    "local-user": """
password hash = <word>
service-type ssh
authorization-attribute user-role <name>
""",
}

#: Lines that say what is so anyway; the running configuration does not show them.
HIDDEN: dict[str, frozenset[str]] = {
    "config": frozenset({"arp timer aging 20", "mac-address timer aging 300"}),
    "port": frozenset({
        "mtu 1500", "port link-type access", "port access vlan 1", "speed auto", "lldp enable",
        "bfd detect-multiplier 5",
    }),
    "gateway": frozenset({"mtu 1500"}),
}  # fmt: skip
#: What only a switched port has, and what only a routed one has.
BRIDGE_ONLY = ("port access", "port trunk", "port link-type", "stp edged-port")
ROUTE_ONLY = ("ip address", "mtu", "bfd ")
