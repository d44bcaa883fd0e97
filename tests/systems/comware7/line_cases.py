"""H3C Comware 7: lines and switches for the tests of all systems of lines."""

from __future__ import annotations

from fabric.change.model import Risk
from fabric.systems.comware7.lab import Comware7StandIn
from fabric.systems.comware7.lab.config import DEFAULT_MAPS, Editor, read_text
from fabric.systems.comware7.lab.show import display_configuration
from fabric.systems.comware7.parsers.config import with_read_values
from fabric.systems.comware7.parsers.text import whole_configuration
from fabric.systems.comware7.platforms import EXPERIMENTAL
from tests.change.line_systems import Draft, LineSystem, Switch
from tests.render.comware7_designs import CHANGES, designs

PORT = "interface HundredGigE1/0/1\n port link-mode bridge\n"
KEPT = {
    "account": "local-user admin class manage\n password hash $h$6$x\n service-type ssh\n",
    "VPN instance": "ip vpn-instance Mgnt\n",
    "management": "interface M-GigabitEthernet0/0/0\n ip address 192.0.2.2 255.255.255.0\n",
    "other loopback": "interface LoopBack10\n ip address 192.0.2.99 255.255.255.255\n",
    "route": " ip route-static 203.0.113.0 24 192.0.2.1\n",
    "snmp": " snmp-agent community read public\n",
    "service that the design does not need": " ntp-service enable\n",
    "port of other kind": "interface Ten-GigabitEthernet1/0/65\n description console server\n",
    "port that the design does not know": "interface HundredGigE1/0/65\n description free\n",
    "default vlan": "vlan 1\n",
    "foreign table": "qos wred queue table VOICE\n queue 5 ecn\n",
    "foreign map": "qos map-table dscp-dscp\n import 1 export 2\n",
    "foreign policy": "route-policy THEIRS permit node 10\n",
    "watchdog of the switch": " priority-flow-control deadlock cos 3 interval 10\n",
    "buffers": " buffer egress cell queue 3 shared ratio 100\n buffer apply\n",
    "header": " header motd %\n#\n sysname of yours?\n%\n",
    "line": "line vty 0 63\n authentication-mode scheme\n",
    "watchdog of a port": f"{PORT} priority-flow-control deadlock enable\n",
    "headroom by hand": f"{PORT} priority-flow-control dot1p 3 headroom 2000\n",
    "marking by hand": f"{PORT} qos wred queue 3 low-limit 1000 high-limit 2000\n",
    "table by hand": f"{PORT} qos wred apply THEIRS\n",
    "largest frame": f"{PORT} jumboframe enable 9216\n",
    "damping": f"{PORT} link-delay 2\n",
}
OURS = {
    "port": "interface HundredGigE1/0/1\n port link-mode bridge\n description old\n",
    "pause frames of old": f"{PORT} flow-control\n",
    "marking that is ours": f"{PORT} qos wred apply ROCE_1\n",
    "loopback": "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255\n",
    "gateway": "interface Vlan-interface107\n ip address 10.64.7.1 255.255.255.0\n",
    "vlan": "vlan 107\n description OLD\n",
    "vlans": "vlan 107 to 108\n",
    "table": "qos wred queue table ROCE_1\n queue 3 ecn\n",
    "bgp": "bgp 65000\n router-id 10.0.0.1\n",
    "ntp": " ntp-service unicast-server 192.0.2.99 vpn-instance Mgnt\n",
    "syslog": " info-center loghost vpn-instance Mgnt 192.0.2.98\n",
    "lldp": " undo lldp global enable\n",
}
INTENDED = f" sysname leaf1\n#\n{PORT} description new\n"
PORTS = tuple(f"HundredGigE1/0/{number}" for number in range(1, 65))
HAND_MADE = (
    "#\n ip route-static 203.0.113.0 24 192.0.2.1\n#\nqos wred queue table THEIRS\n queue 5 ecn\n"
    "#\ninterface HundredGigE1/0/60\n port link-mode route\n qos wred apply THEIRS\n"
    " link-delay 2\n#\nreturn\n"
)


class ComwareSwitch(Switch):
    """The configuration of the lab's switch alone."""

    platform = "comware7"

    def __init__(self):
        design = designs("demo")["su1-rail0"]
        self.root = read_text(Comware7StandIn.factory(design, "") + HAND_MADE, PORTS)

    @property
    def text(self):
        return display_configuration(self.root, "7.1")

    def read(self):
        """Return what is read back, with the values that are not printed."""
        maps = {
            name: tuple(self._mapped(name, number) for number in range(len(values)))
            for name, values in DEFAULT_MAPS.items()
        }
        on = self.root.has("lldp global enable")
        return with_read_values(whole_configuration(self.text), maps, lldp=on)

    def _mapped(self, name, number):
        section = self.root.children.get(f"qos map-table {name}")
        said = section.value(f"import {number} export") if section else ""
        return int(said or DEFAULT_MAPS[name][number])

    def send(self, lines):
        """Feed indented lines, each view left as the driver leaves it."""
        editor, before = Editor(self.root, PORTS), 0
        for line in lines:
            depth = len(line) - len(line.lstrip(" "))
            if depth == 0:
                editor.stack = editor.stack[:1]
            for _ in range(before - depth if depth else 0):
                editor.feed("quit")
            editor.feed(line.strip())
            before = depth


COMWARE7 = LineSystem(
    name="comware7",
    kept=KEPT,
    ours=OURS,
    intended=INTENDED,
    head=" sysname old\n#\n",
    foot="#\nline vty 0 63\n",
    stays=frozenset({
        ("line vty 0 63",),
        ("interface HundredGigE1/0/1",),
        ("interface HundredGigE1/0/1", "port link-mode bridge"),
        ("vlan 1",),
    }),
    removed=lambda lines: [line for line in lines if "undo" in line],
    same=(
        (
            "interface Vlan-interface5\n ip address 10.0.0.1 255.255.255.0\n mtu 1500\n"
            "#\n arp timer aging 20\n mac-address timer aging 300\n"
            "#\n ntp-service unicast-server 192.0.2.1\n"
            "#\n info-center loghost 192.0.2.2\n"
        ),
        (
            "interface Vlan-interface5\n ip address 10.0.0.1 255.255.255.0\n"
            "#\n ntp-service unicast-server 192.0.2.1 priority\n"
            "#\n info-center loghost vpn-instance Mgnt 192.0.2.2 facility local5\n"
        ),
    ),
    risks={
        "port link-mode route": Risk.PORT_FLAP,
        "undo shutdown": Risk.PORT_FLAP,
        "shutdown": Risk.PORT_FLAP,
        "port access vlan 5": Risk.PORT_FLAP,
        "description x": Risk.HARMLESS,
        "queue 3 low-limit 1 high-limit 2": Risk.HARMLESS,
        "ntp-service unicast-server 192.0.2.1": Risk.HARMLESS,
        "mtu 9100": Risk.BRIEF_LOSS,
        "priority-flow-control enable": Risk.BRIEF_LOSS,
        "bgp 65001": Risk.BRIEF_LOSS,
    },
    negations={
        "description x y": "undo description",
        "port access vlan 5": "undo port access vlan",
        "ip address 10.0.0.1 255.255.255.0": "undo ip address",
        "ip address 10.0.0.1 255.255.255.0 sub": "undo ip address 10.0.0.1 255.255.255.0 sub",
        "priority-flow-control enable": "undo priority-flow-control",
        "priority-flow-control no-drop dot1p 3": "undo priority-flow-control no-drop dot1p",
        "qos wfq byte-count": "undo qos wfq",
        "qos wfq cs6 group sp": "undo qos wfq cs6",
        "queue 3 low-limit 1 high-limit 2": "undo queue 3",
        "queue 3 ecn": "undo queue 3 ecn",
        "peer 10.0.0.1 as-number 5": "undo peer 10.0.0.1",
        "peer 10.0.0.1 allow-as-loop 2": "undo peer 10.0.0.1 allow-as-loop",
        "peer 10.0.0.1 timer keepalive 3 hold 9": "undo peer 10.0.0.1 timer",
        "peer 10.0.0.1 enable": "undo peer 10.0.0.1 enable",
        "balance ebgp 8": "undo balance ebgp",
        "import 26 export 3": "undo import 26",
        "shutdown": "undo shutdown",
        "undo lldp enable": "lldp enable",
        "sysnames x": "undo sysnames x",
    },
    secrets=(
        "password hash $h$6$HUNTER2",
        "super password role network-admin hash HUNTER2",
        "snmp-agent community read cipher HUNTER2",
        "snmp-agent usm-user v3 ops ops cipher authentication-mode sha HUNTER2",
        "primary authentication 192.0.2.1 key cipher HUNTER2",
        "ntp-service authentication-keyid 1 authentication-mode md5 cipher HUNTER2",
        "peer 10.0.0.1 password cipher HUNTER2",
    ),
    draft=Draft(
        " sysname leaf1\n#\nbgp 65001\n peer 10.0.0.1 as-number 65003\n"
        " peer 10.0.0.1 password cipher HUNTER2\n",
        " sysname leaf1\n#\nbgp 65001\n peer 10.0.0.1 as-number 65002\n",
        f"# {EXPERIMENTAL}\n bgp 65001\n- peer 10.0.0.1 as-number 65003\n"
        "- peer 10.0.0.1 password ***\n+ peer 10.0.0.1 as-number 65002\n",
    ),
    base=CHANGES["demo"],
    port_states={
        "marking of a port": ("      HundredGigE1/0/1: {lossless: {ecn: {kmax_bytes: 2000000}}}\n"),
        "down": "      HundredGigE1/0/1: {enabled: false}\n",
    },
    more_changes={
        "spine ASN": {"spine_asn: 65100": "spine_asn: 65200"},
        "defaults": {"timeout_s: 240": "timeout_s: 1200"},
    },
    examples={"rail-512": lambda: designs("rail-512")["su1-rail0"]},
    switch=ComwareSwitch,
    route=" ip route-static 203.0.113.0 24 192.0.2.1\n",
    ports=PORTS,
    special_ports=frozenset({"HundredGigE1/0/60"}),
    edits=(
        "mtu 1600",
        "undo mtu",
        "shutdown",
        "undo shutdown",
        "description by hand",
        "undo qos wred apply",
        "priority-flow-control auto",
        "undo priority-flow-control",
        "port link-mode route",
        "port link-mode bridge",
        "port link-type trunk",
        "undo ip address",
        "undo qos wfq",
        "qos trust dot1p",
        "flow-control",
    ),
)
