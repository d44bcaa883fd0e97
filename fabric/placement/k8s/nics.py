"""Settings and names of NICs, for the NIC configuration operator.

Mellanox/nic-configuration-operator 8bfbeb3: ``pkg/configuration`` for what a template brings about.
Its ``roceOptimized`` writes CNP DSCP 4 up to release 26.7 and 48 from 26.10 on; raw settings come
last and win, so that none of them decides. Next to a Spectrum-X profile releases reject raw
settings, and a template has no such profile. There is no map from DSCP to priority, so that the
priority is DSCP / 8.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.core.exports import together
from fabric.intent.classes import lossless_classes
from fabric.placement.k8s.manifest import Manifest
from fabric.placement.pcie import refused_field

if TYPE_CHECKING:
    from fabric.placement.k8s.cluster import Cluster

#: mlxconfig: CNP_DSCP_Pn and CNP_802P_PRIO_Pn of each port.
_CNP_DSCP, _CNP_PRIORITY = "CNP_DSCP_P{port}", "CNP_802P_PRIO_P{port}"
#: Priorities of PFC (IEEE 802.1Q-2018 clause 36).
_PRIORITIES = 8


def nic_settings(cluster: Cluster) -> list[Manifest]:
    """Return one NicConfigurationTemplate for the NICs of all rails: two would void each other.

    Raises
    ------
    InputError
        When the NICs cannot be named, or the operator cannot bring the policy about.
    """
    what = "NicConfigurationTemplate"
    together(
        lambda: _check_policy(cluster),
        lambda: cluster.device_id(what),
        lambda: cluster.pci_addresses(what),
    )
    template: dict[str, Any] = {
        "numVfs": cluster.traits.nic.virtual_functions,
        "linkType": "Ethernet",
        "pciPerformanceOptimized": {"enabled": True, **_read_request(cluster)},
        "roceOptimized": {"enabled": True, "roceMode": 2, "qos": _qos(cluster)},
        "gpuDirectOptimized": {"enabled": True, "env": "Baremetal"},
        "rawNvConfig": _raw(cluster),
    }
    if cluster.traits.virtual_machine:
        del template["gpuDirectOptimized"]
    spec = {
        "nodeSelector": cluster.node_selector,
        "nicSelector": {
            "nicType": cluster.device_id(what),
            "pciAddresses": cluster.pci_addresses(what),
        },
        "template": template,
    }
    return [Manifest(what, "rails", cluster.settings.operator_namespace, spec)]


def _check_policy(cluster: Cluster) -> None:
    """Refuse a policy that the operator cannot bring about."""
    policy = cluster.policy
    if len(policy.classes) > 1:
        message = "the operator sets up one lossless class, not several"
        fix = "configure the NICs with `rocefab render`"
        raise refused_field(cluster.fabric, ("lossless", "classes"), message, fix)
    (one,) = lossless_classes(policy)
    priority = one.pfc_priority
    if one.roce_dscp // _PRIORITIES != priority:
        message = (
            f"the operator maps DSCP {one.roce_dscp} to "
            f"priority {one.roce_dscp // _PRIORITIES}, not {priority}"
        )
        fix = (
            "use one of the 8 DSCPs from 8 times the priority, or configure the NICs with "
            "`rocefab render`"
        )
        raise refused_field(cluster.fabric, ("lossless", "roce_dscp"), message, fix)


def _read_request(cluster: Cluster) -> dict[str, int]:
    size_bytes = cluster.traits.tuning.max_read_request_bytes
    return {"maxReadRequest": size_bytes} if size_bytes else {}


def _qos(cluster: Cluster) -> dict[str, Any]:
    policy = cluster.policy
    (one,) = lossless_classes(policy)
    on = [int(policy.pfc and number == one.pfc_priority) for number in range(_PRIORITIES)]
    rows = [cluster.nic_row(host, rail) for host in cluster.hosts for rail in cluster.rails]
    return {
        "trust": "dscp",
        "pfc": ",".join(str(flag) for flag in on),
        "tos": cluster.class_byte,
        "cableLen": int(cluster.fabric.nics.cable_m[rows].max()),
        "ecn": {"enabled": True, "priority": one.pfc_priority},
        "pauseFrames": {"enabled": False},
    }


def _raw(cluster: Cluster) -> list[dict[str, str]]:
    policy, ports = cluster.policy, range(1, cluster.traits.nic.ports_per_card + 1)
    return [
        {"name": name.format(port=port), "value": str(value)}
        for port in ports
        for name, value in (
            (_CNP_DSCP, policy.cnp_dscp),
            (_CNP_PRIORITY, policy.cnp_traffic_class),
        )
    ]


def nic_names(cluster: Cluster) -> list[Manifest]:
    """Return the NicInterfaceNameTemplate that gives NICs the names of the inventory.

    Raises
    ------
    InputError
        When those names do not end in the number of the rail, from 0 on.
    """
    what, ports = "NicInterfaceNameTemplate", cluster.traits.nic.ports_per_card
    interfaces = [names.interface for names in cluster.names]
    devices = [names.rdma_device for names in cluster.names]
    net, rdma, *addresses = together(
        lambda: _pattern(cluster, "interfaces", interfaces),
        lambda: _pattern(cluster, "rdma_devices", devices),
        *(partial(cluster.pci_address, rail, what) for rail in cluster.rails),
    )
    spec = {
        "nodeSelector": cluster.node_selector,
        "pfsPerNic": ports,
        "netDevicePrefix": net,
        "rdmaDevicePrefix": rdma,
        "railPciAddresses": [[address] for address in addresses],
    }
    return [Manifest(what, "rails", cluster.settings.operator_namespace, spec)]


def _pattern(cluster: Cluster, field: str, names: list[str]) -> str:
    stem = re.sub(r"[0-9]+$", "", names[0])
    if [f"{stem}{rail}" for rail in cluster.rails] != names:
        message = f"names {names[0]} to {names[-1]} do not end in the rail number, counted from 0"
        fix = f"set host.{field} to rail[0-{len(names) - 1}], or rename the NICs with udev"
        raise refused_field(cluster.fabric, ("host", field), message, fix)
    return f"{stem}%rail_id%"
