"""Rules about the MTU (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.qos.path import line_rate_efficiency
from fabric.validate.rule import ModelRule, PolicyRule, Wrong, rules
from fabric.validate.traits import switch_policies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.validate.ends import Pair
    from fabric.validate.world import Model


@rules.add("QOS016")
class MtuOrder(ModelRule):
    """Every port carries the longest packet of every host."""

    why = (
        "Packets above the port MTU are dropped: the session comes up, but every large message "
        "hangs."
    )
    source = (
        "sonic-net/sonic-swss orchagent/portsorch.cpp setPortMtu (the frame has 22 bytes more); "
        "IEEE 802.3 clause 3.2.7"
    )
    guards = ("lossless.mtu.host_bytes", "lossless.mtu.port_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each port MTU with the longest packet of a host."""
        ends = model.host_ends()
        if not ends:
            return
        host = max(ends, key=lambda end: end.policy.mtu.host_bytes)
        host_bytes = host.policy.mtu.host_bytes
        for end in switch_policies(model):
            port_bytes = end.policy.mtu.port_bytes
            if port_bytes < host_bytes:
                places = (
                    model.policy_place("mtu.port_bytes", end.device, end.port),
                    model.policy_place("mtu.host_bytes", host.device),
                )
                yield self.finding(
                    f"mtu.port_bytes {port_bytes} does not carry a host packet of "
                    f"{host_bytes} bytes",
                    f"set port_bytes to at least {host_bytes}, or lower host_bytes",
                    place=max(places, key=lambda place: place.specific),
                    device=end.device,
                )


@rules.add("QOS017")
class MtuRange(PolicyRule):
    """Port MTU is in the range of the platform."""

    why = "The switch rejects the line and the port keeps its old MTU."
    source = "sonic-net/sonic-buildimage sonic-port.yang; pyavd 6.4.0 schema"
    guards = ("lossless.mtu.port_bytes",)

    def judge(self, device: DeviceDesign, profile: QosProfile) -> Iterator[Wrong]:
        """Compare each port MTU with what the platform takes."""
        low, high = platforms[device.platform].port_mtu_bytes
        if not low <= profile.mtu_bytes <= high:
            yield Wrong(
                "mtu.port_bytes",
                f"mtu.port_bytes {profile.mtu_bytes} is outside {low} to {high} "
                f"of {device.platform}",
                "use an MTU in the range",
            )


@rules.add("QOS018")
class MtuEnds(ModelRule):
    """Switches at both ends of a cable have the same MTU."""

    why = "The smaller end drops what the larger one sends."
    source = "sonic-net/sonic-buildimage src/sonic-yang-models sonic-port.yang (mtu of PORT)"
    guards = ("lossless.mtu.port_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the ports at both ends of every uplink."""
        for wrong in model.mismatches("mtu.port_bytes"):
            if wrong.pair.kind == "uplink":
                yield self.finding(
                    f"mtu.port_bytes is {wrong.here} here and {wrong.there} at the other end "
                    "of the cable",
                    f"use {_common(model, wrong.pair)} at both ends",
                    place=wrong.place,
                    device=wrong.end.device,
                    port=wrong.end.port,
                )


def _common(model: Model, pair: Pair) -> int:
    """Return the largest MTU of the two that the systems at both ends take."""
    ends = (pair.left, pair.right)
    ranges = [platforms[model.devices[end.device].platform].port_mtu_bytes for end in ends]
    sizes = [end.policy.mtu.port_bytes for end in ends]
    fitting = [size for size in sizes if all(low <= size <= high for low, high in ranges)]
    return max(fitting, default=min(high for _, high in ranges))


@rules.add("QOS019")
class MtuHosts(ModelRule):
    """All hosts have the same MTU."""

    severity = Severity.WARNING
    why = (
        "RDMA connections between hosts take the smaller MTU, and ICMP or TCP between them stalls."
    )
    source = (
        "InfiniBand Architecture Specification 1.4 volume 1, section 12.11 (path MTU is agreed)"
    )
    guards = ("lossless.mtu.host_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the hosts that have an MTU of their own with the others."""
        ends = model.host_ends()
        common = model.intent.fabric.lossless.mtu.host_bytes
        for end in ends if len(ends) > 1 else ():
            value = end.policy.mtu.host_bytes
            if value != common:
                yield self.finding(
                    f"mtu.host_bytes is {value} here and {common} on the other hosts",
                    "use one MTU on all hosts",
                    place=model.policy_place("mtu.host_bytes", end.device),
                    device=end.device,
                )


#: Path MTUs of InfiniBand, which RoCE takes over (InfiniBand Architecture Specification 1.4, 9.4).
PATH_MTUS_BYTES = (4096, 2048, 1024, 512, 256)
#: IPv4 20, UDP 8, BTH 12, RETH 16 and ICRC 4 (InfiniBand Architecture Specification annex A17).
OVERHEAD_BYTES = 60
#: What the header of IPv6 has more (RFC 8200 section 3).
IPV6_BYTES = 20


@rules.add("QOS049")
class RoceMtu(ModelRule):
    """The MTU of the hosts carries the largest RoCE packet."""

    severity = Severity.WARNING
    why = "RDMA uses the next smaller path MTU, and headers take a larger share."
    source = "InfiniBand Architecture Specification 1.4, section 9.4 and annex A17"
    guards = ("lossless.mtu.host_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Find the path MTU of each policy of hosts."""
        ipv6 = model.intent.fabric.addressing.rdma_ipv6
        overhead = OVERHEAD_BYTES + (IPV6_BYTES if ipv6 else 0)
        for end in model.host_ends():
            mtu = end.policy.mtu.host_bytes
            path = next((p for p in PATH_MTUS_BYTES if p + overhead <= mtu), None)
            if path != PATH_MTUS_BYTES[0]:
                assert path
                best, share = (
                    line_rate_efficiency(one, ipv6=ipv6) for one in (PATH_MTUS_BYTES[0], path)
                )
                loss = best - share
                yield self.finding(
                    f"mtu.host_bytes {mtu:,} gives RDMA a path MTU of {path:,}, which costs "
                    f"{loss:.1%} of the line rate",
                    f"use at least {PATH_MTUS_BYTES[0] + overhead:,}, usually 9000",
                    place=model.policy_place("mtu.host_bytes", end.device),
                    device=end.device,
                )
