"""A job stays in one tenant: on the command line, in exports, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError, NeverFitsError, NoRoomError, UnplaceableError
from fabric.core.exports import export, exporters
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.export import Order
from fabric.placement.k8s.labels import node_labels
from fabric.workflow.place import job_request, place
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import run

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
    "no tenant": (
        {"nodes": 1},
        (
            "tenant: every host has NICs of a tenant, and a job stays in one; name the tenant: red "
            "or blue"
        ),
    ),
    "an unknown tenant": ({"tenant": "green"}, "tenant: there is no tenant 'green'"),
    "a host of another": (
        {"hosts": ["gpu001"], "tenant": "blue"},
        "hosts: tenant blue does not have all NICs of gpu001 that the job uses; name other hosts",
    ),
    "a host with one NIC of it": (
        {"hosts": ["gpu004"], "tenant": "blue"},
        "hosts: tenant blue does not have all NICs of gpu004 that the job uses",
    ),
    "hosts of two": (
        {"include": ["gpu001", "gpu002"], "tenant": "red"},
        "include: tenant red does not have all NICs of gpu002 that the job uses",
    ),
    "a host without saying whose": (
        {"hosts": ["gpu001"]},
        "hosts: gpu001 is of tenant red; name the tenant",
    ),
    "hosts without saying whose": (
        {"hosts": ["gpu001", "gpu002"]},
        (
            "hosts: gpu001 is of tenant red, gpu002 of blue; name hosts of one tenant, and the "
            "tenant"
        ),
    ),
    "more than it has": (
        {"nodes": 2, "tenant": "blue"},
        (
            "nodes: 2 hosts are needed, but of the 2 hosts of tenant blue only 1 has all NICs that "
            "the job uses; request at most 1 node, or use fewer GPUs of each"
        ),
    ),
    "more than it has of whole hosts": (
        {"nodes": 3, "tenant": "red"},
        "nodes: 3 hosts are needed, but tenant red has 2 hosts; request at most 2 nodes",
    ),
    "more than the fabric has": (
        {"nodes": 9, "tenant": "red"},
        "nodes: 9 hosts are needed, but tenant red has 2 hosts; request at most 2 nodes",
    ),
    "more GPUs than a host has": (
        {"nodes": 9, "gpus_per_node": 3, "tenant": "red"},
        (
            "gpus_per_node: 3 GPUs per node are needed, but the hosts have 2; request at most 2 "
            "GPUs per node"
        ),
    ),
    "nothing free": (
        {"tenant": "blue", "exclude": ["gpu002"]},
        "only 1 has all NICs that the job uses, and 0 are free (1 excluded); exclude fewer hosts",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_hosts_of_others_are_no_choice(project: Project, name: str) -> None:
    members, message = WRONG[name]
    with pytest.raises(InputError) as caught:
        place(project, job_request(**members))
    assert any(message in str(finding) for finding in caught.value.findings)


@pytest.fixture(scope="module")
def quarantine(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a fabric where nobody has gpu004, which is in quarantine."""
    folder = tmp_path_factory.mktemp("quarantine")
    text = (EXAMPLE / "fabric.yaml").read_text()
    (folder / "fabric.yaml").write_text(text.replace(", nics: {gpu004: [0]}", ""))
    return Project(folder)


#: Members of a request where gpu004 is in quarantine, and what the message says.
IN_QUARANTINE: dict[str, tuple[dict[str, Any], str]] = {
    "nothing named": (
        {"nodes": 1},
        (
            "tenant: no host without a tenant is free: gpu004 is in quarantine; name the tenant "
            "(red or blue), or grant it to one"
        ),
    ),
    "the host": (
        {"hosts": ["gpu004"]},
        "hosts: gpu004 is in quarantine; name other hosts, or grant a tenant these",
    ),
    "the host and another": (
        {"hosts": ["gpu001", "gpu004"]},
        "hosts: gpu001 is of tenant red, gpu004 in quarantine",
    ),
}


@each("name", IN_QUARANTINE)
def test_no_tenant_helps_to_a_host_in_quarantine(quarantine: Project, name: str) -> None:
    members, message = IN_QUARANTINE[name]
    with pytest.raises(InputError) as caught:
        place(quarantine, job_request(**members))
    (finding,) = caught.value.findings
    assert message in str(finding)


def test_an_export_says_that_hosts_are_off(quarantine: Project) -> None:
    """No tenant has NICs that are on there, as none is on."""
    why = "in no partition, as none of their NICs is in use"
    fix = "give all of them to a tenant, or connect them"
    assert exported(quarantine, "slurm", "partitions")[1] == [f"gpu004: {why}; {fix} [PLC039]"]


#: A job on some hosts of the example, and the largest jobs of its tenant that still fit.
ROOMS: dict[str, tuple[dict[str, Any], tuple[int, None, int]]] = {
    "one of red": ({"nodes": 1, "tenant": "red"}, (1, None, 1)),
    "both of red": ({"nodes": 2, "tenant": "red"}, (0, None, 0)),
    "the only whole host of blue": ({"nodes": 1, "tenant": "blue"}, (0, None, 0)),
    "blue has a NIC of another host": (
        {"hosts": ["gpu004"], "gpus_per_node": 1, "tenant": "blue"},
        (1, None, 1),
    ),
}


@each("name", ROOMS)
def test_room_counts_hosts_that_the_tenant_may_have(project: Project, name: str) -> None:
    members, room = ROOMS[name]
    answer = place(project, job_request(**members))
    assert tuple(answer["room"].values()) == room


def test_an_inventory_without_tenants_says_so() -> None:
    demo = EXAMPLE.parent / "demo"
    with pytest.raises(InputError) as caught:
        place(Project(demo), job_request(tenant="red"))
    (finding,) = caught.value.findings
    assert str(finding) == "tenant: this inventory has no tenants; omit the tenant [PLC031]"
    ended = run("show", "tenants", demo)
    assert (ended.code, ended.out, ended.err) == (0, "", "this inventory has no tenants\n")
    assert run("show", "tenants", demo, "--format", "json").out.strip() == "[]"


def test_a_host_with_one_nic_takes_a_job_that_needs_no_more(project: Project) -> None:
    """blue has rail 0 of gpu004: a job with one GPU of each host fits there."""
    answer = Engine(project.fabric).place(Query(2, 1, tenant="blue"))
    assert [project.fabric.hosts.names[row] for row in answer.rows] == ["gpu002", "gpu004"]


def test_a_small_job_leaves_whole_hosts(project: Project) -> None:
    """gpu004 has one NIC of blue: a job with one GPU takes it, and gpu002 stays for two GPUs."""
    fabric = project.fabric
    answer = Engine(fabric).place(Query(1, 1, tenant="blue"))
    assert [fabric.hosts.names[row] for row in answer.rows] == ["gpu004"]


def test_a_small_job_leaves_whole_hosts_of_a_unit(tmp_path: Path) -> None:
    text = (EXAMPLE / "fabric.yaml").read_text()
    text = text.replace("hosts: gpu002, nics: {gpu004: [0]}", "hosts: gpu003, nics: {gpu004: [0]}")
    (tmp_path / "fabric.yaml").write_text(text.replace('"gpu[001,003]"', '"gpu[001-002]"'))
    fabric = Project(tmp_path).fabric
    answer = Engine(fabric).place(Query(1, 1, tenant="blue"))
    assert [fabric.hosts.names[row] for row in answer.rows] == ["gpu004"]


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


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a fabric where nobody has gpu002 and one NIC of gpu004."""
    folder = tmp_path_factory.mktemp("shared")
    text = (EXAMPLE / "fabric.yaml").read_text()
    text = text.replace("unassigned: quarantine", "unassigned: keep")
    text = text.replace("hosts: gpu002, ", "")
    (folder / "fabric.yaml").write_text(text)
    return Project(folder)


def exported(project: Project, form: str, part: str, **order: Any) -> tuple[str, list[str]]:
    """Return the text of a part, and the notes."""
    done = export(Order(project.fabric, **order), exporters[form], (part,))
    return done.files[0].text, [str(note) for note in done.notes]


#: gpu004 has one NIC of blue, and one in quarantine.
IN_PART = (
    "gpu004: not all NICs are on, but {} of tenant blue has the hosts, also for jobs that use all "
    "GPUs; exclude them from such jobs, or give the tenant all their NICs [PLC039]"
)
PARTITIONS = """\
NodeName=gpu001 Features=unit-su1,tenant-red,rails-2
NodeName=gpu002 Features=unit-su1,tenant-blue,rails-2
NodeName=gpu003 Features=unit-su2,tenant-red,rails-2
NodeName=gpu004 Features=unit-su2,tenant-blue,rails-1
PartitionName=roce-red Nodes=gpu[001,003] Topology=roce
PartitionName=blocks-red Nodes=gpu[001,003] Topology=blocks
PartitionName=roce-blue Nodes=gpu[002,004] Topology=roce
PartitionName=blocks-blue Nodes=gpu[002,004] Topology=blocks
"""


def test_each_tenant_has_its_partitions(project: Project) -> None:
    text, notes = exported(project, "slurm", "partitions")
    assert text.endswith(PARTITIONS)
    assert notes == [IN_PART.format("a partition")]


def test_hosts_of_no_tenant_and_of_several_are_apart(shared: Project) -> None:
    text, notes = exported(shared, "slurm", "partitions")
    assert "PartitionName=roce Nodes=gpu002 Topology=roce\n" in text
    assert text.endswith("# In no partition, as no tenant has all their NICs: gpu004\n")
    fix = "give all of them to the same tenant [PLC039]"
    why = "as no tenant has all of their NICs"
    assert notes == [f"gpu004: in no partition, {why}; {fix}"]
    assert exported(shared, "k8stopo", "kueue")[1] == [
        f"gpu[002,004]: in no ResourceFlavor, {why}; {fix}"
    ]


def test_each_tenant_has_its_flavor(project: Project) -> None:
    text, notes = exported(project, "k8stopo", "kueue")
    _, *flavors = yaml.safe_load_all(text)
    assert {one["metadata"]["name"]: one["spec"]["nodeLabels"] for one in flavors} == {
        f"tenants-{tenant}": {"rocefab.io/fabric": "tenants", "rocefab.io/tenant": tenant}
        for tenant in ("red", "blue")
    }
    assert notes == [IN_PART.format("a ResourceFlavor")]


#: Where the pods of a job are described, in each fragment.
PODS: dict[str, tuple[str | int, ...]] = {
    "leaderworkerset": ("leaderWorkerTemplate", "workerTemplate", "spec"),
    "jobset": ("replicatedJobs", 0, "template", "spec", "template", "spec"),
}


@pytest.mark.parametrize("part", PODS)
def test_pods_of_a_job_select_the_nodes_of_its_tenant(project: Project, part: str) -> None:
    text, notes = exported(project, "k8stopo", part, tenant="red", nodes=2)
    place = yaml.safe_load(text)["spec"]
    for step in PODS[part]:
        place = place[step]
    assert place == {"nodeSelector": {"rocefab.io/tenant": "red"}}
    assert not notes
    plain = exported(Project(EXAMPLE.parent / "demo"), "k8stopo", part)[0]
    assert "nodeSelector" not in plain


def test_forms_that_know_no_tenants_say_so(project: Project) -> None:
    """And those of a fabric without tenants say nothing."""
    mixed = {
        "slurm": ("topology", "topology-yaml", "block"),
        "k8stopo": ("volcano", "kai", "grove"),
    }
    demo = Project(EXAMPLE.parent / "demo")
    for form, part in ((form, part) for form, parts in mixed.items() for part in parts):
        (note,) = exported(project, form, part, tenant="red")[1]
        assert "does not tell the hosts of tenants apart: red and blue; " in note
        assert not exported(demo, form, part)[1]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a fabric without tunnels: red has a unit and a host of another, nobody gpu004."""
    folder = tmp_path_factory.mktemp("local")
    text = (EXAMPLE / "fabric.yaml").read_text()
    for old, new in {
        "form: evpn": "form: local",
        "gpu[001,003]": "gpu[001-003]",
        "  - {name: blue, id: 18, hosts: gpu002, nics: {gpu004: [0]}}\n": "",
    }.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "fabric.yaml").write_text(text)
    return Project(folder)


#: A job of red where its traffic stays on its leaf: hosts and room, or class and text of the error.
LOCAL: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "a unit": ({"nodes": 2}, ["gpu001", "gpu002"], (1, None, 1)),
    "the tightest unit": ({"nodes": 1}, ["gpu003"], (2, None, 2)),
    "named hosts of a unit": ({"hosts": ["gpu002", "gpu001"]}, ["gpu002", "gpu001"], (1, None, 1)),
    "more than a unit": (
        {"nodes": 3},
        NeverFitsError,
        (
            "3 hosts are needed on the same leaves (traffic of tenant red stays on its leaf), but "
            "a unit has at most 2; request fewer nodes"
        ),
    ),
    "named hosts of two units": (
        {"hosts": ["gpu001", "gpu003"]},
        UnplaceableError,
        (
            "hosts: gpu001 and gpu003 do not reach each other: they have different leaves, and "
            "traffic of tenant red stays on its leaf; name hosts with the same leaves"
        ),
    ),
    "included hosts of two units": (
        {"nodes": 2, "include": ["gpu001", "gpu003"]},
        NeverFitsError,
        "2 hosts are needed on the same leaves",
    ),
    "not now": (
        {"nodes": 2, "exclude": ["gpu001"]},
        NoRoomError,
        (
            "2 hosts are needed on the same leaves (traffic of tenant red stays on its leaf), but "
            "a unit has at most 1 free"
        ),
    ),
    "a pod where there is none": (
        {"nodes": 3, "within": "pod"},
        UnplaceableError,
        "within: the fabric has no pods; use unit, or omit within",
    ),
    "traffic between rails": (
        {"nodes": 2, "traffic": "all-to-all", "pxn": False},
        UnplaceableError,
        (
            "traffic: without PXN this traffic crosses rails, but traffic of tenant red stays on "
            "its leaf; allow PXN, or name traffic that stays on its rail"
        ),
    ),
}


@each("name", LOCAL)
def test_a_job_of_a_local_tenant_stays_on_its_leaves(local: Project, name: str) -> None:
    members, expected, more = LOCAL[name]
    job = job_request(tenant="red", **members)
    if isinstance(expected, list):
        answer = place(local, job)
        assert answer["hosts"] == expected
        assert tuple(answer["room"].values()) == more
        return
    with pytest.raises(expected) as caught:
        place(local, job)
    assert type(caught.value) is expected
    assert more in str(caught.value.findings[0])
