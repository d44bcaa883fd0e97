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
from fabric.placement.engine.state import Condition, Health
from fabric.placement.exporters.node_health import CONDITION, TAINT, NodeHealth
from tests.cli.runs import DEMO, run
from tests.judges.conftest import missing_judge
from tests.topology.fabrics import example

OTHER_TAINT = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
READY = {"type": "Ready", "status": "True"}
CONDITIONS = (
    Condition("gpu001:eth1", Health.DOWN, 'a "bad" cable'),
    Condition("gpu002", Health.DEGRADED, "fan", 1.0),
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


def files(*conditions: Condition) -> dict[str, str]:
    done = export(NodeHealth(example("demo"), conditions), exporters["node-health"])
    return {file.path: file.text for file in done.files}


def node(name: str, *taints: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"taints": [OTHER_TAINT, *taints]},
        "status": {"conditions": [READY, {"type": CONDITION, "status": "Unknown"}]},
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
    config = {
        "clusters": [{"name": "a", "cluster": {"server": url}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "users": [{"name": "a", "user": {}}],
        "current-context": "a",
    }
    (folder / "config").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", **config}))
    environment = {
        "KUBECONFIG": str(folder / "config"),
        "HOME": str(folder),
        "PATH": f"{Path(kubectl).parent}:/usr/bin:/bin",
    }
    done = subprocess.run(
        ["/bin/sh", str(folder / "apply.sh")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
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
        assert taints("gpu002") == taints("gpu003") == {OTHER_TAINT["key"]}
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


def test_shellcheck(tmp_path) -> None:
    if (program := shutil.which("shellcheck")) is None:
        missing_judge("shellcheck")
    assert program is not None
    (tmp_path / "apply.sh").write_text(files(*CONDITIONS)["apply.sh"])
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
