"""VRFs of the stand-in of Enterprise SONiC: what their lines depend on.

Known: a VNI has a VLAN before it has a VRF, and tunnels go after their VNIs (sonic-net/
sonic-utilities @ 691b1bbc config/main.py, ``config vrf add_vrf_vni_map``, and config/vxlan.py); BGP
of a VRF does not go before its VNI, and one VNI is of one VRF (seen with FRR 8.4.4).
Assumed: a port with addresses is not bound to a VRF, nor taken out of it; a VRF that something
names does not go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.lab.lines.tree import Section

FORWARDING = "ip vrf forwarding"
_VNI = re.compile(r"map vni (\d+) (vlan|vrf) (\S+)")


def vrf_reason(root: Section, context: Section, line: str) -> str:
    """Return why a line about VRFs does not fit the state; empty when it does."""
    bound = re.fullmatch(rf"{FORWARDING} (\S+)|router bgp \d+ vrf (\S+)", line)
    name = (bound[1] or bound[2]) if bound else ""
    if name and not root.has(f"ip vrf {name}"):
        return f"VRF {name} does not exist"
    if line.startswith(FORWARDING) and context.value(FORWARDING) != name and _addressed(context):
        return "L3 configuration exists on the interface"
    if line.startswith(FORWARDING) and context.value("switchport access Vlan"):
        return "Interface is a member of a VLAN"
    vni = _VNI.fullmatch(line)
    return _vni_reason(root, context, vni) if vni else ""


def _vni_reason(root: Section, context: Section, vni: re.Match[str]) -> str:
    number, what, name = vni.groups()
    if what == "vlan":
        return "" if root.has(f"interface Vlan{name}") else f"Invalid VLAN: {name}"
    if not root.has(f"ip vrf {name}"):
        return f"VRF {name} does not exist"
    if not context.below(f"map vni {number} vlan "):
        return f"VNI {number} has no VLAN"
    others = [node.line for node in context.below(f"map vni {number} vrf ")]
    return f"VNI {number} is used by another VRF" if set(others) - {vni[0]} else ""


def vrf_use(root: Section, context: Section, line: str) -> str:
    """Return why a line about VRFs cannot be removed; empty when it can."""
    if line.startswith(f"{FORWARDING} ") and _addressed(context):
        return "L3 configuration exists on the interface"
    vni = _VNI.fullmatch(line)
    if vni and vni[2] == "vlan" and context.below(f"map vni {vni[1]} vrf "):
        return f"VNI {vni[1]} has a VRF"
    if line.startswith("interface vxlan ") and _mapped(root):
        return "Please delete all VLAN VNI mappings."
    if line.startswith("ip vrf "):
        return _vrf_use(root, line.split()[2])
    svi = re.fullmatch(r"interface Vlan(\d+)", line)
    if svi and any(one.endswith(f" vlan {svi[1]}") for one in _mapped(root)):
        return f"{line} has a VNI"
    return ""


def _vrf_use(root: Section, name: str) -> str:
    for node in root.children.values():
        if node.has(f"{FORWARDING} {name}") or re.fullmatch(
            rf"router bgp \d+ vrf {re.escape(name)}", node.line
        ):
            return f"VRF {name} is in use by {node.line}"
    return f"VRF {name} has a VNI" if has_vni(root, name) else ""


def has_vni(root: Section, name: str) -> bool:
    """Tell whether a VRF has a VNI."""
    return any(one.endswith(f" vrf {name}") for one in _mapped(root))


def _mapped(root: Section) -> list[str]:
    tunnels = root.below("interface vxlan ")
    return [node.line for one in tunnels for node in one.below("map vni ")]


def _addressed(context: Section) -> bool:
    return bool(context.below("ip address ") or context.below("ipv6 address "))
