"""The lossless budget of a port: each number of it, and how it comes about, at both ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.units import gbps_to_bytes_per_s, gbps_to_mbps, s_to_ms, s_to_us
from fabric.design.configured import headroom_state, pmax_words, sets_times, watchdog_words
from fabric.design.pool import (
    computed_buffer,
    headroom_room,
    lossless_pool_bytes,
    pause_threshold,
    worst_ingress,
)
from fabric.design.table_spread import shortfall_of, table_spread
from fabric.platforms import platforms
from fabric.qos.ecn.edge import unmarked
from fabric.qos.headroom.mlx5 import TOLD_DRIVERS, nic_headroom_bytes
from fabric.qos.headroom.verdict import HeadroomVerdict, judge
from fabric.qos.headroom.wire import response_note
from fabric.qos.path import longest_path, round_trip_s
from fabric.qos.thresholds import alpha
from fabric.qos.watchdog import longest_pause_s, storm
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from fabric.design.designs import Designs
    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.qos.headroom.verdict import Judgement


_VERDICTS = {
    HeadroomVerdict.BELOW_FLOOR: "too small: no peer can stop in time",
    HeadroomVerdict.BELOW_RESPONSE: "smaller than IEEE 802.3 allows the peer to need",
    HeadroomVerdict.LARGE_FRAMES: "enough for large frames",
    HeadroomVerdict.ENOUGH: "enough",
}
_HEADERS = ("part", "item", "value", "how")


@dataclass(frozen=True, slots=True)
class Line:
    """One number of a budget."""

    part: str
    item: str
    value: str
    how: str = ""

    def cells(self) -> tuple[str, str, str, str]:
        """Return the cells of a table."""
        return (self.part, self.item, self.value, self.how)


def find_port(designs: Designs, device: str, name: str) -> PortDesign | None:
    """Return a port of a switch that is in use, or None."""
    design = designs.devices.get(device)
    ports = design.ports if design else ()
    return next((port for port in ports if port.name == name and port.kind != "unused"), None)


def port_of_budget(designs: Designs, device: str, words: str) -> tuple[str, str]:
    """Return switch and port whose budget has a part or an item of this name; empty for none."""
    ends = [(device, port.name) for port in _lossless_ports(designs, device)]
    if device in designs.hosts:
        ends = [(nic.leaf, nic.leaf_port) for nic in designs.hosts[device].nics]
    for switch, name in ends[:1]:
        port = find_port(designs, switch, name)
        rows = port_budget(designs, designs.devices[switch], port).rows if port else ()
        if any(words.lower() in {str(part).lower(), str(item).lower()} for part, item, *_ in rows):
            return switch, name
    return "", ""


def _lossless_ports(designs: Designs, device: str) -> list[PortDesign]:
    design = designs.devices.get(device)
    ports = design.ports if design else ()
    return [port for port in ports if port.kind != "unused" and port.headroom and port.qos]


def port_budget(designs: Designs, device: DeviceDesign, port: PortDesign) -> Table:
    """Return the lossless budget of a port and of the other end of its cable."""
    lines = [*_end(designs, device, port, "")]
    if port.kind == "host" and (host := designs.hosts.get(port.peer)):
        lines += _nic(host, device, port)
    elif (peer := designs.devices.get(port.peer)) and (
        other := find_port(designs, port.peer, port.peer_port)
    ):
        lines += _end(designs, peer, other, f"{port.peer} ")
    return Table(_HEADERS, tuple(line.cells() for line in lines))


def _end(designs: Designs, device: DeviceDesign, port: PortDesign, prefix: str) -> Iterator[Line]:
    where = f"{port.speed_gbps}G, {port.cable_m} m to {port.peer} {port.peer_port}"
    yield Line(f"{prefix}port", port.name, where, f"{device.sku.name}, {device.sku.asic}")
    if port.headroom is None or port.qos is None:
        yield Line(f"{prefix}headroom", "none", "-", "PFC is off on this port")
        return
    parts = (
        _headroom(device, port.headroom, port.peer),
        _thresholds(device, port),
        _ecn(designs, device, port),
        _watchdog(device, port),
    )
    for lines in parts:
        for line in lines:
            yield Line(f"{prefix}{line.part}", line.item, line.value, line.how)


def _headroom(device: DeviceDesign, profile: HeadroomProfile, peer: str) -> Iterator[Line]:
    part, law = "headroom", profile.law
    state = headroom_state(profile, device.sku, device.role)
    if law:
        for term in law.terms:
            if term.amount_bytes:
                times = f"x {float(law.packing_factor):.3g}" if term.packed else "once"
                yield Line(part, term.name, _interval(term.least_bytes, term.amount_bytes), times)
        step = f"in steps of {law.rounding_bytes:,}" if law.rounding_bytes > 1 else ""
        size = _interval(law.least_bytes, law.headroom_bytes)
        length = "" if profile.row else _setting(profile)  # the row alone has another length
        yield Line(part, "by the law", size, f"law {law.law}{length} {step}")
    else:
        yield Line(part, "by the law", "unknown", profile.no_law)
    yield from _of_port(device, profile, state.lack)
    judged = profile.judgement
    if judged:
        yield Line(part, "at least", _bytes(float(judged.floor_bytes)), "frames and cable")
        yield _with_response(profile, judged, peer)
        left = f"leaves the peer {float(judged.response_ns):,.0f} ns"
        estimate = ", as estimated by the law" if profile.is_estimate else ""
        estimate += f"; {state.lack}" if state.lack else ""
        room = headroom_room(device)
        alone = "; for this port alone" if room and not room.fits else ""
        yield Line(part, "verdict", f"{_verdict(profile, judged)}{estimate}{alone}", left)
        if room:
            words = "enough" if room.fits else "too small if all pause at once"
            need = f"its lossless ports together need {room.needed_bytes:,}"
            yield Line(part, "of the switch", f"{_bytes(room.kept_bytes)}: {words}", need)


def _of_port(device: DeviceDesign, profile: HeadroomProfile, lack: str) -> Iterator[Line]:
    """Yield where the headroom of a port comes from, and what is known of an estimate."""
    part, law, row = "headroom", profile.law, profile.row
    if row:
        how = f"vendor's row{_setting(profile)}, used by the port"
        yield Line(part, "in the table", _bytes(row.headroom_bytes), how)
    elif profile.computed:
        yield Line(part, "in the table", "none", "the switch computes it by this law")
    elif profile.set_bytes is not None:
        how = "lossless.pause_buffer, its size without its pause threshold; used by the port"
        yield Line(part, "in the pause buffer", _bytes(profile.set_bytes), how)
    elif law:
        how = f"no vendor row; the law is used instead{lack and f'; {lack}'}"
        yield Line(part, "in the table", "none", how)
        yield _other_tables(device, profile)
        if short := shortfall_of(device.sku.asic, profile):
            yield Line(part, "law against tables", f"{short.percent:.1f} % too low", short.text())


def _setting(profile: HeadroomProfile) -> str:
    """Return the length that the switch keeps headroom for, where that is not the cable's."""
    return f" of {profile.setting_m} m" if profile.setting_m != profile.cable_m else ""


def _verdict(profile: HeadroomProfile, judged: Judgement) -> str:
    """Return the verdict in words."""
    verdict = HeadroomVerdict(int(judged.verdict))
    if profile.peer and verdict == HeadroomVerdict.BELOW_RESPONSE:
        return "too small: this peer stops later"
    return _VERDICTS[verdict]


def _with_response(profile: HeadroomProfile, judged: Judgement, peer: str) -> Line:
    """Return the headroom for a peer as slow as it may be."""
    size = _interval(judged.least_bytes, judged.response_bytes)
    if known := profile.peer:
        how = f"{peer} takes {known.time_ns:,.0f} ns: {known.source}"
        return Line("headroom", "with response", size, how)
    note = response_note(profile.speed_gbps)
    return Line("headroom", "with response", size, f"IEEE 802.3 31B.3.7{note and '; '}{note}")


def _other_tables(device: DeviceDesign, profile: HeadroomProfile) -> Line:
    """Return what tables of other models with the same ASIC keep."""
    spread = table_spread(device.sku.asic, profile.speed_mbps, profile.setting_m)
    if spread is None:
        return Line("headroom", "other tables", "unknown", f"none for {device.sku.asic}")
    return Line("headroom", "other tables", spread.text(), f"vendors' rows for {device.sku.asic}")


def _thresholds(device: DeviceDesign, port: PortDesign) -> Iterator[Line]:
    part, profile, name = "threshold", port.headroom, device.sku.name
    assert profile
    threshold, pool = pause_threshold(device, profile), lossless_pool_bytes(device)
    share = f"alpha {alpha(profile.dynamic_th):g}, dynamic_th {profile.dynamic_th}"
    if threshold is None and pool is None:
        unknown = f"{share}; pool of {name} is not known"
        how = f"no source has the threshold of {name}" if profile.is_assumed else unknown
        yield Line(part, "XOFF", "unknown", how)
    elif threshold is None:
        yield Line(part, "XOFF", "none", "the ports take more than the buffer: no shared pool")
    elif profile.levels:
        how = "of each group, whatever is free of the buffer"
        yield Line(part, "XOFF", _bytes(profile.levels.pause_bytes), how)
        yield Line(part, "XON", _bytes(profile.levels.resume_bytes), how)
    else:
        yield from _computed(part, device)
        worst = worst_ingress(device, port)
        for users, name in (
            (1, "XOFF, one group"),
            (2, "XOFF, two groups"),
            (worst, f"XOFF, worst ingress set, {counted(worst, 'group')}"),
        ):
            value = threshold.group_bytes(users)
            yield Line(part, name, _bytes(value), f"{share}, pool {pool:,}")
    if threshold:
        value = threshold.incast_bytes(2)
        yield Line(part, "queue of a 2:1 incast at XOFF", _bytes(value), "two ports, half each")
    row = profile.row
    if row and row.xon_offset_bytes is not None:
        yield Line(part, "XON", f"{row.xon_offset_bytes:,} below XOFF", "vendor's row")
    elif row:
        yield Line(part, "XON", _bytes(row.xon_threshold_bytes), "vendor's row")


def _computed(part: str, device: DeviceDesign) -> Iterator[Line]:
    """Return the shared pool of a switch that computes it."""
    if device.buffer_model != "dynamic" or not (computed := computed_buffer(device)):
        return
    how = f"half of what ports leave of {computed.buffer_bytes:,}; `show buffer --computed`"
    yield Line(part, "computed pool", _bytes(computed.pool_bytes), how)
    if computed.shared_headroom_bytes:
        ratio = f"all groups together, promised {device.headroom_over_subscription} times"
        yield Line(part, "shared headroom", _bytes(computed.shared_headroom_bytes), ratio)


def _ecn(designs: Designs, device: DeviceDesign, port: PortDesign) -> Iterator[Line]:
    qos = port.qos
    assert qos
    for one in qos.classes:
        reason, _ = unmarked(device.sku, own_thresholds=one.own_thresholds)
        if reason:
            yield Line("ecn", "marking", "none", f"{one.title}{reason}")
            continue
        every = f"{one.title}every packet; Pmax {pmax_words(one, device.sku)}"
        yield Line("ecn", "Kmin", _bytes(one.kmin_bytes), f"{one.title}marking begins")
        yield Line("ecn", "Kmax", _bytes(one.kmax_bytes), every)
    hops = longest_path(designs.fabric)
    if hops:
        round_trip = round_trip_s(hops)
        delay = gbps_to_bytes_per_s(port.speed_gbps) * round_trip
        how = f"{port.speed_gbps}G x {s_to_us(round_trip):.1f} us, the longest path"
        yield Line("ecn", "bandwidth-delay product", _bytes(delay), how)


def _watchdog(device: DeviceDesign, port: PortDesign) -> Iterator[Line]:
    assert port.qos
    watchdog, part = port.qos.watchdog, "watchdog"
    if not watchdog.enabled:
        yield Line(part, "off", "-")
        return
    words = watchdog_words(watchdog, device.sku, device.role)
    if not sets_times(device.sku, device.role):
        yield Line(part, "detection", words)
        return
    polls = platforms[device.platform].polls
    yield Line(part, "detection", words, f"polls every {watchdog.poll_ms} ms" if polls else "")
    yield Line(part, "restoration", f"{watchdog.restoration_ms} ms")
    pause = s_to_us(longest_pause_s(port.speed_gbps))
    yield Line(part, "longest pause of one frame", f"{pause:,.1f} us", "65535 quanta")
    buffer_bytes = device.sku.packet_buffer_bytes
    if buffer_bytes:
        met = storm(watchdog.detection_ms, watchdog.poll_ms, buffer_bytes, port.speed_gbps)
        how = f"{buffer_bytes:,} bytes through this port"
        yield Line(part, "longest legitimate pause", f"{s_to_ms(met.drain_s):.2f} ms", how)


def _nic(host: HostDesign, device: DeviceDesign, port: PortDesign) -> Iterator[Line]:
    nic = next(n for n in host.nics if (n.interface == port.peer_port))
    part = f"{host.name} NIC"
    where = f"{nic.speed_gbps}G, {nic.cable_m} m to {nic.leaf} {nic.leaf_port}"
    yield Line(part, nic.interface, where, f"{nic.rdma_device}, MTU {nic.mtu_bytes:,}")
    driver = host.traits.nic.driver
    if driver not in TOLD_DRIVERS:
        why = f"{driver} has no receive buffers that can be set; its firmware sizes them"
        yield Line(part, "headroom", "unknown", why)
        return
    try:
        need = int(nic_headroom_bytes(gbps_to_mbps(nic.speed_gbps), nic.cable_m, nic.mtu_bytes))
    except ValueError as error:
        yield Line(part, "headroom", "unknown", str(error))
        return
    yield Line(part, "headroom", _bytes(need), "mlx5 driver, from speed, cable_len and MTU")
    if port.headroom and (known := device.pause_response):
        link = replace(port.headroom.link, peer_ns=np.asarray(known.time_ns))
        size = _bytes(float(judge(need, link).response_bytes))
        how = f"{device.name} takes {known.time_ns:,.0f} ns: {known.source}"
        yield Line(part, "with response", size, how)
    yield Line(part, "XOFF", f"buffer size - {need:,} bytes", "mlnx_qos shows the buffer sizes")
    yield Line(part, "XON", f"XOFF - {nic.mtu_bytes:,} bytes", "one frame of the largest MTU")
    least = need + nic.mtu_bytes
    yield Line(
        part, "minimum buffer", f"more than {_bytes(least)}", "otherwise the driver rejects it"
    )


def _interval(least: ArrayLike | None, most: ArrayLike) -> str:
    """Return a size that may be an interval."""
    lower, upper = float(np.asarray(most if least is None else least)), float(np.asarray(most))
    return _bytes(upper) if lower == upper else f"{lower:,.0f} to {_bytes(upper)}"


def _bytes(size: float) -> str:
    return f"{size:,.0f} bytes"
