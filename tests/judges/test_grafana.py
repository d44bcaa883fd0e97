"""The models of Grafana's own SDK read the dashboards, and know every field of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from fabric.core.exports import export, exporters
from fabric.exchange.network import plant
from fabric.workflow.project import Project
from tests.cli.runs import ROOT


def dashboards(name: str) -> dict[str, dict[str, Any]]:
    done = export(plant(Project(ROOT / "inventory" / name).fabric), exporters["grafana"])
    return {file.path: json.loads(file.content) for file in done.files}


def unknown(ours: Any, theirs: Any, place: str = "") -> list[str]:
    """Return places where their model lost what we wrote: fields that it does not know."""
    if isinstance(ours, dict):
        if not isinstance(theirs, dict):
            return [place]
        return [
            found
            for name, value in ours.items()
            for found in unknown(value, theirs.get(name), f"{place}.{name}")
        ]
    if isinstance(ours, list):
        if not isinstance(theirs, list) or len(ours) != len(theirs):
            return [place]
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [found for number, (a, b) in pairs for found in unknown(a, b, f"{place}[{number}]")]
    return [] if ours == theirs else [place]


def read(board: dict[str, Any]) -> Any:
    register_default_plugins()
    return json.loads(JSONEncoder().encode(Dashboard.from_json(board)))


@pytest.mark.parametrize("name", ["demo", "rail-512", "three-tier"])
def test_grafana_knows_every_field(name: str) -> None:
    boards = dashboards(name)
    assert list(boards) == ["fabric.json", "rail.json", "host.json", "job.json"]
    assert [place for board in boards.values() for place in unknown(board, read(board))] == []


def test_the_judge_sees_what_is_wrong() -> None:
    board = dashboards("demo")["fabric.json"]
    board["panels"][0]["gridPos"]["width"] = 3
    assert unknown(board, read(board)) == [".panels[0].gridPos.width"]


def test_names_are_those_of_the_inventory() -> None:
    boards = dashboards("rail-512")
    uids = [board["uid"] for board in boards.values()]
    assert len(set(uids)) == len(uids)
    assert all(len(uid) <= 40 for uid in uids)
    (rail,) = boards["rail.json"]["templating"]["list"][1:]
    assert rail["query"] == "0,1,2,3,4,5,6,7"
    text = json.dumps(boards)
    assert "$fabric" not in text
    assert 'fabric=\\\\\\"rail-512\\\\\\"' in json.dumps(text)


def test_panels_do_not_overlap() -> None:
    for board in dashboards("demo").values():
        cells = [
            (x, y)
            for panel in board["panels"]
            for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
        ]
        assert len(cells) == len(set(cells))
        assert all(x < 24 for x, _ in cells)
