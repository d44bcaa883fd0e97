"""HST010: rails of a card are functions 0 and 1 of it, and other rails are apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


def _wrong(addresses: tuple[str, ...], ports: int) -> Iterator[tuple[str, Severity]]:
    cards = [address.partition(".")[0] for address in addresses]
    if ports == 1:
        for card, count in Counter(cards).items():
            if count > 1:
                message = f"{count} rails are ports of card {card}, ports_per_card is 1"
                yield message, Severity.WARNING
        return
    for rail in range(0, len(addresses) - 1, 2):
        here, there = addresses[rail : rail + 2]
        if (here, there) != (f"{cards[rail]}.0", f"{cards[rail]}.1"):
            message = f"rails {rail} and {rail + 1} are {here} and {there}, not functions 0 and 1"
            yield f"{message} of one card", Severity.ERROR


@rules.add("HST010")
class CardPorts(ModelRule):
    """Rails of a card are functions 0 and 1 of it, and other rails are apart."""

    why = (
        "A card is a single point of failure and of bandwidth: rails that share one without saying"
        " so fail together."
    )
    source = (
        "PCI Local Bus Specification 3.0 section 6.2.1 (functions of a device); NVIDIA ConnectX-6 "
        "Dx user manual (each port is a physical function)"
    )
    guards = ("host.nic.ports_per_card", "host.nic.pci_addresses", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            nic, name = kind.host.traits.nic, kind.host.name
            if model.fabric.rails % nic.ports_per_card:
                yield self.finding(
                    f"{model.fabric.rails} rails do not divide by {nic.ports_per_card} ports of a "
                    "card",
                    "write ports_per_card: 1, or one rail for each port",
                    place=traits_place(model, name, "nic", "ports_per_card"),
                    device=name,
                )
            elif not kind.host.traits.virtual_machine:
                for message, severity in _wrong(nic.pci_addresses, nic.ports_per_card):
                    yield self.finding(
                        message,
                        "write the addresses that lspci -D shows, and how many ports a card has",
                        place=traits_place(model, name, "nic", "pci_addresses"),
                        device=name,
                        severity=severity,
                    )
