"""BGP as the EOS stand-in shows it, in JSON.

Known: shapes of ``show [ip] bgp summary vrf all`` (aristanetworks/anta
``tests/units/anta_tests/routing/test_bgp.py``; napalm-automation/napalm
``test/eos/mocked_data/test_get_bgp_neighbors``) and the fields that NAPALM reads from ``show ip bgp
neighbors vrf all`` and ``show ipv6 bgp peers vrf all``.
Assumed: one prefix is exchanged with every established neighbour; a neighbour that does not answer
is ``Active``; unnumbered neighbours show as ``fe80::1%Et1/1``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.systems.eos.lab.view import Peer, View

    Result = dict[str, Any]


def _state(peer: Peer) -> str:
    if not peer.enabled:
        return "Idle"
    return "Established" if peer.established else "Active"


def _head(view: View, vrf: str, asn: str, router_id: str) -> Result:
    _ = view
    return {"vrf": vrf, "routerId": router_id, "asn": asn}


def _by_vrf(view: View, rows: Callable[[list[Peer]], Result]) -> Result:
    return {
        "vrfs": {
            vrf: {**_head(view, vrf, asn, view.router_id(bgp)), "peers": rows(view.peers(bgp))}
            for vrf, bgp, asn in view.bgp()
        }
    }


def _summary(view: View, _words: list[str]) -> Result:
    """Multi-agent summary of all address families."""

    def rows(peers: list[Peer]) -> Result:
        return {
            peer.address: {
                "peerState": _state(peer), "peerAsn": peer.asn, "description": peer.description,
                "ipv4Unicast": {
                    "afiSafiState": "negotiated" if peer.established else "advertised",
                    "nlrisReceived": int(peer.established), "nlrisAccepted": int(peer.established),
                },
            }
            for peer in peers
        }  # fmt: skip

    return _by_vrf(view, rows)


def _family_summary(version: str) -> Callable[[View, list[str]], Result]:
    def show(view: View, _words: list[str]) -> Result:
        since_s = time.time() - view.state.uptime_s

        def rows(peers: list[Peer]) -> Result:
            return {
                peer.address: {
                    "peerState": _state(peer), "asn": peer.asn, "version": 4, "inMsgQueue": 0,
                    "outMsgQueue": 0, "msgReceived": 10, "msgSent": 10, "upDownTime": since_s,
                    "underMaintenance": False, "description": peer.description,
                    "prefixReceived": int(peer.established),
                    "prefixAccepted": int(peer.established),
                }
                for peer in peers if version in _families(peer)
            }  # fmt: skip

        return _by_vrf(view, rows)

    return show


def _families(peer: Peer) -> str:
    """IPv4 routes of a session between link-local addresses have IPv6 next hops (RFC 8950)."""
    return "46" if "%" in peer.address else _version(peer)


def _version(peer: Peer) -> str:
    return "6" if ":" in peer.address else "4"


def _neighbours(version: str) -> Callable[[View, list[str]], Result]:
    def show(view: View, _words: list[str]) -> Result:
        found: Result = {}
        for vrf, bgp, asn in view.bgp():
            router_id = view.router_id(bgp)
            rows = [
                _neighbour(view, peer, asn, router_id)
                for peer in view.peers(bgp)
                if _version(peer) == version and "%" not in peer.address
            ]
            found[vrf] = {"peerList": rows}
        return {"vrfs": found}

    return show


def _neighbour(view: View, peer: Peer, asn: str, router_id: str) -> Result:
    is_v4 = _version(peer) == "4"
    count = int(peer.established)
    found: Result = {
        "peerAddress": peer.address, "localAsn": asn, "asn": peer.asn, "state": _state(peer),
        "routerId": peer.address if is_v4 and peer.established else "0.0.0.0",
        "localRouterId": router_id, "description": peer.description,
        "prefixesReceived": count if is_v4 else 0, "prefixesSent": count if is_v4 else 0,
        "v6PrefixesReceived": 0 if is_v4 else count, "v6PrefixesSent": 0 if is_v4 else count,
    }  # fmt: skip
    if peer.established:
        found["establishedTime"] = int(view.state.uptime_s)
    elif not peer.enabled:
        found["idleReason"] = "Administratively shut down"
    return found


BGP_SHOWS: dict[str, Callable[[View, list[str]], Result]] = {
    "show bgp summary [ vrf all ]": _summary,
    "show ip bgp summary [ vrf all ]": _family_summary("4"),
    "show ipv6 bgp summary [ vrf all ]": _family_summary("6"),
    "show ip bgp neighbors [ vrf all ]": _neighbours("4"),
    "show ipv6 bgp peers [ vrf all ]": _neighbours("6"),
}
