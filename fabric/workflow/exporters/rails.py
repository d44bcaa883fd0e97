"""export rails: the rails that LLDP confirms, for Kubernetes, with the time of the reading.

Forms: NodeFeature of kubernetes-sigs/node-feature-discovery (``docs/usage/custom-resources.md``);
ResourceSlice of kubernetes/kubernetes ``staging/src/k8s.io/api/resource/v1/types.go`` (Kubernetes
1.34; ``skipNodeOperations`` from 1.37), with ``resource.kubernetes.io/pciBusID`` of Kubernetes'
standard device attributes; ``status`` of the NodeNICRailMapping that NVIDIA/topograph has as a
draft (``docs/design/gpu-nic-rail-mapping-sdd.md``). A NIC that is not on its rail is in none of
them, so that applying the files takes it away.
"""

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.placement.export import Order
from fabric.placement.k8s.cluster import node_names
from fabric.placement.k8s.labels import PREFIX, label_value
from fabric.placement.k8s.manifest import NFD_NODE, Manifest, yaml_text
from fabric.placement.pcie import refused_trait

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from fabric.topology.rails import NicRail
    from fabric.workflow.rails import Rails

FORM = "rails"
#: Prefix of labels, and name of the driver of ResourceSlices.
LLDP = f"lldp.{PREFIX}"
READ_AT = f"{LLDP}/read-at"
ALL_RAILS = f"{LLDP}/all-rails"
_SEPARATOR = "---\n"


def _by_node(rails: Rails) -> dict[str, list[NicRail]]:
    """Return the NICs of each node that are on, in order."""
    nodes: dict[str, list[NicRail]] = {
        name: [] for name in node_names(Order(rails.fabric, excluded=rails.excluded))
    }
    for nic in rails.nics:
        if nic.host in nodes:
            nodes[nic.host].append(nic)
    return nodes


def _confirmed(nics: list[NicRail]) -> list[NicRail]:
    return [nic for nic in nics if nic.is_on_rail]


def _name(rails: Rails, nic: NicRail) -> str:
    return f"rail-{nic.rail}" + (f"-port-{nic.nic_port}" if rails.fabric.nic_ports > 1 else "")


def _labels(rails: Rails, nics: list[NicRail]) -> dict[str, str]:
    """Return the leaf of each rail, and a label that all rails of a node have together."""
    confirmed = _confirmed(nics)
    labels = {f"{LLDP}/{_name(rails, nic)}": label_value(nic.planned[0]) for nic in confirmed}
    whole = {ALL_RAILS: "true"} if confirmed and len(confirmed) == len(nics) else {}
    return {**labels, **whole}


def _read_at(nics: list[NicRail]) -> dict[str, str]:
    """Return when the oldest reading was taken that counts for a node; nothing without one."""
    oldest = min((nic.read_at for nic in nics if nic.read_at), default=None)
    return {READ_AT: _time(oldest)} if oldest else {}


def _time(time: datetime | None) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds") if time else ""


def _rail_labels(rails: Rails) -> list[Manifest]:
    return [
        Manifest("Node", node, None, {}, "v1", _labels(rails, nics), _read_at(nics))
        for node, nics in _by_node(rails).items()
    ]


def _rail_features(rails: Rails) -> list[Manifest]:
    """Return the same labels for NFD, and each NIC as a feature for its rules."""
    space = rails.fabric.intent.fabric.kubernetes.operator_namespace
    objects = []
    for node, nics in _by_node(rails).items():
        elements = [
            {
                "attributes": {
                    "rail": str(nic.rail),
                    "port": str(nic.nic_port),
                    "interface": nic.interface,
                    "leaf": nic.planned[0],
                    "readAt": _time(nic.read_at),
                }
            }
            for nic in _confirmed(nics)
        ]
        features = {"instances": {f"{LLDP}.nic": {"elements": elements}}} if elements else {}
        spec = {"labels": _labels(rails, nics), **({"features": features} if features else {})}
        notes, version, name = _read_at(nics), "nfd.k8s-sigs.io/v1alpha1", f"{node}-rocefab-rails"
        objects.append(Manifest("NodeFeature", name, space, spec, version, {NFD_NODE: node}, notes))
    return objects


def _rail_slices(rails: Rails) -> list[Manifest]:
    """Return a ResourceSlice for each node: a device for each NIC on its rail.

    The node is selected, not named: a kubelet removes slices that name its node when no driver of
    that name registers with it. The generation is the time of the reading in milliseconds, so that
    a later one is higher.
    """
    generation = int(rails.read_at.timestamp() * 1000)
    objects = []
    for node, nics in _by_node(rails).items():
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
        spec = {
            "driver": LLDP,
            "pool": {"name": node, "generation": generation, "resourceSliceCount": 1},
            "nodeSelector": {"nodeSelectorTerms": [term]},
            "skipNodeOperations": ["*"],
            "devices": [
                {"name": _name(rails, nic), "attributes": _attributes(rails, nic)}
                for nic in _confirmed(nics)
            ],
        }
        notes, name, version = _read_at(nics), f"{node}-rocefab-rails", "resource.k8s.io/v1"
        objects.append(Manifest("ResourceSlice", name, None, spec, version, annotations=notes))
    return objects


def _attributes(rails: Rails, nic: NicRail) -> dict[str, dict[str, Any]]:
    address = _pci_address(rails, nic)
    texts = {
        "leaf": label_value(nic.planned[0]),
        "interface": nic.interface,
        "rdmaDevice": nic.rdma_device,
        "readAt": _time(nic.read_at),
        **({"resource.kubernetes.io/pciBusID": address} if address else {}),
    }
    numbers = {"rail": {"int": nic.rail}, "port": {"int": nic.nic_port}}
    return {**numbers, **{name: {"string": text} for name, text in texts.items()}}


def _pci_address(rails: Rails, nic: NicRail) -> str:
    addresses = rails.fabric.intent.host_traits(nic.host).nic.pci_addresses
    return addresses[nic.number] if nic.number < len(addresses) else ""


def _rail_mapping(rails: Rails) -> Exported:
    """Return a merge patch of the status of each node's mapping; null takes a NIC out of it."""
    files = []
    for node, nics in _by_node(rails).items():
        mapping: dict[str, dict[str, str] | None] = {}
        for nic in nics:
            address = _pci_address(rails, nic)
            if not address:
                message = f"{nic.interface} of {node} has no PCI address"
                fix = "set the address of each NIC, in the order of the rails"
                raise refused_trait(rails.fabric, node, ("nic", "pci_addresses"), message, fix)
            record = {"interface": nic.interface, "railID": _name(rails, nic)}
            mapping[address] = record if nic.is_on_rail else None
        status = {"sources": {"lldp": _read_at(nics).get(READ_AT)}, "nics": mapping}
        text = json.dumps({"status": status}, indent=2) + "\n"
        files.append(text_file(FORM, "rail-mapping", f"{node}.rails.json", text))
    return Exported(tuple(files), rails.notes())


def _part(name: str, make: Callable[[Rails], list[Manifest]]) -> Callable[[Rails], Exported]:
    def part(rails: Rails) -> Exported:
        text = _SEPARATOR.join(yaml_text(item.body) for item in make(rails))
        return Exported((text_file(FORM, name, f"{name}.yaml", text),), rails.notes())

    return part


exporters.add(FORM)(
    Exporter(
        {
            "rail-labels": _part("rail-labels", _rail_labels),
            "rail-features": _part("rail-features", _rail_features),
            "rail-slices": _part("rail-slices", _rail_slices),
            "rail-mapping": _rail_mapping,
        },
        ("rail-labels",),
        _SEPARATOR,
        about=About.RAILS,
        title="rails of NICs that LLDP confirms: labels, NFD, DRA, Topograph",
    )
)
