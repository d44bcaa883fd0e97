"""VRFs of tenants in the configuration of a switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.exchange.values import is_management
from fabric.exchange.vrfs import SwitchVrf
from fabric.observe.configuration.blocks import DEFAULT_VRF
from fabric.observe.configuration.model import BITS, BITS6, is_address
from fabric.observe.configuration.vrfs import ConfiguredVrf

if TYPE_CHECKING:
    from fabric.observe.configuration import Configured, ConfiguredPort


def vrfs_of(configured: Configured) -> dict[str, SwitchVrf]:
    """Return the VRFs that have a port or a VNI, by name; that of management has neither."""
    ports: dict[str, set[str]] = {name: set() for name in configured.vrfs}
    for port, name in configured.vrf_of_port.items():
        if _takes_a_cable(configured.ports[port]):
            ports.setdefault(name, set()).add(port)
    vrfs = {}
    for name, own in ports.items():
        vrf = configured.vrfs.get(name) or ConfiguredVrf(name, 0)
        if own or vrf.vni:
            targets = frozenset(line.target for line in vrf.exports)
            partners = frozenset(leak.source or DEFAULT_VRF for leak in vrf.leaks)
            vrfs[name] = SwitchVrf(vrf.vni, targets, frozenset(own), partners, vrf.description)
    return vrfs


def tunnel_end_of(configured: Configured) -> str:
    """Return the address of the tunnel end point; empty without one."""
    source = configured.evpn.source if configured.evpn else ""
    if source in configured.ports:
        addresses = (line for line in configured.ports[source].addresses if not line.is_ipv6)
        return next((line.text.partition("/")[0] for line in addresses), "")
    return source if is_address(source) else ""


def _takes_a_cable(port: ConfiguredPort) -> bool:
    """Tell whether a port is none for management, no gateway of a VLAN and no loopback."""
    lengths = {line.prefix_length - (BITS6 if line.is_ipv6 else BITS) for line in port.addresses}
    return port.gateway_vlan is None and not is_management(port.name) and lengths != {0}
