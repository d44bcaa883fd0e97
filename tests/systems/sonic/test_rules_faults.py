"""Every fault that is planted into a SONiC configuration is found, and by the rule for it."""

from __future__ import annotations

import json

import pytest

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import configs_of
from fabric.validate.runner import run
from fabric.validate.world import World
from tests.validate.sonic_faults import FAULTS, leaf_text


def judged(text: str):
    return run(World(configurations=configs_of({"leaf": json.loads(text)})))


def test_a_rendered_leaf_has_no_fault() -> None:
    outcome = judged(leaf_text())
    assert outcome.broken == ()
    assert [str(item) for item in outcome.at_least(Severity.WARNING)] == []


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str) -> None:
    rule, plant = FAULTS[name]
    tables = json.loads(leaf_text())
    plant(tables)
    assert tables != json.loads(leaf_text())
    outcome = judged(json.dumps(tables))
    assert outcome.broken == ()
    found = {item.rule for item in outcome.at_least(Severity.WARNING)}
    assert rule in found, f"found by {sorted(found) or 'nothing'}"


def test_there_are_enough() -> None:
    assert len(FAULTS) >= 60
