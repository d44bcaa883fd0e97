"""What is spoken already: the extender of kube-scheduler, and the API of Topograph."""

from __future__ import annotations

import pytest
import yaml

from fabric.placement.exporters.slurm import blocks, slurm, topologies
from tests.serve.servers import served
from tests.serve.test_tenants import EXAMPLE
from tests.topology.fabrics import example

HOSTS = ["gpu001", "gpu002", "gpu003", "gpu004"]


def _pod(owner: str, **annotations: str) -> dict:
    metadata = {
        "name": "p",
        "uid": f"pod-of-{owner}",
        "annotations": {f"rocefab/{name}": value for name, value in annotations.items()},
        "ownerReferences": [{"kind": "Job", "uid": owner}],
    }
    return {"metadata": metadata, "spec": {"containers": []}}


def test_filter_by_name_says_why_a_node_fails(own) -> None:
    own.patch("/v1/state", json={"conditions": {"gpu001": {"health": "drained", "reason": "x"}}})
    own.post("/v1/jobs", json={"name": "a", "hosts": "gpu002"})
    args = {"Pod": _pod("o"), "Nodes": None, "NodeNames": [*HOSTS, "cpu1"]}
    result = own.post("/extender/filter", json=args).json()
    assert result == {
        "NodeNames": ["gpu003", "gpu004"],
        "FailedNodes": {
            "cpu1": "no host of the fabric",
            "gpu001": "gpu001 is drained: x",
            "gpu002": "job a runs there",
        },
        "Error": "",
    }


def test_filter_by_whole_nodes_returns_whole_nodes(shared) -> None:
    nodes = [{"metadata": {"name": name, "labels": {"a": "b"}}} for name in ("gpu001", "cpu1")]
    args = {"Pod": _pod("o"), "Nodes": {"kind": "NodeList", "items": nodes}, "NodeNames": None}
    result = shared.post("/extender/filter", json=args).json()
    assert result["Nodes"] == {"kind": "NodeList", "items": nodes[:1]}
    assert list(result["FailedNodes"]) == ["cpu1"]


def test_pods_of_one_job_are_sent_to_one_placement(shared) -> None:
    """As the scheduler asks: pod by pod, with the nodes that are left."""
    left, used = [*HOSTS], []
    for _ in range(2):
        args = {"Pod": _pod("job-1", nodes="2"), "NodeNames": left}
        scores = shared.post("/extender/prioritize", json=args).json()
        assert [one["Host"] for one in scores] == left
        assert {one["Score"] for one in scores} <= {0, 5, 10}
        best = max(scores, key=lambda one: one["Score"])
        assert best["Score"] == 10
        used.append(best["Host"])
        left.remove(best["Host"])
    asked = shared.post("/v1/placements", json={"nodes": 2}).json()
    assert len(asked["units"]) == 1
    assert sorted(used) == sorted(asked["hosts"])


@pytest.mark.parametrize(
    "args",
    [
        {"Pod": {"metadata": {"ownerReferences": ["x"], "annotations": 1}}, "NodeNames": HOSTS},
        {"Pod": _pod("x", nodes="-1", traffic="no"), "NodeNames": HOSTS},
        {"Pod": _pod("y", nodes="999999"), "NodeNames": HOSTS},
        {"Pod": _pod("z"), "NodeNames": []},
        {"Pod": _pod("z"), "Nodes": {"items": ["x", {"metadata": {"name": []}}]}},
    ],
    ids=str,
)
def test_odd_pods_have_an_answer(shared, args) -> None:
    scores = shared.post("/extender/prioritize", json=args)
    assert scores.status_code == 200, scores.text
    assert [one["Host"] for one in scores.json()] == (args.get("NodeNames") or [])
    assert shared.post("/extender/filter", json=args).status_code == 200


#: Annotations of a pod, and why no node fits it.
WRONG = {
    "a word": ({"nodes": "two"}, "rocefab/nodes is 'two', but must be a number from 1 to 4"),
    "zero": ({"nodes": "0"}, "rocefab/nodes is '0', but must be a number from 1 to 4"),
    "too many": ({"nodes": "9"}, "rocefab/nodes is '9', but must be a number from 1 to 4"),
    "a traffic": ({"traffic": "star"}, "rocefab/traffic: "),
    "a misspelt name": (
        {"nods": "2"},
        "'rocefab/nods' is not an annotation of rocefab; did you mean rocefab/nodes?",
    ),
    "a name of nothing": (
        {"rack": "2"},
        "'rocefab/rack' is not an annotation of rocefab; known are rocefab/nodes, ",
    ),
    "a tenant": ({"tenant": "red"}, "rocefab/tenant is 'red', but the fabric has no such tenant"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_annotation_that_cannot_be_met_is_the_reason_of_each_node(shared, name) -> None:
    annotations, reason = WRONG[name]
    args = {"Pod": _pod("wrong", **annotations), "NodeNames": HOSTS}
    result = shared.post("/extender/filter", json=args).json()
    assert result["NodeNames"] == []
    assert set(result["FailedNodes"]) == set(HOSTS)
    assert all(why.startswith(reason) for why in result["FailedNodes"].values())


@pytest.mark.parametrize("path", ["filter", "prioritize"])
@pytest.mark.parametrize(
    ("args", "field", "words"),
    [
        ({"NodeNames": HOSTS}, "Pod", ("required field is missing", "add 'Pod'")),
        ({"Pod": None, "NodeNames": HOSTS}, "Pod", ("expected a JSON object", "")),
        ({"Pod": {}}, None, ("Nodes and NodeNames are missing", "send one of them")),
    ],
)
def test_a_member_that_is_missing_is_named(shared, path, args, field, words) -> None:
    answer = shared.post(f"/extender/{path}", json=args)
    (finding,) = answer.json()["findings"]
    assert (answer.status_code, finding["rule"], finding["field"]) == (422, "SRV004", field)
    assert (words[0] in finding["message"], words[1] in finding["fix"]) == (True, True), finding


#: What a pod says of its tenant: annotation, label of nodes that it selects.
TENANTS = {
    "annotation": ({"tenant": "red"}, {}),
    "nodes that it selects": ({}, {"rocefab.io/tenant": "red"}),
    "the annotation counts": ({"tenant": "red"}, {"rocefab.io/tenant": "blue"}),
}


def test_a_job_stays_in_its_tenant(tmp_path) -> None:
    with served(tmp_path / "state", EXAMPLE) as client:
        for annotations, selected in TENANTS.values():
            pod = _pod("t", nodes="2", **annotations)
            pod["spec"]["nodeSelector"] = selected
            args = {"Pod": pod, "NodeNames": HOSTS}
            result = client.post("/extender/filter", json=args).json()
            assert result["NodeNames"] == ["gpu001", "gpu003"]
            assert set(result["FailedNodes"].values()) == {"tenant red does not have all its NICs"}
            args["NodeNames"] = result["NodeNames"]
            scores = client.post("/extender/prioritize", json=args).json()
            assert [one["Score"] for one in scores] == [10, 10]
            other = {**_pod("all", nodes="2", **annotations), "spec": pod["spec"]}
            args = {"Pod": other, "NodeNames": HOSTS}
            scores = client.post("/extender/prioritize", json=args).json()
            assert [one["Score"] for one in scores if one["Score"] == 10] == [10, 10]
        result = client.post("/extender/filter", json={"Pod": {}, "NodeNames": HOSTS}).json()
        why = "not for pods without a tenant; set the annotation rocefab/tenant"
        assert result["FailedNodes"] == dict.fromkeys(HOSTS, why)
        args = {"Pod": _pod("many", nodes="3", tenant="red"), "NodeNames": HOSTS}
        result = client.post("/extender/filter", json=args).json()
        most = "must be a number from 1 to 2, the hosts of tenant red"
        assert result["FailedNodes"] == dict.fromkeys(HOSTS, f"rocefab/nodes is '3', but {most}")
        args = {"Pod": _pod("b", tenant="blue"), "NodeNames": ["gpu002", "gpu004"]}
        result = client.post("/extender/filter", json=args).json()
        assert result["NodeNames"] == ["gpu002"]


def test_a_node_in_quarantine_says_so(tmp_path) -> None:
    text = (EXAMPLE / "fabric.yaml").read_text().replace(", nics: {gpu004: [0]}", "")
    (tmp_path / "fabric.yaml").write_text(text)
    with served(tmp_path / "state", tmp_path) as client:
        args = {"Pod": _pod("q"), "NodeNames": ["gpu001", "gpu004"]}
        result = client.post("/extender/filter", json=args).json()
    why = "not for pods without a tenant; set the annotation rocefab/tenant"
    assert result["FailedNodes"] == {"gpu001": why, "gpu004": "its NICs are in quarantine"}


def test_topograph_generates_and_returns_topology(shared) -> None:
    body = {
        "provider": {"name": "test", "creds": {"secretAccessKey": "s3cr3t"}},
        "engine": {"name": "slurm", "params": {"plugin": "topology/tree"}},
    }
    made = shared.post("/v1/generate", json=body)
    assert made.status_code == 202
    found = shared.get("/v1/topology", params={"uid": made.text})
    assert (found.status_code, found.text) == (200, slurm(example("demo")))
    assert shared.get("/v1/topology", params={"uid": "none"}).status_code == 404
    assert shared.get("/v1/topology").status_code == 422


def test_topograph_keeps_the_nodes_that_are_named(shared) -> None:
    nodes = [{"region": "r", "instances": {"i-1": "gpu001", "i-2": "gpu003"}}]
    made = shared.post("/v1/generate", json={"engine": {"name": "slurm"}, "nodes": nodes})
    text = shared.get("/v1/topology", params={"uid": made.text}).text
    listed = [line for line in text.splitlines() if "Nodes=" in line]
    assert "".join(listed).count("gpu") == 2
    assert all(name in text for name in ("gpu001", "gpu003"))
    children = {word for line in text.splitlines() for word in line.split() if "Switches=" in word}
    assert children


def _generated(client, **body) -> str:
    made = client.post("/v1/generate", json=body)
    assert made.status_code == 202, made.text
    return client.get("/v1/topology", params={"uid": made.text}).text


def test_topograph_writes_blocks(shared) -> None:
    """As the export does; limited to nodes the sizes follow, unless they are given."""
    engine = {"name": "slurm", "params": {"plugin": "topology/block"}}
    assert _generated(shared, engine=engine) == blocks(example("demo"))
    nodes = [{"region": "r", "instances": {"1": "gpu001", "2": "gpu003", "3": "gpu004"}}]
    lines = _generated(shared, engine=engine, nodes=nodes).splitlines()[1:]
    assert lines == [
        "BlockName=su1 Nodes=gpu001",
        "BlockName=su2 Nodes=gpu[003-004]",
        "BlockSizes=1,2",
    ]
    sized = {"name": "slurm", "params": {"plugin": "topology/block", "blockSizes": [2, 8]}}
    assert _generated(shared, engine=sized).endswith("\nBlockSizes=2,8\n")


def test_topograph_writes_several_topologies(shared) -> None:
    params = {
        "topologies": {
            "blocks": {"plugin": "topology/block", "nodes": ["gpu001", "gpu002"]},
            "all": {"plugin": "topology/tree", "clusterDefault": True},
            "flat": {"plugin": "topology/flat"},
        }
    }
    listed = yaml.safe_load(_generated(shared, engine={"name": "slurm", "params": params}))
    tree, block, flat = listed
    exported = yaml.safe_load(topologies(example("demo")))
    assert tree == {**exported[0], "topology": "all"}
    assert block == {
        "topology": "blocks",
        "cluster_default": False,
        "block": {"block_sizes": [2], "blocks": [{"block": "su1", "nodes": "gpu[001-002]"}]},
    }
    assert flat == {"topology": "flat", "cluster_default": False, "flat": True}


@pytest.mark.parametrize(
    "body",
    [
        {"engine": {"name": "k8s"}},
        {"engine": {"params": {"plugin": "topology/flat"}}},
        {"engine": {"params": {"blockSizes": [2]}}},
        {"engine": {"params": {"plugin": "topology/block", "blockSizes": [2, 6]}}},
        {"engine": {"params": {"plugin": "topology/block", "blockSizes": [0]}}},
        {"engine": {"params": {"plugin": "topology/block", "blockSizes": [2, 2]}}},
        {"engine": {"params": {"plugin": "topology/tree", "topologies": {}}}},
        {"engine": {"params": {"topologies": {"a": {"plugin": "topology/tree", "nodes": ["x"]}}}}},
        {"engine": {"params": {"topologies": {"a: b\n": {"plugin": "topology/tree"}}}}},
        {
            "engine": {
                "params": {"topologies": {"a": {"plugin": "topology/tree", "partition": "p"}}}
            }
        },
        {"engine": {"params": {"topologyConfigPath": "/etc/passwd"}}},
        {"nodes": [{"instances": {"i": "nope"}}]},
    ],
    ids=str,
)
def test_topograph_says_what_it_does_not_do(shared, body) -> None:
    answer = shared.post("/v1/generate", json=body)
    assert answer.status_code == 400
    assert answer.json()["findings"][0]["fix"]
