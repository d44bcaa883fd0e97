"""GPUs and NICs of a host on its PCIe tree, and the places of host values in the inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.topology.naming import rails_of_gpus

if TYPE_CHECKING:
    from fabric.core.findings import Position
    from fabric.topology.model import Fabric


#: Gb/s of 16 lanes by generation, and how NCCL writes it (PCI Express Base Specification, raw bit
#: rate of a lane; strings: NVIDIA/nccl ``src/graph/topo.cc``, kvDictPciGen).
_GENERATIONS = (
    (128, "8.0 GT/s PCIe"),
    (256, "16.0 GT/s PCIe"),
    (512, "32.0 GT/s PCIe"),
    (1024, "64.0 GT/s PCIe"),
)


@dataclass(frozen=True, slots=True)
class Function:
    """A PCI function: GPU ``number``, or NIC port ``number`` of its host."""

    kind: str
    number: int
    address: str
    numa_node: int | None
    speed_gbps: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A card of the fabric and the GPUs near to it; ``link_speed`` carries all of its ports."""

    nics: tuple[Function, ...]
    gpus: tuple[Function, ...]
    link_speed: str


def pcie_groups(fabric: Fabric, host: str) -> tuple[Group, ...]:
    """Return the cards of a host in order, each with the GPUs that are nearest to it.

    Raises
    ------
    InputError
        When the inventory does not tell PCI addresses that are needed, or tells one twice.
    """
    traits = fabric.intent.host_traits(host)
    gpus, nics = _gpus(fabric, host), _nics(fabric, host)
    _check_unique(fabric, host, [*gpus, *nics])
    rail_of = rails_of_gpus(traits, len(gpus), fabric.rails)
    rails = traits.nic.ports_per_card
    groups = []
    for first in range(0, fabric.rails, rails):
        mine = range(first, min(first + rails, fabric.rails))
        cards = tuple(nic for nic in nics if nic.number // fabric.nic_ports in mine)
        near = tuple(gpu for gpu in gpus if rail_of[gpu.number] in mine)
        groups.append(Group(cards, near, link_speed(sum(nic.speed_gbps for nic in cards))))
    return tuple(groups)


def link_speed(speed_gbps: int) -> str:
    """Return the slowest PCIe generation whose 16 lanes carry a card, as NCCL writes it.

    Parameters
    ----------
    speed_gbps : int
        Rate of the card in Gb/s, > 0.

    Returns
    -------
    str
        Such as ``32.0 GT/s PCIe``.
    """
    fitting = [text for limit, text in _GENERATIONS if limit >= speed_gbps]
    return fitting[0] if fitting else _GENERATIONS[-1][1]


def _gpus(fabric: Fabric, host: str) -> list[Function]:
    traits, count = fabric.intent.host_traits(host).gpu, fabric.intent.fabric.host.gpus
    if len(traits.pci_addresses) < count:
        message = (
            f"{counted(len(traits.pci_addresses), 'PCI address is', 'PCI addresses are')} set for "
            f"{counted(count, 'GPU')}"
        )
        fix = "set host.gpu.pci_addresses, one per GPU, as nvidia-smi -q prints them"
        raise refused_trait(fabric, host, ("gpu", "pci_addresses"), message, fix)
    return [
        Function("gpu", gpu, traits.pci_addresses[gpu], _at(traits.numa_nodes, gpu))
        for gpu in range(count)
    ]


def _nics(fabric: Fabric, host: str) -> list[Function]:
    nic = fabric.intent.host_traits(host).nic
    rows = fabric.nics_of_host(fabric.host_row[host])
    if nic.link_layer == "roce" and len(nic.pci_addresses) < fabric.nics_per_host:
        message = (
            f"{counted(len(nic.pci_addresses), 'PCI address is', 'PCI addresses are')} set for "
            f"{counted(fabric.nics_per_host, 'NIC')}"
        )
        each = "port" if fabric.nic_ports > 1 else "rail"
        fix = f"set host.nic.pci_addresses, one per {each}"
        raise refused_trait(fabric, host, ("nic", "pci_addresses"), message, fix)
    return [
        Function(
            "nic",
            number,
            nic.pci_addresses[number] if number < len(nic.pci_addresses) else "",
            _at(nic.numa_nodes, number),
            int(fabric.nics.speed_gbps[row]),
        )
        for number, row in enumerate(rows)
        if fabric.nics.enabled[row]
    ]


def _at(numbers: tuple[int, ...], index: int) -> int | None:
    return numbers[index] if index < len(numbers) else None


def _check_unique(fabric: Fabric, host: str, functions: list[Function]) -> None:
    seen: dict[str, Function] = {}
    for item in functions:
        first = seen.setdefault(item.address, item) if item.address else item
        if first is not item:
            one, two = (f"{f.kind} {f.number}" for f in (first, item))
            message = f"{one} and {two} have the PCI address {item.address}"
            path = (item.kind, "pci_addresses")
            raise refused_trait(fabric, host, path, message, "set the address of each")


def traits_place(fabric: Fabric, host: str, *path: str) -> tuple[str, Position | None]:
    """Return field and position of a trait of a host; the last override that sets it counts."""
    for override in reversed(fabric.intent.host_overrides.get(host, [])):
        if _sets(override.value.traits, path):
            return override.field("traits", *path), override.position("traits", *path)
    return ".".join(("fabric", "host", *path)), fabric.intent.position("host", *path)


def _sets(model: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if model is None or name not in model.model_fields_set:
            return False
        model = getattr(model, name)
    return True


def refused_trait(
    fabric: Fabric, host: str, path: tuple[str, ...], message: str, fix: str
) -> InputError:
    """Return the error of an export that a trait of a host does not allow."""
    field, position = traits_place(fabric, host, *path)
    finding = Finding(
        "PLC012", Severity.ERROR, message, fix, field=field, position=position, device=host
    )
    return InputError("the export cannot be written", [finding])


def refused_field(fabric: Fabric, path: tuple[str, ...], message: str, fix: str) -> InputError:
    """Return the error of an export that a field of ``fabric.yaml`` does not allow."""
    field, position = ".".join(("fabric", *path)), fabric.intent.position(*path)
    finding = Finding("PLC012", Severity.ERROR, message, fix, field=field, position=position)
    return InputError("the export cannot be written", [finding])
