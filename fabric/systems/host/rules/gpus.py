"""Rules about GPUs and NICs of hosts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST003")
class GpusPerRail(ModelRule):
    """GPUs share the NICs evenly."""

    severity = Severity.INFO
    why = "A NIC that serves more GPUs than the others slows every collective."
    source = "NVIDIA NCCL user guide (one NIC per GPU or an equal share)"
    guards = ("host.gpus", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the GPUs by the rails."""
        gpus, rails = model.intent.fabric.host.gpus, model.fabric.rails
        if gpus % rails:
            yield self.finding(
                f"{counted(gpus, 'GPU does', 'GPUs do')} not divide by {counted(rails, 'rail')}",
                "",
                place=model.place("host", "gpus"),
            )


def _wrong(gpu: int, gpus: int, count: int) -> str:
    if gpu >= gpus:
        return f"GPU {gpu} does not exist; a host has GPUs 0 to {gpus - 1}"
    if count == 0:
        return f"GPU {gpu} is near no NIC"
    return f"GPU {gpu} is near {count} NICs" if count > 1 else ""


@rules.add("HST009")
class GpusNearOneNic(ModelRule):
    """Each GPU is near exactly one NIC, where the profile assigns them."""

    why = "A GPU near no NIC, or near two, has no definite rail, and jobs pick one arbitrarily."
    source = "NVIDIA NCCL user guide (NIC selection by PCIe distance); nvidia-smi topo -m (legend)"
    guards = ("host.nic.gpus", "host.gpus")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        gpus = model.intent.fabric.host.gpus
        for kind in host_kinds(model):
            near = Counter(gpu for group in kind.host.traits.nic.gpus for gpu in group)
            if not kind.host.traits.nic.gpus:
                continue
            for gpu in sorted({*range(gpus), *near}):
                wrong = _wrong(gpu, gpus, near[gpu])
                if wrong:
                    yield self.finding(
                        wrong,
                        "list each GPU under one NIC, as nvidia-smi topo -m shows",
                        place=traits_place(model, kind.host.name, "nic", "gpus"),
                        device=kind.host.name,
                        is_example=True,
                    )


def _wrong_functions(
    addresses: tuple[str, ...], ports: int, what: str
) -> Iterator[tuple[str, Severity]]:
    cards = [address.partition(".")[0] for address in addresses]
    if ports == 1:
        for card, count in Counter(cards).items():
            if count > 1:
                message = f"{count} rails are ports of card {card}, ports_per_card is 1"
                yield message, Severity.WARNING
        return
    for number in range(0, len(addresses) - 1, 2):
        current, other = addresses[number : number + 2]
        if (current, other) != (f"{cards[number]}.0", f"{cards[number]}.1"):
            message = (
                f"{what} {number} and {number + 1} are {current} and {other}, not functions 0 and 1"
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
                    f"{counted(model.fabric.rails, 'rail does', 'rails do')} not divide by "
                    f"{nic.ports_per_card} ports of a card",
                    "set ports_per_card: 1, or one rail per port",
                    place=traits_place(model, name, "nic", "ports_per_card"),
                    device=name,
                )
            elif not kind.host.traits.virtual_machine:
                for message, severity in _wrong_functions(
                    nic.pci_addresses, max(nic.ports_per_card, ports), what
                ):
                    yield self.finding(
                        message,
                        "set the addresses that lspci -D shows, and the number of ports per card",
                        place=traits_place(model, name, "nic", "pci_addresses"),
                        device=name,
                        severity=severity,
                    )


@rules.add("HST012")
class FunctionsOfFunctions(ModelRule):
    """A virtual machine creates no virtual functions."""

    why = (
        "The NIC of a virtual machine is itself a function; only the host of the card can create "
        "more."
    )
    source = "Linux Documentation/PCI/pci-iov-howto.rst (sriov_numvfs)"
    guards = ("host.nic.virtual_functions", "host.virtual_machine")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            count = traits.nic.virtual_functions
            if count and traits.virtual_machine:
                yield self.finding(
                    f"{counted(count, 'virtual function is', 'virtual functions are')} requested "
                    "in a virtual machine",
                    "create them on the host of the card, and set 0 here",
                    place=traits_place(model, name, "nic", "virtual_functions"),
                    device=name,
                )
