"""Fields of the tables of the managed BGP that are read, or that change no session and no route.

Sources: sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models/sonic-bgp-common.yang and
sonic-bgp-global.yang, for what a field means. Every other field is a line that is not understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.observe.configuration import Leftover

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SESSION = frozenset({
    *("asn", "peer_type", "admin_status", "local_addr", "name", "peer_group_name"),
    *("keepalive", "holdtime", "conn_retry", "min_adv_interval", "capability_ext_nexthop"),
    *("bfd", "desired_minimum_tx_interval", "required_minimum_receive"),
    *("detection_multiplier", "shutdown_message"),
})
_FAMILY = frozenset({
    *("admin_status", "route_map_in", "route_map_out", "send_community"),
    *("allow_as_in", "allow_as_count", "allow_as_origin", "soft_reconfiguration_in"),
})
_KNOWN = {
    "BGP_GLOBALS": frozenset({
        *("local_asn", "router_id", "load_balance_mp_relax", "default_ipv4_unicast"),
        *("keepalive", "holdtime", "log_nbr_state_changes", "graceful_restart_enable"),
        *("gr_preserve_fw_state", "gr_restart_time", "gr_stale_routes_time"),
    }),
    "BGP_GLOBALS_AF": frozenset({"max_ebgp_paths", "max_ibgp_paths"}),
    "BGP_NEIGHBOR": _SESSION,
    "BGP_NEIGHBOR_AF": _FAMILY,
    "BGP_PEER_GROUP": _SESSION,
    "BGP_PEER_GROUP_AF": _FAMILY,
}


def unknown_fields(
    table: str, rows: Iterable[tuple[tuple[str, ...], dict[str, Any], int]]
) -> Iterator[Leftover]:
    """Yield the fields of some rows of a table that nobody knows."""
    for key, row, line in rows:
        for field in sorted(row.keys() - _KNOWN.get(table, row.keys())):
            yield Leftover(line, f"{table}|{'|'.join(key)}.{field}")
