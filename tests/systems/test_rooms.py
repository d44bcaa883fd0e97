"""One folder for each system: what stands in it has registered, under the name of the folder."""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import fabric.systems
import fabric.validate
from fabric.change.adapter import adapters
from fabric.core.registry import Registry
from fabric.defects.book import facts
from fabric.devices.driver import drivers
from fabric.lab.standin import stand_ins
from fabric.observe.parsers import parsers
from fabric.observe.parsers.lldp import outputs
from fabric.platforms.features import declared
from fabric.platforms.model import platforms
from fabric.prove.batfish.forms import snapshot_writers
from fabric.render.registry import renderers
from fabric.validate.rule import rules

SYSTEMS = {module.name for module in pkgutil.iter_modules(fabric.systems.__path__)}
ROOMS: dict[str, Registry] = {
    "platforms": platforms,
    "render": renderers,
    "parsers": parsers,
    "lldp_outputs": outputs,
    "drivers": drivers,
    "adapters": adapters,
    "batfish": snapshot_writers,
    "lab": stand_ins,
}


@pytest.mark.parametrize("room", ROOMS)
def test_every_system_with_such_a_module_has_registered(room: str) -> None:
    # Hosts are rendered from a design of their own, by no renderer of switches.
    others = {"host"} if room == "render" else set()
    assert set(ROOMS[room]) == {name for name in SYSTEMS if _has(name, room)} - others


def _has(system: str, room: str) -> bool:
    return importlib.util.find_spec(f"fabric.systems.{system}.{room}") is not None


def test_every_module_of_rules_has_registered() -> None:
    modules = set()
    for room in ("fabric.validate.rules", *(f"fabric.systems.{name}.rules" for name in SYSTEMS)):
        if importlib.util.find_spec(room) is None:
            continue
        folder = getattr(importlib.import_module(room), "__path__", None)
        parts = [module.name for module in pkgutil.iter_modules(folder)] if folder else []
        modules |= {f"{room}.{part}" for part in parts} or {room}
    assert modules - {"fabric.validate.rules.limits"} == {
        rule.__module__ for rule in dict(rules.items()).values() if isinstance(rule, type)
    }


def test_the_rules_of_features_toml_have_registered() -> None:
    ids = {rule.id for one in declared().values() for rule in one.rules}
    assert len(ids) > 50
    named = {name for name, rule in rules.items() if not isinstance(rule, type)}
    assert ids == named - facts().keys()


def test_no_rule_of_all_systems_names_one() -> None:
    """What a system is like is asked of its `Platform` or its `features.toml`."""
    named = [
        f"{file.name}:{node.lineno}: {node.value!r}"
        for file in sorted(Path(fabric.validate.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Constant) and node.value in platforms
    ]
    assert named == []
