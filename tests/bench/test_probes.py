"""How long the plan of probes takes: 16,384 hosts with 8 NICs, and how many rounds it has."""

from __future__ import annotations

import time

import pytest

from fabric.probe.reach.plan import pairs, rounds
from tests.validate.test_reach import regular


@pytest.mark.benchmark
def test_plan_of_probes():
    ends = regular(64, 256, 8)
    began_s = time.perf_counter()
    source, target, _ = pairs(ends)
    paired_s = time.perf_counter()
    turn = rounds(ends.host[source], ends.host[target], 64 * 256)
    done_s = time.perf_counter()
    print(
        f"\n{len(ends.row)} NICs: {len(source)} probes in {paired_s - began_s:.2f} s, "
        f"{turn.max() + 1} rounds in {done_s - paired_s:.2f} s"
    )
