"""Leaves that share an AS number: what is rendered for every system lets their routes through."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.render.explain import entries
from tests.prove.fabrics import Texts, prove
from tests.prove.test_engine import COUNTED
from tests.prove.test_systems import CHANGES, UNNUMBERED, fabric_of
from tests.render.designs import variant
from tests.render.test_fabrics import text_of

#: Models of the example whose own systems are SONiC and EOS, by system.
OWN = {
    "sonic": {"spine: {sku: 7060X6-64PE}": "spine: {sku: ACS-MSN4700}"},
    "eos": {"leaf: {sku: ACS-MSN4700}": "leaf: {sku: 7060X6-64PE}"},
}
SYSTEMS = {**{system: changes["demo"] for system, changes in CHANGES.items()}, **OWN}
ALL = 'devices:\n  - {names: "su[1-2]-rail[0-1]", asn: 65101}\n'
RAIL = 'devices:\n  - {names: "su[1-2]-rail0", asn: 65101}\n'
#: What makes a leaf accept the own AS number once, and a spine tell it.
LINES = {
    "sonic": (r'"allow_as_in": "true",\s*', ""),
    "eos": (r"   neighbor SPINES allowas-in 1\n", ""),
    "cumulus": (r"nv set .* ipv4-unicast aspath allow-my-asn .*\n", ""),
    "esonic": (r"   allowas-in 1\n", ""),
    "nxos": (r"      allowas-in 1\n", r"      disable-peer-as-check\n"),
    "junos": (r" loops 2\b", r"set protocols bgp group fabric advertise-peer-as\n"),
    "vrp8": (r"  peer \S+ allow-as-loop 1\n", ""),
    "comware7": (r"  peer \S+ allow-as-loop 1\n", ""),
}


def _numbered(system: str, often: int) -> dict[str, str]:
    return {**SYSTEMS[system], UNNUMBERED: f"{UNNUMBERED}, allowas_in: {often}"}


def _proof(folder: Path, changes: dict[str, str], devices: str):
    (folder / "devices").mkdir()
    (folder / "devices" / "a.yaml").write_text(devices, encoding="utf-8")
    return fabric_of(folder, "demo", changes)


@pytest.mark.parametrize("devices", [ALL, RAIL], ids=["all leaves", "a rail"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_leaves_that_accept_their_number(tmp_path: Path, system: str, devices: str) -> None:
    """Every line is understood, and every route is there."""
    proof = prove(*_proof(tmp_path, _numbered(system, 1), devices))
    assert proof.breaches == ()
    assert (proof.sessions, proof.routes, proof.pairs) == COUNTED["demo"]
    assert proof.lost_pairs == 0


def _without(texts: Texts, pattern: str) -> Texts:
    return {
        name: {kind: re.sub(pattern, "", text) for kind, text in kinds.items()}
        for name, kinds in texts.items()
    }


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_line_is_needed(tmp_path: Path, system: str) -> None:
    """Without the line of the leaves, or that of the spines, no leaf reaches another (48 of 56)."""
    project, texts = _proof(tmp_path, _numbered(system, 1), ALL)
    for pattern in filter(None, LINES[system]):
        proof = prove(project, _without(texts, pattern))
        assert {"BAT004", "BAT005"} & {breach.rule for breach in proof.breaches}
        assert proof.lost_pairs == 48, pattern


@pytest.mark.parametrize("system", SYSTEMS)
def test_lines_of_leaves_and_spines(tmp_path: Path, system: str) -> None:
    """On the sessions of each; none where nothing is accepted, and each has an explanation."""
    plain = variant(tmp_path / "plain", "demo", SYSTEMS[system], ALL)
    shared = variant(tmp_path / "shared", "demo", _numbered(system, 1), ALL)
    assert shared["spine01"].platform == shared["su1-rail0"].platform == system
    for name, own, other in (("su1-rail0", *LINES[system]), ("spine01", *LINES[system][::-1])):
        text = text_of(shared[name])
        assert bool(own) == bool(own and re.search(own, text)), name
        assert not (other and re.search(other, text)), name
        assert not re.search("|".join(filter(None, LINES[system])), text_of(plain[name])), name
    assert any("bgp.allowas_in" in entry.fields for entry in entries(system))
