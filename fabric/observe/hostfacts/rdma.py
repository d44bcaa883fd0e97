"""``rdma -j link`` (iproute2/iproute2, rdma/ at ee2a4a86); hardware counters of RDMA ports.

``rdma -j statistic`` prints the counters of a port beside its name and number (rdma/stat.c,
``stat_show_parse_cb``), and no ``lifespan``.

Names of mlx5: Linux drivers/infiniband/hw/mlx5/counters.c. ``lifespan`` is how long the kernel
keeps a value, in milliseconds (Linux Documentation/ABI/stable/sysfs-class-infiniband): no counter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import optional, rows, whole
from fabric.observe.hostfacts.values import (
    choice,
    interface_name,
    number,
    rdma_name,
    shown,
    whole_lines,
    word,
)
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


_PATH = re.compile(
    r"/sys/class/infiniband/([^/:]{1,64})/ports/([0-9]{1,3})/hw_counters/([^/:]{1,64}):([0-9]+)"
)
_NO_COUNTER = "lifespan"


#: What ``print_link`` of rdma/res.c names a port by.
_PLACE = ("ifindex", "ifname", "port")


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


@reads("rdma_link", "rdma -j link show")
def parse_rdma_link(text: str) -> tuple[RdmaLink, ...]:
    """Parse the RDMA ports of a host, or raise UnreadableError."""
    ports = tuple(_link(row) for row in rows(text, "rdma"))
    if len({(port.device, port.port) for port in ports}) != len(ports):
        raise UnreadableError("rdma printed a port twice")
    return ports


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


@reads("hw_counters", "grep -H '' /sys/class/infiniband/*/ports/*/hw_counters/*")
def parse_hw_counters(text: str) -> tuple[RdmaCounters, ...]:
    """Parse ``PATH:value`` of the files of hardware counters, by RDMA port.

    Raises
    ------
    UnreadableError
        When a line is no such pair, or a counter stands twice.
    """
    by_port: dict[tuple[str, int], dict[str, int]] = {}
    for line in whole_lines(text):
        match = _PATH.fullmatch(line)
        if not match:
            raise UnreadableError(f"no file of a hardware counter: {shown(line)}")
        device, port, name, value = match.groups()
        counters = by_port.setdefault((rdma_name(device), number(port, "port")), {})
        if word(name, "name of a counter") in counters:
            raise UnreadableError(f"the counter {name} appears twice")
        if name != _NO_COUNTER:
            counters[name] = number(value, f"value of {name}")
    return tuple(RdmaCounters(*port, counters) for port, counters in by_port.items())


@reads("rdma_statistic", "rdma -j statistic show")
def parse_rdma_statistic(text: str) -> tuple[RdmaCounters, ...]:
    """Parse the counters of all RDMA ports, for hosts that show no files of them.

    Raises
    ------
    UnreadableError
        When it is not that JSON, a counter is no number, or a port stands twice.
    """
    ports = tuple(_counters(row) for row in rows(text, "rdma"))
    if len({(port.device, port.port) for port in ports}) != len(ports):
        raise UnreadableError("rdma printed a port twice")
    return ports


def _counters(row: Row) -> RdmaCounters:
    names = [word(name, "name of a counter") for name in row if name not in _PLACE]
    port = whole(row, "port", 1, _MAX_PORT)
    return RdmaCounters(rdma_name(row.get("ifname")), port, {one: whole(row, one) for one in names})
