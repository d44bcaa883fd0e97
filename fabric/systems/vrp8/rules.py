"""Rules about VRP8 beside its limits in features.toml."""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import BYTES_PER_KIB
from fabric.design.pool import headroom_room
from fabric.systems.vrp8.headroom import MOST_HEADROOM_KIB, MOST_HEADROOMS, headroom_kib
from fabric.systems.vrp8.platforms import (
    FAMILY_A,
    FAMILY_B,
    HEADROOM_POOL_KIB,
    deadlock_counts,
    family_of,
    takes_base_r,
)
from fabric.validate.cable import RS_ONLY_FROM_GBPS
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, SwitchRule, rules
from fabric.validate.traits import switch_policies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.pool import HeadroomRoom
    from fabric.validate.places import Places
    from fabric.validate.world import Model


@rules.add("VRP004")
class WatchdogTimes(SwitchRule):
    """A VRP8 switch supports the times of its PFC watchdog."""

    why = (
        "One family supports 10 to 1500 ms; the other uses one unit of 10, 100, "
        "500 or 1000 ms for both times, with 1 to 15 units for detection and 1 to 31 for "
        "recovery. Other values are rejected or changed."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc deadlock-detect timer, dcb pfc deadlock-detect interval, priority deadlock- "
        "detect time, priority deadlock-recovery time"
    )
    guards = ("lossless.watchdog.detection_ms", "lossless.watchdog.restoration_ms")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look at the times of every watchdog on VRP8."""
        family = family_of(device.sku)
        if device.platform != "vrp8" or family is None:
            return
        for profile in device.qos_profiles:
            watchdog = profile.watchdog
            times = (watchdog.detection_ms, watchdog.restoration_ms)
            if profile.pfc and watchdog.enabled and not deadlock_counts(family, *times):
                yield self.finding(
                    f"watchdog: {device.sku.name} does not support {times[0]} ms and {times[1]} ms",
                    "use 10 to 1500 ms for both"
                    if family.timers_ms
                    else "use multiples of 100 ms up to 1500 ms for both",
                    place=places.profile_place("watchdog.detection_ms", device, profile),
                    device=device.name,
                )


@rules.add("VRP005")
class EvenAddress(SwitchRule):
    """On VRP8 /31 addresses equal to the network address are not confirmed."""

    severity = Severity.WARNING
    why = (
        "The command reference forbids an address equal to its network address "
        "and lists no exception for /31 links; the guide mentions /31 only for secondary "
        "addresses. If the address is rejected, the change does not start."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), ip "
        "address (interface view), precautions"
    )
    guards = ("addressing.uplinks",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for the even ends of the uplinks of every VRP8 switch."""
        for port in device.ports if device.platform == "vrp8" else ():
            if not port.address:
                continue
            address = IPv4Interface(port.address)
            if address.ip == address.network.network_address:
                yield self.finding(
                    "addresses of its uplinks equal their network address",
                    "try it on one port of one switch before the whole fabric; where it works, "
                    "`severity` in fabric.yaml makes this an info",
                    place=places.place("addressing", "uplinks"),
                    device=device.name,
                )
                break


@rules.add("VRP007")
class HeadroomPool(SwitchRule):
    """The headroom of a VRP8 switch is sufficient for its cables."""

    why = (
        "A port gets the headroom that its cable needs, at most 30,720 kbytes, out of a pool of "
        "all ports, of 4 mbytes where a model says nothing else; lossless frames beyond that are "
        "dropped."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc buffer (hdrm: 256 kbytes by default, 30720 at most, 31 values), qos buffer "
        "headroom-pool (sum of the queues that are likely to congest; 4 mbytes advised)"
    )
    guards = ("cables.host_m", "cables.uplink_m", "lossless.mtu.port_bytes")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare what the cables of every switch with a pool need with what it has."""
        room = headroom_room(device) if device.platform == "vrp8" else None
        if room is None:
            return
        yield from self._ports(places, device, room)
        yield from self._pool(places, device, room)

    def _ports(self, places: Places, device: DeviceDesign, room: HeadroomRoom) -> Iterator[Finding]:
        """Look for single cables that neither a port nor the pool can have headroom for."""
        pool_kib = room.kept_bytes // BYTES_PER_KIB
        values = {port.name: headroom_kib(device, port) for port in device.ports}
        if (count := len({*values.values()} - {None})) > MOST_HEADROOMS:
            yield self.finding(
                f"the cables need {count} values of headroom, but the switch has {MOST_HEADROOMS}",
                "give cables of similar length the same cable_m, that of the longest",
                place=places.place("cables"),
                device=device.name,
            )
        for port in device.ports:
            kbytes = values[port.name] or 0
            if kbytes <= min(MOST_HEADROOM_KIB, pool_kib):
                continue
            most = "a port can have" if kbytes > MOST_HEADROOM_KIB else "the pool of all ports has"
            more = ", or a larger facts.headroom_pool_bytes of an own model in platforms/*.yaml"
            yield self.finding(
                f"{port.cable_m} m at {port.speed_gbps}G needs {kbytes:,} kbytes of headroom, but "
                f"{most} {min(MOST_HEADROOM_KIB, pool_kib):,}",
                f"use a shorter cable{'' if kbytes > MOST_HEADROOM_KIB else more}",
                place=places.cable_place(device, port, "cable_m"),
                device=device.name,
                port=port.name,
            )

    def _pool(self, places: Places, device: DeviceDesign, room: HeadroomRoom) -> Iterator[Finding]:
        """Look for a pool that the switch does not support, or that is too small."""
        kbytes, rest = divmod(room.kept_bytes, BYTES_PER_KIB)
        if rest or kbytes not in HEADROOM_POOL_KIB:
            yield self.finding(
                f"the switch supports no headroom pool of {room.kept_bytes:,} bytes",
                "set facts.headroom_pool_bytes of the model to a multiple of 1,024 from "
                f"{HEADROOM_POOL_KIB[0] * BYTES_PER_KIB:,} to "
                f"{HEADROOM_POOL_KIB[-1] * BYTES_PER_KIB:,}",
                place=places.sku_place(device),
                device=device.name,
            )
        elif not room.fits:
            yield self.finding(
                f"all ports together need {room.needed_bytes:,} bytes of headroom, but "
                f"the pool has {room.kept_bytes:,}",
                "use shorter cables, fewer lossless ports, or an own model in platforms/*.yaml "
                f"with facts.headroom_pool_bytes of at least {room.needed_bytes:,}",
                place=places.place("cables"),
                device=device.name,
                severity=Severity.WARNING,
            )


@rules.add("VRP012")
class FecKnown(SwitchRule):
    """On VRP8 a port uses a supported FEC mode."""

    why = "The switch rejects the line, and with it the whole commit."
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), fec mode "
        "base-r (100GE with 50G cables only; not on 25GE parts of CE8855 and its like)"
    )
    guards = ("devices.ports.fec",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for ports on VRP8 that ask for Base-R where there is none."""
        for port in device.ports if device.platform == "vrp8" else ():
            part = port.place.mode is not None
            if port.fec == "fc" and not takes_base_r(device.sku, port.speed_gbps, part=part):
                place = port_place(places.intent, device.name, port.name, "fec")
                others = "rs" if port.speed_gbps >= RS_ONLY_FROM_GBPS else "rs or none"
                yield self.finding(
                    f"FEC fc is not available at {port.speed_gbps}G on {port.name}",
                    f"use {others}, or remove fec; the switch then selects FEC by medium",
                    place=place or places.sku_place(device),
                    device=device.name,
                    port=port.name,
                )


@rules.add("VRP015")
class FabricDrops(ModelRule):
    """If a VRP8 switch has ECN as a whole, the PFC watchdogs of all VRP8 switches drop."""

    why = (
        "The vendor requires it of the whole fabric. One family forwards by default, also where "
        "no watchdog is configured."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc deadlock recovery-behavior"
    )
    guards = ("lossless.watchdog.enabled", "lossless.watchdog.action")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the watchdogs of all VRP8 switches beside one of the family with drop."""
        switches, rows = model.fabric.switches, model.fabric.switch_row
        asics = {sku.asic for sku in switches.skus if sku.nos == "vrp8"}
        for end in switch_policies(model) if FAMILY_A in asics else ():
            sku, watchdog = switches.skus[rows[end.device]], end.policy.watchdog
            field, message = "watchdog.action", ""
            if sku.nos != "vrp8" or not end.policy.pfc:
                continue
            if watchdog.enabled and watchdog.action == "forward":
                message = "watchdog.action forward: its fabric requires drop"
            elif not watchdog.enabled and sku.asic == FAMILY_B:
                field = "watchdog.enabled"
                message = "watchdog.enabled is false: it forwards, but its fabric requires drop"
            if message:
                yield self.finding(
                    message,
                    "set lossless.watchdog.enabled to true, and the action to drop",
                    place=model.policy_place(field, end.device, end.port),
                    device=end.device,
                )


@rules.add("VRP018")
class UnnumberedUnconfirmed(SwitchRule):
    """Sessions by the port on VRP8 are tried before a whole fabric has them."""

    severity = Severity.WARNING
    why = (
        "The reference has the commands and a sample of one group; no configuration of a whole "
        "fabric is public, nor one of a session with another system. A group takes any other AS "
        "number, so a wrong cable comes up too."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), group "
        "unnumbered, peer unnumbered-interface"
    )
    guards = ("bgp.peering", "devices.peering", "devices.ports.peering")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for sessions without addresses on VRP8."""
        if device.platform == "vrp8" and device.unnumbered_ports:
            yield self.finding(
                "sessions by the port are confirmed neither on a whole fabric of VRP8 nor with "
                "another system at the other end",
                "try them on one link first, or number the links of this switch",
                place=places.peering_place(device),
                device=device.name,
            )
