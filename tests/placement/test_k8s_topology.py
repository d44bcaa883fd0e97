"""The fabric for schedulers of Kubernetes: every node in every level, and objects that fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.placement.export import JobWords, Order
from fabric.placement.k8s.labels import keys, label_value
from fabric.topology import Fabric
from tests.cases import each, examples
from tests.placement.crds import FOLDER, judge
from tests.placement.test_designs import POD
from tests.topology.fabrics import example, fabric

#: Objects whose schemas are not at hand: version and what their spec may have (NodeFeature:
#: kubernetes-sigs/node-feature-discovery deployment/base/nfd-crds; the others are fragments).
SMALL = {
    "Node": ("v1", {"taints"}),
    "NodeFeature": ("nfd.k8s-sigs.io/v1alpha1", {"labels"}),
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io/v1", {"leaderWorkerTemplate"}),
    "JobSet": ("jobset.x-k8s.io/v1alpha2", set[str]()),
}
JUDGED = ("kueue", "volcano", "kai", "grove")
LABELS = {"nvidia-legacy": {"topology_labels": "nvidia-legacy"}, "topograph-v1": {}}
VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
FABRICS: dict[str, Callable[[], Fabric]] = {
    "two tiers": fabric,
    "pods": lambda: fabric(**POD),
    "one unit": lambda: fabric(units=[{"name": "su1", "hosts": "a[1-3]"}]),
    "no spine": lambda: fabric(design="rail-only", spines=None),
    "two ports": lambda: example("dual-tor"),
    "tenants": lambda: example("tenants"),
    "legacy": lambda: fabric(kubernetes=LABELS["nvidia-legacy"], **POD),
}


@cache
def fabric_of(name: str) -> Fabric:
    return FABRICS[name]()


def items(built: Fabric, part: str, **order: Any) -> list[dict[str, Any]]:
    """Return the objects of a part."""
    (file,) = export(Order(built, **order), exporters["k8stopo"], (part,)).files
    assert file.path == f"{part}.yaml"
    return [*yaml.safe_load_all(file.text)]


def named(built: Fabric, part: str = "nodes", **order: Any) -> dict[str, dict[str, str]]:
    """Return the labels of the nodes."""
    if part == "nodes":
        return {
            one["metadata"]["name"]: one["metadata"]["labels"]
            for one in items(built, part, **order)
        }
    label = "nfd.node.kubernetes.io/node-name"
    return {
        one["metadata"]["labels"][label]: one["spec"]["labels"]
        for one in items(built, part, **order)
    }


@pytest.mark.parametrize("name", FABRICS)
def test_every_node_has_every_level_and_its_leaves(name: str) -> None:
    built = fabric_of(name)
    labels = named(built)
    assert tuple(labels) == built.hosts.names
    assert labels == named(built, "node-features")
    for host, mine in labels.items():
        assert set(keys(built).values()) <= set(mine)
        assert all(VALUE.fullmatch(value) for value in mine.values())
        row = built.host_row[host]
        leaves = {
            built.switches.names[built.nics.leaf[nic]]
            for nic in built.nics_of_host(row)
            if built.nics.enabled[nic]
        }
        assert {v for key, v in mine.items() if "/rail-" in key} == leaves


def test_what_the_labels_say() -> None:
    tiers = {"rocefab.io/fabric": "test", "rocefab.io/rail-0": "r4-leaf"}
    topograph = {f"fabric.topograph.run/tier-{n}": v for n, v in enumerate(("r4", "b", "test"))}
    legacy = {
        f"network.topology.nvidia.com/{key}": value
        for key, value in (("leaf", "r4"), ("spine", "b"), ("core", "test"))
    }
    for name, places in (("pods", topograph), ("legacy", legacy)):
        assert named(fabric_of(name))["d1"].items() >= {**tiers, **places}.items()
    assert "fabric.topograph.run/tier-1" not in named(fabric_of("no spine"))["a1"]
    assert "rocefab.io/rail-0-port-1" in named(fabric_of("two ports"))["gpu01"]


def test_a_nic_that_is_off_has_no_leaf() -> None:
    off = "hosts:\n  - {names: a2, nics: [{rail: 0, enabled: false}]}\n"
    assert "rocefab.io/rail-0" not in named(fabric("", off))["a2"]
    assert "rocefab.io/rail-0" in named(fabric("", off))["a1"]


def test_long_names_are_hashed_as_topograph_does() -> None:
    """The value is that of NVIDIA/topograph pkg/engines/k8s/labeler_test.go."""
    assert label_value("S" * 63) == "S" * 63
    long = "S3very-very-long-id-to-check-label-value-limits-of-63-characters"
    assert label_value(long) == "xf946c4acef2d5939"
    assert label_value("") == ""


@each("name", FABRICS)
@each("part", JUDGED)
@pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} does not exist; set ROCEFAB_REFERENCE")
def test_objects_fit_their_schemas(part: str, name: str) -> None:
    found = items(fabric_of(name), part)
    assert found
    for item in found:
        judge(item)


@pytest.mark.parametrize("part", ["nodes", "node-features", "leaderworkerset", "jobset"])
def test_objects_without_a_schema(part: str) -> None:
    for item in items(fabric_of("pods"), part, degraded=frozenset({"a1"})):
        version, fields = SMALL[item["kind"]]
        assert item["apiVersion"] == version
        assert set(item) <= {"apiVersion", "kind", "metadata", "spec"}
        assert set(item.get("spec", {})) <= fields
        assert set(item["metadata"]) <= {"name", "namespace", "labels", "annotations"}
        assert ("namespace" in item["metadata"]) == (item["kind"] != "Node")


@each("name", FABRICS)
@each("part", ["kueue", "kai", "grove"])
def test_levels_are_labels_of_the_nodes_and_the_host_is_last(part: str, name: str) -> None:
    """These are the rules that the schemas keep in CEL."""
    built = fabric_of(name)
    levels = items(built, part)[0]["spec"]["levels"]
    used = [level.get("nodeLabel", level.get("key")) for level in levels]
    assert len(set(used)) == len(used) <= 16
    assert used[-1] == "kubernetes.io/hostname"
    for mine in named(built).values():
        assert set(used[:-1]) <= set(mine)
    widest_first = [len({mine[key] for mine in named(built).values()}) for key in used[:-1]]
    assert widest_first == sorted(widest_first)


def test_the_flavor_selects_the_nodes_of_the_fabric() -> None:
    topology, flavor = items(fabric_of("pods"), "kueue")
    assert flavor["spec"]["topologyName"] == topology["metadata"]["name"]
    for mine in named(fabric_of("pods")).values():
        assert flavor["spec"]["nodeLabels"].items() <= mine.items()


def members(item: dict[str, Any]) -> list[str]:
    """Return what a HyperNode holds."""
    return [one["selector"]["exactMatch"]["name"] for one in item["spec"]["members"]]


@examples(25)
@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from("pqr")), min_size=1, max_size=5))
def test_hyper_nodes_are_one_tree_over_the_hosts(units: list[tuple[int, str]]) -> None:
    rows = [
        {"name": f"u{n}", "pod": pod, "hosts": f"h{n}-[1-{size}]" if size > 1 else f"h{n}-1"}
        for n, (size, pod) in enumerate(units)
    ]
    built = fabric(**{**POD, "units": rows})
    found = items(built, "volcano")
    tiers = {item["metadata"]["name"]: item["spec"]["tier"] for item in found}
    assert len(tiers) == len(found)
    children = [child for item in found for child in members(item)]
    (root,) = set(tiers) - set(children)
    assert root == "fabric-test"
    assert sorted(children) == sorted([*built.hosts.names, *(set(tiers) - {root})])
    for item in found:
        kinds = {one["type"] for one in item["spec"]["members"]}
        below = {tiers.get(child, 0) for child in members(item)}
        assert below == {item["spec"]["tier"] - 1}
        assert kinds == ({"Node"} if below == {0} else {"HyperNode"})


def test_excluded_hosts_are_in_no_tree() -> None:
    order = {"excluded": ("a1", "b1", "b2")}
    assert list(named(fabric(), **order)) == ["a2", "a3"]
    tree = {item["metadata"]["name"]: members(item) for item in items(fabric(), "volcano", **order)}
    assert tree == {"unit-su1": ["a2", "a3"], "fabric-test": ["unit-su1"]}


def test_jobs_keep_from_degraded_hosts() -> None:
    found = items(fabric(), "nodes", degraded=frozenset({"a2"}))
    taints = {one["metadata"]["name"]: one["spec"]["taints"] for one in found if "spec" in one}
    assert taints == {"a2": [{"key": "rocefab.io/degraded", "effect": "NoSchedule"}]}


@pytest.mark.parametrize(("nodes", "level"), [(1, 0), (2, 0), (3, 0), (4, 1), (6, 2)], ids=str)
@pytest.mark.parametrize(
    ("part", "annotation"),
    [
        ("leaderworkerset", "leaderworkerset.sigs.k8s.io/exclusive-topology"),
        ("jobset", "alpha.jobset.sigs.k8s.io/exclusive-topology"),
    ],
)
def test_a_group_has_the_lowest_level_that_holds_it(
    part: str, annotation: str, nodes: int, level: int
) -> None:
    """Units have 2, 3, 2 and 1 hosts, pods 4 each."""
    (item,) = items(fabric_of("pods"), part, nodes=nodes, words=JobWords("train"))
    assert item["metadata"]["name"] == "train"
    chosen = {annotation: f"fabric.topograph.run/tier-{level}"}
    assert item["metadata"]["annotations"] == chosen
    if part == "leaderworkerset":
        assert item["spec"]["leaderWorkerTemplate"]["size"] == nodes


UNITS = [{"name": "su1", "hosts": "a1"}, {"name": "SU1", "hosts": "b1"}]
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "names of hosts": ("nodes", {"units": [{"name": "u", "hosts": "A1"}]}, "'A1' is not a valid"),
    "names of units": ("volcano", {"units": UNITS}, "two unit names differ only in case"),
    "a long unit": (
        "volcano",
        {"units": [{"name": "u" * 59, "hosts": "a1"}]},
        "is not a valid object name",
    ),
    "excluded host": ("nodes", {"excluded": ("x",)}, "cannot exclude host 'x'"),
    "degraded host": ("nodes", {"degraded": frozenset("x")}, "cannot taint host 'x'"),
    "name of the job": ("jobset", {"words": JobWords("a\nb")}, "is not a valid job name"),
    "a version": ("kai", {"served": frozenset({"v1"})}, "does not serve kai.scheduler/v1alpha1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    part, words, message = REFUSED[case]
    changes = {key: value for key, value in words.items() if key == "units"}
    order = {key: value for key, value in words.items() if key != "units"}
    with pytest.raises(InputError) as caught:
        items(fabric(**changes), part, **order)
    (finding,) = caught.value.findings
    assert message in str(finding)
    assert finding.fix


@pytest.mark.parametrize("part", ["kueue", "kai", "grove"])
@pytest.mark.parametrize("name", FABRICS)
def test_objects_name_the_labels_that_nodes_need(name: str, part: str) -> None:
    """Those of the comment stand in the objects, and on a node; the host has its label anyway."""
    built = fabric_of(name)
    (file,) = export(Order(built), exporters["k8stopo"], (part,)).files
    first, _ = file.text.split("\n", 1)
    labels = first.removeprefix("# Nodes need the labels ").removesuffix(":").split(", ")
    label = r"(?<![\w.-])(?:[a-z]+\.)+[a-z]+/[a-z][a-z0-9-]*(?=:|$)"
    used = set(re.findall(label, re.sub("apiVersion: .*", "", file.text), re.MULTILINE))
    assert set(labels) == used - {"kubernetes.io/hostname"}
    assert set(labels) <= set().union(*named(built).values())
    for command in re.findall(r"`rocefab export (\S+)`", file.text.split("\napiVersion")[0]):
        nodes, *_ = export(Order(built), exporters["k8stopo"], (command,)).files
        assert all(f"{label}: " in nodes.text for label in labels)
