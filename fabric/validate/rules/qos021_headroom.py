"""QOS021: headroom holds what arrives after a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import gbps_to_bytes_per_s
from fabric.design.qos import ETHERNET_OVERHEAD_BYTES
from fabric.qos.headroom import floor_bytes, plain_bytes
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign, PortDesign
    from fabric.validate.world import Model


@rules.add("QOS021")
class Headroom(ModelRule):
    """Headroom holds what arrives after a pause."""

    why = (
        "Frames that are on the way when the pause leaves must fit, or lossless packets are "
        "dropped."
    )
    source = (
        "IEEE 802.1Q-2018 annex N; IEEE 802.3 annex 31B.3.7; sonic-net/SONiC "
        "doc/qos/dynamically-headroom-calculation.md"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each row of the vendor's table with the floor and with the plain IEEE figure."""
        for device in model.devices.values():
            for port in _examples(device):
                assert port.headroom
                assert port.headroom.row
                policy = model.resolver.switch(device.name, device.role, port.name)
                frame = min(policy.mtu.host_bytes + ETHERNET_OVERHEAD_BYTES, port.mtu_bytes)
                sizes = (port.speed_gbps, port.cable_m, port.mtu_bytes, frame)
                have, least = port.headroom.row.headroom_bytes, float(floor_bytes(*sizes))
                response_ns = (have - least) / gbps_to_bytes_per_s(port.speed_gbps) * 1e9
                if have >= float(plain_bytes(*sizes)):
                    continue
                kind = f"headroom of {device.sku.name} at {port.speed_gbps}G and {port.cable_m} m"
                below = have < least
                yield self.finding(
                    f"{kind} is {have:,} bytes, below the {least:,.0f} that no peer can avoid "
                    "sending"
                    if below
                    else f"{kind} is {have:,} bytes and leaves the peer {response_ns:,.0f} ns to "
                    "stop; "
                    f"IEEE 802.3 allows more ({float(plain_bytes(*sizes)):,.0f} bytes in all)",
                    "use a longer length of the table, or a smaller MTU"
                    if below
                    else "watch the drop counters of the lossless priority group",
                    place=model.cable_place(device, port, "cable_m"),
                    device=device.name,
                    severity=Severity.ERROR if below else Severity.INFO,
                )


def _examples(device: DeviceDesign) -> list[PortDesign]:
    """Return one port for each distinct buffer row and MTU in use."""
    found: dict[tuple[object, ...], PortDesign] = {}
    for port in device.ports:
        if port.headroom and port.headroom.row:
            key = (port.kind, port.speed_gbps, port.cable_m, port.mtu_bytes)
            found.setdefault(key, port)
    return list(found.values())
