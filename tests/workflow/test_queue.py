"""Several jobs at once, in fresh processes and by hand-made files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import process, run
from tests.topology.fabrics import INVENTORY

DEMO = INVENTORY / "demo"


def queue(tmp_path: Path, *jobs: dict[str, Any], **members: Any) -> Path:
    file = tmp_path / "queue.json"
    file.write_text(json.dumps({"format": "rocefab-queue/1", "jobs": list(jobs), **members}))
    return file


def test_an_option_of_a_job_beside_a_queue_is_rejected(tmp_path: Path) -> None:
    file = queue(tmp_path, {"name": "a", "nodes": 1})
    ended = run("place", DEMO, "--queue", file, "--tenant", "red", "--nodes", "2", "--no-pxn")
    assert (ended.code, ended.out) == (2, "")
    fix = "omit it; a job in the file has its own [PLC038]"
    said = [
        f"{name}: --queue does not use {name}; {fix}" for name in ("--nodes", "--pxn", "--tenant")
    ]
    assert ended.err.splitlines()[:3] == said
    assert run("place", DEMO, "--queue", file, "--state-max-age", "1h").code == 0


def test_each_job_sees_those_before_it(tmp_path: Path) -> None:
    file = queue(
        tmp_path,
        {"name": "a", "nodes": 2, "traffic": "all-to-all"},
        {"name": "b", "nodes": 1, "gpus_per_node": 1, "layout": "dp=1"},
        {"name": "big", "nodes": 2},
        {"name": "c", "nodes": 1},
    )
    ended = process("place", DEMO, "--queue", file, "--format", "json")
    assert ended.code == 4, ended.said
    answer = json.loads(ended.out)
    assert answer["format"] == "rocefab-placements/1"
    hosts = {one["name"]: one["hosts"] for one in answer["placements"]}
    assert hosts["big"] == []
    assert "only 1 of 4 is free (3 with a job)" in answer["placements"][2]["unplaced"][0]
    (finding,) = answer["placements"][2]["findings"]
    assert (finding["rule"], finding["fix"]) == ("PLC001", "request fewer nodes")
    used = [*hosts["a"], *hosts["b"], *hosts["c"]]
    assert sorted(used) == ["gpu001", "gpu002", "gpu003", "gpu004"]
    text = run("place", DEMO, "--queue", file).out.splitlines()
    assert [line.split()[0] for line in text[2:]] == ["a", "b", "big", "c"]


@pytest.mark.parametrize(
    ("job", "members", "message"),
    [
        (
            {},
            {"jobs": [{"name": "a"}] * 2},
            "queue.json:1:31: jobs: 2 jobs have the name 'a'",
        ),
        ({"name": "a", "nodes": 0}, {}, "jobs[0].nodes"),
        ({"name": "a", "colour": 1}, {}, "jobs[0].colour"),
        ({"name": "a", "node": 2}, {}, "did you mean 'nodes'? See docs/jobs.md, which shows the"),
        ({"name": "a b"}, {}, "jobs[0].name"),
        ({"name": "a"}, {"format": "x"}, "format is 'x', not 'rocefab-queue/1'; name a file"),
        ({"name": "a"}, {"format": "rocefab-queue/2"}, "a version that this release does not read"),
        (
            {"name": "a", "traffic": "x"},
            {},
            "queue.json:1:54: jobs[0].traffic: unknown collective 'x'",
        ),
        ({"name": "a", "hosts": "gpu["}, {}, "queue.json:1:54: jobs[0].hosts: 'gpu['"),
        (
            {"name": "a", "bytes": "dp=2"},
            {},
            "jobs[0].bytes: bytes of dimensions need a layout",
        ),
        ({"name": "a", "hosts": 5}, {}, "jobs[0].hosts: expected text or a list, found the number"),
        ({"name": "a", "hosts": [5]}, {}, "jobs[0].hosts[0]: expected text, found the number 5"),
        ({"name": "a", "layout": "tp=x"}, {}, "jobs[0].layout: 'x' of tp is not a positive number"),
        ({"name": "a", "layout": {"tp": 0}}, {}, "jobs[0].layout.tp: 0 is too small; use 1 or"),
        ({"name": "a", "within": "x"}, {}, "jobs[0].within: 'x' is not one of the allowed values"),
        ({"name": "a", "target": 2}, {}, "jobs[0].target: 2 is too large; use 1 or less; see docs"),
    ],
)
def test_a_wrong_queue_places_nothing(
    tmp_path: Path, job: dict[str, Any], members: dict[str, Any], message: str
) -> None:
    file = queue(tmp_path, {"name": "good", "nodes": 1}, **members)
    if not members:
        file = queue(tmp_path, job, {"name": "good", "nodes": 1})
    ended = run("place", DEMO, "--queue", file)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


@pytest.mark.parametrize(
    "data", [[{"nodes": 2}] * 9, {"jobs": [{"nodes": 2}] * 9}], ids=["list", "jobs"]
)
def test_a_queue_without_its_format_is_one_error(tmp_path: Path, data: object) -> None:
    file = tmp_path / "queue.json"
    file.write_text(json.dumps(data))
    ended = run("place", DEMO, "--queue", file)
    assert ended.code == 2
    [line] = [line for line in ended.err.splitlines() if "[PLC033]" in line]
    assert 'write {"format": "rocefab-queue/1", "jobs": [' in line


def test_empty_texts_say_nothing(tmp_path: Path) -> None:
    """So the members of a job may stand in a file as the options have them by default."""
    texts = dict.fromkeys(("layout", "weights", "hosts", "include", "exclude"), "")
    file = queue(tmp_path, {"name": "a", "nodes": 2, **texts}, {"name": "b", "nodes": 2})
    ended = run("place", DEMO, "--queue", file, "--format", "json")
    assert ended.code == 0, ended.err
    assert [len(one["hosts"]) for one in json.loads(ended.out)["placements"]] == [2, 2]


def test_a_job_that_never_fits_gets_its_reason(tmp_path: Path) -> None:
    file = queue(tmp_path, {"name": "a", "nodes": 1, "hosts": "gpu009"}, {"name": "b"})
    ended = run("place", DEMO, "--queue", file)
    assert ended.code == 4
    assert "there is no host 'gpu009'" in ended.out
    assert "gpu001" in ended.out


def test_a_job_without_a_number_of_hosts_gets_one_and_says_so(tmp_path: Path) -> None:
    words = "nodes is not set: the job gets 1 host; set nodes to the number of hosts it needs"
    ended = run("place", DEMO, "--format", "json")
    assert (ended.code, json.loads(ended.out)["warnings"]) == (0, [words])
    assert f"warning: {words}" in ended.err
    assert (
        json.loads(run("place", DEMO, "--hosts", "gpu001", "--format", "json").out)["warnings"]
        == []
    )
    ended = run("place", DEMO, "--queue", queue(tmp_path, {"name": "a"}), "--format", "json")
    assert json.loads(ended.out)["placements"][0]["warnings"] == [words]
