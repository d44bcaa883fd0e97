"""VRP8: text of the command line; there is no other form.

The samples are those of the vendor's documents and of older systems; none was captured on a
CloudEngine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabric.observe.parsers import parsers
from fabric.observe.snapshot import Running
from fabric.systems.vrp8.parsers import history as history
from fabric.systems.vrp8.parsers.lossless import (
    marked,
    marking,
    pfc_counters,
    pfc_priorities,
    queue_counters,
    watchdog,
)
from fabric.systems.vrp8.parsers.ports import interfaces
from fabric.systems.vrp8.parsers.tables import (
    arp_entries,
    bfd_sessions,
    bgp_peers,
    lldp_neighbours,
    mac_entries,
    system_facts,
)
from fabric.systems.vrp8.parsers.text import whole_configuration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


class Vrp8Parser:
    """Reads VRP8 back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "facts": ("facts", system_facts),
        "interfaces": ("interfaces", interfaces),
        "marked": ("interfaces", marked),
        "lldp": ("lldp", lldp_neighbours),
        "bgp": ("bgp", bgp_peers),
        "bfd": ("bfd", bfd_sessions),
        "arp": ("neighbours", arp_entries),
        "macs": ("macs", mac_entries),
        "pfc": ("pfc_priorities", pfc_priorities),
        "pfc_counters": ("pfc_counters", pfc_counters),
        "watchdog": ("watchdog", watchdog),
        "ecn": ("ecn", marking),
        "queues": ("queues", queue_counters),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration.

        Raises
        ------
        UnreadableError
            When the answer is not the whole configuration.
        """
        text = whole_configuration(texts["config"])
        saved = whole_configuration(texts["startup"]) if texts["startup"].strip() else ""
        return Running.of_text(device, "vrp8", text, saved=saved == text)


parsers.add("vrp8")(Vrp8Parser())
