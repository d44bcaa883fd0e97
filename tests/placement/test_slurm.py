"""The topology file of Slurm, against files that a person has read."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.placement import exporters as package
from fabric.placement.export import exporters, load_exporters
from fabric.placement.exporters.slurm import slurm
from tests.topology.fabrics import EXAMPLES, example, fabric

GOLDEN = Path(__file__).parents[1] / "golden" / "slurm"


def test_each_exporter_module_has_registered() -> None:
    """Under its own name."""
    load_exporters()
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
    made = example(name)
    lines = [line for line in slurm(made).splitlines() if not line.startswith("#")]
    parsed = [re.fullmatch(r"SwitchName=(\S+) (Nodes|Switches)=(\S+)", line) for line in lines]
    rows = [match.groups() for match in parsed if match]
    assert len(rows) == len(lines)
    nodes = [host for _, kind, names in rows if kind == "Nodes" for host in hostlist.expand(names)]
    assert sorted(nodes) == sorted(made.hosts.names)
    roots = [hostlist.expand(names) for _, kind, names in rows if kind == "Switches"]
    assert roots == [[name for name, kind, _ in rows if kind == "Nodes"]]


def test_a_unit_with_the_name_of_the_root_is_refused() -> None:
    """Slurm stops at a switch that is named twice."""
    units = [{"name": "test-spines", "hosts": "a1"}]
    with pytest.raises(InputError) as caught:
        slurm(fabric(units=units))
    assert [str(finding) for finding in caught.value.findings] == [
        (
            "'test-spines' is the name of a unit and of the spine layer; rename the unit or the "
            "fabric [PLC002]"
        )
    ]


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
    assert slurm(fabric(name="f" * 57)).endswith("Switches=su[1-2]\n")
