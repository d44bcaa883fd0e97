"""Hardware counters of RDMA ports: sysfs and ``show_counters`` (Mellanox/mlnx-tools).

Names of mlx5: Linux drivers/infiniband/hw/mlx5/counters.c. ``lifespan`` is how long the kernel
keeps a value, in milliseconds (Linux Documentation/ABI/stable/sysfs-class-infiniband): no counter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.rdma import RdmaCounters
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import number, rdma_name, shown, word
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = re.compile(
    r"/sys/class/infiniband/([^/:]{1,64})/ports/([0-9]{1,3})/hw_counters/([^/:]{1,64}):([0-9]+)"
)
_PORT = re.compile(r"Port ([0-9]{1,3}) (hw )?counters:")
_NO_COUNTER = "lifespan"


@reads("hw_counters", "grep -H '' /sys/class/infiniband/*/ports/*/hw_counters/*")
def parse_hw_counters(text: str) -> tuple[RdmaCounters, ...]:
    """Parse ``PATH:value`` of the files of hardware counters, by RDMA port.

    Raises
    ------
    UnreadableError
        When a line is no such pair, or a counter stands twice.
    """
    found: dict[tuple[str, int], dict[str, int]] = {}
    for line in whole_lines(text):
        match = _PATH.fullmatch(line)
        if not match:
            raise UnreadableError(f"no file of a hardware counter: {shown(line)}")
        device, port, name, value = match.groups()
        _keep(found.setdefault((rdma_name(device), number(port, "port")), {}), name, value)
    return tuple(RdmaCounters(*port, counters) for port, counters in found.items())


@reads("show_counters", "show_counters {rdma_device}")
def parse_show_counters(text: str) -> Mapping[int, Mapping[str, int]]:
    """Parse the counters of one RDMA device by port; its output does not name the device.

    Raises
    ------
    UnreadableError
        When a line is no counter, or a counter stands twice.
    """
    found: dict[int, dict[str, int]] = {}
    current: dict[str, int] | None = None
    for line in whole_lines(text):
        name, _, value = line.partition(":")
        if match := _PORT.fullmatch(line.strip()):
            current = found.setdefault(number(match[1], "port"), {})
        elif current is not None and line.strip():
            _keep(current, name.strip(), value.strip())
        elif line.strip():
            raise UnreadableError(f"show_counters printed {shown(line)}")
    if not found:
        raise UnreadableError("show_counters printed no port")
    return found


def _keep(counters: dict[str, int], name: str, value: str) -> None:
    if word(name, "name of a counter") in counters:
        raise UnreadableError(f"the counter {name} stands twice")
    if name != _NO_COUNTER:
        counters[name] = number(value, f"value of {name}")
