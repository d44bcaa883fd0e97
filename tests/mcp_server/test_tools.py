"""The tools of `rocefab mcp`, asked by the client of the protocol's own package."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from fabric.mcp.server import MOST_LETTERS, server_of
from fabric.mcp.tools import Place, tools
from tests.cli.runs import ROOT, clean_environment, run
from tests.repository import commit_all, git

DEMO = ROOT / "inventory" / "demo"
HERE = Place(DEMO)


def asked(calls: list[tuple[str, dict[str, Any]]], place: Place = HERE) -> list[Any]:
    async def all_of_them() -> list[Any]:
        async with Client(server_of(place)) as client:
            return [await client.call_tool(*call) for call in calls]

    return asyncio.run(all_of_them())


def ask(name: str, **arguments: Any) -> dict[str, Any]:
    (result,) = asked([(name, arguments)])
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def text_of(name: str, **arguments: Any) -> str:
    (result,) = asked([(name, arguments)])
    assert result.is_error
    return result.content[0].text


def test_tools_read_and_nothing_else() -> None:
    async def listed() -> list[Any]:
        async with Client(server_of(Place(DEMO))) as client:
            return (await client.list_tools()).tools

    entries = asyncio.run(listed())
    assert [entry.name for entry in entries] == [
        *("check", "explain", "whatif", "diff", "place", "audit", "status")
    ]
    for entry in entries:
        assert entry.annotations.read_only_hint
        assert not entry.annotations.destructive_hint
        for schema in (entry.input_schema, entry.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
        assert entry.input_schema["additionalProperties"] is False
    assert not any("path" in json.dumps(entry.input_schema).lower() for entry in entries)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("check", {"limit": 2}),
        ("explain", {"subject": "QOS024"}),
        ("whatif", {"fail": ["switch:spine01"]}),
        ("whatif", {"all_switches": True}),
        ("place", {"nodes": 2}),
        ("status", {}),
    ],
)
def test_answers_keep_to_their_schema(name: str, arguments: dict[str, Any]) -> None:
    schema = next(tool.reply for tool in tools() if tool.name == name)
    jsonschema.validate(ask(name, **arguments), schema)


def test_check_says_what_the_command_says() -> None:
    whole = json.loads(run("check", str(DEMO), "--format", "json").out)
    page = ask("check", limit=2)
    assert page["findings"] == whole["findings"][:2]
    assert sum(page["counts"].values()) == len(whole["findings"])
    assert page["next"] == 2
    rest = ask("check", offset=2, limit=1000)
    assert (rest["findings"], rest["next"]) == (whole["findings"][2:], None)
    own = ask("check", device="spine01")
    assert {row["device"] for row in own["findings"]} == {"spine01"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"subject": "DEF004"}, "tomahawk-5"),
        ({"subject": "su1-rail0", "text": "Ethernet0"}, "headroom"),
        ({"subject": "su1-rail0", "text": "PFC_WD"}, "detection_time"),
        ({"subject": "gpu001", "text": "mlnx_qos"}, "mlnx_qos"),
    ],
)
def test_explain_takes_what_the_command_takes(arguments: dict[str, str], said: str) -> None:
    assert said in json.dumps(ask("explain", **arguments))


def test_diff_is_of_a_revision(tmp_path: Path) -> None:
    file = tmp_path / "fabric.yaml"
    file.write_text((DEMO / "fabric.yaml").read_text())
    git(tmp_path, "init", "-q", "-b", "main")
    commit_all(tmp_path, "first")
    (tmp_path / "main").mkdir()
    file.write_text(file.read_text().replace("host_m: 5", "host_m: 7"))
    (result,) = asked([("diff", {"since": "main"})], Place(tmp_path))
    assert [edit["after"] for edit in result.structured_content["edits"]] == ["7"]
    assert result.structured_content["summary"]["changed"] > 0


def test_audit_takes_texts_and_leaves_nothing_behind(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    run("render", str(DEMO), "--out", str(tmp_path / "out"))
    config = next((tmp_path / "out").rglob("config_db.json")).read_text()
    damaged = json.loads(config)
    damaged["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "4"
    texts = {"leaf01.json": json.dumps(damaged)}
    before = {*tmp_path.iterdir()}
    reply = ask("audit", configurations=texts)
    assert {row["file"] for row in reply["findings"]} == {"leaf01.json"}
    assert reply["counts"]["error"] > 0
    unknown = text_of("audit", configurations={"a.cfg": "hostname x\n"})
    assert "\na.cfg: no system recognises this configuration" in unknown
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("apply", {}, "unknown tool 'apply'; use check, explain"),
        ("place", {"nodez": 2}, "nodez: unknown field; did you mean 'nodes'?"),
        ("place", {"nodes": "2"}, "nodes: "),
        ("place", {"nodes": 30}, "nodes"),
        ("whatif", {}, "fail: nothing fails"),
        ("whatif", {"drain": "spine01", "all_links": True}, "drain: a drain cannot be ranked"),
        ("whatif", {"fail": ["switch:spine99"]}, "spine99"),
        ("diff", {"since": "--output=x"}, "since: '--output=x'"),
        ("diff", {"since": "main..HEAD@{1}"}, "since: "),
        ("explain", {"subject": "QOS999"}, "unknown rule 'QOS999'"),
        ("explain", {"subject": "leaf99"}, "device 'leaf99' does not exist"),
        ("audit", {"configurations": {}}, "configurations: "),
        ("audit", {"configurations": {"../../etc/x": "a"}}, "configurations: "),
        ("audit", {"configurations": {"/etc/passwd": "a"}}, "configurations: "),
        ("check", {"limit": 0}, "limit: "),
        ("status", {"run": 0}, "run: "),
    ],
)
def test_bad_calls_are_named(name: str, arguments: dict[str, Any], said: str) -> None:
    text = text_of(name, **arguments)
    assert said in text
    assert "pydantic" not in text
    assert "Traceback" not in text


def test_an_answer_has_a_limit(monkeypatch) -> None:
    monkeypatch.setattr("fabric.mcp.server.MOST_LETTERS", 100)
    assert "letters, more than 100; run `rocefab check` itself" in text_of("check")
    assert MOST_LETTERS > 100


def test_an_inventory_that_changes_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "fabric.yaml"
    file.write_text((DEMO / "fabric.yaml").read_text())

    async def twice() -> list[Any]:
        async with Client(server_of(Place(tmp_path))) as client:
            first = await client.call_tool("check", {})
            file.write_text(file.read_text().replace("rails: 2", "rails: two"))
            return [first, await client.call_tool("check", {})]

    first, second = asyncio.run(twice())
    assert not first.is_error
    assert second.is_error
    assert "fabric.yaml:" in second.content[0].text


def test_the_command_speaks_on_stdin_and_stdout() -> None:
    words = ["-m", "fabric", "mcp", str(DEMO)]
    server = StdioServerParameters(command=sys.executable, args=words, env=clean_environment())

    async def placed() -> Any:
        async with Client(server) as client:
            return await client.call_tool("place", {"nodes": 2})

    assert asyncio.run(placed()).structured_content["hosts"] == ["gpu001", "gpu002"]


def test_a_wrong_inventory_is_named_before_a_client_asks(tmp_path: Path) -> None:
    ended = run("mcp", str(tmp_path))
    assert ended.code == 2
    assert "fabric.yaml" in ended.err
