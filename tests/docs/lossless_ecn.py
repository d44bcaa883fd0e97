"""The figures of docs/lossless.md on ECN and DCQCN."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabric.core.units import (
    bytes_to_kb,
    gbps_to_bps,
    gbps_to_bytes_per_s,
    s_to_us,
    share_to_percent,
    us_to_s,
)
from fabric.platforms.features import declared
from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.loss import start_loss_bytes
from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.dcqcn.recommend import Need, recommend
from fabric.qos.dcqcn.registers import FIELDS
from fabric.qos.dcqcn.transient import Run
from fabric.qos.dcqcn.verdict import Points, assess_together
from fabric.qos.ecn.edge import to_units
from fabric.qos.ecn.figures import FIGURES
from fabric.qos.headroom.wire import SIGNAL_M_PER_S
from fabric.qos.path import (
    HOP_NS,
    ROCE_PACKET_BYTES,
    Hop,
    longest_path,
    one_way_s,
    round_trip_s,
)
from fabric.qos.thresholds import (
    ecn_limit_bytes,
    pause_threshold_bytes,
)
from tests.docs.lossless import ends, figures, pool_bytes, project, size, table
from tests.docs.papers import PaperBuffer, approximate_marking, loop_bytes


def trip_s() -> float:
    """Return the round trip of the longest path of the example."""
    return round_trip_s(longest_path(project().fabric))


@figures.add("ecn-paper")
def ecn_paper() -> str:
    """Return the figures of the DCQCN paper."""
    buffer_ = PaperBuffer(12e6, 32, 22_400)
    return (
        f"12 MB, 32 ports, 22,400 bytes of headroom: {size(buffer_.shared_bytes)} bytes are "
        f"shared. Static PFC threshold {size(buffer_.static_pause_bytes)}, so t_ECN below "
        f"{size(buffer_.static_ecn_bytes)}, less than a frame. Dynamic: below "
        f"{size(buffer_.dynamic_ecn_bytes(8))} with beta 8, {size(buffer_.dynamic_ecn_bytes(1))} "
        "with beta 1."
    )


@figures.add("ecn-order")
def ecn_order() -> str:
    """Return the largest Kmin of the example for which ECN is first."""
    threshold, pool = ends()[0][2].dynamic_th, pool_bytes()
    (qos,) = ends()[0][1].qos.classes
    rows = []
    for ports, classes in ((1, 1), (2, 1), (63, 1), (63, 2)):
        limit = ecn_limit_bytes(threshold, pool, ports, classes)
        rows.append((ports, classes, size(limit), "yes" if qos.kmin_bytes < limit else "no"))
    heads = f"congested ports n | classes q | t_ECN below, bytes | Kmin {qos.kmin_bytes:,} below?"
    return table(heads, rows)


@figures.add("race")
def race() -> str:
    """Return the queue that an incast adds before the first notice works."""
    threshold, pool = ends()[0][2].dynamic_th, pool_bytes()
    loop_s = trip_s() + us_to_s(4)
    rows = []
    for senders in (2, 16, 63):
        grown = loop_bytes(gbps_to_bytes_per_s(400), senders, loop_s)
        room = senders * pause_threshold_bytes(threshold, pool, senders)
        rows.append((senders, size(grown), size(room), "ECN" if grown < room else "PFC"))
    added = f"(N - 1) x 400G x {s_to_us(loop_s):.2f} us, bytes"
    heads = f"senders N | {added} | queue at the XOFF thresholds, bytes | who acts first"
    return table(heads, rows)


@figures.add("path")
def path() -> str:
    """Return the round trip of the example and what is on the way in it."""
    hops = longest_path(project().fabric)
    rate, frame = gbps_to_bytes_per_s(hops[0].speed_gbps), ROCE_PACKET_BYTES
    cable_m = sum(hop.cable_m for hop in hops)
    packets_ns = len(hops) * frame / rate * 1e9
    rows = [
        ("hops", f"{len(hops)} x {HOP_NS:,.0f}", len(hops) * HOP_NS),
        ("cables", f"{cable_m:g} m x 5", cable_m / SIGNAL_M_PER_S * 1e9),
        ("packet, sent again at each hop", f"{len(hops)} x {frame:,} / 50", packets_ns),
        ("there", "", one_way_s(hops, frame) * 1e9),
        ("back, with a notice of 84 bytes", "", one_way_s(hops, 84.0) * 1e9),
        ("**round trip**", "", trip_s() * 1e9),
    ]
    lines = [(name, how, f"{value:,.2f}") for name, how, value in rows]
    lines.append(("**bandwidth-delay product, bytes**", "50 bytes in a ns", size(rate * trip_s())))
    return table("NIC to NIC over a spine, ns | how | ", lines)


@figures.add("published")
def published() -> str:
    """Return the published thresholds."""
    rows = [
        (
            figure.name,
            ", ".join(f"{speed}G" for speed in figure.speeds_gbps) or "any",
            size(figure.kmin_bytes),
            size(figure.kmax_bytes),
            f"{figure.pmax_percent} %" if figure.pmax_percent else "not given",
            "read" if figure.confirmed else "third parties only",
        )
        for figure in FIGURES
    ]
    return table("who | speed | Kmin | Kmax | Pmax | how known", rows)


#: Units of no fixed size, with the size of the example.
_UNIT_SIZES = {
    "cells": "cells of 208 bytes (S9820-64H)",
    "percent": "percent of a queue of 1,000,000 bytes",
}


@figures.add("units")
def units() -> str:
    """Return the unit of each system and what 150,000 bytes are in it."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name, unit in ((name, one.marking_unit) for name, one in declared().items()):
        try:
            value = size(to_units(150_000, unit, cell_bytes=208, queue_bytes=1_000_000))
        except ValueError:
            value = "unknown"
        word = _UNIT_SIZES.get(unit.word.lower(), unit.word.lower())
        alike.setdefault((word, value), []).append(name)
    rows = [(", ".join(names), *found) for found, names in alike.items()]
    return table("systems | unit | 150,000 bytes", rows)


def own_set(speed_gbps: int) -> ParameterSet:
    """Return our parameter set for a port of the example, or of another speed on its path."""
    pause = pause_threshold_bytes(ends()[0][2].dynamic_th, pool_bytes())
    need = Need(speed_gbps=speed_gbps, round_trip_s=trip_s(), kmax_limit_bytes=int(pause))
    return recommend(need).parameters


@figures.add("recommendation")
def recommendation() -> str:
    """Return our thresholds for the path of the example by speed."""
    rows = []
    for speed in (100, 200, 400, 800):
        made = own_set(speed)
        point = made.congestion_point
        rows.append((
            f"{speed}G",
            size(point.kmin_bytes),
            size(point.kmax_bytes),
            f"{point.pmax_percent:g} %",
            made.reaction_point.additive_mbps,
        ))
    return table("port | Kmin, bytes | Kmax, bytes | Pmax | R_AI, Mb/s", rows)


@figures.add("parameters")
def parameters() -> str:
    """Return the parameters of both NICs in three sets, with their names in mlxconfig."""
    names = {field.parameter: field.mlxconfig.removesuffix("_P1") for field in FIELDS}
    sets = (PAPER, CONNECTX, own_set(400))
    rows = []
    for name, words in _PARAMETERS.items():
        values = [
            getattr(made.reaction_point, name, getattr(made.notification_point, name, None))
            for made in sets
        ]
        rows.append((words, f"`{names[name]}`", *(size(value) for value in values)))
    return table("parameter | mlxconfig | paper | ConnectX | ours, 400G", rows)


_PARAMETERS = {
    "cnp_interval_us": "CNP gap of the receiving NIC, us",
    "alpha_gain_1024ths": "g, weight of the newest interval in alpha, 1/1024",
    "alpha_period_us": "tau', alpha falls after it without a CNP, us",
    "cut_period_us": "tau, least time between two cuts, us",
    "timer_us": "T, time between two increases, us",
    "byte_counter_bytes": "B, bytes between two increases (0: off)",
    "recovery_steps": "F, increases that only recover to the old rate",
    "additive_mbps": "R_AI, step of the target rate, Mb/s",
    "hyper_mbps": "R_HAI, step after many without a CNP, Mb/s",
}


@figures.add("closed-form")
def closed_form() -> str:
    """Return how far the closed form of the fixed point is off, for the paper's parameters."""
    rates = gbps_to_bps(np.array([[40.0], [100.0]]))
    model = loop(PAPER, rates, np.array([2, 4, 8, 16, 32]), 1000)
    off = share_to_percent(approximate_marking(model) / fixed_point(model).marking - 1.0)
    return (
        "For the paper's parameters, 40 and 100 Gb/s and 2 to 32 flows, the closed form is "
        f"{off.min():.0f} to {off.max():.0f} % too high."
    )


@figures.add("dcqcn")
def dcqcn() -> str:
    """Return what three sets do on a 400G port of the example."""
    (qos,) = ends()[0][1].qos.classes
    switch = CongestionPoint(
        kmin_bytes=qos.kmin_bytes, kmax_bytes=qos.kmax_bytes, pmax_percent=qos.pmax_percent
    )
    ours = own_set(400)
    sets = [(PAPER, switch), (CONNECTX, switch), (ours, switch), (ours, ours.congestion_point)]
    flows = np.array([2, 256])
    pause = pause_threshold_bytes(ends()[0][2].dynamic_th, pool_bytes())
    points = Points(
        capacity_bps=gbps_to_bps(400),
        flows=flows,
        packet_bytes=ROCE_PACKET_BYTES,
        delay_s=trip_s(),
        xoff_threshold_bytes=pause,
    )
    cases = [(_with(made, point), points) for made, point in sets]
    rows = []
    for (made, point), found in zip(sets, assess_together(cases, Run(duration_s=0.1)), strict=True):
        for row, count in enumerate(flows):
            rows.append((
                made.name,
                f"{bytes_to_kb(point.kmin_bytes):,.0f} to {bytes_to_kb(point.kmax_bytes):,.0f}",
                count,
                f"{share_to_percent(found.marking[row]):.3g}",
                f"{bytes_to_kb(found.queue_bytes[row]):,.0f}",
                f"{bytes_to_kb(found.queue.peak_bytes[row]):,.0f}",
                f"{found.slope_margin[row]:.2g}",
                found.verdicts[row].value,
            ))
    return table("NIC | band, KB | flows | p\\*, % | q\\*, KB | peak, KB | margin | verdict", rows)


def _with(made: ParameterSet, point: CongestionPoint) -> ParameterSet:
    return replace(made, congestion_point=point)


@figures.add("long-haul")
def long_haul() -> str:
    """Return what slower timers give over long cables, and what a start loses without PFC."""
    rows = []
    for cable_m in (10_000, 25_000, 80_000):
        hops = tuple(Hop(400, metres) for metres in (5, 40, cable_m, cable_m, 40, 5))
        trip = round_trip_s(hops)
        found = recommend(Need(speed_gbps=400, round_trip_s=trip)).parameters
        point, nic = found.congestion_point, found.reaction_point
        timers = replace(PAPER.reaction_point, byte_counter_bytes=0)
        lost = start_loss_bytes(16, 400, trip, replace(PAPER, reaction_point=timers), 10_000_000)
        rows.append((
            f"{cable_m:,} m",
            f"{s_to_us(trip):,.0f}",
            size(point.kmin_bytes),
            size(point.kmax_bytes),
            f"{point.pmax_percent:g} %",
            nic.additive_mbps,
            f"{nic.timer_us} and {nic.cut_period_us}",
            size(lost),
        ))
    return table(
        "400G, two cables of | round trip, us | Kmin, bytes | Kmax, bytes | Pmax | R_AI, Mb/s "
        "| T and CNP gap, us | 16 flows lose without PFC, at most, bytes",
        rows,
    )
