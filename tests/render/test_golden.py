"""Whole artefacts against files that a person has read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fabric.core.findings import Severity
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from fabric.render.engine import template_folder
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    tenants_designs,
    vrp8_designs,
)
from tests.render.designs import design, switches, variant

GOLDEN = Path(__file__).parents[1] / "golden"
DEMO = ("su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1", "spine01", "spine02")
CASES = [
    *(("demo", name) for name in DEMO),
    ("rail-512", "su1-rail0"),
    ("rail-512", "spine01"),
    ("rail-512-split", "su1-rail0"),
    ("rail-512-split", "spine01"),
    ("a100-pcie", "rack1-leaf"),
    ("a100-pcie", "spine01"),
    ("routed", "su2-rail0"),
    ("routed", "spine01"),
    *((name, switch) for name in ("dual-stack", "ipv6") for switch in ("su1-rail0", "spine01")),
    *(("tenants", name) for name in ("su2-rail0", "su2-rail1", "spine01")),
]
EOS, SONIC = "7060X6-64PE", "ACS-MSN4700"
#: Examples in which these systems stand where others do: changes, and the switches to look at.
VARIANTS = {
    ("eos", "demo"): ({"leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {EOS}}}"}, ["su1-rail0"]),
    ("eos", "rail-512"): (
        {
            "leaf: {sku: ACS-SN5600": f"leaf: {{sku: {EOS}",
            "spine: {sku: ACS-SN5600}": f"spine: {{sku: {EOS}}}",
        },
        ["su1-rail0", "spine01"],
    ),
    ("sonic", "demo"): ({"spine: {sku: 7060X6-64PE}": f"spine: {{sku: {SONIC}}}"}, ["spine01"]),
    ("sonic", "a100-pcie"): (
        {
            "leaf: {sku: 7050DX4-32S}": f"leaf: {{sku: {SONIC}}}",
            "spine: {sku: 7050DX4-32S}": f"spine: {{sku: {SONIC}}}",
            "cables: {host_m: 3, uplink_m: 30}": "cables: {host_m: 5, uplink_m: 40}",
        },
        ["rack1-leaf"],
    ),
}
#: Switches that every system has a file of.
LOOKED_AT = {
    ("demo", "spine01"),
    ("demo", "su1-rail0"),
    ("rail-512", "spine01"),
    ("rail-512", "su1-rail0"),
    ("a100-pcie", "rack1-leaf"),
}


@cache
def designs(system: str, inventory: str) -> dict[str, DeviceDesign]:
    """Return the designs of an example with other switch models."""
    with TemporaryDirectory() as folder:
        return variant(Path(folder) / "i", inventory, VARIANTS[system, inventory][0])


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_artefacts_are_the_golden_files(
    inventory: str, switch: str, *, update_golden: bool
) -> None:
    """Every artefact equals its golden file, and no golden file is left over."""
    compare(design(inventory, switch), inventory, update_golden=update_golden)


@pytest.mark.parametrize(
    ("system", "inventory", "switch"),
    [(*key, switch) for key, (_, names) in VARIANTS.items() for switch in names],
)
def test_other_models(system: str, inventory: str, switch: str, *, update_golden: bool) -> None:
    """The same for systems that do not stand there in the example itself."""
    device = designs(system, inventory)[switch]
    assert device.platform == system
    compare(device, inventory, update_golden=update_golden)


@pytest.mark.parametrize(("system", "inventory", "switch"), tenants_designs.CASES)
def test_tenants(system: str, inventory: str, switch: str, *, update_golden: bool) -> None:
    """VRFs of tenants in both forms, on routed ports and in VLANs, with services and without."""
    device = tenants_designs.designs(system, inventory)[switch]
    assert device.platform == system
    compare(device, inventory, update_golden=update_golden)


def test_every_switch_of_the_demo_is_looked_at() -> None:
    assert list(DEMO) == switches("demo")


def test_every_system_has_files_of_the_same_switches() -> None:
    """A leaf and a spine of the demo and of 512 GPUs, and a classic leaf."""
    systems = {path.name for path in template_folder().iterdir()}
    systems -= {"boot", "host", "labels", "picture", "grafana", "prometheus"}
    assert len(systems) >= 8
    for system in systems:
        found = {path.parts[-2:] for path in (GOLDEN / system).glob("*/*")}
        assert found >= LOOKED_AT, system


ALL = {
    **{key: changes for key, (changes, _) in VARIANTS.items()},
    **{
        (system, inventory): changes
        for system, module in (
            ("comware7", comware7_designs),
            ("esonic", esonic_designs),
            ("junos", junos_designs),
            ("nxos", nxos_designs),
            ("vrp8", vrp8_designs),
        )
        for inventory, changes in module.CHANGES.items()
    },
}


@pytest.mark.parametrize(("system", "inventory"), ALL)
def test_files_are_of_inventories_without_errors(
    system: str, inventory: str, tmp_path: Path
) -> None:
    """What no rule would let through to a switch is no example."""
    variant(tmp_path / "i", inventory, ALL[system, inventory])
    outcome = check(Project(tmp_path / "i"))
    assert [str(finding) for finding in outcome.at_least(Severity.ERROR)] == []


def compare(device: DeviceDesign, inventory: str, *, update_golden: bool) -> None:
    """Compare every artefact of a switch with its file."""
    folder = GOLDEN / device.platform / inventory / device.name
    artefacts = {Path(artefact.path).name: artefact.content for artefact in render_device(device)}
    if update_golden:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in artefacts.items():
            (folder / name).write_bytes(content)
    assert {path.name for path in folder.iterdir()} == set(artefacts)
    for name, content in artefacts.items():
        assert content.decode() == (folder / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(("inventory", "switch"), CASES[:2])
def test_same_design_same_bytes(inventory: str, switch: str) -> None:
    """Rendering twice gives the same bytes."""
    device = design(inventory, switch)
    assert render_device(device) == render_device(device)


R_SERIES = {
    "sku: 7050DX4-32S": "sku: 7280DR3AK-36S",
    "arp: {": "ecmp: {hash_queue_pairs: true}\narp: {",
}


def test_r_series(tmp_path: Path, *, update_golden: bool) -> None:
    """Queues at the ingress: other words for queues, counters of ECN, and hashed queue pairs."""
    leaf = variant(tmp_path / "inventory", "a100-pcie", R_SERIES)["rack1-leaf"]
    text = render_device(leaf)[0].text
    file = GOLDEN / "eos" / "r-series" / "rack1-leaf" / "startup-config.eos"
    if update_golden:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
