"""What CONFIG_DB of SONiC may hold, as data: tables, keys, fields, ranges and references.

Known: the YANG models of sonic-net/sonic-buildimage (src/sonic-yang-models/yang-models, branch
202405), reduced to the tables that a RoCE leaf and spine use. A table or field that is missing
here is refused, as the field of an unknown name is by the real models; so this is stricter than
a switch for tables that have a model but no place here.

A type is written ``kind[:argument]``: ``int:LOW..HIGH``, ``re:PATTERN``, ``enum:A|B``, ``bool``,
``str``, ``ip``, ``ref:TABLE[|TABLE]`` (a row of one of the tables), ``refs:TABLE`` (comma list)
and ``list:KIND`` (JSON array). Keys have one type per part.
"""

from __future__ import annotations

from dataclasses import dataclass, field

U64 = "int:0..18446744073709551615"
U32 = "int:0..4294967295"
U16 = "int:0..65535"
ONOFF = "enum:on|off"
UPDOWN = "enum:up|down"
PRIORITIES = "re:[0-7](,[0-7])*"
VLAN_NAME = "re:Vlan(409[0-5]|40[0-8][0-9]|[1-3][0-9]{3}|[1-9][0-9]{2}|[1-9][0-9]|[2-9])"
PREFIX = "re:[0-9a-fA-F.:]+/[0-9]{1,3}"
PORTS = "ref:PORT"
AF = "enum:ipv4_unicast|ipv6_unicast|l2vpn_evpn"


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of row of a table."""

    key: tuple[str, ...]
    fields: dict[str, str] = field(default_factory=dict)
    any_field: tuple[str, str] | None = None  # a map: types of field name and value


def _map(name: str, value: str) -> tuple[Row, ...]:
    return (Row(("str",), any_field=(name, value)),)


_BGP = {
    "asn": "int:1..4294967295",
    "local_asn": "int:1..4294967295",
    "name": "str",
    "local_addr": "str",
    "keepalive": U16,
    "holdtime": U16,
    "nhopself": "enum:0|1",
    "rrclient": "enum:0|1",
    "admin_status": UPDOWN,
    "peer_type": "enum:internal|external",
    "ebgp_multihop": "bool",
    "capability_ext_nexthop": "bool",
    "bfd": "bool",
    "passive_mode": "bool",
    "conn_retry": "int:1..65535",
    "min_adv_interval": "int:0..600",
    "peer_group_name": "str",
}
_BGP_AF = {
    "admin_status": UPDOWN,
    "route_map_in": "list:ref:ROUTE_MAP_SET",
    "route_map_out": "list:ref:ROUTE_MAP_SET",
    "max_prefix_limit": U32,
    "nhself": "bool",
    "allow_as_in": "bool",
    "unchanged_nexthop": "bool",
}
_COLOURS = ("green", "yellow", "red")
_HASH = (
    "enum:IN_PORT|DST_MAC|SRC_MAC|ETHERTYPE|VLAN_ID|IP_PROTOCOL|DST_IP|SRC_IP|L4_DST_PORT|"
    "L4_SRC_PORT|INNER_DST_MAC|INNER_SRC_MAC|INNER_ETHERTYPE|INNER_IP_PROTOCOL|INNER_DST_IP|"
    "INNER_SRC_IP|INNER_L4_DST_PORT|INNER_L4_SRC_PORT"
)
_ALGORITHM = "enum:CRC|XOR|RANDOM|CRC_32LO|CRC_32HI|CRC_CCITT|CRC_XOR"
_DEVICE_TYPES = (
    "enum:ToRRouter|LeafRouter|SpineChassisFrontendRouter|ChassisBackendRouter|ASIC|MgmtToRRouter|"
    "SpineRouter|BackEndToRRouter|BackEndLeafRouter|EPMS|MgmtTsToR|BmcMgmtToRRouter|SonicHost|"
    "SmartSwitchDPU|not-provisioned"
)
_INTERFACE = {
    "vrf_name": "str",
    "nat_zone": "int:0..3",
    "mpls": "enum:enable|disable",
    "ipv6_use_link_local_only": "enum:enable|disable",
    "mac_addr": "str",
    "loopback_action": "enum:drop|forward",
}
_ADDRESS = {"scope": "enum:global|local", "family": "enum:IPv4|IPv6", "secondary": "bool"}

TABLES: dict[str, tuple[Row, ...]] = {
    "DEVICE_METADATA": (
        Row(
            ("enum:localhost",),
            {
                "hostname": "re:[a-zA-Z0-9][a-zA-Z0-9-]{0,62}",
                "hwsku": "str",
                "platform": "str",
                "mac": "re:[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}",
                "type": _DEVICE_TYPES,
                "subtype": "str",
                "bgp_asn": "re:[0-9]+|None",
                "bgp_router_id": "ip",
                "buffer_model": "enum:traditional|dynamic",
                "default_bgp_status": UPDOWN,
                "default_pfcwd_status": "enum:enable|disable",
                "docker_routing_config_mode": "enum:unified|separated|split|split-unified",
                "frr_mgmt_framework_config": "bool",
                "deployment_id": U32,
                "region": "str",
                "cloudtype": "str",
                "timezone": "str",
                "yang_config_validation": "enum:enable|disable",
                "synchronous_mode": "enum:enable|disable",
            },
        ),
    ),
    "PORT": (
        Row(
            ("str",),
            {
                "alias": "str",
                "lanes": "re:[0-9]+(,[0-9]+)*",
                "index": U16,
                "description": "str",
                "speed": "int:1..800000",
                "mtu": "int:68..9216",
                "fec": "enum:rs|fc|none|auto",
                "admin_status": UPDOWN,
                "autoneg": ONOFF,
                "adv_speeds": "str",
                "link_training": ONOFF,
                "pfc_asym": ONOFF,
                "tpid": "enum:0x8100|0x9100|0x9200|0x88A8|0x88a8",
                "subport": "int:0..8",
                "role": "enum:Ext|Int|Inb|Rec|Dpc",
                "interface_type": "str",
                "dom_polling": "enum:enabled|disabled",
            },
        ),
    ),
    "LOOPBACK_INTERFACE": (Row(("str",), _INTERFACE), Row(("str", PREFIX), _ADDRESS)),
    "INTERFACE": (Row((PORTS,), _INTERFACE), Row((PORTS, PREFIX), _ADDRESS)),
    "MGMT_INTERFACE": (
        Row(("ref:MGMT_PORT", PREFIX), {"gwaddr": "ip", "forced_mgmt_routes": "list:str"}),
    ),
    "MGMT_PORT": (Row(("str",), {"alias": "str", "admin_status": UPDOWN, "description": "str"}),),
    "VLAN": (
        Row(
            (VLAN_NAME,),
            {
                "vlanid": "int:2..4094",
                "alias": "str",
                "description": "str",
                "mtu": "int:1..9216",
                "admin_status": UPDOWN,
                "mac": "str",
                "dhcp_servers": "list:ip",
            },
        ),
    ),
    "VLAN_MEMBER": (
        Row(("ref:VLAN", PORTS), {"tagging_mode": "enum:tagged|untagged|priority_tagged"}),
    ),
    "VLAN_INTERFACE": (
        Row(
            ("ref:VLAN",),
            {
                **_INTERFACE,
                "grat_arp": "enum:enabled|disabled",
                "proxy_arp": "enum:enabled|disabled",
            },
        ),
        Row(("ref:VLAN", PREFIX), _ADDRESS),
    ),
    "NEIGH": (Row(("str", "ip"), {"neigh": "str", "family": "enum:IPv4|IPv6"}),),
    "BGP_NEIGHBOR": (
        Row(("ip",), _BGP),
        Row(("ref:BGP_GLOBALS", "str"), _BGP),
    ),
    "BGP_GLOBALS": (
        Row(
            ("str",),
            {
                "local_asn": "int:1..4294967295",
                "router_id": "ip",
                "load_balance_mp_relax": "bool",
                "log_nbr_state_changes": "bool",
                "default_ipv4_unicast": "bool",
                "keepalive": U16,
                "holdtime": U16,
                "graceful_restart_enable": "bool",
            },
        ),
    ),
    "BGP_GLOBALS_AF": (
        Row(
            ("ref:BGP_GLOBALS", AF),
            {"max_ebgp_paths": "int:1..256", "max_ibgp_paths": "int:1..256"},
        ),
    ),
    "BGP_GLOBALS_AF_NETWORK": (Row(("ref:BGP_GLOBALS", AF, PREFIX)),),
    "BGP_PEER_GROUP": (Row(("ref:BGP_GLOBALS", "str"), _BGP),),
    "BGP_PEER_GROUP_AF": (Row(("ref:BGP_GLOBALS", "str", AF), _BGP_AF),),
    "BGP_NEIGHBOR_AF": (Row(("ref:BGP_GLOBALS", "str", AF), _BGP_AF),),
    "ROUTE_MAP_SET": (Row(("str",)),),
    "ROUTE_MAP": (
        Row(
            ("ref:ROUTE_MAP_SET", "int:1..65535"),
            {"route_operation": "enum:permit|deny", "match_prefix_set": "str"},
        ),
    ),
    "ROUTE_REDISTRIBUTE": (
        Row(("str", "enum:connected|static|ospf|ospf3", "enum:bgp", "enum:ipv4|ipv6")),
    ),
    "STATIC_ROUTE": (
        Row(("str", PREFIX), {"nexthop": "str", "ifname": "str", "distance": "str"}),
        Row((PREFIX,), {"nexthop": "str", "ifname": "str", "distance": "str"}),
    ),
    "DSCP_TO_TC_MAP": _map("int:0..63", "int:0..15"),
    "DOT1P_TO_TC_MAP": _map("int:0..7", "int:0..15"),
    "TC_TO_QUEUE_MAP": _map("int:0..15", "int:0..7"),
    "TC_TO_PRIORITY_GROUP_MAP": _map("int:0..15", "int:0..7"),
    "MAP_PFC_PRIORITY_TO_QUEUE": _map("int:0..7", "int:0..7"),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": _map("int:0..7", "int:0..7"),
    "SCHEDULER": (
        Row(
            ("str",),
            {
                "type": "enum:DWRR|WRR|STRICT",
                "weight": "int:1..100",
                "priority": "int:0..9",
                "meter_type": "enum:packets|bytes",
                "cir": U64,
                "pir": U64,
                "cbs": U32,
                "pbs": U32,
            },
        ),
    ),
    "WRED_PROFILE": (
        Row(
            ("re:[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}",),
            {
                "ecn": "enum:ecn_none|ecn_green|ecn_yellow|ecn_red|ecn_green_yellow|ecn_green_red|"
                "ecn_yellow_red|ecn_all",
                **{f"wred_{colour}_enable": "bool" for colour in _COLOURS},
                **{f"{colour}_min_threshold": U64 for colour in _COLOURS},
                **{f"{colour}_max_threshold": U64 for colour in _COLOURS},
                **{f"{colour}_drop_probability": "int:0..100" for colour in _COLOURS},
            },
        ),
    ),
    "PORT_QOS_MAP": (
        Row(
            ("ref:PORT|global",),
            {
                "dscp_to_tc_map": "ref:DSCP_TO_TC_MAP",
                "dot1p_to_tc_map": "ref:DOT1P_TO_TC_MAP",
                "tc_to_queue_map": "ref:TC_TO_QUEUE_MAP",
                "tc_to_pg_map": "ref:TC_TO_PRIORITY_GROUP_MAP",
                "pfc_to_queue_map": "ref:MAP_PFC_PRIORITY_TO_QUEUE",
                "pfc_to_pg_map": "ref:PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
                "pfc_enable": PRIORITIES,
                "pfcwd_sw_enable": PRIORITIES,
                "scheduler": "ref:SCHEDULER",
            },
        ),
    ),
    "QUEUE": (
        Row(
            ("ref:PORT|CPU", "str"),
            {"scheduler": "ref:SCHEDULER", "wred_profile": "ref:WRED_PROFILE"},
        ),
    ),
    "CABLE_LENGTH": (Row(("str",), any_field=(PORTS, "re:[0-9]+m")),),
    "BUFFER_POOL": (
        Row(
            ("str",),
            {
                "type": "enum:ingress|egress|both",
                "mode": "enum:static|dynamic",
                "size": U64,
                "xoff": U64,
                "percentage": "int:0..255",
            },
        ),
    ),
    "BUFFER_PROFILE": (
        Row(
            ("str",),
            {
                "pool": "ref:BUFFER_POOL",
                "size": U64,
                "static_th": U64,
                "dynamic_th": "int:-8..7",
                "xon": U64,
                "xoff": U64,
                "xon_offset": U64,
                "headroom_type": "enum:static|dynamic",
            },
        ),
    ),
    "BUFFER_PG": (Row((PORTS, "re:[0-7](-[0-7])?"), {"profile": "ref:BUFFER_PROFILE|NULL"}),),
    "BUFFER_QUEUE": (Row((PORTS, "re:[0-9]+(-[0-9]+)?"), {"profile": "ref:BUFFER_PROFILE"}),),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": (Row((PORTS,), {"profile_list": "refs:BUFFER_PROFILE"}),),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": (Row((PORTS,), {"profile_list": "refs:BUFFER_PROFILE"}),),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": (
        Row(("str",), {"default_dynamic_th": "int:-8..7", "over_subscribe_ratio": "int:0..65535"}),
    ),
    "LOSSLESS_TRAFFIC_PATTERN": (
        Row(("str",), {"mtu": "int:1..9216", "small_packet_percentage": "int:0..100"}),
    ),
    "PFC_WD": (
        Row(
            ("ref:PORT|GLOBAL",),
            {
                "action": "enum:drop|forward|alert",
                "detection_time": "int:100..5000",
                "restoration_time": "int:100..60000",
                "POLL_INTERVAL": "int:100..3000",
            },
        ),
    ),
    "CRM": (
        Row(
            ("enum:Config",),
            any_field=(
                "re:[a-z0-9_]+_(threshold_type|low_threshold|high_threshold)|polling_interval",
                "str",
            ),
        ),
    ),
    "SWITCH_HASH": (
        Row(
            ("enum:GLOBAL",),
            {
                "ecmp_hash": f"list:{_HASH}",
                "lag_hash": f"list:{_HASH}",
                "ecmp_hash_algorithm": _ALGORITHM,
                "lag_hash_algorithm": _ALGORITHM,
            },
        ),
    ),
    "NTP_SERVER": (Row(("str",), {"iburst": ONOFF, "association_type": "enum:server|pool"}),),
    "SYSLOG_SERVER": (
        Row(("str",), {"source": "ip", "port": U16, "vrf": "str", "severity": "str"}),
    ),
    "LLDP": (Row(("str",), any_field=("str", "str")),),
    "FEATURE": (Row(("str",), any_field=("str", "str")),),
    "FLEX_COUNTER_TABLE": (Row(("str",), any_field=("str", "str")),),
    "LOGGER": (Row(("str",), any_field=("str", "str")),),
    "VERSIONS": (Row(("str",), {"VERSION": "str"}),),
    "BREAKOUT_CFG": (Row((PORTS,), {"brkout_mode": "str", "port": "str"}),),
    "DEVICE_NEIGHBOR": (Row((PORTS,), {"name": "str", "port": "str"}),),
    "DEVICE_NEIGHBOR_METADATA": (Row(("str",), any_field=("str", "str")),),
}
