"""show dcqcn: what DCQCN does on each kind of port, by the number of flows that share it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.units import bytes_to_kb, gbps_to_bps, share_to_percent
from fabric.design.configured import no_pmax, not_configured
from fabric.design.pool import pause_threshold
from fabric.qos.ecn.edge import share_note, unmarked
from fabric.report.buffers import congested_buffer, slowest_nic_ns
from fabric.report.plots import save
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.intent.classes import LosslessClass
    from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet
    from fabric.qos.dcqcn.recommend import Recommendation
    from fabric.qos.dcqcn.verdict import Assessment, Points
    from fabric.qos.simulate.start import Buffer, Start
    from fabric.topology.model import Fabric


#: Flows that share a port.
FLOWS = (2, 4, 8, 16, 32, 64, 128, 256)
#: Name of the set that is computed for the speed of each port.
OWN = "rocefab"
#: Time that is modelled: a hundred cuts of the slowest published set.
_DURATION_S = 0.1
#: Steps of the model in a round trip, and the longest step.
_STEPS_PER_TRIP, _LONGEST_STEP_S = 4, 1e-6
_HEADERS = tuple(
    (
        "port gbps skus marking flows p_percent queue_kb alpha flow_gbps std_kb peak_kb "
        "kmax_margin_kb slope_margin start_peak_kb start_paused_us paused_until_us settled_gbps "
        "verdict"
    ).split()
)


#: What to do about a word of a verdict, and which rule of `check` judges it.
_TODO = {
    "oscillates": "the queue swings and does not settle; `rocefab show ecn --recommend` computes "
    "thresholds for which it does, and `--set rocefab` shows them here. No rule of `rocefab check` "
    "judges it",
    "rides past Kmax": "PFC takes over from ECN; lower ecn.kmin_bytes and ecn.kmax_bytes, or raise "
    "dynamic_th where the switch gets it. `rocefab check` judges an incast of all hosts (QOS036)",
    "pauses at the start": "senders begin at line rate before the first CNP; "
    "host.nic.first_cnp_rate_mbps and `rocefab simulate --star` show what softens it. "
    "`rocefab check` judges 16 flows (QOS055)",
    "starves": "rates fall below 80 % of the port; raise ecn.kmin_bytes, or lower "
    "ecn.pmax_percent. No rule of `rocefab check` judges it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How the ports are looked at.

    Parameters
    ----------
    parameters : str
        Set of the NICs: one of :func:`set_names`. A published set is looked at beside the
        thresholds of the inventory; ``rocefab`` beside its own, which it cannot do without.
    round_trip_s : float
        Feedback delay of the path, > 0. 8 us where it is not modelled.
    """

    parameters: str = "connectx"
    round_trip_s: float = 8e-6


@dataclass(frozen=True, slots=True)
class Kind:
    """Ports that are alike: of one speed, marked by one switch profile, with one buffer.

    Parameters
    ----------
    port : str
        ``host`` or ``uplink``.
    skus : str
        Models of their switches.
    on_switch : str
        What their switches have in place of bytes, where that is a percentage.
    no_pmax : str
        Rule why their switches get no Pmax; empty where they get it.
    xoff_threshold_bytes : float
        Egress queue at which PFC starts; 0 where it is not known.
    buffer : Buffer or None
        Buffer that a start is simulated with; None where it is not known: nothing is then said of
        the start.
    """

    port: str
    speed_gbps: int
    skus: str
    congestion_point: CongestionPoint
    on_switch: str = ""
    no_pmax: str = ""
    xoff_threshold_bytes: float = 0.0
    buffer: Buffer | None = None

    @property
    def marking(self) -> str:
        """Thresholds in words."""
        switch = self.congestion_point
        low, high = bytes_to_kb(switch.kmin_bytes), bytes_to_kb(switch.kmax_bytes)
        lack = f", Pmax {not_configured(self.no_pmax)}" if self.no_pmax else ""
        return f"{low:g}-{high:g} kB{self.on_switch}{lack or f' {switch.pmax_percent:g} %'}"


@dataclass(frozen=True, slots=True)
class Point:
    """One number of flows on one kind of port.

    ``queue_bytes`` and ``slope_margin`` are None where no queue up to Kmax marks enough, ``start``
    where no buffer is known.
    """

    kind: Kind
    flows: int
    marking_percent: float
    queue_bytes: float | None
    alpha: float
    rate_gbps: float
    std_bytes: float
    peak_bytes: float
    kmax_margin_bytes: float
    slope_margin: float | None
    verdict: str
    start: Start | None = None


def set_names() -> tuple[str, ...]:
    """Return the names of the parameter sets."""
    from fabric.qos.dcqcn.presets import PUBLISHED

    return (*(published.name for published in PUBLISHED), OWN)


def kinds(designs: Designs) -> tuple[Kind, ...]:
    """Return the kinds of lossless ports of a fabric, host ports first, slow ports first.

    Each model is represented by its port that pauses first.

    Raises
    ------
    InputError
        When the thresholds of a port cannot be.
    """
    response_ns = slowest_nic_ns(designs)
    try:
        every = [
            kind_of(device, port, lossless, response_ns)
            for device in designs.devices.values()
            for port in _different(device)
            for lossless in (port.qos.classes if port.qos else ())
            if not any(unmarked(device.sku, own_thresholds=lossless.own_thresholds))
        ]
    except ValueError as error:
        raise InputError(f"invalid lossless.ecn on a port: {error}") from error
    first: dict[Kind, Kind] = {}
    for kind in sorted(every, key=_place):
        first.setdefault(replace(kind, xoff_threshold_bytes=0.0, buffer=None), kind)
    skus: dict[Kind, list[str]] = {}
    for kind in first.values():
        skus.setdefault(replace(kind, skus=""), []).append(kind.skus)
    return tuple(replace(kind, skus=", ".join(names)) for kind, names in skus.items())


def kind_of(
    device: DeviceDesign, port: PortDesign, lossless: LosslessClass, nic_response_ns: float | None
) -> Kind:
    """Return the kind of a port of a switch, for one of its lossless classes.

    Raises
    ------
    ValueError
        When the thresholds of the class cannot be.
    """
    from fabric.qos.dcqcn.parameters import CongestionPoint

    group, (low, high) = port.headroom, (lossless.kmin_bytes, lossless.kmax_bytes)
    threshold = pause_threshold(device, group) if group else None
    return Kind(
        port.kind,
        port.speed_gbps,
        device.sku.name,
        CongestionPoint(kmin_bytes=low, kmax_bytes=high, pmax_percent=lossless.pmax_percent),
        share_note(device.sku, low, high),
        no_pmax(device.sku),
        threshold.group_bytes() if threshold else 0.0,
        congested_buffer(device, group, nic_response_ns) if group else None,
    )


def _different(device: DeviceDesign) -> Iterable[PortDesign]:
    """Return one of the ports of a switch that have the same policy and buffer."""
    ports = {(port.kind, port.speed_gbps, port.qos, port.headroom): port for port in device.ports}
    return ports.values()


def _place(kind: Kind) -> tuple[object, ...]:
    """Return a key by which ports that pause first come first, and unknown buffers last."""
    point = kind.congestion_point
    buffer = kind.buffer is None, kind.xoff_threshold_bytes or math.inf
    marking = point.kmin_bytes, point.kmax_bytes, point.pmax_percent
    return kind.port, kind.speed_gbps, *buffer, *marking, kind.skus


def dcqcn_points(ports: Sequence[Kind], question: Question | None = None) -> tuple[Point, ...]:
    """Return what DCQCN does on each kind of port with 2 to 256 flows.

    Raises
    ------
    InputError
        When there is no such parameter set, when none can be computed for a port, or when the
        round trip is not above zero.
    """
    from fabric.qos.dcqcn.transient import Run
    from fabric.qos.dcqcn.verdict import assess_together

    question = question or Question()
    if not question.round_trip_s > 0:
        raise InputError(f"the round trip is {question.round_trip_s} s; it must be above zero")
    if not ports:
        return ()
    step_s = min(question.round_trip_s / _STEPS_PER_TRIP, _LONGEST_STEP_S)
    try:
        sets = {}
        for kind in ports:
            chosen = parameters_of(kind, question)
            sets[replace(kind, congestion_point=chosen.congestion_point)] = chosen
        trip_s = question.round_trip_s
        cases = [(chosen, _asked(kind, trip_s)) for kind, chosen in sets.items()]
        assessments = assess_together(cases, Run(duration_s=_DURATION_S, step_s=step_s))
    except ValueError as error:
        raise InputError(str(error)) from error
    return tuple(
        _point(kind, assessment, row, first)
        for (kind, chosen), assessment in zip(sets.items(), assessments, strict=True)
        for row, first in enumerate(_starts(kind, chosen, trip_s))
    )


def _starts(kind: Kind, chosen: ParameterSet, trip_s: float) -> tuple[Start | None, ...]:
    """Return what comes of a start at line rate for each number of flows."""
    if kind.buffer is None:
        return (None,) * len(FLOWS)
    from fabric.qos.simulate.start import starts

    about = (kind.congestion_point, chosen, kind.buffer, trip_s)
    return starts(kind.speed_gbps, *about, FLOWS)


def simulating() -> str:
    """Return what to tell before starts are simulated: interpreted, that takes half a minute."""
    from fabric.qos.simulate.compiled import COMPILED

    hint = "" if COMPILED else " (faster with rocefab[simulate])"
    return f"simulating starts at line rate{hint}"


def dcqcn(points: tuple[Point, ...]) -> Table:
    """Return the table of points, and what is assumed where a switch gets no Pmax."""
    return Table(_HEADERS, tuple(_cells(point) for point in points), hint=_assumed_pmax(points))


def _assumed_pmax(points: tuple[Point, ...]) -> str:
    """Return with which Pmax the rows are computed whose switches get none."""
    ports: dict[tuple[str, float], dict[str, None]] = {}
    for kind in (point.kind for point in points):
        if kind.no_pmax:
            key = kind.no_pmax, kind.congestion_point.pmax_percent
            ports.setdefault(key, {})[kind.port] = None
    return ". ".join(
        f"The switches of {' and '.join(names)} ports get no Pmax ({rule}). Their rows are "
        f"computed with {percent:g} %"
        for (rule, percent), names in ports.items()
    )


def advice(points: Sequence[Point]) -> tuple[str, ...]:
    """Return what to do about each kind of verdict that some point has."""
    verdicts = " ".join(point.verdict for point in points)
    return tuple(f"{word}: {todo}" for word, todo in _TODO.items() if word in verdicts)


def other_nics(fabric: Fabric) -> str:
    """Return that DCQCN of some NICs is that of ConnectX here; empty where all are by NVIDIA."""
    traits = {name: fabric.intent.host_traits(name) for name in fabric.hosts.names}
    others = {name: one.nic.vendor for name, one in traits.items() if one.nic.vendor != "nvidia"}
    if not others:
        return ""
    vendors = " and ".join(sorted({*others.values()}))
    return (
        f"{hostlist.in_short([*others])}: DCQCN of NICs by {vendors} is not modelled; they are "
        "taken as ConnectX"
    )


def parameters_of(kind: Kind, question: Question) -> ParameterSet:
    """Return the set of the NICs, beside the thresholds that it is looked at with."""
    from fabric.qos.dcqcn.presets import PUBLISHED
    from fabric.qos.dcqcn.recommend import LONG_TRIP_S, Need, recommend

    sets = {published.name: published for published in PUBLISHED}
    if question.parameters == OWN:
        need = Need(
            speed_gbps=kind.speed_gbps,
            round_trip_s=question.round_trip_s,
            kmax_limit_bytes=int(kind.xoff_threshold_bytes),
        )
        try:
            advice = recommend(need)
        except ValueError as error:
            words = f"{kind.port} ports of {kind.skus}: {error}"
            if need.round_trip_s >= LONG_TRIP_S:
                words += "; `rocefab show ecn --recommend` says what a path between sites can have"
            raise ValueError(words) from error
        return own_set(advice, kind.speed_gbps, kind.buffer, question.round_trip_s)
    if question.parameters not in sets:
        names = ", ".join(set_names())
        raise ValueError(f"unknown parameter set {question.parameters!r}; available: {names}")
    return replace(sets[question.parameters], congestion_point=kind.congestion_point)


def own_set(
    advice: Recommendation, speed_gbps: int, buffer: Buffer | None, round_trip_s: float
) -> ParameterSet:
    """Return a computed set with the least pause at the start, where a buffer is known."""
    if buffer is None:
        return advice.parameters
    from fabric.qos.simulate.start import softened

    chosen, reason = softened(advice.parameters, speed_gbps, buffer, round_trip_s)
    return replace(chosen, note=f"{chosen.note} {reason}")


def _asked(kind: Kind, round_trip_s: float) -> Points:
    from fabric.qos.dcqcn.verdict import Points as Asked
    from fabric.qos.path import ROCE_PACKET_BYTES

    return Asked(
        capacity_bps=gbps_to_bps(kind.speed_gbps),
        flows=FLOWS,
        packet_bytes=ROCE_PACKET_BYTES,
        delay_s=round_trip_s,
        xoff_threshold_bytes=kind.xoff_threshold_bytes or float("inf"),
    )


def _point(kind: Kind, assessment: Assessment, row: int, start: Start | None) -> Point:
    queue, margin = float(assessment.queue_bytes[row]), float(assessment.slope_margin[row])
    held = math.isfinite(queue)
    return Point(
        kind=kind,
        flows=FLOWS[row],
        marking_percent=share_to_percent(float(assessment.marking[row])),
        queue_bytes=queue if held else None,
        alpha=float(assessment.alpha[row]),
        rate_gbps=kind.speed_gbps / FLOWS[row],
        std_bytes=float(assessment.queue.std_bytes[row]),
        peak_bytes=float(assessment.queue.peak_bytes[row]),
        kmax_margin_bytes=float(assessment.kmax_margin_bytes[row]),
        slope_margin=margin if held else None,
        verdict=_verdict(assessment.verdicts[row].value, kind, start),
        start=start,
    )


def _verdict(steady: str, kind: Kind, start: Start | None) -> str:
    """Return the verdict of the steady state, and what the start adds to it."""
    from fabric.qos.simulate.start import STARVES_BELOW

    if start is None:
        return steady
    words = [steady]
    if start.paused_us:
        words.append("pauses at the start")
    if start.settled_gbps < STARVES_BELOW * kind.speed_gbps:
        words.append("starves")
    return ", ".join(words)


def _cells(point: Point) -> tuple[object, ...]:
    return (
        point.kind.port,
        point.kind.speed_gbps,
        point.kind.skus,
        point.kind.marking,
        point.flows,
        float(f"{point.marking_percent:.4g}"),
        "-" if point.queue_bytes is None else round(bytes_to_kb(point.queue_bytes), 1),
        round(point.alpha, 4),
        float(f"{point.rate_gbps:.4g}"),
        round(bytes_to_kb(point.std_bytes), 1),
        round(bytes_to_kb(point.peak_bytes), 1),
        round(bytes_to_kb(point.kmax_margin_bytes), 1),
        "-" if point.slope_margin is None else round(point.slope_margin, 2),
        *_start_cells(point.start),
        point.verdict,
    )


def _start_cells(start: Start | None) -> tuple[object, ...]:
    if start is None:
        return ("-",) * 4
    return (
        round(bytes_to_kb(start.peak_bytes), 1),
        round(start.paused_us, 1),
        round(start.last_pause_us, 1),
        round(start.settled_gbps, 1),
    )


def plot(points: tuple[Point, ...], path: Path) -> None:
    """Write the queues of the points as SVG or PNG, by the suffix of the file.

    Raises
    ------
    InputError
        When the suffix is another one, or matplotlib is not installed.
    """
    save(path, lambda: figure(points))


def figure(points: tuple[Point, ...]) -> Figure:
    """Return one panel for each kind of port: steady queue, peak, Kmin and Kmax by flows."""
    from matplotlib.figure import Figure as Drawing

    groups: dict[Kind, list[Point]] = {}
    for point in points:
        groups.setdefault(point.kind, []).append(point)
    drawing = Drawing(figsize=(6.0, 3.2 * max(len(groups), 1)), layout="constrained")
    for row, (kind, group) in enumerate(groups.items(), 1):
        axes = drawing.add_subplot(len(groups), 1, row)
        held = [point for point in group if point.queue_bytes is not None]
        steady = [bytes_to_kb(point.queue_bytes or 0.0) for point in held]
        axes.plot([point.flows for point in held], steady, marker="o", label="steady queue")
        peaks = [bytes_to_kb(point.peak_bytes) for point in group]
        axes.plot([point.flows for point in group], peaks, marker="^", label="peak")
        switch = kind.congestion_point
        axes.axhline(bytes_to_kb(switch.kmin_bytes), linestyle=":", color="grey", label="Kmin")
        axes.axhline(bytes_to_kb(switch.kmax_bytes), linestyle="--", color="grey", label="Kmax")
        axes.set_xscale("log", base=2)
        axes.set_xticks(FLOWS, labels=[str(flows) for flows in FLOWS])
        axes.set_xlabel("flows on the port")
        axes.set_ylabel("queue in kB")
        ports = f"{kind.port} ports of {kind.skus}"
        axes.set_title(f"{ports}, {kind.speed_gbps} Gb/s,\n{kind.marking}")
        axes.legend()
    return drawing
