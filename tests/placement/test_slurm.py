"""The topology file of Slurm, against files that a person has read."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.placement import exporters as package
from fabric.placement.export import exporters
from fabric.placement.exporters.slurm import slurm
from tests.topology.fabrics import EXAMPLES, example, fabric
from tests.topology.test_designs import THREE_TIERS

GOLDEN = Path(__file__).parents[1] / "golden" / "slurm"


def test_each_exporter_module_has_registered() -> None:
    """Under its own name."""
    assert {module.name for module in pkgutil.iter_modules(package.__path__)} == set(exporters)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_the_golden_files(name: str, *, update_golden: bool) -> None:
    """Byte for byte, twice."""
    text = slurm(example(name))
    path = GOLDEN / name / "topology.conf"
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    assert slurm(example(name)) == text


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_host_hangs_on_one_switch(name: str) -> None:
    """And every unit on the one root."""
    built = example(name)
    lines = [line for line in slurm(built).splitlines() if not line.startswith("#")]
    parsed = [re.fullmatch(r"SwitchName=(\S+) (Nodes|Switches)=(\S+)", line) for line in lines]
    rows = [match.groups() for match in parsed if match]
    assert len(rows) == len(lines)
    nodes = [host for _, kind, names in rows if kind == "Nodes" for host in hostlist.expand(names)]
    assert sorted(nodes) == sorted(built.hosts.names)
    roots = [hostlist.expand(names) for _, kind, names in rows if kind == "Switches"]
    assert roots == [[name for name, kind, _ in rows if kind == "Nodes"]]


def test_leaves_are_named_as_they_are() -> None:
    """By their own name where a unit has one, else together; SLURM_TOPOLOGY_ADDR shows it."""
    assert "SwitchName=rack1-leaf Nodes=gpu[01-04]\n" in slurm(example("three-tier"))
    text = slurm(example("demo"))
    assert "# su1-leaves: su1-rail[0-1]\nSwitchName=su1-leaves Nodes=gpu[001-002]\n" in text


def test_a_name_for_two_switches_is_refused() -> None:
    """Slurm stops at a switch that is named twice."""
    units = [{**unit, "pod": "r1-leaf"} for unit in THREE_TIERS["units"]]
    with pytest.raises(InputError) as caught:
        slurm(fabric(**{**THREE_TIERS, "units": units}))
    (finding,) = caught.value.findings
    assert str(finding).startswith("two switches would have the name 'r1-leaf' in Slurm; rename")


def test_a_name_that_is_too_long_is_refused() -> None:
    """Slurm takes 64 characters."""
    with pytest.raises(InputError) as caught:
        slurm(fabric(name="f" * 58))
    assert [str(finding) for finding in caught.value.findings] == [
        (
            f"'{'f' * 58}-spines' is longer than the 64 characters of a Slurm switch name; shorten "
            "the name [PLC002]"
        )
    ]
    assert slurm(fabric(name="f" * 57)).endswith("Switches=su1-leaves,su2-leaves\n")
