"""kubectl merges the patches into nodes that have conditions and taints of others."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.lab.faults import Fault
from fabric.placement.engine.state import Condition, Health
from fabric.placement.exporters.node_health import CONDITION, TAINT, NodeHealth
from fabric.workflow.laboratory import CONNECTIONS
from tests.change import labs
from tests.cli.runs import DEMO, ROCEFAB, run
from tests.judges.conftest import missing_judge
from tests.topology.fabrics import example
from tests.workflow import test_drift_watch as drifts

OTHER_TAINT = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
READY = {"type": "Ready", "status": "True"}
CONDITIONS = (
    Condition("gpu001:eth1", Health.DOWN, 'a "bad" cable'),
    Condition("gpu002", Health.DEGRADED, "fan", 1.0),
    Condition("gpu004", Health.DEGRADED, "not read: refused", 1.0, is_unknown=True),
)
#: Qualified names: Kubernetes documentation, Labels and Selectors, Syntax and character set.
QUALIFIED = re.compile(r"([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
#: Reasons of conditions: metav1.Condition of kubernetes/apimachinery, pkg/apis/meta/v1/types.go.
REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")


@pytest.fixture(scope="module")
def kubectl() -> str:
    path = shutil.which("kubectl")
    if path is None:
        missing_judge("kubectl (Debian package kubernetes-client)")
    assert path is not None
    return path


def files(*conditions: Condition, parts: tuple[str, ...] = ()) -> dict[str, str]:
    subject = NodeHealth(example("demo"), conditions, image="registry.example/rocefab:1")
    done = export(subject, exporters["node-health"], parts)
    return {file.path: file.text for file in done.files}


def node(name: str, *taints: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"taints": [OTHER_TAINT, *taints]},
        "status": {"conditions": [READY, {"type": CONDITION, "status": "False"}]},
    }


def patched(kubectl: str, folder: Path, name: str, patch: str) -> dict[str, Any]:
    (folder / "node.json").write_text(json.dumps(node(name)))
    words = [kubectl, "patch", "--local", "-f", "node.json", "--type=strategic", "-o", "json"]
    done = subprocess.run(
        [*words, "-p", patch], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("name", "status", "reason", "message"),
    [
        ("gpu001", "False", "NotAsPlanned", 'gpu001:eth1 is down: a "bad" cable'),
        ("gpu002", "True", "Degraded", "gpu002 is degraded: fan"),
        ("gpu003", "True", "AsPlanned", "nothing is known against it"),
        ("gpu004", "Unknown", "NotRead", "gpu004 is degraded: not read: refused"),
    ],
)
def test_kubectl_changes_one_condition(kubectl, tmp_path, name, status, reason, message) -> None:
    after = patched(kubectl, tmp_path, name, files(*CONDITIONS)[f"{name}.status.json"])
    conditions = {one["type"]: one for one in after["status"]["conditions"]}
    assert conditions["Ready"] == READY
    ours = {"type": CONDITION, "status": status, "reason": reason, "message": message}
    assert conditions[CONDITION] == ours
    assert after["spec"] == node(name)["spec"]
    assert REASON.fullmatch(reason)


def test_a_patch_of_taints_would_remove_those_of_others(kubectl, tmp_path) -> None:
    """Why taints are set by `kubectl taint`."""
    patch = json.dumps({"spec": {"taints": [{"key": TAINT, "effect": "NoSchedule"}]}})
    after = patched(kubectl, tmp_path, "gpu001", patch)
    assert OTHER_TAINT not in after["spec"]["taints"]


def test_names_are_qualified() -> None:
    assert QUALIFIED.fullmatch(TAINT)
    assert QUALIFIED.fullmatch(CONDITION)


class Cluster(BaseHTTPRequestHandler):
    """As much of an API server as kubectl asks for nodes."""

    nodes: dict[str, dict[str, Any]]
    asked: set[tuple[str, str]]

    def do_GET(self) -> None:
        """Answer discovery, and a node."""
        path = self.path.partition("?")[0]
        resources = [
            {"name": "nodes", "namespaced": False, "kind": "Node", "verbs": ["get", "patch"]},
            {"name": "nodes/status", "namespaced": False, "kind": "Node", "verbs": ["patch"]},
        ]
        known = {
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": resources},
        }
        if path in known:
            self.answer(known[path])
        elif name := self.name("get"):
            self.answer(self.nodes[name])
        else:
            self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure"}, 404)

    def do_PATCH(self) -> None:
        """Merge as the types of Kubernetes say: conditions by type, taints as a whole."""
        patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        old = self.nodes[self.name("patch")]
        old["spec"] |= {"taints": patch.get("spec", {}).get("taints", old["spec"]["taints"])}
        merged = {one["type"]: one for one in old["status"]["conditions"]}
        merged |= {one["type"]: one for one in patch.get("status", {}).get("conditions", ())}
        old["status"]["conditions"] = [*merged.values()]
        self.answer(old)

    def name(self, verb: str) -> str:
        """Return the node of the path, and note what was asked."""
        match = re.fullmatch(r"/api/v1/nodes/([^/?]+)(/status)?(\?.*)?", self.path)
        if match:
            self.asked.add((verb, f"nodes{match[2] or ''}"))
        return match[1] if match else ""

    def answer(self, body: dict[str, Any], code: int = 200) -> None:
        """Send JSON."""
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def cluster() -> Iterator[tuple[type[Cluster], str]]:
    names = [f"gpu00{number}" for number in range(1, 5)]
    handler = type("Handler", (Cluster,), {"nodes": {n: node(n) for n in names}, "asked": set()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield handler, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def applied(kubectl: str, folder: Path, url: str, *conditions: Condition) -> None:
    words = [kubectl, "patch", "--help"]
    help_text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    if "--subresource" not in help_text:
        pytest.skip("this kubectl is older than 1.24 and has no --subresource")
    for path, text in files(*conditions).items():
        (folder / path).write_text(text)
    ran(["/bin/sh", str(folder / "apply.sh")], reaching(kubectl, folder, url))


def reaching(kubectl: str, folder: Path, url: str) -> dict[str, str]:
    """Return the environment in which kubectl reaches a cluster."""
    config = {
        "clusters": [{"name": "a", "cluster": {"server": url}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "users": [{"name": "a", "user": {}}],
        "current-context": "a",
    }
    (folder / "config").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", **config}))
    return {
        "KUBECONFIG": str(folder / "config"),
        "HOME": str(folder),
        "PATH": f"{Path(kubectl).parent}:/usr/bin:/bin",
    }


def ran(words: list[str], environment: dict[str, str], folder: Path | None = None) -> None:
    done = subprocess.run(
        words, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_taints_and_clears_with_the_rights_that_it_names(
    kubectl, tmp_path, cluster
) -> None:
    handler, url = cluster

    def taints(name: str) -> set[str]:
        return {one["key"] for one in handler.nodes[name]["spec"]["taints"]}

    for _ in range(2):  # a second time changes nothing
        applied(kubectl, tmp_path, url, *CONDITIONS)
        assert taints("gpu001") == {OTHER_TAINT["key"], TAINT}
        assert taints("gpu002") == taints("gpu003") == taints("gpu004") == {OTHER_TAINT["key"]}
    applied(kubectl, tmp_path, url)
    assert taints("gpu001") == {OTHER_TAINT["key"]}
    role = list(yaml.safe_load_all((tmp_path / "rbac.yaml").read_text()))[1]
    allowed = {
        (verb, resource)
        for rule in role["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert handler.asked == allowed


def test_kubectl_reads_the_rights(kubectl, tmp_path) -> None:
    (tmp_path / "rbac.yaml").write_text(files()["rbac.yaml"])
    words = [kubectl, "label", "--local", "-f", "rbac.yaml", "a=b", "-o", "name"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [
        "serviceaccount/rocefab-node-health",
        "clusterrole.rbac.authorization.k8s.io/rocefab-node-health",
        "clusterrolebinding.rbac.authorization.k8s.io/rocefab-node-health",
    ], done.stderr


def cron_job() -> dict[str, Any]:
    return dict(yaml.safe_load(files(parts=("cronjob",))["cronjob.yaml"]))


@pytest.mark.parametrize("version", ["1.27", "1.31", "1.34"])
def test_objects_are_as_the_schemas_of_kubernetes_say(version: str) -> None:
    import kubernetes_validate

    texts = files(parts=("rbac", "cronjob")).values()
    objects = [one for text in texts for one in yaml.safe_load_all(text)]
    assert [one["kind"] for one in objects][-1] == "CronJob"
    for one in objects:
        kubernetes_validate.validate(one, version, strict=True)
    wrong = cron_job()
    wrong["spec"]["schedules"] = "* * * * *"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_the_cron_job_uses_the_account_of_the_rights() -> None:
    account, _, binding = yaml.safe_load_all(files()["rbac.yaml"])
    own = cron_job()
    pod = own["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert (pod["serviceAccountName"], own["metadata"]["namespace"]) == (
        account["metadata"]["name"],
        account["metadata"]["namespace"],
    )
    assert binding["subjects"][0]["name"] == pod["serviceAccountName"]
    assert pod["containers"][0]["image"] == "registry.example/rocefab:1"
    dockerfile = (Path(__file__).parents[2] / "Dockerfile").read_text(encoding="utf-8")
    assert f"USER {pod['securityContext']['runAsUser']}\n" in dockerfile


def test_an_image_is_needed_for_the_cron_job() -> None:
    with pytest.raises(InputError) as refused:
        export(NodeHealth(example("demo")), exporters["node-health"], ("cronjob",))
    assert refused.value.findings[0].rule == "PLC035"


def test_the_command_of_the_cron_job_reads_the_lab_and_writes_to_nodes(
    kubectl, tmp_path, cluster, monkeypatch
) -> None:
    """A leaf that cannot be read: its host is unknown, and keeps its place."""
    handler, url = cluster
    handler.nodes["gpu1"] = node("gpu1")
    (container,) = cron_job()["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    environment = reaching(kubectl, tmp_path, url)
    environment |= {
        "INVENTORY": str(tmp_path / "inventory"),
        "ROCEFAB_PASSWORD": "lab-password",
        "ROCEFAB_CONNECTIONS": str(tmp_path / "lab" / CONNECTIONS),
        "PATH": f"{Path(ROCEFAB[0]).parent}:{environment['PATH']}",
    }

    def condition() -> tuple[str, str, str]:
        shutil.rmtree(tmp_path / "work", ignore_errors=True)
        (tmp_path / "work").mkdir()
        ran(container["command"], environment, tmp_path / "work")
        (ours,) = [
            one for one in handler.nodes["gpu1"]["status"]["conditions"] if one["type"] == CONDITION
        ]
        return ours["status"], ours["reason"], ours["message"]

    with drifts.applied(tmp_path, monkeypatch) as lab:
        assert condition()[:2] == ("True", "AsPlanned"), condition()
        lab[labs.LEAF].faults.add(Fault("cut_at_command", times=0))
        status, reason, message = condition()
        assert (status, reason) == ("Unknown", "NotRead")
        assert message.startswith(f"{labs.LEAF} is degraded: not read: ")
        assert TAINT not in {one["key"] for one in handler.nodes["gpu1"]["spec"]["taints"]}


@pytest.mark.parametrize("script", ["apply.sh", "cronjob.yaml"])
def test_shellcheck(tmp_path, script) -> None:
    if (program := shutil.which("shellcheck")) is None:
        missing_judge("shellcheck")
    assert program is not None
    (tmp_path / "apply.sh").write_text(files(*CONDITIONS)["apply.sh"])
    if script == "cronjob.yaml":
        pod = cron_job()["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        (tmp_path / "apply.sh").write_text("#!/bin/sh\n" + pod["containers"][0]["command"][-1])
    words = [program, str(tmp_path / "apply.sh")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_state_is_needed_and_a_stale_one_is_rejected(tmp_path) -> None:
    none = run("export", "node-health", DEMO, "--what", "rbac")
    assert (none.code, "PLC034" in none.err) == (2, True)
    state = tmp_path / "state.json"
    state.write_text('{"format": "rocefab-state/1", "written": "2026-01-01T00:00:00Z"}')
    stale = run("export", "node-health", DEMO, "--avoid-state", state, "--what", "rbac")
    assert (stale.code, "stale" in stale.err) == (2, True)


def test_a_condition_of_another_fabric_is_rejected() -> None:
    with pytest.raises(InputError):
        files(Condition("other", Health.DOWN))
