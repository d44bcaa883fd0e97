"""The files for Slurm, against files that a person has read."""

from __future__ import annotations

import pkgutil
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.exports import About, export, exporters, forms
from fabric.placement import exporters as package
from fabric.placement.export import Order
from fabric.placement.exporters.slurm import slurm
from fabric.placement.tree import Group, Tree, tree
from fabric.topology import Fabric
from tests.topology.fabrics import EXAMPLES, csv, example, fabric, folder_of
from tests.topology.test_designs import THREE_TIERS

GOLDEN = Path(__file__).parents[1] / "golden" / "slurm"
ONE_EXPLICIT_UNIT: dict[str, Any] = {
    "units": [{"name": "su1", "hosts": "a[1-2]"}],
    "design": "rail-only",
    "spines": None,
}


def test_each_exporter_module_has_registered() -> None:
    """Under its own name."""
    modules = {one.name.replace("_", "-") for one in pkgutil.iter_modules(package.__path__)}
    assert modules == {*forms(About.JOB), *forms(About.NODES)}


def wide() -> Fabric:
    """Return three racks in two pods, whose order in the inventory is not that of the pods."""
    return fabric(**{**THREE_TIERS, "name": "wide"})


CASES = {
    **{name: partial(example, name) for name in (*EXAMPLES, "three-tier")},
    "wide": wide,
    "one-unit": partial(example, "rail-only"),
    "tenants": partial(example, "tenants"),
    "apart": partial(fabric, name="apart", design="rail-only", spines=None),
}


def files(built: Fabric, *parts: str, nodes: int = 2, **words: Any) -> dict[str, str]:
    """Return files of the export by path."""
    tenant = built.tenants.names[0] if built.tenants else ""
    done = export(Order(built, nodes=nodes, tenant=tenant, **words), exporters["slurm"], parts)
    return {file.path: file.text for file in done.files}


@pytest.mark.parametrize("name", CASES)
def test_files_are_the_golden_ones(name: str, *, update_golden: bool) -> None:
    """Byte for byte, twice."""
    built = CASES[name]()
    parts = [part for part in exporters["slurm"].parts if (name, part) != ("apart", "block")]
    made = files(built, *parts, degraded=frozenset(built.hosts.names[:1]))
    for path, text in made.items():
        golden = GOLDEN / name / path
        if update_golden:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8")
    assert made == files(built, *parts, degraded=frozenset(built.hosts.names[:1]))
    assert slurm(built) == made["topology.conf"]


def test_without_parts_only_the_tree() -> None:
    assert list(files(example("demo"))) == ["topology.conf"]


@pytest.mark.parametrize("name", CASES)
def test_every_host_hangs_on_one_switch(name: str) -> None:
    """And every group but the top in one group above it, where there is one."""
    made = tree(CASES[name]())
    names = [host for unit in made.units for host in unit.members]
    assert sorted(names) == sorted(CASES[name]().hosts.names)
    below = [member for group in made.groups if not group.unit for member in group.members]
    top = [made.core.name] if made.core else [unit.name for unit in made.units]
    assert sorted([*below, *top]) == sorted(group.name for group in made.groups)


@pytest.mark.parametrize("name", CASES)
def test_the_forms_say_the_same(name: str) -> None:
    """Each topology of topology.yaml is what topology.conf says, and in YAML everything is text."""
    built = CASES[name]()
    made = files(built, "topology", "topology-yaml")
    both = yaml.safe_load(made["topology.yaml"])
    assert [next(iter(one)) for one in both] == ["topology"] * len(both)
    lines = {
        f"SwitchName={row['switch']} "
        + (f"Nodes={row['nodes']}" if "nodes" in row else f"Switches={row['children']}")
        for row in both[0]["tree"]["switches"]
    }
    assert lines == {line for line in made["topology.conf"].splitlines() if line[0] != "#"}
    if name == "apart":
        assert len(both) == 1
        return
    inner = both[1]["block"]
    sizes = ",".join(map(str, inner["block_sizes"]))
    rows = [f"BlockName={row['block']} Nodes={row['nodes']}" for row in inner["blocks"]]
    text = files(built, "block")["block/topology.conf"]
    lines = [line for line in text.splitlines() if line[0] != "#"]
    assert lines == [*rows, f"BlockSizes={sizes}"]


@pytest.mark.parametrize(
    ("hosts", "sizes"),
    [
        ([8], (8,)),
        ([8, 8], (8, 16)),
        ([8, 8, 8], (8, 16)),
        ([8, 9, 7, 8], (7, 14, 28)),
        ([8] * 8, (8, 16, 32, 64)),
    ],
)
def test_sizes_of_blocks(hosts: list[int], sizes: tuple[int, ...]) -> None:
    """The first four of 8 are the table of Topograph's docs/engines/slurm.md."""
    units = tuple(
        Group(f"u{number}", tuple(f"n{number}-{host}" for host in range(count)))
        for number, count in enumerate(hosts)
    )
    assert Tree(units).block_sizes == sizes


def test_blocks_of_one_pod_are_next_to_each_other() -> None:
    """Slurm takes blocks in the order of the lines; r3 is in the pod of r1."""
    lines = files(wide(), "block")["block/topology.conf"].splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [
        "BlockName=r1",
        "BlockName=r3",
        "BlockName=r2",
    ]


def test_blocks_of_units_apart_are_refused() -> None:
    """Slurm would place a job on several, which cannot reach each other."""
    with pytest.raises(InputError) as caught:
        files(CASES["apart"](), "block")
    assert str(caught.value.findings[0]).startswith("no spine connects the units")


def test_no_weight_is_written() -> None:
    text = files(example("demo"), "partitions")["partitions.conf"]
    assert not any("weight=" in line.lower() for line in text.splitlines())


def test_features_tell_rails_that_are_not_cabled() -> None:
    """A host without a cable of one rail is not like the others."""
    rows = ["a1,eth1,su1-rail0,Ethernet0", "a1,eth2,su1-rail1,Ethernet0"]
    built = folder_of(
        csv(*rows, "a2,eth1,su1-rail0,Ethernet8"), cabling="explicit", **ONE_EXPLICIT_UNIT
    )
    lines = files(built, "partitions", nodes=1)["partitions.conf"].splitlines()
    assert lines[3:5] == [
        "NodeName=a1 Features=unit-su1,rails-2",
        "NodeName=a2 Features=unit-su1,rails-1",
    ]


def test_a_degraded_host_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        files(example("demo"), "partitions", degraded=frozenset({"gpu9", "gpu001"}))
    assert str(caught.value.findings[0]).startswith("the degraded host 'gpu9' does not exist")


def test_tasks_are_in_rank_order() -> None:
    built = example("three-tier")
    order = Order(built, nodes=6)
    lines = files(built, "hostfile", nodes=6)["hostfile"].splitlines()
    assert lines == [rank.host for rank in order.placement.ranks]
    assert [line for line, _ in groupby(lines)] == list(order.placement.hosts)
    assert len(lines) == 6 * order.gpus


def test_leaves_are_named_as_they_are() -> None:
    """By their own name where a unit has one, else together; SLURM_TOPOLOGY_ADDR shows it."""
    assert "SwitchName=rack1-leaf Nodes=gpu[01-04]\n" in slurm(example("three-tier"))
    text = slurm(example("demo"))
    assert "# su1-leaves: su1-rail[0-1]\nSwitchName=su1-leaves Nodes=gpu[001-002]\n" in text


def test_wrong_names_are_refused_together() -> None:
    """Slurm stops at a switch that is named twice, and takes 64 characters."""
    units = [{**unit, "pod": "r1-leaf"} for unit in THREE_TIERS["units"]]
    with pytest.raises(InputError) as caught:
        slurm(fabric(**{**THREE_TIERS, "units": units, "name": "f" * 60}))
    name = f"{'f' * 60}-super-spines"
    assert [str(finding) for finding in caught.value.findings] == [
        (
            "two switches would have the name 'r1-leaf' in Slurm; rename the unit, the pod or the "
            "fabric [PLC002]"
        ),
        (
            f"'{name}' is longer than the 64 characters of a Slurm switch name; shorten the name "
            "[PLC002]"
        ),
    ]
    assert slurm(fabric(name="f" * 57)).endswith("Switches=su1-leaves,su2-leaves\n")
