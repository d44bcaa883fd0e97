"""Cisco NX-OS: what a running configuration says of PFC, ECN, classes, watchdog, ageing and MTU.

A class is the priority that its qos-group pauses (``pause pfc-cos``), by itself the number of the
group. Classes of the types network-qos and queuing may have own names. A port has PFC with mode
``on``; ``auto``, the default, follows the peer's DCBX, so that PFC is not judged. DSCP counts where
a policy of type qos that matches it is bound to the port or to the system, or to a VLAN of the port
(interface, VLAN, system: that order; a port channel before its members: Nexus 5500 and 9000 QoS
guides), and CoS where one that matches it is bound to a trunk. ARP entries live 1,500 s and MAC
addresses 1,800 s by default (Cisco Nexus 9000 configuration guides 9.3(x); YangModels/yang,
vendor/cisco/nx/9.3-2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import blocks
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.lossless import (
    Lossless,
    LosslessReader,
    Value,
    Watchdog,
    lossless_readers,
)
from fabric.observe.configuration.tunnels import TunnelLine, TunnelLines, tunnel_lines
from fabric.systems.nxos.reading_lossless import classes, ports
from fabric.systems.nxos.reading_lossless.model import LINES, Device, NetworkPolicy
from fabric.systems.nxos.texts import text_ends

if TYPE_CHECKING:
    from fabric.observe.configuration.lossless import PortPolicy
    from fabric.systems.nxos.reading_lossless.model import Pause

__all__ = ["classes", "ports", "read"]

_DEFAULT_ARP_S, _DEFAULT_MAC_S = 1_500, 1_800
_CLASSES = 8


def read(text: str) -> Lossless:
    """Return what an NX-OS configuration says of the lossless class."""
    switch = Device("nxos")
    switch.arp_timeout_s, switch.mac_ageing_s = Value(_DEFAULT_ARP_S, 0), Value(_DEFAULT_MAC_S, 0)
    LINES.top.read(switch, blocks(text, text_ends=text_ends), switch.leftovers)
    system = switch.bound.get("", {})
    network = switch.networks.get(system.get("network-qos", ""), NetworkPolicy())
    join(switch.ports, switch.members)
    for name, port in switch.ports.items():
        bundle = switch.bound.get(switch.members[name], {}) if name in switch.members else {}
        own = {**system, **switch.bound.get(name, {}), **bundle}
        is_bound = "qos" in switch.bound.get(name, {}) or "qos" in bundle
        by_vlan = [] if is_bound else switch.policies(port.vlans)
        if port.routed and port.mtu_bytes is None:
            port.mtu_bytes = Value(number_of("nxos", "mtu"), 0)
        if port.pfc_on is None:
            port.negotiated = 0
        if not switch.has_dcbx(name):
            port.negotiated = None  # auto stays off without a peer that agrees
        port.pfc_on = bool(port.pfc_on)
        for policy in (
            *(switch.inputs.get(one) for one in by_vlan or [own.get("qos", "")]),
            switch.outputs.get(own.get("queuing", "")),
            switch.outputs.get(own.get("buffers", "")),
        ):
            if policy:
                port.add(policy)
        port.trusts_pcp = bool(port.pcp_to_class)
        port.trusts_dscp = bool(port.dscp_to_class) or (
            bool("qos" in own or by_vlan) and not port.trusts_pcp
        )
        port.trust_lines = () if port.trusts_dscp else (_trust_line(switch),)
        port.markings = {**network.markings, **port.markings}
        _number(port, network.pauses)
        if port.watchdog and not switch.watched:
            port.watchdog = Watchdog(port.watchdog.line, enabled=False)
    return switch


def _trust_line(switch: Device) -> str:
    """Return the line that binds a policy which classifies by DSCP: the one that the file has."""
    named = [name for name, policy in switch.inputs.items() if policy.dscp_to_class]
    return f"service-policy type qos input {named[0] if len(named) == 1 else 'NAME'}"


def _number(port: PortPolicy, groups: dict[int, Pause]) -> None:
    """Give classes the priorities that they pause, and the others numbers that no priority has."""
    paused = {group: pause.priority for group, pause in groups.items()}
    numbers = {
        group: paused.get(group, group + _CLASSES * (group in paused.values()))
        for group in range(_CLASSES)
    }
    port.pfc = {pause.priority: pause.line for pause in groups.values()}
    port.dscp_to_class = {dscp: numbers[group] for dscp, group in port.dscp_to_class.items()}
    port.pcp_to_class = {tag: numbers[group] for tag, group in port.pcp_to_class.items()}
    port.class_to_queue = {number: group for group, number in numbers.items()}
    port.class_names = {
        number: f"qos-group {group}" for group, number in numbers.items() if number != group
    }
    port.pause_bytes = {numbers[group]: one for group, one in port.pause_bytes.items()}
    port.headroom_bytes = {numbers[group]: one for group, one in port.headroom_bytes.items()}


tunnel_lines.add("nxos")(
    TunnelLines(
        # Cisco Nexus 9000 VXLAN QoS: uniform is the default
        r"^interface nve\d",
        (
            TunnelLine(
                "dscp",
                r"^ +qos-mode pipe",
                wanted=False,
                message="in pipe mode the outer DSCP is not that of the packet",
            ),
        ),
    )
)

lossless_readers.add("nxos")(
    LosslessReader(
        read,
        (
            r"^version \d+\.\d+\(\d+\)",
            r"^feature \S+",
            r"^class-map type qos ",
            r"^policy-map type (qos|network-qos|queuing) ",
            r"^system qos$",
            r"^  service-policy type ",
            r"^  priority-flow-control mode ",
            r"^vrf context ",
        ),
        shares_in_percent=True,
        identity=r"^version (?P<release>[\w.()]{1,40})",
    )
)
