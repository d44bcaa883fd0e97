"""VRP005: on VRP8 an address equal to its network is not confirmed."""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP005")
class EvenAddress(ModelRule):
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

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for the even ends of the uplinks of every VRP8 switch."""
        for device in model.devices.values():
            for port in device.ports if device.platform == "vrp8" else ():
                if not port.address:
                    continue
                address = IPv4Interface(port.address)
                if address.ip == address.network.network_address:
                    yield self.finding(
                        "addresses of its uplinks equal their network address",
                        "try it on one port of one switch before the whole fabric",
                        place=model.place("addressing", "uplinks"),
                        device=device.name,
                    )
                    break
