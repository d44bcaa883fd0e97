"""The lines that the EOS stand-in accepts, mode by mode, in the order in which it shows them.

Known: spellings and ranges as rendered by ``pyavd`` 6.4.0 (PyPI) and in
``ansible_collections/arista/avd/molecule/eos_cli_config_gen/intended/configs`` of
aristanetworks/avd; ``no aaa root``, ``transceiver qsfp default-mode 4x10G`` and ``spanning-tree
mode mstp`` are shown by a switch without configuration (examples in the README files of the
collection arista.eos).
Assumed: the order of the sections follows pyavd; management lines that no template of ours needs
(``aaa``, ``snmp-server``, ``alias``) are taken with any words behind the first ones.
"""

from __future__ import annotations

from fabric.systems.eos.lab.rules_ports import PORT_MODES
from fabric.systems.eos.lab.rules_qos import QOS_GLOBAL, QOS_MODES

MANAGEMENT = """
aaa root = ( nopassword | secret sha512 <hash> )
no aaa root
-username <name>
username <name> = [ privilege <0-15> ] [ role <name> ] ( nopassword | secret sha512 <hash> )
username <name> ssh-key = <text>
alias <name> = <text>
hardware counter feature acl|ip|qos|route|subinterface|vlan|vlan-interface|vni|pbr in|out
dnx: hardware counter feature ecn = out
hardware speed-group <0-64> serdes = <word>
daemon <name> > daemon
vlan internal order = ascending|descending range <2-4094> <2-4094>
transceiver qsfp default-mode = 4x10G
service routing protocols model = multi-agent|ribd
no service interface inactive port-id allocation disabled
logging on
logging buffered = <text>
logging console = <name>
logging monitor = <name>
logging trap = <name>
logging facility = <name>
logging format timestamp = <text>
logging source-interface = <port>
logging [ vrf <name> ] host <host> [ <1-65535> ] [ protocol tcp|udp ]
logging vrf <name> source-interface = <port>
-logging host <host>
hostname = <host>
ip name-server [ vrf <name> ] <ip4|ip6> [ <ip4|ip6> ]
dns domain = <host>
ip domain-list <host>
lldp timer = <5-32768>
lldp hold-time = <10-65535>
lldp reinit = <1-10>
lldp management-address [ vrf ] <word>
lldp tlv transmit <name>
no lldp tlv transmit <name>
lldp run
no lldp run
ntp local-interface = [ vrf <name> ] <port>
ntp authenticate
ntp server [ vrf <name> ] <host> [ prefer ] [ burst ] [ iburst ] [ version <1-4> ] \
[ local-interface <port> ]
-ntp server [ vrf <name> ] <host>
snmp-server community|host|location|contact|enable|view|group|user|vrf <text>
spanning-tree mode = mstp|rstp|rapid-pvst|none
spanning-tree edge-port bpduguard default
spanning-tree mst <0-4094> priority = <0-61440>
spanning-tree priority = <0-61440>
no spanning-tree vlan-id <numbers>
system l1 > l1
aaa authentication|authorization|accounting <text>
clock timezone = <word>
"""

ROUTING = """
arp aging timeout default = <60-65535>
arp persistent = [ refresh-delay <600-3600> ]
errdisable recovery cause <name>
errdisable recovery interval = <30-86400>
mac address-table aging-time = ( 0 | <10-1000000> )
ip virtual-router mac-address = <mac>
ip routing = [ ipv6 interfaces ]
no ip routing
ip routing vrf <name>
no ip routing vrf <name>
ipv6 unicast-routing
ip hardware fib load-balance distribution dynamic
ip hardware fib load-balance distribution dynamic flow-set-size = <1-7>
ip prefix-list <name> > prefix-list
ipv6 prefix-list <name> > prefix-list6
ip route [ vrf <name> ] <cidr4> ( <ip4> | <port> [ <ip4> ] | Null0 ) [ <1-255> ]
ipv6 route [ vrf <name> ] <cidr6> ( <ip6> | <port> [ <ip6> ] | Null0 ) [ <1-255> ]
"""

SERVICES = """
route-map <name> permit|deny <1-16777215> > route-map
-route-map <name>
router bfd > bfd
router bgp <asn> > bgp
banner login
banner motd
management api gnmi > gnmi
management api http-commands > http-commands
management console > console
management ssh > ssh
management telnet > telnet
"""

BGP = """
router-id = <ip4>
update wait-for-convergence
update wait-install
no bgp default ipv4-unicast
bgp default ipv4-unicast
distance bgp = <1-255> [ <1-255> <1-255> ]
graceful-restart
graceful-restart restart-time = <1-3600>
maximum-paths = <1-600> [ ecmp <1-600> ]
timers bgp = <0-3600> <0-3600>
bgp bestpath as-path multipath-relax
no bgp bestpath as-path multipath-relax
bgp listen range <cidr4|cidr6> peer-group <name> [ remote-as <asn> | peer-filter <name> ]
neighbor <peer> peer group = [ <name> ]
neighbor <peer> remote-as = <asn>
neighbor <peer> local-as = <asn> [ no-prepend ] [ replace-as ]
neighbor <peer> description = <text>
neighbor <peer> shutdown
neighbor <peer> next-hop-self
neighbor <peer> next-hop-unchanged
neighbor <peer> update-source = <port>
neighbor <peer> route-reflector-client
neighbor <peer> bfd
neighbor <peer> ebgp-multihop = [ <1-255> ]
neighbor <peer> allowas-in = [ <1-10> ]
neighbor <peer> timers = <0-3600> <0-3600>
neighbor <peer> route-map <name> = in|out
neighbor <peer> password = 7 <word>
neighbor <peer> send-community = [ standard|extended|large ]
neighbor <peer> maximum-routes = <0-4294967294> [ warning-only ]
-neighbor <peer>
neighbor interface <ports> peer-group = <name> [ remote-as <asn> | peer-filter <name> ]
network <cidr4|cidr6> [ route-map <name> ]
aggregate-address <cidr4|cidr6> [ summary-only ]
redistribute connected|static = [ route-map <name> ]
"""

AFI = """
neighbor <peer> activate
neighbor <peer> next-hop address-family ipv6 originate
neighbor <peer> prefix-list <name> = in|out
network <cidr4|cidr6> [ route-map <name> ]
"""

MODES: dict[str, str] = {
    "config": MANAGEMENT
    + QOS_GLOBAL["early"]
    + """
vlan <1-4094...> > vlan
vrf instance <name> > vrf
load-balance cluster > cluster
load-balance policies > lb-policies
interface <portchannel> > if-portchannel
interface <ethernet> > if-ethernet
interface <loopback> > if-loopback
interface <management> > if-management
interface <svi> > if-vlan
"""
    + ROUTING
    + QOS_GLOBAL["late"]
    + SERVICES,
    "vlan": "name = <word>\nstate = active|suspend",
    "vrf": "description = <text>\nrd = <word>",
    "daemon": "exec = <text>\noption <name> value = <text>\nno shutdown\nshutdown",
    "l1": "unsupported speed action = error|warn\nunsupported error-correction action = error|warn",
    "bfd": "interval = <50-60000> min-rx <50-60000> multiplier <3-50> [ default ]",
    "prefix-list": "seq <0-65535> = permit|deny <cidr4> [ eq|ge|le <0-32> ] [ le <0-32> ]",
    "prefix-list6": "seq <0-65535> = permit|deny <cidr6> [ eq|ge|le <0-128> ] [ le <0-128> ]",
    "route-map": "description <text>\nmatch ip|ipv6 address prefix-list = <name>\n"
    "match interface = <port>\nmatch as-path length = <text>\nmatch community <name>\n"
    "match tag = <0-4294967295>\nset local-preference = <0-4294967295>\nset metric = <text>\n"
    "set tag = <0-4294967295>\nset community <text>\nset as-path prepend = <text>\n"
    "set origin = egp|igp|incomplete",
    "bgp": BGP + "address-family <family> > afi\nvrf <name> > bgp-vrf",
    "bgp-vrf": "rd = <word>\n" + BGP + "address-family <family> > afi",
    "afi": AFI,
    "gnmi": "transport grpc <name> > grpc\nprovider eos-native",
    "grpc": "port = <1-65535>\nvrf = <name>\nssl profile = <name>",
    "http-commands": "protocol https = [ port <1-65535> ]\nno protocol https\n"
    "protocol http = [ port <1-65535> ]\nno protocol http\nprotocol unix-socket\n"
    "protocol http localhost = [ port <1-65535> ]\n"
    "no shutdown\nshutdown\nvrf <name> > http-vrf",
    "http-vrf": "no shutdown\nshutdown",
    "console": "idle-timeout = <0-86400>",
    "ssh": "idle-timeout = <0-86400>\nserver-port = <1-65535>\nauthentication mode = <name>\n"
    "authentication protocol = <text>\nconnection limit = <1-100>\nconnection per-host = <1-20>\n"
    "cipher = <text>\nkey-exchange = <text>\nmac = <text>\nhostkey server = <text>\n"
    "log-level = <name>\nno shutdown\nshutdown\nvrf <name> > mgmt-vrf",
    "telnet": "idle-timeout = <0-86400>\nno shutdown\nshutdown\nvrf <name> > mgmt-vrf",
    "mgmt-vrf": "no shutdown\nshutdown",
    **PORT_MODES,
    **QOS_MODES,
}

_DEFAULT_CLASS = (1, 0, 2, 3, 4, 5, 6, 7)
"""Traffic class of DSCP 8n to 8n+7; 0 and 1 are swapped on purpose."""

_PORT_DEFAULTS = frozenset({
    "no shutdown", "mtu 1500", "load-interval 300", "lldp transmit", "lldp receive",
    "spanning-tree portfast disable", "speed auto",
})  # fmt: skip
_SWITCHED_DEFAULTS = _PORT_DEFAULTS | {
    "switchport", "switchport mode access", "switchport access vlan 1",
    "flowcontrol receive off", "flowcontrol send off",
    "priority-flow-control pause watchdog",
}  # fmt: skip

HIDDEN: dict[str, frozenset[str]] = {
    "config": frozenset({
        "lldp run", "lldp timer 30", "lldp hold-time 120", "arp aging timeout default 14400",
        "mac address-table aging-time 300", "no ip routing",
        "priority-flow-control pause watchdog action errdisable",
    })
    | {f"qos map dscp {dscp} to traffic-class {_DEFAULT_CLASS[dscp // 8]}" for dscp in range(64)},
    "if-ethernet": _SWITCHED_DEFAULTS,
    "if-portchannel": _SWITCHED_DEFAULTS,
    "if-vlan": _PORT_DEFAULTS | {"arp aging timeout 14400", "autostate"},
    "if-loopback": _PORT_DEFAULTS,
    "if-management": _PORT_DEFAULTS,
    "bgp": frozenset({"bgp default ipv4-unicast", "bgp bestpath as-path multipath-relax"}),
    "vlan": frozenset({"state active"}),
    "http-commands": frozenset({"shutdown", "protocol https", "no protocol http"}),
    "http-vrf": frozenset({"shutdown"}),
    "mgmt-vrf": frozenset({"shutdown"}),
    "daemon": frozenset({"shutdown"}),
    "ssh": frozenset({"no shutdown"}),
    "telnet": frozenset({"shutdown"}),
}  # fmt: skip
"""Lines that say what is so anyway; the running configuration does not show them."""

SHOWN_DEFAULTS = ("no aaa root", "transceiver qsfp default-mode 4x10G", "spanning-tree mode mstp")
"""Lines that a switch without configuration shows."""
