"""HST014: hosts with netplan over NetworkManager get keyfiles of NetworkManager."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST014")
class StackDropsRules(ModelRule):
    """Hosts with netplan over NetworkManager get NetworkManager keyfiles."""

    severity = Severity.INFO
    why = (
        "netplan silently drops routing-policy for NetworkManager: replies would "
        "leave by the wrong NIC."
    )
    source = (
        "canonical/netplan 0.106 src/nm.c (routing-policy is not written); nm-settings-keyfile "
        "manual page"
    )
    guards = ("host.network_stack",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            if kind.host.traits.network_stack == "netplan-networkmanager":
                yield self.finding(
                    f"{kind.subject}: netplan drops routing-policy for NetworkManager, so"
                    " keyfiles are rendered instead of a netplan file",
                    "",
                    place=traits_place(model, kind.host.name, "network_stack"),
                    device=kind.host.name,
                )
