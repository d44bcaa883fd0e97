"""show buffer --observed: what watermarks say of each lossless group and pool."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe import Snapshot
from fabric.observe.state import PoolUse, QueueCounters
from fabric.report.buffer_use import Peaks, buffer_use
from fabric.workflow.project import Project

DEMO = Path(__file__).parents[2] / "inventory" / "demo"
#: Headroom of a host port of 400G and 5 m, and the pool (ACS-MSN4700).
HEADROOM_BYTES, POOL_BYTES = 38_912, 20_627_456


def rows(*peaks: Peaks) -> list[dict[str, object]]:
    table = buffer_use(Project(DEMO), peaks)
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def of(counters: QueueCounters, **pool: int) -> Peaks:
    pools = {"ingress_lossless_pool": PoolUse(**pool)} if pool else None
    groups = {("Ethernet0", 3): counters, ("Ethernet0", 0): QueueCounters(watermark_bytes=99)}
    return Peaks("su1-rail0", Snapshot("su1-rail0", priority_groups=groups, buffer_pools=pools))


@pytest.mark.parametrize(
    ("counters", "slack", "words"),
    [
        (QueueCounters(watermark_bytes=0), HEADROOM_BYTES, "headroom not used"),
        (QueueCounters(watermark_bytes=9728), 29_184, "25.0 % of the headroom used"),
        (QueueCounters(watermark_bytes=HEADROOM_BYTES), 0, "headroom full"),
        (QueueCounters(watermark_bytes=40_000), -1088, "headroom full"),
        (QueueCounters(None, 7, 9728), 29_184, "used; 7 packets dropped"),
        (QueueCounters(), "unknown", "headroom not reported"),
    ],
)
def test_slack_of_a_port(counters: QueueCounters, slack: object, words: str) -> None:
    first = rows(of(counters))[0]
    assert (first["port"], first["group"]) == ("Ethernet0", 3)
    assert first["headroom_bytes"] == HEADROOM_BYTES
    assert first["slack_bytes"] == slack
    assert words in str(first["verdict"])


def test_a_port_that_was_not_reported_is_unknown() -> None:
    """It is in the design, so that it has a row."""
    [_, second, *_] = rows(of(QueueCounters(watermark_bytes=1)))
    assert second["port"] == "Ethernet8"
    assert second["slack_bytes"] == "unknown"


def test_the_pool() -> None:
    last = rows(of(QueueCounters(shared_watermark_bytes=5), watermark_bytes=POOL_BYTES // 4))[-1]
    assert last["port"] == "ingress_lossless_pool"
    assert last["shared_peak_bytes"] == POOL_BYTES // 4
    assert last["verdict"] == f"25.0 % of {POOL_BYTES:,} used"


def test_a_switch_that_was_not_read() -> None:
    [row] = rows(Peaks("spine01", None, "not read on this system"))
    assert row["device"] == "spine01"
    assert row["verdict"] == "not read on this system"
