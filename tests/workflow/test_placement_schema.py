"""Answers of place keep to the schema that `show schema placement` prints."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabric.report.placement import schema
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

EXAMPLES = sorted(file.parent for file in INVENTORY.glob("**/fabric.yaml"))


@cache
def rules() -> dict[str, Any]:
    return json.loads(schema())


def wrong(answer: object) -> list[str]:
    from jsonschema import Draft202012Validator

    return [error.json_path for error in Draft202012Validator(rules()).iter_errors(answer)]


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: str(path.relative_to(INVENTORY)))
def test_answers_of_the_examples_keep_to_it(folder: Path) -> None:
    tenant = ("--tenant", "red") if folder.name == "tenants" else ()
    more = "2" if tenant else "3"
    for words in (
        ("--nodes", "1", *tenant),
        ("--nodes", more, "--traffic", "a2a", "--target", "0", *tenant),
    ):
        ended = run("place", folder, *words, "--format", "json")
        assert ended.code == 0, ended.err
        answer = json.loads(ended.out)
        assert wrong(answer) == []
        of_the_service = {"state", "link_loads"}
        assert set(rules()["properties"]) - set(answer) == of_the_service


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"format": "rocefab-placement/2"}, "$.format"),
        ({"hosts": []}, "$.hosts"),
        ({"cost": "1"}, "$.cost"),
        ({"gap": -1}, "$.gap"),
        ({"room": {"unit": 1}}, "$.room"),
        ({"ranks": [{"rank": "0"}]}, "$.ranks[0]"),
    ],
)
def test_other_answers_do_not(change: dict[str, object], path: str) -> None:
    answer = json.loads(run("place", INVENTORY / "demo", "--format", "json").out)
    assert {found[: len(path)] for found in wrong(answer | change)} == {path}


def test_a_required_member_is_missed() -> None:
    answer = json.loads(run("place", INVENTORY / "demo", "--format", "json").out)
    without = {
        name: {key: item for key, item in answer.items() if key != name}
        for name in rules()["required"]
    }
    assert without
    assert all(wrong(less) == ["$"] for less in without.values())


def test_a_gap_can_be_unknown_and_members_can_be_added() -> None:
    answer = json.loads(run("place", INVENTORY / "demo", "--format", "json").out)
    assert wrong(answer | {"gap": None, "more": 1}) == []


def test_command_prints_the_schema() -> None:
    from jsonschema import Draft202012Validator

    ended = run("show", "schema", "placement")
    assert json.loads(ended.out) == rules()
    Draft202012Validator.check_schema(rules())
