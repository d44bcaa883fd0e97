"""Arista EOS.

Sources: pyavd 6.4.0 (schema ranges), batfish test captures of ``show running-config all``
(defaults), arista-exp-eos-qos-config.yang 4.36.1F.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

if TYPE_CHECKING:
    from fabric.platforms.asic import Asic

#: Headroom law of the ASICs with virtual output queues (7280R, 7800R): other words and features.
DNX = "dnx"
#: Families of the 7260CX and 7260CX3, whose captures have ``tx-queue`` (batfish/batfish).
OLD_XGS = ("tomahawk-1", "tomahawk-2")


def queue_word(asic: Asic) -> str:
    """Return the word that opens a queue on an ASIC family.

    Source: batfish/batfish captures of a 7260CX3 (``tx-queue``), AMD Instinct cluster networking
    guide (``uc-tx-queue`` on Tomahawk 4), pyavd 6.4.0 (both); of other families it is inferred.
    """
    return "tx-queue" if asic.law == DNX or asic.name in OLD_XGS else "uc-tx-queue"


EOS = platforms.add("eos")(
    Platform(
        name="eos",
        title="Arista EOS",
        artefact="startup-config.eos",
        port_mtu_bytes=(68, 9214),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=300,
        neighbour_refresh=NeighbourRefresh(
            "request before the entry expires",
            "aristanetworks/avd, arp aging timeout; no source gives the time of the request",
            confirmed=False,
        ),
        watchdog_ms={"detection": (10, 60000), "restoration": (10, 60000), "poll": (5, 30000)},
        watchdog_polls=2,  # Arista EOS manual, PFC watchdog
        speed_words="lanes",
        queue_word=queue_word,
        source="pyavd 6.4.0 schema; batfish/batfish arista_interface_show_run_all captures",
        default_port=443,
        rule_prefix="EOS",
        management_vrf="MGMT",
        evpn_sessions="loopback",
    )
)
