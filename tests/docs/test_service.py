"""What docs/service.md prints works as it stands."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fabric.placement.k8s.labels import TENANT_LABEL
from fabric.serve.extender import TENANT
from tests.cli import tree
from tests.cli.runs import ROOT, clean_environment
from tests.judges.conftest import missing_judge
from tests.serve.servers import served

PAGE = (ROOT / "docs" / "service.md").read_text()
URL = "http://127.0.0.1:8780"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served(tmp_path_factory.mktemp("state")) as client:
        yield str(client.base_url)


def test_curl_lines_work_in_their_order(url: str) -> None:
    if shutil.which("curl") is None:
        missing_judge("curl")
    lines = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        done = subprocess.run(
            ["/bin/sh", "-c", line.replace(URL, url).replace("curl ", "curl --fail-with-body ")],
            env={**clean_environment(), "no_proxy": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_python_works(url: str) -> None:
    for block in _blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", block.replace(URL, url)],
            env={**clean_environment(), "no_proxy": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("gpu")


def _serve_options() -> set[str]:
    leaf, _ = tree.find(["serve"])
    return {name for option in leaf.options for name in option.opts}


def test_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    (text,) = _blocks("ini")
    assert set(re.findall(r"--[a-z-]+", text)) <= _serve_options()
    if shutil.which("systemd-analyze") is None:
        missing_judge("systemd-analyze")
    unit = tmp_path / "rocefab.service"
    unit.write_text(text.replace("/opt/rocefab/bin/rocefab", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert [line for line in done.stderr.splitlines() if "rocefab" in line] == []


def test_manifests_are_whole() -> None:
    """What they mount exists, what they call is an option, what they select is a label."""
    documents = [one for block in _blocks("yaml") for one in yaml.safe_load_all(block)]
    workload, service, scheduler, policy, binding = documents
    pod = workload["spec"]["template"]
    containers = [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]
    volumes = {one["name"] for one in pod["spec"]["volumes"]}
    volumes |= {one["metadata"]["name"] for one in workload["spec"]["volumeClaimTemplates"]}
    mounted = {one["name"] for container in containers for one in container["volumeMounts"]}
    assert mounted == volumes
    words = containers[-1]["args"]
    assert {word for word in words if word.startswith("--")} <= _serve_options()
    folders = {one["mountPath"] for one in containers[-1]["volumeMounts"]}
    paths = [Path(word) for word in words if word.startswith("/")]
    assert all(str(path) in folders or str(path.parent) in folders for path in paths)
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert workload["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    (extender,) = scheduler["extenders"]
    assert extender["urlPrefix"] == f"{URL}/extender"
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]
    named = " ".join(one["expression"] for one in policy["spec"]["validations"])
    assert {TENANT, TENANT_LABEL} <= set(re.findall(r"'([^']+)'", named))
