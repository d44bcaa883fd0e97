"""judge over files of readings, and its options."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import pytest

from fabric.core.errors import InputError
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    LldpNeighbour,
    MacEntry,
    NicCounters,
    PfcCounters,
    QueueCounters,
)
from fabric.report.observed import Seen
from fabric.report.oddities import Oddities
from fabric.report.recorded_windows import Planned, recorded_windows
from fabric.workflow.judge import settings_of
from tests.cli.runs import DEMO, process, run
from tests.health.windows import HOST, LEAF, Fabric

START = datetime(2026, 11, 24, 12, tzinfo=UTC)


def written(file, fabric: Fabric, *names: str):
    """Write both readings of some devices as `observe --out` does."""
    window = fabric.window()
    with file.open("w") as lines:
        for turn, when in (("before", START), ("after", START + timedelta(seconds=10))):
            for name, reading in window.readings.items():
                if not names or name in names:
                    seen = Seen(name, reading.platform, getattr(reading, turn), time=when)
                    lines.write(json.dumps(seen.as_dict()) + "\n")
    return file


def storm() -> Fabric:
    fabric = Fabric()
    fabric.nic(HOST, "eth1", tx_prio3_pause=10, tx_prio3_pause_duration=9_000_000)
    return fabric


def test_a_record_is_read_back_as_it_was(tmp_path) -> None:
    snapshot = Snapshot(
        LEAF,
        interfaces={"Ethernet0": InterfaceState(up=True, counters={"rx_drops": 3})},
        lldp={"Ethernet0": (LldpNeighbour("a", "b"),)},
        bgp={"10.0.0.1": BgpPeer(True, "Established", 65000)},
        macs=(MacEntry(1, "00:00:00:00:00:01", "Ethernet0"),),
        pfc_counters={"Ethernet0": PfcCounters((1, None), (2, 3))},
        queues={("Ethernet0", 3): QueueCounters(4, None, 6)},
        nics={"eth1": NicCounters("mlx5_0", None, {"a": 1}, None)},
    )
    seen = Seen(LEAF, "sonic", snapshot, ("ecn",), ("bfd",), time=START)
    file = tmp_path / "readings.jsonl"
    file.write_text(json.dumps(seen.as_dict()) + "\n\n")
    planned = {LEAF: Planned("sonic", frozenset({"Ethernet0", "eth1"}))}
    odd = Oddities(file)
    (back,) = recorded_windows(file, planned, odd)
    assert odd.findings() == []
    assert back.as_dict() == seen.as_dict()
    assert back.snapshot.queues == snapshot.queues


def test_a_file_of_readings_is_judged_by_a_process(tmp_path) -> None:
    """The last two readings of each device count, and the exit code is that of check."""
    file = written(tmp_path / "readings.jsonl", storm())
    text = process("judge", DEMO, "--readings", file)
    assert text.code == 4
    assert text.out.startswith(f"error: {HOST} eth1: PFC storm: pauses its leaf 90 % of the time")
    quiet = written(tmp_path / "quiet.jsonl", Fabric())
    assert process("judge", DEMO, "--readings", quiet).code == 0


@pytest.mark.parametrize("form", ["junit", "sarif", "json", "markdown", "github", "gitlab"])
def test_forms_of_check(tmp_path, form) -> None:
    ended = run("judge", DEMO, "--readings", written(tmp_path / "r", storm()), "--format", form)
    assert ended.code == 4
    assert "PFC storm" in ended.out
    assert "OBS101" in ended.out


def test_what_no_device_reports_is_skipped(tmp_path) -> None:
    """A verdict without its counters is no pass."""
    ended = run("judge", DEMO, "--readings", written(tmp_path / "r", storm()), "--format", "junit")
    cases = {case.get("name")[:6]: case for case in ET.fromstring(ended.out).iter("testcase")}
    assert cases["OBS116"].find("skipped") is not None
    assert "not judged" in cases["OBS116"].find("skipped").get("message")
    assert cases["OBS101"].find("skipped") is None


def test_devices_without_a_reading_are_a_cause(tmp_path) -> None:
    file = written(tmp_path / "r", Fabric(), LEAF)
    ended = run("judge", DEMO, "--readings", file, "--only", f"{LEAF},{HOST}")
    assert ended.code == 4
    assert f"error: {HOST}: could not be read: there is no reading of it" in ended.out
    assert run("judge", DEMO, "--readings", file, "--only", LEAF).code == 0


def test_a_limit_and_the_failing_severity_apply(tmp_path) -> None:
    file = written(tmp_path / "r", storm())
    ended = run("judge", DEMO, "--readings", file, "--limit", "storm_percent=95")
    assert ended.code == 0
    assert "slow receiver: pauses its leaf 90.0 %" in ended.out
    assert (
        run(
            "judge", DEMO, "--readings", file, "--limit", "storm_percent=95", "--fail-on", "warning"
        ).code
        == 4
    )


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("storms_percent=3", "did you mean 'storm_percent'? [OBS004]"),
        ("flaps", "flaps: '' is not a number above 0; write a number, such as flaps=1 [OBS004]"),
        ("flaps=0", "flaps: '0' is not a number above 0"),
        ("flaps=nan", "flaps: 'nan' is not a number above 0"),
    ],
)
def test_wrong_limits(word, message) -> None:
    with pytest.raises(InputError) as refused:
        settings_of([word])
    assert message in str(refused.value.findings[0])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "r:2:1: this line is not a whole JSON object; expected are"),
        ('{"format": "rocefab-readings/2"}', "r:2:1: the form is 'rocefab-readings/2'"),
        ('"\udcff"', "r:2:2: not JSON: not UTF-8 text"),
    ],
)
def test_a_wrong_line_has_its_place(tmp_path, line, message) -> None:
    file = written(tmp_path / "r", Fabric(), LEAF)
    first = file.read_bytes().splitlines()[0]
    file.write_bytes(first + b"\n" + line.encode(errors="surrogateescape") + b"\n")
    ended = run("judge", DEMO, "--readings", file)
    assert ended.code == 2
    assert message in ended.err, ended.err


def test_a_key_without_a_number_has_its_place(tmp_path) -> None:
    record = Seen(LEAF, "sonic", Snapshot(LEAF), time=START).as_dict()
    record["state"]["queues"] = {"Ethernet0": {}}
    file = tmp_path / "r"
    file.write_text(json.dumps(record) + "\n")
    ended = run("judge", DEMO, "--readings", file)
    assert ended.code == 2
    assert "r:1:1: 'Ethernet0' is not a port and a number" in ended.err


def test_no_file_and_a_file_of_another_fabric(tmp_path) -> None:
    assert "x: cannot be read: no such file" in run("judge", DEMO, "--readings", tmp_path / "x").err
    file = tmp_path / "r"
    file.write_text(json.dumps(Seen("other", "sonic", Snapshot("other"), time=START).as_dict()))
    assert "the fabric has none of its devices" in run("judge", DEMO, "--readings", file).err


def test_observe_needs_once_for_verdicts() -> None:
    assert "set --once" in run("observe", DEMO, "--format", "junit").err
    assert "--interval-s asks" in run("observe", DEMO, "--once", "--interval-s", "3").err
