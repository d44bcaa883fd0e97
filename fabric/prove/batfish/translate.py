"""What a configuration says, in the form of SONiC: a CONFIG_DB and the text of FRR.

Batfish takes BGP from the text of FRR alone, and applies the policies of a peer only where that
text has the order and the words in which FRR prints it (Batfish 0.36, grammar ``Frr``).
"""

from __future__ import annotations

import json
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from fabric.observe.configuration import Discard
from fabric.prove.batfish.designed import address_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.configuration import (
        Bgp,
        BgpPeer,
        Configured,
        PolicyTerm,
        Port,
        PrefixMatch,
        StaticRoute,
    )

    Tables = dict[str, dict[str, dict[str, Any]]]


def sonic_files(switch: Configured) -> dict[str, bytes]:
    """Return the files of a switch below its folder in ``sonic_configs``."""
    return {
        "config_db.json": json.dumps(config_db(switch), indent=1).encode(),
        "frr.conf": frr(switch).encode(),
    }


def config_db(switch: Configured) -> Tables:
    """Return the tables of a CONFIG_DB: ports, VLANs with their members, and addresses."""
    tables: Tables = {"DEVICE_METADATA": {"localhost": {"hostname": switch.name}}}
    for name in (
        "PORT",
        "VLAN",
        "VLAN_MEMBER",
        "INTERFACE",
        "VLAN_INTERFACE",
        "LOOPBACK_INTERFACE",
    ):
        tables[name] = {}
    for vlan in switch.vlans:
        tables["VLAN"][f"Vlan{vlan}"] = {"vlanid": str(vlan), "members": members(switch, vlan)}
    for port in switch.ports.values():
        table, name = _table(port)
        if table == "INTERFACE":
            tables["PORT"][name] = _port(port)
        for entry in port.addresses if port.enabled else ():
            key = address_text(entry.address, entry.prefix_length)
            tables[table].update({name: {}, f"{name}|{key}": {}})
        for vlan, mode in _memberships(port):
            tables["VLAN_MEMBER"][f"Vlan{vlan}|{name}"] = {"tagging_mode": mode}
    return tables


def members(switch: Configured, vlan: int) -> list[str]:
    """Return the ports of a VLAN."""
    return [port.name for port in switch.ports.values() if vlan in (port.vlan, *port.tagged_vlans)]


def _table(port: Port) -> tuple[str, str]:
    """Return the table of the addresses of a port, and its name there."""
    if port.gateway_vlan is not None:
        return "VLAN_INTERFACE", f"Vlan{port.gateway_vlan}"
    if port.name.lower().startswith("lo"):
        return "LOOPBACK_INTERFACE", "Loopback0"
    return "INTERFACE", port.name


#: What a port gets whose file says no MTU and whose system has no known default: Batfish would take
#: 1,500 bytes, and an unknown MTU is not judged. SONiC's largest (sonic-port.yang).
_UNKNOWN_MTU_BYTES = 9216


def _port(port: Port) -> dict[str, str]:
    mtu = _UNKNOWN_MTU_BYTES if port.mtu_bytes is None else port.mtu_bytes
    return {"admin_status": "up" if port.enabled else "down", "mtu": str(mtu)}


def _memberships(port: Port) -> Iterator[tuple[int, str]]:
    if port.vlan is not None:
        yield port.vlan, "untagged"
    for vlan in port.tagged_vlans:
        yield vlan, "tagged"


def frr(switch: Configured) -> str:
    """Return routes, BGP and policies in the order and the words in which FRR prints them."""
    lines = ["frr version 10.0", "frr defaults traditional", f"hostname {switch.name}", "!"]
    lines += [_static(route) for route in switch.static_routes]
    if switch.bgp:
        lines += [*_bgp(switch.bgp, switch), "!"]
    for name, entries in switch.prefix_lists.items():
        lines += [_entry(name, number, entry) for number, entry in enumerate(entries, 1)]
    terms = [
        (name, number, term)
        for name, group in switch.policies.items()
        for number, term in enumerate(group, 1)
    ]
    for name, number, term in terms:
        places = enumerate(term.prefixes, 1)
        lines += [_entry(_own_list(name, number), place, entry) for place, entry in places]
    for name, number, term in terms:
        lines += [*_term(name, number, term), "!"]
    return "\n".join([*lines, "line vty", "!", ""])


def _static(route: StaticRoute) -> str:
    hop = route.next_hop
    if isinstance(hop, Discard):
        words = "Null0"
    else:
        words = str(IPv4Address(hop)) if isinstance(hop, int) else hop
    return f"ip route {address_text(route.network, route.prefix_length)} {words}"


def _bgp(bgp: Bgp, switch: Configured) -> Iterator[str]:
    """Yield the BGP process; Batfish does not know ``shutdown``, so such a peer is not there."""
    peers = [peer for peer in bgp.peers.values() if peer.enabled is not False]
    yield f"router bgp {bgp.asn}"
    if bgp.router_id:
        yield f" bgp router-id {bgp.router_id}"
    yield " no bgp default ipv4-unicast"
    if bgp.relax:
        yield " bgp bestpath as-path multipath-relax"
    for peer in peers:
        yield from (f" {line}" for line in _session(peer))
    yield " !"
    yield " address-family ipv4 unicast"
    yield from (f"  {line}" for line in _family(bgp, peers, switch))
    yield " exit-address-family"


def _session(peer: BgpPeer) -> Iterator[str]:
    """Yield the lines of a session that stand outside of address families."""
    name = f"neighbor {peer.session}"
    via = "" if peer.session[0].isdigit() else "interface "
    if peer.asn is not None:
        yield f"{name} {via}remote-as {peer.asn or 'external'}"
    if peer.local_address:
        yield f"{name} update-source {peer.local_address}"


def _family(bgp: Bgp, peers: list[BgpPeer], switch: Configured) -> Iterator[str]:
    for item in bgp.originations:
        if item.network is not None:
            yield f"network {address_text(*item.network)}{_policy(item.policy, switch)}"
    for item in bgp.originations:
        if item.network is None:
            yield f"redistribute connected{_policy(item.policy, switch)}"
    for peer in peers:
        if peer.activated and peer.asn is not None:
            yield f"neighbor {peer.session} activate"
    for peer in peers:
        for name, direction in ((peer.policy_in, "in"), (peer.policy_out, "out")):
            if name:
                yield f"neighbor {peer.session} route-map {name} {direction}"
    yield f"maximum-paths {bgp.max_paths}"


def _policy(name: str, switch: Configured) -> str:
    """Return the words that apply a policy; one that does not exist permits everything."""
    return f" route-map {name}" if name in switch.policies else ""


def _entry(name: str, number: int, entry: PrefixMatch) -> str:
    bounds = f" ge {entry.low}" if entry.low > entry.prefix_length else ""
    bounds += f" le {entry.high}" if entry.high > entry.low or bounds else ""
    action = "permit" if entry.permit else "deny"
    prefix = address_text(entry.network, entry.prefix_length)
    return f"ip prefix-list {name} seq {5 * number} {action} {prefix}{bounds}"


def _own_list(policy: str, number: int) -> str:
    """Return the name of the list of the prefixes that stand in a term itself."""
    return f"{policy}-{number}"


def _term(name: str, number: int, term: PolicyTerm) -> Iterator[str]:
    lists = [*term.prefix_lists, *([_own_list(name, number)] if term.prefixes else [])]
    yield f"route-map {name} {'permit' if term.permit else 'deny'} {10 * number}"
    if lists:
        yield f" match ip address prefix-list {' '.join(lists)}"
    if term.source:
        yield f" match source-protocol {term.source}"
