"""The lines that the OS10 stand-in accepts, in the order in which it shows them; all invented."""

RULES = {
    "config": """
hostname = <name>
username <name> = password <word>
management route <cidr4> = <ip4>
wred <name> > wred
trust dscp-map <name> > trust
qos-map traffic-class <name> > queues
interface <word> > interface
router bgp <asn> > bgp
""",
    "wred": """
random-detect color green = minimum-threshold <1-12480> maximum-threshold <1-12480> <word> <1-100>
random-detect ecn
""",
    "trust": "qos-group <0-7> = dscp <numbers>",
    "queues": "queue <0-7> = qos-group <0-7>",
    "interface": """
description = <text>
mtu = <1280-9216>
switchport access vlan = <1-4094>
ip address = <cidr4>
trust-map dscp = <name>
service-policy qos-map = <name>
random-detect queue <0-7> = <name>
priority-flow-control mode = on
priority-flow-control no-drop = <0-7>
shutdown
""",
    "bgp": """
router-id = <ip4>
redistribute connected
neighbor <ip4> > neighbor
""",
    "neighbor": """
remote-as = <asn>
description = <text>
timers = <1-3600> <1-3600>
""",
}
