"""A lab whose counters move as an incident says."""

from __future__ import annotations

import json
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from fabric.lab.faults import Fault
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from tests.topology.fabrics import document

if TYPE_CHECKING:
    from collections.abc import Iterator

INCIDENTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("incidents.toml").read_text()
)
#: What moves on every NIC and port of a fabric that works.
_NIC = {
    "tx_prio3_packets": 40_000,
    "np_ecn_marked_roce_packets": 900,
    "np_cnp_sent": 400,
    "rp_cnp_handled": 400,
}
_OUT, _IN = (f"SAI_PORT_STAT_IF_{way}_UCAST_PKTS" for way in ("OUT", "IN"))
_QUEUE = "SAI_QUEUE_STAT_PACKETS"


def inventory(folder: Path) -> Path:
    """Write two leaves of one rail, four spines and ten hosts."""
    data = document(
        rails=1,
        units=[{"name": "su1", "hosts": "a[1-8]"}, {"name": "su2", "hosts": "b[1-2]"}],
        spines={"count": 4, "links_per_leaf": 2},
        host={"gpus": 1, "interfaces": "eth1", "rdma_devices": "mlx5_1"},
        lossless={"ecn": {"kmin_bytes": 150000, "kmax_bytes": 1500000, "pmax_percent": 100}},
        arp={"timeout_s": 240},
    )
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


@contextmanager
def running(folder: Path) -> Iterator[tuple[Any, Project, Path]]:
    """Yield (lab, project, connections file) of a fabric that runs as planned."""
    project = Project(inventory(folder / "inventory"))
    with laboratory(project, folder / "lab") as lab:
        for name in project.devices:
            lab[name].running = json.loads(project.sonic_files[name])
        yield lab, project, folder / "lab" / CONNECTIONS


@contextmanager
def incident(lab: Any, project: Project, said: dict[str, Any]) -> Iterator[None]:
    """Let the counters of a lab move as an incident says, until the end of the block."""
    moves = background(project) if said.get("background", True) else {}
    for nic in project.hosts if "every_nic" in said else ():
        moves[f"{nic} eth1"] = moves[f"{nic} eth1"] | said["every_nic"]
    for what, rates in said.get("moves", {}).items():
        moves[what] = moves.get(what, {}) | rates
    clear(lab, project)
    for device, item, name, count in rows(said.get("sets", {})):
        lab[device].counters.add(item, name, count)
    for device, item, name, per_s in rows(moves):
        lab[device].counters.run(item, name, per_s)
    cut, unread = said.get("unplugged", []), said.get("unread", [])
    for device, port in map(str.split, cut):
        lab[device].unplugged.add(port)
    for device in unread:
        lab[device].faults.add(Fault("cut_at_command", times=0))
    try:
        yield
    finally:
        for device, port in map(str.split, cut):
            lab[device].unplugged.discard(port)
        for device in unread:
            lab[device].faults.clear()


def rows(table: dict[str, dict[str, float]]) -> Iterator[tuple[str, str, str, float]]:
    """Yield device, object, counter and value."""
    for what, values in table.items():
        device, _, item = what.partition(" ")
        for name, value in values.items():
            is_pause = name.startswith("PFC_")
            yield device, item, f"SAI_PORT_STAT_{name}_PKTS" if is_pause else name, value


def background(project: Project) -> dict[str, dict[str, float]]:
    """Return the rates of a fabric that works: even uplinks, marks that are answered."""
    moves: dict[str, dict[str, float]] = {f"{name} eth1": dict(_NIC) for name in project.hosts}
    for name, design in project.devices.items():
        for port in design.ports:
            if port.kind != "unused":
                moves[f"{name} {port.name}"] = {_OUT: 40_000, _IN: 40_000}
                moves[f"{name} {port.name}:queue 3"] = {_QUEUE: 40_000}
    return moves


def clear(lab: Any, project: Project) -> None:
    """Start all counters from zero."""
    for name in project.devices:
        lab[name].counters.values.clear()
        lab[name].counters.rates.clear()
        lab[name].counters.words.clear()
    for name in project.hosts:
        lab[name].counters.clear()
