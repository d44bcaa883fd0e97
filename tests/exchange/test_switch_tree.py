"""Trees of schedulers: units, pods and names; every form of one tree is the same fabric."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.core import hostlist
from fabric.exchange.forms import Imported
from fabric.exchange.plant import Plant
from tests.cases import examples
from tests.exchange.plants import put, read, refused

THREE = {"core": ["p1", "p2"], "p1": ["l1", "l3"], "p2": ["l2"]}
HOSTS = {"l1": "n[1-2]", "l2": "n[3-4]", "l3": "n[5-6]"}


def conf(above: dict[str, list[str]], hosts: dict[str, str]) -> str:
    """Return a topology.conf."""
    lines = [f"SwitchName={name} Switches={','.join(below)}" for name, below in above.items()]
    return "\n".join([*lines, *(f"SwitchName={name} Nodes={it}" for name, it in hosts.items()), ""])


def topology(above: dict[str, list[str]], hosts: dict[str, str]) -> str:
    """Return a topology.yaml."""
    switches = [{"switch": name, "children": ",".join(below)} for name, below in above.items()]
    switches += [{"switch": name, "nodes": text} for name, text in hosts.items()]
    return yaml.safe_dump([{"topology": "t", "tree": {"switches": switches}}], sort_keys=False)


def model(above: dict[str, list[str]], hosts: dict[str, str]) -> str:
    """Return a model of Topograph."""
    switches = {name: {"switches": below} for name, below in above.items()}
    if not above:
        switches = {name: {"labels": {}} for name in hosts}
    rows = [{"switch": name, "nodes": [text]} for name, text in hosts.items()]
    return yaml.safe_dump({"switches": switches, "blocks": rows}, sort_keys=False)


FORMS = {"t.conf": ("slurm", conf), "t.yaml": ("slurm", topology), "m.yaml": ("topograph", model)}


def imported(file: str, text: str, folder: Path, **words: int) -> Imported:
    return read(FORMS[file][0], put(folder, {file: text}), **words)


def groups(plant: Plant) -> dict[str, tuple[str, str]]:
    """Return unit and pod of each host."""
    return {host.name: (host.unit, host.pod) for host in plant.hosts}


def roles(plant: Plant) -> list[tuple[str, str]]:
    return [(device.role, device.name) for device in plant.switches]


@pytest.mark.parametrize("file", FORMS)
def test_three_levels_are_pods(file: str, tmp_path: Path) -> None:
    result = imported(file, FORMS[file][1](THREE, HOSTS), tmp_path)
    assert result.generated
    assert groups(result.plant) == {
        **dict.fromkeys(("n1", "n2"), ("l1", "p1")),
        **dict.fromkeys(("n5", "n6"), ("l3", "p1")),
        **dict.fromkeys(("n3", "n4"), ("l2", "p2")),
    }
    assert roles(result.plant) == [
        *(("leaf", name) for name in ("l1", "l3", "l2")),
        *(("spine", name) for name in ("p1-spine01", "p2-spine01")),
        ("super-spine", "core01"),
    ]
    assert set(result.remarks) == {("rails",), ("spines", "count"), ("super_spines", "count")}


@pytest.mark.parametrize("file", FORMS)
def test_two_levels_have_no_pods(file: str, tmp_path: Path) -> None:
    result = imported(file, FORMS[file][1]({"top": [*HOSTS]}, HOSTS), tmp_path, rails=1)
    assert roles(result.plant)[-1] == ("spine", "spine01")
    assert {pod for _, pod in groups(result.plant).values()} == {""}
    assert set(result.remarks) == {("spines", "count")}


@pytest.mark.parametrize("file", FORMS)
def test_one_level_is_rail_only(file: str, tmp_path: Path) -> None:
    result = imported(file, FORMS[file][1]({}, HOSTS), tmp_path, rails=2)
    assert {role for role, _ in roles(result.plant)} == {"leaf"}
    assert [item.rail for item in result.plant.switches] == [0, 1] * 3


@pytest.mark.parametrize("file", FORMS)
def test_levels_between_are_merged_and_named(file: str, tmp_path: Path) -> None:
    above = {"core": ["m1", "m2"], "m1": ["p1"], "m2": ["p2"], "p1": ["l1", "l3"], "p2": ["l2"]}
    result = imported(file, FORMS[file][1](above, HOSTS), tmp_path)
    [note] = result.notes
    assert note.message == "switches between the pods and core are ignored: m[1-2]"
    assert groups(result.plant)["n5"] == ("l3", "p1")


def test_rails_make_a_leaf_of_each(tmp_path: Path) -> None:
    result = imported(
        "t.conf", conf({"top": ["su1-leaves"]}, {"su1-leaves": "n1"}), tmp_path, rails=2
    )
    assert roles(result.plant)[:2] == [("leaf", "su1-rail0"), ("leaf", "su1-rail1")]


def test_blocks_are_units_below_one_layer(tmp_path: Path) -> None:
    text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=pad\nBlockSizes=2,4\n"
    result = imported("t.conf", text, tmp_path)
    assert roles(result.plant) == [("leaf", "b1-leaf"), ("leaf", "b2-leaf"), ("spine", "spine01")]
    assert [note.message for note in result.notes] == ["switches without hosts are ignored: pad"]
    block = {"block_sizes": [2], "blocks": [{"block": "b1", "nodes": "n1"}]}
    result = imported("t.yaml", yaml.safe_dump([{"topology": "b", "block": block}]), tmp_path)
    assert roles(result.plant) == [("leaf", "b1-rail0")]
    text = 'blocks:\n- nodes: ["n[1-2]"]\n- {nodes: [n3, 1104]}\n'
    result = imported("m.yaml", text, tmp_path)
    assert groups(result.plant)["1104"] == ("block2", "")
    assert roles(result.plant)[-1] == ("spine", "spine01")


def test_lines_are_read_as_slurm_does(tmp_path: Path) -> None:
    text = (
        '# head\nswitchname=a NODES="n[1-2]" LinkSpeed=5 # x\n\nSwitchName=b \\\n  Nodes=n[3,4]\n'
    )
    result = imported("t.conf", text + "SWITCHNAME = top Switches=a,b\n", tmp_path)
    assert groups(result.plant) == {
        "n1": ("a", ""),
        "n2": ("a", ""),
        "n3": ("b", ""),
        "n4": ("b", ""),
    }


def test_the_tree_of_the_cluster_is_read(tmp_path: Path) -> None:
    one, two = ({"switches": [{"switch": name, "nodes": name}]} for name in ("xx", "yy"))
    entries = [
        {"topology": "f", "flat": True},
        {"topology": "b", "cluster_default": True, "block": {"blocks": []}},
        {"topology": "one", "tree": one},
        {"topology": "two", "cluster_default": True, "tree": two},
    ]
    result = imported("t.yaml", yaml.safe_dump(entries), tmp_path)
    assert groups(result.plant) == {"yy": ("yy", "")}
    assert result.notes[0].message == "other topologies of the file are ignored: one and b"


def test_a_line_for_each_error_is_enough(tmp_path: Path) -> None:
    """A tree of two thousand leaves without a root is one error for each top, not for each leaf."""
    above = {f"top{top}": [f"l{top}-{leaf}" for leaf in range(1000)] for top in range(2)}
    hosts = {name: f"n{name[1:]}" for below in above.values() for name in below}
    [said] = refused("slurm", tmp_path, {"t.conf": conf(above, hosts)})
    assert said.startswith("t.conf:2:1: no switch connects 'top1' and 'top0'; add the switch")


def test_a_tree_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    above = {f"s{level}": [f"s{level + 1}"] for level in range(16)}
    [said] = refused("slurm", tmp_path, {"t.conf": conf(above, {"s16": "n1"})})
    assert "'s16' has more than 16 levels of switches; remove levels [EXC007]" in said
    del above["s0"]
    assert imported("t.conf", conf(above, {"s16": "n1"}), tmp_path).plant.hosts


def test_too_many_names_end_the_reading(tmp_path: Path) -> None:
    lines = "".join(f"SwitchName=s{line} Nodes=n[1-60000]\n" for line in range(9))
    said = refused("slurm", tmp_path, {"t.conf": lines})
    assert said == [
        "t.conf:2:1: there are more than 65,536 names; import one fabric at a time [EXC007]"
    ]


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return switches above others, and hosts by leaf; of one to three levels."""
    counts = draw(
        st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=1, max_size=4)
    )
    hosts: dict[str, str] = {}
    pods: dict[str, list[str]] = {}
    for pod, leaves in enumerate(counts):
        for leaf, count in enumerate(leaves):
            hosts[f"s{pod}-{leaf}"] = hostlist.fold(f"h{pod}-{leaf}-{n}" for n in range(count))
            pods.setdefault(f"pod{pod}", []).append(f"s{pod}-{leaf}")
    if draw(st.booleans()):
        return {"core": [*pods], **pods}, hosts
    return ({"core": [*hosts]} if draw(st.booleans()) else {}), hosts


@examples(25)
@given(tree=trees())
def test_every_form_says_the_same(tree: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    above, hosts = tree
    with tempfile.TemporaryDirectory() as folder:
        plants = [
            imported(file, make(*tree), Path(folder)).plant for file, (_, make) in FORMS.items()
        ]
    assert plants[0] == plants[1]
    assert plants[0].canonical() == plants[2].canonical()
    pods = {leaf: pod for pod, below in above.items() if pod != "core" for leaf in below}
    expected = {
        host: (leaf, pods.get(leaf, ""))
        for leaf, text in hosts.items()
        for host in hostlist.expand(text)
    }
    assert groups(plants[0]) == expected
