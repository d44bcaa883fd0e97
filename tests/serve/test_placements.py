"""Placements over HTTP: the answer of the engine, and a problem for each bad request."""

from __future__ import annotations

import json

import pytest

from fabric.core import hostlist
from fabric.placement.job import JobRequest
from fabric.serve.problem import MAX_FINDINGS
from fabric.workflow.place import place
from fabric.workflow.project import Project
from tests.cases import each
from tests.cli.runs import DEMO
from tests.serve.servers import JSON


def test_answer_has_hosts_cost_and_bound(shared) -> None:
    answer = shared.post("/v1/placements", json={"nodes": 2, "traffic": "all-to-all"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    placed = answer.json()
    assert placed["format"] == "rocefab-placement/1"
    assert len(placed["hosts"]) == 2
    assert sorted(hostlist.expand(placed["hostlist"])) == sorted(placed["hosts"])
    assert [host for hosts in placed["units"].values() for host in hosts] == placed["hosts"]
    wanted = JobRequest(nodes=2, traffic="all-to-all")
    printed = json.loads(json.dumps(place(Project(DEMO), wanted)))
    shared_members = set(placed) & set(printed)
    assert {name: placed[name] for name in shared_members} == {
        name: printed[name] for name in shared_members
    }
    only_printed = {name for name in set(printed) - set(placed) if "environment" not in name}
    assert only_printed == {"gids", "ranks"}
    assert set(placed) - set(printed) == {"state"}
    assert placed["state"] == {"version": 0, "age_s": None, "conditions": None, "jobs": None}
    assert placed["warnings"] == []
    assert set(placed["room"]) == {"unit", "pod", "fabric"}


def test_hosts_are_ranked_as_named_by_a_range_or_a_list(shared) -> None:
    names = [one["name"] for one in shared.get("/v1/hosts").json()["items"]][:2]
    by_list = shared.post("/v1/placements", json={"hosts": names}).json()
    by_range = shared.post("/v1/placements", json={"hosts": hostlist.fold(names)}).json()
    assert by_list["hosts"] == by_range["hosts"]
    assert sorted(by_list["hosts"]) == sorted(names)


def test_ranks_have_their_nic_and_leaf(shared) -> None:
    body = {"nodes": 2, "gpus_per_node": 2, "ranks": True}
    placed = shared.post("/v1/placements", json=body).json()
    assert [rank["rank"] for rank in placed["ranks"]] == [0, 1, 2, 3]
    assert [rank["host"] for rank in placed["ranks"]] == [
        host for host in placed["hosts"] for _ in range(2)
    ]
    assert all(rank["leaf"] and rank["interface"] for rank in placed["ranks"])


def test_named_hosts_that_take_no_job_are_warned_of(own) -> None:
    """Also when the answer is the one that was kept."""
    own.post("/v1/jobs", json={"name": "a", "hosts": "gpu[001-002]"})
    own.patch("/v1/state", json={"conditions": {"gpu003": {"health": "down", "reason": "x"}}})
    for _ in range(2):
        placed = own.post("/v1/placements", json={"hosts": "gpu[001-004]"}).json()
        assert placed["warnings"] == [
            "gpu[001-002] take no job now: job a runs there",
            "gpu003 takes no job now: gpu003 is down: x",
        ]
        assert placed["reason"] == (
            "placed on the named hosts, although gpu[001-003] take no job now"
        )
        assert placed["gap"] is None
    assert own.post("/v1/placements", json={"hosts": "gpu004"}).json()["warnings"] == []


#: Body, status, and the fields that the findings name.
BAD = {
    "no nodes": ({}, 422, {"nodes"}),
    "too many nodes": ({"nodes": 5000}, 422, {"nodes"}),
    "all are excluded": ({"nodes": 4, "exclude": "gpu001"}, 409, {None}),
    "fewer hosts included than nodes": ({"nodes": 3, "include": "gpu[001-002]"}, 422, {"nodes"}),
    "an included host is excluded": (
        {"nodes": 2, "include": "gpu[001-002]", "exclude": "gpu001"},
        409,
        {None},
    ),
    "more than the largest unit": ({"nodes": 3, "within": "unit"}, 422, {"nodes"}),
    "fits the largest unit": (
        {"nodes": 2, "within": "unit", "exclude": "gpu[001-003]"},
        409,
        {None},
    ),
    "more than so many units": ({"nodes": 4, "max_units": 1}, 422, {"nodes"}),
    "segments above the largest unit": ({"nodes": 3, "segment": 3}, 422, {"nodes"}),
    "text for a number": ({"nodes": "2"}, 422, {"nodes"}),
    "zero": ({"nodes": 0}, 422, {"nodes"}),
    "true": ({"nodes": True}, 422, {"nodes"}),
    "unknown member": ({"nodes": 1, "node": 1}, 422, {"node"}),
    "two wrong": ({"nodes": -1, "room": -1}, 422, {"nodes", "room"}),
    "unknown hosts": (
        {"nodes": 1, "hosts": ["x"], "exclude": ["y"]},
        422,
        {"hosts", "exclude"},
    ),
    "an unknown member and texts that cannot be read": (
        {"nods": 4, "traffic": "foo", "hosts": "gpu[1-"},
        422,
        {"nods", "traffic", "hosts"},
    ),
    "doubled host": ({"hosts": ["gpu001", "gpu001"]}, 422, {"hosts"}),
    "a range without end": ({"nodes": 1, "include": "gpu[1-"}, 422, {"include"}),
    "a range of millions": ({"nodes": 1, "include": "gpu[1-999999999]"}, 422, {"include"}),
    "no host": ({"nodes": 1, "include": ""}, 422, {"include"}),
    "nodes and hosts": ({"nodes": 3, "hosts": ["gpu001"]}, 422, {"nodes"}),
    "traffic": ({"nodes": 1, "traffic": "star"}, 422, {"traffic"}),
    "layout": ({"nodes": 2, "layout": {"tp": 3}}, 422, {"layout"}),
    "layout of nothing": ({"nodes": 2, "layout": {}}, 422, {"layout"}),
    "layout of zero": ({"nodes": 2, "layout": {"tp": 0}}, 422, {"layout.tp"}),
    "weights alone": ({"nodes": 2, "weights": {"tp": 1}}, 422, {"bytes"}),
    "segment": ({"nodes": 3, "segment": 2}, 422, {"segment"}),
    "within": ({"nodes": 1, "within": "row"}, 422, {"within"}),
    "a line break": ({"nodes": 1, "hosts": ["gpu\n001"]}, 422, {"hosts[0]"}),
}


@each("name", BAD)
def test_bad_request_is_a_problem_with_each_field(shared, name: str) -> None:
    body, status, fields = BAD[name]
    answer = shared.post("/v1/placements", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["type"], problem["status"]) == ("about:blank", status)
    assert {one["field"] for one in problem["findings"]} == fields, problem
    assert all(one["message"] and one["fix"] for one in problem["findings"]), problem
    assert {one["rule"] for one in problem["findings"]} <= {"PLC001", "PLC031"}, "as of `place`"


@each("hosts", ["gpu999", ["gpu001", "gpu001"]])
def test_a_job_that_runs_is_wrong_as_in_a_file_of_the_state(shared, hosts) -> None:
    answer = shared.post("/v1/jobs", json={"name": "a", "hosts": hosts})
    assert [one["rule"] for one in answer.json()["findings"]] == ["PLC030"]


def test_hosts_that_are_named_twice_are_named(shared) -> None:
    body = {"hosts": "gpu[001-002],gpu[001-002]", "exclude": ["gpu004", "gpu004"]}
    said = shared.post("/v1/placements", json=body).json()["findings"]
    assert [one["message"] for one in said] == [
        "gpu[001-002] are named twice",
        "gpu004 is named twice",
    ]


@each(
    ("name", "fix"),
    [
        ("gpu01", "did you mean 'gpu001'?"),
        ("gpu9", "known: gpu[001-004]"),
        ("x", "GET /v1/hosts lists the hosts"),
    ],
)
def test_an_unknown_host_is_told_what_is_close(shared, name: str, fix: str) -> None:
    answer = shared.post("/v1/placements", json={"nodes": 1, "exclude": name})
    (finding,) = answer.json()["findings"]
    assert (finding["message"], finding["fix"]) == (f"no such host: {name!r}", fix)


@each(
    ("text", "words"),
    [
        ("tp=0", ("'0' of tp is not a positive number", "write tp=8,pp=4,dp=16")),
        ("zz=2", ("'zz=2' is none of tp, cp, ep, dp, pp, with = and a number", "write tp=8,pp=4")),
    ],
)
def test_a_layout_as_a_text_says_what_is_wrong(shared, text: str, words: tuple[str, str]) -> None:
    answer = shared.post("/v1/placements", json={"nodes": 1, "layout": text})
    (finding,) = answer.json()["findings"]
    assert (finding["field"], finding["message"]) == ("layout", words[0])
    assert finding["fix"].startswith(words[1])


def test_empty_texts_of_a_layout_say_nothing(shared) -> None:
    answer = shared.post("/v1/placements", json={"nodes": 1, "layout": "", "weights": ""})
    assert answer.status_code == 200, answer.text


#: Content, headers and status.
MALFORMED = {
    "empty": (b"", JSON, 400),
    "half": (b'{"nodes": 1', JSON, 400),
    "a list": (b"[]", JSON, 422),
    "deep": (b"[" * 100_000, JSON, 400),
    "not UTF-8": (b'{"traffic": "\xff"}', JSON, 400),
    "half a surrogate": (b'{"nodes": 1, "traffic": "\\ud800"}', JSON, 400),
    "not a number": (b'{"nodes": NaN}', JSON, 422),
    "a long number": (b'{"nodes": 1' + b"0" * 5000 + b"}", JSON, 400),
    "no type": (b'{"nodes": 1}', {}, 415),
    "a form": (b"nodes=1", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "too large": (b'{"traffic": "' + b"x" * (1 << 20) + b'"}', JSON, 413),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_body_is_a_problem(shared, name: str) -> None:
    content, headers, status = MALFORMED[name]
    answer = shared.post("/v1/placements", content=content, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_body_without_length_is_limited_too(shared) -> None:
    parts = (b"x" * (1 << 16) for _ in range(40))
    assert shared.post("/v1/placements", content=parts, headers=JSON).status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v2", 404), ("GET", "/v1/placements", 405), ("GET", "/v1/hosts?limit=0", 422)],
)
def test_wrong_paths_are_problems(shared, method: str, path: str, status: int) -> None:
    answer = shared.request(method, path)
    assert answer.status_code == status
    (finding,) = answer.json()["findings"]
    assert finding["message"]
    assert finding["fix"]
    assert answer.headers["content-type"] == "application/problem+json"
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize(
    ("body", "field", "message", "fix"),
    [
        ({"nodes": 0}, "nodes", "0 is too small", "use 1 or more"),
        ({"node": 3}, "node", "unknown field", "did you mean 'nodes'?"),
        ({"nodes": 1, "layout": [1]}, "layout", "expected a JSON object, found a list",
         "use a JSON object"),
        ({"nodes": 1, "tenant": "a b"}, "tenant", "'a b' does not have the required form",
         "use printable ASCII without spaces"),
        ({"nodes": 1, "traffic": "alltoall"}, "traffic",
         "unknown collective 'alltoall'",
         "use ring, tree, all-to-all, pipeline, or a mix such as ring:3,all-to-all:1"),
    ],
    ids=["limit", "misspelt", "kind", "form", "long"],
)  # fmt: skip
def test_wrong_fields_are_named_in_plain_words(shared, body, field, message, fix) -> None:
    (finding,) = shared.post("/v1/placements", json=body).json()["findings"]
    assert (finding["field"], finding["message"], finding["fix"]) == (field, message, fix)


def test_thousands_of_wrong_fields_are_a_short_answer(shared) -> None:
    answer = shared.post("/v1/placements", json={f"node{number}": 1 for number in range(50_000)})
    assert answer.status_code == 422
    assert len(answer.json()["findings"]) == MAX_FINDINGS
    assert answer.elapsed.total_seconds() < 5
