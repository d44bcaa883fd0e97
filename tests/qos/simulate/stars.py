"""Scenarios of the tests: those that HPCC's simulator was run with, and small random ones."""

from __future__ import annotations

from dataclasses import replace

from fabric.qos.dcqcn.parameters import CongestionPoint, NotificationPoint, ParameterSet
from fabric.qos.dcqcn.presets import HPCC_FAST, HPCC_PAPER
from fabric.qos.simulate.scenario import Cable, End, Ingress, Scenario, Stream
from fabric.qos.simulate.star import Star

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
