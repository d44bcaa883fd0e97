"""The parts that a design of a switch can have, and which of them its system lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.platforms import platforms
from fabric.platforms.features import feature, features_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import Lossy
    from fabric.platforms.features import FeatureCell


@dataclass(frozen=True, slots=True)
class Feature:
    """A part of a design that a system has or lacks.

    Parameters
    ----------
    name : str
        Key in the table ``features`` of ``features.toml``.
    title : str
        What it is, for messages and the matrix of systems.
    field : str
        Field of the inventory that asks for it.
    used : callable
        From a design to the values of the feature that it uses; empty where it uses none.
    rule : str
        Id of the rule that reports a system without it.
    """

    name: str
    title: str
    field: str
    used: Callable[[DeviceDesign], frozenset[str]]
    rule: str = "SYS001"


@dataclass(frozen=True, slots=True)
class Missing:
    """A feature, or the values of one, that a design uses and its system lacks.

    ``since`` is the first release that has it, where that of the switch is older; else empty.
    """

    feature: Feature
    message: str
    fix: str
    since: str = ""


_YES = frozenset({"yes"})


def _if(condition: Callable[[DeviceDesign], object]) -> Callable[[DeviceDesign], frozenset[str]]:
    return lambda device: _YES if condition(device) else frozenset()


def _watched(device: DeviceDesign) -> bool:
    return any(one.pfc and one.watchdog.enabled for one in device.qos_profiles)


def _has_lossy_buffer(lossy: Lossy) -> bool:
    return lossy.dynamic_th is not None or lossy.reserved_bytes is not None


def _fec(device: DeviceDesign) -> frozenset[str]:
    return frozenset(port.fec for port in device.ports if port.fec and port.kind != "unused")


def _balancing(device: DeviceDesign) -> frozenset[str]:
    return frozenset({device.ecmp_mode} - {"hash"})


_used_ports = _if(lambda device: any(port.qos for port in device.ports))
_paused = _if(lambda device: any(one.pfc for one in device.qos_profiles))
_vlans = _if(lambda device: device.vlans)


def _has_nics(device: DeviceDesign) -> bool:
    return bool(device.vlans or device.routed_nics)


#: Every feature, in the order of the matrix.
FEATURES = (
    Feature("pfc", "priority flow control", "lossless.pfc", _paused),
    Feature("ecn", "ECN marking", "lossless.ecn.kmin_bytes", _used_ports),
    Feature("watchdog", "PFC watchdog", "lossless.watchdog.enabled", _if(_watched)),
    Feature(
        "watchdog_times", "times of the PFC watchdog", "lossless.watchdog.poll_ms", _if(_watched)
    ),
    Feature(
        "buffers",
        "headroom by speed and cable",
        "cables.uplink_m",
        _if(lambda d: any(one.row for one in d.headroom_profiles)),
    ),
    Feature(
        "computed_buffers",
        "buffers that the switch computes",
        "platforms.leaf.buffer_model",
        _if(lambda d: d.buffer_model == "dynamic"),
        rule="SON025",
    ),
    Feature(
        "merge",
        "lines of others kept in its sections",
        "platforms.leaf.scope",
        _if(lambda d: d.scope == "merge"),
    ),
    Feature(
        "pause_buffer",
        "a pause buffer with own sizes",
        "lossless.pause_buffer",
        _if(lambda d: any(one.pfc and one.pause_buffer for one in d.qos_profiles)),
    ),
    Feature(
        "dynamic_th",
        "a dynamic threshold of lossless buffers",
        "lossless.dynamic_th",
        _if(lambda d: any(one.pfc and one.dynamic_th is not None for one in d.qos_profiles)),
    ),
    Feature(
        "classes",
        "several lossless classes",
        "lossless.classes",
        _if(lambda d: any(len(one.classes) > 1 for one in d.qos_profiles)),
    ),
    Feature(
        "lossy_buffers",
        "buffers of queues of other traffic",
        "lossless.lossy.dynamic_th",
        _if(lambda d: any(_has_lossy_buffer(one.lossy) for one in d.qos_profiles)),
    ),
    Feature(
        "lossy_wred",
        "early drops of other traffic",
        "lossless.lossy.wred",
        _if(lambda d: any(one.lossy.wred for one in d.qos_profiles)),
    ),
    Feature("dscp_map", "trust of DSCP and its map", "lossless.roce_dscp", _used_ports),
    Feature("scheduling", "scheduling of queues", "lossless.scheduler", _used_ports),
    Feature("mtu", "MTU of ports", "lossless.mtu.port_bytes", _used_ports),
    Feature("vlan_per_nic", "VLANs with a gateway for NICs", "addressing.vlan_per", _vlans),
    Feature(
        "routed_nics",
        "routed ports for NICs",
        "addressing.vlan_per",
        _if(lambda device: device.routed_nics),
    ),
    Feature(
        "ipv6",
        "IPv6",
        "addressing.ipv6",
        _if(lambda device: device.uses_ipv6),
    ),
    Feature(
        "slaac",
        "IPv6 addresses that NICs make",
        "addressing.ipv6.assignment",
        _if(lambda device: device.announces_routers),
    ),
    Feature(
        "arp_ageing",
        "ageing of ARP entries",
        "arp.timeout_s",
        _if(lambda device: _has_nics(device) and device.uses_arp),
    ),
    Feature(
        "nd_ageing",
        "ageing of IPv6 neighbours",
        "arp.timeout_s",
        _if(lambda device: _has_nics(device) and device.uses_ipv6),
    ),
    Feature("mac_ageing", "ageing of MAC addresses", "arp.mac_ageing_s", _vlans),
    Feature(
        "bgp",
        "BGP with addresses",
        "bgp.peering",
        _if(lambda d: any(peer.address for peer in d.bgp.neighbours)),
    ),
    Feature(
        "bgp_unnumbered",
        "unnumbered BGP",
        "bgp.peering",
        _if(lambda d: d.unnumbered_ports),
        rule="BGP007",
    ),
    Feature(
        "allowas_in",
        "the own AS number in routes",
        "bgp.allowas_in",
        _if(lambda d: d.bgp.allowas_in or d.bgp.tells_peer_as),
    ),
    Feature("bfd", "BFD of BGP sessions", "bgp.bfd", _if(lambda d: d.bgp.bfd)),
    Feature(
        "breakouts",
        "breakouts of ports",
        "platforms.leaf.breakouts",
        _if(lambda d: any(port.place.mode for port in d.ports)),
    ),
    Feature("fec", "FEC of ports", "devices.ports.fec", _fec),
    Feature("balancing", "balancing by load", "ecmp.mode", _balancing, rule="ECM001"),
    Feature(
        "queue_pair_hash",
        "a hash of queue pairs",
        "ecmp.hash_queue_pairs",
        _if(lambda d: d.hash_queue_pairs),
        rule="ECM003",
    ),
    Feature(
        "descriptions",
        "descriptions of ports",
        "devices.ports.description",
        _if(lambda d: any(port.description for port in d.ports)),
    ),
    Feature("tenant_vrfs", "VRFs of tenants", "tenancy.form", _if(lambda d: d.vrfs), rule="TEN011"),
    Feature(
        "tenant_evpn",
        "EVPN of tenants",
        "tenancy.form",
        _if(lambda d: d.evpn),
        rule="TEN011",
    ),
    Feature(
        "vxlan_routing",
        "routing of VXLAN packets in one pass",
        "tenancy.form",
        _if(lambda d: d.evpn and d.evpn.source and d.vrfs),
        rule="TEN012",
    ),
    Feature(
        "tunnel_qos",
        "DSCP and ECN of tunnels as in the packet",
        "tenancy.form",
        _if(lambda d: d.evpn and d.evpn.source and d.vrfs and any(q.pfc for q in d.qos_profiles)),
        rule="TEN012",
    ),
    Feature(
        "tenant_services",
        "services that tenants share",
        "tenants.services",
        _if(lambda d: any(vrf.imports for vrf in d.vrfs)),
        rule="TEN011",
    ),
    Feature("ntp", "NTP servers", "management.ntp_servers", _if(lambda d: d.ntp_servers)),
    Feature(
        "syslog", "syslog servers", "management.syslog_servers", _if(lambda d: d.syslog_servers)
    ),
)
_NAMES = {one.name: one for one in FEATURES}.keys()


def missing(device: DeviceDesign, rule: str | None = None) -> Iterator[Missing]:
    """Yield every feature that a design uses and its system, on its model, does not have.

    Parameters
    ----------
    rule : str, optional
        The rule that reports the features; default: of all rules.

    Raises
    ------
    InputError
        When the system declares a feature that does not exist.
    """
    unknown = features_of(device.platform).features.keys() - _NAMES
    if unknown:
        message = f"features.toml declares unknown features: {', '.join(sorted(unknown))}"
        raise InputError(f"{device.platform}: {message}; use {', '.join(_NAMES)}")
    for one in (one for one in FEATURES if rule in (None, one.rule)):
        values = one.used(device)
        if not values:
            continue
        cell = feature(device.platform, one.name, device.sku, device.role)
        lacks = values if cell is None else values - set(cell.values or values)
        if lacks:
            yield _missing(device, one, cell, "" if values == _YES else ", ".join(sorted(lacks)))


def _missing(device: DeviceDesign, one: Feature, cell: FeatureCell | None, values: str) -> Missing:
    """Return what a design uses and its system lacks: a feature, or values of one."""
    declared = features_of(device.platform).features.get(one.name)
    since = declared.since if declared and declared.is_newer(device.sku.release) else ""
    owner = platforms[device.platform].title + (f" {device.sku.release}" if since else "")
    if declared and not cell and not declared.absent:
        owner = f"{device.sku.name} with {owner}"
    what = f"{one.title} ({values})" if values else one.title
    absent = declared.absent if declared else ""
    fix = f"use release {since} or later" if since else declared.fix if declared else ""
    return Missing(
        one,
        f"no {what} on {owner}: {absent}" if absent else f"{owner} does not support {what}",
        fix or f"change {one.field}, or use another system there",
        since,
    )
