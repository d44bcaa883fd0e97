"""The state of the fabric for nodes of Kubernetes: a condition, and a taint where no job should go.

Conditions are merged by their type, so that a patch changes one of them; taints have no merge key,
so that a patch of them would remove those of others: ``patchMergeKey`` in kubernetes/api
``core/v1/types.go``, NodeStatus and NodeSpec. ``kubectl taint`` reads them first, and changes one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, refused, text_file
from fabric.core.shown import few
from fabric.placement.engine.host_health import HEALTHY, HostHealth, host_health
from fabric.placement.engine.now import now
from fabric.placement.export import Order
from fabric.placement.k8s.cluster import node_names
from fabric.placement.k8s.labels import PREFIX
from fabric.placement.k8s.manifest import yaml_text
from fabric.placement.k8s.node_health_job import cron_job

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.placement.engine.state import Condition
    from fabric.topology.model import Fabric

FORM = "node-health"
CONDITION = "RoceFabricReady"
TAINT = f"{PREFIX}/not-ready"
#: Letters of the reasons in a message; our choice, as every read of a node carries it.
_MOST_MESSAGE = 1024
_NAME = "rocefab-node-health"
_SCRIPT = f"""\
#!/bin/sh
# Writes conditions and taints to the nodes of a cluster, by kubectl with the rights of rbac.yaml.
cd "$(dirname "$0")" || exit 1
failed=0
node() {{
  kubectl patch node "$1" --subresource=status --type=strategic --patch-file="$1.status.json" ||
    failed=1
  if [ "$2" = taint ]; then
    kubectl taint node "$1" {TAINT}:NoSchedule --overwrite || failed=1
    return
  fi
  keys=$(kubectl get node "$1" -o 'jsonpath={{.spec.taints[*].key}}') || failed=1
  case " $keys " in
  *" {TAINT} "*) kubectl taint node "$1" {TAINT}:NoSchedule- || failed=1 ;;
  esac
}}
"""


@dataclass(frozen=True)
class NodeHealth:
    """A fabric, what is not as planned, and hosts that are no nodes.

    Parameters
    ----------
    image : str
        Container image of the CronJob; empty where none is written.
    """

    fabric: Fabric
    conditions: tuple[Condition, ...] = ()
    excluded: frozenset[str] = frozenset()
    image: str = ""

    def by_node(self) -> dict[str, HostHealth]:
        """Return what is known of each node.

        Raises
        ------
        InputError
            When a host has a name that no node can have, or a condition is about something that
            the fabric does not have.
        """
        known = host_health(now(self.fabric, self.conditions))
        names = node_names(Order(self.fabric, excluded=self.excluded))
        return {name: known.get(self.fabric.host_row[name], HEALTHY) for name in names}


def status_patch(health: HostHealth) -> dict[str, Any]:
    """Return a strategic merge patch of the status of a node.

    The files do not tell when a condition changed, so ``lastTransitionTime`` is not written.
    ``Unknown`` is the status of what cannot be decided: ConditionStatus in kubernetes/api
    ``core/v1/types.go``.
    """
    if not health.conditions:
        status, reason = "True", "AsPlanned"
    elif not health.takes_jobs:
        status, reason = "False", "NotAsPlanned"
    elif health.is_unknown:
        status, reason = "Unknown", "NotRead"
    else:
        status, reason = "True", "Degraded"
    message = few(health.reasons or ["nothing is known against it"], _MOST_MESSAGE, "; ")
    condition = {"type": CONDITION, "status": status, "reason": reason, "message": message}
    return {"status": {"conditions": [condition]}}


def _status(subject: NodeHealth) -> Exported:
    return Exported(
        tuple(
            text_file(FORM, "status", f"{name}.status.json", json.dumps(status_patch(one)) + "\n")
            for name, one in subject.by_node().items()
        )
    )


def _script(subject: NodeHealth) -> Exported:
    lines = "".join(
        f"node {name} {'clear' if one.takes_jobs else 'taint'}\n"
        for name, one in subject.by_node().items()
    )
    text = f"{_SCRIPT}{lines}exit $failed\n"
    return Exported((text_file(FORM, "script", "apply.sh", text, executable=True),))


def _rbac(subject: NodeHealth) -> Exported:
    """Return the least rights that the script needs, on the nodes of the fabric alone."""
    names = [*subject.by_node()]
    group = "rbac.authorization.k8s.io"
    rule = {"apiGroups": [""], "resourceNames": names}
    role = {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _NAME},
        "rules": [
            {**rule, "resources": ["nodes"], "verbs": ["get", "patch"]},
            {**rule, "resources": ["nodes/status"], "verbs": ["get", "patch"]},
        ],
    }
    space = subject.fabric.intent.fabric.kubernetes.namespace
    account = {"kind": "ServiceAccount", "name": _NAME, "namespace": space}
    binding = {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": _NAME},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": _NAME},
        "subjects": [account],
    }
    metadata = {"name": _NAME, "namespace": space}
    own = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    text = "---\n".join(yaml_text(one) for one in (own, role, binding))
    return Exported((text_file(FORM, "rbac", "rbac.yaml", text),))


def _cron_job(subject: NodeHealth) -> Exported:
    if not subject.image:
        fix = "name an image with rocefab and kubectl with --image"
        raise refused("PLC035", "the image of the CronJob is missing", fix, field="--image")
    space = subject.fabric.intent.fabric.kubernetes.namespace
    text = yaml_text(cron_job(_NAME, space, subject.image))
    return Exported((text_file(FORM, "cronjob", "cronjob.yaml", text),))


_PARTS: dict[str, Callable[[NodeHealth], Exported]] = {
    "status": _status,
    "script": _script,
    "rbac": _rbac,
    "cronjob": _cron_job,
}
_STANDARD = ("status", "script", "rbac")
exporters.add(FORM)(
    Exporter(
        _PARTS,
        _STANDARD,
        about=About.NODES,
        title="state of the fabric as conditions and taints of nodes",
        options=dict.fromkeys(_STANDARD, ("--exclude", "--avoid-state", "--state-max-age")),
    )
)
