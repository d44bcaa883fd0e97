"""observe again and again: rates, resets and a device that hangs, on a lab."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from fabric.devices.ssh import ShellSession
from fabric.lab.faults import Fault
from fabric.observe import families as of
from fabric.report.observed import Seen, busy, resets
from fabric.report.readings import schema
from fabric.workflow import schedule
from fabric.workflow.observe import Pace, Selection, observe_again, observed, turns
from fabric.workflow.schedule import Schedule
from tests.change.labs import HOST, LEAF, SPINE, running_lab, silent
from tests.cli.runs import run
from tests.devices.certificates import Authority
from tests.devices.gnmi_target import GnmiTarget
from tests.devices.test_gnmi import LEAVES, PORT
from tests.waiting import until

PAUSES = "SAI_PORT_STAT_PFC_3_RX_PKTS"
SENT, _ = of.NIC_COUNTERS["np_cnp_sent"]


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patch,
        running_lab(tmp_path_factory.mktemp("again"), patch) as lab,
    ):
        yield lab


@pytest.fixture
def words(ready):
    _, project, connections = ready
    return ["observe", project.intent.folder, "--connections", connections]


@cache
def validator():
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema()), format_checker=None)


def again(ready, fields=(), only="", **pace):
    """Yield a list of one reading of each device, again and again."""
    _, project, connections = ready
    selection = Selection(only=only)
    readings = observe_again(project, connections, selection, fields, silent, Pace(**pace))
    return turns(readings, observed(project, selection), 600)


def test_rates_of_a_switch_and_a_host(ready) -> None:
    lab, _, _ = ready
    lab[HOST].counters.run("eth1", "np_cnp_sent", 400.0)
    fields = ("pfc_counters", "nics")
    # one stream for each: the second reading of one may begin before the first of the other ends
    streams = [again(ready, fields, name, interval_s=0.2, number=2) for name in (LEAF, HOST)]
    first = [one for turns in streams for one in next(turns)]
    lab[LEAF].counters.add("Ethernet0", PAUSES, 1000)
    second = {one.device: one for turns in streams for one in next(turns)}
    assert [one.rates for one in first] == [None, None]
    leaf, host = second[LEAF].rates, second[HOST].rates
    assert leaf
    assert host
    key = (of.PFC_FRAMES, ("Ethernet0", "3", "received"))
    assert leaf.per_s[key] == pytest.approx(1000 / leaf.elapsed_s)
    assert 100 < host.per_s[SENT, ("eth1",)] < 1600
    assert [list(turns) for turns in streams] == [[], []]
    rows = {row[:3]: row[4] for row in busy(second.values())}
    assert rows.keys() == {
        (LEAF, "Ethernet0", "pause frames received, priority 3"),
        (HOST, "eth1", "np cnp sent"),
    }


def test_a_cleared_counter_has_no_rate(ready) -> None:
    lab, _, _ = ready
    lab[LEAF].counters.add("Ethernet0", PAUSES, 5)
    turns = again(ready, ("pfc_counters",), LEAF, interval_s=0.01, number=2)
    next(turns)
    lab[LEAF].counters.add("Ethernet0", PAUSES, -3)
    (seen,) = next(turns)
    assert seen.rates
    assert seen.rates.per_s == {}
    assert "fell from" in seen.rates.unknown["pfc_counters"]
    assert [row[4] for row in busy([seen])] == ["unknown"]
    assert resets([seen])[0].startswith(f"{LEAF}: pfc_counters: rocefab_pfc_pause_frames_total")


@pytest.mark.fault(2)
def test_a_device_that_hangs_costs_only_itself(ready, monkeypatch) -> None:
    lab, _, _ = ready
    lab[LEAF].faults.add(Fault("hang", times=0))
    _, project, connections = ready
    pace = Pace(interval_s=0.2, number=2, within_s=4, parallel=1)
    monkeypatch.setattr(schedule, "SLOW_S", 1.0)
    arrived = []
    for one in observe_again(project, connections, Selection(), ("lldp",), silent, pace):
        arrived.append(one)
        if one.device == LEAF:
            lab[LEAF].faults.clear()
    names = [one.device for one in arrived]
    assert sorted(names[:4]) == [HOST, HOST, SPINE, SPINE], "it is read at the same time as others"
    assert names[4:] == [LEAF, LEAF]
    assert {one.error for one in arrived[:4]} == {""}
    hung, again_read = arrived[4:]
    assert hung.snapshot is None
    assert hung.error.endswith("took longer than 4 s")
    assert busy([hung])[0][:3] == (LEAF, "-", f"could not be read: {hung.error}")
    assert again_read.error == ""
    assert again_read.rates is None, "it was never read before"


@pytest.mark.parametrize("how", ["closed", "interrupted"])
def test_who_ends_early_does_not_wait_for_a_device_that_hangs(ready, monkeypatch, how) -> None:
    lab, project, connections = ready
    lab[LEAF].faults.add(Fault("hang", times=0))
    readings = observe_again(
        project, connections, Selection(), ("lldp",), silent, Pace(1000, 0, within_s=100)
    )
    try:
        assert {next(readings).device for _ in range(2)} == {SPINE, HOST}
        begin_s = time.monotonic()
        if how == "closed":
            readings.close()
        else:

            def interrupted(*_):
                raise KeyboardInterrupt

            monkeypatch.setattr(Schedule, "_pause_s", interrupted)
            with pytest.raises(KeyboardInterrupt):
                next(readings)
    finally:
        lab[LEAF].faults.clear()
    assert time.monotonic() - begin_s < 10
    until(lambda: not [one for one in threading.enumerate() if one.name == "device"], "it ended")


@pytest.mark.parametrize(("name", "what"), [(LEAF, "pfc_counters"), (HOST, "nics eth1")])
def test_a_restart_is_recognised_where_no_counter_fell(ready, name: str, what: str) -> None:
    lab, _, _ = ready
    lab[name].started_s = lab.clock.now_s() - 3600.0
    readings = again(ready, ("facts", "pfc_counters", "nics"), name, interval_s=0.3, number=30)
    next(readings)
    lab[name].started_s = lab.clock.now_s()
    # a reading that was under way may still have the old time
    rates = (one.rates for turn in readings for one in turn if one.rates)
    first = next(one for one in rates if what in one.unknown)
    assert first.unknown[what] == "the device restarted"
    assert name == HOST or not first.per_s


def test_a_session_is_kept_and_opened_again_when_the_device_closed_it(ready, monkeypatch) -> None:
    opened = []
    login = ShellSession.open

    def noted(session) -> None:
        opened.append(session)
        login(session)

    monkeypatch.setattr(ShellSession, "open", noted)
    readings = again(ready, ("lldp",), LEAF, interval_s=0.01, number=3)
    assert [next(readings)[0].error, next(readings)[0].error] == ["", ""]
    assert len(opened) == 1
    opened[0].close()
    assert next(readings)[0].error == ""
    assert len(opened) == 2


def test_a_host_without_a_tool_is_unknown(ready) -> None:
    lab, _, _ = ready
    tool = lab[HOST].tools.pop("ethtool")
    try:
        ((seen,),) = again(ready, (), HOST)
    finally:
        lab[HOST].tools["ethtool"] = tool
    assert seen.unknown == ("nics",)
    assert seen.snapshot
    assert seen.snapshot.nics
    assert seen.snapshot.nics["eth1"].counters is None
    assert "np_cnp_sent" in (seen.snapshot.nics["eth1"].hw_counters or {})
    assert (HOST, "-", "nics could not be understood", "unknown", "unknown", "-") in busy([seen])


def test_a_host_without_files_of_counters_is_asked_by_rdma(ready) -> None:
    lab, _, _ = ready
    lab[HOST].counters.rdma["eth1"]["out_of_sequence"] = 7
    device = lab[HOST].rdma_nics[0].rdma_device
    files = lab[HOST].fs.local(f"/sys/class/infiniband/{device}/ports/1/hw_counters")
    away = files.rename(files.with_name("away"))
    try:
        ((seen,),) = again(ready, (), HOST)
    finally:
        away.rename(files)
    assert seen.snapshot.nics["eth1"].hw_counters["out_of_sequence"] == 7


def test_a_switch_is_read_by_gnmi_where_the_connections_say_so(ready, tmp_path) -> None:
    _, project, connections = ready
    authority = Authority()
    data = json.loads(connections.read_text())
    with GnmiTarget(*authority.issued(), "admin", "lab-password", dict(LEAVES)) as target:
        data["devices"][SPINE] |= {
            "username": "admin",
            "gnmi": {"port": target.port, "trust": authority.pem},
        }
        file = tmp_path / "connections.json"
        file.write_text(json.dumps(data))
        pace = Pace(interval_s=0.3, number=2)
        fields = ("interfaces", "lldp", "queues")
        selection = Selection(only=f"{SPINE},{LEAF}")
        seen = {}
        for one in observe_again(project, file, selection, fields, silent, pace):
            target.leaves[f"{PORT}/counters/out-discards"] = 107
            seen[one.device] = one
    spine = seen[SPINE]
    assert (spine.error, spine.unread) == ("", ("queues",))
    assert spine.snapshot.lldp["Ethernet1/1"][0].system_name == "su1-rail0"
    key = (of.DISCARDS, ("Ethernet1/1", "sent"))
    assert spine.rates.per_s[key] == pytest.approx(100 / spine.rates.elapsed_s)
    assert seen[LEAF].snapshot.queues, "by its session, as before"


def test_records_keep_to_the_schema(ready, words, tmp_path) -> None:
    lab, _, _ = ready
    lab[HOST].counters.run("eth1", "np_cnp_sent", 400.0)
    file = tmp_path / "records.jsonl"
    more = ["--interval-s", "0.3", "--count", "2", "--out", file]
    ended = run(*words, *more, "--format", "jsonl")
    assert ended.code == 0, ended.err
    assert file.read_text() == ended.out
    records = [json.loads(line) for line in ended.out.splitlines()]
    assert Counter(record["device"] for record in records) == {LEAF: 2, SPINE: 2, HOST: 2}
    for record in records:
        assert [error.json_path for error in validator().iter_errors(record)] == []
        at = datetime.fromisoformat(record["time"])
        assert abs(datetime.now(UTC) - at) < timedelta(minutes=5)
    first, second = (record for record in records if record["device"] == HOST)
    assert first["rates"] is None
    (rate,) = [one for one in second["rates"]["per_s"] if one["name"] == SENT.name]
    assert rate["labels"] == {"port": "eth1"}
    assert second["state"]["nics"]["eth1"]["hw_counters"]["np_cnp_sent"] > 0
    assert run(*words, "--only", HOST, "--out", file).code == 0
    assert len(file.read_text().splitlines()) == 7, "records are appended"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"format": "rocefab-readings/2"}, "$.format"),
        ({"time": 3}, "$.time"),
        ({"state": {"queues": {"e|3": {"packets": "1"}}}}, "$.state.queues"),
        ({"rates": {"elapsed_s": 1, "unknown": {}, "per_s": [{"value": -1}]}}, "$.rates"),
    ],
)
def test_other_records_do_not(change, path) -> None:
    record = Seen("leaf1", "sonic", error="gone", time=datetime.now(UTC)).as_dict()
    assert list(validator().iter_errors(record)) == []
    (error,) = validator().iter_errors(record | change)
    assert error.json_path == path


def test_text_for_people(ready, words) -> None:
    lab, _, _ = ready
    lab[LEAF].counters.add("Ethernet0:queue 3", "SAI_QUEUE_STAT_DROPPED_PACKETS", 1234)
    ended = run(*words, "--field", "queues", "--only", LEAF)
    assert ended.code == 0
    last = ended.out.splitlines()[-1].split()
    assert last == [LEAF, "Ethernet0", "drops,", "queue", "3", "1,234", "-", "-"]
    assert "--format json has every value" in ended.err
    ended = run(*words, "--field", "lldp", "--only", LEAF)
    assert ended.out.endswith("pauses, marks, drops and losses: not read\n")


def test_prometheus_and_a_device_that_is_away(ready, words, tmp_path) -> None:
    _, _, connections = ready
    data = json.loads(connections.read_text())
    data["devices"][SPINE]["port"] = 9
    file = tmp_path / "connections.json"
    file.write_text(json.dumps(data))
    ended = run(*words[:2], "--connections", file, "--field", "nics", "--format", "prometheus")
    assert ended.code == 3
    assert f'rocefab_device_read{{device="{SPINE}",platform="eos"}} 0\n' in ended.out
    assert f'rocefab_device_read{{device="{HOST}",platform="host"}} 1\n' in ended.out
    assert f'rocefab_nic_cnp_sent_total{{device="{HOST}",port="eth1"}} ' in ended.out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--count", "2"], "--count needs --interval-s"),
        (["--interval-s", "1", "--format", "json"], "set --count"),
        (["--interval-s", "1", "--format", "prometheus"], "set --count"),
        (["--interval-s", "-1"], "interval-s"),
        (["--field", "nic"], "did you mean 'nics'?"),
        (["--only", HOST, "--field", "lldp", "--out", "/"], "cannot write the records"),
    ],
)
def test_wrong_words(words, more, message) -> None:
    ended = run(*words, *more)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
