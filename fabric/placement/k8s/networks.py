"""Networks of the rails for pods, and the device plugins behind them.

Fields: CRDs of k8snetworkplumbingwg/sriov-network-operator 249e200 and Mellanox/network-operator
b06827e. Each rail is a resource of its own, so that no pod gets two NICs of one rail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.exports import together
from fabric.placement.k8s.addresses import ipam
from fabric.placement.k8s.cluster import NVIDIA
from fabric.placement.k8s.manifest import Manifest, json_text
from fabric.placement.pcie import refused_field, refused_trait

if TYPE_CHECKING:
    from fabric.placement.k8s.cluster import Cluster

#: Where the images of the network operator are (Mellanox/network-operator, example/crs).
_REPOSITORY = "nvcr.io/nvidia/mellanox"
#: More VFs are refused for NICs of NVIDIA (sriov-network-operator, pkg/webhook/validate.go).
MAX_VIRTUAL_FUNCTIONS = 128
#: The resource of hosts whose pods are on the network of the host.
SHARED_RESOURCE = "hca"
#: Prefix of k8s-rdma-shared-dev-plugin.
SHARED_PREFIX = "rdma"


def resource(cluster: Cluster, rail: int) -> str:
    """Return the resource that a pod asks for, to get the NIC of a rail.

    Parameters
    ----------
    cluster : Cluster
        The hosts of the job.
    rail : int
        Rail, from 0.
    """
    mode = cluster.traits.container_mode
    if mode == "host-network":
        return f"{SHARED_PREFIX}/{SHARED_RESOURCE}"
    return f"{SHARED_PREFIX if mode == 'macvlan' else cluster.settings.resource_prefix}/rail{rail}"


def function_policies(cluster: Cluster) -> list[Manifest]:
    """Return the SriovNetworkNodePolicy of each rail.

    Raises
    ------
    InputError
        When virtual functions or PCI addresses are not told.
    """
    if cluster.traits.container_mode != "virtual-function":
        return []
    what, settings = "SriovNetworkNodePolicy", cluster.settings
    together(
        lambda: _virtual_functions(cluster),
        lambda: cluster.device_id(what),
        lambda: cluster.pci_addresses(what),
    )
    return [
        Manifest(
            what,
            f"rail{rail}",
            settings.operator_namespace,
            {
                "resourceName": f"rail{rail}",
                "nodeSelector": cluster.node_selector,
                "nicSelector": {
                    "vendor": NVIDIA,
                    "deviceID": cluster.device_id(what),
                    "rootDevices": [cluster.pci_address(rail, what)],
                },
                "numVfs": _virtual_functions(cluster),
                "mtu": cluster.policy.mtu.host_bytes,
                "isRdma": True,
                "linkType": "eth",
                "deviceType": "netdevice",
            },
        )
        for rail in cluster.rails
    ]


def _virtual_functions(cluster: Cluster) -> int:
    """Return how many virtual functions a NIC has, or refuse NICs without them."""
    count = cluster.traits.nic.virtual_functions
    if not 1 <= count <= MAX_VIRTUAL_FUNCTIONS:
        message = "container_mode is virtual-function, but the NICs have no virtual functions"
        path = ("nic", "virtual_functions")
        raise refused_trait(cluster.fabric, cluster.hosts[0], path, message, "set their number")
    return count


def networks(cluster: Cluster) -> list[Manifest]:
    """Return the networks of the container mode; host-network has none."""
    make = {
        "virtual-function": _function_networks,
        "physical-function": _device_networks,
        "macvlan": _macvlan_networks,
    }.get(cluster.traits.container_mode)
    return make(cluster) if make else []


def meta_plugins(*, rdma: bool, ipv6: bool = False) -> str:
    """Return plugins that run after the network's own, as a JSON list without its brackets.

    ``tuning`` sets what ``sysctl`` sets on a host; ``sbr`` gives each rail a routing table of its
    own; ``rdma`` moves the RDMA device into the pod and needs RDMA namespaces set to exclusive.
    With IPv6 a pod makes no address of its own beside that of its pool: each is one more GID.
    """
    sysctl = {
        f"net.ipv4.conf.IFNAME.{name}": value
        for name, value in (
            ("arp_announce", "2"),
            ("arp_ignore", "1"),
            ("arp_notify", "1"),
            ("rp_filter", "2"),
        )
    }
    if ipv6:
        sysctl |= {"net.ipv6.conf.IFNAME.accept_ra": "0", "net.ipv6.conf.IFNAME.use_tempaddr": "0"}
    plugins: list[dict[str, Any]] = [{"type": "tuning", "sysctl": sysctl}, {"type": "sbr"}]
    if rdma:
        plugins.append({"type": "rdma"})
    return ",".join(json_text(plugin) for plugin in plugins)


def _function_networks(cluster: Cluster) -> list[Manifest]:
    settings = cluster.settings
    return [
        Manifest(
            "SriovNetwork",
            network.name,
            settings.operator_namespace,
            {
                "resourceName": f"rail{network.rail}",
                "networkNamespace": settings.namespace,
                "linkState": "auto",
                "ipam": ipam(cluster, network),
                "metaPlugins": meta_plugins(rdma=True, ipv6=cluster.has_ipv6),
            },
        )
        for network in cluster.networks
    ]


def _device_networks(cluster: Cluster) -> list[Manifest]:
    return [
        Manifest(
            "HostDeviceNetwork",
            network.name,
            None,
            {
                "networkNamespace": cluster.settings.namespace,
                "resourceName": f"rail{network.rail}",
                "ipam": ipam(cluster, network),
                "metaPlugins": meta_plugins(rdma=True, ipv6=cluster.has_ipv6),
            },
        )
        for network in cluster.networks
    ]


def _macvlan_networks(cluster: Cluster) -> list[Manifest]:
    return [
        Manifest(
            "MacvlanNetwork",
            network.name,
            None,
            {
                "networkNamespace": cluster.settings.namespace,
                "master": cluster.names[network.rail].interface,
                "mode": "bridge",
                "mtu": cluster.policy.mtu.host_bytes,
                "ipam": ipam(cluster, network),
                "metaPlugins": meta_plugins(rdma=False, ipv6=cluster.has_ipv6),
            },
        )
        for network in cluster.networks
    ]


def cluster_policy(cluster: Cluster) -> list[Manifest]:
    """Return the NicClusterPolicy: device plugins and what else the container mode needs.

    Raises
    ------
    InputError
        When the version of the images is not told.
    """
    mode = cluster.traits.container_mode
    on_device = mode == "physical-function"
    version, *_ = together(
        lambda: _version(cluster), *([lambda: _device_config(cluster)] if on_device else [])
    )
    spec: dict[str, Any] = {}
    if mode in {"host-network", "macvlan"}:
        image = _image("k8s-rdma-shared-dev-plugin", version)
        spec["rdmaSharedDevicePlugin"] = {**image, "config": _shared_config(cluster)}
    if on_device:
        image = _image("sriov-network-device-plugin", version)
        spec["sriovDevicePlugin"] = {**image, "config": _device_config(cluster)}
    if mode != "host-network":
        spec["secondaryNetwork"] = {
            "cniPlugins": _image("plugins", version),
            "multus": _image("multus-cni", version),
        }
        if cluster.settings.address_plugin == "nv-ipam":
            spec["nvIpam"] = {**_image("nvidia-k8s-ipam", version), "enableWebhook": False}
    return [Manifest("NicClusterPolicy", "nic-cluster-policy", None, spec)]


def _version(cluster: Cluster) -> str:
    """Return the version of the operator's images, or refuse a cluster without it."""
    if not cluster.settings.operator_version:
        message = "NicClusterPolicy needs the image version, which is not set"
        fix = "set kubernetes.operator_version, such as network-operator-v25.7.0"
        raise refused_field(cluster.fabric, ("kubernetes",), message, fix)
    return cluster.settings.operator_version


def _image(name: str, version: str) -> dict[str, str]:
    return {"image": name, "repository": _REPOSITORY, "version": version}


def _shared_config(cluster: Cluster) -> str:
    """Return the configuration of k8s-rdma-shared-dev-plugin: a resource for each rail, or one."""
    if cluster.traits.container_mode == "host-network":
        groups = [(SHARED_RESOURCE, [names.interface for names in cluster.names])]
    else:
        groups = [(f"rail{rail}", [cluster.names[rail].interface]) for rail in cluster.rails]
    rows = [
        {
            "resourceName": name,
            "resourcePrefix": SHARED_PREFIX,
            "rdmaHcaMax": cluster.settings.pods_per_nic,
            "selectors": {"ifNames": interfaces, "linkTypes": ["ether"]},
        }
        for name, interfaces in groups
    ]
    return json_text({"periodicUpdateInterval": 300, "configList": rows})


def _device_config(cluster: Cluster) -> str:
    """Return the configuration of sriov-network-device-plugin: a resource for each rail."""
    rows = [
        {
            "resourceName": f"rail{rail}",
            "resourcePrefix": cluster.settings.resource_prefix,
            "selectors": {
                "isRdma": True,
                "pciAddresses": [cluster.pci_address(rail, "the device plugin")],
            },
        }
        for rail in cluster.rails
    ]
    return json_text({"resourceList": rows})
