"""Jobs: ranks, rails, memory and settings; and templates of the user."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.core.findings import Finding
from fabric.intent.yaml.file import parse_yaml
from fabric.placement.environment import UserValue
from fabric.placement.export import JobWords, Order
from tests.placement.crds import FOLDER, judge
from tests.placement.k8s_fabrics import JOBS, MODES, WORDS, cluster, named, objects, shared


def rank_pods(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pod templates of the ranks, of any kind of job."""
    results = []
    for item in items:
        spec = item["spec"]
        if item["kind"] == "PyTorchJob":
            results += [part["template"] for part in spec["pytorchReplicaSpecs"].values()]
        if item["kind"] == "MPIJob":
            results.append(spec["mpiReplicaSpecs"]["Worker"]["template"])
        if item["kind"] == "RayCluster":
            results += [group["template"] for group in spec["workerGroupSpecs"]]
        if item["kind"] == "TrainingRuntime":
            (job,) = spec["template"]["spec"]["replicatedJobs"]
            results.append(job["template"]["spec"]["template"])
    return results


def environments(items: list[dict[str, Any]]) -> dict[str, str]:
    """Return the environment that reaches the ranks."""
    for item in items:
        spec = item["spec"]
        if item["kind"] == "TrainJob":
            return {row["name"]: row["value"] for row in spec["trainer"]["env"]}
        if item["kind"] == "MPIJob":
            (box,) = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"]
            words = box["command"]
            passed = [words[i + 1] for i, word in enumerate(words) if word == "-x"]
            values = {row["name"]: row["value"] for row in box["env"]}
            assert passed == list(values)
            return values
    pods = rank_pods(items)
    rows = [pod["spec"]["containers"][0]["env"] for pod in pods]
    assert all(row == rows[0] for row in rows)
    return {row["name"]: row["value"] for row in rows[0]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("part", JOBS)
def test_pods_of_ranks(part: str, mode: str) -> None:
    pods = rank_pods(objects(cluster(mode), part))
    assert pods
    for pod in pods:
        spec, (box,) = pod["spec"], pod["spec"]["containers"]
        assert spec["schedulerName"] == "volcano"
        assert box["securityContext"]["capabilities"]["add"] == ["IPC_LOCK"]
        assert spec["volumes"] == [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
        assert box["volumeMounts"] == [{"name": "shm", "mountPath": "/dev/shm"}]
        assert box["resources"]["limits"]["nvidia.com/gpu"] == 2
        (term,) = spec["affinity"]["nodeAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]["nodeSelectorTerms"]
        assert term["matchExpressions"][0]["values"] == ["b1", "b2"]
        notes = pod["metadata"]["annotations"]
        assert notes["sidecar.istio.io/inject"] == "false"
        on_host = mode == "host-network"
        assert spec.get("hostNetwork", False) == on_host
        assert ("k8s.v1.cni.cncf.io/networks" in notes) != on_host
        assert ("initContainers" in spec) != on_host
        if on_host:
            assert box["resources"]["limits"]["rdma/hca"] == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("part", JOBS)
def test_the_environment_reaches_the_ranks(part: str, mode: str) -> None:
    built = cluster(mode)
    order = Order(built, nodes=2)
    expected = order.environments["b1"].values
    assert environments(objects(built, part)) == expected
    assert ("NCCL_IB_HCA" in expected) == (mode != "virtual-function")
    mine = objects(built, part, users={"NCCL_IB_TC": UserValue("7"), "MINE": UserValue("x")})
    assert environments(mine) == expected | {"NCCL_IB_TC": "7", "MINE": "x"}


def test_pytorch_ranks() -> None:
    for nodes, expected in ((1, {"Master": 1}), (4, {"Master": 1, "Worker": 3})):
        spec = named(objects(cluster("macvlan"), "pytorchjob", nodes=nodes), "PyTorchJob")["train"]
        parts = spec["pytorchReplicaSpecs"]
        assert {name: part["replicas"] for name, part in parts.items()} == expected
        assert spec["nprocPerNode"] == "2"
        boxes = [part["template"]["spec"]["containers"] for part in parts.values()]
        assert [(box["name"], box["command"]) for (box,) in boxes] == [
            ("pytorch", ["python", "train.py"])
        ] * len(expected)


def test_mpi_ranks() -> None:
    spec = named(objects(cluster("macvlan"), "mpijob", nodes=2), "MPIJob")["train"]
    assert spec["slotsPerWorker"] == 2
    assert spec["mpiReplicaSpecs"]["Worker"]["replicas"] == 2
    (box,) = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"]
    words = box["command"]
    assert words[:5] == ["mpirun", "-np", "4", "--map-by", "slot"]
    assert words[-2:] == ["python", "train.py"]
    assert "resources" not in box


def test_a_train_job_uses_its_runtime() -> None:
    items = objects(cluster("macvlan"), "trainjob", nodes=2)
    assert [item["kind"] for item in items] == ["TrainingRuntime", "TrainJob"]
    runtime, job = (item["spec"] for item in items)
    assert job["runtimeRef"] == {"name": "train", "kind": "TrainingRuntime"}
    assert (job["trainer"]["numNodes"], job["trainer"]["numProcPerNode"]) == (2, 2)
    (part,) = runtime["template"]["spec"]["replicatedJobs"]
    assert part["name"] == "node"
    assert part["template"]["metadata"]["labels"] == {
        "trainer.kubeflow.org/trainjob-ancestor-step": "trainer"
    }


def test_a_ray_cluster_has_a_worker_on_each_host() -> None:
    spec = named(objects(cluster("macvlan"), "raycluster", nodes=3), "RayCluster")["train"]
    (group,) = spec["workerGroupSpecs"]
    assert {group[name] for name in ("replicas", "minReplicas", "maxReplicas")} == {3}
    assert spec["headGroupSpec"]["rayStartParams"] == {"num-gpus": "0"}
    for pod in (spec["headGroupSpec"]["template"], group["template"]):
        (box,) = pod["spec"]["containers"]
        assert "command" not in box
    assert "resources" not in spec["headGroupSpec"]["template"]["spec"]["containers"][0]


def test_half_of_the_rails() -> None:
    (pod,) = rank_pods(objects(cluster("macvlan"), "pytorchjob", nodes=1, gpus_per_node=1))
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": 1, "rdma/rail0": 1}
    assert pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"] == "rail0"


def test_hosts_without_rdma_ask_for_gpus_alone() -> None:
    nic = {"host__nic": {"link_layer": "ethernet"}}
    (pod,) = rank_pods(objects(cluster("host-network", **nic), "pytorchjob", nodes=1))
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 2}
    with pytest.raises(InputError) as caught:
        objects(cluster("macvlan", **nic), "pytorchjob", nodes=1)
    assert "the NICs do not run RoCE (ethernet)" in str(caught.value.findings[0])


def test_networks_of_a_unit() -> None:
    (pod, _) = rank_pods(objects(shared("macvlan"), "pytorchjob", nodes=3))
    networks = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]
    assert networks == "su1-rail0,su1-rail1"
    with pytest.raises(InputError) as caught:
        objects(shared("macvlan"), "pytorchjob", nodes=4)
    assert str(caught.value.findings[0]).endswith(
        "; use addressing.vlan_per: nic or none, request fewer nodes, or use the host network "
        "[PLC016]"
    )
    assert objects(cluster("macvlan"), "pytorchjob", nodes=4)


@pytest.mark.parametrize(
    ("part", "words", "message"),
    [
        ("pytorchjob", JobWords("Train", "i"), "'Train' is not a valid job name"),
        ("pytorchjob", JobWords("a\n---\nkind: Secret", "i"), "is not a valid job name"),
        ("pytorchjob", JobWords("a" * 51, "i"), "at most 50"),
        ("pytorchjob", JobWords("a", "i x"), "'i x' is not a valid image name"),
        ("pytorchjob", JobWords("a", "!!python/object:x"), "is not a valid image name"),
        ("trainjob", JobWords("a"), "the job has no image; set --image, or use --template"),
        ("mpijob", JobWords("a"), "the job has no image and no command; set --image and --command"),
        ("mpijob", JobWords("a", "i"), "the job has no command"),
    ],
)
def test_hostile_and_missing_words(part: str, words: JobWords, message: str) -> None:
    with pytest.raises(InputError) as caught:
        objects(cluster("macvlan"), part, words=words)
    assert message in str(caught.value.findings[0])


def test_any_command_stays_one_word_list() -> None:
    words = JobWords("a", "i", ("sh", "-c", "a: b\n---\n!!x &y *z 'q' \"r\" {{ c }}", "on", "1e3"))
    (pod,) = rank_pods(objects(cluster("macvlan"), "pytorchjob", nodes=1, words=words))
    assert pod["spec"]["containers"][0]["command"] == list(words.command)


TEMPLATE = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: mine
  labels: {team: vision}
spec:
  runPolicy: {cleanPodPolicy: None}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata:
          annotations: {k8s.v1.cni.cncf.io/networks: my-net}
        spec:
          containers:
            - name: pytorch
              image: mine/train:2
              env:
                - {name: NCCL_IB_HCA, value: "mlx5_7"}
                - {name: NCCL_IB_TC, value: "104"}
                - name: NCCL_DEBUG
                  value: INFO
                - name: NCCL_IB_TIMEOUT
                  valueFrom: {fieldRef: {fieldPath: metadata.name}}
              securityContext: {capabilities: {add: [SYS_PTRACE]}}
              volumeMounts:
                - {name: data, mountPath: /data}
            - {name: sidecar, image: x}
          volumes:
            - {name: data, emptyDir: {}}
"""


def filled(text: str, part: str = "pytorchjob", **order: Any) -> tuple[Any, tuple[Finding, ...]]:
    """Return the last object of an export with a template, and the notes."""
    document = parse_yaml(text.encode(), "job.yaml")
    chosen = {"nodes": 1, **order}
    expected = Order(cluster("macvlan"), template=document, **chosen)
    done = export(expected, exporters["k8s"], (part,))
    return yaml.safe_load(done.files[-1].text), done.notes


def test_a_template_is_filled_and_nothing_in_it_changes() -> None:
    built, notes = filled(TEMPLATE)
    theirs = yaml.safe_load(TEMPLATE)
    assert built["metadata"] == {**theirs["metadata"], "namespace": "default"}
    assert built["spec"]["runPolicy"] == {"cleanPodPolicy": "None"}
    pod = built["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
    box, sidecar = pod["spec"]["containers"]
    assert sidecar == {"name": "sidecar", "image": "x"}
    assert box["image"] == "mine/train:2"
    env = {row["name"]: row.get("value", row.get("valueFrom")) for row in box["env"]}
    assert env["NCCL_IB_HCA"] == "mlx5_7"
    assert env["NCCL_DEBUG"] == "INFO"
    assert env["NCCL_IB_TIMEOUT"] == {"fieldRef": {"fieldPath": "metadata.name"}}
    assert env["NCCL_SOCKET_IFNAME"] == "=eth0"
    assert [row for row in box["env"] if row["name"] == "NCCL_IB_TIMEOUT"] == [
        {"name": "NCCL_IB_TIMEOUT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    ]
    assert box["securityContext"]["capabilities"]["add"] == ["SYS_PTRACE", "IPC_LOCK"]
    assert [row["mountPath"] for row in box["volumeMounts"]] == ["/data", "/dev/shm"]
    assert [row["name"] for row in pod["spec"]["volumes"]] == ["data", "shm"]
    assert pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"] == "my-net"
    reported = [str(note) for note in notes]
    assert [note.rule for note in notes] == ["PLC013", "PLC010", "PLC011", "PLC010"]
    assert reported[0].startswith(
        "job.yaml:13:25: spec.pytorchReplicaSpecs.Master.template.metadata"
    )
    assert "is 'my-net' and is kept; rocefab would set 'rail0,rail1' [PLC013]" in reported[0]
    assert reported[1].startswith("job.yaml:19:")
    assert "NCCL_IB_HCA is 'mlx5_7' and is kept; rocefab would set '=mlx5_1,mlx5_2'" in reported[1]
    assert "NCCL_IB_TIMEOUT is 'valueFrom' and is kept; rocefab would set '22'" in reported[3]
    assert reported[2].startswith("job.yaml:21:")
    assert "NCCL_DEBUG is 'INFO' and is kept; rocefab does not set it: for diag" in reported[2]


def test_a_name_of_the_user_is_told() -> None:
    built, notes = filled(TEMPLATE, words=JobWords("other"))
    assert built["metadata"]["name"] == "mine"
    assert "metadata.name is 'mine' and is kept; rocefab would set 'other'" in str(notes[0])


@pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} does not exist; set ROCEFAB_REFERENCE")
def test_a_filled_template_fits_the_schema() -> None:
    judge(filled(TEMPLATE)[0])


def contained(small: Any, large: Any) -> bool:
    """Say whether all that stands in one tree stands in the other, lists in their order."""
    if isinstance(small, dict):
        return isinstance(large, dict) and all(
            key in large and contained(value, large[key]) for key, value in small.items()
        )
    if isinstance(small, list):
        return len(small) <= len(large) and all(map(contained, small, large))
    return bool(small == large)


@pytest.mark.parametrize("part", JOBS)
def test_our_own_output_as_a_template_comes_back(part: str) -> None:
    built = objects(cluster("macvlan"), part, nodes=1)[-1]
    again, notes = filled(yaml.safe_dump(built), part, words=WORDS)
    assert again == built
    assert notes == ()


@pytest.mark.parametrize("part", JOBS)
def test_nothing_of_a_template_gets_lost(part: str) -> None:
    built = objects(cluster("macvlan"), part, nodes=1)[-1]
    kept = {"apiVersion": built["apiVersion"], "kind": built["kind"], "metadata": {"name": "x"}}
    again, _ = filled(
        yaml.safe_dump({**kept, "spec": {"extra": [1, {"a": "no"}]}}), part, words=WORDS
    )
    assert contained(kept, again)
    assert again["spec"]["extra"] == [1, {"a": "no"}]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("PyTorchJob", "MPIJob", "job.yaml:2:1: kind: kind is 'MPIJob', not PyTorchJob; use"),
        ("kubeflow.org/v1", "kubeflow.org/v9", "job.yaml:1:1: apiVersion: apiVersion is"),
        (
            "name: pytorch",
            "name: main",
            "there is no container named pytorch; rename the job container",
        ),
        ("      replicas: 1\n", "      replicas: [1]\n", "a single value is expected here"),
        ("- {name: sidecar, image: x}", "- {image: x}", "containers[1]: an item has no name"),
        ("- {name: sidecar, image: x}", "- {name: x}", "containers[1]: a container has no image"),
        ("name: mine", "name: Mine", "'Mine' is not a valid job name"),
    ],
)
def test_templates_that_are_refused(old: str, new: str, message: str) -> None:
    assert old in TEMPLATE
    with pytest.raises(InputError) as caught:
        filled(TEMPLATE.replace(old, new))
    assert message in str(caught.value.findings[0])
    assert str(caught.value.findings[0]).startswith("job.yaml:") == ("Mine" not in new)


def test_a_shell_announces_and_waits(tmp_path: Path) -> None:
    """The script of the pod, run by a real shell with stand-ins of its tools."""
    (pod,) = rank_pods(objects(cluster("macvlan"), "pytorchjob", nodes=1))
    (box,) = pod["spec"]["initContainers"]
    assert box["securityContext"]["capabilities"]["add"] == ["NET_RAW"]
    script = box["command"][2].replace("/sys/class/net/net*", f"{tmp_path}/net*")
    for name in ("net1", "net2"):
        (tmp_path / name).touch()
    tools = {
        "ip": 'case "$*" in\n'
        '  *address*) echo "3: $6    inet 10.64.0.${6#net}/28 brd x scope global $6";;\n'
        '  *) echo "10.64.0.0/28 proto kernel scope link"\n'
        '     echo "10.64.0.0/12 via 10.64.0.9${7#net} table 100";;\nesac',
        "arping": f'echo "arping $*" >> {tmp_path}/log',
        "ping": f'echo "ping $*" >> {tmp_path}/log; test ! -e {tmp_path}/down',
    }
    for name, text in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    shell = shutil.which("sh")
    assert shell

    def run() -> int:
        return subprocess.run(
            [shell, "-c", script], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False
        ).returncode

    assert run() == 0
    assert (tmp_path / "log").read_text().splitlines() == [
        "arping -U -c 3 -I net1 10.64.0.1",
        "ping -c 3 -W 2 -I net1 10.64.0.91",
        "arping -U -c 3 -I net2 10.64.0.2",
        "ping -c 3 -W 2 -I net2 10.64.0.92",
    ]
    (tmp_path / "down").touch()
    assert run() != 0
