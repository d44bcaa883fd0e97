"""Traits of a switch that facts about defects ask for, by its design and by its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration.lossless import Lossless

#: Inventory field that a trait follows from; the place of a finding goes by it.
TRAIT_FIELDS = {
    "pfc": "lossless.pfc",
    "watchdog": "lossless.watchdog.enabled",
    "watchdog_action": "lossless.watchdog.action",
    "watchdog_detection_ms": "lossless.watchdog.detection_ms",
    "watchdog_restoration_ms": "lossless.watchdog.restoration_ms",
    "ecn": "lossless.ecn.kmin_bytes",
    "lossless_classes": "lossless.classes",
    "buffer_model": "platforms.leaf.buffer_model",
    "shared_headroom": "platforms.leaf.headroom_over_subscription",
    "ecmp_mode": "ecmp.mode",
    "tunnels": "tenants.hosts",
    "speed_gbps": "speeds",
    "cable_m": "cables",
}


def traits_of_design(device: DeviceDesign) -> Mapping[str, frozenset[Any]]:
    """Return what the design of a switch is like; all of it is known."""
    ports = [port for port in device.ports if port.qos and port.qos.pfc]
    policies = {id(port.qos): port.qos for port in ports if port.qos}.values()
    watchdogs = [policy.watchdog for policy in policies if policy.watchdog.enabled]
    return {
        "pfc": frozenset({bool(ports)}),
        "watchdog": frozenset({bool(watchdogs)}),
        "watchdog_action": frozenset(watchdog.action for watchdog in watchdogs),
        "watchdog_detection_ms": frozenset(watchdog.detection_ms for watchdog in watchdogs),
        "watchdog_restoration_ms": frozenset(watchdog.restoration_ms for watchdog in watchdogs),
        "ecn": frozenset({bool(ports)}),
        "lossless_classes": frozenset(len(policy.paused) for policy in policies),
        "buffer_model": frozenset({device.buffer_model}),
        "shared_headroom": frozenset({device.headroom_over_subscription is not None}),
        "ecmp_mode": frozenset({device.ecmp_mode}),
        "tunnels": frozenset({bool(device.evpn and device.evpn.source)}),
        "speed_gbps": frozenset(port.speed_gbps for port in ports),
        "cable_m": frozenset(port.cable_m for port in ports),
    }


def traits_of_file(lossless: Lossless) -> Mapping[str, frozenset[Any]]:
    """Return what a configuration file says of a switch, as far as it is read."""
    ports = [port for port in lossless.ports.values() if port.enabled and port.lossless]
    watchdogs = [one for one in (lossless.watchdog, *(port.watchdog for port in ports)) if one]
    running = [watchdog for watchdog in watchdogs if watchdog.enabled]
    markings = [marking for port in ports for marking in port.markings.values()]
    priorities = {len({*port.lossless, *lossless.everywhere}) for port in ports}
    return {
        "pfc": frozenset({bool(ports or lossless.everywhere)}),
        "watchdog": frozenset({bool(running)}),
        "watchdog_action": frozenset(one.action for one in running if one.action),
        "watchdog_detection_ms": _known(one.detection_ms for one in running),
        "watchdog_restoration_ms": _known(one.restoration_ms for one in running),
        "ecn": frozenset({any(marking.ecn for marking in markings)}),
        "lossless_classes": frozenset(priorities),
        "speed_gbps": _known(port.speed_gbps for port in ports),
    }


def _known(values: Iterable[float | None]) -> frozenset[float]:
    return frozenset(value for value in values if value is not None)
