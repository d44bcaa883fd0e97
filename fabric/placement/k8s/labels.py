"""Labels of nodes: the domains of the fabric that a node is in, and the leaves of its rails.

Keys: NVIDIA/topograph e2b6250 ``docs/reference/node-labels.md`` (``fabric.topograph.run/tier-N``,
tier 0 closest to the node), and those of its releases before 1.0.
``topology.kubernetes.io/zone`` and ``region`` are not written: volumes and spreading rules read
them, and a cloud sets them (Kubernetes documentation, Well-Known Labels).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.engine.tenancy import tenant_of_hosts
from fabric.placement.k8s.levels import levels

if TYPE_CHECKING:
    from fabric.placement.k8s.levels import Level
    from fabric.topology.model import Fabric

#: Prefix of what no other program defines.
PREFIX = "rocefab.io"
#: Tenant that has all NICs of a node that are on.
TENANT_LABEL = f"{PREFIX}/tenant"
_LEGACY = ("leaf", "spine", "core")
#: Longest value of a label (Kubernetes documentation, Labels and Selectors).
_MAX_VALUE = 63
#: FNV-1a with 64 bits (Fowler, Noll, Vo): prime, offset basis, and width; Go ``hash/fnv``.
_PRIME, _BASIS, _MASK = 0x100000001B3, 0xCBF29CE484222325, (1 << 64) - 1


def keys(fabric: Fabric) -> dict[str, str]:
    """Return the key of each level, from the hosts outwards."""
    legacy = fabric.intent.fabric.kubernetes.topology_labels == "nvidia-legacy"
    return {
        level.name: f"network.topology.nvidia.com/{_LEGACY[tier]}"
        if legacy
        else f"fabric.topograph.run/tier-{tier}"
        for tier, level in enumerate(levels(fabric))
    }


def node_labels(fabric: Fabric, hosts: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the labels of each host: every level, the fabric, and the leaf of each rail in use."""
    named = keys(fabric)
    domains = [_column(named[level.name], level, fabric, hosts) for level in levels(fabric)]
    rows = [fabric.host_row[host] for host in hosts]
    own = {f"{PREFIX}/fabric": label_value(fabric.intent.fabric.name)}
    tenants = tenant_of_hosts(fabric)
    return [
        {**dict(places), **own, **tenant_label(tenants[row] or ""), **_leaves(fabric, row)}
        for row, *places in zip(rows, *domains, strict=True)
    ]


def tenant_label(name: str) -> dict[str, str]:
    """Return the label of hosts that a tenant has with all NICs that are on; none without one."""
    return {TENANT_LABEL: name} if name else {}


def _column(
    key: str, level: Level, fabric: Fabric, hosts: tuple[str, ...]
) -> list[tuple[str, str]]:
    return [(key, label_value(domain)) for domain in level.of_hosts(fabric, hosts)]


def _leaves(fabric: Fabric, row: int) -> dict[str, str]:
    """Return the leaf of each NIC of a host that is on, by rail, then port."""
    nics, names = list(fabric.nics_of_host(row)), fabric.switches.names
    ports = fabric.nic_ports
    return {
        f"{PREFIX}/rail-{number // ports}"
        + (f"-port-{number % ports}" if ports > 1 else ""): label_value(names[leaf])
        for number, (leaf, on) in enumerate(
            zip(fabric.nics.leaf[nics].tolist(), fabric.nics.enabled[nics].tolist(), strict=True)
        )
        if on
    }


def label_value(text: str) -> str:
    """Return a name as the value of a label.

    Longer names than labels take become ``x`` and their FNV-64a hash in hexadecimal, as Topograph
    writes them (``pkg/engines/k8s/labeler.go``); names of the inventory have no other characters
    than labels allow.
    """
    if len(text) <= _MAX_VALUE:
        return text
    value = _BASIS
    for byte in text.encode():
        value = (value ^ byte) * _PRIME & _MASK
    return f"x{value:x}"
