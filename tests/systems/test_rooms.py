"""One folder for each system: what stands in it has registered, under the name of the folder."""

from __future__ import annotations

import importlib.util
import pkgutil

import pytest

import fabric.systems
from fabric.change.adapter import adapters
from fabric.core.registry import Registry
from fabric.devices.driver import drivers
from fabric.lab.standin import stand_ins
from fabric.observe.parsers import parsers
from fabric.platforms.model import platforms
from fabric.render.registry import renderers
from fabric.validate.rule import rules

SYSTEMS = {module.name for module in pkgutil.iter_modules(fabric.systems.__path__)}
ROOMS: dict[str, Registry] = {
    "platforms": platforms,
    "render": renderers,
    "parsers": parsers,
    "drivers": drivers,
    "adapters": adapters,
    "lab": stand_ins,
}


@pytest.mark.parametrize("room", ROOMS)
def test_every_system_with_such_a_module_has_registered(room: str) -> None:
    # Hosts are rendered from a design of their own, by no renderer of switches.
    others = {"host"} if room == "render" else set()
    assert set(ROOMS[room]) == {name for name in SYSTEMS if _has(name, room)} - others


def _has(system: str, room: str) -> bool:
    return importlib.util.find_spec(f"fabric.systems.{system}.{room}") is not None


def test_every_rule_of_a_system_has_registered() -> None:
    modules = {
        module.name.partition("_")[0].upper()
        for system in SYSTEMS
        for module in pkgutil.iter_modules(
            importlib.import_module(f"fabric.systems.{system}.rules").__path__
        )
    }
    own = {name for name, rule in rules.items() if rule.__module__.startswith("fabric.systems.")}
    assert modules == own
    assert len(own) > 100
