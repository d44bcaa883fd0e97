"""What the inventory tells of the Kubernetes cluster that runs on the hosts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.policy import Model
from fabric.intent.scalars import Text, formed

#: Names of objects, namespaces and labels: Kubernetes documentation, Object Names and IDs, and
#: Labels and Selectors.
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = rf"{_LABEL}(\.{_LABEL}){{0,7}}"
_WORD = r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
ObjectName = Annotated[
    str, formed(rf"^{_LABEL}$", "at most 63 lower-case letters, digits and inner hyphens")
]
Domain = Annotated[str, formed(rf"^{_DOMAIN}$", "a lower-case domain name, such as example.org")]
LabelKey = Annotated[
    str, formed(rf"^({_DOMAIN}/)?{_WORD}$", "the key of a label, such as node or example.org/node")
]
LabelValue = Annotated[
    str,
    formed(
        rf"^({_WORD})?$",
        "at most 63 letters, digits, _, . and -, starting and ending with a letter or digit",
    ),
]
ImageName = Annotated[
    str,
    formed(
        r"^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$",
        "the name of an image, such as nvcr.io/nvidia/pytorch:24.05-py3",
    ),
]


class Kubernetes(Model):
    """The cluster on the hosts: names, and how pods get addresses."""

    namespace: ObjectName = Field("default", description="Namespace of jobs and their networks.")
    operator_namespace: ObjectName = Field(
        "nvidia-network-operator", description="Namespace of the network operators."
    )
    operator_version: Text | None = Field(
        None, description="Image tag of the network operator: network-operator-v25.7.0."
    )
    resource_prefix: Domain = Field(
        "nvidia.com", description="Resource prefix of the NICs; openshift.io upstream."
    )
    node_label: LabelKey = Field(
        "feature.node.kubernetes.io/network-sriov.capable",
        description="Label of the nodes that the NIC settings apply to.",
    )
    node_label_value: LabelValue = Field("true", description="Value of that label.")
    topology_labels: Literal["topograph-v1", "nvidia-legacy"] = Field(
        "topograph-v1",
        description="Node labels of the place in the fabric: those of Topograph 1.0 "
        "(fabric.topograph.run/tier-0), or the older ones (network.topology.nvidia.com/leaf).",
    )
    scheduler: Domain | None = Field(
        None, description="Scheduler of the jobs, such as volcano; default: that of the cluster."
    )
    address_plugin: Literal["nv-ipam", "whereabouts"] = Field(
        "nv-ipam", description="IPAM plugin for pod addresses."
    )
    pods_per_nic: int = Field(
        1, ge=1, le=127, description="Number of pods that share a NIC at the same time."
    )
    pod_starts_per_hour: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Maximum number of pod starts per host and hour; default: not known.",
    )
    tools_image: ImageName | None = Field(
        None,
        description="Image with ip, arping and ping, used by pods to announce their addresses.",
    )
