"""SONiC: what a CONFIG_DB says of PFC, ECN, maps, watchdog and MTU.

Ageing is not in CONFIG_DB: MAC addresses age by switch.json, neighbours by sysctl, and the hash
takes addresses and ports where no ``SWITCH_HASH`` row says otherwise; all of that stays unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.json_text import parse_json
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.lossless import (
    Lossless,
    LosslessReader,
    Marking,
    PortPolicy,
    Use,
    Value,
    Watchdog,
    lossless_readers,
)
from fabric.observe.configuration.numbering import number_classes
from fabric.observe.parsers import UnreadableError
from fabric.systems.sonic.config_db import DEFAULT_MTU, index_range, number, plain_name
from fabric.systems.sonic.config_db_forms import foreign_form, local_rows
from fabric.systems.sonic.reading import FILE
from fabric.validate.json_lines import key_positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    Rows = dict[str, dict[str, str]]
    Tables = dict[str, Rows]

_MBPS = 1_000
_REFERENCE = re.compile(r"\[[A-Z_]+\|[^\[\]]+\]")
_HASH = {
    "SRC_IP": "src-ip",
    "DST_IP": "dst-ip",
    "L4_SRC_PORT": "src-port",
    "L4_DST_PORT": "dst-port",
}


def _plain(value: str) -> str:
    """Return a value, or the name in a reference of older releases such as ``[SCHEDULER|one]``."""
    return plain_name(value) if _REFERENCE.fullmatch(value) else value


class _Dump:
    """Tables of a CONFIG_DB with the lines of their rows."""

    def __init__(self, text: str) -> None:
        try:
            self.tables: Tables = parse_json(text)
        except ValueError as error:
            raise UnreadableError(f"not JSON: {error}") from error
        if reason := foreign_form(self.tables):
            raise UnreadableError(reason)
        if "PORT" not in self.tables:
            raise UnreadableError("there is no PORT table")
        self._lines = key_positions(text, FILE, depth=2)
        self._rows: dict[str, Rows] = {}

    def rows(self, table: str) -> Rows:
        """Return the rows of a table with their texts; what is no row is left to SON rules."""
        if table not in self._rows:
            content: object = self.tables.get(table)
            rows = content.items() if isinstance(content, dict) else ()
            self._rows[table] = {
                key: {name: _plain(value) for name, value in row.items() if isinstance(value, str)}
                for key, row in rows
                if isinstance(row, dict)
            }
        return self._rows[table]

    def line(self, table: str, row: str) -> int:
        place = self._lines.get((table, row))
        return place.line if place else 0

    def ports(self) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield table, name and row of ports and of port channels."""
        for table in ("PORT", "PORTCHANNEL"):
            for name, row in self.rows(table).items():
                yield table, name, row

    def hash_fields(self) -> set[str] | None:
        """Return what chooses between equal paths, where a row tells."""
        rows: object = self.tables.get("SWITCH_HASH")
        row = rows.get("GLOBAL") if isinstance(rows, dict) else None
        fields = row.get("ecmp_hash") if isinstance(row, dict) else None
        known = {_HASH[one] for one in _HASH if one in fields} if isinstance(fields, list) else None
        return known or None

    def by_port(self, table: str) -> Iterator[tuple[str, str, dict[str, str], int]]:
        """Yield port, rest of the key, row and line of rows such as ``Ethernet0,Ethernet4|3-4``."""
        rows = {key: (row, self.line(table, key)) for key, row in self.rows(table).items()}
        metadata = self.rows("DEVICE_METADATA").get("localhost", {})
        for key, (row, line) in local_rows(table, rows, metadata).items():
            ports, _, rest = key.partition("|")
            for port in ports.split(","):
                yield port, rest, row, line


def read(text: str) -> Lossless:
    """Return what a CONFIG_DB says of the lossless class."""
    dump = _Dump(text)
    metadata = dump.rows("DEVICE_METADATA").get("localhost", {})
    switch = Lossless("sonic", name=metadata.get("hostname", ""))
    addressed = (*dump.rows("INTERFACE"), *dump.rows("PORTCHANNEL_INTERFACE"))
    routed = {key.partition("|")[0] for key in addressed}
    members = {key.partition("|")[2] for key in dump.rows("VLAN_MEMBER")}
    tagged = {
        key.partition("|")[2]
        for key, row in dump.rows("VLAN_MEMBER").items()
        if row.get("tagging_mode") == "tagged"
    }
    for table, name, row in dump.ports():
        port = switch.port(name, dump.line(table, name))
        port.enabled = row.get("admin_status") == "up"
        port.routed = True if name in routed else False if name in members else None
        port.description = row.get("description", "")
        mtu, speed = number(row.get("mtu")), number(row.get("speed"))
        port.mtu_bytes = None if mtu is None else Value(mtu, port.line)
        port.speed_gbps = None if speed is None else speed / _MBPS
        port.trusts_dscp, port.tagged = False, name in tagged
    for key in dump.rows("VLAN_MEMBER"):
        vlan, _, name = key.partition("|")
        if name in switch.ports and (identifier := number(vlan.removeprefix("Vlan"))) is not None:
            switch.ports[name].vlans.add(identifier)
    _gateways(dump, switch)
    _bundles(dump, switch)
    _maps(dump, switch)
    _queues(dump, switch)
    _headroom(dump, switch)
    _watchdogs(dump, switch)
    switch.hash_fields = dump.hash_fields()
    return switch


def _gateways(dump: _Dump, switch: Lossless) -> None:
    """Read the MTU of VLANs that route, where a row has one (sonic-vlan.yang)."""
    routed = {key.partition("|")[0] for key in dump.rows("VLAN_INTERFACE")}
    for name, row in dump.rows("VLAN").items():
        vlan, mtu = number(name.removeprefix("Vlan")), number(row.get("mtu"))
        if name in routed and vlan is not None and mtu is not None:
            line = dump.line("VLAN", name)
            enabled = row.get("admin_status", "up") == "up"
            gateway = PortPolicy(line=line, name=name, enabled=enabled)
            gateway.mtu_bytes = Value(mtu, line)
            switch.gateways[vlan] = gateway


def _bundles(dump: _Dump, switch: Lossless) -> None:
    """Join members with port channels, whose MTU they have (sonic-swss cfgmgr/teammgr.cpp)."""
    pairs = (key.partition("|") for key in dump.rows("PORTCHANNEL_MEMBER"))
    for port, bundle in join(switch.ports, {name: bundle for bundle, _, name in pairs}):
        port.mtu_bytes = bundle.mtu_bytes or Value(DEFAULT_MTU, 0)
    for name in dump.rows("PORTCHANNEL"):
        switch.ports.pop(name, None)


def _maps(dump: _Dump, switch: Lossless) -> None:
    """Read which classes are lossless, and which DSCPs and queues belong to them."""
    everywhere = dump.rows("PORT_QOS_MAP").get("global", {})
    for name, _, row, line in dump.by_port("PORT_QOS_MAP"):
        port = switch.ports.get(name)
        if port is None:
            continue
        if "pfc_enable" in row:
            port.pfc = dict.fromkeys(_numbers(row["pfc_enable"]), line)
        dscp = row.get("dscp_to_tc_map", everywhere.get("dscp_to_tc_map"))
        if dscp:
            port.trusts_dscp = True
            port.dscp_to_class = _map(dump, "DSCP_TO_TC_MAP", dscp)
        port.trusts_pcp = "dot1p_to_tc_map" in row
        if "tc_to_queue_map" in row:
            port.class_to_queue = _map(dump, "TC_TO_QUEUE_MAP", row["tc_to_queue_map"])
        paused = row.get("pfc_to_queue_map", "")
        port.pause_to_queue = _map(dump, "MAP_PFC_PRIORITY_TO_QUEUE", paused)
        number_classes(port)
        for field, table in (
            ("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
            ("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
        ):
            if field in row:
                switch.used.append(Use(table, row[field], line))
    switch.used += [
        Use("DSCP_TO_TC_MAP", name, 0) for name in [everywhere.get("dscp_to_tc_map")] if name
    ]
    for table in ("DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE", "SCHEDULER"):
        switch.defined += [Use(table, name, dump.line(table, name)) for name in dump.rows(table)]


def _numbers(text: str) -> list[int]:
    """Return the numbers of ``3,4`` or ``3-4``."""
    return [one for piece in text.split(",") if piece for one in index_range(piece)]


def _map(dump: _Dump, table: str, name: str) -> dict[int, int]:
    pairs = [(number(key), number(value)) for key, value in dump.rows(table).get(name, {}).items()]
    return {key: value for key, value in pairs if key is not None and value is not None}


def _queues(dump: _Dump, switch: Lossless) -> None:
    """Read marking and service of each egress queue."""
    for name, rest, row, line in dump.by_port("QUEUE"):
        port = switch.ports.get(name)
        for queue in _numbers(rest) if port else ():
            assert port
            if "wred_profile" in row:
                switch.used.append(Use("WRED_PROFILE", row["wred_profile"], line))
                port.markings[queue] = _marking(dump, row["wred_profile"], line)
            if "scheduler" in row:
                switch.used.append(Use("SCHEDULER", row["scheduler"], line))
                _service(dump, port, queue, row["scheduler"], line)


def _headroom(dump: _Dump, switch: Lossless) -> None:
    """Read the headroom of priority groups whose profile has one in the file."""
    for name, rest, row, line in dump.by_port("BUFFER_PG"):
        profile = dump.rows("BUFFER_PROFILE").get(row.get("profile", ""), {})
        xoff = number(profile.get("xoff"))
        if xoff and name in switch.ports:
            groups = dict.fromkeys(_numbers(rest), Value(xoff, line))
            switch.ports[name].headroom_bytes.update(groups)


def _marking(dump: _Dump, name: str, line: int) -> Marking:
    row = dump.rows("WRED_PROFILE").get(name, {})
    kmin, kmax = (number(row.get(f"green_{part}_threshold")) for part in ("min", "max"))
    chance = number(row.get("green_drop_probability"))
    marks = row.get("ecn", "ecn_none") in ("ecn_all", "ecn_green", "ecn_green_yellow")
    where = dump.line("WRED_PROFILE", name) or line
    return Marking(where, kmin, kmax, chance, marks)


def _service(dump: _Dump, port: PortPolicy, queue: int, name: str, line: int) -> None:
    row = dump.rows("SCHEDULER").get(name, {})
    where = dump.line("SCHEDULER", name) or line
    weight = number(row.get("weight"))
    if row.get("type") == "STRICT":
        port.strict[queue] = where
    elif weight is not None:
        port.percent[queue] = Value(weight, where)


def _watchdogs(dump: _Dump, switch: Lossless) -> None:
    for name, _, row, line in dump.by_port("PFC_WD"):
        detection_ms = number(row.get("detection_time"))
        if name in switch.ports and detection_ms is not None:
            switch.ports[name].watchdog = Watchdog(
                line,
                action=row.get("action", ""),
                detection_ms=detection_ms,
                restoration_ms=number(row.get("restoration_time")),
            )


#: What rules SON001 to SON037 judge by the tables themselves.
_JUDGED = frozenset((
    "AUD001",
    "AUD002",
    "AUD003",
    "AUD004",
    "AUD006",
    "AUD007",
    "AUD008",
    "AUD015",
))

lossless_readers.add("sonic")(
    LosslessReader(read, (r'"DEVICE_METADATA"\s*:', r'"PORT"\s*:', r'"hwsku"\s*:'), _JUDGED)
)
