"""Every planted leak and loss is found with its rule and place, and none on the clean twin."""

from __future__ import annotations

from copy import deepcopy

import pytest

from fabric.core.findings import Severity
from fabric.observe.configuration import readers
from fabric.prove.breach import Breach
from fabric.prove.engine import Engine, Proof
from tests.prove.fabrics import example, prove
from tests.prove.tenants.leaks import CHANGES, LEAF, TEXTS, Change, Planted

_KIND = "startup-config"


def test_the_clean_twin() -> None:
    proof = prove(*example("tenants"))
    assert proof.breaches == ()
    assert proof.pairs == 0
    assert proof.tenants == (2, 2, 0, 18, 0, 0)


@pytest.mark.parametrize(
    ("name", "sessions"),
    [
        ("", 32),  # both ends of 8 over cables, and of 8 between loopbacks
        ("EVPN is not activated on a leaf", 28),
        ("EVPN is not activated on a spine", 24),
    ],
)
def test_sessions_between_loopbacks_count(name: str, sessions: int) -> None:
    project, texts = example("tenants")
    planted = TEXTS.get(name)
    own = {planted.switch: {_KIND: planted.plant(texts[planted.switch][_KIND])}} if planted else {}
    assert prove(project, {**texts, **own}).sessions == sessions


def test_there_are_enough() -> None:
    assert len(TEXTS) + len(CHANGES) >= 30


@pytest.mark.parametrize("planted", TEXTS.values(), ids=TEXTS)
def test_a_planted_text_is_found(planted: Planted) -> None:
    project, texts = example("tenants")
    text = planted.plant(texts[planted.switch][_KIND])
    proof = prove(project, {**texts, planted.switch: {_KIND: text}})
    _expect(proof, planted.rules)
    lines = ["", *text.split("\n")]
    places = [
        breach.port == planted.place or planted.place in lines[breach.line]
        for breach in proof.breaches
        if (breach.rule, breach.device) == (planted.rules[0], planted.switch)
    ]
    assert any(places), [breach for breach in proof.breaches if breach.rule == planted.rules[0]]
    _agree(proof)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_planted_change_is_found(change: Change) -> None:
    project, texts = example("tenants")
    files = {name: readers["eos"](text) for name, text in texts.items()}
    change.change(files)
    proof = Engine(project.fabric, project.devices, project.hosts, files).prove()
    _expect(proof, change.rules)
    places = {
        (breach.device, breach.line) for breach in proof.breaches if breach.rule == change.rules[0]
    }
    assert any(
        device == change.switch and (not change.line or line == change.line)
        for device, line in places
    ), places
    _agree(proof)


def _expect(proof: Proof, rules: tuple[str, ...]) -> None:
    fired = {breach.rule for breach in proof.breaches}
    assert fired >= set(rules), [str(breach) for breach in proof.breaches]


def _agree(proof: Proof) -> None:
    """See that the numbers say the same as the breaches."""
    assert proof.tenants

    def some(*rules: str) -> list[Breach]:
        return [one for one in proof.breaches if one.rule in rules]

    assert bool(proof.tenants.leaking_pairs) <= bool(some("BAT022", "BAT025"))
    assert bool(proof.tenants.lost_nic_pairs) <= bool(some("BAT024", "BAT014"))
    assert bool(proof.tenants.exposed) <= bool(some("BAT023"))
    assert all(one.severity is not Severity.INFO for one in proof.breaches)


def test_files_without_tenants_in_the_inventory_have_no_vrf() -> None:
    project, texts = example("demo")
    files = {
        name: deepcopy(readers[project.devices[name].platform](text))
        for name, text in texts.items()
    }
    port = next(port for port in files[LEAF].ports.values() if port.vlan is not None)
    for gateway in files[LEAF].ports.values():
        if gateway.gateway_vlan == port.vlan:
            gateway.vrf = "Vrf17"
    found = Engine(project.fabric, project.devices, project.hosts, files).prove().breaches
    assert "BAT021" in {breach.rule for breach in found}
