"""Settings of the inventory, each with what its files say beside the base of a system.

In texts ``{port}`` and ``{second}`` stand for the host ports of a leaf, ``{uplink}`` for its first
uplink, ``{sku}`` for the model of a system.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, get_args

from fabric.intent.device_model import DeviceOverride, PortOverride
from fabric.intent.platform_model import RolePlatform
from fabric.intent.policy import WatchdogPolicy
from fabric.intent.scalars import EcmpMode, Gbps
from tests.witness.fields import choices

Data = dict[str, Any]
LEAF, SPINE, HOST = "su1-rail0", "spine01", "gpu1"


@dataclass(frozen=True)
class Setting:
    """What an inventory says beside its base.

    Parameters
    ----------
    fabric : dict
        Is merged into ``fabric.yaml``, mapping by mapping; None removes a field.
    devices, hosts : tuple of dict
        Overrides.
    cabling : str
        Rows of ``cabling.csv``; empty for none.
    """

    fabric: Data = field(default_factory=dict)
    devices: tuple[Data, ...] = ()
    hosts: tuple[Data, ...] = ()
    cabling: str = ""


def _lossless(**fields: Any) -> Setting:
    return Setting({"lossless": fields})


def _leaf(**fields: Any) -> Setting:
    return Setting(devices=({"names": LEAF, **fields},))


def _port(name: str = "{port}", **fields: Any) -> Setting:
    return _leaf(ports={name: fields})


def _platform(**fields: Any) -> Setting:
    return Setting({"platforms": {"leaf": fields}})


def _nic(**fields: Any) -> Setting:
    return Setting(hosts=({"names": HOST, "nics": [{"rail": 0, **fields}]},))


def _some_at(gbps: int) -> Setting:
    """Return a speed of a unit, of a NIC and of a port."""
    return Setting(
        {"units": [{"name": "su1", "hosts": "gpu[1-2]", "host_gbps": gbps}]},
        ({"names": LEAF, "ports": {"{second}": {"speed_gbps": gbps}}},),
        ({"names": HOST, "nics": [{"rail": 0, "speed_gbps": gbps}]},),
    )


TWO_CLASSES = [
    {"name": "storage", "dscps": [24], "pfc_priority": 4},
    {"name": "compute", "dscps": [26, 27], "pfc_priority": 3, "scheduler_percent": 25},
]
_OWN_NUMBERS = [
    {
        "name": "storage",
        "dscps": [24],
        "pfc_priority": 4,
        "traffic_class": 4,
        "queue": 4,
        "priority_group": 4,
        "ecn": {"kmin_bytes": 300_000, "kmax_bytes": 1_200_000, "pmax_percent": 50},
    },
    {"name": "compute", "dscps": [26], "pfc_priority": 3},
]
_PARTS = [{"cages": "1-2", "mode": "{mode}"}]
_WRED = {"kmin_bytes": 100_000, "kmax_bytes": 1_000_000, "pmax_percent": 20}

_DESCRIPTIONS = (
    ("to gpu1", "x", "description", "! comment # hash"),
    ("a 'quoted' word", 'a "quoted" word', "back\\slash; semicolon", "{{ 7 * 7 }} $HOME `id`"),
    ("  spaces  inside  ", "no shutdown", "vlan 5", "ends with ?"),
    ("<a & b> %s", "tilde ~ caret ^ bar |", "x" * 120, "to spine01 / row 4, unit 2"),
)

_SHAPES = {
    "design rail-only": Setting({
        "design": "rail-only",
        "spines": None,
        "platforms": {"spine": None},
        "speeds": {"uplink_gbps": None},
        "addressing": {"uplinks": None},
    }),
    "design classic-tor": Setting({"design": "classic-tor"}),
    "design explicit": Setting(
        {
            "design": "explicit",
            "spines": None,
            "switches": [
                {"names": SPINE, "role": "spine", "loopback": "10.255.0.21", "sku": "{sku}"},
                {"names": LEAF, "role": "leaf", "unit": "su1", "rail": 0, "asn": 65206},
                {"names": "su1-rail1", "role": "leaf", "unit": "su1", "rail": 1},
            ],
        },
        cabling=f"gpu1,eth1,{LEAF},{{port}},\ngpu1,eth2,su1-rail1,{{port}},40\n"
        f"{LEAF},{{uplink}},{SPINE},{{port}},\nsu1-rail1,{{uplink}},{SPINE},{{second}},\n",
    ),
    "cabling explicit": Setting(
        {"cabling": "explicit"},
        cabling=f"gpu1,eth1,{LEAF},{{port}},\ngpu1,eth2,su1-rail1,{{port}},\n"
        f"gpu2,eth1,{LEAF},{{second}},\ngpu2,eth2,su1-rail1,{{second}},\n"
        f"{LEAF},{{uplink}},{SPINE},{{port}},\nsu1-rail1,{{uplink}},{SPINE},{{second}},\n"
        f"{LEAF},{{last}},spine02,{{port}},\nsu1-rail1,{{last}},spine02,{{second}},\n",
    ),
    "super-spines": Setting({
        "units": [{"name": "su1", "hosts": "gpu[1-2]", "pod": "east"}],
        "super_spines": {
            "count": 2,
            "links_per_spine": 1,
            "groups": 1,
            "spines_per_pod": 2,
        },
        "platforms": {"super_spine": {"sku": "{sku}"}},
        "addressing": {"core_links": "10.253.0.0/22", "core_links_per_spine": 16},
        "cables": {"core_m": 5},
        "bgp": {"pod_asn_first": 64700, "super_spine_asn": 64800},
    }),
    "two NIC ports and planes": Setting({"nic_ports": 2, "planes": 2, "rails": 1}),
    "two NIC ports": Setting({"nic_ports": 2, "rails": 1}),
    "explicit pods and planes": Setting(
        {
            "design": "explicit",
            "spines": None,
            "nic_ports": 2,
            "planes": 2,
            "rails": 1,
            "units": [{"name": "su1", "hosts": "gpu1", "pod": "east"}],
            "switches": [
                {"names": "core1", "role": "super-spine", "plane": 0},
                {"names": SPINE, "role": "spine", "pod": "east", "plane": 0},
                {"names": LEAF, "role": "leaf", "unit": "su1", "pod": "east", "plane": 0},
                {"names": "su1-b", "role": "leaf", "unit": "su1", "pod": "east", "plane": 1},
            ],
            "platforms": {"super_spine": {"sku": "{sku}"}},
            "addressing": {"core_links": "10.253.0.0/22"},
        },
        cabling=f"gpu1,eth1,{LEAF},{{port}},\ngpu1,eth2,su1-b,{{port}},\n"
        f"{LEAF},{{uplink}},{SPINE},{{port}},\n{SPINE},{{last}},core1,{{port}},\n",
    ),
    "two links per leaf": Setting({"spines": {"links_per_leaf": 2}}),
    "names": Setting({
        "switch_prefix": "train",
    }),
    "own names": Setting({"leaf_names": "left,right", "spine_names": "top[1-2]"}),
    "model of a unit": Setting({
        "units": [{"name": "su1", "hosts": "gpu[1-2]", "leaf_sku": "{sku}"}]
    }),
    "defaults in words": Setting({"cabling": "generated", "nic_ports": 1, "planes": 1}),
}

_PLATFORMS = {
    **{f"scope {value}": _platform(scope=value) for value in choices(RolePlatform, "scope")},
    **{
        f"buffer model {value}": _platform(buffer_model=value)
        for value in choices(RolePlatform, "buffer_model")
    },
    "shared headroom": _platform(buffer_model="dynamic", headroom_over_subscription=2),
    "ports by role": Setting({
        "platforms": {
            "leaf": {"host_ports": 4, "reserved_ports": ["{second}"]},
            "spine": {"down_ports": 8},
        }
    }),
    "release": _platform(release="{release}"),
    "breakout": Setting({
        "platforms": {"leaf": {"breakouts": _PARTS, "host_ports": 6}},
        "speeds": {"host_gbps": "{part_gbps}"},
    }),
    "policy of a role": Setting({
        "platforms": {"spine": {"lossless": {"ecn": {"kmax_bytes": 1_600_000}}}}
    }),
    **{
        f"override of a buffer model {value}": _leaf(buffer_model=value)
        for value in choices(DeviceOverride, "buffer_model")
    },
    "response to a pause": _platform(pause_response_ns=2000),
    "override of a response to a pause": _leaf(pause_response_ns=2000),
    "override of a shared headroom": _leaf(buffer_model="dynamic", headroom_over_subscription=2),
    "override of a switch": _leaf(
        sku="{sku}",
        asn=65_333,
        loopback="10.255.0.99",
        mac="02:00:00:00:00:99",
        serial="SN 1",
    ),
    "override of a release": _leaf(release="{release}"),
    "override of a breakout": Setting(
        {"speeds": {"host_gbps": "{part_gbps}"}, "platforms": {"leaf": {"host_ports": 6}}},
        ({"names": "su1-rail[0-1]", "breakouts": _PARTS},),
    ),
    "override of a policy": _leaf(
        lossless={"scheduler": {"lossless_percent": 60, "default_percent": 40}}
    ),
    "policy of a port": _port(lossless={"ecn": {"kmin_bytes": 300_000, "pmax_percent": 50}}),
    "policy of a host": Setting(
        hosts=({"names": HOST, "serial": "H1", "lossless": {"watchdog": {"enabled": False}}},)
    ),
}

_LINKS = {
    **{
        f"speed {gbps}": Setting({
            "speeds": {"host_gbps": gbps, "uplink_gbps": gbps, "core_gbps": gbps}
        })
        for gbps in get_args(Gbps)
    },
    **{f"speed {gbps} of some": _some_at(gbps) for gbps in get_args(Gbps)},
    "cables": Setting({"cables": {"host_m": 40, "uplink_m": 5}}),
    "cables between the steps of a table": Setting({"cables": {"host_m": 3, "uplink_m": 7}}),
    **{f"fec {fec}": _port(fec=fec) for fec in choices(PortOverride, "fec")},
    **{
        f"fec {fec} on parts": Setting(
            {
                "platforms": {"leaf": {"breakouts": _PARTS}},
                "speeds": {"host_gbps": "{part_gbps}"},
            },
            ({"names": LEAF, "ports": {"{part}": {"fec": fec}}},),
        )
        for fec in choices(PortOverride, "fec")
    },
    **{
        f"fec {fec} of an uplink at 100": Setting(
            {"speeds": {"host_gbps": 100, "uplink_gbps": 100}},
            ({"names": LEAF, "ports": {"{uplink}": {"fec": fec}}},),
        )
        for fec in choices(PortOverride, "fec")
    },
    "port off": _port(enabled=False),
    "port on": _port(enabled=True),
    "cable of a port": _port("{uplink}", cable_m=5),
    "broken port": _port("{spare}", state="broken"),
    "working port": _port(state="working"),
    "address of a link": Setting(
        devices=(
            {"names": LEAF, "ports": {"{uplink}": {"address": "10.254.200.1/30"}}},
            {"names": SPINE, "ports": {"{port}": {"address": "10.254.200.2/30"}}},
        )
    ),
    "other peer": _port("{uplink}", peer={"device": "spine02", "port": "{spare}"}),
    **{
        f"descriptions {number}": _leaf(
            ports={
                port: {"description": text}
                for port, text in zip(
                    ("{port}", "{second}", "{uplink}", "{last}"), texts, strict=True
                )
            }
        )
        for number, texts in enumerate(_DESCRIPTIONS)
    },
    "NIC off": _nic(enabled=False),
    "NIC": _nic(
        enabled=True,
        nic_port=0,
        interface="eth7",
        rdma_device="mlx5_7",
        mac="02:00:00:00:00:07",
        cable_m=40,
        leaf=LEAF,
        port="{spare}",
        address="10.64.0.77",
    ),
}

_NETWORK = {
    **{
        f"a VLAN per {value}": Setting({"addressing": {"vlan_per": value}})
        for value in ("rail", "nic")
    },
    "routed NIC ports": Setting({"addressing": {"vlan_per": "none"}}),
    "routed NIC ports with room": Setting({
        "addressing": {
            "vlan_per": "none",
            "routed_hosts": "10.128.0.0/12",
            "routed_prefix_length": 28,
            "advertise": "nic",
        }
    }),
    "IPv6 beside IPv4": Setting({
        "addressing": {
            "vlan_per": "none",
            "routed_prefix_length": 30,
            "ipv6": {"hosts": "fd00:64::/48", "assignment": "static", "rdma": True},
        },
        "bgp": {"peering": "unnumbered"},
    }),
    "IPv6 over numbered links": Setting(
        {
            "addressing": {
                "vlan_per": "none",
                "routed_prefix_length": 30,
                "ipv6": {"hosts": "fd00:64::/48", "uplinks": "fd00:65::/64", "rdma": False},
            },
            "bgp": {"peering": "numbered"},
        },
        ({"names": LEAF, "ports": {"{uplink}": {"ipv6": "fd00:7::8/127"}}},),
    ),
    "IPv6 alone, by SLAAC, behind one prefix": Setting({
        "addressing": {
            "vlan_per": "none",
            "hosts": None,
            "advertise": "leaf",
            "ipv6": {"hosts": "fd00:64::/48", "assignment": "slaac"},
        },
        "bgp": {"peering": "unnumbered"},
    }),
    "routed NIC ports of a unit": Setting({
        "units": [
            {"name": "su1", "hosts": "gpu[1-2]"},
            {"name": "su2", "hosts": "gpu[3-4]", "vlan_per": "none"},
        ],
        "addressing": {"routed_hosts": "10.128.0.0/12", "routed_prefix_length": 30},
    }),
    "routed NIC ports behind one prefix": Setting({
        "addressing": {"vlan_per": "none", "advertise": "leaf", "routed_prefix_length": 30}
    }),
    "addresses": Setting({
        "addressing": {
            "uplinks_per_leaf": 16,
            "host_prefix_length": 26,
            "gateway_offset": 62,
            "first_host_offset": 5,
            "vlan_first": 201,
        }
    }),
    "own subnet": _leaf(
        subnets=[{"rail": 0, "vlan": 777, "network": "10.64.99.0/24", "gateway": "10.64.99.254"}]
    ),
    "own subnet of a NIC": Setting(
        {"addressing": {"vlan_per": "nic"}},
        ({"names": LEAF, "subnets": [{"slot": 1, "vlan": 778, "network": "10.64.98.0/24"}]},),
    ),
    "own IPv6 subnet of a NIC": Setting(
        {
            "addressing": {"vlan_per": "none", "ipv6": {"hosts": "fd00:64::/48"}},
            "bgp": {"peering": "unnumbered"},
        },
        (
            {
                "names": LEAF,
                "subnets": [
                    {"slot": 1, "ipv6": "fd00:64::e000/127", "ipv6_gateway": "fd00:64::e001"}
                ],
            },
        ),
        ({"names": "gpu2", "nics": [{"rail": 0, "ipv6": "fd00:64::e000"}]},),
    ),
    **{
        f"{peering} with{'' if bfd else 'out'} BFD": Setting({
            "bgp": {"peering": peering, "bfd": bfd}
        })
        for peering, bfd in product(("numbered", "unnumbered"), (True, False))
    },
    "peering of a switch numbered": Setting(
        {"bgp": {"peering": "unnumbered"}}, ({"names": LEAF, "peering": "numbered"},)
    ),
    "peering of switches unnumbered": Setting(
        devices=({"names": f"{LEAF},{SPINE}", "peering": "unnumbered"},)
    ),
    "peering of a port numbered": Setting(
        {"bgp": {"peering": "unnumbered"}},
        ({"names": LEAF, "ports": {"{uplink}": {"peering": "numbered"}}},),
    ),
    "peering of a port unnumbered": Setting(
        devices=(
            {"names": LEAF, "ports": {"{uplink}": {"peering": "unnumbered"}}},
            {"names": SPINE, "ports": {"{port}": {"peering": "unnumbered"}}},
        )
    ),
    "AS numbers": Setting({"bgp": {"spine_asn": 4_200_000_000, "leaf_asn_first": 4_200_001_000}}),
    "shared AS": Setting(
        {"bgp": {"allowas_in": 1}},
        ({"names": "su1-rail[0-1]", "asn": 65_400},),
    ),
    "BGP timers": Setting({"bgp": {"keepalive_s": 10, "hold_s": 30, "max_paths": 8}}),
    "BGP timers with BFD": Setting({
        "bgp": {"keepalive_s": 1, "hold_s": 3, "bfd": True, "max_paths": 2, "allowas_in": 2}
    }),
    **{
        f"ecmp {mode}, queue pairs {pairs}": Setting({
            "ecmp": {"mode": mode, "hash_queue_pairs": pairs}
        })
        for mode, pairs in product(get_args(EcmpMode), (True, False))
    },
    "ageing": Setting({"arp": {"timeout_s": 300, "mac_ageing_s": 1_800}}),
    "ageing of many gateways": Setting({
        "arp": {"timeout_s": 120, "mac_ageing_s": 900, "neighbour_capacity": 16_384},
        "addressing": {"vlan_per": "nic"},
    }),
    "servers": Setting({
        "management": {
            "ntp_servers": ["192.0.2.10", "192.0.2.11", "2001:db8::10"],
            "syslog_servers": ["192.0.2.20", "192.0.2.21", "2001:db8::20"],
        }
    }),
    "servers in a VRF": Setting({
        "management": {
            "ntp_servers": ["192.0.2.10", "2001:db8::10"],
            "syslog_servers": ["192.0.2.20", "2001:db8::20"],
            "vrf": "OOB",
        }
    }),
    "no servers": Setting({"management": {"ntp_servers": [], "syslog_servers": []}}),
}

_CLASS = {
    "DSCPs": _lossless(roce_dscp=24, cnp_dscp=46),
    "other class": _lossless(pfc_priority=4, traffic_class=4, queue=4, priority_group=4),
    "class of CNPs": _lossless(cnp_traffic_class=7, cnp_queue=7),
    **{f"PFC {state}": _lossless(pfc=state) for state in (True, False)},
    "ECN": _lossless(ecn={"kmin_bytes": 1_000_000, "kmax_bytes": 2_000_000, "pmax_percent": 10}),
    "ECN as a step": _lossless(
        ecn={"kmin_bytes": 750_000, "kmax_bytes": 7_500_000, "pmax_percent": 100}
    ),
    "shares": _lossless(scheduler={"lossless_percent": 90, "default_percent": 10}),
    "buffers of other traffic": _lossless(lossy={"dynamic_th": 1, "reserved_bytes": 1664}),
    "WRED": _lossless(lossy={"wred": _WRED}),
    "WRED beside ECN": _lossless(
        lossy={"wred": _WRED}, ecn={"kmin_bytes": 1_000_000, "kmax_bytes": 3_000_000}
    ),
    **{
        f"watchdog {action} after {detection} ms": _lossless(
            watchdog={
                "enabled": True,
                "action": action,
                "detection_ms": detection,
                "restoration_ms": restoration,
                "poll_ms": poll,
            }
        )
        for action, (detection, restoration, poll) in product(
            choices(WatchdogPolicy, "action"), ((200, 200, 100), (400, 800, 200), (1000, 1000, 100))
        )
    },
    "no watchdog": _lossless(watchdog={"enabled": False}),
    "no PFC and no watchdog": _lossless(pfc=False, watchdog={"enabled": False}),
    "two classes": _lossless(classes=TWO_CLASSES),
    "two classes with own numbers": _lossless(classes=_OWN_NUMBERS),
    "two classes without PFC": _lossless(classes=TWO_CLASSES, pfc=False),
    "two classes with WRED": _lossless(classes=_OWN_NUMBERS, lossy={"wred": _WRED}),
    "MTU": _lossless(mtu={"port_bytes": 9216, "host_bytes": 9000}),
    "small MTU": _lossless(mtu={"port_bytes": 4500, "host_bytes": 4400}),
    "dynamic threshold": _lossless(dynamic_th=0),
    "pause buffer": _lossless(
        pause_buffer={"pause_threshold_bytes": 400_000, "resume_threshold_bytes": 90_000}
    ),
    "pause buffer with its size": _lossless(
        pause_buffer={
            "pause_threshold_bytes": 400_000,
            "resume_threshold_bytes": 90_000,
            "buffer_bytes": 900_000,
        }
    ),
    "pause buffer of two classes": _lossless(
        classes=TWO_CLASSES,
        pause_buffer={"pause_threshold_bytes": 400_000, "resume_threshold_bytes": 90_000},
    ),
}

#: Every setting by its name.
SETTINGS: dict[str, Setting] = {
    "base": Setting(),
    **_SHAPES,
    **_PLATFORMS,
    **_LINKS,
    **_NETWORK,
    **_CLASS,
}
