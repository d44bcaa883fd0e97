"""What other commands found keeps jobs away from hosts: their files, and the command place."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fabric.change.expectation import Deviation
from fabric.core.errors import InputError
from fabric.placement.engine.state import Condition, Health
from fabric.workflow.conditions import conditions_of_plan
from fabric.workflow.project import Project
from fabric.workflow.state_file import read_state
from tests.change import labs
from tests.cli.runs import process, run
from tests.topology.fabrics import INVENTORY, example
from tests.workflow.host_lab import applied_lab

DEMO = INVENTORY / "demo"


def device(name: str, *, ok: bool = False, **more: Any) -> dict[str, Any]:
    return {"device": name, "platform": "x", "ok": ok, "error": "", "drift": [], **more}


def told(subject: str, item: str, message: str) -> dict[str, Any]:
    return asdict(Deviation("", subject, item, message))


def conditions(tmp_path: Path, data: Any) -> tuple[Condition, ...]:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(data))
    return read_state([file], example("demo"), 60).conditions


NIC = {"interface": "eth1", "rail": 0, "word": "drops", "reason": "12 discards", "deltas": {}}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (device("gpu001", ok=True), []),
        (device("gpu001", nics=[NIC]), [("gpu001:eth1", "drained", "verify: 12 discards")]),
        (device("gpu001", nics=[{**NIC, "word": "good"}]), []),
        (
            device("gpu001", nics=[{**NIC, "word": "unknown", "reason": "no counters"}]),
            [("gpu001:eth1", "degraded", "verify: no counters")],
        ),
        (device("gpu001", nics=[{**NIC, "interface": "eth77"}, 7, {}]), []),
        (
            device("gpu001", error="no route\nto host"),
            [("gpu001", "degraded", "not read: no route?to host")],
        ),
        (
            device("su1-rail0", deviations=[told("pfc", "Ethernet0", "off")]),
            [("su1-rail0:Ethernet0", "degraded", "verify: pfc Ethernet0: off")],
        ),
        (
            device("su1-rail0", deviations=[told("bgp", "10.254.0.0", "Idle")]),
            [("su1-rail0:Ethernet128", "down", "verify: bgp 10.254.0.0: Idle")],
        ),
        (
            device("spine01", deviations=[told("bgp", "10.254.0.1", "Idle")]),
            [("spine01:Ethernet1/1", "down", "verify: bgp 10.254.0.1: Idle")],
        ),
        (
            device("su1-rail0", deviations=[told("bgp", "192.0.2.1", "Idle")]),
            [("su1-rail0", "degraded", "verify: bgp 192.0.2.1: Idle")],
        ),
        (
            device("gpu001", deviations=[told("H2", "eth2", "off")], drift=[{"path": "eth2 pfc"}]),
            [("gpu001:eth2", "degraded", "verify: H2 eth2: off")],
        ),
        (
            device("gpu002", drift=[{"path": "files/x"}, {"path": "y"}]),
            [("gpu002", "degraded", "2 drifted: files/x")],
        ),
    ],
)
def test_health(tmp_path: Path, item: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    for data in ([item], {"devices": [item], "rails": [], "warning": ""}):
        found = conditions(tmp_path, data)
        assert [(one.subject, one.health.value, one.reason) for one in found] == expected


def test_wrong_cables_of_either_end(tmp_path: Path) -> None:
    cables = [
        {"near": "gpu001 eth1", "far": "su1-rail0 Ethernet0", "verdict": "swapped"},
        {"near": "gpu002 eth1", "far": "su1-rail0 Ethernet8", "verdict": "ok"},
        {"near": "other 1", "far": "su1-rail0 Ethernet8", "verdict": "missing"},
        {"near": "other 1", "far": "", "verdict": "unexpected"},
        "text",
    ]
    found = conditions(tmp_path, {"cables": cables, "work_order": [], "unread": []})
    assert found == (
        Condition("gpu001:eth1", Health.DOWN, "cabling says swapped"),
        Condition("su1-rail0:Ethernet8", Health.DOWN, "cabling says missing"),
    )


def test_the_worst_of_one_subject_counts(tmp_path: Path) -> None:
    item = device("gpu001", nics=[NIC], deviations=[told("H0", "eth1", "FEC")])
    assert conditions(tmp_path, [item])[-1].health is Health.DRAINED


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 1}', "null", "[" * 100_000, '[{"ok": 1}]'])
def test_files_of_another_form(tmp_path: Path, text: str) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"state\.json(: not a state|:1:\d+: not JSON)"):
        read_state([file], example("demo"), 60)


def test_devices_of_another_fabric(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its devices; write a state of demo"):
        conditions(tmp_path, [device("elsewhere")])
    assert conditions(tmp_path, [device("elsewhere"), device("gpu001", ok=True)]) == ()


def test_texts_of_a_file_stay_on_their_line(tmp_path: Path) -> None:
    cable = {"near": "gpu001 eth1", "far": "", "verdict": "a\nrank 0"}
    assert conditions(tmp_path, {"cables": [cable]})[0].reason == "cabling says a?rank 0"


def test_stale_and_missing_files(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    with pytest.raises(InputError, match="cannot be read"):
        read_state([file], example("demo"), 60)
    file.write_text("[]")
    os.utime(file, (1_000_000, 1_000_000))
    with pytest.raises(InputError) as caught:
        read_state([file], example("demo"), 60)
    assert "older than 60 s is stale" in str(caught.value.findings[0])


def test_place_avoids_what_verify_found(tmp_path: Path) -> None:
    (tmp_path / "health.json").write_text(json.dumps([device("gpu001", nics=[NIC])]))
    words = ("place", DEMO, "--nodes", "2", "--avoid-state", tmp_path / "health.json")
    ended = process(*words)
    assert ended.code == 0, ended.said
    assert "not used   gpu001:eth1 is drained: verify: 12 discards" in ended.out
    answer = json.loads(run(*words, "--format", "json").out)
    assert answer["format"] == "rocefab-placement/1"
    assert "gpu001" not in answer["hosts"]
    assert answer["not_considered"] == {"gpu001": "gpu001:eth1 is drained: verify: 12 discards"}
    ended = run(*words[:2], "--nodes", "4", *words[4:])
    assert ended.code == 4
    assert "only 3 of 4 are free (1 not as planned, such as gpu001:eth1 is drained" in ended.err


def test_place_avoids_what_verify_finds_in_a_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port without PFC, a NIC that drops, a host whose counters cannot be read."""
    with applied_lab(tmp_path, monkeypatch) as (lab, _, connections):
        assert lab["gpu001"].run_detached("mlnx_qos -i eth1 -f 0,0,0,0,1,0,0,0")[0] == 0
        lab["gpu002"].counters.run("eth1", "out_of_sequence", 400.0)
        lab["gpu004"].tools.pop("ethtool")
        words = ("--connections", connections, "--no-switches", "--window-s", "0.3")
        seen = run("verify", DEMO, *words, "--format", "json")
    file = tmp_path / "health.json"
    file.write_text(seen.out)
    ended = run("place", DEMO, "--nodes", "3", "--avoid-state", file, "--format", "json")
    answer = json.loads(ended.out)
    assert sorted(answer["hosts"]) == ["gpu001", "gpu003", "gpu004"]
    pfc = "gpu001:eth1 is degraded: verify: H2 eth1: the list of PFC priorities is 4, expected 3"
    assert answer["degraded"]["gpu001"] == pfc
    assert "could not be read" in answer["degraded"]["gpu004"]
    assert "gpu002:eth1 is drained: verify: out_of_seq" in answer["not_considered"]["gpu002"]


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (("--traffic", "x"), ["traffic: unknown collective 'x'"]),
        (("--traffic", "ring:0"), ["traffic: '0' of ring is not a positive number"]),
        (("--layout", "tp=3"), ["layout: tp x cp x dp x pp = 3"]),
        (("--layout", "zz=3"), ["layout: 'zz=3' is none of tp, cp,", "write tp=8,pp=4"]),
        (("--layout", "tp=2,tp=2"), ["layout: tp is named twice"]),
        (("--hosts", "gpu[", "--exclude", "x["), ["hosts: 'gpu['", "exclude: 'x['"]),
        (("--hosts", "gpu001", "--nodes", "2"), ["hosts: 1 host named"]),
        (("--hosts", "gpu001,gpu001"), ["hosts: gpu001 is named twice; name each host once"]),
        (("--hosts", "gpu[001-002],gpu[001-002]"), ["hosts: gpu[001-002] are named twice"]),
        (("--nodes", "3", "--segment", "2"), ["segment: segments of 2 hosts"]),
        (("--nodes", "9999999"), ["nodes: 9999999 is too large; use 1000000 or less"]),
        (("--room", "101"), ["room: 101.0 is too large; use 100 or less"]),
        (("--layout", "tp=0"), ["layout: '0' of tp is not a positive number; write tp=8,pp=4"]),
        (("--bytes", "dp=x"), ["bytes: 'x' of dp is not a positive number; write dp=2e9"]),
        (
            ("--bytes", "dp=2"),
            ["bytes: bytes of dimensions need a layout; add a layout, or omit them"],
        ),
        (("--traffic", "x"), ["use ring, tree, all-to-all, pipeline, or a mix such as ring:3"]),
        (("--nodes", "2", "--layout", "dp=4", "--bytes", "pp=2"), ["layout: bytes of pp, which"]),
        (("--hosts", "gpu001", "--exclude", "gpu001"), ["hosts: 'gpu001' is excluded as well"]),
    ],
)
def test_wrong_requests(words: tuple[str, ...], messages: list[str]) -> None:
    ended = run("place", DEMO, *words)
    assert ended.code == 2
    for message in messages:
        assert message in ended.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--nodes", "2", "--within", "block"), "in one NVLink domain, but none has so many"),
        (("--include", "gpu[001-002]", "--nodes", "3"), "but 2 hosts are named;"),
        (
            ("--exclude", "gpu[001-004]"),
            "only 0 of 4 are free (4 excluded); exclude fewer hosts [PLC001]",
        ),
    ],
)
def test_no_hosts_for_a_job(words: tuple[str, ...], message: str) -> None:
    ended = run("place", DEMO, *words)
    assert ended.code == 4
    assert message in ended.err


def test_named_hosts_that_cannot_be_used_have_no_proof(tmp_path: Path) -> None:
    file = written(tmp_path, conditions={"su1-rail0": {"health": "down", "reason": "no power"}})
    ended = run("place", DEMO, "--hosts", "gpu[001-002]", "--avoid-state", file)
    assert "placed on the named hosts, although gpu[001-002] take no job now" in ended.out
    assert "how far above the best is not known" in ended.out
    why = "su1-rail0 is down: no power"
    assert ended.err == f"warning: gpu[001-002] take no job now: {why}\n"


def test_named_hosts_with_a_job_are_warned_of(tmp_path: Path) -> None:
    """Also where a job of a queue has taken them."""
    file = written(tmp_path, jobs=[{"name": "train-7", "hosts": "gpu[001-002]"}])
    ended = run("place", DEMO, "--hosts", "gpu[002-003]", "--avoid-state", file)
    assert ended.err == "warning: gpu002 takes no job now: job train-7 runs there\n"
    queue = tmp_path / "queue.json"
    jobs = [{"name": "a", "nodes": 4}, {"name": "b", "hosts": "gpu001"}]
    queue.write_text(json.dumps({"format": "rocefab-queue/1", "jobs": jobs}))
    ended = run("place", DEMO, "--queue", queue)
    assert ended.err == "warning: b: gpu001 takes no job now: job a runs there\n"


def test_hosts_of_a_plan_take_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of the lab's new fabric touches all hosts; one of a single leaf, that leaf's."""
    with labs.running_lab(tmp_path, monkeypatch) as (_, _, connections):
        inventory, plan = tmp_path / "inventory", tmp_path / "plan.json"
        words = ("--connections", connections, "--out", plan)
        assert run("plan", inventory, *words, "--only", "su1-rail0").code == 0
        fabric = Project(inventory).fabric
        leaf = fabric.switch_row["su1-rail0"]
        expected = {fabric.hosts.names[row] for row in fabric.nics.host[fabric.nics_of_leaf(leaf)]}
        changed = Condition("su1-rail0", Health.WINDOW, "the plan changes it")
        assert [*conditions_of_plan(plan, fabric)] == [changed]
        ended = run("place", inventory, "--nodes", str(len(fabric.hosts)), "--against-plan", plan)
        assert ended.code == 4
        assert f"({len(expected)} not as planned, such as su1-rail0 is in a change" in ended.err
        queue = tmp_path / "queue.json"
        queue.write_text('{"format": "rocefab-queue/1", "jobs": [{"name": "a", "nodes": 99}]}')
        assert run("place", inventory, "--queue", queue).code == 4
        queue.write_text(queue.read_text().replace("99", str(len(fabric.hosts))))
        assert run("place", inventory, "--queue", queue).code == 0
        assert run("place", inventory, "--queue", queue, "--against-plan", plan).code == 4
    with pytest.raises(InputError, match="not of"):
        [*conditions_of_plan(plan, example("rail-512"))]


def test_ports_that_observe_saw_down(tmp_path: Path) -> None:
    ports = {"eth1": {"up": False}, "eth2": {"up": True}, "eth9": {"up": False}, "x": 7}
    item = {"device": "gpu001", "platform": "host", "error": "", "state": {"interfaces": ports}}
    found = conditions(tmp_path, [item, {**item, "device": "gpu002", "error": "x", "state": {}}])
    assert [(one.subject, one.health.value) for one in found] == [
        ("gpu002", "degraded"),
        ("gpu001:eth1", "down"),
    ]


STATE = {
    "format": "rocefab-state/1",
    "conditions": {
        "gpu001": {"health": "down", "reason": "no power"},
        "spine01": {"health": "degraded", "capacity": 0.5},
    },
    "jobs": [{"name": "a", "hosts": "gpu[003-004]", "traffic": "all-to-all"}],
}


def written(tmp_path: Path, **members: Any) -> Path:
    file = tmp_path / "now.json"
    file.write_text(json.dumps({**STATE, **members}))
    return file


def test_a_state_of_ours(tmp_path: Path) -> None:
    state = read_state([written(tmp_path)], example("demo"), 60)
    assert [(one.subject, one.capacity) for one in state.conditions] == [
        ("spine01", 0.5),
        ("gpu001", 0.0),
    ]
    assert [(job.name, job.hosts) for job in state.jobs] == [("a", ("gpu003", "gpu004"))]
    ended = run("place", DEMO, "--avoid-state", written(tmp_path), "--nodes", "2")
    assert ended.code == 4
    assert "only 1 of 4 is free (2 with a job, 1 not as planned" in ended.err


def test_a_condition_of_a_range_holds_for_each_name(tmp_path: Path) -> None:
    down = {"health": "down"}
    conditions = {"gpu[001-002]": down, "su1-rail[0-1]:Ethernet0,spine01": {"health": "window"}}
    state = read_state([written(tmp_path, conditions=conditions)], example("demo"), 60)
    subjects = ["gpu001", "gpu002", "su1-rail0:Ethernet0", "su1-rail1:Ethernet0", "spine01"]
    assert [one.subject for one in state.conditions] == subjects


def test_degraded_without_a_capacity_keeps_its_speed(tmp_path: Path) -> None:
    file = written(tmp_path, conditions={"spine01": {"health": "degraded"}})
    [one] = read_state([file], example("demo"), 60).conditions
    assert one.capacity == 1.0


#: Members of a state, and what is said of it.
WRONG_STATES: dict[str, tuple[dict[str, object], str]] = {
    "of another fabric": (
        {"fabric": "other"},
        "fabric: a state of 'other', not of 'demo'; name a state of this fabric",
    ),
    "of a time to come": (
        {"written": "2999-01-01T00:00:00Z"},
        "days from now; set the clock right, and write it again",
    ),
    "of long ago": (
        {"written": "2026-01-01T00:00:00Z"},
        "days old, and older than 15 minutes is stale; write it again, or raise --state-max-age",
    ),
    "of no time": (
        {"written": "yesterday"},
        "written: 'yesterday' is not a date with time; use the form 2026-11-23T05:00:00Z",
    ),
    "of a host that is not there": (
        {"conditions": {"gpu011": {"health": "down"}}},
        "neither host, switch nor port; known: gpu[001-004]; or remove it from the state",
    ),
    "of a host with zeros": (
        {"conditions": {"gpu01:eth1": {"health": "down"}}},
        "neither host, switch nor port; did you mean 'gpu001'? Or remove it from the state",
    ),
    "of a range with such a host": (
        {"conditions": {"gpu[003-005]": {"health": "down"}}},
        "conditions.gpu005: 'gpu005' is unknown: neither host, switch nor port; known: ",
    ),
    "of a range that is none": (
        {"conditions": {"gpu001-gpu003": {"health": "down"}}},
        "'gpu001-gpu003' is one name; write the range as gpu[001-003]",
    ),
    "of a host that two ranges have": (
        {"conditions": {"gpu[001-002]": {"health": "down"}, "gpu002": {"health": "drained"}}},
        "gpu002 is in 'gpu[001-002]' and 'gpu002'; leave it in one of them",
    ),
    "of a job on such a host": (
        {"jobs": [{"name": "a", "hosts": "gpu[01-02]"}]},
        "job 'a': there is no host 'gpu[01-02]'; did you mean 'gpu001'? Or remove the job",
    ),
}


@pytest.mark.parametrize("name", WRONG_STATES)
def test_a_wrong_state_is_rejected_with_what_to_do(tmp_path: Path, name: str) -> None:
    members, words = WRONG_STATES[name]
    with pytest.raises(InputError) as caught:
        read_state(
            [written(tmp_path, **{"conditions": {}, "jobs": [], **members})], example("demo"), 900
        )
    (said, *_) = [str(finding) for finding in caught.value.findings]
    assert words in said, said


def test_another_mistake_makes_no_range_unknown(tmp_path: Path) -> None:
    conditions = {"gpu[001-002]": {"health": "down"}, "gpu003": {"health": "dwon"}}
    with pytest.raises(InputError) as caught:
        read_state([written(tmp_path, conditions=conditions)], example("demo"), 900)
    [said] = [str(finding) for finding in caught.value.findings]
    assert "did you mean 'down'" in said


def test_a_state_of_this_fabric_is_taken(tmp_path: Path) -> None:
    assert read_state([written(tmp_path, fabric="demo")], example("demo"), 60).jobs


def test_a_time_without_a_zone_is_named(tmp_path: Path) -> None:
    local = datetime.now(UTC).astimezone().replace(tzinfo=None).isoformat()
    with pytest.raises(InputError) as caught:
        read_state([written(tmp_path, written=local)], example("demo"), 60)
    assert f"{local!r} has no time zone; use the form 20" in str(caught.value.findings[0])


def test_the_time_of_a_state_is_that_of_its_member(tmp_path: Path) -> None:
    ahead = datetime.now(UTC) + timedelta(seconds=30)
    file = written(tmp_path, written=ahead.isoformat())
    os.utime(file, (1_000_000, 1_000_000))
    assert read_state([file], example("demo"), 60).jobs


@pytest.mark.parametrize(
    ("members", "fields"),
    [
        ({"conditions": {"gpu001": {"health": "ill"}}}, ["conditions.gpu001.health"]),
        ({"conditions": {"gpu001": {}, "x": {"health": "down", "capacity": 2}}},
         ["conditions.gpu001.health", "conditions.x.capacity", "conditions.x"]),
        ({"conditions": {"x": {"health": "ill"}, "y": {"health": "down"}}, "jobs": [
            {"name": "a", "hosts": "gpu["}, {"name": "b", "hosts": "z"},
            {"name": "b", "hosts": 1}]},
         ["conditions.x.health", "jobs[2].hosts", "jobs[0]", "conditions.x", "conditions.y",
          "jobs.b.hosts"]),
        ({"conditions": {"y": {"health": "down"}}, "jobs": [{"name": "b", "hosts": "z"}]},
         ["conditions.y", "jobs.b.hosts"]),
        ({"conditions": {"spine01": {"health": "down", "capacity": 0.5}}},
         ["conditions.spine01.capacity"]),
        ({"more": 1}, ["more"]),
        ({"written": "yesterday"}, ["written"]),
        ({"jobs": [{"name": "a", "hosts": "gpu["}, {"name": "b", "hosts": [], "traffic": "z"}]},
         ["jobs[0]", "jobs[1]"]),
        ({"jobs": [{"name": "a b", "hosts": []}]}, ["jobs[0].name"]),
    ],
)  # fmt: skip
def test_wrong_states(tmp_path: Path, members: dict[str, Any], fields: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        read_state([written(tmp_path, **members)], example("demo"), 60)
    assert [finding.field for finding in raised.value.findings] == fields
    assert {finding.rule for finding in raised.value.findings} <= {"PLC030", "PLC032"}
    assert {f.position.file for f in raised.value.findings} == {str(tmp_path / "now.json")}
    assert all(f.position.line for f in raised.value.findings)


def test_a_state_of_another_fabric(tmp_path: Path) -> None:
    file = written(tmp_path, conditions={"other": {"health": "down"}})
    ended = run("place", DEMO, "--avoid-state", file)
    assert ended.code == 2
    assert "'other' is unknown: neither host, switch nor port" in ended.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the list is empty: nothing is avoided"),
        ('{"conditions": {}}', "format is missing"),
        (
            '{"format": "rocefab-state/2"}',
            "format is 'rocefab-state/2', a version that this release does not read",
        ),
        (
            '{"format": "rocefab-state/1", "conditions": {"gpu001": {}, "gpu001": {}}}',
            "'gpu001' is there 2 times",
        ),
        (
            json.dumps({**STATE, "jobs": [{"name": "a", "hosts": "gpu003"}] * 2}),
            "2 jobs have the name 'a'",
        ),
    ],
)
def test_a_state_that_would_count_for_nothing_is_an_error(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        read_state([file], example("demo"), 60)
    assert message in [finding.message for finding in refused.value.findings]
