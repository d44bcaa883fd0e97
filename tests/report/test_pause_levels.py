"""Pause thresholds in what is simulated and shown: fixed ones, and those that no source has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabric.report.budget import find_port, port_budget
from fabric.report.buffer import buffer
from fabric.report.dcqcn import kinds
from fabric.report.ecn import ecn
from fabric.report.simulation import fabric_runs
from fabric.report.simulation_plot import plot
from fabric.report.simulation_settings import Load, Settings
from fabric.report.simulation_tables import as_dict, verdicts
from fabric.report.simulation_thresholds import XOFF, thresholds
from fabric.report.storm import storm
from fabric.workflow.project import Project
from tests.render.vrp8_designs import CHANGES, FAMILY_A, FAMILY_B

INVENTORY = Path(__file__).parents[2] / "inventory"
POOL_BYTES = 32 << 20
LOAD = replace(Load(), senders=2, pool_bytes=POOL_BYTES, duration_us=500.0, runs=1)
ASSUMED = f"alpha 1 assumed: no source has the threshold of {FAMILY_B}"
#: Own threshold of NX-OS, as lossless.pause_buffer sets it.
NXOS = {
    "leaf: {sku: 7050DX4-32S}": "leaf: {sku: N9K-C9332D-GX2B}",
    "spine: {sku: 7050DX4-32S}": "spine: {sku: N9K-C9332D-GX2B}",
    "lossless:\n": "lossless:\n  pause_buffer: {pause_threshold_bytes: 90000, "
    "resume_threshold_bytes: 80000}\n",
}


def project(folder: Path, *changes: dict[str, str]) -> Project:
    """Return the smallest example with other switches."""
    text = (INVENTORY / "a100-pcie" / "fabric.yaml").read_text()
    for old, new in {k: v for change in changes for k, v in change.items()}.items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "fabric.yaml").write_text(text)
    return Project(folder)


def pooled(folder: Path, *changes: dict[str, str]) -> Project:
    own = {old: new.replace(FAMILY_A, FAMILY_B) for old, new in CHANGES["a100-pcie"].items()}
    return project(folder, own, *changes)


def nic(designs: Project) -> str:
    host = next(iter(designs.hosts.values()))
    return f"{host.name}:{host.nics[0].interface}"


@pytest.mark.parametrize(
    ("changes", "level"),
    {"a fact of the model": (CHANGES["a100-pcie"], 128_000), "set": (NXOS, 90_000)}.values(),
    ids=("a fact of the model", "set"),
)
def test_a_fixed_level_is_what_pauses(tmp_path: Path, changes: dict[str, str], level: int) -> None:
    """Two senders queue twice the level, whatever is free of the pool."""
    designs = project(tmp_path, changes)
    settings = [Settings(reaction="off")]
    runs = fabric_runs(designs, (nic(designs),), LOAD, settings, lambda _: None, far=False)
    (run,) = next(iter(runs.values()))
    assert thresholds(run)[XOFF] == 2 * level
    assert run.most_queue_bytes == pytest.approx(2 * level, rel=0.5)
    assert run.pauses > 0
    assert "assumed" not in verdicts(runs)[0]
    assert {kind.xoff_threshold_bytes for kind in kinds(designs)} == {level}
    table = ecn(designs)
    at = table.headers.index("xoff_threshold_bytes")
    assert {row[at] for row in table.rows} == {level}
    assert {row[-1].split(" (")[0].split(";")[0] for row in table.rows} <= {
        "kmin too high: PFC acts first",
        "kmax too high: PFC acts before full marking",
    }
    found = storm(designs, nic(designs), pool_bytes=POOL_BYTES)
    assert (found.assumed, "assumed" in found.assumption) == ((), False)
    assert found.as_dict()["assumed"] == []
    bound = 4 * level  # three ports at most fill, each to its level
    assert 0 < found.spread.stuck_bytes.max() <= bound


def test_a_fixed_level_in_the_budget_of_a_port(tmp_path: Path) -> None:
    designs = project(tmp_path, CHANGES["a100-pcie"])
    leaf = designs.devices["rack1-leaf"]
    port = find_port(designs, leaf.name, "100GE1/0/1")
    assert port
    rows = {row[:2]: row[2] for row in port_budget(designs, leaf, port).rows}
    assert rows["threshold", "XOFF"] == "128,000 bytes"
    assert rows["threshold", "XON"] == "102,400 bytes"
    assert rows["threshold", "queue of a 2:1 incast at XOFF"] == "256,000 bytes"


@pytest.mark.parametrize(
    "more",
    [{}, {"lossless:\n": "lossless:\n  dynamic_th: -3\n"}],
    ids=("nothing set", "a value that the switch does not get"),
)
def test_a_threshold_that_no_source_has_is_named(tmp_path: Path, more: dict[str, str]) -> None:
    designs = pooled(tmp_path, more)
    settings = [Settings(reaction="off")]
    runs = fabric_runs(designs, (nic(designs),), LOAD, settings, lambda _: None, far=False)
    assert verdicts(runs)[0].endswith(f"; {ASSUMED}.")
    assert next(iter(as_dict(runs, LOAD.seeds).values()))["assumed"] == [ASSUMED]
    plot(runs, tmp_path / "x.svg")
    assert ASSUMED in (tmp_path / "x.svg").read_text()
    found = storm(designs, nic(designs), pool_bytes=POOL_BYTES)
    assert found.assumption.endswith(f"\n{ASSUMED}")
    assert found.as_dict()["assumed"] == [ASSUMED]
    leaf = designs.devices["rack1-leaf"]
    port = find_port(designs, leaf.name, "100GE1/0/1")
    assert port
    rows = {row[:2]: row[2:] for row in port_budget(designs, leaf, port).rows}
    assert rows["threshold", "XOFF"] == (
        "unknown",
        f"no source has the threshold of {FAMILY_B}",
    )


@pytest.mark.parametrize(
    ("switches", "shared", "is_checked"),
    [(pooled, 4 << 20, False), (project, "unknown", True)],
    ids=("a headroom pool", "none"),
)
def test_the_headroom_pool_in_the_table_of_buffers(
    tmp_path: Path, switches, shared: object, *, is_checked: bool
) -> None:
    designs = switches(tmp_path, {} if switches is pooled else CHANGES["a100-pcie"])
    table = buffer(designs)
    at = table.headers.index("shared_headroom_bytes")
    assert {row[at] for row in table.rows} == {shared}
    assert ("QOS002" not in table.hint) is is_checked
