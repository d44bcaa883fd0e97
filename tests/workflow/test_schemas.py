"""The schemas that editors read: named by every example, and as strict as the models."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.model import FabricFile
from fabric.report.inventory import schema

INVENTORY = Path(__file__).parents[2] / "inventory"
KINDS = {"fabric": FabricFile, "devices": DevicesFile, "hosts": HostsFile}
FILES = sorted(INVENTORY.glob("*/**/*.yaml"))
LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(INVENTORY)))
def test_example_names_its_schema_and_keeps_to_it(file: Path) -> None:
    line = LINE.match(file.read_text())
    assert line, "the first line must name the schema"
    kind = file.parent.name if file.parent.name in KINDS else "fabric"
    assert (file.parent / line[1]).resolve() == INVENTORY / f"{kind}.schema.json"
    data = yaml.safe_load(file.read_text())
    KINDS[kind].model_validate(data)
    assert list(against(data, json.loads(schema(kind)))) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"title": "x"}, "title: unknown"),
        ({"rails": 65}, "rails: 65 > 64"),
        ({"rails": "2"}, "rails: not integer"),
        ({"design": "star"}, "design: 'star' is no choice"),
        ({"units": []}, "units: too short"),
        ({"speeds": {}}, "speeds: host_gbps is missing"),
    ],
)
def test_schema_refuses_what_the_models_refuse(change: dict, complaint: str) -> None:
    data = yaml.safe_load((INVENTORY / "demo" / "fabric.yaml").read_text()) | change
    assert complaint in list(against(data, json.loads(schema("fabric"))))
    with pytest.raises(ValueError):
        FabricFile.model_validate(data)


def against(value, node, root=None, at=""):
    """Yield what a value breaks of the few words of JSON Schema that our schemas use."""
    root = root or node
    if "$ref" in node:
        node = root["$defs"][node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:
        tries = [list(against(value, one, root, at)) for one in node["anyOf"]]
        yield from min(tries, key=len)
        return
    kind = node.get("type")
    if kind and _type_name(value) != kind:
        yield f"{at}: not {kind}"
        return
    yield from _value(value, node, at)
    if kind == "array":
        if len(value) < node.get("minItems", 0):
            yield f"{at}: too short"
        for index, item in enumerate(value):
            yield from against(item, node["items"], root, f"{at}.{index}")
    if kind == "object":
        yield from _object(value, node, root, at)


def _value(value, node, at):
    if "enum" in node and value not in node["enum"]:
        yield f"{at}: {value!r} is no choice"
    if "maximum" in node and value > node["maximum"]:
        yield f"{at}: {value} > {node['maximum']}"
    if "minimum" in node and value < node["minimum"]:
        yield f"{at}: {value} < {node['minimum']}"


def _type_name(value) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    return names.get(type(value), "null")


def _object(value, node, root, at):
    for name in node.get("required", []):
        if name not in value:
            yield f"{at}: {name} is missing".removeprefix(": ")
    for name, item in value.items():
        below = f"{at}.{name}".lstrip(".")
        if name in node.get("properties", {}):
            yield from against(item, node["properties"][name], root, below)
            continue
        by_pattern = node.get("patternProperties", {}).items()
        patterns = [one for pattern, one in by_pattern if re.search(pattern, name)]
        if patterns:
            yield from against(item, patterns[0], root, below)
        elif node.get("additionalProperties") is False:
            yield f"{below}: unknown"
