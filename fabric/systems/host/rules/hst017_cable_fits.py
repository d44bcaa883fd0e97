"""HST017: both ends of the cable of a NIC fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST017")
class CableFits(ModelRule):
    """Both ends of the cable of a NIC have compatible settings."""

    why = "The link stays down, the gateway is not found, or lossless packets change their class."
    source = (
        "IEEE 802.3 clauses 91, 119 and 134 (FEC); IEEE 802.1Q-2018 clause 36; RFC 2474 section 3"
    )
    guards = ("devices.ports.fec", "lossless.roce_dscp", "addressing.gateway_offset")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both ends of one cable of every kind, line by line."""
        for cable, cables in kinds_of_nic_cable(model):
            where = f"{cable.device.name} {cable.port.name}"
            for line in cable.lines():
                if line.rule == self.id and line.verdict == "wrong":
                    own = port_place(model.intent, cable.device.name, cable.port.name, "fec")
                    yield self.finding(
                        f"{line.item} of {cables} cables like that to {where} is {line.host} at "
                        f"the host and {line.switch} at the switch",
                        line.note or "use the same setting at both ends",
                        place=own or model.place("addressing"),
                        device=cable.host.name,
                        port=cable.nic.interface,
                    )
