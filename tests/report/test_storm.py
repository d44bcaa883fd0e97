"""whatif --storm, against the packet simulator and against settings of the watchdogs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from fabric.core.errors import InputError
from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.simulate.classes import SimulatedClass
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import Scenario, Storm, Stream
from fabric.qos.storm.spread import spread
from fabric.qos.storm.traffic import traffic
from fabric.report.simulated_fabric import Builder
from fabric.report.simulation_classes import RunClasses
from fabric.report.simulation_paths import Traffic, nic_row
from fabric.report.simulation_settings import Load, Settings
from fabric.report.storm import storm
from fabric.report.storm_buffers import Ports, buffers_of
from fabric.topology.sample_path import Sampler
from fabric.workflow.project import Project

INVENTORY = Path(__file__).parents[2] / "inventory"
POOL_BYTES = 4_000_000
#: Flows between two NICs in the packet simulator, so that hashing spreads them.
QUEUE_PAIRS = 4


@cache
def project(name: str) -> Project:
    return Project(INVENTORY / name)


def packets(designs: Project, nic: int, senders) -> dict[str, float]:
    """Return when the packet simulator pauses each port first, in microseconds."""
    sampler = Sampler(designs.fabric, 1)
    nics = senders.tolist()
    pairs = [(a, b) for a in nics for b in nics if a != b for _ in range(QUEUE_PAIRS)]
    paths = [sampler.path(*pair) for pair in pairs]
    load = Load(senders=1, pool_bytes=POOL_BYTES)
    target = Builder(designs, RunClasses(("lossless",), load, Settings(), None)).target(
        Traffic(paths), (SimulatedClass(),)
    )
    leaf = designs.fabric.switches.names[int(designs.fabric.nics.leaf[nic])]
    ports = designs.devices[leaf].ports
    port = next(p.name for p in ports if p.number == int(designs.fabric.nics.port[nic]))
    pools = tuple(None if pool is None else POOL_BYTES for pool in target.shared_bytes)
    at = target.names.index(f"{leaf} {port}")
    outcome = simulate(
        Scenario(
            shared_bytes=pools,
            cables=target.cables,
            streams=tuple(Stream(path=path) for path in sorted(target.paths, key=lambda p: p[0])),
            parameters=CONNECTX,
            reaction="off",
            storms=(Storm(port=at, start_us=0, stop_us=1e6),),
            duration_us=400.0,
            names=target.names,
        )
    )
    first = outcome.ports["first_pause"] / 1e6
    return {
        name: float(time)
        for name, time in zip(target.names, first, strict=True)
        if time >= 0 and name != f"{leaf} {port}"
    }


@pytest.mark.parametrize(
    ("name", "word", "everyone"),
    [("demo", "gpu001:eth1", True), ("rail-only", "gpu001:eth1", False)],
)
def test_as_the_packet_simulator(name, word, everyone):
    """The same ports stop, each kind within a fifth and two round trips of the packet simulator."""
    designs = project(name)
    nic = nic_row(designs, word)
    nics = designs.fabric.nics
    senders = np.flatnonzero(everyone | (nics.rail == nics.rail[nic]))
    flow = traffic(designs.fabric, nic, senders)
    buffers = buffers_of(designs, flow, Ports(designs, flow), POOL_BYTES)
    pools = np.full_like(buffers.shared_bytes, POOL_BYTES)
    paused_us = spread(flow, replace(buffers, shared_bytes=pools)).paused_s * 1e6
    seen = packets(designs, nic, senders)
    on = np.isfinite(paused_us)
    assert flow.ports[on].sum() == len(seen)
    switches = designs.fabric.switch_row
    for source in (-1, 0, 1):  # NICs, leaves, spines
        tier = np.where(flow.source < 0, -1, designs.fabric.switches.tier[flow.source])
        rows = on & (tier == source)
        of = (name.split()[0] for name in seen)
        tiers = [
            int(designs.fabric.switches.tier[switches[n]]) if n in switches else -1 for n in of
        ]
        times = [time for time, at in zip(seen.values(), tiers, strict=True) if at == source]
        assert bool(times) == bool(rows.any())
        if times:
            mean = np.average(paused_us[rows], weights=flow.ports[rows])
            assert np.mean(times) == pytest.approx(mean, rel=0.2, abs=20)


def test_rail_512():
    report = storm(project("rail-512"), "gpu001:eth1", pattern="all")
    assert report.hosts_end == 64
    assert report.times().rows[0][1:] == (1, 0, 0, 0, 1)
    assert report.times().rows[-1][-1] == 64
    assert report.end
    assert (report.end.where, report.end.earliest_s) == ("leaf su1-rail0 Ethernet0", 0.4)
    assert [one.restores for one in report.watches].count(True) == 1


def test_hosts_never_start_again():
    rows = storm(project("three-tier"), "gpu01:eth1").times().rows
    columns = list(zip(*rows, strict=True))
    assert all(list(column) == sorted(column) for column in columns)


def changed(tmp_path: Path, text: str) -> Project:
    folder = shutil.copytree(INVENTORY / "rail-only", tmp_path / "rail-only")
    (folder / "fabric.yaml").write_text((folder / "fabric.yaml").read_text() + text)
    return Project(folder)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("lossless: {watchdog: {enabled: false}}\n", None),
        ("lossless: {watchdog: {action: alert}}\n", None),
        ("lossless: {watchdog: {action: forward}}\n", "leaf su1-rail0 Ethernet0"),
        ("  nic: {pause_storm_ms: 100}\n", "NIC eth1"),
        ("  nic: {pause_storm_ms: 900}\n", "leaf su1-rail0 Ethernet0"),
    ],
)
def test_who_ends_it(tmp_path, text, end):
    report = storm(changed(tmp_path, text), "gpu001:eth1")
    assert (report.end.where if report.end else None) == end
    assert (report.summary()[1] == "no watchdog ends the storm") == (end is None)
    drops = [one.dropped_bytes for one in report.watches if one.action != "drop"]
    assert not any(drops)


UNKNOWN_TIMES = {
    "NX-OS chooses the times": (
        "gpu4:eth1",
        ("drop", "unknown (NXO006)", "yes"),
        ["leaf nxos-leaf Ethernet1/1 ends it for all others after a time that the switch chooses"],
    ),
    "Comware 7 gets no watchdog": (
        "gpu7:eth1",
        ("not configured", "unknown (CMW003)", "no"),
        [
            "no watchdog ends the storm",
            "rocefab configures no watchdog of leaf comware7-leaf HundredGigE1/0/1 (CMW003)",
        ],
    ),
    "Junos has them": ("gpu5:eth1", ("drop", "200.0 to 300.0", "yes"), ["after 200 to 300 ms"]),
}


@pytest.mark.parametrize(("word", "cells", "sentences"), UNKNOWN_TIMES.values(), ids=UNKNOWN_TIMES)
def test_times_that_a_switch_does_not_get(word, cells, sentences):
    report = storm(project("mixed"), word, pool_bytes=POOL_BYTES)
    table, summary = report.watchdogs(), "\n".join(report.summary())
    row, place = next(
        (row, place)
        for place, row in enumerate(table.rows)
        if str(row[0]).startswith("leaf ") and "to" not in str(row[0])
    )
    assert (row[3], row[4], row[6]) == cells
    assert all(sentence in summary for sentence in sentences)
    member = report.as_dict()["watchdogs"][place]
    assert (member["acts_ms"] is None) == ("unknown" in cells[1])
    if report.end:
        assert "leaf to spine ports may act before it (CMW003" in summary
    assert "inf" not in summary


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("demo", "gpu001:eth1", "the shared pool of spine01 (7060X6-64PE) is not known"),
        ("rail-only", "gpu001", "unknown NIC 'gpu001'"),
        ("rail-only", "gpu001:eth9", "the NICs of gpu001 are eth1"),
    ],
)
def test_what_is_not_known(name, word, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        storm(project(name), word)


def test_a_disabled_nic(tmp_path):
    folder = shutil.copytree(INVENTORY / "rail-only", tmp_path / "rail-only")
    (folder / "devices").mkdir()
    (folder / "devices" / "a.yaml").write_text(
        "devices:\n  - {names: su1-rail0, ports: {Ethernet0: {enabled: false}}}\n"
    )
    with pytest.raises(InputError, match="gpu001:eth1 is disabled"):
        storm(Project(folder), "gpu001:eth1")


def test_a_pause_spreads_later_through_devices_that_stop_late(tmp_path):
    """Of each channel its own sender counts: a spine, a NIC, and leaves as IEEE 802.3 allows."""
    data = yaml.safe_load((INVENTORY / "rail-512" / "fabric.yaml").read_text())
    data["platforms"]["spine"]["pause_response_ns"] = 6000
    data["host"].setdefault("nic", {})["pause_response_ns"] = 3000
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    delays = []
    for designs in (project("rail-512"), Project(tmp_path)):
        nic = nic_row(designs, "gpu001:eth1")
        flow = traffic(designs.fabric, nic, np.arange(len(designs.fabric.nics)))
        delays.append(buffers_of(designs, flow, Ports(designs, flow), POOL_BYTES).delay_s)
    usual_ns = 905 * 512 / 400
    tier = np.where(flow.source < 0, -1, designs.fabric.switches.tier[flow.source])
    more_ns = (delays[1] - delays[0]) * 1e9
    for source, time_ns in ((-1, 3000), (0, usual_ns), (1, 6000)):
        assert more_ns[tier == source] == pytest.approx(time_ns - usual_ns, abs=1e-3)
