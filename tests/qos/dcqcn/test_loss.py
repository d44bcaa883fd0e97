"""The bound of what a start loses without PFC, against the packet simulator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.dcqcn import loss
from fabric.qos.dcqcn.loss import least_queue_bytes, start_loss_bytes
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.simulate.classes import Ingress
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import Cable, End, Scenario, Stream
from fabric.qos.simulate.spread import spread
from fabric.qos.simulate.start import Buffer, start_scenario
from fabric.qos.simulate.summary import Summary

POINT = CongestionPoint(kmin_bytes=50_000, kmax_bytes=100_000, pmax_percent=100)
SET = replace(
    PAPER,
    congestion_point=POINT,
    reaction_point=replace(PAPER.reaction_point, byte_counter_bytes=0),
)
TRIP_US, GBPS, BUFFER = 200.0, 100, 500_000
#: No pause takes effect within the run: as if there were no PFC.
NEVER_NS = 1e9


def lost_bytes(flows: int, parameters=SET) -> int:
    """Return what a switch without headroom loses of a start in 1 ms, packets on the wire."""
    free = Ingress(alpha=1000.0, headroom_bytes=0)
    cables = tuple(
        Cable(
            near=End(node=host, response_ns=NEVER_NS),
            far=End(node=flows + 1, ingress=free, marking=POINT),
            speed_gbps=GBPS,
            delay_ns=0.0,
            latency_ns=TRIP_US * 1000 / 4,
        )
        for host in range(flows + 1)
    )
    run = simulate(
        Scenario(
            shared_bytes=(*[None] * (flows + 1), BUFFER),
            cables=cables,
            streams=tuple(Stream(path=(2 * host, 2 * flows + 1)) for host in range(flows)),
            parameters=parameters,
            duration_us=1_000.0,
        )
    )
    return int(run.ports["dropped"].sum()) * (4096 + 82)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("flows", [2, 4, 8, 16])
def test_no_start_loses_more(flows, clamp):
    parameters = replace(SET, reaction_point=replace(SET.reaction_point, clamp_target=clamp))
    bound = start_loss_bytes(flows, GBPS, TRIP_US / 1e6, parameters, BUFFER)
    lost = lost_bytes(flows, parameters)
    assert lost <= bound
    assert lost > bound / 3  # it says something


def test_a_limit_at_the_first_notice_loses_no_more():
    point = replace(SET.reaction_point, first_cnp_rate_mbps=GBPS * 1000 // 16)
    limited = replace(SET, reaction_point=point)
    assert lost_bytes(8, limited) <= start_loss_bytes(8, GBPS, TRIP_US / 1e6, limited, BUFFER)


@given(
    flows=st.integers(1, 256),
    trip=st.floats(1e-6, 2e-3),
    more=st.floats(0, 1e9),
)
def test_bounds_are_monotone(flows, trip, more):
    least = start_loss_bytes(flows, 400, trip, SET, 0)
    assert start_loss_bytes(flows, 400, trip, SET, more) >= least  # a longer queue tells later
    assert least <= start_loss_bytes(flows + 1, 400, trip, SET, 0)
    assert least <= start_loss_bytes(flows, 400, 2 * trip, SET, 0)


@pytest.mark.parametrize("spread_us", [0.0, 30.0, 100.0])
@pytest.mark.parametrize("parameters", [CONNECTX, PAPER], ids=["connectx", "paper"])
@pytest.mark.parametrize("gbps", [100, 400])
@pytest.mark.parametrize("flows", [4, 16, 32])
def test_no_start_queues_less(parameters, gbps, flows, spread_us):
    """A buffer that pauses nobody; ConnectX swings, so only the paper's queue is near the bound."""
    free = Buffer(10**10, Ingress(alpha=1.0, headroom_bytes=10**6))
    marking = CONNECTX.congestion_point
    scenario = start_scenario(gbps, marking, parameters, free, 9.24e-6, flows)
    short = replace(scenario, duration_us=1_000.0)
    runs = [Summary(simulate(one)) for one in spread(short, spread_us, range(1, 4))]
    least = least_queue_bytes(flows, gbps, 9.24e-6, parameters, spread_us / 1e6)
    assert least <= min(run.most_queue_bytes for run in runs)
    peaks = [run.most_queue_bytes for run in runs]
    assert parameters is CONNECTX or flows == 4 or max(peaks) < 4 * least
    assert sum(run.pauses for run in runs) == 0


def test_a_limit_at_the_first_notice_queues_less():
    point = replace(PAPER.reaction_point, first_cnp_rate_mbps=25_000)
    limited = replace(PAPER, reaction_point=point)
    least = least_queue_bytes(16, 400, 9.24e-6, limited, 0.0)
    assert least == pytest.approx(50e9 * 15 * 9.24e-6, rel=0.15)
    assert least < least_queue_bytes(16, 400, 9.24e-6, PAPER, 0.0)


@pytest.mark.parametrize("spread_us", [0.0, 100.0])
def test_the_steps_of_the_bound_are_short_enough(monkeypatch, spread_us):
    coarse = least_queue_bytes(16, 400, 9.24e-6, PAPER, spread_us / 1e6)
    monkeypatch.setattr(loss, "_STEPS", 64)
    fine = least_queue_bytes(16, 400, 9.24e-6, PAPER, spread_us / 1e6)
    assert coarse == pytest.approx(fine, rel=0.1)


def test_one_flow_loses_nothing():
    assert start_loss_bytes(1, 400, 1e-3, SET, 0) == 0
    assert np.isfinite(start_loss_bytes(256, 800, 2e-3, SET, 0))
