"""The fabric, its hosts and links, its forms for other programs, failures, health and figures."""

from __future__ import annotations

import pytest

from fabric.placement.exporters.slurm import slurm
from tests.topology.fabrics import example


def test_fabric_has_its_size(shared) -> None:
    answer = shared.get("/v1/fabric").json()
    fabric = example("demo")
    assert (answer["name"], answer["hosts"]) == ("demo", len(fabric.hosts))
    assert answer["links"] == {"host": len(fabric.nics), "switch": len(fabric.uplinks)}
    assert sum(answer["switches"].values()) == len(fabric.switches)


@pytest.mark.parametrize("path", ["/v1/hosts?", "/v1/links?", "/v1/links?kind=host&"])
def test_pages_make_the_whole_list(shared, path: str) -> None:
    whole = shared.get(path).json()
    assert whole["next"] is None
    pages, offset = [], 0
    while offset is not None:
        answer = shared.get(f"{path}limit=3&offset={offset}").json()
        assert len(answer["items"]) <= 3
        pages += answer["items"]
        offset = answer["next"]
    assert pages == whole["items"]
    assert len(pages) == whole["total"] > 3


def test_links_name_their_ends_as_the_state_does(own) -> None:
    """What a list prints can be sent as a condition."""
    for kind in ("switch", "host"):
        first = own.get(f"/v1/links?kind={kind}&limit=1").json()["items"][0]
        changes = {first[end]: {"health": "down", "reason": "test"} for end in ("near", "far")}
        assert own.patch("/v1/state", json={"conditions": changes}).status_code == 200
        again = own.get(f"/v1/links?kind={kind}&limit=1").json()["items"][0]
        assert again["condition"]["reason"] == "test"


def test_topology_is_what_the_export_prints(shared) -> None:
    answer = shared.get("/v1/topology/slurm")
    assert answer.text == slurm(example("demo"))
    assert answer.headers["content-type"].startswith("text/plain")
    assert shared.get("/v1/topology/dot").text.startswith("graph")
    missing = shared.get("/v1/topology/openmpi")
    assert missing.status_code == 404
    assert "slurm" in missing.json()["findings"][0]["fix"]
    assert "topology: roce" in shared.get("/v1/topology/slurm?part=topology-yaml").text
    assert "gpu001" in shared.get("/v1/topology/k8stopo").text
    assert "kind: Topology" in shared.get("/v1/topology/k8stopo?part=kueue").text
    same = shared.get("/v1/topology/kueue")
    assert same.text == shared.get("/v1/topology/k8stopo?part=kueue").text
    assert "kueue" in missing.json()["findings"][0]["fix"].split(", ")
    assert shared.get("/v1/topology/kueue?part=nodes").status_code == 422
    assert shared.get("/v1/topology/hostfile").status_code == 404
    for part in ("nope", "hostfile"):
        assert shared.get(f"/v1/topology/slurm?part={part}").status_code == 422


def test_whatif_says_what_is_lost(shared) -> None:
    answer = shared.post("/v1/whatif", json={"fail": ["host:gpu001"], "rules": True})
    assert answer.status_code == 200, answer.text
    assert answer.json()["failed"] == ["host:gpu001"]
    ranked = shared.post("/v1/whatif", json={"all_switches": True})
    assert ranked.status_code == 200, ranked.text


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        pytest.param({}, ["fail"], id="nothing"),
        pytest.param({"fail": ["nothing:x"]}, ["fail"], id="no failure"),
        pytest.param({"fail": ["gpu[900-999]"], "drain": "leaf9"}, ["fail", "drain"], id="names"),
        pytest.param({"drain": "spine01", "all_links": True}, ["drain"], id="both"),
    ],
)
def test_a_question_that_is_not_clear_names_its_fields(shared, body, fields) -> None:
    refused = shared.post("/v1/whatif", json=body)
    assert refused.status_code == 422
    findings = refused.json()["findings"]
    assert [one["field"] for one in findings] == fields
    assert {one[key] for one in findings for key in ("file", "line", "device", "port")} == {None}


def test_probes_and_figures(shared) -> None:
    assert shared.get("/healthz").json() == {"status": "ok"}
    assert shared.get("/readyz").json()["status"] == "ok"
    shared.get("/v1/hosts")
    shared.get("/v1/elsewhere/%7f%22")
    text = shared.get("/metrics").text
    assert "rocefab_inventory_current 1.0" in text
    assert 'route="/v1/hosts"' in text
    assert "elsewhere" not in text


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("/v1/hosts?lim=2", "did you mean limit? The path has limit and offset"),
        ("/v1/topology/k8stopo?prt=kueue", "did you mean part? The path has part"),
        ("/v1/map?x=0", "remove it. The path has unit, pod, rail, plane and job"),
        ("/v1/fabric?x=1", "remove it; it has none"),
    ],
)
def test_unknown_parameters_are_refused(shared, path: str, fix: str) -> None:
    answer = shared.get(path)
    assert (answer.status_code, answer.json()["findings"][0]["fix"]) == (422, fix)
    assert shared.get("/healthz?x=1").status_code == 200


@pytest.mark.parametrize("path", ["hosts", "tenants", "devices"])
def test_unknown_names_are_repeated(shared, path: str) -> None:
    answer = shared.get(f"/v1/{path}/gpu9")
    assert answer.status_code == 404
    assert "'gpu9'" in answer.json()["detail"]
