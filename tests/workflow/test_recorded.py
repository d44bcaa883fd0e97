"""Verbs on a file of readings: no device is asked."""

from __future__ import annotations

import json

import pytest
import zstandard
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.report.recorded import recorded
from tests.cases import examples
from tests.change.labs import HOST, LEAF, SPINE, running_lab
from tests.cli.runs import run

UPLINK = "Ethernet128"


def with_links(taken, file, down=()):
    """Write readings in which all ports are up but some, as ``device:port``."""
    records = [json.loads(line) for line in (taken[1] / "readings.jsonl").read_text().splitlines()]
    for record in records:
        for table in ("interfaces", "nics"):
            for port, state in record["state"].get(table, {}).items():
                state["up"] = f"{record['device']}:{port}" not in down
    text = "".join(f"{json.dumps(record)}\n" for record in records)
    file.write_bytes(zstandard.compress(text.encode()))
    return file


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    """Return inventory and readings of a lab that has gone."""
    folder = tmp_path_factory.mktemp("taken")
    with pytest.MonkeyPatch.context() as patch, running_lab(folder, patch) as (_, project, file):
        inventory = project.intent.folder
        words = ["observe", inventory, "--connections", file]
        for name in ("readings.jsonl.zst", "readings.jsonl"):
            assert run(*words, "--out", folder / name).code == 0
        (folder / "readings.json").write_text(run(*words, "--format", "json").out)
        ended = run("cabling", *words[1:], "--format", "json")
        (folder / "cabling.json").write_text(ended.out)
    return inventory, folder


FILES = ("readings.jsonl.zst", "readings.jsonl", "readings.json")
DEVICES = (LEAF, SPINE, HOST)


@pytest.mark.parametrize("name", FILES)
def test_the_snapshot_is_what_was_read(taken, name: str) -> None:
    _, folder = taken
    seen = recorded(folder / name, DEVICES)
    lines = (folder / "readings.jsonl").read_text().splitlines()
    for record in map(json.loads, lines):
        again = seen[record["device"]].as_dict()
        assert again["state"].keys() == record["state"].keys()
        if name != "readings.json":  # another reading
            times = {"time": record["time"], "rates": None}
            moved = {"facts", "nics", "neighbours", "macs"}
            same = {key: value for key, value in record["state"].items() if key not in moved}
            assert {key: again["state"][key] for key in same} == same
            assert again | times | {"state": 0} == record | times | {"state": 0}


@pytest.mark.parametrize("name", FILES)
def test_verify_says_what_it_skips(taken, name: str) -> None:
    inventory, folder = taken
    ended = run("verify", inventory, "--snapshot", folder / name)
    assert ended.code == 4
    assert f"{LEAF}: bgp" in ended.out
    assert "skipped, not in the snapshot: running configuration: 3 devices" in ended.err
    assert "skipped, not in the snapshot: settings of NICs: 1 device" in ended.err
    ended = run("verify", inventory, "--snapshot", folder / name, "--format", "json")
    skipped = {item["device"]: item["skipped"] for item in json.loads(ended.out)}
    assert skipped[SPINE][:2] == ["running configuration", "saved configuration"]


def test_a_field_that_was_not_asked_for_is_skipped(taken, tmp_path) -> None:
    inventory, folder = taken
    file = tmp_path / "some.jsonl"
    records = [json.loads(line) for line in (folder / "readings.jsonl").read_text().splitlines()]
    for record in records:
        record["state"] = {"lldp": record["state"].get("lldp", {})}
    kept = (record for record in records if record["device"] != LEAF)
    file.write_text("".join(f"{json.dumps(record)}\n" for record in kept))
    ended = run("verify", inventory, "--snapshot", file, "--format", "json")
    shown = {item["device"]: item for item in json.loads(ended.out)}
    assert shown[LEAF]["error"] == f"{file} has no reading of it"
    assert "bgp" in shown[SPINE]["skipped"]
    assert {one["subject"] for one in shown[SPINE]["deviations"]} <= {"lldp"}
    assert ended.code == 3


@pytest.mark.parametrize("name", FILES)
def test_cabling_is_that_of_the_devices(taken, name: str) -> None:
    inventory, folder = taken
    ended = run("cabling", inventory, "--snapshot", folder / name, "--format", "json")
    assert json.loads(ended.out) == json.loads((folder / "cabling.json").read_text())
    assert ended.code == 4


def test_what_is_down_has_failed_before_the_question(taken, tmp_path) -> None:
    inventory, _ = taken
    question = ("whatif", inventory, "--no-rules", "--format", "json", "--fail")
    up = with_links(taken, tmp_path / "up.zst")
    down = with_links(taken, tmp_path / "down.zst", [f"{LEAF}:{UPLINK}"])
    healthy = run(*question, f"link:{LEAF}:{UPLINK}", "--snapshot", up)
    assert "failed before: no cable" in healthy.err
    assert json.loads(healthy.out)["units"][0]["uplink_gbps_left"] == 0
    ended = run(*question, f"host:{HOST}", "--snapshot", down)
    assert f"failed before: link:{LEAF}:{UPLINK}\n" in ended.err
    assert json.loads(ended.out)["units"][0]["uplink_gbps"] == 0, "it was lost before"
    assert json.loads(ended.out)["failed"] == [f"host:{HOST}"]
    wrong = run("whatif", inventory, "--storm", f"{HOST}:eth1", "--snapshot", up)
    assert wrong.code == 2


def test_no_job_on_what_is_down(taken, tmp_path) -> None:
    inventory, _ = taken
    words = ("place", inventory, "--nodes", "1", "--state-max-age", "2d", "--avoid-state")
    up = run(*words, with_links(taken, tmp_path / "up.zst"))
    assert up.code == 0, up.said
    for end in (f"{LEAF}:Ethernet0", f"{HOST}:eth1"):
        down = run(*words, with_links(taken, tmp_path / "down.zst", [end]))
        assert down.code == 4
        assert f"{end} is down: observe: the port is down" in down.err
    stale = run(*words[:5], "0s", "--avoid-state", tmp_path / "up.zst")
    assert stale.code == 2
    assert "is stale" in stale.err


RECORD = {
    "format": "rocefab-readings/1",
    "device": LEAF,
    "platform": "sonic",
    "time": None,
    "error": "",
    "unknown": [],
    "unread": [],
    "state": {},
    "rates": None,
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("{}\n", "a record has no form"),
        ("nothing\n", "a.jsonl:1:1: not JSON"),
        (json.dumps(RECORD | {"format": "rocefab-readings/2"}), "the form is 'rocefab-readings/2'"),
        (json.dumps(RECORD | {"device": "other"}), "the fabric has none of its devices"),
        (json.dumps(RECORD | {"state": {"bgp": 3}}), "state.bgp"),
        (json.dumps(RECORD | {"state": {"queues": {"e3": {}}}}), "'e3' is not a port and a number"),
        (json.dumps(RECORD | {"state": {"interfaces": {"e": {"up": "perhaps"}}}}), "interfaces.e"),
        ("[" * 100_000, "not JSON"),
        ("\x1b[31m\n", "not JSON"),
    ],
)
def test_files_that_are_refused(taken, tmp_path, text: str, message: str) -> None:
    inventory, _ = taken
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    ended = run("verify", inventory, "--snapshot", file)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())


def test_invalid_utf_8_is_refused(taken, tmp_path) -> None:
    inventory, _ = taken
    file = tmp_path / "a.jsonl"
    file.write_bytes(json.dumps(RECORD).encode().replace(b"sonic", b"so\xff\xfe"))
    ended = run("cabling", inventory, "--snapshot", file)
    assert ended.code == 2


@given(st.binary(max_size=300), st.integers(0, 10_000), st.booleans())
@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_refused_or_read(taken, tmp_path, noise, place, packed) -> None:
    _, folder = taken
    text = (folder / "readings.jsonl").read_bytes()
    place %= len(text)
    text = text[:place] + noise + text[place + len(noise) :]
    file = tmp_path / "a.jsonl"
    file.write_bytes(zstandard.compress(text) if packed else text)
    try:
        assert recorded(file, DEVICES).keys() <= set(DEVICES)
    except InputError as error:
        assert error.findings or str(file) in str(error)
