"""The reaction point of DCQCN as ConnectX has it.

Cuts wait for the next end of a cut period, and alpha moves at the end of each alpha period, both
counted from the first notice, as in HPCC's simulator (rdma-hw.cc, "Mellanox's version of DCQCN");
the byte counter, the least share that a cut leaves and the rate limits are ConnectX's registers
(NVIDIA DOCA SDK documentation, "DCQCN CC Parameters"). As there, the wait until the next packet
stays when the rate grows; but a wait longer than the timer, which that simulator's least rate rules
out, shrinks with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.simulate.compiled import kernel
from fabric.qos.simulate.switch import CUT, TIMER, schedule

if TYPE_CHECKING:
    from fabric.qos.simulate.kinds import Events, Flows, Laws


@kernel
def _age_alpha(flows: Flows, laws: Laws, number: int, now: int) -> None:
    """Bring alpha up to date: one step for each alpha period that ended."""
    flow, law = flows[number], laws[0]
    periods = (now - flow.alpha_time) // law.alpha_period_ps
    if periods <= 0:
        return
    flow.alpha *= (1.0 - law.gain) ** float(periods)
    if flow.alpha_notice:
        flow.alpha += law.gain * (1.0 - law.gain) ** float(periods - 1)
    flow.alpha_notice = 0
    flow.alpha_time += periods * law.alpha_period_ps


@kernel
def notice(flows: Flows, laws: Laws, events: Events, number: int, now: int) -> None:
    """Take a CNP: the next cut is due at the end of this cut period."""
    flow, law = flows[number], laws[0]
    if flow.first_notice < 0:
        flow.first_notice = now
        flow.alpha, flow.alpha_time, flow.alpha_notice = law.initial_alpha, now, 0
        if law.first_notice_rate > 0:
            flow.rate = min(flow.rate, law.first_notice_rate)
        flow.target = flow.rate
    else:
        _age_alpha(flows, laws, number, now)
        flow.alpha_notice = 1
    if not flow.cut_due:
        flow.cut_due = 1
        periods = (now - flow.first_notice) // law.cut_period_ps + 1
        due = flow.first_notice + periods * law.cut_period_ps + 1000
        schedule(laws, events, due, CUT, number, 0)


@kernel
def cut(flows: Flows, laws: Laws, events: Events, number: int, now: int) -> None:
    """Cut the rate by alpha, and begin to recover."""
    flow, law = flows[number], laws[0]
    flow.cut_due = 0
    _age_alpha(flows, laws, number, now)
    raised = flow.byte_stage > 0 or (flow.timer_stage > 0 and law.clamp_after_timer)
    if law.clamp or raised:
        flow.target = flow.rate
    kept = max(law.kept, 1.0 - flow.alpha / law.alpha_divisor)
    flow.rate = min(flow.rate, max(law.min_rate, flow.rate * kept))
    flow.timer_stage, flow.byte_stage, flow.byte_count = 0, 0, 0
    flow.timer += 1
    schedule(laws, events, now + law.timer_ps, TIMER, number, flow.timer)


@kernel
def _increase(flows: Flows, laws: Laws, number: int, now: int) -> None:
    flow, law, before = flows[number], laws[0], flows[number].rate
    least = most = flow.timer_stage
    if law.byte_counter > 0:
        least, most = min(least, flow.byte_stage), max(most, flow.byte_stage)
    if least > law.recovery_steps:
        flow.target += law.hyper
    elif most >= law.recovery_steps:
        flow.target += law.additive
    flow.target = min(flow.target, law.max_rate, flow.line_rate)
    flow.rate = (flow.rate + flow.target) / 2.0
    if flow.next_packet - now > law.timer_ps:
        flow.next_packet = now + int((flow.next_packet - now) * before / flow.rate)


@kernel
def expire(flows: Flows, laws: Laws, events: Events, number: int, timer: int, now: int) -> None:
    """Raise the rate when the timer of a flow runs out, and start it again."""
    flow = flows[number]
    if timer != flow.timer:
        return
    _increase(flows, laws, number, now)
    flow.timer_stage += 1
    schedule(laws, events, now + laws[0].timer_ps, TIMER, number, timer)


@kernel
def count_bytes(flows: Flows, laws: Laws, number: int, size: int, now: int) -> None:
    """Raise the rate each time the byte counter runs over."""
    flow, law = flows[number], laws[0]
    if law.byte_counter <= 0 or flow.first_notice < 0:
        return
    flow.byte_count += size
    if flow.byte_count >= law.byte_counter:
        flow.byte_count -= law.byte_counter
        _increase(flows, laws, number, now)
        flow.byte_stage += 1
