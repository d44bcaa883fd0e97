"""SONiC: our rows merged into CONFIG_DB, where other tools own the rest of it.

Rows of our ports, VLANs and sessions, and rows with the names that rocefab gives, are as rendered;
all other rows stay, and so do fields that rocefab does not write in the rows of `SHARED`. Addresses
of our ports, SVIs and of Loopback0 are ours but for IPv6 and those that are ``secondary``.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fabric.change.scope import other_as
from fabric.systems.sonic.adapters.foreign import ConfigDb, add_references, foreign_ports
from fabric.systems.sonic.config_db import ADDRESSED
from fabric.systems.sonic.daemons import MAPS
from fabric.systems.sonic.ownership import OWNED_TABLES, SHARED
from fabric.systems.sonic.platforms import FRAMEWORK

if TYPE_CHECKING:
    from collections.abc import Iterator

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Rows with the names that rocefab and the images give (`fabric.systems.sonic.view`).
_ALONE = re.compile(
    rf"(?:{'|'.join(MAPS)})\|AZURE(?:_\d+)?"
    r"|WRED_PROFILE\|AZURE_LOSS(?:LESS|Y)(?:_\d+)?"
    r"|SCHEDULER\|scheduler\.(?:0|1|cnp)(?:_\d+)?"
    r"|BUFFER_POOL\|.*"
    r"|BUFFER_PROFILE\|pg_lossless_\d+_\d+m_(?:th-?\d+_)?profile"
    r"|PORT_QOS_MAP\|global|PFC_WD\|GLOBAL"
    r"|(?:DEFAULT_LOSSLESS_BUFFER_PARAMETER|LOSSLESS_TRAFFIC_PATTERN)\|AZURE"
    r"|BGP_PEER_GROUP(?:_AF)?\|default\|(?:FABRIC|NUMBERED)(?:\|.*)?"
    r"|ROUTE_MAP(?:_SET)?\|PERMIT(?:\|.*)?"
)
#: VRFs of tenants, and where interfaces name them: ours in a fabric with tenants alone.
_VRF = re.compile(r"VRF\|Vrf\d+")
_BINDING = "vrf_name"
#: Rows that a switch has once: they are ours and others', even where the inventory has none.
_SINGLE = frozenset({("BGP_GLOBALS", "default"), ("BGP_GLOBALS_AF", "default|ipv4_unicast")})
#: The loopback is ours beside ports and VLANs.
_LOOPBACK = "Loopback0"
_METADATA = ("DEVICE_METADATA", "localhost")


class ConfigDbMerge(NamedTuple):
    """CONFIG_DB as it is intended, merged.

    Parameters
    ----------
    config : dict
        What is rendered, with the rows and fields of others in the same tables.
    others : list of tuple of str
        Table, row and field of what stays on our ports and VLANs, and in BGP.
    conflicts : tuple of str
        What cannot be merged.
    """

    config: ConfigDb
    others: list[tuple[str, ...]]
    conflicts: tuple[str, ...]


def merged(running: ConfigDb, intended: ConfigDb, *, tenants: bool = False) -> ConfigDbMerge:
    """Return what is intended, with the rows and fields of others.

    Parameters
    ----------
    running, intended : dict
        What runs, and what is rendered.
    tenants : bool
        Whether the fabric has tenants.
    """
    scope = _Scope(running, intended, tenants=tenants)
    theirs = scope.rows()
    add_references(theirs, running, intended)
    fields = scope.fields()
    both: ConfigDb = {table: dict(rows) for table, rows in intended.items()}
    for table, rows in theirs.items():
        both[table] = {**rows, **both.get(table, {})}
    for (table, row), kept in fields.items():
        rows = both.setdefault(table, {})
        rows[row] = {**kept, **rows.get(row, {})}
    named = [(table, row) for table in theirs for row in theirs[table] if scope.names(table, row)]
    cells = [(*key, name) for key, kept in fields.items() if key[0] in SHARED for name in kept]
    return ConfigDbMerge(both, [*named, *cells], tuple(_conflicts(running, intended, theirs)))


class _Scope:
    """Tells what is ours in a running CONFIG_DB."""

    def __init__(self, running: ConfigDb, intended: ConfigDb, *, tenants: bool) -> None:
        self.running, self.intended = running, intended
        self.tenants = tenants
        self.foreign = foreign_ports(running, intended)
        self.ports = {*running.get("PORT", {}), *intended.get("PORT", {})} - self.foreign
        self.interfaces = self.ports | {*intended.get("VLAN", {}), _LOOPBACK}
        self.peers = {row.split("|")[-1] for row in intended.get("BGP_NEIGHBOR", {})}
        self.peers |= self.ports
        self.networks = {table: self._networks(table) for table in ADDRESSED}

    def _networks(self, table: str) -> set[Network]:
        """Return the networks of our addresses in a table."""
        prefixes = {
            row.partition("|")[2]
            for config in (self.running, self.intended)
            for row, fields in config.get(table, {}).items()
            if self._is_address(table, row, fields)
        }
        return {network for one in prefixes if (network := _network(one))}

    def rows(self) -> ConfigDb:
        """Return the rows of others in our tables, and how their cages are broken out."""
        theirs: ConfigDb = {}
        for table in (*OWNED_TABLES, "BREAKOUT_CFG"):
            rows = self.intended.get(table, {})
            for row, fields in self.running.get(table, {}).items():
                if (
                    row not in rows
                    and table != "CABLE_LENGTH"
                    and not self._is_ours(table, row, fields)
                ):
                    theirs.setdefault(table, {})[row] = fields
        return theirs

    def fields(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the fields of others in rows of ours, as far as there are any."""
        kept = {}
        for table, ours in SHARED.items():
            rows = self.intended.get(table, {})
            for row, now in self.running.get(table, {}).items():
                if row in rows or (table, row) in _SINGLE:
                    own = ours if self.tenants else ours - {_BINDING}
                    rendered = own | rows.get(row, {}).keys()
                    kept[table, row] = {name: now[name] for name in sorted(now.keys() - rendered)}
        for row, now in self.running.get("CABLE_LENGTH", {}).items():
            kept["CABLE_LENGTH", row] = {port: now[port] for port in now if port not in self.ports}
        return {key: fields for key, fields in kept.items() if fields}

    def names(self, table: str, row: str) -> bool:
        """Tell whether a row of others is in BGP, or on an interface of ours."""
        return table.startswith("BGP_") or not self.interfaces.isdisjoint(row.split("|"))

    def _is_ours(self, table: str, row: str, fields: dict[str, Any]) -> bool:
        parts = row.split("|")
        first, last = parts[0], parts[-1]
        if table in ADDRESSED:
            return self._is_address(table, row, fields)
        if table == "BREAKOUT_CFG":
            return row not in self.foreign
        if table == "VLAN_MEMBER":
            return last in self.ports and not self._is_trunk(first, last, fields)
        if table == "BGP_NEIGHBOR":
            return first in {last, "default"} and self._is_peer(last)
        if table == "BGP_GLOBALS_AF_NETWORK":
            return first == "default" and any(
                _network(last) in one for one in self.networks.values()
            )
        if (table, row) in _SINGLE:
            return True
        if self.tenants and _VRF.fullmatch(f"{table}|{row}"):
            return True
        return bool(_ALONE.fullmatch(f"{table}|{row}")) or not self.ports.isdisjoint(parts)

    def _is_address(self, table: str, row: str, fields: dict[str, Any]) -> bool:
        """Tell whether an address, or the row of an interface, is ours."""
        name, _, prefix = row.partition("|")
        if name not in self.interfaces or (name == _LOOPBACK and not prefix):
            return False
        if not prefix or name not in self.intended.get(table, {}):
            return True
        return ":" not in prefix and fields.get("secondary") != "true"

    def _is_trunk(self, vlan: str, port: str, fields: dict[str, Any]) -> bool:
        routed = port in self.intended.get("INTERFACE", {})
        other = vlan not in self.intended.get("VLAN", {})
        return other and not routed and fields.get("tagging_mode") == "tagged"

    def _is_peer(self, name: str) -> bool:
        """Tell whether a session of the default VRF is ours: it uses an address of ours."""
        address = _network(name)
        return name in self.peers or (
            address is not None
            and any(address.network_address in one for one in self.networks["INTERFACE"])
        )


def _network(prefix: str) -> Network | None:
    try:
        return ipaddress.ip_interface(prefix).network
    except ValueError:
        return None


def _conflicts(running: ConfigDb, intended: ConfigDb, theirs: ConfigDb) -> Iterator[str]:
    """Yield what sessions of others do not survive."""
    table, row = _METADATA
    now, wanted = (side.get(table, {}).get(row, {}) for side in (running, intended))
    sessions = [f"BGP_NEIGHBOR|{name}" for name in theirs.get("BGP_NEIGHBOR", {})]
    if not sessions:
        return
    if now.get("bgp_asn") not in {None, wanted.get("bgp_asn")}:
        yield other_as(f"{table}|{row}|bgp_asn {now['bgp_asn']}")
    if now.get(FRAMEWORK) != wanted.get(FRAMEWORK):
        yield (
            f"{sessions[0]} is configured with {FRAMEWORK} {now.get(FRAMEWORK, 'false')}, and the "
            "inventory changes that (bgp.bfd, bgp.peering, bgp.allowas_in); remove the session, or "
            "change the inventory"
        )
