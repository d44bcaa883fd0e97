"""Checks of the slot of a NIC and of the GPUs beside it (H14, H18), and of alike firmware (H19).

Sources: legend of ``nvidia-smi topo -m``; PCI Express Base Specification, Link Status register and
Device Control register (Max_Read_Request_Size); NCCL documentation, Troubleshooting, PCI Access
Control Services.

What the script on a host tells that no other check does (H17).

The script compares marking of RDMA-CM, storm time, PCIe, processor and the units that set a NIC
again; the rest of what it says was read by the other checks too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from fabric.probe.nics import Looked, Remark, checks, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


Nic = TypeVar("Nic")
_REDIRECTS = ("ReqRedir", "CmpltRedir", "UpstreamFwd")


_HOST = "host"


@checks.add("H14")
def gpus(looked: Looked) -> Iterator[Remark]:
    """Check that the GPUs that the plan puts beside a NIC are as near to it as to no other."""
    if not looked.hardware or not looked.plan.gpus:
        return
    affinity = looked.facts.affinity()
    if affinity is None:
        yield Remark("H14", "the matrix of GPUs and NICs could not be read", unknown=True)
        return
    planned = looked.host.traits.nic.nearness
    for gpu in looked.plan.gpus:
        distance = affinity.get(f"GPU{gpu}", {}).get(looked.plan.rdma_device)
        yield from compare("H14", f"nearness of GPU{gpu}", distance, planned)


@checks.add("H18")
def slot(looked: Looked) -> Iterator[Remark]:
    """Check that the NIC runs at all that its slot can do, and its bridge redirects nothing."""
    if not looked.hardware:
        return
    card, tuning = looked.nic.pcie, looked.host.traits.tuning
    if card is None or card.full_link is None:
        yield Remark("H18", "the link of its slot could not be read", unknown=True)
    elif not card.full_link:
        yield Remark(
            "H18", f"its slot runs at {_link(card.link)}, not {_link(card.link_capability)}"
        )
    if tuning.max_read_request_bytes is not None:
        size_bytes = card.max_read_request_bytes if card else None
        yield from compare("H18", "MaxReadReq in bytes", size_bytes, tuning.max_read_request_bytes)
    if tuning.acs == "off":
        bridge = looked.nic.bridge
        if bridge is None or bridge.acs is None:
            yield Remark("H18", "access control of its bridge could not be read", unknown=True)
        elif on := [name for name in _REDIRECTS if name in bridge.acs]:
            yield Remark("H18", f"its bridge {bridge.address} redirects: {', '.join(on)}")


def _link(link: tuple[float, int] | None) -> str:
    return f"{link[0]:g} GT/s x{link[1]}" if link else "unknown"


def odd_firmware(firmware: Mapping[Nic, str | None]) -> dict[Nic, Remark]:
    """Return the remark (H19) of each NIC of a rail whose firmware is not that of most.

    Parameters
    ----------
    firmware : mapping
        Version by NIC; None where it was not read.
    """
    counts = Counter(version for version in firmware.values() if version is not None)
    remarks = {}
    for nic, version in firmware.items():
        if version is None:
            remarks[nic] = Remark("H19", "the firmware could not be read", unknown=True)
        elif len(counts) > 1 and version != (usual := _usual(counts)):
            remarks[nic] = Remark("H19", f"firmware {version}; most NICs of its rail have {usual}")
    return remarks


def _usual(counts: Counter[str]) -> str:
    """Return the most frequent version; of equally frequent ones the one that sorts last."""
    return max(counts, key=lambda version: (counts[version], version))


def own_remarks(looked: Looked, known: Sequence[Remark]) -> list[Remark]:
    """Return what the script says of a NIC of which the other checks know nothing wrong.

    What it says of the whole host is told at its first NIC.
    """
    check, interface = looked.facts.own_check, looked.plan.interface
    first = next(nic.interface for nic in looked.host.nics if nic.enabled)
    subjects = {interface} - ({interface} if known else set())
    subjects |= {_HOST} if interface == first else set()
    if check is None:
        message = "the script check.sh on the host could not run"
        return [Remark("H17", message, unknown=True)] if interface == first else []
    return [Remark("H17", text) for subject, text in check.apart if subject in subjects]
