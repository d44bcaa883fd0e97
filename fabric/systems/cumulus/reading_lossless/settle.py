"""Ports of a Cumulus configuration with everything that profiles and the recipe give them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.observe.configuration.lossless import Gap, Marking, PortPolicy, Value
from fabric.qos.dscps import DSCPS
from fabric.systems.cumulus.platforms import (
    CNP_PRIORITY,
    CNP_TRAFFIC_CLASS,
    ROCE_PRIORITY,
    ROCE_SHARE_PERCENT,
    ROCE_TRAFFIC_CLASS,
)
from fabric.systems.cumulus.reading_lossless.model import GLOBAL, Congestion

if TYPE_CHECKING:
    from fabric.systems.cumulus.reading_lossless.model import LosslessLines

#: Modes of ``qos roce`` that pause (514 RDMA over Converged Ethernet), and the one that is about
#: trimmed packets.
_PAUSING, _TRIMMING = ("lossless", "lossless-single-ipool"), "lossy-multi-tc"
_MTU_BYTES = 9216
#: Base time of neighbours, the part of it that they live at most, and ageing of MAC addresses
#: (510 Address Resolution Protocol; Ethernet Bridging).
_REACHABLE_S, _LONGEST, _MAC_S = 1_080, 1.5, 1_800
#: ECN of ``qos roce``, and of traffic class 0 without it (514 Quality of Service).
_KMIN_BYTES, _KMAX_BYTES, _PMAX_PERCENT = 150_000, 1_500_000, 100
_PRIORITIES, _BLOCK = 8, 8
_BEST_EFFORT = 0
_GAPS = {
    "tx": "the port sends no pause frames",
    "rx": "the port does not stop when it is paused",
}


def settle(reading: LosslessLines) -> None:
    """Give every port its profiles, and the defaults of the system."""
    switch = reading.switch
    for name in reading.parents:
        switch.ports.pop(name, None)
    switch.everywhere = _everywhere(reading)
    for name, port in switch.ports.items():
        if port.routed is None and name in reading.speakers:
            port.routed = True
        port.tagged = reading.tagged.get(name, False)
        port.mtu_bytes = port.mtu_bytes or Value(_MTU_BYTES, 0)
        _classes(reading, port)
        _pause(reading, port)
        _marking(reading, port)
        _service(reading, port)
        watchdog = reading.watchdogs.get(name)
        if watchdog:
            detection_ms = reading.poll_ms * reading.polls
            port.watchdog = replace(
                watchdog,
                detection_ms=detection_ms,
                restoration_ms=reading.poll_ms,
                poll_ms=reading.poll_ms,
            )
    base = reading.reachable_s or Value(_REACHABLE_S, 0)
    switch.arp_timeout_s = Value(base.value * _LONGEST, base.line)
    _mac_ageing(reading)
    if switch.hash_fields is None:
        switch.hash_fields = {"src-ip", "dst-ip", "src-port", "dst-port"}


def _mac_ageing(reading: LosslessLines) -> None:
    """Complete ageing of MAC addresses, which counts where a port is in a bridge."""
    switch = reading.switch
    if switch.mac_ageing_s is None and any(one.routed is False for one in switch.ports.values()):
        switch.mac_ageing_s = Value(_MAC_S, 0)
    elif switch.mac_ageing_s and switch.mac_ageing_s.value == 0:
        switch.mac_ageing_s = None


def _profile(reading: LosslessLines, port: PortPolicy, kind: str) -> str:
    return reading.bound.get(port.name, {}).get(kind, GLOBAL)


def _is_trimming(reading: LosslessLines) -> bool:
    return bool(reading.roce) and reading.mode == _TRIMMING


def _classes(reading: LosslessLines, port: PortPolicy) -> None:
    """Set what is trusted, and the switch priority and the traffic class of each DSCP."""
    name = _profile(reading, port, "mapping")
    mapping = reading.mappings[name]
    if mapping.trust:
        port.trusts_dscp, port.trusts_pcp = (
            mapping.trust in (layer, "both") for layer in ("l3", "l2")
        )
    elif name == GLOBAL:
        port.trusts_dscp = bool(reading.roce)
    if port.trusts_dscp is False:
        port.trust_lines = (f"nv set qos mapping {name} trust l3",)
    if _is_trimming(reading):
        return
    port.dscp_to_class = {dscp: dscp // _BLOCK for dscp in range(DSCPS)} | mapping.dscps
    port.dscp_lines = mapping.dscp_lines
    if port.trusts_pcp:  # the switch priority is that of the tag where no line says it (514 QoS)
        port.pcp_to_class = {number: number for number in range(_PRIORITIES)} | mapping.tags
        port.dscp_to_class = port.dscp_to_class if port.trusts_dscp else {}
    queues = {number: number for number in range(_PRIORITIES)}
    if reading.roce:
        queues = dict.fromkeys(range(_PRIORITIES), _BEST_EFFORT)
        queues |= {ROCE_PRIORITY: ROCE_TRAFFIC_CLASS, CNP_PRIORITY: CNP_TRAFFIC_CLASS}
    port.class_to_queue = queues | reading.queues


def _pause(reading: LosslessLines, port: PortPolicy) -> None:
    """Set the switch priorities with PFC, and what they lack.

    What holds for all ports is left out where a port carries no traffic and has no QoS of its own.
    """
    is_idle = port.name not in reading.bound and port.name not in reading.watchdogs
    if port.routed is None and is_idle:
        return
    name = _profile(reading, port, "pfc")
    pause = reading.pauses[name]
    port.pfc = _everywhere(reading) if name == GLOBAL else dict(pause.priorities)
    port.pfc_on = len(pause.off) < len(_GAPS)
    port.longest_m = pause.longest_m
    for way, line in pause.off.items():
        port.gaps = {number: Gap(_GAPS[way], line) for number in port.pfc}
    if not reading.roce and not reading.lossless_pool:
        words = "the traffic pool default-lossless has no memory"
        port.gaps = {number: Gap(words, line, is_absence=True) for number, line in port.pfc.items()}


def _everywhere(reading: LosslessLines) -> dict[int, int]:
    """Return the priorities with PFC of all ports that have no profile of their own."""
    if len(reading.pauses[GLOBAL].off) == len(_GAPS):
        return {}
    priorities = dict(reading.pauses[GLOBAL].priorities)
    if not priorities and reading.roce and reading.mode in _PAUSING:
        priorities = {ROCE_PRIORITY: reading.roce}
    return priorities


def _marking(reading: LosslessLines, port: PortPolicy) -> None:
    """Set ECN of each traffic class; the recipe marks two, ``default-global`` one."""
    name = _profile(reading, port, "congestion-control")
    rows = dict(reading.congestion[name])
    if name == GLOBAL and reading.roce and not _is_trimming(reading):
        for number in (_BEST_EFFORT, ROCE_TRAFFIC_CLASS):
            rows[number] = _recipe(rows.get(number, Congestion(reading.roce)))
    elif name == GLOBAL and not rows and not reading.roce:
        rows[_BEST_EFFORT] = _recipe(Congestion(0))
    port.markings = {
        number: Marking(row.line, row.kmin_bytes, row.kmax_bytes, row.pmax_percent, row.ecn)
        for number, row in rows.items()
    }


def _recipe(row: Congestion) -> Congestion:
    """Return a row with the values of the recipe where it has none."""
    return Congestion(
        row.line,
        row.ecn,
        _KMIN_BYTES if row.kmin_bytes is None else row.kmin_bytes,
        _KMAX_BYTES if row.kmax_bytes is None else row.kmax_bytes,
        _PMAX_PERCENT if row.pmax_percent is None else row.pmax_percent,
    )


def _service(reading: LosslessLines, port: PortPolicy) -> None:
    """Set how queues are served; a queue that a profile does not name has no share."""
    name = _profile(reading, port, "egress-scheduler")
    service = reading.services[name]
    percent = {
        number: value for number, value in service.percent.items() if number not in service.strict
    }
    if name == GLOBAL and reading.roce and not _is_trimming(reading):
        half = Value(ROCE_SHARE_PERCENT, 0)
        shares = {_BEST_EFFORT: half, ROCE_TRAFFIC_CLASS: half}
        base = {number: one for number, one in shares.items() if number not in service.strict}
        port.strict = {CNP_TRAFFIC_CLASS: reading.roce} | service.strict
        percent = base | percent
        for number in percent:
            port.strict.pop(number, None)
    elif name in reading.profiles["egress-scheduler"]:
        line = reading.profiles["egress-scheduler"][name]
        port.strict = dict(service.strict)
        for number in range(_PRIORITIES):
            if number not in service.strict:
                percent.setdefault(number, Value(0, line))
    port.percent = percent
