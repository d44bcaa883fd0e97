"""What `check` says of the systems of a fabric."""

from __future__ import annotations

import json

import pytest

from fabric.report.systems import systems
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

DEMO = [
    "4 hosts with 8 NICs; 4 leaves, SONiC (ACS-MSN4700); 2 spines, Arista EOS (7060X6-64PE)",
    "7060X6-64PE selects Arista EOS (with SONiC: Arista-7060X6-64PE-O128)",
]


def test_each_role_has_its_systems_and_models() -> None:
    demo, rail, mixed = (Project(INVENTORY / name).fabric for name in ("demo", "rail-512", "mixed"))
    assert list(systems([demo])) == DEMO
    assert list(systems([rail])) == [
        "64 hosts with 512 NICs; 16 leaves, SONiC (ACS-SN5600); 8 spines, SONiC (ACS-SN5600)"
    ]
    (pairs,) = systems([Project(INVENTORY / "dual-tor").fabric])
    assert pairs.startswith("8 hosts with 16 NICs, 32 ports; 4 leaves, ")
    first, second = systems([mixed])
    assert "Arista EOS (7060X6-64PE), and 5 more; 2 spines, " in first
    assert second.startswith("SN4700 selects NVIDIA Cumulus Linux (with SONiC: ACS-MSN4700), ")


def test_fabrics_of_a_site_are_one_line() -> None:
    """The four hosts of the demo are machines of the other fabric."""
    both = [Project(INVENTORY / name).fabric for name in ("demo", "rail-512")]
    assert next(systems(both)) == (
        "64 hosts with 520 NICs; 20 leaves, SONiC (ACS-MSN4700), SONiC (ACS-SN5600); "
        "10 spines, Arista EOS (7060X6-64PE), SONiC (ACS-SN5600)"
    )


def test_commands_that_a_change_starts_are_named(tmp_path) -> None:
    text = (INVENTORY / "demo" / "fabric.yaml").read_text()
    (tmp_path / "fabric.yaml").write_text(
        f"{text}\nrollout:\n  jobs: {{running: [cat, jobs.txt]}}\n  gates: {{command: [./gate]}}\n"
    )
    ended = run("check", tmp_path, "--fresh")
    assert ended.err.splitlines()[-1] == (
        "`plan` and `apply` start 2 commands of the inventory: "
        "rollout.jobs.running (cat), rollout.gates.command (./gate)"
    )


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_check_ends_with_them(form: str) -> None:
    ended = run("check", INVENTORY / "demo", "--format", form, "--fresh")
    assert ended.code == 0
    if form == "text":
        assert ended.err.splitlines()[-2:] == DEMO
    elif form == "json":
        assert json.loads(ended.out)["notes"] == DEMO
        assert ended.err == ""
    else:
        assert "- 4 hosts with 8 NICs; 4 leaves, SONiC (ACS-MSN4700); 2 spines" in ended.out
