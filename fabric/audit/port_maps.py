"""Lossless ports without a map that most lossless ports of their switch have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration.lossless import Lossless

#: Maps of a port by the attribute that has them.
_MAPS = {
    "class_to_queue": "from classes to queues",
    "class_to_group": "from classes to priority groups",
    "pause_to_queue": "from pauses to queues",
}


def unmapped(lossless: Lossless) -> Iterator[Fault]:
    """Yield the lossless ports that lack a map which more than half of them have."""
    ports = [port for port in lossless.ports.values() if port.lossless and port.enabled]
    for attribute, words in _MAPS.items():
        without = [port for port in ports if not getattr(port, attribute)]
        having = len(ports) - len(without)
        if having <= len(without):
            continue
        for port in without:
            others = counted(having, "lossless port has", "lossless ports have")
            message = f"the port has no map {words}; {others} it"
            yield Fault("AUD056", port.name, port.line, message, is_absence=True)
