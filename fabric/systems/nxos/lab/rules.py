"""The lines that the NX-OS stand-in accepts: those of the book, and what they depend on."""

from __future__ import annotations

from fabric.book.book import books

MODES, HIDDEN = books()["nxos"].tables()
#: Lines that exist only while a feature is on.
FEATURES = {
    "router bgp": "bgp",
    "interface Vlan": "interface-vlan",
    "bfd": "bfd",
    "scheduler": "scheduler",
    "lldp": "lldp",
    "interface nve1": "nv overlay",
    "vni ": "vn-segment-vlan-based",
}
#: Lines that exist only with EVPN.
EVPN = "nv overlay evpn"
#: What only a switched port has, what only a routed one has, and what both keep when they change.
SWITCHED_ONLY = ("switchport access", "spanning-tree")
ROUTED_ONLY = ("ip address", "no ip redirects", "ip arp", "ipv6", "bfd interval", "vrf member")
#: What a port loses that is bound to another VRF.
LOST_BY_BINDING = ("ip ", "no ip ", "ipv6 ")
KEPT_BY_PORT = ("description", "shutdown", "no switchport")
