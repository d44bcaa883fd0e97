"""A job stays in one tenant: on the command line, in exports, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.k8s.labels import node_labels
from fabric.workflow.place import job_request, place
from fabric.workflow.project import Project

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project(EXAMPLE)


def test_a_job_has_hosts_of_its_tenant(project: Project) -> None:
    answer = place(project, job_request(nodes=2, tenant="red"))
    assert answer["hosts"] == ["gpu001", "gpu003"]
    assert place(project, job_request(tenant="blue"))["hosts"] == ["gpu002"]


#: Members of a request, and what the message says.
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no tenant": ({"nodes": 1}, "tenant: every host has a tenant, and a job stays in one"),
    "an unknown tenant": ({"tenant": "green"}, "tenant: there is no tenant 'green'"),
    "a host of another": (
        {"hosts": ["gpu001"], "tenant": "blue"},
        "hosts: gpu001 is not of tenant blue with all its NICs",
    ),
    "a host with one NIC of it": (
        {"hosts": ["gpu004"], "tenant": "blue"},
        "hosts: gpu004 is not of tenant blue with all its NICs",
    ),
    "hosts of two": (
        {"include": ["gpu001", "gpu002"], "tenant": "red"},
        "include: gpu002 is not of tenant red",
    ),
    "a host without saying whose": ({"hosts": ["gpu001"]}, "hosts: gpu001 is not without a tenant"),
    "more than it has": (
        {"nodes": 2, "tenant": "blue"},
        "2 hosts are needed, but only 1 of 1 hosts of blue are free",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_hosts_of_others_are_no_choice(project: Project, name: str) -> None:
    members, message = WRONG[name]
    with pytest.raises(InputError) as caught:
        place(project, job_request(**members))
    assert any(message in str(finding) for finding in caught.value.findings)


def test_a_host_with_one_nic_takes_a_job_that_needs_no_more(project: Project) -> None:
    """blue has rail 0 of gpu004: a job with one GPU of each host fits there."""
    answer = Engine(project.fabric).place(Query(2, 1, tenant="blue"))
    assert [project.fabric.hosts.names[row] for row in answer.rows] == ["gpu002", "gpu004"]


def test_hosts_without_a_tenant_are_for_jobs_without(project: Project, tmp_path: Path) -> None:
    text = (EXAMPLE / "fabric.yaml").read_text()
    text = text.replace("unassigned: quarantine", "unassigned: keep").replace(
        ", nics: {gpu004: [0]}", ""
    )
    (tmp_path / "fabric.yaml").write_text(text)
    kept = Project(tmp_path)
    assert place(kept, job_request(nodes=1))["hosts"] == ["gpu004"]


def test_labels_name_the_tenant(project: Project) -> None:
    labels = node_labels(project.fabric, project.fabric.hosts.names)
    assert [one.get("rocefab.io/tenant", "") for one in labels] == ["red", "blue", "red", "blue"]
