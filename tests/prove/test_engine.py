"""Our own engine: it proves what is rendered, and finds what is planted in it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabric.prove.routes import tables
from fabric.prove.sessions import sessions
from fabric.workflow.project import Project
from tests.prove.fabrics import Texts, example, network_of, prove, random_fabric
from tests.prove.faults import FAULTS, Fault

#: Ends of sessions, next hops, and ordered pairs of NICs, as Batfish 0.36 counted them.
COUNTED = {
    "demo": (16, 72, 56),
    "a100-pcie": (8, 20, 6),
    "dual-tor": (32, 144, 992),
    "dual-plane": (32, 80, 480),
    "three-tier": (96, 1136, 4032),
    "rail-only": (0, 0, 448),
    "explicit": (18, 81, 240),
    "eight-slash-27": (32, 272, 992),
    "rail-512": (1024, 16_896, 261_632),
}


@pytest.mark.parametrize("name", COUNTED)
def test_examples_are_proved(name: str) -> None:
    proof = prove(*example(name))
    assert proof.breaches == ()
    assert (proof.sessions, proof.routes, proof.pairs) == COUNTED[name]
    assert proof.lost_pairs == 0


@pytest.mark.parametrize("name", COUNTED)
def test_the_design_knows_how_many_equal_paths_bgp_has(name: str) -> None:
    """Rules judge by the one, the proof by the other."""
    project, texts = example(name)
    network = network_of(project, texts)
    found = tables(network, [link for link in sessions(network) if link.established]).most_equal
    designed = {switch: design.bgp.equal_paths for switch, design in project.devices.items()}
    assert dict(zip(network.switches, found.tolist(), strict=True)) == designed


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_on_every_kind_of_switch(fault: Fault) -> None:
    project, texts = example("demo")
    planted = [_found(project, texts, fault, switch, 1) for switch in ("spine01", "su1-rail0")]
    project, texts = example("a100-pcie")
    planted += [_found(project, texts, fault, switch, 1) for switch in ("spine01", "rack1-leaf")]
    assert any(planted)


@pytest.mark.parametrize("seed", range(40))
def test_random_fabrics_and_faults(tmp_path: Path, seed: int) -> None:
    project, texts = random_fabric(tmp_path, seed)
    assert prove(project, texts).breaches == ()
    pick = random.Random(seed)
    for fault in (FAULTS[seed % len(FAULTS)], *pick.sample(FAULTS, 4)):
        _found(project, texts, fault, pick.choice(sorted(texts)), seed)


def _found(project: Project, texts: Texts, fault: Fault, switch: str, seed: int) -> bool:
    """Plant a fault in a switch, if it can be, and see it found."""
    design = project.devices[switch]
    kind = {"eos": "startup-config", "sonic": "config_db"}[design.platform]
    text = fault.plant(texts[switch][kind], design, random.Random(seed))
    if text is None:
        return False
    assert text != texts[switch][kind]
    proof = prove(project, {**texts, switch: {**texts[switch], kind: text}})
    fired = {breach.rule for breach in proof.breaches}
    assert fired & fault.rules, (fault.name, switch, fired)
    return True
