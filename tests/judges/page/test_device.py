"""Pages of a device and of a cable."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.report.buffer import buffer_of
from fabric.report.events import line
from fabric.topology.device_ends import ends_of
from fabric.workflow.project import Project
from tests.judges.page.browser import (
    MARKUP,
    box,
    every,
    heading,
    keys,
    one,
    scheme,
    shown,
    size,
    tab_to,
    text,
    violations,
)
from tests.serve.records import append, records
from tests.serve.servers import DEMO, served
from tests.topology.fabrics import INVENTORY
from tests.waiting import until


def test_a_click_opens_a_device_and_a_cable(page: Any, site: Any) -> None:
    shown(page, site, "#/map")
    box(page, "su1-rail1").click()
    assert one(page, ".panel h2").text == "su1-rail1"
    one(page, ".panel a.main").click()
    until(lambda: "su1-rail1" in heading(page), "the device is there")
    until(lambda: "64 of 64" in text(page), "its ports are counted")
    one(page, 'a[href="#/cable/su1-rail1/Ethernet0"]').click()
    until(lambda: "gpu001 eth2" in heading(page), "the cable is there")
    until(lambda: "vendor's row, used by the port" in text(page), "the headroom is there")
    page.back()
    until(lambda: heading(page) == "su1-rail1", "the device is there again")


def test_an_overbooked_buffer_is_told(page: Any, tmp_path: Path) -> None:
    """80 km on half of the ports of a leaf: its headroom is more than its buffer."""
    text = (INVENTORY / "rail-512" / "fabric.yaml").read_text()
    far = re.sub(r"uplink_m: \d+", "uplink_m: 80000", text)
    (tmp_path / "fabric").mkdir()
    (tmp_path / "fabric" / "fabric.yaml").write_text(far)
    planned = Project(tmp_path / "fabric").devices["su1-rail0"]
    free_bytes = int(dict(buffer_of(planned))["free_bytes"].replace(",", ""))
    assert free_bytes < 0
    with served(tmp_path / "state", tmp_path / "fabric") as client:
        page.get(f"{str(client.base_url).rstrip('/')}/#/device/su1-rail0")
        until(lambda: every(page, ".facts div"), "the device is there")
        seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
        assert f"free: none: overbooked by {-free_bytes:,} bytes" in seen
        page.get("about:blank")


@pytest.mark.parametrize("width", [1280, 400])
def test_a_cable_shows_what_both_ends_are_told(page: Any, site: Any, width: int) -> None:
    """Each line of `rocefab show cable` with its verdict, in a width that has room for it."""
    told = site.get("/v1/devices/su1-rail0/cable", params={"port": "Ethernet0"}).json()["lines"]
    size(page, width)
    shown(page, site, "#/cable/su1-rail0/Ethernet0")
    until(lambda: every(page, ".ends tbody tr"), "the ends are compared")
    rows = every(page, ".ends tbody tr")
    verdicts = [row.find_element("css selector", ".badge").text for row in rows]
    assert verdicts == [line["verdict"] for line in told]
    fec = next(row.text for row in rows if row.text.startswith("FEC"))
    assert all(word in fec for word in ("auto", "rs", "ok", "HST017"))
    assert "pause storm is not set" in text(page)
    assert "at Kmax, all above it" in text(page)
    assert "drift\ndiffers from the plan" in text(page)
    assert text(page).count("differs from the plan") == 1  # of both ends
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    until(lambda: len(every(page, ".stacked")) == 2, "the headroom is there")
    for region in every(page, ".stacked"):
        inside = page.execute_script("return arguments[0].scrollWidth", region)
        assert inside <= region.size["width"]


def test_a_cable_between_switches_is_compared_with_no_host(page: Any, site: Any) -> None:
    shown(page, site, "#/cable/su1-rail0/Ethernet256")
    until(lambda: every(page, ".sum"), "all of the cable is there")
    assert not every(page, ".ends")


def test_a_condition_of_a_cable_stands_at_both_of_its_devices(page: Any, tmp_path: Path) -> None:
    with served(tmp_path / "state", DEMO) as client:
        client.patch("/v1/state", json={"conditions": {"gpu001:eth1": {"health": "down"}}})
        for device in ("su1-rail0", "gpu001"):
            page.get("about:blank")
            page.get(f"{str(client.base_url).rstrip('/')}/#/device/{device}")
            until(lambda: every(page, "[aria-label=Ports] tbody tr"), "the ports are there")
            rows = [row.text for row in every(page, "[aria-label=Ports] tbody tr")]
            assert ["gpu001:eth1: down" in row for row in rows].count(True) == 1
            head = one(page, ".head").text
            assert ("gpu001:eth1: down" in head) == (device == "gpu001")


def test_cabled_ports_are_counted(page: Any, tmp_path: Path) -> None:
    """Neither interfaces without a planned cable, nor a NIC that is switched off as planned."""
    readings = tmp_path / "readings.jsonl"
    fabric = Project(INVENTORY / "tenants").fabric
    lines = next(iter(records(fabric, ["su2-rail1", "gpu004"], 1)))
    switch = json.loads(lines[0])
    ports = switch["state"]["interfaces"]
    down = next(end for end in ends_of(fabric, "su2-rail1") if not end.is_nic)
    ports[down.port]["up"] = False
    ports |= {f"Vlan{number}": {"up": True} for number in range(30)}
    append(readings, [[json.dumps(switch), lines[1]]])
    with served(tmp_path / "state", INVENTORY / "tenants", readings=readings) as client:
        for device, told in (
            ("su2-rail1", "2 of 3, 1 in quarantine, as planned"),
            ("gpu004", "1 of 1, 1 in quarantine, as planned"),
        ):
            page.get("about:blank")
            page.get(f"{str(client.base_url).rstrip('/')}/#/device/{device}")
            until(lambda: every(page, ".facts div"), "the device is there")
            seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
            assert f"cabled ports that are up: {told}" in seen
        rows = [row.text for row in every(page, "[aria-label=Ports] tbody tr")]
        assert ["blue" in row for row in rows] == [True, False]
        assert "in quarantine, as planned none: in quarantine" in rows[1]
        assert not every(page, "[aria-label=Ports] .badge.down")
        page.get(f"{str(client.base_url).rstrip('/')}/#/cable/gpu004/eth2")
        until(lambda: len(every(page, ".stacked")) == 2, "all of the cable is there")
        assert text(page).count("none: in quarantine") == 2
        assert "switched off" not in text(page)


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ((None, None), "not known"),
        ((True, False), "1"),
        ((True, None), "0, 1 not known"),
    ],
    ids=["not known", "a storm", "one not known"],
)
def test_a_queue_without_a_known_state_is_in_no_storm(
    page: Any, tmp_path: Path, states: tuple[bool | None, ...], words: str
) -> None:
    """NX-OS and VRP8 do not say whether a storm lasts."""
    readings = tmp_path / "readings.jsonl"
    lines = next(iter(records(Project(DEMO).fabric, ["su1-rail0"], 1)))
    switch = json.loads(lines[0])
    switch["state"]["watchdog"] = {
        f"Ethernet{number}|3": {"operational": state} for number, state in enumerate(states)
    }
    append(readings, [[json.dumps(switch)]])
    with served(tmp_path / "state", DEMO, readings=readings) as client:
        page.get("about:blank")
        page.get(f"{str(client.base_url).rstrip('/')}/#/device/su1-rail0")
        until(lambda: every(page, ".facts div"), "the device is there")
        seen = {row.text.replace("\n", ": ") for row in every(page, ".facts div")}
        assert f"queues in a pause storm: {words}" in seen


def test_drift_is_shown_with_both_values_since_when_and_by_whom(
    page: Any, axe: str, tmp_path: Path
) -> None:
    """By keys alone, from the map to the row; it goes when the drift ends."""
    from selenium.webdriver.common.keys import Keys

    values = {"planned": "3,4", "running": MARKUP}
    wrong = Finding("DRF001", Severity.ERROR, "x", "y", "pfc", device="su1-rail0", **values)
    began = Event.opened(wrong, datetime(2026, 11, 24, 12, tzinfo=UTC), (f"{MARKUP} by cli",))
    file = tmp_path / "drift.jsonl"
    file.write_text(line(began))
    with served(tmp_path / "state", DEMO, drift=file, watch_s=0.05) as client:
        page.get(f"{str(client.base_url).rstrip('/')}/#/map")
        until(lambda: every(page, "g.box"), "the map is there")
        tab_to(page, "su1-rail0")
        keys(page, Keys.ENTER)
        tab_to(page, "Open")
        keys(page, Keys.ENTER)
        until(lambda: heading(page) == "su1-rail0", "the device is there")
        tab_to(page, "Drift")
        cells = [cell.text for cell in every(page, "[aria-label=Drift] td")]
        assert cells == ["PFC", "3,4\ny", MARKUP, "2026-11-24 12:00:00", f"{MARKUP} by cli"]
        for name in ("light", "dark"):
            scheme(page, name)
            assert violations(page, axe) == []
        size(page, 390, 844)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        with file.open("a") as more:
            more.write(line(began.closed(began.time)))
        until(lambda: "no drift lasts" in text(page), "the end of it is shown")
