"""The fabric for schedulers of Kubernetes: labels of nodes, and the topology that each one reads.

Forms: kubernetes-sigs/kueue ff69552 (Topology, ResourceFlavor), volcano-sh/volcano ed72c7c
(HyperNode), NVIDIA/KAI-Scheduler 72de64f (Topology), ai-dynamo/grove fcc3b3b
(ClusterTopologyBinding), kubernetes-sigs/node-feature-discovery 76e6cc8 (NodeFeature: CRD and
``docs/usage/customization-guide.md``), kubernetes-sigs/lws 060ab4d and kubernetes-sigs/jobset
08dfbdf (annotations: their examples of exclusive placement). Each part is one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.exports import PLACED_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.placement.engine.tenancy import mixed_tenants, outside_of_tenants
from fabric.placement.k8s.cluster import check_name, node_names
from fabric.placement.k8s.jobs import check_job_name
from fabric.placement.k8s.labels import (
    PREFIX,
    TENANT_LABEL,
    keys,
    label_value,
    node_labels,
    tenant_label,
)
from fabric.placement.k8s.levels import common_level, levels
from fabric.placement.k8s.manifest import HOSTNAME, NFD_NODE, Manifest, check_served, yaml_text
from fabric.placement.pcie import refused_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.exports import Part
    from fabric.core.findings import Finding
    from fabric.placement.export import Order
    from fabric.placement.k8s.levels import Level

_SEPARATOR = "---\n"
_LWS = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_JOBSET = "alpha.jobset.sigs.k8s.io/exclusive-topology"


def _nodes(order: Order) -> list[Manifest]:
    """Return the labels of all nodes, and a taint of those that jobs should keep from."""
    hosts = node_names(order)
    taint = {"taints": [{"key": f"{PREFIX}/degraded", "effect": "NoSchedule"}]}
    return [
        Manifest("Node", host, None, taint if host in order.degraded else {}, "v1", labels)
        for host, labels in zip(hosts, node_labels(order.fabric, hosts), strict=True)
    ]


def _node_features(order: Order) -> list[Manifest]:
    """Return the same labels for NFD, which sets them and keeps them set."""
    hosts, space = node_names(order), order.fabric.intent.fabric.kubernetes.operator_namespace
    version = "nfd.k8s-sigs.io/v1alpha1"
    return [
        Manifest(
            "NodeFeature", f"{host}-rocefab", space, {"labels": labels}, version, {NFD_NODE: host}
        )
        for host, labels in zip(hosts, node_labels(order.fabric, hosts), strict=True)
    ]


def _kueue(order: Order) -> list[Manifest]:
    """Return a Topology, and a flavor of the nodes of this fabric, or of each tenant, that uses it.

    No flavor selects nodes by a label that they lack, so that nodes without a tenant have none.
    """
    name, version = _fabric_name(order), "kueue.x-k8s.io/v1beta2"
    topology = Manifest("Topology", name, None, _label_levels(order), version)
    tenants = order.fabric.tenants
    return [topology, *(_flavor(order, name, one) for one in (tenants.names if tenants else ("",)))]


def _flavor(order: Order, topology: str, tenant: str) -> Manifest:
    """Return the flavor of the nodes of a tenant; of all nodes where that is empty."""
    labels = {f"{PREFIX}/fabric": label_value(order.fabric.intent.fabric.name)}
    name = f"{topology}-{tenant}" if tenant else topology
    check_name(name)
    spec = {"nodeLabels": labels | tenant_label(tenant), "topologyName": topology}
    return Manifest("ResourceFlavor", name, None, spec, "kueue.x-k8s.io/v1beta2")


def _kai(order: Order) -> list[Manifest]:
    version = "kai.scheduler/v1alpha1"
    return [Manifest("Topology", _fabric_name(order), None, _label_levels(order), version)]


def _grove(order: Order) -> list[Manifest]:
    named = {**dict(reversed(keys(order.fabric).items())), "host": HOSTNAME}
    spec = {"levels": [{"domain": name, "key": key} for name, key in named.items()]}
    version = "grove.io/v1alpha1"
    return [Manifest("ClusterTopologyBinding", _fabric_name(order), None, spec, version)]


def _label_levels(order: Order) -> dict[str, Any]:
    """Return the levels of a Topology: the widest first, the host last."""
    wide_first = [*reversed(keys(order.fabric).values()), HOSTNAME]
    return {"levels": [{"nodeLabel": key} for key in wide_first]}


def _volcano(order: Order) -> list[Manifest]:
    """Return a HyperNode for each domain, tier 1 the closest; members are nodes, then domains."""
    fabric, hosts = order.fabric, node_names(order)
    found: list[Manifest] = []
    below = list(hosts)
    for tier, level in enumerate(levels(fabric), 1):
        _check_case(order, level)
        above = [f"{level.name}-{name}".lower() for name in level.of_hosts(fabric, hosts)]
        inside: dict[str, list[str]] = {}
        for name, member in dict.fromkeys(zip(above, below, strict=True)):
            inside.setdefault(name, []).append(member)
        found += [_hyper_node(tier, level.name, name, inside[name]) for name in inside]
        below = above
    return found


def _hyper_node(tier: int, level: str, name: str, members: list[str]) -> Manifest:
    check_name(name)
    kind = "Node" if tier == 1 else "HyperNode"
    chosen = [{"type": kind, "selector": {"exactMatch": {"name": one}}} for one in members]
    spec = {"tier": tier, "tierName": level, "members": chosen}
    return Manifest("HyperNode", name, None, spec, "topology.volcano.sh/v1alpha1")


def _check_case(order: Order, level: Level) -> None:
    """Refuse domains that would be one, since names of objects have small letters only."""
    if len({name.lower() for name in level.domains}) < len(set(level.domains)):
        message = f"two {level.name} names differ only in case"
        raise refused_field(order.fabric, ("units",), message, "rename one of them")


def _leader_worker_set(order: Order) -> list[Manifest]:
    """Return what a LeaderWorkerSet of this size needs: a domain of its own for each group."""
    pods = {"workerTemplate": {"spec": selector}} if (selector := _selector(order)) else {}
    spec = {"leaderWorkerTemplate": {"size": order.nodes, **pods}}
    return _annotated(order, "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", _LWS, spec)


def _job_set(order: Order) -> list[Manifest]:
    spec = {}
    if selector := _selector(order):
        job = {"name": "node", "template": {"spec": {"template": {"spec": selector}}}}
        spec = {"replicatedJobs": [job]}
    return _annotated(order, "JobSet", "jobset.x-k8s.io/v1alpha2", _JOBSET, spec)


def _selector(order: Order) -> dict[str, Any]:
    """Return what keeps pods on the nodes of the tenant of a job; empty without one."""
    labels = tenant_label(order.tenant)
    return {"nodeSelector": labels} if labels else {}


def _annotated(
    order: Order, kind: str, version: str, annotation: str, spec: dict[str, Any]
) -> list[Manifest]:
    """Return a fragment of a job with the label of the lowest level that holds all its hosts."""
    check_job_name(order)
    level = common_level(order.fabric, order.placement.hosts)
    chosen = {annotation: keys(order.fabric)[level.name]}
    space = order.fabric.intent.fabric.kubernetes.namespace
    return [Manifest(kind, order.job_name, space, spec, version, annotations=chosen)]


def _fabric_name(order: Order) -> str:
    name = order.fabric.intent.fabric.name.lower()
    check_name(name)
    return name


def _part(name: str, make: Callable[[Order], list[Manifest]]) -> Part:
    def part(order: Order) -> Exported:
        objects = make(order)
        check_served(objects, order.served)
        text, path = _SEPARATOR.join(yaml_text(item.body) for item in objects), f"{name}.yaml"
        if name in _BY_LABELS:
            text = _needed_labels(order, name) + text
        return Exported((text_file("k8stopo", name, path, text),), _notes(order, name, path))

    return part


def _needed_labels(order: Order, part: str) -> str:
    """Return comments with the labels by which objects find nodes, and what sets them."""
    named = [*keys(order.fabric).values()]
    if part == "kueue":
        named += [f"{PREFIX}/fabric", *([TENANT_LABEL] if order.fabric.tenants else [])]
    return (
        f"# Nodes need the labels {', '.join(named)}:\n"
        "# `rocefab export nodes` or `rocefab export node-features` prints them.\n"
    )


def _notes(order: Order, part: str, path: str) -> tuple[Finding, ...]:
    """Return the warning of what does not tell the nodes of tenants apart."""
    if part in {"nodes", "node-features"}:
        return ()
    if part == "kueue":
        return outside_of_tenants(order.fabric, "a ResourceFlavor", ("", None))
    if part in _FRAGMENTS and order.tenant:  # its pods select the nodes of the tenant
        return ()
    fix = f"select the nodes of a tenant in its pods: nodeSelector {TENANT_LABEL}"
    return mixed_tenants(order.fabric, path, fix)


_PARTS = {
    "nodes": _nodes,
    "node-features": _node_features,
    "kueue": _kueue,
    "volcano": _volcano,
    "kai": _kai,
    "grove": _grove,
    "leaderworkerset": _leader_worker_set,
    "jobset": _job_set,
}
#: Parts of one job, with its pods.
_FRAGMENTS = ("leaderworkerset", "jobset")
#: Parts whose objects find nodes by labels.
_BY_LABELS = ("kueue", "kai", "grove")
_SERVED = ("--cluster-versions",)
_OF_NODES = ("--exclude", *_SERVED)
_OF_JOB = (*PLACED_OPTIONS, "--name", "--template", *_SERVED)
_OPTIONS = {
    "nodes": ("--degraded", *_OF_NODES),
    "node-features": _OF_NODES,
    "kueue": _SERVED,
    "volcano": _OF_NODES,
    "kai": _SERVED,
    "grove": _SERVED,
    "leaderworkerset": _OF_JOB,
    "jobset": _OF_JOB,
}
exporters.add("k8stopo")(
    Exporter(
        {name: _part(name, make) for name, make in _PARTS.items()},
        ("nodes",),
        _SEPARATOR,
        title="topology for Kubernetes schedulers: node labels, Kueue, Volcano",
        options=_OPTIONS,
    )
)
