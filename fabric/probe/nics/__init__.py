"""Judges the NICs of hosts: planned against read, and counters over a time.

A check takes a NIC as planned and as read, and yields remarks. What was not read is a remark too,
marked unknown: silence means that it was read and is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.observe.hostfacts.facts import HostFacts, NicFacts


#: Drivers without DCB operations (Linux drivers/net/ethernet/pensando/ionic).
_WITHOUT_DCB = frozenset({"ionic"})


@dataclass(frozen=True, slots=True)
class Remark:
    """What is not right with a NIC, or not known of it."""

    check: str
    message: str
    unknown: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """A NIC as planned and as read.

    Parameters
    ----------
    fec : str
        FEC of the switch port at the other end, in lower case; empty when that is left to it.
    hardware : bool
        Whether the PCI tree and the matrix of GPUs were asked for.
    """

    host: HostDesign
    plan: NicDesign
    facts: HostFacts
    nic: NicFacts
    fec: str = ""
    hardware: bool = False

    @property
    def ofed(self) -> bool:
        """Whether the driver is that of OFED, which has files that the kernel's has not."""
        return has_ofed(self.host)

    @property
    def dcb(self) -> bool:
        """Whether a tool tells PFC, DSCPs, pause and DCBX of the driver."""
        return self.host.traits.nic.driver not in _WITHOUT_DCB


checks: Registry[Callable[[Looked], Iterator[Remark]]] = Registry("check of a NIC", __name__)


def has_ofed(host: HostDesign) -> bool:
    """Return whether the NICs of a host run with the driver of OFED."""
    return host.traits.nic.driver == "mlx5-ofed"


def is_lossless(host: HostDesign) -> bool:
    """Return whether the NICs of a host are to be lossless at all."""
    return host.traits.nic.link_layer == "roce"


def remarks(looked: Looked) -> list[Remark]:
    """Return everything that is not right with a NIC, in the order of the checks."""
    return [remark for name in sorted(checks, key=_number) for remark in checks[name](looked)]


def _number(name: str) -> int:
    return int(name[1:])


def compare(check: str, what: str, actual: object, planned: object) -> Iterator[Remark]:
    """Yield a remark when a value is not the planned one; None was not read."""
    if actual is None:
        yield Remark(check, f"{what} could not be read", unknown=True)
    elif actual != planned:
        yield Remark(check, f"{what} is {shown(actual)}, expected {shown(planned)}")


def shown(value: object) -> str:
    """Return a value as people write it."""
    if isinstance(value, tuple | list | frozenset):
        return ",".join(str(item) for item in value) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
