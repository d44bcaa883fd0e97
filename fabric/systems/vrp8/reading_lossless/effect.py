"""What the lines of a VRP8 configuration come to, together with the defaults.

Command reference: PFC is off on a port until ``dcb pfc enable``, and ``mode auto`` follows DCBX, so
that PFC is not judged. Queues are strict, ARP lives 1200 s, MAC addresses 300 s, frames have up to
9216 bytes; chips do not check ``mtu``. ECMP hashes addresses and ports. DSCP decides on routed
ports, on others 802.1p. Deadlock detection is always on. Configuration guide: DSCP 8n to 8n+7 go to
queue n.

Hardware is of two families. One has ECN only after ``qos ecn enable``; in V200 a queue with ``ecn``
marks without it (EDOC1100155250, configuring static ECN; the CE12800 alone needs it), by the limits
of green packets. The other, which has a headroom pool, pauses by 802.1p until ``dcb pfc
dscp-mapping enable``, and shares out only what exceeds the committed rate of a queue, so that a
queue without ``shaping`` stays strict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.units import kib_to_bytes
from fabric.observe.configuration.lossless import Marking, Value, Watchdog
from fabric.observe.configuration.model import Leftover
from fabric.qos.dscps import DSCPS
from fabric.systems.vrp8.platforms import DEFAULT_HEADROOM_KIB, FRAME_EXTRA_BYTES, SLOT
from fabric.systems.vrp8.reading_lossless.switch import DEFAULT, Named, Profile

if TYPE_CHECKING:
    from fabric.systems.vrp8.reading_lossless.switch import Switch, VrpPort

_DEFAULT_ARP_S, _DEFAULT_MAC_S = Value(1_200, 0), Value(300, 0)
_DEFAULT_FRAME = Value(9_216, 0)
_DEFAULT_WEIGHT = 1
#: Deadlock timers: milliseconds of one family, units and their length of the other.
_DEFAULT_TIMER_MS, _DEFAULT_UNITS, _DEFAULT_UNIT_MS = 100, 10, 10
_CLASSES = 8
_BUILT_IN_PRIORITY = 3
#: Stands among the features of a switch with a release before V300.
OLD_RELEASE = "before V300"
#: The same where no line tells the release.
ANY_RELEASE = "no release"
_POOL, _MAPPING = "qos buffer headroom-pool", "dcb pfc dscp-mapping enable"


def complete(switch: Switch) -> None:
    """Resolve the names of a switch and set what it does where no line says anything."""
    _ageing(switch)
    if "spray" not in switch.features and switch.hash_fields is None:
        switch.hash_fields = {"src-ip", "dst-ip", "src-port", "dst-port"}
    pooled = _is_pooled(switch)
    for trunk in switch.trunks.values():
        switch.use("diffserv domain", trunk.domain)
    for port in switch.front.values():
        _inherit(port, switch.trunks.get(port.trunk))
        _uses(switch, port)
        _pause(switch, port, pooled=pooled)
        _classify(switch, port, pooled=pooled)
        _mark(switch, port, pooled=pooled)
        port.speed_gbps = _speed_gbps(switch, port.name)
        _serve(port, pooled=pooled)
        frame = port.frame_bytes or _DEFAULT_FRAME
        port.mtu_bytes = Value(frame.value - FRAME_EXTRA_BYTES, frame.line)
    switch.ports.update(switch.front)


def _ageing(switch: Switch) -> None:
    """Take the longest time that an interface keeps its neighbours for."""
    interfaces = [*switch.svis.values(), *switch.front.values()]
    own = [port.arp_timeout_s for port in interfaces if port.arp_timeout_s]
    shared = switch.arp_timeout_s or _DEFAULT_ARP_S
    switch.arp_timeout_s = max(own, key=lambda one: one.value) if own else shared
    switch.mac_ageing_s = switch.mac_ageing_s or _DEFAULT_MAC_S


def _is_pooled(switch: Switch) -> bool:
    """Tell whether lines name the family with a headroom pool; without any sign it is the other."""
    if "family a" in switch.features or "qos ecn enable" in switch.features:
        return False
    return bool({"family b", _POOL, _MAPPING} & switch.features)


def _inherit(port: VrpPort, trunk: VrpPort | None) -> None:
    if trunk is None:
        return
    port.routed, port.frame_bytes = trunk.routed, trunk.frame_bytes or port.frame_bytes
    port.tagged, port.enabled = trunk.tagged, port.enabled and trunk.enabled
    port.negotiated = trunk.negotiated if port.pfc_on is None else port.negotiated
    for name in ("trusts_dscp", "pfc_on", "profile", "ets", "trigger"):
        if getattr(port, name) is None:
            setattr(port, name, getattr(trunk, name))
    for name in ("wred", "ecn", "modes", "weights"):
        setattr(port, name, {**getattr(trunk, name), **getattr(port, name)})
    port.shaped |= trunk.shaped
    if port.domain.name == DEFAULT:
        port.domain = Named(trunk.domain.name, 0)


def _uses(switch: Switch, port: VrpPort) -> None:
    if port.domain.name != "none" and port.domain.line:
        switch.use("diffserv domain", port.domain)
    if port.profile:
        switch.use("PFC profile", port.profile)
    if port.ets:
        switch.use("ETS profile", port.ets)
    for name in port.wred.values():
        switch.use("drop profile", name)


def _pause(switch: Switch, port: VrpPort, *, pooled: bool) -> None:
    enabled = port.profile
    if enabled is None or "dcb pfc global disable" in switch.features:
        port.pfc_on, port.negotiated = False, None
    if pooled and _POOL not in switch.features:
        port.pfc_on, port.negotiated = False, None
    if enabled is None:
        return
    port.routed = bool(port.routed)
    built_in = Profile({_BUILT_IN_PRIORITY: enabled.line} if enabled.name == DEFAULT else {})
    profile = switch.profiles.get(enabled.name, built_in)
    port.pfc = dict(profile.priorities)
    if pooled:
        default = Value(kib_to_bytes(DEFAULT_HEADROOM_KIB), 0)
        port.headroom_bytes = dict.fromkeys(port.pfc, default) | port.headroom_bytes
    port.watchdog = _watchdog(switch, port, profile, pooled=pooled)


def _watchdog(switch: Switch, port: VrpPort, profile: Profile, *, pooled: bool) -> Watchdog:
    """Return the deadlock detection, which is on; a recovery of no time never comes."""
    never = [one.line for one in profile.recovery.values() if pooled and one.value == 0]
    line = port.trigger.line if port.trigger else 0
    action = switch.recovery or ("forwarding" if pooled else "discard")  # the default of each
    detection_ms, recovery_ms = _times_ms(switch, profile, pooled=pooled)
    return Watchdog(
        never[0] if never else line,
        enabled=not never,
        action=port.trigger.name if port.trigger else action,
        detection_ms=detection_ms,
        restoration_ms=recovery_ms,
    )


def _times_ms(switch: Switch, profile: Profile, *, pooled: bool) -> tuple[float, float]:
    """Return the longest times of detection and recovery in milliseconds."""
    if not pooled:
        detection = switch.timers_ms.get("detect", _DEFAULT_TIMER_MS)
        return detection, switch.timers_ms.get("recovery", _DEFAULT_TIMER_MS)
    unit_ms, default = switch.timers_ms.get("interval", _DEFAULT_UNIT_MS), Value(_DEFAULT_UNITS, 0)
    detection = max(profile.detection.get(one, _DEFAULT_UNITS) for one in profile.priorities or [0])
    recovery = max(profile.recovery.get(one, default).value for one in profile.priorities or [0])
    return detection * unit_ms, recovery * unit_ms


def _classify(switch: Switch, port: VrpPort, *, pooled: bool) -> None:
    trusts = True if port.routed else bool(port.trusts_dscp)
    by_dscp = not pooled or _MAPPING in switch.features
    port.trusts_dscp = trusts and by_dscp and port.domain.name != "none"
    if port.domain.name != "none":
        lines = {"trust dscp": trusts, f"{_MAPPING} slot {SLOT}": by_dscp}
        port.trust_lines = tuple(line for line, is_there in lines.items() if not is_there)
    port.trusts_pcp = not trusts and port.domain.name != "none"
    port.dscp_to_class = {dscp: dscp // (DSCPS // _CLASSES) for dscp in range(DSCPS)}
    for dscp, named in switch.domains.get(port.domain.name, {}).items():
        port.dscp_to_class[dscp], port.dscp_lines[dscp] = named
    port.class_to_queue = {number: number for number in range(_CLASSES)}


def _mark(switch: Switch, port: VrpPort, *, pooled: bool) -> None:
    """Set what each queue marks: it takes a profile with thresholds, and ECN on the queue."""
    for queue, named in port.wred.items():
        marking = switch.drops.get(named.name) or _green(switch, named.name, pooled=pooled)
        is_on = pooled or not {"qos ecn enable", OLD_RELEASE}.isdisjoint(switch.features)
        marks = queue in port.ecn and marking and is_on
        line = port.ecn.get(queue, named.line)
        port.markings[queue] = replace(marking or Marking(line), ecn=bool(marks))
    if "ai-ecn enable" in switch.features:
        for queue, line in switch.learning.items():
            port.markings.setdefault(queue, Marking(line))


def _green(switch: Switch, name: str, *, pooled: bool) -> Marking | None:
    """Return the thresholds of green packets, by which old releases mark; note where none tells."""
    green = switch.greens.get(name)
    if green is None or OLD_RELEASE in switch.features:
        return green
    if ANY_RELEASE in switch.features and not pooled:
        low, high = green.limits or (0, 0)
        leftover = Leftover(green.line, f"color green low-limit {low} high-limit {high}")
        if leftover not in switch.leftovers:
            switch.leftovers.append(leftover)
    return None


def _serve(port: VrpPort, *, pooled: bool) -> None:
    if port.ets:
        return
    for queue in range(_CLASSES):
        mode, line = port.modes.get(queue, Named("pq", 0))
        if mode == "pq" or (mode == "drr" and pooled and queue not in port.shaped):
            port.strict[queue] = line
            port.share_lines[queue] = _share_lines(port, queue, mode, pooled=pooled)
        elif mode == "lpq":
            port.percent[queue] = Value(0, line)
        else:
            port.percent[queue] = port.weights.get(queue, Value(_DEFAULT_WEIGHT, line))


def _share_lines(port: VrpPort, queue: int, mode: str, *, pooled: bool) -> tuple[str, ...]:
    """Return the lines with which a strict queue would have a share."""
    shared = () if mode == "drr" else (f"qos drr {queue}",)
    if not pooled or queue in port.shaped or not port.speed_gbps:
        return shared
    return (*shared, f"qos queue {queue} shaping cir 64 kbps pir {port.speed_gbps:g} gbps")


def _speed_gbps(switch: Switch, name: str) -> float | None:
    """Return the speed by the name of a port; a part of a cage has that of its split."""
    kind, _, _ = name.partition("GE")
    cage, _, part = name.partition(":")
    return switch.speeds.get(cage, None if part else float(kind))
