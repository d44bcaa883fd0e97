"""Schemas of custom resources, made strict: a field that the schema does not know is an error."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from tests.reference import SHARED

FOLDER = SHARED / "schemas" / "k8s-crds"
SAMPLES = SHARED / "fixtures" / "placement"


@cache
def schemas() -> dict[tuple[str, str], tuple[dict[str, Any], bool]]:
    """Return schema and scope by version and kind."""
    results = {}
    for path in sorted([*FOLDER.glob("*.yaml"), *SAMPLES.glob("*/crd-*.yaml")]):
        crd = yaml.load(path.read_text(), yaml.CSafeLoader)
        spec = crd["spec"]
        for version in spec["versions"]:
            key = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
            schema = strict(version["schema"]["openAPIV3Schema"])
            results[key] = schema, spec["scope"] == "Namespaced"
    return results


def strict(node: Any) -> Any:
    """Return a schema as a server with strict field validation reads it."""
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    built = {key: strict(value) for key, value in node.items() if not key.startswith("x-")}
    if node.get("x-kubernetes-int-or-string"):
        built.pop("type", None)
        built["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    keeps = node.get("x-kubernetes-preserve-unknown-fields")
    if node.get("type") == "object" and "properties" in node and not keeps:
        built.setdefault("additionalProperties", False)
    return built


def judge(item: dict[str, Any]) -> None:
    """Raise ValidationError where an object does not fit its schema or its scope."""
    from jsonschema import Draft202012Validator

    schema, namespaced = schemas()[item["apiVersion"], item["kind"]]
    rest = {**item, "metadata": {}}
    schema = {
        **schema,
        "properties": {**schema["properties"], "metadata": {"type": "object"}},
    }
    Draft202012Validator(schema).validate(rest)
    assert set(item["metadata"]) <= {"name", "namespace", "labels", "annotations"}
    assert ("namespace" in item["metadata"]) == namespaced
