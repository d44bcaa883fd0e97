"""Scenarios of the tests: those that HPCC's simulator was run with, and small random ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.dcqcn.parameters import CongestionPoint, NotificationPoint, ParameterSet
from fabric.qos.dcqcn.presets import HPCC_FAST, HPCC_PAPER
from fabric.qos.simulate.classes import Ingress, PortClass, SimulatedClass
from fabric.qos.simulate.scenario import Cable, End, Scenario, Stream
from fabric.qos.simulate.star import Star

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Kmin and Kmax in kB, Pmax in percent.
PROFILES = {
    "paper": (5, 200, 1),
    "hpcc": (400, 1600, 20),
    "nvidia": (150, 1500, 100),
    "cisco": (150, 3000, 7),
    "sonic": (1048, 2097, 5),
}
#: PPP 14, IPv4 20, UDP 8 and sequence 6 bytes of that simulator.
OVERHEAD = 48


def marking(profile: str, scale: int = 1) -> CongestionPoint:
    kmin, kmax, pmax = PROFILES[profile]
    return CongestionPoint(
        kmin_bytes=scale * kmin * 1000, kmax_bytes=scale * kmax * 1000, pmax_percent=pmax
    )


def parameters(timers: str, profile: str) -> ParameterSet:
    """Return a set of HPCC's run.py at 100 Gb/s; its receivers notify of every marked packet."""
    base = {"fast": HPCC_FAST, "slow": HPCC_PAPER}[timers]
    return replace(
        base,
        notification_point=NotificationPoint(cnp_interval_us=0),
        congestion_point=marking(profile),
    )


def star(
    senders: int,
    profile: str = "hpcc",
    timers: str = "fast",
    reaction: str = "dcqcn",
    duration_us: float = 15_000.0,
    size_bytes: int | None = None,
    window_bytes: int = 0,
    **changes: object,
) -> Scenario:
    shape = Star(senders=senders)
    scenario = Scenario(
        shared_bytes=shape.shared_bytes(),
        cables=shape.cables(marking(profile)),
        streams=tuple(
            Stream(path=path, size_bytes=size_bytes, window_bytes=window_bytes)
            for path in shape.paths()
        ),
        parameters=parameters(timers, profile),
        reaction=reaction,
        payload_bytes=4000,
        overhead_bytes=OVERHEAD,
        duration_us=duration_us,
        sample_us=5.0,
        names=shape.names(),
    )
    return replace(scenario, **changes)


def two_leaves(reaction: str, duration_us: float) -> Scenario:
    """Eight senders on the receiver's leaf, eight on another, one spine with 400 Gb/s."""
    base, trip, buffer = star(2, reaction=reaction, duration_us=duration_us), 37_500, 32 * 2**20
    small, large = (
        Ingress(alpha=share, headroom_bytes=room, reserve_bytes=4096, xon_offset_bytes=3072)
        for share, room in ((1 / 8, trip), (1 / 2, 4 * trip))
    )
    near, wide = marking("hpcc"), marking("hpcc", 4)
    leaf = [17 if host < 8 or host == 16 else 18 for host in range(17)]
    cables = [
        Cable(
            near=End(node=host),
            far=End(node=leaf[host], ingress=small, marking=near),
            speed_gbps=100,
            delay_ns=1000,
        )
        for host in range(17)
    ]
    cables += [
        Cable(
            near=End(node=one, ingress=large, marking=wide),
            far=End(node=19, ingress=large, marking=wide),
            speed_gbps=400,
            delay_ns=1000,
        )
        for one in (17, 18)
    ]
    taken = [9 * (trip + 4096), 8 * (trip + 4096), 4 * trip + 4096]
    pools = [buffer - taken[0] - taken[2], buffer - taken[1] - taken[2], buffer - 2 * taken[2]]
    paths = [(2 * host, 33) if host < 8 else (2 * host, 36, 35, 33) for host in range(16)]
    return replace(
        base,
        shared_bytes=(*[None] * 17, *pools),
        cables=tuple(cables),
        streams=tuple(Stream(path=path) for path in paths),
        names=tuple(f"p{number}" for number in range(38)),
    )


def two_racks(
    pairs: Sequence[tuple[int, int]],
    *,
    uplink_gbps: int,
    reaction: str = "dcqcn",
    window_bytes: int = 0,
    size_bytes: int | None = 4_000_000,
    **changes: object,
) -> Scenario:
    """Return two leaves of eight hosts with 100 Gb/s, and a spine with one cable to each.

    Parameters
    ----------
    pairs : sequence of (int, int)
        Sender and receiver of each flow, hosts 0 to 15, by sender.
    """
    trip, buffer, wider = 37_500, 32 * 2**20, uplink_gbps // 100
    small, large = (
        Ingress(alpha=share, headroom_bytes=room, reserve_bytes=4096, xon_offset_bytes=3072)
        for share, room in ((1 / 8, trip), (wider / 8, wider * trip))
    )
    cables = [
        Cable(
            near=End(node=host),
            far=End(node=16 + host // 8, ingress=small, marking=marking("hpcc")),
            speed_gbps=100,
            delay_ns=1000,
        )
        for host in range(16)
    ]
    ends = [End(node=node, ingress=large, marking=marking("hpcc", wider)) for node in (16, 17, 18)]
    cables += [
        Cable(near=leaf, far=ends[2], speed_gbps=uplink_gbps, delay_ns=1000) for leaf in ends[:2]
    ]
    leaf_pool = buffer - 8 * (trip + 4096) - (wider * trip + 4096)
    pools = [leaf_pool, leaf_pool, buffer - 2 * (wider * trip + 4096)]
    up = (32, 34)
    paths = [(2 * a, up[a // 8], up[b // 8] + 1, 2 * b + 1) for a, b in pairs]
    return replace(
        star(2, reaction=reaction),
        shared_bytes=(*[None] * 16, *pools),
        cables=tuple(cables),
        streams=tuple(
            Stream(path=path, size_bytes=size_bytes, window_bytes=window_bytes) for path in paths
        ),
        names=tuple(f"p{number}" for number in range(36)),
        **changes,
    )


def leaf_spine(
    pairs: Sequence[tuple[int, int]],
    *,
    spines: int = 8,
    size_bytes: int | None = 2_000_000,
    seed: int = 0,
    sprays: bool = False,
    pause_packets: int = 15,
    **changes: object,
) -> Scenario:
    """Return four leaves of eight hosts, each with one cable to each spine; all at 100 Gb/s.

    Parameters
    ----------
    pairs : sequence of (int, int)
        Sender and receiver of each flow, hosts 0 to 31, by sender.
    seed : int
        Of the spine that each flow takes, where packets are not sprayed.
    pause_packets : int
        Packets of an ingress port from which it pauses its peer.
    """
    base, leaves = star(2, reaction="off"), 4
    ingress = Ingress(
        alpha=1e-4, headroom_bytes=400_000, reserve_bytes=pause_packets * (4000 + OVERHEAD)
    )
    hosts = [
        Cable(
            near=End(node=host),
            far=End(node=32 + host // 8, ingress=ingress),
            speed_gbps=100,
            delay_ns=1000,
        )
        for host in range(32)
    ]
    uplinks = [
        Cable(
            near=End(node=32 + leaf, ingress=ingress),
            far=End(node=36 + spine, ingress=ingress),
            speed_gbps=100,
            delay_ns=1000,
        )
        for leaf in range(leaves)
        for spine in range(spines)
    ]

    def up(leaf: int, spine: int) -> int:
        return 2 * (32 + leaf * spines + spine)

    chosen = np.random.default_rng(seed).integers(spines, size=len(pairs)).tolist()
    paths = [
        (2 * a, 2 * b + 1)
        if a // 8 == b // 8
        else (2 * a, up(a // 8, spine), up(b // 8, spine) + 1, 2 * b + 1)
        for (a, b), spine in zip(pairs, chosen, strict=True)
    ]
    routes: dict[tuple[int, int], tuple[int, ...]] = {}
    for a, b in pairs if sprays else ():
        last = 2 * b + 1
        routes[last, 32 + b // 8] = (last,)
        if a // 8 != b // 8:
            routes[last, 32 + a // 8] = tuple(up(a // 8, spine) for spine in range(spines))
        for spine in range(spines):
            routes[last, 36 + spine] = (up(b // 8, spine) + 1,)
    return replace(
        base,
        shared_bytes=(*[None] * 32, *[1_000_000] * (leaves + spines)),
        cables=(*hosts, *uplinks),
        streams=tuple(Stream(path=path, size_bytes=size_bytes) for path in paths),
        names=tuple(f"p{number}" for number in range(2 * (32 + leaves * spines))),
        routes=routes,
        seed=seed + 1,
        **changes,
    )


def classes_star(
    classes: Sequence[PortClass],
    senders: Sequence[int],
    rates_gbps: Sequence[float | None] | None = None,
    pool_bytes: int = 4_000_000,
    **changes: object,
) -> Scenario:
    """Return senders of several classes on one switch; each host sends in one class.

    Parameters
    ----------
    classes : sequence of PortClass
        What each class has at each port of the switch.
    senders : sequence of int
        Hosts that send in each class, to one receiver.
    rates_gbps : sequence of float or None, optional
        Rate of each sender of a class without congestion control.
    """
    shape, first = Star(senders=sum(senders)), classes[0]
    host = sum(senders)
    far = End(
        node=host + 1,
        ingress=first.ingress,
        marking=first.marking,
        detection_ms=first.detection_ms,
        weight=first.weight,
        lossy=first.lossy,
        more=tuple(classes[1:]),
    )
    numbers = [number for number, count in enumerate(senders) for _ in range(count)]
    rates = rates_gbps or [None] * len(senders)
    scenario = star(
        host,
        reaction="off",
        cables=tuple(replace(cable, far=far) for cable in shape.cables(None)),
        shared_bytes=(*[None] * (host + 1), pool_bytes),
        streams=tuple(
            Stream(path=path, class_number=number, rate_gbps=rates[number])
            for path, number in zip(shape.paths(), numbers, strict=True)
        ),
        classes=tuple(
            SimulatedClass(name=f"class{number}", pfc_priority=None if own.lossy else number + 3)
            for number, own in enumerate(classes)
        ),
    )
    return replace(scenario, **changes)


def lossless(alpha: float = 1.0, **changes: object) -> PortClass:
    """Return a lossless class with the headroom of a cable of :class:`Star`."""
    room = Ingress(alpha=alpha, headroom_bytes=40_000, reserve_bytes=4096)
    return PortClass(ingress=room, **changes)
