"""Judges a window of a large fabric as a process of its own, and prints what it took as JSON.

Every port of a switch counts what SONiC counts, every NIC what mlx5 does. Devices with the same
ports share the entries of their tables, so that the memory is that of the arrays.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from fabric.core.garbage import collect_rarely
from fabric.health.ends import Ends, ends_of
from fabric.health.judge import judge
from fabric.health.plan import plan_of
from fabric.health.reading import Reading
from fabric.health.settings import Settings
from fabric.health.window import Window
from fabric.observe.rates import Rates
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import (
    InterfaceState,
    NicCounters,
    PfcCounters,
    QueueCounters,
    SystemFacts,
    TableUse,
    WatchdogState,
)
from fabric.report.observed import Seen
from fabric.report.oddities import Oddities
from fabric.report.recorded_windows import recorded_windows
from fabric.workflow.judge import planned_of
from fabric.workflow.port_plans import expected
from fabric.workflow.project import Project
from tests.health.windows import NIC

WINDOW_S = 10.0
START = datetime(2026, 11, 24, tzinfo=UTC)
#: A file has the readings of one device of so many.
EACH = 16


@cache
def tables(ports: tuple[str, ...], turn: int, *, is_switch: bool) -> dict[str, Any]:
    """Return what a device with these ports has read; nothing is wrong with it."""
    facts = SystemFacts("device", uptime_s=1_000.0 + WINDOW_S * turn)
    if not is_switch:
        driver = {
            name: 10**6 * turn if "prio3_packets" in name else 0 for name in sorted(NIC["driver"])
        }
        return {
            "facts": facts,
            "nics": {p: NicCounters("mlx5_0", True, driver, NIC["hw"]) for p in ports},
        }
    ways = {f"{way}_{name}": 10**6 * turn for way in ("rx", "tx") for name in ("packets", "bytes")}
    faults = {
        f"{way}_{name}": 0 for way in ("rx", "tx") for name in ("errors", "drops", "overruns")
    }
    counters = {**ways, **faults, "fec_corrected": 50 * turn, "fec_uncorrected": 0}
    numbered = [(port, number) for port in ports for number in range(8)]
    return {
        "facts": facts,
        "interfaces": {port: InterfaceState(up=True, counters=dict(counters)) for port in ports},
        "pfc_counters": {port: PfcCounters((0,) * 8, (0,) * 8) for port in ports},
        "watchdog": {(port, 3): WatchdogState(True, 0, 0, 0) for port in ports},
        "queues": {key: QueueCounters(100 * turn, 0, 10) for key in numbered},
        "priority_groups": {key: QueueCounters(None, 0, 10, 10) for key in numbered},
        "tables": {"host_entries": TableUse(10, 1000)},
    }


def readings_of(ends: Ends) -> Iterator[tuple[str, Reading]]:
    """Yield a reading of each device."""
    for name, rows in zip(ends.names, ends.rows, strict=True):
        is_switch = name in ends.fabric.switch_row
        before, after = (
            Snapshot(name, **tables(tuple(rows), turn, is_switch=is_switch)) for turn in (1, 2)
        )
        yield name, Reading("sonic" if is_switch else "host", before, after, WINDOW_S)


def write(file: Path, readings: dict[str, Reading]) -> None:
    """Write both readings of one device of so many as `observe --out` does."""
    with file.open("w", encoding="utf-8") as lines:
        for turn, when in enumerate(("before", "after")):
            for name in list(readings)[::EACH]:
                one = readings[name]
                rates = Rates(WINDOW_S, {}, {}) if turn else None
                time_of = START + timedelta(seconds=WINDOW_S * turn)
                seen = Seen(name, one.platform, getattr(one, when), time=time_of, rates=rates)
                lines.write(json.dumps(seen.as_dict()) + "\n")


def taken(do: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Return what a call returns and took, with the peak of the process so far."""
    start_s, start_cpu_s = time.perf_counter(), time.process_time()
    result = do()
    return result, {
        "elapsed_s": round(time.perf_counter() - start_s, 2),
        "cpu_s": round(time.process_time() - start_cpu_s, 2),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main(folder: Path, file: Path) -> None:
    """Judge the fabric of a folder, and read a file of its readings."""
    collect_rarely()  # as the command does
    project = Project(folder)
    ends = ends_of(project.fabric)
    plan = plan_of(ends, expected(project))
    readings = dict(readings_of(ends))
    judgement, judged = taken(lambda: judge(Window(ends, plan, readings, Settings())))
    assert judgement.broken == ()
    assert judgement.causes == ()
    write(file, readings)
    odd = Oddities(file)
    seen, read = taken(lambda: recorded_windows(file, planned_of(ends), odd))
    assert odd.findings() == []
    about = {"devices": len(ends.names), "ends": len(ends), "records": len(seen)}
    about |= {"mib": round(file.stat().st_size / 2**20)}
    print(json.dumps({"judged": judged, "read": read, **about}))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
