"""Worlds for rule tests: an example inventory with edits, or a CONFIG_DB sample with edits."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from fabric.core.errors import RenderError
from fabric.systems.sonic.config_db import configs_of
from fabric.validate.world import Model, World
from fabric.workflow.project import Project

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
SAMPLE = Path(__file__).parent / "samples" / "leaf.config_db.json"


def build(case: dict[str, Any], folder: Path, *, is_rendered: bool = True) -> World:
    """Return the world of a case.

    Keys of a case: ``base`` (name of an example) with ``set`` (dotted path of fabric.yaml ->
    value), ``files`` (path -> text of an override document) and ``design`` (device or host ->
    dotted field -> value, for what no inventory can say); or ``base_site`` with ``own`` (the
    fabric that is judged) and ``fabrics`` (name -> ``set`` and ``files``); or ``base_sonic`` with
    ``edits`` (lists of table, row key, field, value; None removes).
    """
    if "base_sonic" in case:
        return World(configurations=configs_of({"leaf": edited(sample(), case.get("edits", []))}))
    if "base_site" in case:
        for name in ("compute", "storage"):
            parts = {"base": f"{case['base_site']}/fabrics/{name}"}
            _fill(parts | case.get("fabrics", {}).get(name, {}), folder / "fabrics" / name)
        return World(Project(folder / "fabrics" / case.get("own", "storage")).model)
    _fill(case, folder)
    if not is_rendered:
        return World(project_model(Project(folder)))
    return _world(Project(folder), case.get("design", {}))


def _fill(case: dict[str, Any], folder: Path) -> None:
    data = copy.deepcopy(_example(case["base"]))
    for path, value in case.get("set", {}).items():
        _set(data, path.split("."), value)
    source = ROOT / "inventory" / case["base"]
    more = [*source.glob("*/*.yaml"), *source.glob("cabling.*")]
    for path in more if case.get("keep_files", True) else ():
        _write(folder / path.relative_to(source), path.read_text())
    _write(folder / "fabric.yaml", yaml.safe_dump(data, sort_keys=False))
    for path, text in case.get("files", {}).items():
        _write(folder / path, text)


def _world(project: Project, design: dict[str, Any]) -> World:
    if design:
        model = project_model(project)
        things = {**model.devices, **model.hosts}
        changed = {name: _changed(things[name], edits) for name, edits in design.items()}
        devices = {name: changed.get(name, item) for name, item in model.devices.items()}
        hosts = {name: changed.get(name, item) for name, item in model.hosts.items()}
        return World(replace(model, devices=devices, hosts=hosts))
    try:
        return project.world
    except RenderError:
        return World(project_model(project))


def project_model(project: Project) -> Model:
    """Return the model of a project without rendering anything."""
    return project.model


def sample() -> dict[str, Any]:
    """Return a correct CONFIG_DB of a small leaf."""
    return json.loads(SAMPLE.read_text())


def edited(config: dict[str, Any], edits: list[list[Any]]) -> dict[str, Any]:
    """Return a CONFIG_DB with rows or fields set; None removes them."""
    for table, key, field, value in edits:
        rows = config.setdefault(table, {})
        target, name = (rows, key) if field is None else (rows.setdefault(key, {}), field)
        if value is None:
            del target[name]
        else:
            target[name] = value
    return config


@cache
def _example(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "inventory" / name / "fabric.yaml").read_text())


def _set(data: Any, path: list[str], value: Any) -> None:
    for part in path[:-1]:
        data = data[int(part)] if isinstance(data, list) else data.setdefault(part, {})
    data[path[-1]] = value


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _changed(item: Any, edits: dict[str, Any]) -> Any:
    for path, value in edits.items():
        head, _, rest = path.partition(".")
        new = _changed(getattr(item, head), {rest: value}) if rest else value
        item = replace(item, **{head: tuple(new) if isinstance(new, list) else new})
    return item
