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


def _wrong(addresses: tuple[str, ...], ports: int, what: str) -> Iterator[tuple[str, Severity]]:
    cards = [address.partition(".")[0] for address in addresses]
    if ports == 1:
        for card, count in Counter(cards).items():
            if count > 1:
                message = f"{count} rails are ports of card {card}, ports_per_card is 1"
                yield message, Severity.WARNING
        return
    for number in range(0, len(addresses) - 1, 2):
        here, there = addresses[number : number + 2]
        if (here, there) != (f"{cards[number]}.0", f"{cards[number]}.1"):
            message = (
                f"{what} {number} and {number + 1} are {here} and {there}, not functions 0 and 1"
            )
            yield f"{message} of one card", Severity.ERROR


@rules.add("HST010")
class CardPorts(ModelRule):
    """Rails on one card are its functions 0 and 1, and other rails are on separate cards."""

    why = (
        "A card is a single point of failure and of bandwidth: rails that share a card"
        " fail together, so the inventory must declare it."
    )
    source = (
        "PCI Local Bus Specification 3.0 section 6.2.1 (functions of a device); NVIDIA ConnectX-6 "
        "Dx user manual (each port is a physical function)"
    )
    guards = ("host.nic.ports_per_card", "host.nic.pci_addresses", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        ports = model.fabric.nic_ports
        what = "ports" if ports > 1 else "rails"
        for kind in host_kinds(model):
            nic, name = kind.host.traits.nic, kind.host.name
            if nic.ports_per_card > 1 and model.fabric.nic_ports > 1:
                yield self.finding(
                    "both ports of each NIC are of one rail (nic_ports), and ports_per_card says "
                    "that they are two rails",
                    "set ports_per_card: 1",
                    place=traits_place(model, name, "nic", "ports_per_card"),
                    device=name,
                )
            elif model.fabric.rails % nic.ports_per_card:
                yield self.finding(
                    f"{model.fabric.rails} rails do not divide by {nic.ports_per_card} ports of a "
                    "card",
                    "set ports_per_card: 1, or one rail per port",
                    place=traits_place(model, name, "nic", "ports_per_card"),
                    device=name,
                )
            elif not kind.host.traits.virtual_machine:
                for message, severity in _wrong(
                    nic.pci_addresses, max(nic.ports_per_card, ports), what
                ):
                    yield self.finding(
                        message,
                        "set the addresses that lspci -D shows, and the number of ports per card",
                        place=traits_place(model, name, "nic", "pci_addresses"),
                        device=name,
                        severity=severity,
                    )
