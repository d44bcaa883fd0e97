"""Roll-outs: waves by failure domain, and what is wrong between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.change.drain import drains
from fabric.change.jobs import listed, named, on_hosts
from fabric.change.model import Risk
from fabric.change.rollout import LOSS, POD, Ping, RolloutPlan, demand
from fabric.change.stages import Stages
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.units import PERCENT
from fabric.probe.reach.plan import SAME_LEAF, probes
from fabric.topology.clos import clos, failed
from fabric.topology.outages import outage_of_ports
from fabric.topology.paths import Layers
from fabric.workflow.carrying import changing_ports, idle_ports
from fabric.workflow.devices import Selection
from fabric.workflow.probe import leg_of, taking_part
from fabric.workflow.sides import sides

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from fabric.change.model import DevicePlan, Plan
    from fabric.change.rollout import Stage
    from fabric.design.host_model import NicAddress
    from fabric.observe.snapshot import Running
    from fabric.topology.model import Bools
    from fabric.workflow.mixed_sessions import MixedSessions
    from fabric.workflow.project import Project

#: Most pings of one wave; our choice: three seconds each, side by side on all hosts.
MOST_PINGS = 64
#: Risks that take traffic from a port.
_FLAPS = (Risk.PORT_FLAP, Risk.RESTART)


def staged(project: Project, plan: Plan, running: Mapping[str, Running]) -> Plan:
    """Return a plan with the waves of the inventory's roll-out.

    Switches change before hosts, unless fewer states between waves are wrong the other way round.

    Parameters
    ----------
    running : mapping of str to Running
        Running state of each device.
    """
    from fabric.workflow.mixed import hazards  # the proof takes long to import
    from fabric.workflow.mixed_sessions import MixedSessions

    policy = project.intent.fabric.rollout
    before, after = sides(project, running)
    idle = idle_ports(project, before, after, in_service=False)
    changing = {
        name: changing_ports(plan.devices[name], design)
        for name, design in project.devices.items()
        if name in plan.devices
    }
    stages = Stages(project.fabric, policy, idle=idle, changing=changing)
    best: RolloutPlan | None = None
    for hosts_first in (False, True):
        order = tuple(stages.of(plan.devices, hosts_first=hosts_first))
        problems = tuple(hazards(project, [stage.names for stage in order], before, after))
        if best is None or len(problems) < len(best.hazards):
            best = RolloutPlan(policy, order, problems)
        if not problems:
            break
    assert best is not None
    sessions = MixedSessions.of(project, [stage.names for stage in best.stages], before, after)
    devices = sessions.demanded(plan.devices)
    down = {name for name, device in devices.items() if _takes_down(device)}
    best = replace(best, stages=tuple(_meanwhile(stages, best.stages, down, sessions)))
    if policy.gates.ping or policy.gates.rdma:
        best = replace(best, stages=tuple(_with_pings(project, best.stages, sessions)))
    best = _with_jobs(best)
    waves = tuple(stage.names for stage in best.stages)
    return replace(plan, waves=waves, rollout=best, devices=devices)


def _takes_down(device: DevicePlan) -> bool:
    """Tell whether a change takes ports or sessions of a device down while it is applied."""
    return bool(device.risk in _FLAPS or device.later or device.due)


def _meanwhile(
    stages: Stages, ordered: Sequence[Stage], down: Collection[str], sessions: MixedSessions
) -> Iterator[Stage]:
    """Yield the waves with what is left while devices, and sessions of the waves before, are down.

    Devices whose change takes nothing down count where there are no others: if all of it fails.
    """
    for number, stage in enumerate(ordered, 1):
        own = tuple(name for name in stage.names if name in down)
        cut = sessions.cut_after(number - 1), sessions.cut_after(number)
        yield stages.meanwhile(stage, own, *cut)


def _with_jobs(rollout: RolloutPlan) -> RolloutPlan:
    """Return the plan with the jobs that run on the hosts of each wave."""
    wanted = rollout.policy.jobs
    if not wanted.running:
        return rollout
    jobs = listed(wanted.running, wanted.timeout_s)
    stages = (
        replace(stage, jobs=on_hosts(jobs, stage.hosts)) if stage.hosts else stage
        for stage in rollout.stages
    )
    return replace(rollout, stages=tuple(stages), jobs=tuple(jobs) if rollout.hazards else ())


def _with_pings(
    project: Project, stages: Sequence[Stage], sessions: MixedSessions
) -> Iterator[Stage]:
    """Yield the waves with pings through their devices: by every kind of path, spread evenly.

    No ping goes between leaves that have no path after the wave.
    """
    fabric = project.fabric
    by_rdma = project.intent.fabric.rollout.gates.rdma
    hosts_in = taking_part(project, Selection()) if by_rdma else pinging(project)
    table = probes(fabric, hosts_in)
    leaves = fabric.nics.leaf
    for number, stage in enumerate(stages, 1):
        rows = [fabric.switch_row[name] for name in stage.names if name in fabric.switch_row]
        hosts = [fabric.host_row[name] for name in stage.names if name in fabric.host_row]
        ends = np.stack([table.source, table.target])
        through = np.isin(leaves[ends], rows).any(axis=0)
        through |= np.isin(fabric.nics.host[ends], hosts).any(axis=0)
        if any(row >= fabric.switches.leaf_count for row in rows):
            through |= table.kind != SAME_LEAF
        if cut := sessions.cut_after(number):
            reach = Layers.of(failed(clos(fabric), outage_of_ports(fabric, cut))).reach
            through &= reach[leaves[ends[0]], leaves[ends[1]]] | (table.kind == SAME_LEAF)
        chosen = np.flatnonzero(through)
        places = np.unique(np.linspace(0, max(0, len(chosen) - 1), MOST_PINGS).astype(int))
        pings = [
            planned_ping(project, int(table.source[number]), int(table.target[number]))
            for number in chosen[places if len(chosen) else []]
        ]
        yield replace(stage, pings=tuple(ping for ping in pings if ping))


def pinging(project: Project) -> Bools:
    """Return which hosts are pinged, shape (hosts,): IP is enough, nothing need be lossless."""
    hosts = (  # by the inventory: a design of every host takes seconds
        project.intent.host_traits(name).nic.link_layer != "infiniband"
        for name in project.fabric.hosts.names
    )
    return np.fromiter(hosts, dtype=np.bool_, count=len(project.fabric.hosts))


def planned_ping(project: Project, source_row: int, target_row: int) -> Ping | None:
    """Return the ping from one NIC of the fabric to another, with the addresses of the plan.

    None where it knows none of one family at both ends, as NICs make their own.
    """
    source, target = (leg_of(project, row) for row in (source_row, target_row))
    ends = zip(source.nic.addresses, target.nic.addresses, strict=False)
    pair = next(((one.address, other.address) for one, other in ends if _known(one, other)), None)
    if pair is None:
        return None
    return Ping(
        source_host=source.host,
        target_host=target.host,
        source=pair[0],
        target=pair[1],
        packet_bytes=min(source.nic.mtu_bytes, target.nic.mtu_bytes),
        traffic_class_byte=source.nic.qos.traffic_class_byte,
        leaves=tuple(dict.fromkeys((source.nic.leaf, target.nic.leaf))),
    )


def _known(one: NicAddress, other: NicAddress) -> bool:
    """Tell whether two addresses are known, and of one family."""
    return bool(one.address and other.address) and one.is_ipv6 == other.is_ipv6


def describe_stage(plan: Plan, number: int) -> str:
    """Return what a wave is and takes, to follow its number; empty without a roll-out."""
    if plan.rollout is None:
        return ""
    stage = plan.rollout.stages[number - 1]
    words = [stage.kind]
    devices = [plan.devices[name] for name in stage.names]
    when = "meanwhile" if any(map(_takes_down, devices)) else "if all of it fails,"
    lost = counted(stage.lost_rails, "rail")
    rails = f", and hosts lose {lost} in total" if stage.lost_rails else ""
    words.append(f"{when} {_left(stage, plan.rollout.policy.min_capacity_percent)}{rails}")
    if plan.rollout.policy.drain.before and stage.hosts:
        words.append(f"{stage.hosts} are drained")
    if stage.jobs:
        words.append(f"jobs on them: {named(stage.jobs)}")
    if shifted := _shifted(plan, stage):
        words.append(f"traffic leaves {shifted} first")
    if stage.cut_pairs:
        words.append(f"{counted(stage.cut_pairs, 'pair of hosts is', 'pairs of hosts are')} cut")
    return f": {'; '.join(words)}"


def _left(stage: Stage, least_percent: float) -> str:
    """Return which bandwidth units or pods keep, and whether it is less than they should."""
    if stage.left_percent == PERCENT:
        return "each unit keeps all of its bandwidth"
    whose, of = "unit", f"{stage.left_of} bandwidth".strip()
    if stage.left_of == POD:
        whose, of = "pod", "bandwidth to other pods"
    is_below = stage.left_percent < least_percent
    below = f", below the {least_percent:g} % of min_capacity_percent" if is_below else ""
    return f"each {whose} keeps at least {stage.left_percent:g} % of its {of}{below}"


def _shifted(plan: Plan, stage: Stage) -> str:
    """Return the range of the switches of a wave that are drained."""
    if plan.rollout is None or not plan.rollout.policy.drain.switches:
        return ""
    return hostlist.fold_inside(name for name in stage.names if drains(plan.devices[name]))


def describe_losses(hazards: Sequence[str]) -> Iterator[str]:
    """Yield that packets can be lost between waves, and by what; nothing without hazards."""
    if hazards:
        yield f"{LOSS}:"
        yield from (f"  {hazard}" for hazard in hazards)


def describe_rollout(plan: Plan) -> Iterator[str]:
    """Yield gates, times and what is wrong between waves."""
    if plan.rollout is None:
        return
    policy = plan.rollout.policy
    asked = policy.gates.model_dump()
    asked["ping"] |= bool(plan.leaf_pings and plan.leaf_pings.pings)
    gates = [name for name in ("counters", "ping", "rdma") if asked[name]]
    gates += ["withdrawal"] if any(stage.withdrawn for stage in plan.rollout.stages) else []
    gates += ["isolation"] if any(stage.denied for stage in plan.rollout.stages) else []
    gates += ["tenant"] if any(stage.joined for stage in plan.rollout.stages) else []
    gates += ["jobs"] if policy.jobs.failed else []
    gates += [f"command {policy.gates.command[0]}"] if policy.gates.command else []
    yield f"gates of each wave: {', '.join(gates) or 'none'}; soak {policy.soak_s} s"
    for number, stage in enumerate(plan.rollout.stages, 1):
        if policy.gates.ping and not stage.pings:
            yield f"wave {number}: no ping goes through it, so the ping gate is empty"
    for window in policy.windows:
        days = ", ".join(window.days)
        yield f"waves begin {days}, {window.start} to {window.end} {window.timezone}"
    yield from describe_losses(plan.rollout.hazards)
    if plan.rollout.hazards:
        if plan.rollout.jobs:
            yield f"jobs that run: {named(plan.rollout.jobs)}"
        yield demand()
