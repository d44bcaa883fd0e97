"""H3C Comware 7: text of the command line, by parsers of our own.

Known from networktocode/ntc-templates @ d0bc5a48 (tests/hp_comware, captures) and
grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help (samples of the vendor's manual). The
templates of ntc-templates take what is cut or paged for whole, so they are not used. Counters of
PFC, queues and drops are not read: no sample shows their columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabric.observe.parsers import parsers
from fabric.observe.snapshot import Running
from fabric.systems.comware7.parsers.config import (
    map_tables,
    paused_priorities,
    with_read_values,
)
from fabric.systems.comware7.parsers.ports import interfaces, lldp_neighbours
from fabric.systems.comware7.parsers.tables import (
    arp_entries,
    bgp_peers,
    mac_entries,
    system_facts,
)
from fabric.systems.comware7.parsers.text import lldp_is_on, release, whole_configuration
from fabric.systems.comware7.platforms.text import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


class Comware7Parser:
    """Reads Comware 7 back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "facts": ("facts", system_facts),
        "interfaces": ("interfaces", interfaces),
        "lldp": ("lldp", lldp_neighbours),
        "bgp": ("bgp", bgp_peers),
        "arp": ("neighbours", arp_entries),
        "macs": ("macs", mac_entries),
        "pfc": ("pfc_priorities", paused_priorities),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration, with the values that it does not print.

        Map tables and the switch of LLDP are printed only where they differ from a default that
        depends on the model, so they are read by commands of their own.

        Raises
        ------
        UnreadableError
            When an answer is not whole.
        """
        now = whole_configuration(texts["config"])
        startup = texts["startup"]
        saved = bool(startup.strip()) and whole_configuration(startup) == now
        tables, lldp = map_tables(texts["maps"]), lldp_is_on(texts["lldp"])
        text = dump(with_read_values(now, tables, lldp=lldp))
        version = release(texts["config"])
        return Running.of_text(device, "comware7", text, saved=saved, version=version)


parsers.add("comware7")(Comware7Parser())
