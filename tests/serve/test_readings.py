"""Readings of devices: the newest of each counts, what is wrong is a warning, memory is bounded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.state import LldpNeighbour
from fabric.report.observed import Seen
from fabric.serve.readings import Readings
from fabric.serve.timelines import Timelines
from fabric.topology.device_ends import ends_of
from fabric.topology.model import Fabric
from tests.report.test_exposition import read
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import served
from tests.topology.fabrics import example

LEAF, HOST = "su1-rail0", "gpu001"


@pytest.fixture(scope="module")
def demo() -> Fabric:
    return example("demo")


def _read(fabric: Fabric, file: Path, behave, turns: int = 2) -> Readings:
    file.unlink(missing_ok=True)
    append(file, records(fabric, [LEAF, HOST, "spine01"], turns, behave))
    readings = Readings(file, fabric)
    readings.refresh()
    return readings


def _row(fabric: Fabric, device: str, port: str):
    return next(end for end in ends_of(fabric, device) if end.port == port)


def test_ends_of_a_device_are_its_planned_cables(demo) -> None:
    """Both ends of every cable are there once, and each knows the other."""
    devices = (*demo.switches.names, *demo.hosts.names)
    ends = {(name, end.port): end for name in devices for end in ends_of(demo, name)}
    assert len(ends) == 2 * (len(demo.nics) + len(demo.uplinks))
    for (name, port), end in ends.items():
        other = ends[end.peer, end.peer_port]
        assert (other.peer, other.peer_port) == (name, port)
        assert (other.is_nic, other.row, other.end) == (end.is_nic, end.row, 1 - end.end)
    assert not [*ends_of(demo, "nothing")]


def test_load_pauses_and_errors_of_a_port(demo, tmp_path) -> None:
    port = next(ends_of(demo, LEAF)).port
    does = busy({(LEAF, port): Traffic(load=0.5, pause_per_s=30.0, error_per_s=3.0)})
    live = _read(demo, tmp_path / "readings", does).live
    end = _row(demo, LEAF, port)
    place = (end.end, end.row)
    assert live.nics.load[place] == pytest.approx(0.5, rel=1e-6)
    assert live.nics.pause_per_s[place] == 30
    assert live.nics.error_per_s[place] == 3
    assert not live.nics.down.any()
    assert not live.cables.wrong.any()


def test_what_was_not_read_is_unknown_and_never_zero(demo, tmp_path) -> None:
    """The first record of a device has no rates; a NIC reports no bytes."""
    live = _read(demo, tmp_path / "readings", busy({}), turns=1).live
    assert np.isnan(live.nics.load).all()
    assert np.isnan(live.nics.pause_per_s).all()
    live = _read(demo, tmp_path / "readings", busy({}), turns=2).live
    host_row = demo.host_row[HOST]
    assert np.isnan(live.nics.load[0, host_row * demo.nics_per_host])
    assert live.nics.pause_per_s[0, host_row * demo.nics_per_host] == 0
    other = demo.host_row["gpu004"] * demo.nics_per_host
    assert np.isnan(live.nics.pause_per_s[:, other]).all()


def test_a_counter_that_was_reset_is_unknown(demo, tmp_path) -> None:
    def falls(_device, _end, turn: int) -> Traffic:
        return Traffic(load=0.5, error_per_s=-1.0 if turn == 2 else 1.0)

    readings = _read(demo, tmp_path / "readings", falls, turns=3)
    assert np.isnan(readings.live.cables.load[:, 0]).all()
    assert np.isnan(readings.live.nics.error_per_s).all()
    per_s = [one["per_s"] for one in readings.timelines.of(LEAF)]
    assert per_s
    assert all(rates[-1] is None for rates in per_s)


#: What LLDP reports of a port whose neighbour should be spine01, and whether the cable is wrong.
NEIGHBOURS = {
    "none": ((), False),
    "planned": ((LldpNeighbour("spine01", ""),), False),
    "planned, with a domain": ((LldpNeighbour("spine01.example.net", ""),), False),
    "another switch": ((LldpNeighbour("spine02", "Ethernet0"),), True),
    "another port": ((LldpNeighbour("spine01", "{other}"),), True),
    "an alias": ((LldpNeighbour("spine01", "etp63a"),), False),
    "a stranger": ((LldpNeighbour("management-switch", "1"),), False),
    "planned and another": ((LldpNeighbour("spine02", ""), LldpNeighbour("spine01", "")), False),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_wrong_neighbour_is_a_wrong_cable(demo, tmp_path, name: str) -> None:
    seen, is_wrong = NEIGHBOURS[name]
    end = next(end for end in ends_of(demo, LEAF) if end.peer == "spine01")
    others = [one.port for one in ends_of(demo, "spine01") if one.port != end.peer_port]
    seen = tuple(replace(one, port_id=one.port_id.replace("{other}", others[0])) for one in seen)
    live = _read(demo, tmp_path / "r", busy({(LEAF, end.port): Traffic(neighbours=seen)})).live
    assert bool(live.cables.wrong.any()) is is_wrong
    assert bool(live.cables.wrong[end.end, end.row]) is is_wrong


def test_a_port_without_a_link_is_down(demo, tmp_path) -> None:
    port = next(ends_of(demo, LEAF)).port
    live = _read(demo, tmp_path / "readings", busy({(LEAF, port): Traffic(up=False)})).live
    assert live.nics.down.sum() == 1


#: Lines that are not records, with a part of the warning.
WRONG = {
    "not JSON": (b"{", "Invalid JSON"),
    "a list": (b"[]", "Input should be an object"),
    "another form": (b'{"format": "x"}', "format: Input should be 'rocefab-readings/1'"),
    "invalid UTF-8": (b'{"device": "\xff"}', ""),
    "deep": (b"[" * 100_000, ""),
    "zeros": (b"\0" * 100, "Invalid JSON"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_line_that_is_wrong_is_a_warning(demo, tmp_path, name: str) -> None:
    line, words = WRONG[name]
    file = tmp_path / "readings"
    file.write_bytes(line + b"\n")
    append(file, records(demo, [LEAF], 1))
    readings = Readings(file, demo)
    readings.refresh()
    assert readings.record(LEAF)
    (warning,) = readings.warnings()
    assert "1 line is not a record of `rocefab observe`" in warning
    assert words in warning
    assert len(warning) < 400


#: Members of a record that cannot be taken, with what the warning says of them.
HOSTILE = {
    "a key without a number": ({"state": {"queues": {"Ethernet0": {"packets": 1}}}}, "not a port"),
    "a rate without end": ({"rates": {"elapsed_s": 1, "unknown": {}, "per_s": "{endless}"}}, ""),
    "a text for a number": ({"state": {"tables": {"a": {"used": "many"}}}}, "whole number"),
    "a list for a name": ({"device": ["a"]}, "device: Input should be a valid string"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_record_with_hostile_values_is_a_warning(demo, tmp_path, name: str) -> None:
    change, words = HOSTILE[name]
    (lines,) = records(demo, [LEAF], 1)
    text = json.dumps({**json.loads(lines[0]), **change})
    endless = '[{"name": "rocefab_port_bytes_total", "labels": {"port": "a"}, "value": 1e400}]'
    file = tmp_path / "readings"
    file.write_text(text.replace('"{endless}"', endless) + "\n")
    readings = Readings(file, demo)
    readings.refresh()
    assert readings.record(LEAF) is None
    (warning,) = readings.warnings()
    assert "1 line is not a record" in warning
    assert words in warning


def test_a_counter_larger_than_any_number_is_kept_as_it_is(demo, tmp_path) -> None:
    (lines,) = records(demo, [LEAF], 1)
    pauses = {"Ethernet0": {"received": [10**400], "sent": []}}
    file = tmp_path / "readings"
    file.write_text(json.dumps({**json.loads(lines[0]), "state": {"pfc_counters": pauses}}) + "\n")
    readings = Readings(file, demo)
    readings.refresh()
    assert readings.warnings() == []
    assert readings.record(LEAF).state.pfc_counters["Ethernet0"].received == (10**400,)


def test_the_order_of_labels_does_not_matter_and_no_port_is_endlessly_fast(demo, tmp_path) -> None:
    port = next(ends_of(demo, LEAF)).port
    _, lines = records(demo, [LEAF], 2, busy({(LEAF, port): Traffic(load=0.5, pause_per_s=9)}))
    data = json.loads(lines[0])
    for rate in data["rates"]["per_s"]:
        rate["labels"] = dict(reversed(rate["labels"].items()))
        if rate["name"] == "rocefab_port_bytes_total":
            rate["value"] = 1e308
    file = tmp_path / "readings"
    file.write_text(json.dumps(data) + "\n")
    readings = Readings(file, demo)
    readings.refresh()
    end = _row(demo, LEAF, port)
    assert readings.live.nics.pause_per_s[end.end, end.row] == 9
    assert np.isnan(readings.live.nics.load[end.end, end.row])


def test_strangers_and_failures_are_counted(demo, tmp_path) -> None:
    file = tmp_path / "readings"
    (lines,) = records(demo, [LEAF], 1)
    stranger = {**json.loads(lines[0]), "device": "x" * 10_000}
    failure = {**json.loads(lines[0]), "error": "time is up", "state": {}}
    file.write_text("".join(f"{json.dumps(one)}\n" for one in (stranger, failure)))
    readings = Readings(file, demo)
    readings.refresh()
    assert readings.failure(LEAF) == "time is up"
    assert readings.about()["failed"] == 1
    assert "1 record of devices not in the fabric" in readings.warnings()[0]
    append(file, [lines])
    readings.refresh()
    assert (readings.failure(LEAF), readings.about()["devices"]) == ("", 1)


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({}, 0),
        ({"unknown": ["bgp"]}, 1),
        ({"state": {"bgp": {}}}, 1),
    ],
    ids=["whole", "an answer that was not understood", "sessions alone"],
)
def test_devices_that_were_read_in_part_are_counted(demo, tmp_path, change, count) -> None:
    """The page shows no reading of a part as a whole one, until the next one is whole."""
    file = tmp_path / "readings"
    (lines,) = records(demo, [LEAF], 1)
    file.write_text(json.dumps(json.loads(lines[0]) | change) + "\n")
    readings = Readings(file, demo)
    readings.refresh()
    assert readings.about()["partial"] == count
    append(file, [lines])
    readings.refresh()
    assert readings.about()["partial"] == 0


def test_another_inventory_keeps_what_it_has(demo, tmp_path) -> None:
    readings = _read(demo, tmp_path / "readings", busy({}))
    before = readings.live.version
    readings.turn_to(example("rail-512"))
    assert readings.about()["devices"] == 3  # names that both have
    assert readings.live.version > before
    assert len(readings.live.nics.down[0]) == 512


def test_memory_is_bounded() -> None:
    """Counters that are too many are counted, and not kept."""
    from fabric.observe import families as of
    from fabric.serve.live import Rising

    lines = Timelines(points=3, most_of_device=2, most=3)
    rates = [Rising(of.BYTES, (f"port{number}", "sent"), 1.0 + number) for number in range(5)]
    for turn in range(4):
        lines.add("a", float(turn), rates)
    lines.add("b", 9.0, rates)
    assert len(lines.of("a")) == 2
    assert len(lines.of("b")) == 1
    assert lines.of("a")[0]["times_s"] == [1.0, 2.0, 3.0]
    assert lines.omitted > 0
    lines.forget(["b"])
    assert lines.of("a") == []


def test_a_counter_that_is_not_reported_any_more_is_unknown() -> None:
    from fabric.observe import families as of
    from fabric.serve.live import Rising

    lines = Timelines(points=4)
    lines.add("a", 1.0, [Rising(of.BYTES, ("p", "sent"), 5.0)])
    lines.add("a", 2.0, [])
    assert lines.of("a")[0]["per_s"] == [5.0, None]


@given(st.lists(st.one_of(st.just(float("nan")), st.floats(0, 1e12)), min_size=1, max_size=9))
def test_a_time_line_has_the_last_rates_in_their_order(rates: list[float]) -> None:
    from fabric.observe import families as of
    from fabric.serve.live import Rising

    lines = Timelines(points=4)
    for turn, rate in enumerate(rates):
        lines.add("a", float(turn), [Rising(of.BYTES, ("p", "sent"), rate)])
    first = next((turn for turn, rate in enumerate(rates) if rate > 0), None)
    if first is None:
        assert lines.of("a") == []
        return
    (one,) = lines.of("a")
    kept = range(max(0, len(rates) - 4), len(rates))
    assert one["times_s"] == [float(turn) for turn in kept]
    for turn, rate in zip(kept, one["per_s"], strict=True):
        if turn < first or np.isnan(rates[turn]):
            assert rate is None
        else:
            assert rate == pytest.approx(rates[turn], rel=1e-5, abs=1e-38)


def test_metrics_show_readings_jobs_and_the_plan(demo, tmp_path) -> None:
    """A client library reads each figure; a device that failed keeps no old ones."""
    file = tmp_path / "readings"
    append(file, records(demo, [LEAF, HOST], 2, busy({})))
    with served(tmp_path / "state", readings=file) as client:
        client.post("/v1/jobs", json={"name": "train", "hosts": HOST})
        shown = exposed(client)
        assert shown["rocefab_device_read", LEAF, "sonic"] == 1
        assert shown["rocefab_job_info", HOST, "train"] == 1
        assert ("rocefab_port_up", LEAF, "Ethernet0") in shown
        assert [key for key in shown if key[:2] == ("rocefab_device_info", LEAF)]
        assert not [key for key in shown if key[:2] == ("rocefab_device_info", "spine01")]
        failed = Seen(LEAF, "sonic", error="no route to host").as_dict()
        with file.open("a") as lines:
            lines.write(json.dumps(failed) + "\n")
        client.service.readings.refresh()
        shown = exposed(client)
        assert shown["rocefab_device_read", LEAF, "sonic"] == 0
        assert ("rocefab_port_up", LEAF, "Ethernet0") not in shown


def test_metrics_without_readings_plan_nothing(own) -> None:
    assert not [key for key in exposed(own) if key[0].endswith("_info")]


def exposed(client) -> dict[tuple[str, ...], float]:
    """Return the figures of `/metrics` by name and values of the labels."""
    return read(client.get("/metrics").text)
