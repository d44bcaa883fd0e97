"""The lines that the VRP8 stand-in knows, view by view, in the order in which it shows them.

Known: formats, ranges, forms of ``undo`` and the models that each command is for, of the
CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d); scripts of the
configuration guide (the same @ a9b3a9a1) for the form in which they are shown. The language of the
rules is that of `fabric.lab.lines.grammar`. Assumed: the order of the sections; what the
management of a switch may hold is taken as it comes.
"""

from __future__ import annotations

_ADDRESS = """
ip address <ip4> <mask> sub
ip address = <ip4> <mask>
"""
_BFD = "min-tx-interval <3-1000> min-rx-interval <3-1000> detect-multiplier <3-50>"
_PEER = f"""
peer <ip4> as-number := <asn> ! peer <ip4>
peer <ip4> description := <text>
peer <ip4> password := cipher <text>
peer <ip4> timer := keepalive <0-21845> hold <0-65535> ! peer <ip4> timer keepalive hold
peer <ip4> bfd := {_BFD} ! peer <ip4> bfd min-tx-interval min-rx-interval detect-multiplier
peer <ip4> bfd enable := [ single-hop-prefer ]
"""
_SERVER = "<ip4> [ vpn-instance <word> ]"

#: Ways to split a port, each with the speed of the port in Gb/s (port split).
SPLITS = {
    "4*25GE": 100,
    "2*50GE": 100,
    "2*100GE": 200,
    "4*50GE": 200,
    "4*100GE": 400,
    "2*200GE": 400,
}

VIEWS: dict[str, str] = {
    "config": f"""
sysname := <word>
clock <text>
header <text>
lldp enable
bfd > bfd
qos buffer headroom-pool := size <1-30720> kbytes|mbytes slot 1 ! qos buffer headroom-pool slot 1
dcb pfc global disable
dcb pfc > pfc !-
b: dcb pfc dscp-mapping enable slot 1
b: dcb pfc deadlock-detect interval := 10|100|500|1000
a: dcb pfc deadlock-detect := timer <10-1500>
a: dcb pfc deadlock-recovery := timer <10-1500>
dcb pfc deadlock recovery-behavior &= discard|forwarding slot 1
dcb pfc <word> > pfc
diffserv domain <word> > domain
drop-profile <word> > drop
a: qos ecn enable
vlan batch <1-4094>
vlan <1-4094> > vlan
stp <text>
ip vpn-instance <word> > vpn
aaa > aaa !-
interface MEth0/0/0 > meth !-
port split dimension interface <gigabit> = split-type {"|".join(SPLITS)}
interface <gigabit> > port !-
interface <Vlanif1-4094> > vlanif
interface <LoopBack0-1023> > loopback
arp timeout := <30-86400>
mac-address aging-time := ( 0 | <60-1000000> )
load-balance ecmp > ecmp
bgp = <asn> > bgp
ip route-static <text>
snmp-agent <text>
stelnet <text>
ssh <text>
ntp unicast-server <ip4> := [ vpn-instance <word> ] ! ntp unicast-server {_SERVER}
info-center loghost <ip4> := [ vpn-instance <word> ] ! info-center loghost {_SERVER}
user-interface <text> > ui !-
""",
    "bfd": "",
    "ecmp": "ecmp mode &= spray|fixed|eligible\necmp seed := <0-255>",
    "pfc": """
priority <0-7>
b: priority <0-7> deadlock-detect := time <1-15>
b: priority <0-7> deadlock-recovery := time <0-31>
""",
    "domain": "ip-dscp-inbound <0-63> := phb be|af1|af2|af3|af4|ef|cs6|cs7 [ green|yellow|red ]",
    "drop": """
color green|yellow|red := low-limit <0-100> high-limit <0-100> discard-percentage <1-100>
ecn := buffer-size low-limit <1-34078720> high-limit <1-34078720> discard-percentage <1-100>
""",
    "vlan": "name := <text>\ndescription := <text>",
    "port": f"""
description := <text>
shutdown
port link-type := access|trunk|hybrid
port default vlan = <1-4094>
port trunk allow-pass vlan <text>
stp edged-port := enable|disable
mtu := <46-9600>
{_ADDRESS}
jumboframe enable = <1518-9500>
fec mode = rs|base-r|none
trust upstream := <word>
trust := dscp
dcb pfc enable = [ <word> ] [ mode auto|manual ]
qos drr <text>
qos queue <0-7> drr weight := <1-100>
qos queue <0-7> shaping := cir <1-400000000> kbps|mbps|gbps pir <1-400000000> kbps|mbps|gbps
qos queue <0-7> wred := <word>
qos queue <0-7> ecn
arp timeout := <30-86400>
""",
    "vlanif": f"description := <text>\nshutdown\nmtu := <46-9600>\n{_ADDRESS}",
    "loopback": f"description := <text>\n{_ADDRESS}",
    "meth": f"description := <text>\nip binding vpn-instance := <word>\n{_ADDRESS}",
    "bgp": f"router-id := <ip4>\n{_PEER}\nipv4-family unicast > bgp-af !-",
    "bgp-af": """
network <ip4> <mask>
maximum load-balancing ebgp := <1-128>
peer <ip4> enable
""",
    "aaa": "local-user <text>\nauthentication-scheme <word> > scheme",
    "scheme": "<text>",
    "vpn": "ipv4-family > vpn-af",
    "vpn-af": "<text>",
    "ui": "<text>",
}

#: Lines that say what is so anyway; the running configuration does not show them.
HIDDEN: dict[str, frozenset[str]] = {
    "config": frozenset({
        "arp timeout 1200", "mac-address aging-time 300", "dcb pfc deadlock-detect interval 10",
        "dcb pfc deadlock-detect timer 100", "dcb pfc deadlock-recovery timer 100",
    }),
    "port": frozenset({
        "port link-type access", "port default vlan 1", "jumboframe enable 9216", "mtu 1500",
        "stp edged-port disable",
    }),
    "vlanif": frozenset({"mtu 1500"}),
    "bgp-af": frozenset({"maximum load-balancing ebgp 1"}),
    "ecmp": frozenset({"ecmp mode eligible"}),
}  # fmt: skip
#: What the families do while a queue recovers, when nothing else is said.
RECOVERY = {"a": "discard", "b": "forwarding"}
#: Priorities that pause without a word.
BUILT_IN_PRIORITIES = {"default": {3}}
MOST_PRIORITIES = {"a": 3, "b": 4}
LAST_QUEUE = {"a": 5, "b": 7}
MARKING_BYTES = {"a": (128, 16_000_000), "b": (320, 34_078_720)}
HEADROOM_KBYTES = {"a": (1, 2048), "b": (16, 30_720)}
MOST_PFC_PROFILES = 2
MOST_DOMAINS = 8
#: What only a port of layer 2 or of layer 3 can have.
LAYER_2 = ("port ", "stp ", "trust dscp")
LAYER_3 = ("ip address ", "mtu ", "arp timeout ")
