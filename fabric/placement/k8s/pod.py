"""The pod of a rank: its rails in order, its memory, and the announcement of its addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.exports import refused
from fabric.placement.k8s.manifest import HOSTNAME
from fabric.placement.k8s.networks import resource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.placement.export import Order
    from fabric.placement.job_host import Setting
    from fabric.placement.k8s.cluster import Cluster

#: Annotation of Multus: networks in the order net1, net2, ... (k8snetworkplumbingwg/multus-cni).
NETWORKS = "k8s.v1.cni.cncf.io/networks"
_PROXY = "sidecar.istio.io/inject"
_GPU = "nvidia.com/gpu"
_HUGE_PAGES = "hugepages-1Gi"
#: Gratuitous ARP on every rail, then a ping of its gateway, which must answer before the job
#: starts: a pod can be faster than what the switches learn.
_BEGIN = """\
set -eu
for path in /sys/class/net/net*; do
  name=${path##*/}
"""
_IPV4 = """\
  address=$(ip -4 -o address show dev "$name" | sed -n 's,.* inet \\([0-9.]*\\)/.*,\\1,p')
  arping -U -c 3 -I "$name" "$address"
  routes=$(ip -4 route show table all dev "$name")
  gateway=$(printf '%s\\n' "$routes" | sed -n 's,.* via \\([0-9.]*\\) .*,\\1,p' | head -n 1)
  ping -c 3 -W 2 -I "$name" "$gateway"
"""
#: Of IPv6 the first packet to the gateway asks for it, and tells it the MAC of the pod (RFC 4861
#: section 7.2.3).
_IPV6 = """\
  routes=$(ip -6 route show table all dev "$name")
  gateway=$(printf '%s\\n' "$routes" | sed -n 's,.* via \\([0-9a-f:]*\\) .*,\\1,p' | head -n 1)
  ping -6 -c 3 -W 2 -I "$name" "$gateway"
"""
_END = "done\n"


def networks_of_job(order: Order, cluster: Cluster) -> list[str]:
    """Return the networks of a job's rails, in rail order.

    Raises
    ------
    InputError
        When the job spans units that have subnets of their own: a job has one list for all pods.
    """
    placed = order.placement
    units = {int(cluster.fabric.hosts.unit[cluster.fabric.host_row[h]]) for h in placed.hosts}
    if len(units) > 1 and any(item.unit is not None for item in cluster.networks):
        message = (
            f"the job spans {len(units)} units with different subnets, but all pods "
            f"of a job must use the same networks"
        )
        fix = "use addressing.vlan_per: nic or none, request fewer nodes, or use the host network"
        raise refused("PLC016", message, fix)
    return [
        item.name
        for item in cluster.networks
        if item.rail in placed.rails and item.unit in {None, *units}
    ]


def env_list(settings: Iterable[Setting]) -> list[dict[str, str]]:
    """Return settings as the environment of a container."""
    return [{"name": item.name, "value": item.value} for item in settings]


def rank_pod(
    order: Order, cluster: Cluster, container: str, settings: Iterable[Setting]
) -> dict[str, Any]:
    """Return the pod template of a rank: a container with GPUs, rails and memory."""
    on_host = cluster.traits.container_mode == "host-network"
    spec: dict[str, Any] = {"affinity": _affinity(order)}
    if cluster.settings.scheduler:
        spec["schedulerName"] = cluster.settings.scheduler
    if on_host:
        spec |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    elif cluster.settings.tools_image:
        spec["initContainers"] = [_announcer(cluster, cluster.settings.tools_image)]
    spec["containers"] = [_container(order, cluster, container, settings)]
    spec["volumes"] = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
    if _huge_pages(order, cluster):
        spec["volumes"].append({"name": "hugepages", "emptyDir": {"medium": "HugePages-1Gi"}})
    annotations = {_PROXY: "false"}
    if not on_host:
        annotations = {NETWORKS: ",".join(networks_of_job(order, cluster)), **annotations}
    return {"metadata": {"annotations": annotations}, "spec": spec}


def plain_pod(
    order: Order, cluster: Cluster, container: str, settings: Iterable[Setting]
) -> dict[str, Any]:
    """Return the pod template of a process that needs no GPU: it only starts others."""
    body = {"name": container, "env": env_list(settings)}
    if order.words.image:
        body["image"] = order.words.image
    spec: dict[str, Any] = {"containers": [body]}
    if cluster.settings.scheduler:
        spec["schedulerName"] = cluster.settings.scheduler
    return {"metadata": {"annotations": {_PROXY: "false"}}, "spec": spec}


def rank_resources(order: Order, cluster: Cluster) -> dict[str, dict[str, int | str]]:
    """Return what a rank's pod asks for: GPUs, one unit of each rail that has RDMA, huge pages."""
    rails = order.placement.rails if cluster.traits.nic.link_layer == "roce" else ()
    limits: dict[str, int | str] = {_GPU: order.gpus}
    limits |= {resource(cluster, rail): 1 for rail in rails}
    pages = _huge_pages(order, cluster)
    if not pages:
        return {"limits": limits}
    return {"requests": {"cpu": order.gpus}, "limits": {**limits, _HUGE_PAGES: f"{pages}Gi"}}


def _huge_pages(order: Order, cluster: Cluster) -> int:
    """Return the share of a pod in the huge pages of its host, in GiB: that of its GPUs.

    A pod with huge pages has to request CPUs or memory as well (Kubernetes documentation, Manage
    HugePages): one CPU for each rank, since no other number is known.
    """
    pages = cluster.traits.tuning.hugepages_1g or 0
    return pages * order.gpus // cluster.fabric.intent.fabric.host.gpus


def _container(
    order: Order, cluster: Cluster, name: str, settings: Iterable[Setting]
) -> dict[str, Any]:
    body: dict[str, Any] = {"name": name}
    if order.words.image:
        body["image"] = order.words.image
    if order.words.command:
        body["command"] = list(order.words.command)
    body["env"] = env_list(settings)
    if not body["env"]:
        del body["env"]
    body["resources"] = rank_resources(order, cluster)
    body["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    body["volumeMounts"] = [{"name": "shm", "mountPath": "/dev/shm"}]  # noqa: S108
    if _huge_pages(order, cluster):
        body["volumeMounts"].append({"name": "hugepages", "mountPath": "/dev/hugepages"})
    return body


def _announcer(cluster: Cluster, image: str) -> dict[str, Any]:
    families = _IPV4 if cluster.has_ipv4 else ""
    families += _IPV6 if cluster.has_ipv6 else ""
    return {
        "name": "announce",
        "image": image,
        "command": ["/bin/sh", "-c", _BEGIN + families + _END],
        "securityContext": {"capabilities": {"add": ["NET_RAW"]}},
    }


def _affinity(order: Order) -> dict[str, Any]:
    expression = {"key": HOSTNAME, "operator": "In", "values": list(order.placement.hosts)}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
