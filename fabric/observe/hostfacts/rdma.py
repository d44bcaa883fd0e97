"""``rdma -j link`` and ``rdma -j statistic`` (iproute2/iproute2, rdma/ at ee2a4a86)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import optional, rows, whole
from fabric.observe.hostfacts.values import choice, interface_name, rdma_name, word
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.hostfacts.jsontext import Row

_MAX_PORT = 255
#: ``link_state_str`` and ``phys_state_str`` of rdma/link.c.
_STATES = ("NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER", "UNKNOWN")
_PHYSICAL = (
    *("NOP", "SLEEP", "POLLING", "DISABLED", "ARMED", "LINK_UP", "LINK_ERROR_RECOVER"),
    *("PHY_TEST", "UNKNOWN", "OPA_OFFLINE", "OPA_TEST"),
)


@dataclass(frozen=True, slots=True)
class RdmaLink:
    """A port of an RDMA device; only InfiniBand has a subnet prefix and LIDs."""

    device: str
    port: int
    state: str
    physical_state: str
    interface: str | None = None
    subnet_prefix: str | None = None
    lid: int | None = None
    sm_lid: int | None = None

    @property
    def infiniband(self) -> bool:
        """Whether a subnet manager rules this link, and no Ethernet switch."""
        return self.subnet_prefix is not None or self.lid is not None


@dataclass(frozen=True, slots=True)
class RdmaCounters:
    """Hardware counters of a port by the name of the driver."""

    device: str
    port: int
    counters: Mapping[str, int]


P = TypeVar("P", RdmaLink, RdmaCounters)


@reads("rdma_link", "rdma -j link show")
def parse_rdma_link(text: str) -> tuple[RdmaLink, ...]:
    """Parse the RDMA ports of a host.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    return _ports(tuple(_link(row) for row in rows(text, "rdma")))


@reads("rdma_statistic", "rdma -j statistic show")
def parse_rdma_statistic(text: str) -> tuple[RdmaCounters, ...]:
    """Parse the hardware counters of the RDMA ports of a host.

    Raises
    ------
    UnreadableError
        When the output is not that JSON.
    """
    return _ports(tuple(_counters(row) for row in rows(text, "rdma")))


def _ports(found: tuple[P, ...]) -> tuple[P, ...]:
    if len({(port.device, port.port) for port in found}) != len(found):
        raise UnreadableError("rdma printed a port twice")
    return found


def _link(row: Row) -> RdmaLink:
    return RdmaLink(
        device=rdma_name(row.get("ifname")),
        port=whole(row, "port", 1, _MAX_PORT),
        state=choice(str(row.get("state")), _STATES, "state of an RDMA port"),
        physical_state=choice(str(row.get("physical_state")), _PHYSICAL, "physical state"),
        interface=optional(row, "netdev", interface_name),
        subnet_prefix=optional(row, "subnet_prefix", lambda text: word(text, "subnet prefix")),
        lid=whole(row, "lid") if "lid" in row else None,
        sm_lid=whole(row, "sm_lid") if "sm_lid" in row else None,
    )


def _counters(row: Row) -> RdmaCounters:
    names = [name for name in row if name not in {"ifname", "port"}]
    counters = {word(name, "name of a counter"): whole(row, name) for name in names}
    return RdmaCounters(rdma_name(row.get("ifname")), whole(row, "port", 1, _MAX_PORT), counters)
