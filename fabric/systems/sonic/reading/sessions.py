"""BGP of a CONFIG_DB: the process, its networks, groups, sessions and route maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Aggregate,
    Bgp,
    BgpPeer,
    BgpTemplate,
    Leftover,
    Origination,
)
from fabric.observe.configuration.blocks import network
from fabric.observe.configuration.defaults import absence
from fabric.observe.configuration.model import EXTERNAL, is_address
from fabric.observe.configuration.sequences import enter_term
from fabric.systems.sonic.platforms import FRAMEWORK
from fabric.systems.sonic.reading.model import (
    GENERAL,
    READER,
    process_of,
    require_default_vrf,
    router_id_of,
    text_of,
)

if TYPE_CHECKING:
    from fabric.observe.configuration import Configured
    from fabric.systems.sonic.reading.model import Fields

#: How often ``allowas-in`` without a number accepts the own AS number (FRRouting, bgpd/bgp_vty.c).
_ALLOWAS_IN = 3
#: How fields of routes end, by family.
_SUFFIXES = {"ipv4_unicast": "", "ipv6_unicast": "6"}


@READER.means("globals")
def _globals(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if key != ("default",):
        raise ValueError("a VRF is not read")
    if FRAMEWORK not in switch.global_lines:
        raise ValueError(absence("sonic", "managed"))
    switch.bgp = Bgp(int(row["local_asn"]), line, ipv4_first=True)
    switch.bgp.router_id = router_id_of(row.get("router_id", ""))
    switch.bgp.relax = row.get("load_balance_mp_relax") == "true"
    switch.bgp.active_by_default = row.get("default_ipv4_unicast") == "true"
    _timers(switch.bgp, row)


@READER.means("globals_family")
def _globals_family(switch: Configured, key: tuple[str, ...], row: Fields, _: int) -> None:
    paths = int(row.get("max_ebgp_paths", "1"))
    require_default_vrf(key)
    if key == ("default", "ipv4_unicast"):
        process_of(switch).max_paths = paths
    elif key == ("default", "ipv6_unicast"):
        process_of(switch).max_paths6 = paths


@READER.means("network")
def _network(switch: Configured, key: tuple[str, ...], _: Fields, line: int) -> None:
    require_default_vrf(key)
    own = Origination(network(key[-1]), "", line, ":" in key[-1])
    process_of(switch).originations.append(own)


@READER.means("aggregate")
def _aggregate(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    require_default_vrf(key)
    hides = row.get("summary_only") == "true"
    own = Aggregate(*network(key[-1]), line, hides, ":" in key[-1])
    process_of(switch).aggregates.append(own)


@READER.means("redistribute")
def _redistribute(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if key[:3] != ("default", "connected", "bgp"):
        raise ValueError("only connected routes are read")
    policy = "".join(row.get("route_map", []))
    process_of(switch).originations.append(Origination(None, policy, line, key[3] == "ipv6"))


@READER.means("group")
def _group(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    require_default_vrf(key)
    _session(process_of(switch).group(key[-1], line), row)


@READER.means("group_family")
def _group_family(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    require_default_vrf(key)
    group, suffix = process_of(switch).group(key[-2], line), _SUFFIXES[key[-1]]
    if "admin_status" in row:
        setattr(group, f"activated{suffix}", row["admin_status"] in ("true", "up"))
    _policies(group, row, suffix)


@READER.means("neighbour")
def _neighbour(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    require_default_vrf(key if len(key) > 1 else ())
    bgp = process_of(switch)
    if len(key) == 1 and not is_address(key[0]):
        words = f"BGP_NEIGHBOR|{key[0]}: bgpcfgd makes sessions over ports on master alone"
        switch.undecided.append(Leftover(line, words))
    peer: BgpPeer = bgp.peer(key[-1], line)
    peer.group = text_of(row, "peer_group_name") or (GENERAL if GENERAL in bgp.groups else None)
    peer.description = text_of(row, "name")
    _session(peer, row)
    if FRAMEWORK in switch.global_lines:
        return
    if peer.enabled is None:
        peer.enabled = "default_bgp_status" not in switch.global_lines
    if is_address(peer.session):
        peer.activated6 = ":" in peer.session
        peer.activated = not peer.activated6


@READER.means("neighbour_family")
def _neighbour_family(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    require_default_vrf(key)
    peer, suffix = process_of(switch).peer(key[-2], line), _SUFFIXES[key[-1]]
    setattr(peer, f"activated{suffix}", row.get("admin_status", "true") in ("true", "up"))
    _policies(peer, row, suffix)


@READER.means("policy_name")
def _policy_name(switch: Configured, key: tuple[str, ...], _: Fields, __: int) -> None:
    switch.policies.setdefault(key[0], [])


@READER.means("term")
def _term(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    name, number = key
    if any(field.startswith("match_") and field != "match_prefix_set" for field in row):
        raise ValueError("a condition that is not read")
    term = enter_term(switch, line, name, row["route_operation"], number)
    if "match_prefix_set" in row:
        term.prefix_lists.append(row["match_prefix_set"])


def _session(speaker: BgpTemplate, row: Fields) -> None:
    """Take over what a row of a session or of its group says."""
    if "asn" in row:
        speaker.asn = int(row["asn"])
    elif row.get("peer_type") == "external":
        speaker.asn = EXTERNAL
    if "admin_status" in row:
        speaker.enabled = row["admin_status"] in ("up", "true")
    speaker.local_address = text_of(row, "local_addr") or None
    _timers(speaker, row)
    speaker.bfd = row.get("bfd") == "true" if "bfd" in row else None
    if "capability_ext_nexthop" in row:
        speaker.extended_next_hop = row["capability_ext_nexthop"] == "true"


def _timers(speaker: BgpTemplate | Bgp, row: Fields) -> None:
    for field, name in (("keepalive", "keepalive_s"), ("holdtime", "hold_s")):
        if field in row:
            setattr(speaker, name, int(row[field]))


def _policy(row: Fields, field: str) -> str | None:
    """Return the name of a policy; a field of CONFIG_DB is a list of it."""
    names = row.get(field, [])
    if not isinstance(names, str | list):
        raise TypeError(f"{field} must be a list of names")
    return "".join(names) or None


def _policies(speaker: BgpTemplate, row: Fields, suffix: str) -> None:
    """Take over what a row says of the routes of a family."""
    setattr(speaker, f"policy_in{suffix}", _policy(row, "route_map_in"))
    setattr(speaker, f"policy_out{suffix}", _policy(row, "route_map_out"))
    if row.get("allow_as_in") == "true":
        if row.get("allow_as_origin") == "true":
            raise ValueError("allow_as_origin is not read")
        setattr(speaker, f"allowas_in{suffix}", int(row.get("allow_as_count", _ALLOWAS_IN)))
