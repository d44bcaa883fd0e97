"""Readings count for every answer of the service, as `place --avoid-state` takes the same file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric.placement.job import JobRequest
from fabric.report.observed import Seen
from fabric.workflow.place import StateFiles, place
from fabric.workflow.project import Project
from tests.serve.records import Traffic, append, busy, records
from tests.serve.servers import DEMO, copy_of_demo, served
from tests.topology.fabrics import INVENTORY, example
from tests.waiting import until

DOWN = Traffic(up=False)
#: Inventory, and the ends that the readings show down.
FAULTS = {
    "a port of a leaf": ("demo", ("su1-rail0", "Ethernet0")),
    "a NIC": ("demo", ("gpu002", "eth2")),
    "an uplink": ("demo", ("su1-rail0", "Ethernet128")),
    "one port of two": ("dual-tor", ("gpu03", "eth1")),
    "nothing": ("demo", ("gpu001", "no such port")),
}


def written(file: Path, name: str, *down: tuple[str, str]) -> Path:
    fabric = example(name)
    devices = (*fabric.switches.names, *fabric.hosts.names)
    append(file, records(fabric, devices, 1, busy(dict.fromkeys(down, DOWN))))
    return file


@pytest.mark.parametrize("case", FAULTS)
def test_the_service_says_what_the_command_says(tmp_path: Path, case: str) -> None:
    name, end = FAULTS[case]
    file, inventory = written(tmp_path / "readings.jsonl", name, end), INVENTORY / name
    hosts = len(example(name).hosts)
    members = ("hosts", "degraded", "not_considered", "links_not_as_planned", "link_load")
    with served(tmp_path / "state", inventory, readings=file) as client:
        for nodes in (2, hosts - 1):
            job = JobRequest(nodes=nodes, traffic="all-to-all")
            printed = place(Project(inventory), job, StateFiles((file,)))
            body = {"nodes": nodes, "traffic": "all-to-all"}
            placed = client.post("/v1/placements", json=body).json()
            assert {key: placed[key] for key in members} == {key: printed[key] for key in members}
        names = [*example(name).hosts.names]
        failed = client.post("/extender/filter", json={"Pod": {}, "NodeNames": names}).json()
        assert failed["FailedNodes"] == printed["not_considered"]
        takes = {one: client.get(f"/v1/hosts/{one}").json()["takes_jobs"] for one in names}
        assert {one for one in names if not takes[one]} == {*printed["not_considered"]}


def test_readings_are_followed(tmp_path: Path) -> None:
    file = written(tmp_path / "readings.jsonl", "demo")
    copy = copy_of_demo(tmp_path)
    with served(tmp_path / "state", copy, readings=file, watch_s=0.05) as client:

        def avoided() -> set[str]:
            return {*client.post("/v1/placements", json={"nodes": 1}).json()["not_considered"]}

        assert avoided() == set()
        written(file, "demo", ("gpu002", "eth1"))
        until(lambda: avoided() == {"gpu002"}, "the NIC is down")
        client.patch("/v1/state", json={"conditions": {"gpu003": {"health": "down"}}})
        assert avoided() == {"gpu002", "gpu003"}
        loads = client.get("/readyz").json()["inventory"]["loads"]
        (copy / "fabric.yaml").write_text((copy / "fabric.yaml").read_text() + "\n# edited\n")
        until(
            lambda: client.get("/readyz").json()["inventory"]["loads"] > loads, "the new inventory"
        )
        until(lambda: avoided() == {"gpu002", "gpu003"}, "the readings count there too")
        written(file, "demo")
        until(lambda: avoided() == {"gpu003"}, "the NIC is up again")


def test_what_was_not_read_is_used_last(tmp_path: Path) -> None:
    file = written(tmp_path / "readings.jsonl", "demo")
    with file.open("a") as lines:
        lines.write(json.dumps(Seen("gpu001", "host", error="no route to host").as_dict()) + "\n")
    with served(tmp_path / "state", DEMO, readings=file) as client:
        placed = client.post("/v1/placements", json={"nodes": 4}).json()
        assert placed["degraded"] == {"gpu001": "gpu001 is degraded: not read: no route to host"}


def test_old_readings_are_not_used_and_named(tmp_path: Path) -> None:
    file = written(tmp_path / "readings.jsonl", "demo", ("gpu002", "eth1"))
    old = [
        json.loads(line) | {"time": "2026-01-31T05:00:00Z"}
        for line in file.read_text().splitlines()
    ]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in old))
    with served(tmp_path / "state", DEMO, readings=file) as client:
        placed = client.post("/v1/placements", json={"nodes": 4}).json()
        assert placed["not_considered"] == {}
        warning = f"the readings of {len(old)} devices are older than 15 minutes, and are not used"
        assert placed["warnings"] == [warning]
