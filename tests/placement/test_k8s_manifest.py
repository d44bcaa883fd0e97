"""Every object fits the schema of its custom resource."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.placement.k8s import manifest as yamltext
from fabric.placement.k8s.manifest import KINDS, yaml_text
from fabric.topology import Fabric
from tests.cases import each
from tests.placement.crds import FOLDER, judge, schemas, strict
from tests.placement.k8s_fabrics import INFRASTRUCTURE, JOBS, MODES, cluster, objects, shared
from tests.topology.fabrics import ipv6_plan

NEEDED = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"{FOLDER} does not exist; set ROCEFAB_REFERENCE"
)
WHEREABOUTS = {"operator_version": "v1", "address_plugin": "whereabouts", "pods_per_nic": 4}
RAILS = {"host__interfaces": "rail[0-1]", "host__rdma_devices": "rdma[0-1]"}
CASES: dict[str, Callable[[], Fabric]] = {
    **{mode: partial(cluster, mode, **RAILS) for mode in MODES},
    **{f"{mode}, shared subnet": partial(shared, mode, **RAILS) for mode in MODES},
    "IPv6 beside IPv4": partial(
        cluster, "physical-function", addressing__host_prefix_length=None, **ipv6_plan(), **RAILS
    ),
    "IPv6 alone": partial(
        cluster,
        "virtual-function",
        addressing__host_prefix_length=None,
        **ipv6_plan(alone=True, assignment="slaac"),
        **RAILS,
    ),
    "whereabouts": partial(shared, "macvlan", kubernetes=WHEREABOUTS, **RAILS),
}


#: Path of a value in an object, and what the judge must refuse in its place.
WRONG: list[tuple[str, tuple[str, ...], Any]] = [
    ("SriovNetworkNodePolicy", ("spec", "numVfs"), "8"),
    ("SriovNetworkNodePolicy", ("spec", "nicSelector", "pfName"), ["eth1"]),
    ("SriovNetworkNodePolicy", ("spec", "linkType"), "ethernet"),
    ("NicConfigurationTemplate", ("spec", "nicSelector", "nicType"), 1021),
    ("NicConfigurationTemplate", ("spec", "template", "roceOptimized", "qos", "pfc"), "0,0,0,1"),
    ("MPIJob", ("spec", "cleanPodPolicy"), "Running"),
    ("CIDRPool", ("spec", "perNodeNetworkPrefix"), None),
]
#: What the published schemas ask for, in short: needed fields of the spec of each kind.
SHORT = {
    "NicClusterPolicy": (),
    "NicConfigurationTemplate": ("nicSelector", "template"),
    "NicInterfaceNameTemplate": ("netDevicePrefix", "pfsPerNic", "railPciAddresses"),
    "CIDRPool": ("cidr", "perNodeNetworkPrefix"),
    "IPPool": ("subnet", "perNodeBlockSize"),
    "SriovNetworkNodePolicy": ("nicSelector", "nodeSelector", "numVfs", "resourceName"),
    "SriovNetwork": ("resourceName",),
    "HostDeviceNetwork": (),
    "MacvlanNetwork": (),
    "TrainingRuntime": (),
    "PyTorchJob": ("pytorchReplicaSpecs",),
    "MPIJob": ("mpiReplicaSpecs",),
    "TrainJob": ("runtimeRef",),
    "RayCluster": ("headGroupSpec", "workerGroupSpecs"),
}
#: Kinds whose schema is not at hand.
UNJUDGED = {("ray.io/v1", "RayCluster")}
#: Bare, these are no strings for some reader of YAML 1.1 or 1.2.
NOT_BARE = (
    "on off yes no y n true FALSE null ~ 1021 0123 0o17 1e3 1E3 .5 1:30 2026-01-01 .inf .nan NaN "
    "0x1f 1_000 = << - ? : ! & * % @ ` inf"
).split()
#: Keys of objects are short and printable: only others are laid out in two ways.
KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60)


@cache
def case(name: str) -> Fabric:
    return CASES[name]()


@NEEDED
@pytest.mark.parametrize("name", CASES)
def test_infrastructure(name: str) -> None:
    built = objects(case(name), *INFRASTRUCTURE, "nic-names")
    assert built
    for item in built:
        judge(item)


@each("part", JOBS)
@each("name", CASES)
@NEEDED
def test_jobs(name: str, part: str) -> None:
    for nodes in (1, 2):
        built = objects(case(name), part, nodes=nodes)
        assert built
        for item in built:
            if (item["apiVersion"], item["kind"]) not in UNJUDGED:
                judge(item)


@NEEDED
def test_every_kind_has_been_before_the_judge_in_the_version_that_is_served() -> None:
    seen = {
        (item["apiVersion"], item["kind"])
        for name in CASES
        for item in objects(case(name), *INFRASTRUCTURE, "nic-names", *JOBS)
    }
    assert seen == {(version, kind) for kind, (version, _) in KINDS.items()}
    assert seen - set(schemas()) == UNJUDGED


@NEEDED
@pytest.mark.parametrize(("kind", "path", "value"), WRONG, ids=lambda value: str(value)[:40])
def test_the_judge_refuses(kind: str, path: tuple[str, ...], value: Any) -> None:
    from jsonschema import ValidationError

    built = objects(case("virtual-function"), *INFRASTRUCTURE, *JOBS)
    item = copy.deepcopy(next(item for item in built if item["kind"] == kind))
    judge(item)
    target = item
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(ValidationError):
        judge(item)


@pytest.mark.parametrize("name", CASES)
def test_needed_fields(name: str) -> None:
    """Holds without the schemas as well."""
    assert set(SHORT) == set(KINDS)
    for item in objects(case(name), *INFRASTRUCTURE, "nic-names", *JOBS):
        assert set(SHORT[item["kind"]]) <= set(item["spec"])
        assert item["apiVersion"] == KINDS[item["kind"]][0]


def test_a_strict_schema_knows_its_fields_only() -> None:
    import jsonschema

    schema = strict({"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": True}}})
    jsonschema.validate({"a": "1"}, schema)
    for wrong in ({"b": 1}, {"a": [1]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


@each("word", NOT_BARE)
def test_words_that_readers_take_for_something_else(word: str) -> None:
    text = yaml_text({"a": word, word: "b"})
    assert text == f'a: "{word}"\n"{word}": b\n'


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_any_value_is_one_document_without_tags(value: object) -> None:
    text = yaml_text({"a": value, "b": value})
    assert [*yaml.safe_load_all(text)] == [{"a": value, "b": value}]
    tokens = [type(token).__name__ for token in yaml.scan(text)]
    assert not {"TagToken", "AnchorToken", "AliasToken", "DocumentStartToken"} & set(tokens)


@given(st.text())
def test_text_is_ascii(text: str) -> None:
    assert yaml_text({"a": text}).isascii()


@given(st.recursive(st.text(), lambda x: st.lists(x) | st.dictionaries(KEYS, x)))
def test_both_emitters_print_the_same(value: object) -> None:
    """PyYAML has one in Python and, mostly, one in C."""
    plain = type("Plain", (yaml.SafeDumper,), {"ignore_aliases": lambda self, data: True})
    for kind, function in yamltext._Dumper.yaml_representers.items():
        plain.add_representer(kind, function)
    options = {"sort_keys": False, "width": 1_000_000, "allow_unicode": False}
    assert yaml.dump({"a": value}, Dumper=plain, **options) == yaml_text({"a": value})
