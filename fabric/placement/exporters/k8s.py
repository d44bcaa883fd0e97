"""Kubernetes: networks of the rails, settings of NICs, addresses, and jobs.

Files sort in the order of application: drivers and device plugins, NIC settings, addresses,
functions, networks, jobs. Printed, they are one stream of documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.exports import MANIFEST_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.placement.k8s.addresses import pools
from fabric.placement.k8s.cluster import cluster
from fabric.placement.k8s.jobs import check_words, mpi_job, pytorch_job, ray_cluster, train_job
from fabric.placement.k8s.manifest import KINDS, check_served, yaml_text
from fabric.placement.k8s.networks import cluster_policy, function_policies, networks
from fabric.placement.k8s.nics import nic_names, nic_settings
from fabric.placement.k8s.template import Filling
from fabric.placement.pcie import refused_trait

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.exports import Part
    from fabric.core.findings import Finding
    from fabric.placement.export import Order
    from fabric.placement.k8s.cluster import Cluster
    from fabric.placement.k8s.jobs import Settings
    from fabric.placement.k8s.manifest import Manifest


def _part(name: str, make: Callable[[Cluster], list[Manifest]]) -> Part:
    def part(order: Order) -> Exported:
        hosts = cluster(order)
        _check_roce(order, hosts)
        objects = make(hosts)
        check_served(objects, order.served)
        return Exported(tuple(item.file(name) for item in objects))

    return part


def _job(name: str, make: Callable[[Order, Cluster, Settings], list[Manifest]]) -> Part:
    def part(order: Order) -> Exported:
        check_words(order, needs_command=make is mpi_job)
        settings, notes = order.common()
        hosts = cluster(order)
        if hosts.traits.container_mode != "host-network":
            _check_roce(order, hosts)
        objects = make(order, hosts, settings)
        check_served(objects, order.served)
        if order.template is None:
            return Exported(tuple(item.file(name) for item in objects), tuple(notes))
        return _filled(order, name, objects, notes)

    return part


def _filled(order: Order, part: str, objects: list[Manifest], notes: list[Finding]) -> Exported:
    """Return the files of a job, with the one of the template's kind filled into it."""
    template = order.template
    assert template is not None
    kind = template.data.get("kind")
    target = next((item for item in objects if item.kind == kind), objects[-1])
    ours, _ = order.common()
    absent = order.environments[order.placement.hosts[0]].left_out
    filling = Filling(
        template, {item.name: item for item in ours}, {item.name: item.reason for item in absent}
    )
    files = []
    for item in objects:
        if item is not target:
            files.append(item.file(part))
            continue
        body = filling.fill(item.body)
        path = f"{KINDS[item.kind][1]}-{item.kind.lower()}-{item.name}.yaml"
        files.append(text_file("k8s", part, path, yaml_text(body)))
    return Exported(tuple(files), (*notes, *filling.notes))


def _check_roce(order: Order, hosts: Cluster) -> None:
    layer = hosts.traits.nic.link_layer
    if layer != "roce":
        message = f"the NICs do not run RoCE ({layer})"
        raise refused_trait(
            order.fabric, hosts.hosts[0], ("nic", "link_layer"), message, "no settings apply"
        )


_STANDARD = ("cluster-policy", "nic-settings", "pools", "functions", "networks")
_JOBS = {
    "pytorchjob": pytorch_job,
    "mpijob": mpi_job,
    "trainjob": train_job,
    "raycluster": ray_cluster,
}
_OF_CLUSTER = ("--exclude", "--cluster-versions")
exporters.add("k8s")(
    Exporter(
        {
            "cluster-policy": _part("cluster-policy", cluster_policy),
            "nic-settings": _part("nic-settings", nic_settings),
            "nic-names": _part("nic-names", nic_names),
            "pools": _part("pools", pools),
            "functions": _part("functions", function_policies),
            "networks": _part("networks", networks),
            **{name: _job(name, make) for name, make in _JOBS.items()},
        },
        _STANDARD,
        "---\n",
        title="NIC settings, networks and jobs for Kubernetes",
        options={
            **dict.fromkeys(_STANDARD, _OF_CLUSTER),
            "nic-names": _OF_CLUSTER,
            **dict.fromkeys(_JOBS, MANIFEST_OPTIONS),
        },
    )
)
