"""NX-OS: JSON of NX-API where the fields are known, text of the command line for the rest.

Known from napalm-automation/napalm @ ee70e634 (test/nxos mocked data), networktocode/ntc-templates
@ d0bc5a48 and open-telemetry/opentelemetry-collector-contrib (receiver/ciscoosreceiver).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabric.observe.parsers import parsers
from fabric.observe.snapshot import Running
from fabric.systems.nxos.parsers import history as history
from fabric.systems.nxos.parsers import optics
from fabric.systems.nxos.parsers import routes as routes
from fabric.systems.nxos.parsers.counters import (
    pfc_counters,
    pfc_priorities,
    queue_counters,
    watchdog,
)
from fabric.systems.nxos.parsers.marking import marking
from fabric.systems.nxos.parsers.neighbours import bfd_neighbours, lldp_neighbours
from fabric.systems.nxos.parsers.tables import (
    arp_entries,
    bgp_summary,
    interfaces,
    mac_entries,
    system_facts,
)
from fabric.systems.nxos.parsers.text import whole_configuration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


class NxosParser:
    """Reads NX-OS back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "facts": ("facts", system_facts),
        "interfaces": ("interfaces", interfaces),
        "lldp": ("lldp", lldp_neighbours),
        "bgp": ("bgp", bgp_summary),
        "bfd": ("bfd", bfd_neighbours),
        "arp": ("neighbours", arp_entries),
        "macs": ("macs", mac_entries),
        "pfc": ("pfc_priorities", pfc_priorities),
        "ecn": ("ecn", marking),
        "queuing": ("queues", queue_counters),
        "pfc_counters": ("pfc_counters", pfc_counters),
        "watchdog": ("watchdog", watchdog),
        "optics": ("optics", optics.optics),
        "temperatures": ("temperatures", optics.temperatures),
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
        return Running.of_text(device, "nxos", text, saved=saved == text)


parsers.add("nxos")(NxosParser())
