"""QOS032: the watchdog waits longer than an honest pause can last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import s_to_ms
from fabric.qos.watchdog import DETECTION_MARGIN, storm
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("QOS032")
class WatchdogDrain(ModelRule):
    """The watchdog waits longer than a legitimate pause can last."""

    severity = Severity.WARNING
    why = "A full buffer that drains through one port looks like a storm, and its queue is dropped."
    source = "sonic-net/sonic-swss orchagent/pfc_detect_mellanox.lua; drain = buffer / port speed"
    guards = ("lossless.watchdog.detection_ms",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the detection time with the drain of the buffer through the slowest port."""
        for device in model.devices.values():
            buffer_bytes = device.sku.packet_buffer_bytes
            for index, speed in _slowest(device).items() if buffer_bytes else ():
                assert buffer_bytes
                watchdog = device.qos_profiles[index].watchdog
                met = storm(watchdog.detection_ms, watchdog.poll_ms, buffer_bytes, speed)
                if watchdog.enabled and met.trips_on_honest_pauses:
                    yield self.finding(
                        f"watchdog.detection_ms {watchdog.detection_ms} is less than "
                        f"{DETECTION_MARGIN:g} times the {s_to_ms(met.drain_s):.2f} ms in which "
                        f"{device.sku.name} drains its buffer through a {speed}G port",
                        "use a longer detection time",
                        place=model.profile_place(
                            "watchdog.detection_ms", device, device.qos_profiles[index]
                        ),
                        device=device.name,
                    )


def _slowest(device: DeviceDesign) -> dict[int, int]:
    """Return the slowest port speed of each policy."""
    slowest: dict[int, int] = {}
    for port in device.ports:
        if port.qos and port.enabled:
            known = slowest.get(port.qos.index, port.speed_gbps)
            slowest[port.qos.index] = min(known, port.speed_gbps)
    return slowest
