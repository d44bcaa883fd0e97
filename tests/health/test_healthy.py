"""Busy fabrics that work: 30 windows of all systems, as each reports them, name no cause."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest

from fabric.core.findings import Severity
from fabric.design.designs import Designs
from fabric.health.ends import ends_of
from fabric.health.judge import judge
from fabric.health.reading import Reading
from fabric.health.settings import Settings
from fabric.health.window import Window
from fabric.observe.state import NicCounters, PfcCounters, QueueCounters
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.observe import Pace, Selection, observe_again, observed, turns
from fabric.workflow.project import Project
from tests.cases import each
from tests.change.labs import silent
from tests.health.windows import NIC, planned
from tests.topology.fabrics import INVENTORY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.health.ends import Ends
    from fabric.health.plan import Plan
    from fabric.observe.snapshot import Snapshot

WINDOW_S = 10.0
#: Where counters stand at first: some wrap in the window.
STARTS = (0, 10**12, 2**64 - 10**6)


@cache
def fabric() -> tuple[Ends, Plan]:
    """Return the ends and the plan of a fabric with a leaf of each system."""
    designs = Designs(INVENTORY / "mixed")
    ends = ends_of(designs.fabric)
    return ends, planned(ends, designs)


@pytest.fixture(scope="module")
def reported(tmp_path_factory) -> Mapping[str, tuple[str, Snapshot]]:
    """System and reading of each device of a lab: what its real parser finds in real output."""
    folder, project = tmp_path_factory.mktemp("healthy"), Project(INVENTORY / "mixed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", "lab-password")
        with laboratory(project, folder):
            places, every = folder / CONNECTIONS, Selection()
            again = observe_again(project, places, every, (), silent, Pace(number=1))
            (seen,) = turns(again, observed(project, every), 600)
    return {one.device: (one.platform, one.snapshot) for one in seen if one.snapshot}


class Traffic:
    """What moves in a window, by the row of an end: each list holds a figure of every end."""

    def __init__(self, ends: Ends, plan: Plan, random: Random) -> None:
        self.ends, self.plan = ends, plan
        busy = random.choice((0.1, 1.0))  # jobs compute, or they communicate
        rows = range(len(ends))
        self.starts = [random.choice(STARTS) for _ in rows]
        self.packets = [int(busy * 10**6 * random.uniform(0.8, 1.2)) for _ in rows]
        self.pauses = [random.choice((0, 0, random.randrange(150))) for _ in rows]
        self.discards = [random.choice((0, 0, random.randrange(5))) for _ in rows]
        self.lossy_drops = [random.choice((0, random.randrange(60))) for _ in rows]
        self.corrected = [random.randrange(10**5) for _ in rows]
        self.peaks = [random.choice((0.0, 0.4, 1.0)) for _ in rows]
        self.lossless = [plan.lossless[row].nonzero()[0].tolist() for row in rows]

    def rises(self, row: int) -> dict[str, int]:
        """Return how much the counters of a switch port rise; those without a name do not."""
        far, rises = int(self.ends.far[row]), {"fec_corrected": self.corrected[row]}
        for ways, end in ((("tx", "out"), row), (("rx", "in"), far)):
            drops = self.discards[row] + (self.lossy_drops[row] if end == row else 0)
            for way in ways:
                rises[f"{way}_packets"] = self.packets[end]
                rises[f"{way}_bytes"] = 1000 * self.packets[end]
                rises[f"{way}_pfc_frames"] = rises[f"{way}_pause_frames"] = self.pauses[end]
                rises[f"{way}_drops"] = rises[f"{way}_discards"] = drops
        return {**rises, "out_ecn_marked_packets": self.packets[row] // 50}


def counted(values: Mapping[str, int], start: int, rises: Mapping[str, int]) -> dict[str, int]:
    """Return counters of 64 bits that began somewhere and rose."""
    return {name: (start + rises.get(name, 0)) % 2**64 for name in values}


def of_switch(snapshot: Snapshot, traffic: Traffic, *, is_after: bool) -> Snapshot:
    """Return a reading of a switch: what its system reports, with figures of the traffic."""
    rows = traffic.ends.rows[traffic.ends.number[snapshot.device]]
    by_field: dict[str, dict[object, object]] = {}

    def put(field: str, key: object, value: object) -> None:
        if key in (getattr(snapshot, field) or {}):
            by_field.setdefault(field, {})[key] = value

    for port, row in rows.items():
        state = (snapshot.interfaces or {}).get(port)
        far, on = int(traffic.ends.far[row]), int(is_after)
        if state is not None:
            rises = traffic.rises(row) if is_after else {}
            counters = counted(state.counters, traffic.starts[row], rises)
            put("interfaces", port, replace(state, up=True, counters=counters))
        frames = [
            tuple(
                on * traffic.pauses[end] * (priority in traffic.lossless[row])
                for priority in range(8)
            )
            for end in (far, row)
        ]
        put("pfc_counters", port, PfcCounters(*frames))
        for number in range(8):
            is_lossless = number in traffic.lossless[row]
            mine = traffic.packets[row] if is_lossless else 60 * (number == 0)
            drops = 0 if is_lossless else traffic.lossy_drops[row] * (number == 0)
            for field in ("queues", "priority_groups"):
                old = (getattr(snapshot, field) or {}).get((port, number))
                if old is not None:
                    peak = int(traffic.peaks[row] * traffic.plan.headroom_bytes[row])
                    put(
                        field,
                        (port, number),
                        QueueCounters(
                            None if old.packets is None else on * mine,
                            None
                            if old.dropped_packets is None
                            else on * drops * (field == "queues"),
                            None if old.watermark_bytes is None else peak,
                        ),
                    )
            mark = (snapshot.ecn or {}).get((port, number))
            if mark is not None and mark.marked_packets is not None:
                put(
                    "ecn",
                    (port, number),
                    replace(mark, marked_packets=on * is_lossless * mine // 50),
                )
    fields = {name: {**getattr(snapshot, name), **values} for name, values in by_field.items()}
    return replace(snapshot, **fields)


def of_host(snapshot: Snapshot, traffic: Traffic, *, is_after: bool) -> Snapshot:
    """Return a reading of a host whose NICs send, receive marks and answer them."""
    nics = {}
    for interface, row in traffic.ends.rows[traffic.ends.number[snapshot.device]].items():
        far, on = int(traffic.ends.far[row]), int(is_after)
        marks = on * traffic.packets[far] // 50
        rises = {"np_ecn_marked_roce_packets": marks, "np_cnp_sent": marks // 8}
        rises["rp_cnp_handled"] = on * traffic.packets[row] // 400
        for priority in traffic.lossless[row]:
            rises |= {
                f"tx_prio{priority}_packets": on * traffic.packets[row],
                f"tx_prio{priority}_pause": on * traffic.pauses[row],
                f"rx_prio{priority}_pause": on * traffic.pauses[far],
                f"tx_prio{priority}_pause_duration": 300 * on * traffic.pauses[row],
                f"rx_prio{priority}_pause_duration": 300 * on * traffic.pauses[far],
            }
        nics[interface] = NicCounters(
            "mlx5_1",
            up=True,
            counters={name: rises.get(name, 0) for name in NIC["driver"]},
            hw_counters={name: rises.get(name, 0) for name in NIC["hw"]},
        )
    return replace(snapshot, nics=nics)


@each("seed", range(30))
def test_a_busy_fabric_has_no_cause(reported, seed: int) -> None:
    ends, plan = fabric()
    random = Random(seed)
    traffic, readings = Traffic(ends, plan, random), {}
    for device, (platform, snapshot) in reported.items():
        of = of_host if platform == "host" else of_switch
        before, after = (of(snapshot, traffic, is_after=turn) for turn in (False, True))
        late_s = random.choice((0.0, 0.0, 3.0))
        readings[device] = Reading(platform, before, after, WINDOW_S + late_s)
    judgement = judge(Window(ends, plan, readings, Settings()))
    assert judgement.broken == ()
    told = [cause for cause in judgement.causes if cause.severity > Severity.INFO]
    assert told == []
    assert {"OBS101", "OBS111", "OBS114", "OBS120"} <= {*judgement.judged}
