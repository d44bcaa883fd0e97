"""VRP8: lines and switches for the tests of all systems of lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fabric.change.model import Risk
from fabric.lab.clock import LabClock
from fabric.systems.vrp8.lab.config import feed_text, text_lines
from fabric.systems.vrp8.lab.state import Vrp8State
from fabric.systems.vrp8.parsers.text import configuration
from tests.change.line_systems import Draft, LineSystem, Switch
from tests.render import vrp8_designs
from tests.render.vrp8_designs import CHANGES

KEPT = {
    "account": "aaa\n local-user admin password irreversible-cipher $1d$x",
    "vrf": "ip vpn-instance MGMT\n ipv4-family",
    "management": "interface MEth0/0/0\n ip address 192.0.2.2 255.255.255.0",
    "other loopback": "interface LoopBack10\n ip address 192.0.2.99 255.255.255.255",
    "route": "ip route-static 203.0.113.0 24 192.0.2.1",
    "snmp": "snmp-agent community read cipher xyz",
    "switch of ours that the design does not need": "bfd",
    "service port": "interface 10GE1/0/1\n description console server",
    "default vlan": "vlan batch 1",
    "built-in PFC profile": "dcb pfc\n priority 5",
    "foreign PFC profile": "dcb pfc storage\n priority 4",
    "foreign domain": "diffserv domain voice\n ip-dscp-inbound 46 phb ef green",
    "foreign drop profile": "drop-profile voice",
    "line": "user-interface vty 0 4\n protocol inbound ssh",
    "header": 'header shell information "sysname of yours?\n#\nbgp 1\n"',
}
OURS = {
    "port": "interface 100GE1/0/1\n description old",
    "loopback": "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255",
    "gateway": "interface Vlanif107\n ip address 10.64.7.1 255.255.255.0",
    "vlans": "vlan batch 107 to 108 200",
    "PFC profile": "dcb pfc roce\n priority 4",
    "headroom": "qos buffer headroom-pool size 8 mbytes slot 1",
    "kill switch": "dcb pfc global disable",
    "behaviour": "dcb pfc deadlock recovery-behavior discard slot 1",
    "domain": "diffserv domain roce_1\n ip-dscp-inbound 24 phb af3 green",
    "drop profile": "drop-profile roce-ecn_1\n ecn buffer-size low-limit 1 high-limit 2",
    "bgp": "bgp 65000\n router-id 10.0.0.1",
    "ntp": "ntp unicast-server 192.0.2.99 vpn-instance MGMT",
    "syslog": "info-center loghost 192.0.2.98",
}
INTENDED = "sysname leaf1\n#\ninterface 100GE1/0/1\n description new\n undo shutdown\n"


#: Ports of both families.
PORTS = (
    *(f"100GE1/0/{number}" for number in range(1, 37)),
    *(f"400GE1/0/{number}" for number in range(1, 9)),
)
FRESH = "sysname leaf1\nip route-static 203.0.113.0 24 192.0.2.1\n"


class Vrp8Switch(Switch):
    """The configuration of the lab's switch alone."""

    platform = "vrp8"

    def __init__(self, family="b"):
        self.state = Vrp8State(LabClock(), FRESH, PORTS, family)

    @property
    def text(self):
        return configuration("\n".join([*text_lines(self.state.running), ""]))

    def send(self, lines):
        feed_text(self.state.editor(self.state.running), "\n".join(lines))


def _removed(lines):
    return [
        line
        for line in map(str.strip, lines)
        if line.startswith("undo ") and line != "undo shutdown"
    ]


def base(model):
    """Return the changes of the demo with one model in all places."""
    models = (vrp8_designs.FAMILY_A, vrp8_designs.FAMILY_B)
    return {
        old: new.replace(models[0], model).replace(models[1], model)
        for old, new in CHANGES["demo"].items()
    }


FAMILY_B = LineSystem(
    name="vrp8",
    kept=KEPT,
    ours=OURS,
    intended=INTENDED,
    head="sysname old\n",
    foot="user-interface con 0\n",
    stays=frozenset({("user-interface con 0",), ("interface 100GE1/0/1",)}),
    removed=_removed,
    same=(
        (
            "interface 100GE1/0/1\n port link-type access\n port default vlan 5\n"
            " jumboframe enable 9216\n undo shutdown\n"
            "interface 100GE1/0/2\n undo portswitch\n mtu 1500\n"
            " ip address 10.0.0.1 255.255.255.254\ninterface Vlanif5\n mtu 1500\n"
            "arp timeout 1200\nmac-address aging-time 300\ndcb pfc deadlock-detect interval 10\n"
            "dcb pfc roce\n priority 3\n priority 3 deadlock-detect time 10\n"
            "dcb pfc deadlock recovery-behavior forwarding slot 1\n"
            "bgp 65001\n peer 10.0.0.0 as-number 65000\n"
            " peer 10.0.0.0 timer keepalive 60 hold 180\n"
            " ipv4-family unicast\n  maximum load-balancing ebgp 1\n  peer 10.0.0.0 enable\n"
        ),
        (
            "interface 100GE1/0/1\n port default vlan 5\n"
            "interface 100GE1/0/2\n undo portswitch\n ip address 10.0.0.1 255.255.255.254\n"
            "interface Vlanif5\ndcb pfc roce\n priority 3\n"
            "bgp 65001\n peer 10.0.0.0 as-number 65000\n #\n ipv4-family unicast\n"
        ),
    ),
    risks={
        "undo shutdown": Risk.PORT_FLAP,
        "undo portswitch": Risk.PORT_FLAP,
        "port split dimension interface 100GE1/0/1 split-type 4*25GE": Risk.PORT_FLAP,
        "fec mode rs": Risk.PORT_FLAP,
        "description x": Risk.HARMLESS,
        "undo description": Risk.HARMLESS,
        "ecn buffer-size low-limit 1": Risk.HARMLESS,
        "ntp unicast-server 192.0.2.1": Risk.HARMLESS,
        "dcb pfc enable roce mode manual": Risk.BRIEF_LOSS,
        "bgp 65001": Risk.BRIEF_LOSS,
    },
    negations={
        "sysname leaf1": "undo sysname",
        "qos buffer headroom-pool size 4 mbytes slot 1": "undo qos buffer headroom-pool slot 1",
        "dcb pfc deadlock-detect timer 400": "undo dcb pfc deadlock-detect",
        "dcb pfc deadlock-detect interval 100": "undo dcb pfc deadlock-detect interval",
        "dcb pfc deadlock recovery-behavior discard slot 1": (
            "undo dcb pfc deadlock recovery-behavior discard slot 1"
        ),
        "priority 3": "undo priority 3",
        "priority 3 deadlock-detect time 4": "undo priority 3 deadlock-detect",
        "ip-dscp-inbound 26 phb af3 green": "undo ip-dscp-inbound 26",
        "ecn buffer-size low-limit 1 high-limit 2 discard-percentage 3": "undo ecn",
        "jumboframe enable 9122": "undo jumboframe enable",
        "ip address 10.0.0.1 255.255.255.0": "undo ip address 10.0.0.1 255.255.255.0",
        "trust dscp": "undo trust",
        "trust upstream roce": "undo trust upstream",
        "dcb pfc enable roce mode manual": "undo dcb pfc enable roce mode manual",
        "dcb pfc buffer 3 hdrm 400 kbytes": "undo dcb pfc buffer 3 hdrm",
        "qos queue 3 drr weight 50": "undo qos queue 3 drr weight",
        "qos queue 3 wred roce-ecn": "undo qos queue 3 wred",
        "qos queue 3 ecn": "undo qos queue 3 ecn",
        "peer 10.0.0.1 as-number 65001": "undo peer 10.0.0.1",
        "peer 10.0.0.1 allow-as-loop 2": "undo peer 10.0.0.1 allow-as-loop",
        "peer 10.0.0.1 timer keepalive 3 hold 9": "undo peer 10.0.0.1 timer keepalive hold",
        "maximum load-balancing ebgp 64": "undo maximum load-balancing ebgp",
        "undo portswitch": "portswitch",
        "shutdown": "undo shutdown",
        "lldp enable": "undo lldp enable",
    },
    secrets=(
        " local-user admin password irreversible-cipher $1d$HUNTER2",
        "snmp-agent community read cipher %^%#HUNTER2",
        "snmp-agent community write HUNTER2",
        " set authentication password cipher HUNTER2",
        "ntp authentication-keyid 1 authentication-mode hmac-sha256 cipher HUNTER2",
        " peer 10.0.0.1 password cipher HUNTER2",
        " radius-server shared-key cipher HUNTER2",
    ),
    draft=Draft(
        "sysname leaf1\nbgp 65001\n peer 10.0.0.1 as-number 65002\n"
        " peer 10.0.0.1 password cipher HUNTER2\n peer 10.0.0.1 description x\n",
        "sysname leaf1\nbgp 65001\n peer 10.0.0.1 as-number 65002\n",
        " bgp 65001\n-  peer 10.0.0.1 password ***\n-  peer 10.0.0.1 description x\n",
    ),
    base=base(vrp8_designs.FAMILY_B),
    port_states={
        "policies of a port": (
            "      100GE1/0/1: {fec: rs, lossless: {ecn: {kmax_bytes: 2000000}}}\n"
            "      100GE1/0/2: {fec: none, lossless: {roce_dscp: 24}}\n"
        ),
        "down": "      100GE1/0/17: {enabled: false}\n",
    },
    more_changes={
        "spine ASN": {"spine_asn: 65100": "spine_asn: 65099"},
        "times": {"detection_ms: 400, restoration_ms": "detection_ms: 500, restoration_ms"},
        "by load": {"bgp: {": "ecmp: {mode: flowlet}\nbgp: {"},
    },
    switch=Vrp8Switch,
    route="ip route-static 203.0.113.0 24 192.0.2.1\n",
    ports=PORTS[:18],
    edits=(
        "mtu 2000",
        "undo mtu",
        "shutdown",
        "description by hand",
        "undo trust upstream",
        "undo trust",
        "undo dcb pfc enable roce mode manual",
        "undo qos queue 3 ecn",
        "undo qos drr 0 to 5",
        "qos queue 3 drr weight 7",
        "undo port default vlan",
        "port link-type trunk",
        "stp edged-port disable",
        "fec mode none",
        "undo ip address",
        "jumboframe enable 2000",
        "portswitch",
        "undo portswitch",
    ),
)
FAMILY_A = replace(
    FAMILY_B,
    name="vrp8 family a",
    base=base(vrp8_designs.FAMILY_A),
    switch=partial(Vrp8Switch, "a"),
)
