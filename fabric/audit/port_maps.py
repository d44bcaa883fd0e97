"""Lossless ports without a map that they need."""

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
    """Yield the lossless ports that lack a map which more than half of them have.

    Where it is known that a port without the map is not lossless, all ports need it.
    """
    ports = [port for port in lossless.ports.values() if port.lossless and port.enabled]
    for attribute, words in _MAPS.items():
        without = [port for port in ports if not getattr(port, attribute)]
        having = len(ports) - len(without)
        others = counted(having, "lossless port has", "lossless ports have")
        why = f"{others} it" if having > len(without) else lossless.without_map.get(attribute)
        for port in without if why else ():
            message = f"the port has no map {words}; {why}"
            yield Fault("AUD056", port.name, port.line, message, is_absence=True)
