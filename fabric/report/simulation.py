"""simulate: an incast on a fabric, or on a single switch, as packets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from fabric.core.errors import InputError
from fabric.core.steps import steps
from fabric.core.units import gbps_to_bytes_per_s
from fabric.qos.dcqcn.presets import PUBLISHED
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import IPV6_OVERHEAD_BYTES, Scenario, Stream
from fabric.qos.simulate.spread import spread
from fabric.qos.simulate.summary import Summary
from fabric.report.simulated_fabric import Target, incast_target
from fabric.report.simulated_star import star_of, star_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.design.designs import Designs
    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.qos.simulate.outcome import Outcome
    from fabric.qos.simulate.star import Star
    from fabric.report.simulation_settings import Load, Settings


#: Runs of each of the settings, one for each seed.
Runs: TypeAlias = dict[str, tuple[Summary, ...]]
Progress: TypeAlias = "Callable[[str], None]"
#: Runs scenarios by their names somewhere else, in their order.
Elsewhere: TypeAlias = "Callable[[Mapping[str, Scenario]], dict[str, Outcome]] | None"


def published(name: str) -> ParameterSet:
    """Return a published parameter set.

    Raises
    ------
    InputError
        When there is no such set.
    """
    sets = {one.name: one for one in PUBLISHED}
    if name not in sets:
        raise InputError(f"unknown parameter set {name!r}; available: {', '.join(sets)}")
    return sets[name]


def star_scenario(star: Star, load: Load, settings: Settings) -> Scenario:
    """Return the scenario of senders and a receiver on a single switch.

    Raises
    ------
    InputError
        When the parameter set is not published: no other has thresholds without an inventory.
    """
    if settings.sprays:
        raise InputError("spray needs several paths: an inventory instead of --star")
    chosen = published(settings.parameters)
    return _scenario(star_target(star, load, settings, chosen), load, settings, chosen)


def fabric_scenario(
    designs: Designs, receivers: tuple[str, ...], load: Load, settings: Settings, *, far: bool
) -> Scenario:
    """Return the scenario of an incast on the fabric of an inventory.

    Parameters
    ----------
    receivers : tuple of str
        ``HOST:INTERFACE`` of each.
    far : bool
        Whether senders of other units come first; else those next to the receiver.

    Raises
    ------
    InputError
        When there is no such NIC, there are too few senders, or a buffer is not known.
    """
    target, chosen = incast_target(designs, receivers, load, settings, far=far)
    scenario = _scenario(target, load, settings, chosen)
    if designs.intent.fabric.addressing.rdma_ipv6:
        return replace(scenario, overhead_bytes=IPV6_OVERHEAD_BYTES)
    return scenario


def _scenario(target: Target, load: Load, settings: Settings, parameters: ParameterSet) -> Scenario:
    return Scenario(
        shared_bytes=target.shared_bytes,
        cables=target.cables,
        streams=_streams(target, load, settings),
        parameters=parameters.with_first_cnp(settings.first_cnp_rate_mbps),
        reaction=settings.reaction,
        payload_bytes=load.payload_bytes,
        duration_us=load.duration_us,
        sample_us=max(1.0, load.duration_us / 3000),
        seed=load.seed,
        names=target.names,
        classes=target.classes,
        lossy_pools=target.lossy_pools,
        assumed=target.assumed,
        routes=target.routes,
        places=settings.places,
        levels=settings.levels,
    )


class _Flow(NamedTuple):
    """A queue pair before it has a number; they are numbered in this order."""

    port: int
    class_number: int
    path: tuple[int, ...]
    size_bytes: int | None
    rate_gbps: float | None = None


def _flows(target: Target, load: Load) -> list[_Flow]:
    """Return the queue pairs by their first port and class."""
    also = [
        _Flow(path[0], number, path, chosen.size_bytes)
        for number, (chosen, paths) in enumerate(zip(load.also, target.also, strict=True), start=1)
        for path in paths
    ]
    main = [_Flow(path[0], 0, path, load.size_bytes) for path in target.paths]
    number, rate = len(target.classes) - 1, load.lossy_gbps
    lossy = [_Flow(path[0], number, path, None, rate) for path in target.lossy]
    flows = [flow for flow in main + also for _ in range(load.queue_pairs)]
    return sorted(flows + lossy, key=lambda flow: flow[:3])


def _streams(target: Target, load: Load, settings: Settings) -> tuple[Stream, ...]:
    """Return the queue pairs; of each receiver of the incast, ``admitted`` run at once."""
    window = settings.window_bytes
    if settings.reaction in {"hpcc", "delay"} and not window:
        window = _bandwidth_delay_bytes(target, load)
    running: dict[int, list[int]] = {}
    streams = []
    for number, flow in enumerate(_flows(target, load)):
        queue = running.setdefault(flow.path[-1], []) if flow.class_number == 0 else []
        waits = load.admitted and len(queue) >= load.admitted
        streams.append(
            Stream(
                path=flow.path,
                size_bytes=flow.size_bytes,
                window_bytes=0 if flow.rate_gbps else window,
                after=queue[-load.admitted] if waits else None,
                class_number=flow.class_number,
                rate_gbps=flow.rate_gbps,
            )
        )
        queue.append(number)
    return tuple(streams)


def _bandwidth_delay_bytes(target: Target, load: Load) -> int:
    """Return the window of HPCC: what the longest idle path holds."""
    most = 0.0
    for path in target.paths:
        cables = [target.cables[port // 2] for port in path]
        rate = gbps_to_bytes_per_s(cables[0].speed_gbps)
        delay_s = sum(2e-9 * (cable.delay_ns + cable.latency_ns) for cable in cables)
        frames = sum(load.payload_bytes * 8e-9 / cable.speed_gbps for cable in cables)
        most = max(most, rate * (delay_s + frames))
    return int(np.ceil(most))


def star_runs(
    load: Load,
    variants: Sequence[Settings],
    progress: Progress,
    elsewhere: Elsewhere = None,
    **shape: float,
) -> Runs:
    """Run an incast on a single switch with each of the settings; see :func:`star_scenario`.

    Parameters
    ----------
    elsewhere : callable, optional
        Runs the scenarios; default: this process.
    shape : float
        Fields of :class:`fabric.qos.simulate.star.Star` but ``senders``.
    """
    buffer_bytes = int(shape.pop("buffer_bytes"))
    response_ns = load.response_ns or 0.0
    star = star_of(load, buffer_bytes, response_ns, **shape)
    scenarios = {one.name: star_scenario(star, load, one) for one in variants}
    return _runs(scenarios, load, progress, elsewhere)


def fabric_runs(
    designs: Designs,
    receivers: tuple[str, ...],
    load: Load,
    variants: Sequence[Settings],
    progress: Progress,
    *,
    far: bool,
    elsewhere: Elsewhere = None,
) -> Runs:
    """Run an incast on a fabric with each of the settings; see :func:`fabric_scenario`."""
    scenarios = {
        one.name: fabric_scenario(designs, receivers, load, one, far=far) for one in variants
    }
    return _runs(scenarios, load, progress, elsewhere)


def _runs(
    scenarios: dict[str, Scenario], load: Load, progress: Progress, elsewhere: Elsewhere
) -> Runs:
    """Run each scenario with each seed."""
    each = {
        f"{name}, seed {seed}": one
        for name, scenario in scenarios.items()
        for seed, one in zip(
            load.seeds, spread(scenario, load.start_spread_us, load.seeds), strict=True
        )
    }
    progress(f"simulating {', '.join(scenarios)}")
    if elsewhere:
        outcomes = list(elsewhere(each).values())
    else:
        outcomes = [simulate(one) for _, one in steps("runs", list(each.items()))]
    rows = iter(outcomes)
    return {name: tuple(Summary(next(rows)) for _ in load.seeds) for name in scenarios}
