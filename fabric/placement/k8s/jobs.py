"""Jobs: PyTorchJob, MPIJob, TrainJob and RayCluster.

kubeflow/training-operator 078ec30: only with a Master of one replica does a PyTorchJob get ranks,
and its container must be called ``pytorch`` (``pkg/controller.v1/pytorch/envvar.go``). Master is
node rank 0, worker i is i + 1. kubeflow/mpi-operator caa3c47: the launcher gets a hostfile with the
workers in order. kubeflow/trainer 8c0f505: pods are described in a runtime, and the replicated job
``node`` carries the label of the trainer. ray-project/kuberay feeaf72
(``ray-operator/apis/ray/v1/raycluster_types.go``): the operator writes the commands of the pods.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.exports import refused
from fabric.placement.k8s.manifest import Manifest
from fabric.placement.k8s.pod import plain_pod, rank_pod, rank_resources
from fabric.placement.mpirun import mpirun_words

if TYPE_CHECKING:
    from fabric.placement.export import Order
    from fabric.placement.job_host import Setting
    from fabric.placement.k8s.cluster import Cluster

_JOB = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
#: Longest name whose pods, ``-worker-99999``, still have names (RFC 1035 label: 63).
_MAX_JOB = 50
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}")
_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"

Settings = tuple["Setting", ...]


def check_job_name(order: Order) -> None:
    """Refuse a name that no job can have.

    Raises
    ------
    InputError
        When it is none.
    """
    if len(order.job_name) > _MAX_JOB or not _JOB.fullmatch(order.job_name):
        message = f"{order.job_name[:80]!a} is not a valid job name"
        fix = f"use lower case letters, digits and inner hyphens, at most {_MAX_JOB}"
        raise refused("PLC015", message, fix)


def check_words(order: Order, *, needs_command: bool = False) -> None:
    """Refuse names and images that no object can have.

    Parameters
    ----------
    needs_command : bool
        Whether an image alone starts nothing, as in the launcher of an MPIJob.

    Raises
    ------
    InputError
        When one is wrong, or when image or command are missing: all that are.
    """
    check_job_name(order)
    words = order.words
    if words.image and not _IMAGE.fullmatch(words.image):
        message = f"{words.image[:80]!a} is not a valid image name"
        raise refused("PLC015", message, "use the form registry/name:tag")
    needed = {"image": words.image, **({"command": words.command} if needs_command else {})}
    missing = [name for name, word in needed.items() if not word and order.template is None]
    if missing:
        options = " and ".join(f"--{name}" for name in missing)
        message = f"the job has no {' and no '.join(missing)}"
        raise refused("PLC015", message, f"set {options}, or use --template")


def pytorch_job(order: Order, cluster: Cluster, settings: Settings) -> list[Manifest]:
    """Return a PyTorchJob; the node that comes first in rank order is not pinned to the Master."""
    pod = rank_pod(order, cluster, "pytorch", settings)
    replicas = {"Master": 1, "Worker": order.nodes - 1}
    spec = {
        "nprocPerNode": str(order.gpus),
        "pytorchReplicaSpecs": {
            name: {"replicas": count, "restartPolicy": "OnFailure", "template": pod}
            for name, count in replicas.items()
            if count
        },
    }
    return [Manifest("PyTorchJob", order.job_name, cluster.settings.namespace, spec)]


def mpi_job(order: Order, cluster: Cluster, settings: Settings) -> list[Manifest]:
    """Return an MPIJob; the launcher passes its environment on, by name."""
    launcher = plain_pod(order, cluster, "launcher", settings)
    if order.words.command:
        on_host = cluster.traits.container_mode == "host-network"
        bootstrap = "" if on_host else order.bootstrap  # the launcher is a pod in any case
        words = mpirun_words(order, [item.name for item in settings], bootstrap)
        command = [word for line in words for word in line] + list(order.words.command)
        launcher["spec"]["containers"][0]["command"] = command
    worker = rank_pod(order, cluster, "worker", ())
    worker["spec"]["containers"][0].pop("command", None)
    spec = {
        "slotsPerWorker": order.gpus,
        "mpiImplementation": "OpenMPI",
        "launcherCreationPolicy": "WaitForWorkersReady",
        "runPolicy": {"cleanPodPolicy": "Running"},
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "restartPolicy": "OnFailure", "template": launcher},
            "Worker": {"replicas": order.nodes, "restartPolicy": "Never", "template": worker},
        },
    }
    return [Manifest("MPIJob", order.job_name, cluster.settings.namespace, spec)]


def train_job(order: Order, cluster: Cluster, settings: Settings) -> list[Manifest]:
    """Return a TrainingRuntime that describes the pods, and the TrainJob that uses it."""
    words, namespace = order.words, cluster.settings.namespace
    pod = rank_pod(order, cluster, "node", ())
    pod["spec"]["containers"][0].pop("command", None)
    job = {
        "name": "node",
        "template": {
            "metadata": {"labels": {_STEP: "trainer"}},
            "spec": {"template": pod},
        },
    }
    runtime = {
        "mlPolicy": {"numNodes": order.nodes, "torch": {}},
        "template": {"spec": {"replicatedJobs": [job]}},
    }
    trainer: dict[str, Any] = {"numNodes": order.nodes, "numProcPerNode": order.gpus}
    if words.image:
        trainer["image"] = words.image
    if words.command:
        trainer["command"] = list(words.command)
    trainer["env"] = [{"name": item.name, "value": item.value} for item in settings]
    trainer["resourcesPerNode"] = rank_resources(order, cluster)
    spec = {"runtimeRef": {"name": order.job_name, "kind": "TrainingRuntime"}, "trainer": trainer}
    return [
        Manifest("TrainingRuntime", order.job_name, namespace, runtime),
        Manifest("TrainJob", order.job_name, namespace, spec),
    ]


def ray_cluster(order: Order, cluster: Cluster, settings: Settings) -> list[Manifest]:
    """Return a RayCluster: a head without GPUs, and a worker on each host.

    Ray gives ranks itself, to the actors of a program; no field carries an order of hosts.
    """
    head = plain_pod(order, cluster, "ray-head", ())
    del head["spec"]["containers"][0]["env"]
    worker = rank_pod(order, cluster, "ray-worker", settings)
    worker["spec"]["containers"][0].pop("command", None)
    group: dict[str, Any] = {"groupName": "ranks", "rayStartParams": {}, "template": worker}
    for count in ("replicas", "minReplicas", "maxReplicas"):
        group[count] = order.nodes
    no_gpus = {"num-gpus": "0"}
    spec = {
        "headGroupSpec": {"rayStartParams": no_gpus, "template": head},
        "workerGroupSpecs": [group],
    }
    return [Manifest("RayCluster", order.job_name, cluster.settings.namespace, spec)]
