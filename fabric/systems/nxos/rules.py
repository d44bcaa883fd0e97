"""Rules about NX-OS beside its limits in features.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.pause_buffer import pause_buffer_bytes
from fabric.systems.nxos.platforms import PAUSE_BUFFER_BYTES
from fabric.validate.rule import SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import PauseBuffer
    from fabric.validate.places import Places


FIELD = "pause_buffer.pause_threshold_bytes"


@rules.add("NXO010")
class PauseBufferHolds(SwitchRule):
    """A pause buffer has a size that the switch takes, and is set only where it is supported."""

    why = (
        "The switch rejects other sizes. The syntax is confirmed on one model, the 93180YC-EX; "
        "other models may use other class names and reject the line. QOS021 judges whether what "
        "arrives after the pause fits above the threshold."
    )
    source = (
        "Cisco Nexus 9000 QoS configuration guide 10.5(x), priority flow control; CiscoDevNet/"
        "terraform-provider-nxos @ 43d0c254 (range); IEEE 802.1Q-2018 annex N (headroom)"
    )
    guards = ("lossless.pause_buffer",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look at every switch for which the inventory gives a pause buffer."""
        pausing = [one for one in device.qos_profiles if one.pfc and one.pause_buffer]
        if not pausing:
            return
        own = pausing[0].pause_buffer
        assert own
        several = {one.pause_buffer for one in device.qos_profiles if one.pfc} != {own}
        for severity, message, fix in _wrong(device, own, several=several):
            yield self.finding(
                message,
                fix,
                severity=severity,
                place=places.profile_place(FIELD, device, pausing[0]),
                device=device.name,
            )


def _wrong(
    device: DeviceDesign, given: PauseBuffer, *, several: bool
) -> Iterator[tuple[Severity, str, str]]:
    if device.platform != "nxos":
        message = f"pause_buffer is not rendered for {device.platform}"
        yield Severity.INFO, message, "set it for NX-OS roles only"
        return
    size = given.buffer_bytes or pause_buffer_bytes(device)
    low, high = PAUSE_BUFFER_BYTES
    if several:
        message = "NX-OS has one pause buffer for all ports of a switch"
        yield Severity.ERROR, message, "use the same value on all lossless ports"
    if size is None:
        message = (
            f"the headroom of {device.sku.name} is not known, so the size of its pause buffer is "
            "not known either"
        )
        yield Severity.ERROR, message, "set pause_buffer.buffer_bytes"
    elif not low <= size <= high:
        message = f"a pause buffer of {size:,} bytes is outside {low:,} to {high:,}"
        yield Severity.ERROR, message, "use values in the range"
    if given.resume_threshold_bytes > given.pause_threshold_bytes:
        message = "resume_threshold_bytes is above pause_threshold_bytes"
        yield Severity.ERROR, message, "set resume_threshold_bytes to at most pause_threshold_bytes"
    message = f"the pause buffer syntax is not confirmed for {device.sku.name}"
    yield Severity.WARNING, message, "try it on one switch first"


@rules.add("NXO014")
class RoomForNeighbourDiscovery(SwitchRule):
    """Sessions by the port on NX-OS need a larger TCAM region and a reload."""

    severity = Severity.WARNING
    why = (
        "Peers find each other by router advertisements, which the region ing-sup has to hold: "
        "with 512 entries the sessions stay down, and another size counts only after a reload."
    )
    source = (
        "Cisco Nexus 9000 unicast routing configuration guide 9.3(x), BGP interface peering via "
        "IPv6 link-local"
    )
    guards = ("bgp.peering", "devices.peering", "devices.ports.peering")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for sessions without addresses on NX-OS."""
        if device.platform == "nxos" and device.unnumbered_ports:
            yield self.finding(
                "sessions by the port need 768 entries in the TCAM region ing-sup, which rocefab "
                "does not configure",
                "before the change, see `show hardware access-list tcam region`; where it has "
                "fewer, set `hardware access-list tcam region ing-sup 768`, save and reload",
                place=places.peering_place(device),
                device=device.name,
            )


@rules.add("NXO015")
class RoutedPortsOfTenants(SwitchRule):
    """On NX-OS the NICs of tenants have routed ports."""

    why = (
        "An interface of a VLAN is in the VRF of a VNI only where its VLAN has a VNI too, which "
        "rocefab does not configure."
    )
    source = "Cisco Nexus 9000 VXLAN configuration guide 10.6(x), guidelines and limitations"
    guards = ("addressing.vlan_per", "tenancy.form")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for VLANs of tenants whose packets go to other leaves."""
        if device.platform != "nxos" or device.evpn is None:
            return
        vlans = [vlan for vlan in device.vlans if vlan.vrf]
        if vlans:
            yield self.finding(
                f"VLAN {vlans[0].vlan} is in {vlans[0].vrf}, which has a VNI",
                "set addressing.vlan_per: none",
                place=places.feature_place(device, "addressing.vlan_per"),
                device=device.name,
            )
