"""A switch model of the user's own, of every system, is configured as one that rocefab has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.platforms import platforms
from fabric.platforms.catalogue import sku
from fabric.platforms.model import Sku
from fabric.render import render_device
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.designs import INVENTORY, designer
from tests.systems.cumulus import test_render as test_cumulus

EOS = {"sku: ACS-MSN4700": "sku: 7050DX4-32S"}
R_SERIES = {"sku: ACS-MSN4700": "sku: 7280DR3AK-36S", "sku: 7060X6-64PE": "sku: 7280DR3AK-36S"}
#: Case -> what turns the demo into a fabric of that system.
CASES: dict[str, dict[str, str]] = {
    "comware7": comware7_designs.CHANGES["demo"],
    "cumulus": test_cumulus.SKUS["demo"],
    "eos": EOS,
    "eos, R-series": R_SERIES,
    "esonic": esonic_designs.CHANGES["demo"],
    "junos": junos_designs.CHANGES["demo"],
    "nxos": nxos_designs.CHANGES["demo"],
    "vrp8": vrp8_designs.CHANGES["demo"],
}


def own_name(model: Sku) -> str:
    """Return a name that no system knows; VRP8 balances by load on models of certain names."""
    return "CE8855-Own" if model.nos == "vrp8" else "Own"


def written(model: Sku) -> dict[str, Any]:
    """Return a model as a user writes it, after the data sheet of the switch."""
    ports: dict[str, Any] = {
        "count": model.port_count,
        "lanes": model.lanes_per_port,
        "name": model.port_name,
        "alias": model.port_alias,
        "speeds_gbps": list(model.speeds_gbps),
    }
    if model.part_name:
        ports |= {"part_name": model.part_name, "part_alias": model.part_alias}
    if model.nos == "eos":
        ports["speed_words"] = list(model.speed_tokens.values())
    found = {"name": own_name(model), "nos": model.nos, "asic": model.asic, "ports": ports}
    if model.nos == "junos":
        found["shared_buffer"] = {name: int(value) for name, value in model.facts.items()}
    facts = {
        name: {"value": fact.value, "source": fact.source[:100], "grade": fact.grade}
        for name, fact in model.own_facts.items()
    }
    return found | ({"facts": facts} if facts else {})


def leaf_text(folder: Path, changes: dict[str, str], models: list[dict[str, Any]]) -> str:
    """Return the configuration of the first leaf of the changed demo."""
    text = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "platforms").mkdir(parents=True)
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    if models:
        own = yaml.safe_dump({"skus": models}, sort_keys=False)
        (folder / "platforms" / "own.yaml").write_text(own, encoding="utf-8")
    made, rows = designer(folder)
    return "\n".join(one.text for one in render_device(made.design(rows["su1-rail0"])))


@pytest.mark.parametrize("case", CASES)
def test_the_same_lines(case: str, tmp_path: Path) -> None:
    """Ports, speeds, queues, buffers and thresholds: all of it follows from what is written."""
    changes = CASES[case]
    [(old, new)] = [(old, new) for old, new in changes.items() if "ACS-MSN4700" in old]
    name = new.rpartition("sku: ")[2].partition("}")[0].partition(",")[0]
    known = leaf_text(tmp_path / "known", changes, [])
    model = sku(name)
    changed = changes | {old: new.replace(name, own_name(model))}
    own = leaf_text(tmp_path / "own", changed, [written(model)])
    assert own == known


def test_every_system_is_here() -> None:
    """SONiC takes the tables of its switches: tests/intent/test_own_skus.py."""
    assert {case.partition(",")[0] for case in CASES} == {*platforms} - {"sonic"}
