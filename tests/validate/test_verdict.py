"""Equal configurations are judged once, and each rule says the same as when all are judged."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from fabric.systems.sonic import verdict as module
from fabric.systems.sonic.config_db import configs_of
from fabric.systems.sonic.rule import SonicPolicyRule, SonicRule
from fabric.systems.sonic.verdict import nameless, verdict
from fabric.validate.runner import Outcome, all_rules, run
from fabric.validate.world import World
from fabric.workflow.project import Project
from tests.cases import each
from tests.topology.fabrics import INVENTORY
from tests.validate.sonic_faults import FAULTS

NAMES = (
    ("DEVICE_METADATA", "localhost", "hostname"),
    ("DEVICE_METADATA", "localhost", "mac"),
    ("DEVICE_METADATA", "localhost", "bgp_asn"),
    ("PORT", "Ethernet0", "description"),
    ("VLAN", "Vlan101", "description"),
)


@pytest.fixture(scope="module", params=["demo", "rail-512", "three-tier", "dual-plane"])
def project(request: Any) -> Project:
    return Project(INVENTORY / request.param)


@pytest.fixture(scope="module")
def leaf() -> tuple[str, bytes, Any]:
    project = Project(INVENTORY / "demo")
    name = project.fabric.switches.names[0]
    return name, project.sonic_files[name], project.devices[name].sku


def whole(device: str, content: bytes, model: Any) -> Outcome:
    """Judge by every rule, all of which see everything."""
    tables = {device: json.loads(content)}
    return run(
        World(
            configurations=configs_of(tables, is_rendered=True),
            skus={model.name: model},
            row_by_row=True,
        )
    )


def sorted_of(outcome: Outcome) -> Outcome:
    return Outcome(
        tuple(sorted(outcome.findings, key=repr)),
        tuple(sorted(outcome.checked)),
        tuple(sorted(outcome.skipped)),
        outcome.broken,
    )


def test_examples(project: Project) -> None:
    for name, content in project.sonic_files.items():
        model = project.devices[name].sku
        assert sorted_of(verdict(name, content, model)) == sorted_of(whole(name, content, model))


@each("fault", FAULTS)
def test_faults(leaf: tuple[str, bytes, Any], fault: str) -> None:
    name, content, model = leaf
    tables = json.loads(content)
    FAULTS[fault][1](tables)
    for text in (json.dumps(tables), json.dumps(tables, indent=4) + "\n"):
        found = verdict(name, text.encode(), model)
        assert sorted_of(found) == sorted_of(whole(name, text.encode(), model))


@each("fault", FAULTS)
def test_rules_of_policies_need_no_names(leaf: tuple[str, bytes, Any], fault: str) -> None:
    """A rule that reads a name or an address must not be one of these."""
    name, content, model = leaf
    tables = json.loads(content)
    FAULTS[fault][1](tables)
    for rule in all_rules():
        if isinstance(rule, SonicPolicyRule) and rule.judges_rendered:
            found = [
                run(
                    World(configurations=configs_of({name: one}), skus={model.name: model}),
                    rules=[rule],
                ).findings
                for one in (tables, nameless(tables))
            ]
            assert found[0] == found[1], rule.id


def test_equal_ones_are_judged_once(leaf: tuple[str, bytes, Any], monkeypatch: Any) -> None:
    name, content, model = leaf
    asked = []

    def counted(world: World, rules: Any) -> Outcome:
        asked.extend([world] if rules == module._other_rules() else [])
        return Outcome((), (), (), ())

    monkeypatch.setattr(module, "run", counted)
    module._judged.cache_clear()
    verdict(name, content, model)
    tables = json.loads(content)
    for table, row, field in NAMES:
        other = copy.deepcopy(tables)
        other[table][row][field] = "other"
        verdict("other", json.dumps(other, indent=4).encode(), model)
    del tables["BGP_NEIGHBOR"]
    verdict("other", json.dumps(tables, indent=4).encode(), model)
    kinds = len(asked)
    tables["PORT"]["Ethernet0"]["mtu"] = "1500"
    verdict("other", json.dumps(tables, indent=4).encode(), model)
    module._judged.cache_clear()
    assert kinds == 2, "one by the texts of tables, one by a text of another layout"
    assert len(asked) == 3


def test_rules_that_are_asked_of_each_switch() -> None:
    rules = [one for one in all_rules() if isinstance(one, SonicRule) and one.judges_rendered]
    assert [one.id for one in rules if not isinstance(one, SonicPolicyRule)] == ["SON012"]
