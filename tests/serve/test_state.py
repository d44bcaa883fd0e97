"""State and jobs: the next placement sees them, and what is wrong with them is said."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fabric.placement.engine.state import Health
from fabric.serve.store import Store
from tests.serve.servers import copy_of_demo, served
from tests.waiting import until, write_whole

if TYPE_CHECKING:
    from pathlib import Path

DOWN = {"conditions": {"gpu001": {"health": "down", "reason": "no power"}}}


def test_placement_avoids_what_is_down_and_says_so(own) -> None:
    before = own.post("/v1/placements", json={"nodes": 1}).json()
    name = before["hosts"][0]
    answer = own.patch("/v1/state", json={"conditions": {name: {"health": "down", "reason": "x"}}})
    assert answer.status_code == 200
    placed = own.post("/v1/placements", json={"nodes": 1}).json()
    assert name not in placed["hosts"]
    assert placed["not_considered"] == {name: f"{name} is down: x"}
    assert placed["state"]["version"] == 1
    assert 0 <= placed["state"]["age_s"] < 600


def test_state_is_replaced_patched_and_read(own) -> None:
    assert own.get("/v1/state").json()["conditions"] == {}
    put = own.put("/v1/state", json=DOWN)
    assert put.json()["conditions"]["gpu001"] == {
        "health": "down",
        "reason": "no power",
        "capacity": 0.0,
    }
    patched = own.patch(
        "/v1/state", json={"conditions": {"gpu002": {"health": "drained"}, "gpu001": None}}
    )
    assert list(patched.json()["conditions"]) == ["gpu002"]
    assert own.get("/v1/state").headers["etag"] == patched.headers["etag"] == '"2"'
    listed = own.get("/v1/hosts").json()["items"]
    assert [one["name"] for one in listed if one["condition"]] == ["gpu002"]
    both = own.patch("/v1/state", json={"conditions": {"gpu[001-002]": {"health": "down"}}})
    assert list(both.json()["conditions"]) == ["gpu001", "gpu002"]
    wrong = {"gpu[001-002]": {"health": "down"}, "gpu003": {"health": "dwon"}}
    said = own.patch("/v1/state", json={"conditions": wrong}).json()["findings"]
    assert ["did you mean 'down'" in one["fix"] for one in said] == [True]
    neither = own.patch("/v1/state", json={"conditions": {"gpu[001-002]": None}})
    assert neither.json()["conditions"] == {}


@pytest.mark.parametrize(
    ("method", "path", "content", "field"),
    [
        pytest.param(
            "PATCH",
            "/v1/state",
            '{"conditions": {"gpu001": {"health": "down"}, "gpu001": null}}',
            "gpu001",
            id="host",
        ),
        pytest.param("POST", "/v1/placements", '{"nodes": 1, "nodes": 2}', "nodes", id="nodes"),
    ],
)
def test_a_member_that_is_there_twice_is_rejected(own, method, path, content, field) -> None:
    """Which of the two holds would be a guess, as in a file."""
    headers = {"content-type": "application/json"}
    answer = own.request(method, path, content=content, headers=headers)
    assert answer.status_code == 422
    finding = answer.json()["findings"][0]
    assert (finding["rule"], finding["field"]) == ("SRV004", field)
    assert (finding["message"], finding["fix"]) == (
        f"'{field}' is there 2 times",
        "leave one of them",
    )


def test_etag_guards_a_change(own) -> None:
    tag = own.get("/v1/state").headers["etag"]
    known = own.get("/v1/state", headers={"If-None-Match": tag})
    assert (known.status_code, known.content) == (304, b"")
    assert own.put("/v1/state", json=DOWN, headers={"If-Match": tag}).status_code == 200
    late = own.put("/v1/state", json={"conditions": {}}, headers={"If-Match": tag})
    assert late.status_code == 412
    assert late.json()["findings"][0]["field"] == "If-Match"
    assert list(own.get("/v1/state").json()["conditions"]) == ["gpu001"]
    assert own.put("/v1/state", json=DOWN, headers={"If-Match": "*"}).status_code == 200


@pytest.mark.parametrize(
    "conditions",
    [
        {"gpu999": {"health": "down"}},
        {"gpu001": {"health": "ill"}},
        {"gpu001": {"health": "down", "reason": "two\nlines"}},
        {"gpu001": {"health": "degraded", "capacity": 2}},
        {"spine01": {"health": "down", "capacity": 0.5}},
        {"gpu001:nope": {"health": "down"}},
        {"gpu001": {}},
    ],
    ids=str,
)
def test_wrong_conditions_change_nothing(shared, conditions) -> None:
    for method in ("PUT", "PATCH"):
        answer = shared.request(method, "/v1/state", json={"conditions": conditions})
        assert answer.status_code == 422, answer.text
        assert answer.json()["findings"]
    assert shared.get("/v1/state").json()["state"]["version"] == 0


def test_the_detail_counts_wrong_fields_and_unknown_names(own) -> None:
    wrong = {"gpu001": {"health": "lost"}, "gpu009": {"health": "down"}, "x": {"health": "down"}}
    answer = own.patch("/v1/state", json={"conditions": wrong})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "3 fields cannot be used"
    assert len(answer.json()["findings"]) == 3


def test_wrong_fields_and_unknown_names_are_in_one_answer(shared) -> None:
    wrong = {"gpu001": {"health": "ill"}, "gpu999": {"health": "down"}, "gpu998:eth1": {}}
    for method in ("PUT", "PATCH"):
        answer = shared.request(method, "/v1/state", json={"conditions": {**wrong, "gpu002": 1}})
        fields = {finding["field"] for finding in answer.json()["findings"]}
        assert fields == {
            "conditions.gpu001.health",
            "conditions['gpu998:eth1'].health",
            "conditions.gpu002",
            "conditions.gpu999",
            "conditions['gpu998:eth1']",
        }
    names = shared.patch("/v1/state", json={"conditions": {"gpu999": {"health": "down"}}})
    assert names.json()["findings"][0]["field"] == "conditions.gpu999"


def test_job_takes_its_hosts_until_it_is_deleted(own) -> None:
    made = own.post("/v1/jobs", json={"name": "train-7", "hosts": "gpu[001-002]"})
    assert (made.status_code, made.headers["location"]) == (201, "/v1/jobs/train-7")
    assert own.get("/v1/jobs").json()["items"] == [
        {"name": "train-7", "hosts": "gpu[001-002]", "traffic": "ring"}
    ]
    job = {"name": "train-7", "hosts": "gpu[001-002]", "traffic": "ring"}
    assert own.get(made.headers["location"]).json() == job
    placed = own.post("/v1/placements", json={"nodes": 2}).json()
    assert not {"gpu001", "gpu002"} & set(placed["hosts"])
    assert own.post("/v1/placements", json={"nodes": 3}).status_code == 409
    assert own.delete("/v1/jobs/train-7").status_code == 204
    assert own.delete("/v1/jobs/train-7").status_code == 404
    assert own.get("/v1/jobs/train-7").status_code == 404
    assert own.post("/v1/placements", json={"nodes": 3}).status_code == 200


def test_a_job_on_a_host_that_is_down_is_noted_with_a_warning(own) -> None:
    own.put("/v1/state", json=DOWN)
    made = own.post("/v1/jobs", json={"name": "train-7", "hosts": "gpu[001-002]"})
    assert (made.status_code, made.json()["warnings"]) == (201, ["gpu001 is down: no power"])
    fine = own.post("/v1/jobs", json={"name": "train-8", "hosts": "gpu003"})
    assert fine.json()["warnings"] == []


def test_job_is_noted_once_for_a_key(own) -> None:
    body, key = {"name": "a", "hosts": ["gpu001"]}, {"Idempotency-Key": "k1"}
    first = own.post("/v1/jobs", json=body, headers=key)
    again = own.post("/v1/jobs", json=body, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert again.headers["idempotency-replayed"] == "true"
    other = own.post("/v1/jobs", json={"name": "b", "hosts": ["gpu002"]}, headers=key)
    assert other.status_code == 422
    assert own.get("/v1/jobs").json()["total"] == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "a", "hosts": "gpu001"}, 409),
        ({"name": "b", "hosts": "gpu[001-002]"}, 409),
        ({"name": "b", "hosts": "gpu009"}, 422),
        ({"name": "b", "hosts": ""}, 422),
        ({"name": "../b", "hosts": "gpu002"}, 422),
        ({"name": "b", "hosts": "gpu002", "layout": {"tp": 3}}, 422),
        ({"name": "b", "hosts": "gpu002", "traffic": "x"}, 422),
        ({"name": "b", "hosts": "gpu002", "gpus_per_node": 64}, 422),
        ({"name": "b"}, 422),
    ],
    ids=str,
)
def test_wrong_jobs_are_not_noted(own, body, status: int) -> None:
    own.post("/v1/jobs", json={"name": "a", "hosts": "gpu001"})
    answer = own.post("/v1/jobs", json=body)
    assert answer.status_code == status, answer.text
    assert own.get("/v1/jobs").json()["total"] == 1


def test_jobs_at_the_same_time_do_not_share_a_host(own) -> None:
    """Eight clients want one host: one gets it."""
    codes = []

    def ask(number: int) -> None:
        body = {"name": f"job{number}", "hosts": "gpu003"}
        codes.append(own.post("/v1/jobs", json=body).status_code)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [201] + [409] * 7


def test_the_same_request_at_the_same_time_is_done_once(own) -> None:
    answers = []

    def ask() -> None:
        body = {"name": "a", "hosts": "gpu003"}
        answers.append(own.post("/v1/jobs", json=body, headers={"Idempotency-Key": "k"}))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.status_code for one in answers} == {201}
    assert sum("idempotency-replayed" not in one.headers for one in answers) == 1


def test_state_that_cannot_be_written_is_not_used(own, monkeypatch) -> None:
    def full(*_) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(own.service.store, "save", full)
    answer = own.put("/v1/state", json=DOWN)
    assert answer.status_code == 503
    assert "disk is full" in answer.json()["findings"][0]["message"]
    assert own.get("/v1/state").json()["conditions"] == {}


def test_state_survives_a_restart(tmp_path) -> None:
    with served(tmp_path) as client:
        client.put("/v1/state", json=DOWN)
        key = {"Idempotency-Key": "k"}
        gpus = client.get("/v1/fabric").json()["gpus_per_host"]
        job = {"name": "a", "hosts": ["gpu002"], "layout": {"tp": gpus // 2}, "pxn": False}
        job["gpus_per_node"] = gpus // 2
        assert client.post("/v1/jobs", json=job, headers=key).status_code == 201
        client.post("/v1/jobs", json={"name": "b", "hosts": ["gpu003"]})
        client.delete("/v1/jobs/b")
        before = client.get("/v1/state").json(), client.get("/v1/jobs").json()
        placed = client.post("/v1/placements", json={"nodes": 1}).json()
    with served(tmp_path) as client:
        after = client.get("/v1/state").json(), client.get("/v1/jobs").json()
        assert client.post("/v1/placements", json={"nodes": 1}).json()["hosts"] == placed["hosts"]
        assert client.post("/v1/jobs", json=job, headers=key).status_code == 201
    assert before[0]["conditions"] == after[0]["conditions"]
    assert before[0]["state"]["version"] == after[0]["state"]["version"] == 4
    assert before[1] == after[1]


def test_events_tell_of_changes_and_of_those_that_were_missed(own) -> None:
    own.put("/v1/state", json=DOWN)
    own.post("/v1/jobs", json={"name": "a", "hosts": "gpu002"})
    with own.stream("GET", "/v1/events", headers={"Last-Event-ID": "0"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert _events(lines, 2) == [
            ("state", {"version": 1}),
            ("job", {"job": "a", "is_running": True, "version": 2}),
        ]
        own.delete("/v1/jobs/a")
        assert _events(lines, 1) == [("job", {"job": "a", "is_running": False, "version": 3})]


def _events(lines, count: int) -> list[tuple[str, dict]]:
    found, kind = [], ""
    for line in lines:
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            found.append((kind, json.loads(value)))
        if len(found) == count:
            return found
    raise AssertionError("the stream ended")


def test_state_of_another_inventory_is_kept_and_ignored(tmp_path) -> None:
    """A host that the inventory loses, with a condition and a job on it, and gets again."""
    inventory = copy_of_demo(tmp_path)
    file = inventory / "fabric.yaml"
    text = file.read_text()
    fewer = text.replace("gpu[003-004]", "gpu003")
    assert fewer != text
    gpu4 = {"conditions": {"gpu004": {"health": "down"}, "gpu004:eth1": {"health": "down"}}}
    with served(tmp_path / "state", inventory) as client:
        client.patch("/v1/state", json=gpu4)
        gpus = client.get("/v1/fabric").json()["gpus_per_host"]
        job = {"name": "a", "hosts": "gpu[003-004]", "layout": {"tp": gpus, "dp": 2}}
        assert client.post("/v1/jobs", json=job).status_code == 201
    file.write_text(fewer)
    with served(tmp_path / "state", inventory, watch_s=0.05) as client:
        ready = client.get("/readyz").json()
        assert ready["status"] == "degraded"
        assert ready["state"]["ignored"] == ["gpu004", "gpu004:eth1"]
        placed = client.post("/v1/placements", json={"nodes": 2}).json()
        assert (placed["hostlist"], len(placed["warnings"])) == ("gpu[001-002]", 1)
        changed = client.patch("/v1/state", json={"conditions": {"gpu001": {"health": "drained"}}})
        assert changed.status_code == 200
        unknown = {"conditions": {"gpu009": {"health": "down"}}}
        assert client.patch("/v1/state", json=unknown).status_code == 422
        write_whole(file, text)
        until(lambda: client.get("/readyz").json()["status"] == "ok", "the host is there again")
        assert client.post("/v1/placements", json={"nodes": 2}).status_code == 409
        assert set(client.get("/v1/state").json()["conditions"]) == {
            "gpu001",
            "gpu004",
            "gpu004:eth1",
        }


def test_a_state_that_nobody_told_has_no_size(own) -> None:
    names = ("rocefab_conditions", "rocefab_jobs")
    before = own.post("/v1/placements", json={"nodes": 1}).json()["state"]
    assert (before["conditions"], before["jobs"], before["age_s"]) == (None, None, None)
    assert not any(name in own.get("/metrics").text for name in names)
    own.put("/v1/state", json={"conditions": {}})
    after = own.post("/v1/placements", json={"nodes": 1}).json()["state"]
    assert (after["conditions"], after["jobs"]) == (0, 0)
    assert all(f"{name} " in own.get("/metrics").text for name in names)


def test_degraded_without_a_capacity_keeps_its_speed(own) -> None:
    changes = {
        "spine01": {"health": "degraded"},
        "spine02": {"health": "degraded", "capacity": 0.5},
        "gpu001": {"health": "down"},
    }
    kept = own.patch("/v1/state", json={"conditions": changes}).json()["conditions"]
    assert [kept[name]["capacity"] for name in changes] == [1.0, 0.5, 0.0]


def test_a_stored_condition_that_is_refused_now_stays_readable(tmp_path: Path) -> None:
    with Store(tmp_path) as store, closing(sqlite3.connect(store.path)) as database, database:
        body = json.dumps({"health": "down", "reason": "", "capacity": 0.5})
        database.execute("INSERT INTO conditions VALUES ('gpu001', ?)", (body,))
    with Store(tmp_path) as store:
        assert store.conditions()["gpu001"].health is Health.DOWN
