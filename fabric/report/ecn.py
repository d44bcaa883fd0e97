"""show ecn: marking thresholds of every kind of port, what they must meet, and better ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.units import gbps_to_bytes_per_s, s_to_us
from fabric.design.configured import no_pmax, not_configured
from fabric.design.pool import lossless_pool_bytes, pause_threshold
from fabric.platforms.features import is_rendered, marking_unit
from fabric.qos.dcqcn.recommend import Need, recommend
from fabric.qos.ecn.edge import (
    largest_queue_bytes,
    own_cell_bytes,
    share_note,
    stored_bytes,
    to_units,
    unmarked,
)
from fabric.qos.ecn.figures import Figure, figures_for
from fabric.qos.path import LONG_CABLE_M, Hop, longest_path, round_trip_s
from fabric.report.buffers import congested_buffer, slowest_nic_ns
from fabric.report.dcqcn import own_set
from fabric.report.diff.protection import protects_less
from fabric.report.long_haul import inside, is_long, without_fit
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.pool import PauseThreshold
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.qos.simulate.start import Buffer


#: Flows of a port that a recommendation keeps stable, when nothing else is asked for.
MOST_FLOWS = 256
_HEADERS = tuple(
    (
        "role ports gbps kmin_bytes kmax_bytes pmax_percent rendered round_trip_us "
        "bandwidth_delay_bytes xoff_threshold_bytes verdict"
    ).split()
)
_MORE_HEADERS = ("who", "role", "ports", "gbps", "kmin_bytes", "kmax_bytes", "pmax_percent", "why")


@dataclass(frozen=True, slots=True)
class Kind:
    """A class on ports of one role, kind, speed, policy and reach; the first stands for all."""

    device: DeviceDesign
    port: PortDesign
    qos: QosProfile
    headroom: HeadroomProfile
    lossless: LosslessClass

    @property
    def ports(self) -> str:
        """Kind of the ports, and the class where there are several."""
        one = self.lossless
        return self.port.kind if one.number is None else f"{self.port.kind} {one.name}"

    @property
    def is_long(self) -> bool:
        """Whether its cable leads to another site."""
        return self.port.cable_m >= LONG_CABLE_M

    @property
    def threshold(self) -> PauseThreshold | None:
        """At which occupancy it pauses; None where that is not known, or there is no pool."""
        return pause_threshold(self.device, self.headroom)

    @property
    def pause_bytes(self) -> float | None:
        """Occupancy of each class at which one congested port pauses."""
        return self.threshold.group_bytes(len(self.qos.classes)) if self.threshold else None


#: Why `diff` stops a change to what we recommend.
_LESS_PROTECTION = (
    "the recommended values double a threshold, or halve pmax_percent, at least: `rocefab diff` "
    "reports this change as `less protection`, and with --fail-on exits with 4, so that a person "
    "reviews it"
)


def ecn(designs: Designs) -> Table:
    """Return the thresholds of every kind of port with the figures that judge them."""
    hops = longest_path(designs.fabric)
    return Table(_HEADERS, tuple(_row(kind, hops) for kind in _kinds(designs)))


def recommendations(designs: Designs, most_flows: int = MOST_FLOWS) -> Table:
    """Return for every kind of port: what is set, our thresholds with reasons, published ones.

    Parameters
    ----------
    most_flows : int
        From 2 to this many equal flows shall be stable, a power of two.

    Raises
    ------
    ValueError
        When ``most_flows`` is below 2.
    """
    hops, response_ns = longest_path(designs.fabric), slowest_nic_ns(designs)
    rows: list[tuple[object, ...]] = []
    is_less = False
    seen: set[tuple[str, str, int, bool]] = set()
    for kind in _kinds(designs):
        where = (kind.device.role, kind.ports, kind.port.speed_gbps)
        if (*where, kind.is_long) in seen:
            continue
        seen.add((*where, kind.is_long))
        said = "in the inventory" if kind.lossless.own_thresholds else "defaults of rocefab"
        note = share_note(kind.device.sku, kind.lossless.kmin_bytes, kind.lossless.kmax_bytes)
        buffer = congested_buffer(kind.device, kind.headroom, response_ns)
        own, advised = _thresholds(kind), _recommended(kind, hops, most_flows, buffer)
        is_less |= any(map(protects_less, _HEADERS[3:6], map(str, own), map(str, advised)))
        rows.append(("set", *where, *own, f"{said}{note}"))
        rows.append(("rocefab", *where, *advised))
    rows += [
        (figure.name, "any", "any", speed, *_published(figure))
        for speed in sorted({gbps for _, _, gbps, _ in seen})
        for figure in figures_for(speed)
    ]
    return Table(_MORE_HEADERS, tuple(rows), hint=_LESS_PROTECTION if is_less else "")


def _kinds(designs: Designs) -> Iterator[Kind]:
    seen = set()
    for device in designs.devices.values():
        for port in device.ports:
            if port.qos is None or port.headroom is None:
                continue
            kind = Kind(device, port, port.qos, port.headroom, port.qos.classes[0])
            where = (device.role, device.sku.name, port.kind, port.speed_gbps)
            key = (*where, port.qos, kind.is_long)
            if key not in seen:
                seen.add(key)
                for one in port.qos.classes:
                    yield replace(kind, lossless=one)


def _row(kind: Kind, hops: tuple[Hop, ...]) -> tuple[object, ...]:
    round_trip = round_trip_s(hops)
    delay = gbps_to_bytes_per_s(kind.port.speed_gbps) * round_trip
    pause = kind.pause_bytes
    return (
        kind.device.role,
        kind.ports,
        kind.port.speed_gbps,
        *_thresholds(kind),
        _on_switch(kind),
        round(s_to_us(round_trip), 1),
        round(delay),
        round(pause) if pause is not None else _no_pause(kind),
        _verdict(kind, delay),
    )


def _no_pause(kind: Kind) -> str:
    return "unknown" if lossless_pool_bytes(kind.device) is None else "none"


def _thresholds(kind: Kind) -> tuple[int, int, int | str]:
    """Return the marking of the inventory, with a word for a Pmax that the switch does not get."""
    one, rule = kind.lossless, no_pmax(kind.device.sku)
    return one.kmin_bytes, one.kmax_bytes, not_configured(rule) if rule else one.pmax_percent


def _on_switch(kind: Kind) -> str:
    """Return Kmin and Kmax as the system of the switch writes them."""
    sku, unit = kind.device.sku, marking_unit(kind.device.platform)
    reason, _ = unmarked(sku, own_thresholds=kind.lossless.own_thresholds)
    if reason:
        return f"none: {reason}"
    queue_bytes, cell_bytes = largest_queue_bytes(sku), own_cell_bytes(sku)
    try:
        low, high = (
            to_units(size, unit, queue_bytes=queue_bytes, cell_bytes=cell_bytes)
            for size in (kind.lossless.kmin_bytes, kind.lossless.kmax_bytes)
        )
    except ValueError as error:
        return f"not in {unit.word}: {error}"
    return f"{low} to {high} {unit.word}"


def _verdict(kind: Kind, delay_bytes: float) -> str:
    """Return which of Kmin, Kmax, alpha and the number of ports is wrong."""
    one, threshold, pause = kind.lossless, kind.threshold, kind.pause_bytes
    has_alpha = kind.headroom.levels is None and is_rendered("dynamic_th", kind.device.sku)
    other = " (or alpha too low)" if has_alpha else ""
    if any(unmarked(kind.device.sku, own_thresholds=one.own_thresholds)):
        return "nothing is marked: only PFC acts"
    if threshold is None or pause is None:
        is_known = lossless_pool_bytes(kind.device) is not None
        order = "pool unknown: ECN-before-PFC not checked"
        order = "no shared pool: the ports take more than the buffer" if is_known else order
    elif one.kmin_bytes >= pause:
        order = f"kmin too high: PFC acts first{other}"
    elif one.kmax_bytes >= pause:
        order = f"kmax too high: PFC acts before full marking{other}"
    else:
        ports = counted(_ports_before_pause(kind, threshold), "congested port")
        order = f"ECN acts before PFC if one ingress port feeds at most {ports}"
    kept = stored_bytes(kind.device.sku, one.kmin_bytes)
    words = [order]
    if one.kmin_bytes < delay_bytes:
        words.append("kmin below one bandwidth-delay product")
    if kept >= one.kmax_bytes:
        words.append(f"kmin, rounded to {kept:,}, is not below kmax: every packet above is marked")
    elif kept != one.kmin_bytes:
        words.append(f"the ASIC rounds kmin to {kept:,}")
    return "; ".join(words)


def _ports_before_pause(kind: Kind, threshold: PauseThreshold) -> int:
    limit = threshold.ecn_limit_bytes(classes=len(kind.qos.classes))
    kmin_bytes = stored_bytes(kind.device.sku, kind.lossless.kmin_bytes)
    return max(1, int((limit - 1) // kmin_bytes))


def _recommended(
    kind: Kind, hops: tuple[Hop, ...], most_flows: int, buffer: Buffer | None
) -> tuple[object, ...]:
    speed, pause = kind.port.speed_gbps, kind.pause_bytes
    need = Need(
        speed_gbps=speed,
        round_trip_s=round_trip_s(hops),
        most_flows=most_flows,
        kmax_limit_bytes=0 if pause is None else int(pause),
    )
    limits, trip_s = "", need.round_trip_s
    try:
        advice = recommend(need)
    except ValueError as error:
        if not is_long(need, hops):
            return ("-", "-", "-", str(error))
        if kind.is_long:
            return ("-", "-", "-", without_fit(need, kind.port, str(error)))
        try:
            advice, limits, trip_s = inside(need, hops)
        except ValueError as other:
            return ("-", "-", "-", str(other))
    point = advice.parameters.congestion_point
    share = share_note(kind.device.sku, point.kmin_bytes, point.kmax_bytes)
    rule = no_pmax(kind.device.sku)
    why = " ".join((
        own_set(advice, speed, buffer, trip_s).note,
        *((f"Kmin and Kmax are rounded up{share}.",) if share else ()),
        *((limits,) if limits else ()),
        *((f"rocefab does not configure Pmax there ({rule}).",) if rule else ()),
        "Valid for these NIC parameters only; see `rocefab show dcqcn`.",
    ))
    return (point.kmin_bytes, point.kmax_bytes, int(point.pmax_percent), why)


def _published(figure: Figure) -> tuple[object, ...]:
    pmax = "not given" if figure.pmax_percent is None else figure.pmax_percent
    doubt = "" if figure.confirmed else " (not confirmed)"
    return (figure.kmin_bytes, figure.kmax_bytes, pmax, f"{figure.source}{doubt}")
