"""Objects of Kubernetes: their versions, and the order in which a cluster takes them.

YAML for Kubernetes, in a form that every reader takes for the same.

Readers differ in what a bare word is: ``on`` and ``no`` are booleans in YAML 1.1, ``1e3`` is a
number in YAML 1.2, ``1:30`` is one in 1.1. So only words that are words everywhere stand bare.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.exports import refused, text_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.core.artefact import Artefact


#: Labels that name a node, and the node of a NodeFeature (NFD customization guide).
HOSTNAME, NFD_NODE = "kubernetes.io/hostname", "nfd.node.kubernetes.io/node-name"
#: Group and version of each kind, and the step in which it is applied: drivers and device plugins,
#: settings of the NICs, addresses, functions, networks, jobs. Versions: the CRDs of
#: Mellanox/network-operator b06827e, Mellanox/nic-configuration-operator 8bfbeb3,
#: Mellanox/nvidia-k8s-ipam 3ce4a34, k8snetworkplumbingwg/sriov-network-operator 249e200,
#: kubeflow/training-operator 078ec30, kubeflow/mpi-operator caa3c47, kubeflow/trainer 8c0f505,
#: ray-project/kuberay feeaf72.
KINDS = {
    "NicClusterPolicy": ("mellanox.com/v1alpha1", 10),
    "NicConfigurationTemplate": ("configuration.net.nvidia.com/v1alpha1", 20),
    "NicInterfaceNameTemplate": ("configuration.net.nvidia.com/v1alpha1", 25),
    "CIDRPool": ("nv-ipam.nvidia.com/v1alpha1", 30),
    "IPPool": ("nv-ipam.nvidia.com/v1alpha1", 30),
    "SriovNetworkNodePolicy": ("sriovnetwork.openshift.io/v1", 40),
    "SriovNetwork": ("sriovnetwork.openshift.io/v1", 50),
    "HostDeviceNetwork": ("mellanox.com/v1alpha1", 50),
    "MacvlanNetwork": ("mellanox.com/v1alpha1", 50),
    "TrainingRuntime": ("trainer.kubeflow.org/v1alpha1", 80),
    "PyTorchJob": ("kubeflow.org/v1", 90),
    "MPIJob": ("kubeflow.org/v2beta1", 90),
    "TrainJob": ("trainer.kubeflow.org/v1alpha1", 90),
    "RayCluster": ("ray.io/v1", 90),
}


_BARE = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
#: Booleans, nulls and numbers of YAML 1.1 and 1.2 that are made of letters.
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
#: The C emitter, where PyYAML has it: four times as fast. Both print the same.
_Base: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True)
class Manifest:
    """One object; ``group_version`` is that of `KINDS` where it is empty."""

    kind: str
    name: str
    namespace: str | None
    spec: dict[str, Any] = field(default_factory=dict)
    group_version: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Group and version."""
        return self.group_version or KINDS[self.kind][0]

    @property
    def body(self) -> dict[str, Any]:
        """The object as plain data."""
        metadata: dict[str, Any] = {"name": self.name}
        if self.namespace is not None:
            metadata["namespace"] = self.namespace
        if self.labels:
            metadata["labels"] = self.labels
        if self.annotations:
            metadata["annotations"] = self.annotations
        body = {"apiVersion": self.version, "kind": self.kind, "metadata": metadata}
        return {**body, "spec": self.spec} if self.spec else body

    def file(self, part: str) -> Artefact:
        """Return the object as a file whose name sorts in the order of application."""
        path = f"{KINDS[self.kind][1]}-{self.kind.lower()}-{self.name}.yaml"
        return text_file("k8s", part, path, yaml_text(self.body))


def json_text(value: Any) -> str:
    """Return JSON inside of a string: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def check_served(objects: Iterable[Manifest], served: frozenset[str] | None) -> None:
    """Refuse objects whose version a cluster does not serve; None asks no cluster.

    Raises
    ------
    InputError
        When a version is not among those served.
    """
    for version, kind in dict.fromkeys((item.version, item.kind) for item in objects):
        if served is not None and version not in served:
            group = version.partition("/")[0]
            others = sorted(item for item in served if item.startswith(f"{group}/"))
            has = (
                f"it serves {', '.join(others)}"
                if others
                else "the cluster does not have that API group"
            )
            message = f"the cluster does not serve {version}, the API version of {kind}; {has}"
            raise refused("PLC014", message, "install that version, or omit this part")


class _Dumper(_Base):  # type: ignore[misc]
    """Writes strings in quotes unless they are plain words; no anchors, no tags."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    bare = _BARE.fullmatch(text) and text.lower() not in _WORDS
    tag = "tag:yaml.org,2002:str"
    return dumper.represent_scalar(tag, text, style=None if bare else '"')


_Dumper.add_representer(str, _string)


def yaml_text(body: dict[str, Any] | list[dict[str, Any]]) -> str:
    """Return an object or a list as one YAML document, without a line that separates documents."""
    text: str = yaml.dump(
        body, Dumper=_Dumper, sort_keys=False, width=1_000_000, allow_unicode=False
    )
    return text
