"""Rules about the peering of single links: sessions between addresses, or by the port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.peering import UNNUMBERED, numbered_links
from fabric.validate.origins import port_place, port_value
from fabric.validate.rule import ModelRule, SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.validate.places import Places
    from fabric.validate.world import Model


@rules.add("BGP009")
class OnePeering(SwitchRule):
    """What is said of a port fits the peering of its link."""

    why = "A session is between addresses at both ends, or at none; otherwise it stays down."
    source = "RFC 8950; RFC 4271 section 8.2.1"
    guards = (
        *("devices.ports.peering", "devices.ports.address", "devices.ports.ipv6"),
        *("devices.peering", "bgp.peering"),
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare what the inventory says of each port with its link."""
        if device.name not in places.intent.device_overrides:
            return
        for port in device.ports:
            for field, message, fix in _misfits(places, device.name, port):
                yield self.finding(
                    message,
                    fix,
                    place=port_place(places.intent, device.name, port.name, field),
                    device=device.name,
                    port=port.name,
                )


def _misfits(places: Places, name: str, port: PortDesign) -> Iterator[tuple[str, str, str]]:
    """Yield a field of a port that does not fit its link, what is wrong and what to do."""
    peering = port_value(places.intent, name, port.name, "peering")
    if peering and port.kind != "uplink":
        message = f"{port.name} has no cable to another switch, so it has no peering"
        yield "peering", message, "remove it, or name another port"
    elif peering == UNNUMBERED and port.address:
        end = f"{port.peer} {port.peer_port}"
        message = f"{port.name} is unnumbered, but the other end of its cable, {end}, is numbered"
        yield "peering", message, f"set peering to unnumbered for {end} too, or remove it here"
    unnumbered = port.kind == "uplink" and not port.address
    for field in ("address", "ipv6") if unnumbered else ():
        if value := port_value(places.intent, name, port.name, field):
            message = f"{port.name} has the address {value.ip}, but its session is unnumbered"
            yield field, message, "remove the address, or set peering to numbered for this port"


@rules.add("BGP010")
class PoolOfNumberedLinks(ModelRule):
    """Numbered links have addresses."""

    why = "Without addresses at both ends, a numbered session is not configured."
    source = "RFC 4271 section 8.2.1"
    guards = ("addressing.uplinks", "addressing.core_links", "devices.peering", "bgp.peering")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for numbered links without an address."""
        fabric, up = model.fabric, model.fabric.uplinks
        bare = numbered_links(fabric) & (up.upper_address == 0)
        for row in np.unique(up.lower[bare]).tolist():
            name = fabric.switches.names[row]
            pool = "core_links" if fabric.switches.tier[row] else "uplinks"
            yield self.finding(
                f"links of {name} are numbered, and addressing.{pool} has no addresses for them",
                f"set addressing.{pool} to a pool that is large enough, or make both ends of "
                "these links unnumbered",
                place=model.place("addressing", pool),
                device=name,
            )
