"""A service for the page, and the browser that has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fabric.observe.state import LldpNeighbour
from fabric.topology.device_ends import ends_of
from fabric.workflow.project import Project
from tests.judges.page.browser import MARKUP, errors, scheme, size
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import served
from tests.topology.fabrics import INVENTORY

#: What a hostile neighbour says of itself: markup, marks of writing direction, and a long name.
NAMES = (
    MARKUP,
    "\u202egnp.\u2066evil\u200f",
    "x" * 10_000,
    "</script><script>window.hit=1</script>",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a client of a server of 512 GPUs with readings, drift, a job and a condition."""
    folder = tmp_path_factory.mktemp("page")
    fabric = Project(INVENTORY / "rail-512").fabric
    readings, drift = folder / "readings.jsonl", folder / "drift.json"
    ports = [end.port for end in ends_of(fabric, "su1-rail0")]
    marked = {
        ("su1-rail0", port): Traffic(
            load=0.9, pause_per_s=50, error_per_s=1, neighbours=(LldpNeighbour(name, name, name),)
        )
        for port, name in zip(ports, NAMES, strict=False)
    }
    devices = ["su1-rail0", "su1-rail1", "gpu001", "spine01"]
    append(readings, records(fabric, devices, 3, busy(marked)))
    change = {"path": MARKUP, "running": MARKUP, "planned": "y" * 10_000, "line": ""}
    off = {"subject": "eth1", "item": "pfc", "message": f"PFC is off {MARKUP}", "unknown": False}
    drift.write_text(
        json.dumps([
            {"device": "su1-rail0", "drift": [change]},
            {"device": "gpu002", "ok": False, "drift": [], "deviations": [off]},
        ])
    )
    with served(
        folder / "state", INVENTORY / "rail-512", readings=readings, drift=drift, watch_s=0.05
    ) as client:
        client.readings, client.fabric = readings, fabric
        client.post("/v1/jobs", json={"name": "train-7", "hosts": "gpu[001-012]"})
        reason = {"health": "degraded", "reason": MARKUP, "capacity": 1}
        client.patch("/v1/state", json={"conditions": {"su1-rail0": reason}})
        yield client


@pytest.fixture
def page(browser: Any, site: Any) -> Iterator[Any]:
    """Return the browser without what a test before it left; no test may leave an error."""
    size(browser, 1280)
    scheme(browser, "light")
    browser.get("about:blank")
    browser.get_log("browser")
    yield browser
    assert browser.execute_script("return window.hit ?? 0") == 0
    assert errors(browser) == []
