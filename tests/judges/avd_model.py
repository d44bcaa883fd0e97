"""A switch design as structured configuration of Arista AVD, for pyavd to render.

Not covered by pyavd 6.4.0, and so taken out of our text before the comparison:

- ``no priority-flow-control pause watchdog`` in a QoS profile: a disabled watchdog prints nothing.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fabric.design.model import BgpDesign, BgpNeighbour, DeviceDesign, HostPool
from fabric.design.port_model import PortDesign
from fabric.design.qos_model import QosProfile, Watchdog

UNCOVERED = ("   no priority-flow-control pause watchdog",)
ACTIONS = {"drop": "drop", "alert": "notify-only"}
FEC = {
    "rs": {"enabled": True, "reed_solomon": True},
    "fc": {"enabled": True, "fire_code": True},
    "none": {"enabled": False},
}


def structured(device: DeviceDesign) -> dict[str, Any]:
    """Return the AVD structured configuration of a switch."""
    watched = [item.watchdog for item in device.qos_profiles if item.pfc and item.watchdog.enabled]
    result: dict[str, Any] = {
        "hostname": device.name,
        "service_routing_protocols_model": "multi-agent",
        "ip_routing": True,
        **_by_mode(device),
        "qos_profiles": [_profile(item, device, watched) for item in device.qos_profiles],
        "vlans": [{"id": item.vlan, "name": item.name} for item in device.vlans],
        "ethernet_interfaces": [
            _port(port, device.neighbours.arp_timeout_s) for port in device.ports
        ],
        "loopback_interfaces": [{"name": "Loopback0", "ip_address": f"{device.loopback}/32"}],
        "vlan_interfaces": [
            {
                "name": f"Vlan{item.vlan}",
                "mtu": item.mtu_bytes,
                **({"vrf": item.vrf} if item.vrf else {}),
                "ip_address": item.gateway_interface,
                "arp_aging_timeout": device.neighbours.arp_timeout_s,
            }
            for item in device.vlans
        ],
        "mac_address_table": {"aging_time": device.neighbours.mac_ageing_s},
        "prefix_lists": [
            {"name": "PL-FABRIC", "sequence_numbers": _prefixes(device.bgp)},
            *_tenant_prefixes(device),
        ],
        "route_maps": [
            {"name": "RM-FABRIC", "sequence_numbers": _terms(device)},
            *_tenant_maps(device),
        ],
        "qos": {"map": _maps(device.qos_profiles[0])},
        "router_bgp": _bgp(device),
    }
    if device.vrfs:
        result["vrfs"] = [
            {"name": vrf.name, "description": vrf.tenant, "ip_routing": True} for vrf in device.vrfs
        ]
    if device.evpn and device.vrfs:
        result["vxlan_interface"] = {"vxlan1": {"vxlan": _tunnels(device)}}
    if device.uses_arp:
        result["arp"] = {"aging": {"timeout_default": device.neighbours.arp_timeout_s}}
    if device.uses_ipv6:
        lines = [
            {"sequence": 10 * number, "action": f"permit {_of_pool(pool)}"}
            for number, pool in enumerate(device.bgp.host_pools6, 1)
        ]
        result["ipv6_unicast_routing"] = True
        result["ipv6_prefix_lists"] = [{"name": "PL-FABRIC6", "sequence_numbers": lines}]
    if watched:
        result["priority_flow_control"] = {
            "watchdog": {"action": ACTIONS[watched[0].action], **_times(watched[0])}
        }
    if device.bgp.bfd:
        result["router_bfd"] = {"interval": 300, "min_rx": 300, "multiplier": 3}
    if device.ntp_servers:
        result["ntp"] = {"servers": [{"name": server} for server in device.ntp_servers]}
        if device.server_vrf:
            result["ntp"]["vrf"] = device.server_vrf
    if device.syslog_servers:
        hosts = [{"name": server} for server in device.syslog_servers]
        result["logging"] = {"vrfs": [{"name": device.server_vrf or "default", "hosts": hosts}]}
    return result


def _tunnels(device: DeviceDesign) -> dict[str, Any]:
    return {
        "source_interface": "Loopback0",
        "udp_port": 4789,
        "vrfs": [{"name": vrf.name, "vni": vrf.vni} for vrf in device.vrfs],
        "qos": {
            "ecn_propagation": True,
            "dscp_propagation_encapsulation": True,
            "map_dscp_to_traffic_class_decapsulation": True,
        },
    }


def _tenant_prefixes(device: DeviceDesign) -> list[dict[str, Any]]:
    return [
        {
            "name": f"PL-{vrf.name}",
            "sequence_numbers": [
                {"sequence": 10 * number, "action": f"permit {_of_pool(pool)}"}
                for number, pool in enumerate(vrf.pools, 1)
            ],
        }
        for vrf in device.vrfs
        if device.evpn
    ]


def _tenant_maps(device: DeviceDesign) -> list[dict[str, Any]]:
    return [
        {
            "name": f"RM-{vrf.name}",
            "sequence_numbers": [
                {
                    "sequence": 10,
                    "type": "permit",
                    "match": [f"ip address prefix-list PL-{vrf.name}"],
                }
            ],
        }
        for vrf in device.vrfs
        if device.evpn
    ]


def _tenants(device: DeviceDesign) -> dict[str, Any]:
    """Return what BGP has for tenants: EVPN, and an instance for each VRF."""
    if device.evpn is None:
        return {}
    of_vrf = [
        {
            "name": vrf.name,
            "rd": vrf.route_distinguisher,
            "route_targets": {
                way: [{"address_family": "evpn", "route_targets": [vrf.route_target]}]
                for way in ("import", "export")
            },
            "router_id": device.bgp.router_id,
            "redistribute": {"connected": {"enabled": True, "route_map": f"RM-{vrf.name}"}},
        }
        for vrf in device.vrfs
    ]
    groups = [{"name": name, "activate": True} for name in _evpn_groups(device)]
    return {"address_family_evpn": {"peer_groups": groups}, **({"vrfs": of_vrf} if of_vrf else {})}


def _evpn_groups(device: DeviceDesign) -> list[str]:
    roles = {peer.role for peer in device.evpn.sessions} if device.evpn else set()
    return [f"EVPN-{name}" for role, name in GROUPS if role in roles]


def _terms(device: DeviceDesign) -> list[dict[str, Any]]:
    matches = ["ip address prefix-list PL-FABRIC"]
    matches += ["ipv6 address prefix-list PL-FABRIC6"] if device.uses_ipv6 else []
    return [
        {"sequence": 10 * number, "type": "permit", "match": [match]}
        for number, match in enumerate(matches, 1)
    ]


def _by_mode(device: DeviceDesign) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if device.unnumbered_ports:
        found |= {"ip_routing_ipv6_interfaces": True, "ipv6_unicast_routing": True}
    if device.ecmp_mode == "flowlet":
        dynamic = {"dynamic": {"enabled": True}}
        found["ip_hardware"] = {"fib": {"load_balance_distribution": dynamic}}
    if device.ecmp_mode == "cluster" and device.role == "leaf":
        hosts = [port.name[len("Ethernet") :] for port in device.ports if port.kind == "host"]
        group = {"group": "ROCE", "interface": f"Ethernet{','.join(hosts)}"}
        found["load_balance"] = {"cluster": {**CLUSTER, "port_groups": [group]}}
    return found | (_dnx(device) if device.sku.asic_facts.law == "dnx" else _xgs(device))


CLUSTER = {
    "forwarding_type": "routed ipv4",
    "destination_grouping": "bgp field-set",
    "load_balance_method_flow_round_robin": True,
    "flow": {"source_learning_aging_timeout": 300},
}


def _dnx(device: DeviceDesign) -> dict[str, Any]:
    found: dict[str, Any] = {
        "hardware_counters": {"features": [{"name": "ecn", "direction": "out"}]}
    }
    if device.hash_queue_pairs:
        fields = {"udp": {"dst_port": 4791, "payload_bytes": "5-7"}}
        policies = {"sand_profiles": [{"name": "ROCE", "fields": fields}]}
        found["load_balance"] = {"policies": policies}
        found["port_channel"] = {"load_balance_sand_profile": "ROCE"}
        found["platform"] = {"sand": {}}  # without it pyavd prints no line of port_channel
    return found


def _xgs(device: DeviceDesign) -> dict[str, Any]:
    profile = device.qos_profiles[0]
    if profile.dynamic_th is None:
        return {}
    alphas = dict(zip(range(-3, 4), ("1/8", "1/4", "1/2", "1", "2", "4", "8"), strict=True))
    alpha = alphas[profile.dynamic_th]
    groups = [{"id": priority, "threshold": alpha} for priority in profile.paused]
    queue_profile = {"name": "ROCE", "ingress": {"priority_groups": groups}}
    return {
        "platform": {
            "trident": {"mmu": {"active_profile": "ROCE", "queue_profiles": [queue_profile]}}
        }
    }


def _times(watchdog: Watchdog) -> dict[str, str]:
    return {
        "timeout": f"{watchdog.detection_ms / 1000:.2f}",
        "polling_interval": f"{watchdog.poll_ms / 1000:.3f}",
        "recovery_time": f"{watchdog.restoration_ms / 1000:.2f}",
    }


def _profile(profile: QosProfile, device: DeviceDesign, watched: list[Watchdog]) -> dict[str, Any]:
    queues = []
    for item in profile.queues:
        queue: dict[str, Any] = {"id": item.queue, "priority": "priority strict"}
        if item.percent is not None:
            queue |= {"priority": "no priority", "bandwidth_percent": item.percent}
        if item.lossless:
            threshold = {
                "units": "bytes",
                "min": item.lossless.kmin_bytes,
                "max": item.lossless.kmax_bytes,
                "max_probability": item.lossless.pmax_percent,
                "weight": 0,
            }
            queue["random_detect"] = {"ecn": {"count": True, "threshold": threshold}}
        queues.append(queue)
    result: dict[str, Any] = {
        "name": f"ROCE_{profile.index}" if profile.index else "ROCE",
        "trust": "dscp",
        device.sku.queue_submode.replace("-", "_") + "s": queues,
    }
    if profile.pfc:
        control: dict[str, Any] = {
            "enabled": True,
            "priorities": [{"priority": number, "no_drop": True} for number in profile.paused],
        }
        if profile.watchdog.enabled:
            control["watchdog"] = {"enabled": True}
            if profile.watchdog != watched[0]:
                control["watchdog"]["action"] = ACTIONS[profile.watchdog.action]
                control["watchdog"]["timer"] = _times(profile.watchdog)
        result["priority_flow_control"] = control
    return result


def _port(port: PortDesign, arp_timeout_s: int) -> dict[str, Any]:
    result: dict[str, Any] = {"name": port.name}
    if not port.enabled:
        result["shutdown"] = True
    if port.qos is None:
        return result
    result |= {
        "description": port.description,
        "mtu": port.mtu_bytes,
        "speed": port.speed_token,
        "service_profile": "ROCE" + port.qos.suffix,
    }
    if port.fec:
        result["error_correction_encoding"] = FEC[port.fec]
    if port.vlan:
        result["switchport"] = {"enabled": True, "mode": "access", "access_vlan": port.vlan}
        result["spanning_tree_portfast"] = "edge"
    else:
        result["switchport"] = {"enabled": False}
        if port.vrf:
            result["vrf"] = port.vrf
        if port.address:
            result["ip_address"] = port.address
        elif not port.ipv6 and not port.quarantined:
            result["ipv6_enable"] = True
        if port.ipv6:
            result["ipv6_address"] = port.ipv6
            result |= {} if port.announces_router else {"ipv6_nd_ra_disabled": True}
            if port.kind == "host":
                result["ipv6_nd"] = {"cache": {"expire": arp_timeout_s}}
    return result


def _prefixes(bgp: BgpDesign) -> list[dict[str, Any]]:
    hosts = [f"permit {_of_pool(pool)}" for pool in bgp.host_pools]
    actions = [f"permit {bgp.loopback_pool} eq 32", *hosts]
    return [{"sequence": 10 * number, "action": action} for number, action in enumerate(actions, 1)]


def _of_pool(pool: HostPool) -> str:
    whole = pool.network.endswith(f"/{pool.prefix_length}")
    return pool.network if whole else f"{pool.network} ge {pool.prefix_length}"


def _maps(profile: QosProfile) -> dict[str, list[str]]:
    classes = defaultdict(list)
    for dscp, number in enumerate(profile.dscp_to_traffic_class):
        classes[number].append(str(dscp))
    return {
        "dscp": [f"{' '.join(classes[item])} to traffic-class {item}" for item in sorted(classes)],
        "traffic_class": [
            f"{item} to tx-queue {profile.traffic_class_to_queue[item]}" for item in sorted(classes)
        ],
    }


#: Peer groups by role of the peer, in the order in which they stand.
GROUPS = (("leaf", "LEAVES"), ("spine", "SPINES"), ("super-spine", "SUPER-SPINES"))


def _bgp(device: DeviceDesign) -> dict[str, Any]:
    bgp = device.bgp
    kinds = {(peer.role, peer.families) for peer in bgp.neighbours}
    both = {role for role, families in kinds if len(families) > 1}
    of_kind = {
        (role, families): f"{name}{ending}"
        for families in (("ipv4", "ipv6"), ("ipv4",), ("ipv6",))
        for role, name in GROUPS
        for ending in (
            "-IPV6"
            if "ipv4" not in families
            else "-NUMBERED" * (role in both) * (2 - len(families)),
        )
        if (role, families) in kinds
    }
    peers: list[dict[str, Any]] = [
        {
            "name": group,
            "timers": f"{bgp.keepalive_s} {bgp.hold_s}",
            "send_community": "all",
            "maximum_routes": 0,
            **({"bfd": True} if bgp.bfd else {}),
            **(
                {"allowas_in": {"enabled": True, "times": bgp.allowas_in}} if bgp.allowas_in else {}
            ),
        }
        for group in of_kind.values()
    ]
    overlay = [
        {
            "name": group,
            "update_source": "Loopback0",
            "ebgp_multihop": 2,
            "timers": f"{bgp.keepalive_s} {bgp.hold_s}",
            "send_community": "all",
            "maximum_routes": 0,
            **({"next_hop_unchanged": True} if device.role != "leaf" else {}),
            **(
                {"allowas_in": {"enabled": True, "times": bgp.allowas_in}} if bgp.allowas_in else {}
            ),
        }
        for group in _evpn_groups(device)
    ]
    of_role = dict(GROUPS)
    over_ipv6 = {"next_hop": {"address_family_ipv6": {"enabled": True, "originate": True}}}
    ipv4: list[dict[str, Any]] = [
        {"name": group, "activate": True, **(over_ipv6 if "ipv6" in families else {})}
        for (_, families), group in of_kind.items()
        if "ipv4" in families
    ]
    ipv6 = [
        {"name": group, "activate": True}
        for (_, families), group in of_kind.items()
        if "ipv6" in families
    ]
    sessions: dict[str, Any] = {
        "neighbors": [
            _neighbour(peer, of_kind[peer.role, peer.families])
            for peer in bgp.neighbours
            if not peer.unnumbered
        ]
        + [
            _neighbour(peer, f"EVPN-{of_role[peer.role]}")
            for peer in (device.evpn.sessions if device.evpn else ())
        ]
    }
    if any(peer.unnumbered for peer in bgp.neighbours):
        sessions["neighbor_interfaces"] = [
            {
                "name": peer.port,
                "peer_group": of_kind[peer.role, peer.families],
                "remote_as": str(peer.asn),
            }
            for peer in bgp.neighbours
            if peer.unnumbered
        ]
    return {
        "as": str(bgp.asn),
        "router_id": bgp.router_id,
        "bgp": {"default": {"ipv4_unicast": False}},
        "maximum_paths": {"paths": bgp.max_paths, "ecmp": bgp.max_paths},
        "peer_groups": overlay + peers,
        **sessions,
        "redistribute": {"connected": {"enabled": True, "route_map": "RM-FABRIC"}},
        "address_family_ipv4": {"peer_groups": ipv4},
        **_tenants(device),
        **({"address_family_ipv6": {"peer_groups": ipv6}} if device.uses_ipv6 else {}),
        **(
            {"aggregate_addresses": [{"prefix": one, "summary_only": True} for one in summaries]}
            if (summaries := device.summaries + device.summaries6)
            else {}
        ),
    }


def _ending(families: tuple[str, ...], *, mixed: bool) -> str:
    if "ipv4" not in families:
        return "-IPV6"
    return "-NUMBERED" if mixed and len(families) == 1 else ""


def _neighbour(peer: BgpNeighbour, group: str) -> dict[str, str]:
    return {
        "ip_address": peer.address,
        "peer_group": group,
        "remote_as": str(peer.asn),
        "description": peer.name,
    }
