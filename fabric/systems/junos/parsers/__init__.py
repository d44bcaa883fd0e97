"""Junos: text tables, XML of the interfaces, and the configuration as ``set`` lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabric.observe.parsers import parsers
from fabric.observe.snapshot import Running
from fabric.systems.junos.parsers import config, interfaces, optics, tables
from fabric.systems.junos.parsers import history as history
from fabric.systems.junos.parsers import routes as routes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


class JunosParser:
    """Reads Junos back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "version": ("facts", tables.system_facts),
        "bgp": ("bgp", tables.bgp_summary),
        "lldp": ("lldp", tables.lldp_neighbours),
        "arp": ("neighbours", tables.arp_entries),
        "macs": ("macs", tables.mac_entries),
        "interfaces": ("interfaces", interfaces.interfaces),
        "pfc_counters": ("pfc_counters", interfaces.pfc_counters),
        "queues": ("queues", interfaces.queue_counters),
        "optics": ("optics", optics.optics),
        "temperatures": ("temperatures", optics.temperatures),
        "pfc": ("pfc_priorities", config.pfc_priorities),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the committed configuration; Junos has no other one that a boot would load.

        Raises
        ------
        UnreadableError
            When it is empty, or something in it is not the configuration.
        """
        text = config.configuration(texts["config"])
        return Running.of_text(device, "junos", text, saved=None)


parsers.add("junos")(JunosParser())
