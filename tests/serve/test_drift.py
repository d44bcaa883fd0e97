"""GET /v1/drift: what lasts by the events of `rocefab drift --watch`."""

from __future__ import annotations

from datetime import UTC, datetime

from fabric.core.events import Event
from fabric.core.findings import Finding, Position, Severity
from fabric.report.events import line
from tests.serve.servers import served
from tests.waiting import until, write_whole

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def event(path, *, is_open=True):
    place = Position("inventory/fabric.yaml", 8, 7)
    values = {"planned": "9000", "running": "1500"}
    finding = Finding("DRF001", Severity.ERROR, "x", "", path, place, device="su1-rail0", **values)
    return line(Event(NOW, is_open, finding, NOW, ("eve by cli",)))


def test_events_that_last_are_listed(tmp_path):
    file = tmp_path / "drift.jsonl"
    file.write_text(event("mtu") + event("pfc") + event("mtu", is_open=False))
    with served(tmp_path / "state", drift=file, watch_s=0.02) as client:
        answer = client.get("/v1/drift").json()
        (one,) = answer["events"]
        assert (answer["total"], answer["warning"], answer["is_read"]) == (1, "", True)
        assert (one["field"], one["by"]) == ("pfc", ["eve by cli"])
        assert one["position"] == "inventory/fabric.yaml:8:7"
        with file.open("a") as out:
            out.write(event("pfc", is_open=False))
        until(lambda: client.get("/v1/drift").json()["events"] == [], "it has ended")
        with file.open("a") as out:
            out.write("nonsense\n")
        until(lambda: client.get("/v1/drift").json()["warning"], "a wrong line is reported")
        assert "not an event" in client.get("/v1/drift").json()["warning"]


def test_a_device_has_its_own_events_with_both_values(tmp_path):
    file = tmp_path / "drift.jsonl"
    with served(tmp_path / "state", drift=file, watch_s=0.02) as client:

        def lasting(device):
            return client.get(f"/v1/devices/{device}").json()["lasting"]

        assert lasting("su1-rail0") is None
        write_whole(file, event("mtu"))
        until(lambda: lasting("su1-rail0"), "the events are read")
        (one,) = lasting("su1-rail0")
        assert (one["planned"], one["running"], one["by"]) == ("9000", "1500", ["eve by cli"])
        assert one["since"] == "2026-11-24T12:00:00Z"
        assert lasting("su1-rail1") == []
        write_whole(file, "[]")
        until(lambda: lasting("su1-rail0") is None, "a list of devices is read")


def test_without_a_file_nothing_is_known(tmp_path):
    with served(tmp_path / "state") as client:
        answer = client.get("/v1/drift").json()
    assert (answer["is_read"], answer["events"], answer["written_s"]) == (False, [], None)
