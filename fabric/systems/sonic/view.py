"""What the SONiC templates see of one switch: its ports, addresses and BGP."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign

#: ``type`` also picks the ECMP hash seed of the tier: dockers/docker-orchagent/switch.json.j2.
#: DEVICE_METADATA type; super-spines are no UpperSpineRouter, which takes a part of the routes only
#: (sonic-net/sonic-buildimage dockers/docker-fpm-frr/frr/bgpd/templates/general/peer-group.conf.j2,
#: table-map SELECTIVE_ROUTE_DOWNLOAD).
DEVICE_TYPES = {"leaf": "LeafRouter", "spine": "SpineRouter", "super-spine": "SpineRouter"}


#: In the words of BGP_GLOBALS_AF (sonic-bgp-global.yang).
_FAMILIES = ("ipv4_unicast", "ipv6_unicast")


@dataclass(frozen=True, slots=True)
class SonicView:
    """What the templates of names and addresses see.

    Parameters
    ----------
    managed : bool
        Whether BGP is configured by the FRR management framework, which alone knows BFD and
        sessions without addresses; else by the templates of bgpcfgd, the image's default.
    families : tuple of str
        Families of routes.
    peer_groups : dict of families to str
        Its groups of sessions, by the families of their routes.
    networks, summaries : tuple of (family, prefix)
        What that framework is told to advertise, and what in place of it; bgpcfgd knows it by
        itself.
    ports : tuple of (key, port)
        The key is the name of the port, escaped for use inside a JSON string.
    """

    managed: bool
    families: tuple[str, ...]
    peer_groups: dict[tuple[str, ...], str]
    networks: tuple[tuple[str, str], ...]
    summaries: tuple[tuple[str, str], ...]
    device_type: str
    ports: tuple[tuple[str, PortDesign], ...]


def view(device: DeviceDesign) -> SonicView:
    """Return the view of a design."""
    return SonicView(
        managed=is_managed(device),
        families=_FAMILIES if device.uses_ipv6 else _FAMILIES[:1],
        peer_groups=_peer_groups(device),
        networks=_by_family(
            (f"{device.loopback}/32", *device.host_networks), device.host_networks6
        ),
        summaries=_by_family(device.summaries, device.summaries6),
        device_type=DEVICE_TYPES[device.role],
        ports=tuple((_escaped(port.name), port) for port in device.ports),
    )


def _by_family(*prefixes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return prefixes with their family."""
    pairs = zip(_FAMILIES, prefixes, strict=True)
    return tuple((family, prefix) for family, own in pairs for prefix in own)


def _peer_groups(device: DeviceDesign) -> dict[tuple[str, ...], str]:
    """Return a group for sessions without addresses, whose next hops are IPv6, and for others."""
    used = {peer.families for peer in device.bgp.neighbours}
    numbered = "NUMBERED" if device.unnumbered_ports else "FABRIC"
    groups = {("ipv4", "ipv6"): "FABRIC", ("ipv4",): numbered, ("ipv6",): "FABRIC6"}
    groups = {families: name for families, name in groups.items() if families in used}
    return groups or {("ipv4",): numbered}


@lru_cache(4096)
def _escaped(name: str) -> str:
    return json.dumps(name)[1:-1]


def is_managed(device: DeviceDesign) -> bool:
    """Tell whether the FRR management framework configures BGP.

    Source: sonic-net/sonic-buildimage dockers/docker-fpm-frr: bfdd is started in that mode only,
    and the templates of bgpcfgd have neither BFD nor interfaces as peers, nor ``allowas-in`` for
    the type LeafRouter without BGP_BBR; they announce subnets of VLANs, and of no other port.
    """
    other = device.bgp.bfd or device.bgp.allowas_in > 0
    # a leaf whose routed NICs are all in quarantine stays as it was: a change would restart it
    alone = device.routes_nics and any(port.quarantined for port in device.ports)
    return other or alone or bool(device.unnumbered_ports) or bool(device.routed_nics)
