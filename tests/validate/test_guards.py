"""What rules say they guard are fields of the inventory."""

from __future__ import annotations

import types
import typing

from pydantic import BaseModel

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.model import FabricFile
from fabric.intent.tenancy_model import TenantsFile
from fabric.validate.runner import all_rules
from tests.cases import each

FILES = {"devices": DevicesFile, "hosts": HostsFile, "tenants": TenantsFile}


def models(annotation) -> list[type[BaseModel]]:
    """Return the models inside an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in {tuple, dict, typing.Union, types.UnionType}:
        return [model for part in typing.get_args(annotation) for model in models(part)]
    return []


def exists(path: str) -> bool:
    first, *_ = parts = path.split(".")
    here: list[type[BaseModel]] = [FILES.get(first, FabricFile)]
    for part in parts:
        fields = [model.model_fields[part] for model in here if part in model.model_fields]
        if not fields:
            return False
        here = [model for field in fields for model in models(field.annotation)]
    return True


@each("rule", all_rules())
def test_guarded_fields_exist(rule):
    assert rule.guards
    for path in rule.guards:
        assert exists(path), path


def test_a_field_that_is_not_there_is_noticed():
    assert not exists("lossless.ecn.kmid_bytes")
