"""SONiC: what a CONFIG_DB says of ports, VLANs and BGP, and what bgpcfgd makes of it.

Where BGP is not managed by CONFIG_DB tables, bgpcfgd announces Loopback0 as /32 and the network of
each VLAN, permits every route and relaxes multipath (sonic-buildimage 0157618724cc,
dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2 and templates/general); the number of equal paths
is that of files/image_config/constants/constants.yml there. Where the tables manage BGP, a session
without a policy passes no route (FRRouting, bgpd/bgp_vty.c, ``bgp ebgp-requires-policy``).
"""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from fabric.core.json_text import parse_json
from fabric.observe.configuration import (
    Aggregate,
    Bgp,
    BgpPeer,
    BgpTemplate,
    Configured,
    Discard,
    Leftover,
    Origination,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import DEFAULT_VRF, address, ipv4, network, static_route
from fabric.observe.configuration.defaults import absence, holds, number_of
from fabric.observe.configuration.model import BITS, EXTERNAL, is_address
from fabric.observe.configuration.sequences import enter_term
from fabric.observe.configuration.tables import TableReader
from fabric.observe.parsers import UnreadableError
from fabric.systems.sonic.config_db_forms import foreign_form
from fabric.validate.json_lines import key_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Fields = dict[str, Any]
    Row = tuple[tuple[str, ...], Fields, int]
    Action = Callable[[Configured, tuple[str, ...], Fields, int], None]

FILE = "config_db"

#: Stands where BGP wants a policy and the file names none; it permits nothing.
NO_POLICY = "(none)"

#: The peer groups of bgpcfgd, of either family, in the name of the first; ``allowas-in 1`` on a
#: ToRRouter (templates/general/peer-group.conf.j2). Neighbours have routes of their family alone
#: (templates/general/instance.conf.j2).
_GENERAL = "PEER_V4"
#: How often ``allowas-in`` without a number accepts the own AS number (FRRouting, bgpd/bgp_vty.c).
_ALLOWAS_IN = 3

#: ``bgp.maximum_paths.ipv4`` of constants.yml.
MAX_PATHS = 64

#: Values of ``docker_routing_config_mode`` with which the database alone says what FRR does
#: (dockers/docker-fpm-frr/docker_init.sh).
_OWN_FILES = ("unified", "separated")
#: Values of ``BGP_DEVICE_GLOBAL|STATE`` that change nothing.
_CARRIES_TRAFFIC = {
    "tsa_enabled": "false",
    "wcmp_enabled": "false",
    "idf_isolation_state": "unisolated",
}

_MANAGED = "frr_mgmt_framework_config"
#: Fields of DEVICE_METADATA that other tables hang on, and the value that counts.
_SWITCHES = {_MANAGED: "true", "default_bgp_status": "down"}

#: Item of a list of next hops that is a port alone (SONiC_static_route_hdl.md).
_NO_HOP = "0.0.0.0"  # noqa: S104
_INTERFACES = ("INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE")

#: What is read of a row, by table; tables are read in the order of the book, so that BGP comes
#: before its sessions.
_READER: TableReader[Action] = TableReader("sonic", "routing")


@readers.add("sonic")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a CONFIG_DB says.

    Raises
    ------
    UnreadableError
        When it is not a CONFIG_DB dump.
    """
    switch = Configured("sonic", FILE)
    tables = _tables(files[FILE])
    lines = key_positions(files[FILE], FILE, depth=2)
    for name in dict.fromkeys((*_READER.tables, *tables)):
        rows = [
            (tuple(key.split("|")), row, lines[name, key].line)
            for key, row in tables.get(name, {}).items()
        ]
        if name in _READER.tables:
            _apply(switch, name, rows)
            if _MANAGED in switch.global_lines:
                switch.leftovers += _unknown_fields(name, rows)
        elif not _READER.passes_over(name):
            switch.leftovers += [Leftover(line, f"{name}|{'|'.join(key)}") for key, _, line in rows]
    _drop_orphans(switch, tables)
    if switch.bgp:
        switch.bgp.resolve()
    if "BGP_GLOBALS" in tables:
        require_policies(switch)
    return switch


def _drop_orphans(switch: Configured, tables: Mapping[str, Mapping[str, Fields]]) -> None:
    """Take away ports that do not exist, and addresses without the row of their interface."""
    for name in [name for name in switch.ports if name.startswith("Ethernet")]:
        if name.partition(".")[0] not in tables.get("PORT", {}):
            del switch.ports[name]
    rows = {name for table in _INTERFACES for name in tables.get(table, {})}
    for name, port in switch.ports.items():
        if name not in rows and port.addresses:
            words = f"addresses of {name}: {absence('sonic', 'interface_row')}"
            switch.leftovers.append(Leftover(port.addresses[0].line, words))
            port.addresses = []


def require_policies(switch: Configured) -> None:
    """Let no route pass over a session that has no policy for its direction."""
    for peer in switch.bgp.peers.values() if switch.bgp else ():
        names = ["policy_in", "policy_out"]
        names += ["policy_in6", "policy_out6"] if peer.activated6 else []
        for name in names:
            if not getattr(peer, name):
                switch.policies[NO_POLICY] = []
                setattr(peer, name, NO_POLICY)


def _tables(text: str) -> dict[str, dict[str, Fields]]:
    try:
        tables: dict[str, dict[str, Fields]] = parse_json(text)
    except ValueError as error:
        raise UnreadableError(f"not JSON: {error}") from error
    if reason := foreign_form(tables):
        raise UnreadableError(reason)
    return tables


def _apply(switch: Configured, name: str, rows: list[Row]) -> None:
    """Apply the rows of a table; one that the action does not know becomes a leftover."""
    for key, row, line in rows:
        try:
            _READER.tables[name](switch, key, row, line)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            switch.leftovers.append(Leftover(line, f"{name}|{'|'.join(key)}"))


def _unknown_fields(name: str, rows: list[Row]) -> Iterator[Leftover]:
    """Yield the fields of the rows of a table that nobody knows."""
    for key, row, line in rows:
        fields = row.keys() if isinstance(row, dict) else set()  # others are left over whole
        for field in sorted(fields - _READER.fields.get(name, fields)):
            yield Leftover(line, f"{name}|{'|'.join(key)}.{field}")


def _text(row: Fields, field: str, default: str = "") -> str:
    """Return a field that is a text; JSON may hold anything.

    Raises
    ------
    TypeError
        When it is something else.
    """
    value = row.get(field, default)
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a text")
    return value


@_READER.means("metadata")
def _metadata(switch: Configured, _: tuple[str, ...], row: Fields, line: int) -> None:
    if "hostname" not in row:
        raise ValueError("a switch without a name")
    switch.name = _text(row, "hostname")
    switch.global_lines |= {key for key in _SWITCHES if row.get(key) == _SWITCHES[key]}
    if _MANAGED not in switch.global_lines and row.get("bgp_asn", "None") != "None":
        switch.bgp = Bgp(int(row["bgp_asn"]), line, max_paths=MAX_PATHS, relax=True)
        if row.get("type") == "ToRRouter":
            group = switch.bgp.group(_GENERAL, line)
            group.allowas_in = group.allowas_in6 = 1
        switch.bgp.router_id = _router_id(row.get("bgp_router_id", ""))
        if not row.get("type"):
            switch.no_sessions.append(absence("sonic", "device_type"))
    mode = row.get("docker_routing_config_mode", _OWN_FILES[0])
    if mode not in _OWN_FILES:
        words = f"docker_routing_config_mode {mode}: FRR has other files besides the database"
        switch.undecided.append(Leftover(line, words))


@_READER.means("feature")
def _feature(switch: Configured, key: tuple[str, ...], row: Fields, _: int) -> None:
    if key == ("bgp",) and row.get("state") in ("disabled", "always_disabled"):
        switch.no_sessions.append(f"FEATURE|bgp.state is {row['state']}: there is no BGP")


@_READER.means("device_global")
def _device_global(_: Configured, key: tuple[str, ...], row: Fields, __: int) -> None:
    if key != ("STATE",) or not row.items() <= _CARRIES_TRAFFIC.items():
        raise ValueError("the switch is kept away from traffic")


@_READER.means("port")
def _port(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    port = switch.port(name, line)
    up = row["admin_status"] == "up" if "admin_status" in row else holds("sonic", "port_up")
    port.enabled = up
    port.mtu_bytes = int(row["mtu"]) if "mtu" in row else number_of("sonic", "mtu")
    port.description = _text(row, "description")


@_READER.means("vlan")
def _vlan(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    switch.vlans[int(row["vlanid"])] = line
    port = switch.port(name, line)
    port.gateway_vlan = int(row["vlanid"])
    port.enabled = row.get("admin_status", "up") == "up"
    port.mtu_bytes = int(row["mtu"]) if "mtu" in row else number_of("sonic", "mtu")


@_READER.means("member")
def _member(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    vlan, name = key
    port, number = switch.port(name, line), int(vlan.removeprefix("Vlan"))
    port.routed = False
    if row.get("tagging_mode") == "tagged":
        port.tagged_vlans.append(number)
    else:
        port.vlan = number


@_READER.means("vrf")
def _vrf(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    (name,) = key
    switch.vrf(name, line).falls_through = row.get("fallback", "false") != "false"
    if row.get("vni", "0") != "0":
        raise ValueError("tunnels are not read")


@_READER.means("interface")
def _interface(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    name, *text = key
    port = switch.port(name, line)
    if port.routed is False:
        raise ValueError("a member of a VLAN")
    port.routed = True
    if name.startswith("Loopback") and "admin_status" in row:
        port.enabled = row["admin_status"] == "up"
    if text:
        port.addresses.append(address(text[0], None, line))
    elif row.get("ipv6_use_link_local_only") == "enable":
        port.ipv6_link = True
    if vrf := _text(row, "vrf_name"):
        if vrf not in switch.vrfs:
            raise ValueError("a VRF that is not there")
        port.vrf, port.vrf_line = vrf, line
    _announce(switch, name, line)


def _announce(switch: Configured, name: str, line: int) -> None:
    """Note what bgpcfgd announces; the tables of the managed BGP say it themselves."""
    if not switch.bgp or not switch.ports[name].addresses or switch.ports[name].vrf:
        return  # a network of another VRF is not in the table that FRR looks into
    latest = switch.ports[name].addresses[-1]
    if latest.is_ipv6 and latest.line == line:
        switch.bgp.originations.append(Origination(latest.network, "", line, is_ipv6=True))
    elif name == "Loopback0":
        switch.bgp.originations.append(Origination((latest.address, BITS), "", line))
        switch.bgp.router_id = switch.bgp.router_id or str(IPv4Address(latest.address))
    elif name.startswith("Vlan") and latest.line == line:
        switch.bgp.originations.append(Origination(latest.network, "", line))


@_READER.means("static")
def _static(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if len(key) > 1 and key[0] in switch.vrfs:
        switch.vrfs[key[0]].static_routes += _routes_of_vrf(key[-1], row, line)
        return
    _default(key if len(key) > 1 else ())
    prefix = network(key[-1])
    if set(_text(row, "nexthop-vrf").split(",")) - {"", DEFAULT_VRF}:
        switch.static_routes += _routes_of_vrf(key[-1], row, line)
        return
    hops = list(_next_hops(row))
    is_ipv6 = ":" in key[-1]
    switch.static_routes += [StaticRoute(*prefix, hop, line, is_ipv6) for hop in hops]


def _routes_of_vrf(prefix: str, row: Fields, line: int) -> Iterator[StaticRoute]:
    """Yield the routes of a row that is about VRFs: a field is a list, an item for each next hop.

    As the design of SONiC has them (sonic-net/SONiC doc/static-route/SONiC_static_route_hdl.md).
    """
    if ":" in prefix:
        raise ValueError("IPv6 of a VRF")
    names = ("nexthop", "ifname", "nexthop-vrf", "blackhole")
    lists = ([item.strip() for item in _text(row, name).split(",")] for name in names)
    for hop, port, vrf, drops in zip_longest(*lists, fillvalue=""):
        to = "blackhole" if drops == "true" else port or hop
        yield static_route(prefix, to, line, vrf or None)


def _next_hops(row: Fields) -> Iterator[int | str | Discard]:
    if "true" in row.get("blackhole", ""):
        yield Discard()
    hops, ports = (row.get(name, "").split(",") for name in ("nexthop", "ifname"))
    for hop, port in zip_longest(hops, ports, fillvalue=""):
        if hop in ("", _NO_HOP) and port:
            yield port
        elif hop:
            yield int(ip_address(hop))


@_READER.means("globals")
def _globals(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if key != ("default",):
        raise ValueError("a VRF is not read")
    if _MANAGED not in switch.global_lines:
        raise ValueError(absence("sonic", "managed"))
    switch.bgp = Bgp(int(row["local_asn"]), line, ipv4_first=True)
    switch.bgp.router_id = _router_id(row.get("router_id", ""))
    switch.bgp.relax = row.get("load_balance_mp_relax") == "true"
    switch.bgp.active_by_default = row.get("default_ipv4_unicast") == "true"
    _timers(switch.bgp, row)


@_READER.means("globals_family")
def _globals_family(switch: Configured, key: tuple[str, ...], row: Fields, _: int) -> None:
    paths = int(row.get("max_ebgp_paths", "1"))
    _default(key)
    if key == ("default", "ipv4_unicast"):
        _process(switch).max_paths = paths
    elif key == ("default", "ipv6_unicast"):
        _process(switch).max_paths6 = paths


@_READER.means("network")
def _network(switch: Configured, key: tuple[str, ...], _: Fields, line: int) -> None:
    _default(key)
    own = Origination(network(key[-1]), "", line, ":" in key[-1])
    _process(switch).originations.append(own)


@_READER.means("aggregate")
def _aggregate(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    _default(key)
    hides = row.get("summary_only") == "true"
    own = Aggregate(*network(key[-1]), line, hides, ":" in key[-1])
    _process(switch).aggregates.append(own)


@_READER.means("redistribute")
def _redistribute(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    if key[:3] != ("default", "connected", "bgp"):
        raise ValueError("only connected routes are read")
    policy = "".join(row.get("route_map", []))
    _process(switch).originations.append(Origination(None, policy, line, key[3] == "ipv6"))


@_READER.means("group")
def _group(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    _default(key)
    _session(_process(switch).group(key[-1], line), row)


#: How fields of routes end, by family.
_SUFFIXES = {"ipv4_unicast": "", "ipv6_unicast": "6"}


@_READER.means("group_family")
def _group_family(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    _default(key)
    group, suffix = _process(switch).group(key[-2], line), _SUFFIXES[key[-1]]
    if "admin_status" in row:
        setattr(group, f"activated{suffix}", row["admin_status"] in ("true", "up"))
    _policies(group, row, suffix)


@_READER.means("neighbour")
def _neighbour(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    _default(key if len(key) > 1 else ())
    bgp = _process(switch)
    if len(key) == 1 and not is_address(key[0]):
        words = f"BGP_NEIGHBOR|{key[0]}: bgpcfgd makes sessions over ports on master alone"
        switch.undecided.append(Leftover(line, words))
    peer: BgpPeer = bgp.peer(key[-1], line)
    peer.group = _text(row, "peer_group_name") or (_GENERAL if _GENERAL in bgp.groups else None)
    peer.description = _text(row, "name")
    _session(peer, row)
    if _MANAGED in switch.global_lines:
        return
    if peer.enabled is None:
        peer.enabled = "default_bgp_status" not in switch.global_lines
    if is_address(peer.session):
        peer.activated6 = ":" in peer.session
        peer.activated = not peer.activated6


@_READER.means("neighbour_family")
def _neighbour_family(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    _default(key)
    peer, suffix = _process(switch).peer(key[-2], line), _SUFFIXES[key[-1]]
    setattr(peer, f"activated{suffix}", row.get("admin_status", "true") in ("true", "up"))
    _policies(peer, row, suffix)


@_READER.means("policy_name")
def _policy_name(switch: Configured, key: tuple[str, ...], _: Fields, __: int) -> None:
    switch.policies.setdefault(key[0], [])


@_READER.means("term")
def _term(switch: Configured, key: tuple[str, ...], row: Fields, line: int) -> None:
    name, number = key
    if any(field.startswith("match_") and field != "match_prefix_set" for field in row):
        raise ValueError("a condition that is not read")
    term = enter_term(switch, name, row["route_operation"], int(number), line)
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
    speaker.local_address = _text(row, "local_addr") or None
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


def _default(key: tuple[str, ...]) -> None:
    """See that a row is of the default VRF, which keys begin with; empty ones are of it too.

    Raises
    ------
    ValueError
        When it is of another one.
    """
    if key and key[0] != "default":
        raise ValueError("BGP and routes of another VRF are not read")


def _router_id(text: str) -> str:
    """Return a router id; empty where the database leaves it open."""
    return ipv4(text) if text else ""


def _process(switch: Configured) -> Bgp:
    if switch.bgp is None:
        raise ValueError("there is no BGP process")
    return switch.bgp
