"""Lines of the interface modes and of ECMP load balancing.

Known: as in :mod:`fabric.systems.eos.lab.rules`; queue blocks of a port stand before
``spanning-tree``, the ECN counter is legal there (batfish/batfish
``arista_interface_show_run_all``). DNX binds queue 7 to traffic class 7 (index of Arista's TOI
pages), so it takes no ``tx-queue 7``. Refused on purpose: ``arp timeout`` and
``priority-flow-control mode on``, which old releases had.
"""

from __future__ import annotations

PFC = """
priority-flow-control = on
priority-flow-control priority <0-7> = no-drop|drop
priority-flow-control pause watchdog
no priority-flow-control pause watchdog
priority-flow-control pause watchdog port action = drop|notify-only
priority-flow-control pause watchdog port timer = timeout <wdtime> polling-interval \
( auto | <wdpoll> ) recovery-time <wdtime> [ forced ]
"""

QUEUES = """
tx: tx-queue <0-6> > queue
q7: tx-queue 7 > queue
uc: uc-tx-queue <0-7> > queue
uc: mc-tx-queue <0-7> > queue
"""

# E Ethernet, P Port-Channel, V Vlan, L Loopback, M Management
_PORT_LINES = f"""
EPVLM description = <text>
EPVLM shutdown
EPVLM no shutdown
EPM load-interval = <0-600>
EPVLM mtu = <68-9214>
EP l2 mtu = <68-65535>
EM speed = ( <speed> | auto <speed> | forced <oldspeed> )
E error-correction encoding = reed-solomon|fire-code
E no error-correction encoding
EP flowcontrol receive|send = on|off|desired
EP switchport access vlan = <1-4094>
EP switchport mode = access|trunk|dot1q-tunnel
EP switchport trunk allowed vlan = <numbers>
EP switchport trunk native vlan = <1-4094>
EP switchport trunk group <name>
EP switchport
EP no switchport
E encapsulation dot1q vlan = <1-4094>
EPVLM vrf = <name>
EPVLM ip address = <cidr4>
EPVLM ip address <cidr4> secondary
EPVLM ip address virtual = <cidr4>
EPVLM ipv6 enable
EPVLM ipv6 address <cidr6>
EPVM arp aging timeout = <1-65535>
EPV arp monitor mac-address
EPV arp cache dynamic capacity = <0-4294967295>
EPV arp gratuitous accept
EPV ipv6 nd cache expire = <1-65535>
EPV ipv6 nd cache refresh always
EPV ipv6 nd cache dynamic capacity = <0-4294967295>
EPV ipv6 nd ra disabled
V ip virtual-router address <ip4>
V ip virtual-router address <ip4> = secondary
V no autostate
V autostate
EPV bfd interval = <50-60000> min-rx <50-60000> multiplier <3-50>
E channel-group = <1-2000> mode on|active|passive
E dcbx mode = ieee|cee
EM lldp transmit
EM no lldp transmit
EM lldp receive
EM no lldp receive
EP service-policy type qos input = <name>
EP service-profile = <name>
EP qos trust = dscp|cos
EP no qos trust
EP qos cos = <0-7>
EP qos dscp = <0-63>
{chr(10).join("EP " + line for line in PFC.strip().splitlines())}
EP shape rate = <1-1000000000> [ kbps|percent|pps ]
EP @queues
EP spanning-tree portfast
EP spanning-tree portfast = edge|network|disable|auto
EP spanning-tree bpduguard = enable|disable
EP spanning-tree bpdufilter = enable|disable
"""


def _lines_of(kind: str) -> str:
    rules = []
    for line in _PORT_LINES.strip().splitlines():
        kinds, _, rule = line.partition(" ")
        if kind in kinds:
            rules.append(QUEUES if rule == "@queues" else rule)
    return "\n".join(rules)


PORT_MODES: dict[str, str] = {
    "if-ethernet": _lines_of("E"),
    "if-portchannel": _lines_of("P"),
    "if-vlan": _lines_of("V"),
    "if-loopback": _lines_of("L"),
    "if-management": _lines_of("M"),
    "cluster": """
forwarding type = ( routed ipv4 | bridged encapsulation vxlan ipv4 )
destination grouping = ( bgp field-set | prefix length <0-129> | vtep )
load-balance method = flow round-robin
flow monitor
flow source learning > cluster-learning
port group host <name> > cluster-ports
""",
    "cluster-learning": "aging timeout = <30-2147483647> seconds",
    "cluster-ports": """
interface <ports>
flow limit = <1-2147483647>
balance factor = <1-2147483647>
flow warning = <1-2147483647>
flow exhaustion action = dscp <0-63> traffic-class <0-7>
""",
    "lb-policies": "load-balance sand profile <name> > lb-profile",
    "lb-profile": "fields udp dst-port = <0-65535> > lb-fields",
    "lb-fields": """
payload bytes = <numbers>
match payload bits = <numbers> pattern <hex> hash payload bytes <numbers>
""",
}
