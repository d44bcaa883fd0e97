"""Rules about the PFC watchdog (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import s_to_ms
from fabric.platforms import platforms
from fabric.platforms.features import features_of
from fabric.qos.watchdog import DETECTION_MARGIN, LONGEST_DETECTION_MS, storm
from fabric.validate.rule import PolicyRule, SwitchRule, Wrong, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.validate.places import Places


@rules.add("QOS013")
class WatchdogRanges(PolicyRule):
    """Watchdog times are in the range of the platform."""

    why = "A time outside the range is rejected and the watchdog does not start."
    source = "sonic-net/sonic-buildimage sonic-pfcwd.yang; pyavd 6.4.0 schema"
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare the three times with what the platform takes."""
        ranges = platforms[device.platform].watchdog_range_ms(device.sku.release)
        for what, (low, high) in ranges.items():
            value = getattr(profile.watchdog, f"{what}_ms")
            if profile.watchdog.enabled and not low <= value <= high:
                yield Wrong(
                    f"watchdog.{what}_ms",
                    f"watchdog.{what}_ms {value} is outside {low} to {high} of "
                    f"{device.platform}{device.sku.release and ' '}{device.sku.release}",
                    "use a time in the range",
                )


@rules.add("QOS014")
class WatchdogPoll(PolicyRule):
    """The watchdog polls often enough."""

    why = "A detector that polls less often than its detection time is rejected or detects nothing."
    source = (
        "sonic-net/sonic-utilities pfcwd/main.py; Arista EOS manual, PFC watchdog (poll at most"
        " half of the shorter time)"
    )
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare the poll interval with the shorter of the two times, where it can be set."""
        times, platform = profile.watchdog, platforms[device.platform]
        shorter = min(times.detection_ms, times.restoration_ms)
        limit = shorter // platform.watchdog_polls
        if platform.polls and times.enabled and times.poll_ms > limit:
            yield Wrong(
                "watchdog.poll_ms",
                f"watchdog.poll_ms {times.poll_ms} is above {limit}, the "
                f"limit of {device.platform} for {times.detection_ms} ms detection and "
                f"{times.restoration_ms} ms "
                "restoration",
                "lower poll_ms or increase the other two",
            )


@rules.add("QOS015")
class WatchdogOff(PolicyRule):
    """The PFC watchdog is on."""

    severity = Severity.WARNING
    why = "Nothing else ends a pause storm: one broken NIC can stop the whole fabric."
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3"
    guards = ("lossless.watchdog.enabled",)

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Look at every policy that has PFC on."""
        if profile.pfc and not profile.watchdog.enabled:
            yield Wrong(
                "watchdog.enabled",
                "the PFC watchdog is off: nothing stops a pause storm",
                "set watchdog.enabled to true",
            )


@rules.add("QOS023")
class ForwardOnSpine(PolicyRule):
    """The watchdog does not forward on spines."""

    severity = Severity.WARNING
    why = (
        "Forwarding into a blocked port keeps the buffers behind it full, so a deadlock"
        " is not broken."
    )
    source = (
        "Hu et al., Deadlocks in Datacenter Networks, HotNets 2016; sonic-net/sonic-swss "
        "orchagent/pfcactionhandler.cpp"
    )
    guards = ("lossless.watchdog.action",)

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Look at the action of every policy above the leaves."""
        if device.role == "leaf":
            return
        if profile.watchdog.enabled and profile.watchdog.action == "forward":
            yield Wrong(
                "watchdog.action",
                "watchdog.action forward on a spine does not break a deadlock",
                "use drop",
            )


@rules.add("QOS032")
class WatchdogDrain(SwitchRule):
    """The watchdog waits longer than a legitimate pause can last."""

    severity = Severity.WARNING
    why = "A full buffer that drains through one port looks like a storm, and its queue is dropped."
    source = "sonic-net/sonic-swss orchagent/pfc_detect_mellanox.lua; drain = buffer / port speed"
    guards = ("lossless.watchdog.detection_ms",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the detection time with the drain of the buffer through the slowest port."""
        buffer_bytes = device.sku.packet_buffer_bytes
        for index, speed in _slowest(device).items() if buffer_bytes else ():
            assert buffer_bytes
            watchdog = device.qos_profiles[index].watchdog
            met = storm(watchdog.detection_ms, watchdog.poll_ms, buffer_bytes, speed)
            if watchdog.enabled and met.trips_on_honest_pauses:
                yield self.finding(
                    f"watchdog.detection_ms {watchdog.detection_ms} is less than "
                    f"{DETECTION_MARGIN:g} times the {s_to_ms(met.drain_s):.2f} ms in which "
                    f"{device.sku.name} drains its buffer through a port of {speed}G",
                    "use a longer detection time",
                    place=places.profile_place(
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


@rules.add("QOS033")
class Restoration(PolicyRule):
    """The watchdog restoration time is at least the detection time."""

    severity = Severity.INFO
    why = "If restored sooner, a queue that is still in a storm is paused again at once."
    source = (
        "sonic-net/sonic-utilities 691b1bbc pfcwd/main.py (restoration = 2 x detection when "
        "it is not set)"
    )
    guards = ("lossless.watchdog.restoration_ms", "lossless.watchdog.detection_ms")

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare the two times of each policy, where the switch has both."""
        watchdog = profile.watchdog
        taken = features_of(device.platform).taken_from(device.sku, device.role)
        if not watchdog.enabled or "lossless.watchdog.restoration_ms" in taken:
            return
        if watchdog.restoration_ms < watchdog.detection_ms:
            yield Wrong(
                "watchdog.restoration_ms",
                f"watchdog.restoration_ms {watchdog.restoration_ms} is below "
                f"detection_ms {watchdog.detection_ms}",
                "use one or two times the detection time, as SONiC does",
            )


@rules.add("QOS074")
class WatchdogSoon(PolicyRule):
    """The watchdog ends a storm within 5 s."""

    severity = Severity.WARNING
    why = "Until then all that leads to the port stands still: jobs time out before it acts."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp (5,000 ms at most)"
    guards = ("lossless.watchdog.detection_ms",)

    def judge(self, _device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare the detection time with the longest that SONiC takes."""
        watchdog = profile.watchdog
        if watchdog.enabled and watchdog.detection_ms > LONGEST_DETECTION_MS:
            yield Wrong(
                "watchdog.detection_ms",
                f"watchdog.detection_ms {watchdog.detection_ms:,} is above "
                f"{LONGEST_DETECTION_MS:,}",
                "use some hundred milliseconds",
            )
