"""Cumulus Linux: lines of ``nv set``, JSON of FRR and lldpd, and the tables of ``nv show``.

The shapes of ``nv show -o json`` are published nowhere, so the tables are read; FRR (``show ip bgp
summary json``, FRRouting/frr bgpd/bgp_vty.c) and lldpd print JSON.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.core.counts import counted
from fabric.core.json_text import parse_json
from fabric.core.units import ms_to_s
from fabric.observe.hostfacts.lldp import parse_lldp as lldp_neighbours
from fabric.observe.parsers import UnreadableError, frr, parsers, route_readings
from fabric.observe.parsers.tables import plain
from fabric.observe.snapshot import Running
from fabric.observe.state import BgpPeer
from fabric.systems.cumulus.parsers import counters, optics, roce
from fabric.systems.cumulus.parsers import history as history
from fabric.systems.cumulus.parsers.interfaces import bfd, facts, interfaces, neighbours
from fabric.systems.cumulus.platforms import lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary json`` of FRR: the peers of the default VRF.

    Raises
    ------
    UnreadableError
        When it is not that JSON, or not all of its peers.
    """
    return _peers(text, "ipv4Unicast")


def bgp_ipv6(text: str) -> dict[str, BgpPeer]:
    """Parse ``show bgp ipv6 summary json`` as :func:`bgp_summary`; no answer: no peers.

    Raises
    ------
    UnreadableError
        When it is not that JSON, or not all of its peers.
    """
    return _peers(text, "ipv6Unicast") if text.strip() else {}


def _peers(text: str, key: str) -> dict[str, BgpPeer]:
    try:
        body: Any = parse_json(text)
        family: Any = body[key] if body != {} else {"peers": {}, "totalPeers": 0}
        peers = {str(name): _peer(peer) for name, peer in family["peers"].items()}
        total = family["totalPeers"]
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise UnreadableError("this is not a summary of BGP peers") from error
    if total != len(peers):
        raise UnreadableError(f"there are {counted(len(peers), 'peer')}, and it says {total}")
    return peers


def _peer(peer: Any) -> BgpPeer:
    is_up = peer["state"] == "Established"
    uptime_ms, dropped = peer.get("peerUptimeMsec"), peer.get("connectionsDropped")
    return BgpPeer(
        established=is_up,
        state=str(peer["state"]),
        asn=int(peer["remoteAs"]),
        established_s=ms_to_s(int(uptime_ms)) if is_up and uptime_ms is not None else None,
        lost=None if dropped is None else int(dropped),
    )


_RELEASE = re.compile(r'^DISTRIB_(ID|RELEASE)="?([^"\n]+?)"?$', re.MULTILINE)


class CumulusParser:
    """Reads Cumulus Linux back; the counters take one command for each port."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "facts": ("facts", facts),
        "interfaces": ("interfaces", interfaces),
        "link_bytes": ("interfaces", counters.link_bytes),
        "lldp": ("lldp", lldp_neighbours),
        "bgp": ("bgp", bgp_summary),
        "bgp_ipv6": ("bgp", bgp_ipv6),
        "bfd": ("bfd", bfd),
        "neighbours": ("neighbours", neighbours),
        "pfc_priority": ("pfc_priorities", roce.pfc_priorities),
        "ecn": ("ecn", roce.ecn),
        "pfc_counters": ("pfc_counters", counters.pfc_counters),
        "queues": ("queues", counters.queues),
        "priority_groups": ("priority_groups", counters.priority_groups),
        "pfc_watchdog": ("watchdog", counters.watchdog),
        "marked": ("ecn", counters.marked),
        "optics": ("optics", optics.optics),
        "temperatures": ("temperatures", optics.temperatures),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the applied configuration, one line for each value.

        Raises
        ------
        UnreadableError
            When it is empty, cut, or holds anything but ``nv set`` lines.
        """
        text = texts["config"]
        try:
            if not text.endswith("\n"):
                raise UnreadableError("its last line is cut")
            values = lines.read(plain(text))
        except ValueError as error:
            raise UnreadableError(f"the configuration cannot be read: {error}") from error
        if not values:
            raise UnreadableError("the configuration is empty")
        canonical = lines.write(values)
        saved = not texts["unsaved"].strip()
        version = release(texts.get("version", ""))
        return Running.of_text(device, "cumulus", canonical, saved=saved, version=version)


def release(text: str) -> str:
    """Parse ``/etc/lsb-release``; empty where it does not name a release of Cumulus Linux."""
    said = dict(_RELEASE.findall(plain(text)))
    return said.get("RELEASE", "") if said.get("ID") == "Cumulus Linux" else ""


parsers.add("cumulus")(CumulusParser())
route_readings.add("cumulus")(frr.has_route)
