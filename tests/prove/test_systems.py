"""Whole fabrics of one system: what is proved does not depend on whose switches they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fabric.workflow.project import Project
from tests.prove.fabrics import Texts, prove, with_files
from tests.prove.test_engine import COUNTED
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.test_fabrics import SYSTEMS
from tests.systems.cumulus.test_render import SKUS
from tests.topology.fabrics import INVENTORY

#: What is replaced in the examples, by system and example.
CHANGES: dict[str, dict[str, dict[str, str]]] = {
    "comware7": comware7_designs.CHANGES,
    "cumulus": SKUS,
    "esonic": esonic_designs.CHANGES,
    "junos": junos_designs.CHANGES,
    "nxos": nxos_designs.CHANGES,
    "vrp8": vrp8_designs.CHANGES,
}
UNNUMBERED = "bgp: {spine_asn: 65100, leaf_asn_first: 65101"


def fabric_of(folder: Path, example: str, changes: Mapping[str, str]) -> tuple[Project, Texts]:
    """Return an example with text of its inventory replaced."""
    text = (INVENTORY / example / "fabric.yaml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return with_files(Project(folder))


@pytest.mark.parametrize("example", ["demo", "a100-pcie", "three-tier"])
@pytest.mark.parametrize("system", CHANGES)
def test_fabrics_of_one_system(tmp_path: Path, system: str, example: str) -> None:
    """Every session, next hop and pair of NICs is that of the example's own switches."""
    model, more = SYSTEMS[system]
    own = {**CHANGES[system], "three-tier": {"ACS-MSN4700": model, **more}}
    proof = prove(*fabric_of(tmp_path, example, own[example]))
    assert proof.breaches == ()
    assert (proof.sessions, proof.routes, proof.pairs) == COUNTED[example]
    assert proof.lost_pairs == 0


def test_paths_beyond_a_limit_are_one_finding(tmp_path: Path) -> None:
    """All 32 uplinks are used by the line that Junos needs; without it 16 stand idle."""
    project, texts = fabric_of(tmp_path, "rail-512", junos_designs.CHANGES["rail-512"])
    leaf = project.fabric.switches.names[0]
    assert prove(project, texts).breaches == ()
    limit = "set chassis maximum-ecmp 64\n"
    assert limit in texts[leaf]["set"]
    texts[leaf] = {**texts[leaf], "set": texts[leaf]["set"].replace(limit, "")}
    proof = prove(project, texts)
    assert [(breach.rule, breach.device) for breach in proof.breaches] == [("BAT013", leaf)]
    assert "32 equal paths are on offer, the file lets 16 be used" in proof.breaches[0].message
    assert proof.lost_pairs == 0


#: Lines that the examples do not have: BFD, and cages that are broken out.
VARIANTS = {
    **{(system, "BFD"): {"bgp: {": "bgp: {bfd: true, "} for system in CHANGES},
    ("esonic", "parts"): {
        "leaf: {sku: Z9332F-ON}": "leaf: {sku: Z9332F-ON, host_ports: 7, breakouts:"
        ' [{cages: "1", mode: 4x100G}, {cages: "3", mode: 2x200G}]}',
        "host_gbps: 400": "host_gbps: 100",
    },
    ("vrp8", "parts"): {
        "leaf: {sku: CE8855-32CQ4BQ, host_ports: 16}": "leaf: {sku: CE8851-32CQ8DQ-P, breakouts:"
        ' [{cages: "1-2", mode: 4x25G}]}',
        "host_gbps: 100": "host_gbps: 25",
    },
    ("cumulus", "parts"): {
        "leaf: {sku: SN4700}": 'leaf: {sku: SN5600, breakouts: [{cages: "1", mode: 2x400G}]}'
    },
    ("junos", "parts"): {
        "leaf: {sku: QFX5240-64OD}": "leaf: {sku: QFX5240-64OD, breakouts:"
        ' [{cages: "1", mode: 2x400G}]}'
    },
    ("nxos", "parts"): {
        "leaf: {sku: N9K-C9332D-GX2B}": "leaf: {sku: N9K-C9332D-GX2B, breakouts:"
        ' [{cages: "1", mode: 4x100G}]}',
        "host_gbps: 400": "host_gbps: 100",
    },
}


@pytest.mark.parametrize(("system", "variant"), VARIANTS)
def test_variants_are_proved(tmp_path: Path, system: str, variant: str) -> None:
    """Every line of them is understood."""
    changes = {**CHANGES[system]["demo"], **VARIANTS[system, variant]}
    proof = prove(*fabric_of(tmp_path, "demo", changes))
    assert proof.breaches == ()
    assert (proof.sessions, proof.routes, proof.pairs) == COUNTED["demo"]


@pytest.mark.parametrize("system", CHANGES)
def test_a_leaf_whose_nics_are_all_off_misses_no_route(tmp_path: Path, system: str) -> None:
    """Nobody sends to it, so that the others need no next hops towards it."""
    (tmp_path / "hosts").mkdir()
    off = "hosts:\n  - {names: 'gpu[003-004]', nics: [{rail: 0, enabled: false}]}\n"
    (tmp_path / "hosts" / "off.yaml").write_text(off, encoding="utf-8")
    proof = prove(*fabric_of(tmp_path, "demo", CHANGES[system]["demo"]))
    assert proof.breaches == ()
    assert (proof.pairs, proof.lost_pairs) == (30, 0)
