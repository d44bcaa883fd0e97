"""NX-OS: lines and switches for the tests of all systems of lines."""

from __future__ import annotations

from fabric.change.model import Risk
from fabric.systems.nxos.drivers import batches
from fabric.systems.nxos.lab.config import Editor, feed_text, read_text, text_lines
from fabric.systems.nxos.parsers.text import blocks, configuration
from tests.change.line_systems import Draft, LineSystem, Switch
from tests.render.nxos_designs import CHANGES, GX2A, GX2B, designs

KEPT = {
    "account": "username admin password 5 $5$salt$hash role network-admin",
    "vrf": "vrf context management\n  ip route 0.0.0.0/0 192.0.2.1",
    "management": "interface mgmt0\n  vrf member management\n  ip address 192.0.2.2/24",
    "other loopback": "interface loopback10\n  ip address 192.0.2.99/32",
    "route": "ip route 203.0.113.0/24 192.0.2.1",
    "snmp": "snmp-server community public group network-operator",
    "feature": "feature nxapi",
    "feature of ours that the design does not need": "feature bfd",
    "service port": "interface Ethernet1/33\n  description console server",
    "default vlan": "vlan 1",
    "foreign class": "class-map type qos match-any VOICE\n  match dscp 46",
    "foreign policy": "policy-map type qos VOICE-IN\n  class VOICE",
    "foreign prefix list": "ip prefix-list OURS seq 5 permit 192.0.2.0/24",
    "foreign route-map": "route-map THEIRS permit 10",
    "banner": "banner motd #\nhostname of yours?\nrouter bgp 1\n#",
    "job": "scheduler job name backup\nrouter bgp 1\nend-job",
    "line": "line vty\n  exec-timeout 30",
}
OURS = {
    "port": "interface Ethernet1/1\n  description old",
    "loopback": "interface loopback0\n  ip address 10.0.0.1/32",
    "gateway": "interface Vlan107\n  ip address 10.64.7.1/24",
    "vlan": "vlan 107\n  name OLD",
    "vlans": "vlan 1,107-108",
    "class": "class-map type qos match-any ROCE_1\n  match dscp 24",
    "policy": "policy-map type queuing ROCE-OUT_1",
    "prefix list": "ip prefix-list PL-OLD seq 5 permit 10.0.0.0/8",
    "route-map": "route-map RM-OLD permit 10",
    "kill switch": "priority-flow-control override-interface mode off",
    "bgp": "router bgp 65000\n  router-id 10.0.0.1",
    "ntp": "ntp server 192.0.2.99 use-vrf management",
    "syslog": "logging server 192.0.2.98 use-vrf management",
}
INTENDED = "hostname leaf1\ninterface Ethernet1/1\n  description new\n  no shutdown\n"


PORTS = tuple(f"Ethernet1/{number}" for number in range(1, 65))
FRESH = "hostname leaf1\nfeature nxapi\nfeature scheduler\nip route 203.0.113.0/24 192.0.2.1\n"


class NxosSwitch(Switch):
    """The configuration of the lab's switch alone."""

    platform = "nxos"

    def __init__(self):
        self.root = read_text(FRESH, PORTS)

    @property
    def text(self):
        return configuration(blocks("\n".join([*text_lines(self.root), ""])))

    def send(self, lines):
        for batch in batches(lines):
            feed_text(Editor(self.root, PORTS), "\n".join(batch))


def _removed(lines):
    return [
        line for line in map(str.strip, lines) if line.startswith("no ") and line != "no shutdown"
    ]


#: A model with as many ports as the other states have.
_MODEL = {f"leaf: {{sku: {GX2B}}}": f"leaf: {{sku: {GX2A}}}"}
NXOS = LineSystem(
    name="nxos",
    kept=KEPT,
    ours=OURS,
    intended=INTENDED,
    head="hostname old\n",
    foot="line vty\n",
    stays=frozenset({("line vty",), ("interface Ethernet1/1",), ("vlan 1",)}),
    removed=_removed,
    same=(
        (
            "interface Ethernet1/1\n  switchport\n  switchport access vlan 5\n  no shutdown\n"
            "interface Ethernet1/2\n  no switchport\n  ip address 10.0.0.1/31\n  no shutdown\n"
            "interface Vlan5\n  no shutdown\n  ip arp timeout 1500\n"
            "mac address-table aging-time 1800\nntp server 192.0.2.1 prefer use-vrf default\n"
        ),
        (
            "interface Ethernet1/1\n  switchport access vlan 5\n"
            "interface Ethernet1/2\n  ip address 10.0.0.1/31\n"
            "interface Vlan5\n  no shutdown\nntp server 192.0.2.1\n"
        ),
    ),
    risks={
        "speed 400000": Risk.PORT_FLAP,
        "no shutdown": Risk.PORT_FLAP,
        "no switchport": Risk.PORT_FLAP,
        "description x": Risk.HARMLESS,
        "no description x": Risk.HARMLESS,
        "random-detect minimum-threshold 1 kbytes": Risk.HARMLESS,
        "ntp server 192.0.2.1": Risk.HARMLESS,
        "mtu 9216": Risk.BRIEF_LOSS,
        "pause pfc-cos 3": Risk.BRIEF_LOSS,
        "router bgp 65001": Risk.BRIEF_LOSS,
    },
    negations={"no switchport": "switchport", "mtu 9216": "no mtu 9216"},
    secrets=(
        "username admin password 5 $5$HUNTER2 role network-admin",
        "snmp-server community HUNTER2 group network-operator",
        "snmp-server user admin network-admin auth md5 HUNTER2 priv HUNTER2 localizedkey",
        'radius-server key 7 "HUNTER2"',
        'tacacs-server host 192.0.2.1 key 7 "HUNTER2"',
        "scheduler aaa-authentication username admin password 7 HUNTER2",
        "ntp authentication-key 1 md5 HUNTER2 7",
        "    password 3 HUNTER2",
    ),
    draft=Draft(
        "hostname leaf1\nrouter bgp 65001\n  neighbor 10.0.0.1\n"
        "    password 3 HUNTER2\n    remote-as 65003\n",
        "hostname leaf1\nrouter bgp 65001\n  neighbor 10.0.0.1\n    remote-as 65002\n",
        " router bgp 65001\n   neighbor 10.0.0.1\n-    password ***\n-    remote-as 65003\n"
        "+    remote-as 65002\n",
    ),
    base={old: _MODEL.get(new, new) for old, new in CHANGES["demo"].items()},
    port_states={
        "a policy of a port": "      Ethernet1/1: {lossless: {ecn: {kmax_bytes: 2000000}}}\n",
        "down": "      Ethernet1/1: {enabled: false}\n",
    },
    examples={"rail-512": lambda: designs("rail-512")["su1-rail0"]},
    switch=NxosSwitch,
    route="ip route 203.0.113.0/24 192.0.2.1\n",
    ports=PORTS[:18],
    edits=(
        "mtu 1500",
        "no mtu",
        "shutdown",
        "description by hand",
        "no service-policy type qos input ROCE-IN",
        "priority-flow-control mode auto",
        "no priority-flow-control watch-dog-interval",
        "no switchport",
        "switchport",
        "no ip address",
        "speed 100000",
        "spanning-tree port type network",
    ),
)
