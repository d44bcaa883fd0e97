"""The cable between a NIC and a switch port: what both ends are told, side by side.

Sources of the verdicts: IEEE 802.1Q-2018 clauses 36 and 37 (PFC, ETS), RFC 2474 and RFC 3168 (the
DSCP is the upper six bits of the traffic class byte, ECN the lower two), IEEE 802.3 clauses 91, 119
and 134 (FEC), and the rule that each line names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import ip_interface
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabric.core.units import gbps_to_mbps
from fabric.design.configured import (
    headroom_state,
    no_pmax,
    pmax_words,
    sets_times,
    watchdog_words,
)
from fabric.design.qos import lossless_dscps_of_host
from fabric.design.shares import share_words, switch_shares
from fabric.qos.ecn.edge import share_note, unmarked
from fabric.qos.headroom.mlx5 import MAX_TOLD_CABLE_M, nic_headroom_bytes
from fabric.qos.headroom.verdict import HeadroomVerdict, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.intent.host_model import NicTraits
    from fabric.qos.headroom.terms import Link
    from fabric.validate.world import Model

Word = Literal["ok", "wrong", "note", "unknown"]
#: What each verdict says, the worst first.
VERDICTS: dict[Word, str] = {
    "wrong": "the ends do not fit each other",
    "note": "no mistake, but check it",
    "unknown": "it cannot be judged",
    "ok": "they fit each other",
}
#: The factory value of ROCE_CC_PRIO_MASK_P1 is 255 (Mellanox/mstflint mlxconfig).
_BY_FACTORY = (
    "driver mlx5 does not turn DCQCN on: NICs have it on unless mlxconfig changed "
    "ROCE_CC_PRIO_MASK_P1; nic.firmware_file sets it"
)
#: The code point ECT0 in the lower two bits (RFC 3168 section 5).
ECT0 = 2
#: FEC of a NIC, and of a port whose FEC is not set: chosen by speed and medium.
AUTO_FEC = "auto"
#: Lanes of 50 Gb/s and above carry PAM4, which IEEE 802.3 defines with RS-FEC only (clause 134);
#: 100 Gb/s over four lanes has RS-FEC on copper and multimode fibre (clauses 92 and 95).
RS_ONLY_FROM_GBPS, RS_USUAL_GBPS = 200, 100


@dataclass(frozen=True, slots=True)
class CableLine:
    """One thing that both ends of a cable are told; ``rule`` guards it."""

    item: str
    host: str
    switch: str
    verdict: Word
    note: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Cable:
    """A NIC with its host, and the switch port at the other end."""

    host: HostDesign
    nic: NicDesign
    device: DeviceDesign
    port: PortDesign

    def lines(self) -> tuple[CableLine, ...]:
        """Return every line, in the order in which a person looks for a fault."""
        rows = [*_wire(self), *_network(self)]
        if self.host.no_lossless:
            note = f"{self.host.no_lossless}; the leaf port stays lossless, which is harmless"
            return (*rows, CableLine("lossless", "no", "yes", "note", note, "HST013"))
        if self.port.qos is None:
            return (*rows, CableLine("lossless", "yes", "no", "wrong", "the port is unused"))
        return (*rows, *_marks(self, self.port.qos), *_pauses(self, self.port.qos))


def _same(item: str, host: object, switch: object, rule: str, note: str = "") -> CableLine:
    verdict: Word = "ok" if host == switch else "wrong"
    return CableLine(item, str(host), str(switch), verdict, note, rule)


def _own_number(item: str, host: int, switch: int) -> CableLine:
    """Return numbers that never leave their device: the DSCP leads to them at both ends."""
    is_same = host == switch
    note = "" if is_same else "numbers of one device each: the DSCP leads to both"
    return CableLine(item, str(host), str(switch), "ok" if is_same else "note", note)


def _wire(cable: Cable) -> Iterator[CableLine]:
    nic, port, device = cable.nic, cable.port, cable.device
    current = f"{cable.host.name} {nic.interface}"
    peer = f"{port.peer} {port.peer_port}".strip()
    yield _same("peer", f"{nic.leaf} {nic.leaf_port}", f"{device.name} {port.name}", "TOP016")
    yield _same("peer of the port", current, peer, "TOP016")
    yield _same("speed_gbps", nic.speed_gbps, port.speed_gbps, "TOP011")
    yield _same("cable_m", nic.cable_m, port.cable_m, "TOP011")
    verdict, note = fec_verdict(port.fec, port.speed_gbps)
    yield CableLine("fec", AUTO_FEC, port.fec or AUTO_FEC, verdict, note, "HST017")
    yield CableLine(
        "mtu_bytes",
        str(nic.mtu_bytes),
        str(port.mtu_bytes),
        "ok" if port.mtu_bytes >= nic.mtu_bytes else "wrong",
        "the longest IP packet of each end; headers of the frame are not counted",
        "QOS016",
    )


def fec_verdict(fec: str, speed_gbps: int) -> tuple[Word, str]:
    """Return whether a NIC, which chooses FEC by the medium, meets the FEC of a switch port."""
    if fec in ("", "rs"):
        return "ok", "the NIC selects RS-FEC by speed and medium"
    if speed_gbps >= RS_ONLY_FROM_GBPS:
        return "wrong", f"{speed_gbps}G supports RS-FEC only; with {fec} the link stays down"
    if speed_gbps == RS_USUAL_GBPS:
        return "note", f"the NIC expects RS-FEC except on long single-mode fibre, not {fec}"
    return (
        "note",
        f"set the NIC to {fec} with ethtool --set-fec; it may not select {fec} by default",
    )


def _network(cable: Cable) -> Iterator[CableLine]:
    nic, port = cable.nic, cable.port
    is_routed = port.address or port.ipv6
    yield CableLine(
        "vlan",
        "untagged",
        f"access {port.vlan}" if port.vlan else "routed" if is_routed else "none",
        "ok" if (port.vlan or 0) == nic.vlan else "wrong",
        "",
        "HST017",
    )
    for mine in nic.addresses:
        network, gateway = _gateway(cable, is_ipv6=mine.is_ipv6)
        family = " of IPv6" if mine.is_ipv6 else ""
        yield _same(f"subnet{family}", mine.network, network, "HST017")
        yield _same(f"gateway{family}", mine.gateway, gateway, "HST017")


def _gateway(cable: Cable, *, is_ipv6: bool) -> tuple[str, str]:
    """Return subnet and address of the switch at its end of a cable, in words."""
    port = cable.port
    if text := port.ipv6 if is_ipv6 else port.address:
        own = ip_interface(text)
        return str(own.network), str(own.ip)
    vlan = next((one for one in cable.device.vlans if one.vlan == port.vlan), None)
    return (vlan.network, vlan.gateway) if vlan and not is_ipv6 else ("none", "none")


def _marks(cable: Cable, port: QosProfile) -> Iterator[CableLine]:
    qos = cable.nic.qos
    byte, marked = qos.traffic_class_byte, qos.traffic_class_byte | ECT0
    pairs = [(mine, _at_switch(port, mine)) for mine in qos.classes]
    for mine, other in pairs:
        yield _same(f"roce_dscp{_of(mine)}", mine.roce_dscp, other.roce_dscp, "QOS006")
    default = pairs[0][1].roce_dscp
    yield CableLine(
        "traffic class byte",
        str(byte),
        f"DSCP {default}",
        "ok" if byte >> 2 == default else "wrong",
        f"{byte} and {marked} both mean DSCP {byte >> 2}: the byte is DSCP * 4 + ECN, and "
        "the NIC sets the ECN bits",
        "QOS006",
    )
    yield _same("cnp_dscp", qos.cnp_dscp, port.cnp_dscp, "QOS006")
    host, switch = lossless_dscps_of_host(qos), _lossless_dscps(port)
    # a RoCE DSCP that differs is told once, by the rule of the line above
    told = any(mine.roce_dscp != other.roce_dscp for mine, other in pairs)
    rule = "QOS006" if told else "QOS070" if _shares_a_dscp(qos.classes, port.classes) else "HST017"
    yield _same("lossless DSCPs", _numbers(host), _numbers(switch), rule)
    for mine, other in pairs:
        item = f"class of RoCE data{_of(mine)}"
        yield _own_number(item, mine.pfc_priority, other.traffic_class)
    yield _own_number("class of CNPs", qos.cnp_priority, port.cnp_traffic_class)
    strict = [one.kind for one in port.queues if one.percent is None]
    yield CableLine(
        "CNPs have priority",
        qos.tsa[qos.cnp_priority],
        "strict" if "cnp" in strict else "shared",
        "ok" if qos.tsa[qos.cnp_priority] == "strict" and "cnp" in strict else "wrong",
        "",
        "QOS009",
    )
    shares = dict(zip(port.classes, switch_shares(cable.device, port).lossless, strict=True))
    for mine, other in pairs:
        yield from _queue(cable, mine, other, shares[other])


def _at_switch(port: QosProfile, mine: LosslessClass) -> LosslessClass:
    """Return the class of the switch that a class of the host falls into, else its first."""
    same = (one for one in port.classes if mine.roce_dscp in one.dscps)
    return next(same, port.classes[min(mine.number or 0, len(port.classes) - 1)])


def _of(one: LosslessClass) -> str:
    return "" if one.number is None else f" of {one.name}"


def _queue(
    cable: Cable, mine: LosslessClass, other: LosslessClass, share: int
) -> Iterator[CableLine]:
    qos = cable.nic.qos
    current = qos.tc_bandwidth_percent[mine.pfc_priority]
    state: Literal["ok", "note"] = "ok" if current == other.percent else "note"
    note = f"{other.percent} in the inventory: {share_words(cable.device)}"
    note = note if share != other.percent else ""
    yield CableLine(f"share_percent{_of(mine)}", str(current), str(share), state, note)
    item, reacts = f"ECN{_of(mine)}", f"reacts and notifies on priority {mine.pfc_priority}"
    reason, _ = unmarked(cable.device.sku, own_thresholds=other.own_thresholds)
    if reason:
        yield CableLine(item, reacts, "marks nothing", "note", reason)
        return
    sku = cable.device.sku
    marks = (
        f"marks queue {other.queue} from {other.kmin_bytes} to {other.kmax_bytes} bytes"
        f"{share_note(sku, other.kmin_bytes, other.kmax_bytes)}"
    )
    if rule := no_pmax(sku):
        note = f"probability up to kmax_bytes: {pmax_words(other, sku)}"
        yield CableLine(item, reacts, marks, "note", note, rule)
        return
    verdict: Word = "ok" if other.pmax_percent else "wrong"
    note = f"{pmax_words(other, sku)} of the packets at kmax_bytes, all above it"
    if other.pmax_percent and _is_left_to_firmware(cable.host.traits.nic):
        verdict, note = "note", f"{note}; {_BY_FACTORY}"
    yield CableLine(item, reacts, marks, verdict, note, "QOS001")


def _is_left_to_firmware(nic: NicTraits) -> bool:
    """Tell whether neither the driver nor the firmware file turns DCQCN on for a priority."""
    return nic.driver == "mlx5" and not nic.firmware_file


def _shares_a_dscp(*ends: Sequence[LosslessClass]) -> bool:
    """Return whether two classes of one end have a DSCP: its maps can hold it once."""
    every = ([dscp for one in classes for dscp in one.dscps] for classes in ends)
    return any(len(dscps) > len({*dscps}) for dscps in every)


def _lossless_dscps(port: QosProfile) -> tuple[int, ...]:
    lossless = {one.traffic_class for one in port.classes}
    classes = enumerate(port.dscp_to_traffic_class)
    return tuple(dscp for dscp, number in classes if number in lossless)


def _numbers(values: tuple[int, ...]) -> str:
    return ",".join(str(value) for value in values)


def _pauses(cable: Cable, port: QosProfile) -> Iterator[CableLine]:
    qos = cable.nic.qos
    host = [number for number, bit in enumerate(qos.pfc) if bit]
    switch = port.paused
    for item in ("pause by the switch", "pause by the host"):
        obeys = f"priorities {_numbers(tuple(host)) or 'none'}"
        sends = f"priorities {_numbers(switch) or 'none'}"
        yield _same(item, obeys, sends, "QOS005")
    yield _room_of_host(cable)
    yield _room_of_switch(cable)
    yield _storm(cable, port)


def _room_of_host(cable: Cable) -> CableLine:
    nic = cable.nic
    if not cable.host.traits.nic.driver.startswith("mlx5"):
        return CableLine(
            "headroom of the host", "unknown", "-", "unknown", "no formula is known for this driver"
        )
    if nic.cable_m >= MAX_TOLD_CABLE_M:
        note = f"the driver ignores lengths from {MAX_TOLD_CABLE_M} m"
        return CableLine("headroom of the host", "unknown", "-", "wrong", note, "QOS041")
    room = int(nic_headroom_bytes(gbps_to_mbps(nic.speed_gbps), nic.cable_m, nic.mtu_bytes))
    link = _link_of_nic(cable)
    enough = link is None or judge(room, link).verdict > HeadroomVerdict.BELOW_RESPONSE
    known = cable.device.pause_response
    note = (
        "used for this cable if the receive buffers are set manually; otherwise the firmware "
        "decides"
    )
    if known and not enough:
        note = f"{cable.device.name} takes {known.time_ns:,.0f} ns to stop; {note}"
    verdict: Word = "ok" if enough else "wrong"
    return CableLine("headroom of the host", f"{room} bytes", "-", verdict, note, "QOS041")


def _link_of_nic(cable: Cable) -> Link | None:
    """Return what the NIC faces: the cable of the port, and the switch for a peer."""
    if cable.port.headroom is None:
        return None
    known = cable.device.pause_response
    return replace(cable.port.headroom.link, peer_ns=np.asarray(known.time_ns if known else np.nan))


def _room_of_switch(cable: Cable) -> CableLine:
    headroom = cable.port.headroom
    if headroom is None or headroom.headroom_bytes is None or headroom.judgement is None:
        note = headroom.no_law if headroom else "no lossless buffer"
        return CableLine("headroom of the switch", "-", "unknown", "unknown", note, "QOS021")
    state = headroom_state(headroom, cable.device.sku, cable.device.role)
    verdict: Word = "note" if state.rule else "ok"
    if headroom.judgement.verdict <= HeadroomVerdict.BELOW_RESPONSE:
        floor = headroom.judgement.verdict == HeadroomVerdict.BELOW_FLOOR
        verdict = "wrong" if floor else "note"
    need = float(headroom.judgement.response_bytes)
    note = f"{need:.0f} bytes cover all that IEEE 802.3 lets the host send after a pause"
    if known := headroom.peer:
        note = f"{need:.0f} bytes cover the {known.time_ns:,.0f} ns that the host takes to stop"
    note += f"; {state.kept}" if state.kept else ""
    switch = f"{headroom.headroom_bytes} bytes{state.note}"
    rule = state.rule if verdict == "note" and state.rule else "QOS021"
    return CableLine("headroom of the switch", "-", switch, verdict, note, rule)


def _storm(cable: Cable, port: QosProfile) -> CableLine:
    nic_ms, watchdog = cable.host.traits.nic.pause_storm_ms, port.watchdog
    switch = watchdog_words(watchdog, cable.device.sku, cable.device.role)
    if nic_ms is None:
        return CableLine(
            "pause storm", "not changed", switch, "note", "pause_storm_ms is not set", "HST021"
        )
    if watchdog.enabled and not sets_times(cable.device.sku, cable.device.role):
        note = "the time of the switch is not known here; the NIC should stop before it"
        return CableLine("pause storm", f"{nic_ms} ms", switch, "note", note, "HST021")
    first = not watchdog.enabled or nic_ms < watchdog.detection_ms
    note = f"the NIC stops pausing after {nic_ms} ms; it should do so before the switch acts"
    return CableLine(
        "pause storm", f"{nic_ms} ms", switch, "ok" if first else "note", note, "HST021"
    )


def kinds_of_nic_cable(model: Model) -> tuple[tuple[Cable, int], ...]:
    """Return one cable of every distinct kind of NIC cable, and how many there are."""
    return tuple((cable_of(model, row), cables) for row, cables in model.nic_cables)


def cable_of(model: Model, row: int) -> Cable:
    """Return the cable of a row of ``fabric.nics``."""
    fabric, nics, switches = model.fabric, model.fabric.nics, model.fabric.switches
    host = model.hosts[model.fabric.hosts.names[int(nics.host[row])]]
    device = model.devices[switches.names[int(nics.leaf[row])]]
    number = int(nics.port[row])
    port = next(port for port in device.ports if port.number == number)
    return Cable(host, host.nics[row % fabric.nics_per_host], device, port)
