"""Leaks and losses between tenants, planted in the files of the example with tenants.

On su1-rail0: gpu001 (red) on Ethernet1/1, gpu002 (blue) on Ethernet2/1, uplinks on 17/1 and 18/1.
On su2-rail1: gpu003 (red) on Ethernet1/1, gpu004 on Ethernet2/1 is in quarantine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fabric.observe.configuration import (
    Configured,
    ConfiguredPort,
    PolicyTerm,
    PrefixMatch,
    StaticRoute,
)
from fabric.observe.configuration.vrfs import (
    ConfiguredVrf,
    LeakLine,
    RedistributionLine,
    TargetLine,
)

RED, BLUE = "Vrf17", "Vrf18"
LEAF, FAR, OTHER, SPINE = "su1-rail0", "su2-rail0", "su2-rail1", "spine01"


@dataclass(frozen=True)
class Planted:
    """A mistake in the text of a switch.

    Parameters
    ----------
    pattern, replacement : str
        What is replaced, once.
    rules : tuple of str
        Rules that must fire; the first one names the switch and the place.
    place : str
        What the line of the first one has, or its port; empty where no line is to blame.
    """

    switch: str
    pattern: str
    replacement: str
    rules: tuple[str, ...]
    place: str = ""

    def plant(self, text: str) -> str:
        changed, count = re.subn(self.pattern, self.replacement, text, count=1, flags=re.MULTILINE)
        assert count == 1, self.pattern
        return changed


def _of_port(number: int, line: str) -> str:
    return rf"(?s)(?<=interface Ethernet{number}/1\n)(.*?){line}"


def _of_vrf(vrf: str, line: str) -> str:
    return rf"(?s)(\n   vrf {vrf}\n.*?){line}"


SPINES = r"   neighbor EVPN-SPINES "
LEAVES = r"   neighbor EVPN-LEAVES "

TEXTS = {
    "a port in the VRF of another tenant": Planted(
        LEAF, _of_port(1, RED), rf"\g<1>{BLUE}", ("BAT021", "BAT022", "BAT024"), f"vrf {BLUE}"
    ),
    "a port in no VRF": Planted(
        LEAF, _of_port(1, f"   vrf {RED}\n"), r"\g<1>", ("BAT021", "BAT023"), "Ethernet1/1"
    ),
    "a quarantined port is up in a VRF": Planted(
        OTHER,
        r"(?<=interface Ethernet2/1\n)((?:   .*\n)*?)   shutdown\n",
        rf"\g<1>   no switchport\n   vrf {RED}\n   ip address 10.64.1.3/31\n",
        ("BAT021",),
        f"vrf {RED}",
    ),
    "a quarantined port is up": Planted(
        OTHER,
        r"(?<=interface Ethernet2/1\n)((?:   .*\n)*?)   shutdown\n",
        r"\g<1>   no switchport\n   ip address 10.64.1.3/31\n",
        ("BAT021",),
        "Ethernet2/1",
    ),
    "an uplink in a VRF": Planted(
        LEAF,
        r"(?<=description spine01 Ethernet1/1\n)((?:   .*\n)*?   no switchport\n)",
        rf"\g<1>   vrf {RED}\n",
        ("BAT021", "BAT003"),
        f"vrf {RED}",
    ),
    "the uplink of a spine in a VRF": Planted(
        SPINE,
        r"(?<=description su1-rail0 Ethernet17/1\n)((?:   .*\n)*?   no switchport\n)",
        rf"\g<1>   vrf {RED}\n",
        ("BAT021", "BAT003"),
        f"vrf {RED}",
    ),
    "an unused port is up in a VRF": Planted(
        LEAF,
        r"(?<=interface Ethernet3/1\n)   shutdown\n",
        rf"   no switchport\n   vrf {RED}\n   ip address 10.64.9.0/31\n",
        ("BAT021",),
        f"vrf {RED}",
    ),
    "two NICs in one VLAN": Planted(
        LEAF,
        r"(?s)(interface Ethernet1/1\n.*?)   no switchport\n   vrf Vrf17\n   ip address \S+\n"
        r"(.*?interface Ethernet2/1\n.*?)   no switchport\n   vrf Vrf18\n   ip address \S+\n",
        r"vlan 5\n!\n\1   switchport access vlan 5\n\2   switchport access vlan 5\n",
        ("BAT021", "BAT022", "BAT014"),
        "Ethernet2/1",
    ),
    "the target of another tenant is imported": Planted(
        LEAF,
        _of_vrf(RED, "import evpn 65000:50017"),
        r"\g<1>import evpn 65000:50018",
        ("BAT028", "BAT022", "BAT024"),
        "import evpn 65000:50018",
    ),
    "the target of another tenant is imported too": Planted(
        LEAF,
        _of_vrf(RED, "import evpn 65000:50017"),
        r"\g<1>import evpn 65000:50017\n      route-target import evpn 65000:50018",
        ("BAT028", "BAT022"),
        "import evpn 65000:50018",
    ),
    "the target of another tenant is exported": Planted(
        LEAF,
        _of_vrf(BLUE, "export evpn 65000:50018"),
        r"\g<1>export evpn 65000:50017",
        ("BAT028", "BAT022", "BAT024"),
        "export evpn 65000:50017",
    ),
    "no target is imported": Planted(
        LEAF,
        _of_vrf(RED, "      route-target import evpn 65000:50017\n"),
        r"\g<1>",
        ("BAT028", "BAT024"),
        f"vrf instance {RED}",
    ),
    "no target is exported": Planted(
        LEAF,
        _of_vrf(RED, "      route-target export evpn 65000:50017\n"),
        r"\g<1>",
        ("BAT028", "BAT024"),
        f"vrf instance {RED}",
    ),
    "an unknown target is imported": Planted(
        LEAF,
        _of_vrf(RED, "import evpn 65000:50017"),
        r"\g<1>import evpn 65000:59999",
        ("BAT028", "BAT024"),
        "import evpn 65000:59999",
    ),
    "two VRFs on one VNI": Planted(
        LEAF, "vrf Vrf18 vni 50018", "vrf Vrf18 vni 50017", ("BAT027", "BAT022"), "vni 50017"
    ),
    "another VNI on one leaf": Planted(
        LEAF, "vrf Vrf17 vni 50017", "vrf Vrf17 vni 50999", ("BAT027", "BAT024"), "vni 50999"
    ),
    "no VNI": Planted(
        LEAF,
        r"   vxlan vrf Vrf17 vni 50017\n",
        "",
        ("BAT027", "BAT024"),
        f"vrf instance {RED}",
    ),
    "static routes are announced": Planted(
        LEAF,
        _of_vrf(RED, "      redistribute connected"),
        r"\g<1>      redistribute static\n      redistribute connected",
        ("BAT029",),
        "redistribute static",
    ),
    "nothing is announced": Planted(
        LEAF,
        _of_vrf(RED, r"      redistribute connected \S+ \S+\n"),
        r"\g<1>",
        ("BAT029", "BAT024"),
        f"vrf instance {RED}",
    ),
    "the policy of a VRF does not exist": Planted(
        LEAF, "connected route-map RM-Vrf17", "connected route-map RM-X", ("BAT011",), "RM-X"
    ),
    "the prefix list of a VRF has another pool": Planted(
        LEAF,
        r"(?<=ip prefix-list PL-Vrf17\n   seq 10 permit )10.64.0.0/16",
        "10.99.0.0/16",
        ("BAT029", "BAT024"),
        "redistribute connected",
    ),
    "a subnet of no pool is announced": Planted(
        LEAF,
        r"(?s)(interface Ethernet3/1\n)   shutdown\n(.*?ip prefix-list PL-Vrf17\n)",
        r"\1   no switchport\n   vrf Vrf17\n   ip address 10.99.0.0/31\n\2   seq 5 permit "
        r"10.99.0.0/16 ge 31\n",
        ("BAT029", "BAT021"),
        "redistribute connected",
    ),
    "the distinguisher of another leaf": Planted(
        FAR,
        r"rd 10.255.0.131:17",
        "rd 10.255.0.129:17",
        ("BAT030",),
        f"vrf instance {RED}",
    ),
    "the distinguisher of another VRF": Planted(
        LEAF, r"rd 10.255.0.129:18", "rd 10.255.0.129:17", ("BAT030",), f"vrf instance {BLUE}"
    ),
    "EVPN is not activated on a leaf": Planted(
        LEAF, r"(?<=family evpn\n)      neighbor EVPN-SPINES activate\n", "", ("BAT026", "BAT024")
    ),
    "EVPN is not activated on a spine": Planted(
        SPINE, r"(?<=family evpn\n)      neighbor EVPN-LEAVES activate\n", "", ("BAT026",)
    ),
    "a spine changes the next hop": Planted(
        SPINE,
        LEAVES + "next-hop-unchanged\n",
        "",
        ("BAT026", "BAT024"),
        "neighbor 10.255.0.129 peer group EVPN-LEAVES",
    ),
    "a leaf takes no peer behind a hop": Planted(
        LEAF,
        SPINES + "ebgp-multihop 2\n",
        "",
        ("BAT026", "BAT024"),
        "neighbor 10.255.0.1 peer group EVPN-SPINES",
    ),
    "sessions start from an uplink": Planted(
        LEAF,
        SPINES + "update-source Loopback0\n",
        "",
        ("BAT026", "BAT024"),
        "neighbor 10.255.0.1 peer group EVPN-SPINES",
    ),
    "a session has another AS number": Planted(
        LEAF,
        "neighbor 10.255.0.1 remote-as 65100",
        "neighbor 10.255.0.1 remote-as 65999",
        ("BAT026",),
        "neighbor 10.255.0.1 peer group EVPN-SPINES",
    ),
    "a session is missing": Planted(
        LEAF,
        r"   neighbor 10.255.0.1 peer group.*\n(   neighbor 10.255.0.1 .*\n)*",
        "",
        ("BAT026",),
    ),
    "the tunnel has no source": Planted(
        LEAF, r"   vxlan source-interface Loopback0\n", "", ("BAT026", "BAT024"), "interface Vxlan1"
    ),
    "the source of the tunnel is not announced": Planted(
        LEAF,
        r"(?<=PL-FABRIC\n   seq 10 permit )10.255.0.0/24",
        "10.253.0.0/24",
        ("BAT004", "BAT024", "BAT026"),
    ),
    "a VRF routes nothing": Planted(
        LEAF, r"^ip routing vrf Vrf17\n", "", ("BAT031", "BAT024"), f"vrf instance {RED}"
    ),
    "a VRF without NICs": Planted(
        OTHER,
        r"^vrf instance Vrf17\n",
        "vrf instance Vrf18\n!\nvrf instance Vrf17\n",
        ("BAT031",),
        f"vrf instance {BLUE}",
    ),
    "a static route into the VRF of another tenant": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.64.0.2/31 egress-vrf Vrf18 10.64.0.3\n!\nrouter bgp",
        ("BAT022",),
        "egress-vrf Vrf18",
    ),
    "a static route over the port of another tenant": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.99.0.0/16 Ethernet2/1 10.64.0.3\n!\nrouter bgp",
        ("BAT022",),
        "ip route vrf Vrf17",
    ),
    "a static route into the default VRF": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.255.0.0/24 egress-vrf default 10.254.0.1\n!\nrouter bgp",
        ("BAT023",),
        "egress-vrf default",
    ),
    "a static route over an uplink": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 0.0.0.0/0 Ethernet17/1\n!\nrouter bgp",
        ("BAT023",),
        "ip route vrf Vrf17",
    ),
    "a static route of the default VRF into a tenant": Planted(
        LEAF,
        r"^router bgp",
        "ip route 10.64.0.0/16 egress-vrf Vrf17 10.64.0.1\n!\nrouter bgp",
        ("BAT023",),
        "egress-vrf Vrf17",
    ),
    "a static route of the default VRF by its name": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf default 10.64.0.0/16 egress-vrf Vrf17 10.64.0.1\n!\nrouter bgp",
        ("BAT023",),
        "egress-vrf Vrf17",
    ),
    "a static route of the default VRF over the port of a NIC": Planted(
        LEAF,
        r"^router bgp",
        "ip route 10.64.0.0/31 Ethernet1/1\n!\nrouter bgp",
        ("BAT023",),
        "ip route 10.64.0.0/31",
    ),
    "a static route of the default VRF that is not understood": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf default 10.0.0.0/8 Nexthop-Group OUT\n!\nrouter bgp",
        ("BAT001",),
        "Nexthop-Group",
    ),
    "a static route into the VRF of management": Planted(
        LEAF,
        r"^router bgp",
        "vrf instance MGMT\n!\ninterface Management1\n   vrf MGMT\n!\n"
        "ip route vrf Vrf17 192.0.2.0/24 egress-vrf MGMT 192.0.2.1\n!\nrouter bgp",
        ("BAT023",),
        "egress-vrf MGMT",
    ),
    "a static route drops packets for a NIC": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.64.128.0/31 Null0\n!\nrouter bgp",
        ("BAT024",),
        "ip route vrf Vrf17",
    ),
    "a static route to a NIC of another host": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.64.128.0/31 10.64.0.1\n!\nrouter bgp",
        ("BAT024",),
        "ip route vrf Vrf17",
    ),
    "a default route to a NIC": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 0.0.0.0/0 10.64.0.1\n!\nrouter bgp",
        ("BAT032",),
        "ip route vrf Vrf17",
    ),
    "a static route that is not understood": Planted(
        LEAF,
        r"^router bgp",
        "ip route vrf Vrf17 10.0.0.0/8 Nexthop-Group OUT\n!\nrouter bgp",
        ("BAT001",),
        "Nexthop-Group",
    ),
    "the management port in the VRF of a tenant": Planted(
        LEAF,
        r"^router bgp",
        "interface Management1\n   vrf Vrf17\n   ip address 192.0.2.11/24\n!\nrouter bgp",
        ("BAT023",),
        "Management1",
    ),
    "a NIC in the VRF of management": Planted(
        LEAF,
        r"(?s)(interface Ethernet1/1\n.*?)   vrf Vrf17\n(.*)^router bgp",
        r"\g<1>   vrf MGMT\n\g<2>vrf instance MGMT\n!\ninterface Management1\n   vrf MGMT\n!\n"
        "router bgp",
        ("BAT021", "BAT023"),
        "Ethernet1/1",
    ),
    "a leaf sends no route targets": Planted(
        LEAF, SPINES + "send-community\n", "", ("BAT026", "BAT024"), "peer group EVPN-SPINES"
    ),
    "a leaf sends no extended communities": Planted(
        LEAF,
        SPINES + "send-community$",
        r"\g<0> standard",
        ("BAT026", "BAT024"),
        "peer group EVPN-SPINES",
    ),
    "a spine sends no route targets": Planted(
        SPINE, LEAVES + "send-community\n", "", ("BAT026",), "peer group EVPN-LEAVES"
    ),
    "the port of a NIC is down": Planted(
        LEAF,
        _of_port(1, "   no switchport\n"),
        r"\g<1>   shutdown\n   no switchport\n",
        ("BAT014", "BAT024"),
        "Ethernet1/1",
    ),
    "a port has the address of another tenant": Planted(
        LEAF,
        _of_port(1, "ip address 10.64.0.0/31"),
        r"\g<1>ip address 10.64.0.2/31",
        ("BAT014", "BAT024"),
        "Ethernet1/1",
    ),
}

Files = dict[str, Configured]


@dataclass(frozen=True)
class Change:
    """A mistake in what files say; ``line`` is that of the first of the rules."""

    change: Callable[[Files], object]
    rules: tuple[str, ...]
    switch: str = LEAF
    line: int = 0


def _vrf(files: Files, name: str = RED, switch: str = LEAF) -> ConfiguredVrf:
    return files[switch].vrfs[name]


def _leak(source: str, name: str = RED) -> Callable[[Files], object]:
    return lambda files: _vrf(files, name).leaks.append(LeakLine(source, 900))


def _set(field: str, value: object, name: str = RED) -> Callable[[Files], object]:
    return lambda files: setattr(_vrf(files, name), field, value)


def _tag(files: Files) -> None:
    """Put the VLAN of one NIC on the port of another one too."""
    own = files[LEAF]
    for name in ("Ethernet1/1", "Ethernet2/1"):
        own.ports[name].tagged_vlans.append(7)
        own.ports[name].line = 900
    own.vlans[7] = 900


def _gateway(files: Files) -> None:
    """Put a NIC of red behind a VLAN whose gateway is in blue."""
    own, port = files[LEAF], files[LEAF].ports["Ethernet1/1"]
    own.vlans[7] = 900
    gateway = ConfiguredPort("Vlan7", 899, addresses=port.addresses, gateway_vlan=7)
    gateway.vrf, gateway.vrf_line = BLUE, 900
    own.ports["Vlan7"] = gateway
    port.vlan, port.addresses, port.routed, port.vrf = 7, [], False, ""


def _default_leak(files: Files) -> None:
    files[LEAF].vrfs[""] = ConfiguredVrf("", 899, leaks=[LeakLine(RED, 900)])


def _any_as(files: Files) -> None:
    _vrf(files).imports[:] = [TargetLine("*:50018", 900)]


def _made(files: Files) -> None:
    """Let the system of a leaf make its targets, which have its AS number."""
    vrf = _vrf(files)
    vrf.imports, vrf.exports, vrf.makes_targets, vrf.line = [], [], True, 900


def _stops(files: Files) -> None:
    """Let no prefix of red through."""
    own = files[LEAF]
    first = next(iter(own.prefix_lists[f"PL-{RED}"]))
    own.prefix_lists[f"PL-{RED}"] = [
        PrefixMatch(permit=False, network=0, prefix_length=0, low=0, high=32, line=899),
        first,
    ]
    line = RedistributionLine("connected", f"RM-{RED}", 900)
    _vrf(files).redistributions[:] = [line]


def _drops_targets(files: Files) -> None:
    for name in (SPINE, "spine02"):
        evpn = files[name].evpn
        assert evpn
        evpn.keeps_all_targets, evpn.line = False, 900


def _keeps_nothing(files: Files) -> None:
    evpn = files[SPINE].evpn
    assert evpn
    evpn.keeps_next_hop.discard("10.255.0.129")
    evpn.peers["10.255.0.129"] = 900


def _static(files: Files) -> None:
    """Announce a static route into another tenant, so that other leaves send packets by it."""
    vrf = _vrf(files)
    vrf.static_routes.append(StaticRoute(0, 0, "Ethernet2/1", 900))
    vrf.redistributions.append(RedistributionLine("static", "", 901))


CHANGES = {
    "a static route to another tenant is announced": Change(
        _static, ("BAT022", "BAT029"), line=900
    ),
    "a policy of EVPN lets nothing through": Change(
        lambda files: (
            files[LEAF].policies.update(NOTHING=[PolicyTerm(permit=False, line=900)]),
            _set("export_policy", "NOTHING")(files),
        ),
        ("BAT029", "BAT024"),
    ),
    "a policy of EVPN does not exist": Change(_set("export_policy", "NOTHING"), ("BAT011",)),
    "leak of another tenant": Change(_leak(BLUE), ("BAT022",), line=900),
    "leak of the default VRF": Change(_leak(""), ("BAT023",), line=900),
    "leak into the default VRF": Change(_default_leak, ("BAT023",), line=900),
    "leak both ways": Change(
        lambda files: (_leak(BLUE)(files), _leak(RED, BLUE)(files)), ("BAT022",), line=900
    ),
    "lookup goes on in the main table": Change(
        lambda files: (_set("falls_through", True)(files), _set("line", 900)(files)),
        ("BAT023",),
        line=900,
    ),
    "a default route is announced": Change(
        lambda files: _vrf(files).redistributions.append(RedistributionLine("default", "", 900)),
        ("BAT029",),
        line=900,
    ),
    "kernel routes are announced": Change(
        lambda files: _vrf(files).redistributions.append(RedistributionLine("kernel", "", 900)),
        ("BAT029",),
        line=900,
    ),
    "targets of any AS": Change(_any_as, ("BAT028", "BAT022", "BAT024"), line=900),
    "targets of the own AS": Change(_made, ("BAT028", "BAT024"), line=900),
    "routes stay out of EVPN": Change(
        lambda files: (_set("advertises", False)(files), _set("line", 900)(files)),
        ("BAT029", "BAT024"),
        line=900,
    ),
    "a tagged VLAN shared by two tenants": Change(_tag, ("BAT021",), line=900),
    "the gateway of a VLAN in another tenant": Change(
        _gateway, ("BAT021", "BAT022", "BAT024"), line=900
    ),
    "a policy that lets nothing through": Change(_stops, ("BAT029", "BAT024"), line=900),
    "relays drop targets": Change(_drops_targets, ("BAT026", "BAT024"), switch=SPINE, line=900),
    "a relay changes the next hop for one leaf": Change(
        _keeps_nothing, ("BAT026", "BAT024"), switch=SPINE, line=900
    ),
    "no EVPN at all": Change(
        lambda files: setattr(files[LEAF], "evpn", None), ("BAT026", "BAT024")
    ),
    "no VRF at all": Change(lambda files: files[LEAF].vrfs.pop(RED), ("BAT031", "BAT024")),
}
