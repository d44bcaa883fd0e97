"""A SONiC CONFIG_DB of any origin, read without trust: what cannot be read counts as absent.

Chain of a lossless priority (sonic-net/sonic-swss orchagent/qosorch.cpp, cfgmgr/buffermgr.cpp):
DSCP -> traffic class -> egress queue and ingress priority group; a received PFC priority pauses a
queue, a sent one speaks for a priority group.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.findings import Position
from fabric.systems.sonic.config_db_forms import PORT_LISTS, SYSTEM_PORTS, local_rows
from fabric.validate.json_lines import nearest
from fabric.validate.origins import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Tables of addresses of interfaces.
ADDRESSED = ("INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE")
ConfigDb = dict[str, dict[str, dict[str, Any]]]
Row = dict[str, Any]
#: Default of PORT.mtu and VLAN.mtu (sonic-net/sonic-buildimage sonic-port.yang, sonic-vlan.yang).
DEFAULT_MTU = 9100
_BITS = {4: 32, 6: 128}
#: Prefix lengths as text, by version.
_LENGTHS = {
    version: {str(length): length for length in range(bits + 1)} for version, bits in _BITS.items()
}
_FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
_PRIORITIES = range(8)
_MOST_INDICES = 64
_MOST_DIGITS = 20  # of a 64-bit number
_KEPT = 1024  # texts that are kept with what they mean: a few come back for every port


def number(value: object) -> int | None:
    """Return a decimal text as a number, or None."""
    text = str(value)
    is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None


def numbers(value: object) -> tuple[int, ...]:
    """Return a comma list of numbers; parts that are none are left out."""
    return _listed(str(value or ""))


@lru_cache(_KEPT)
def _listed(text: str) -> tuple[int, ...]:
    values = (number(part.strip()) for part in text.split(","))
    return tuple(part for part in values if part is not None)


def plain_name(value: object) -> str:
    """Return a name that is plain or in the old ``[TABLE|name]`` form."""
    return str(value).strip("[]").rpartition("|")[2]


@lru_cache(_KEPT)
def index_range(text: str) -> range:
    """Return the queues or groups of ``3`` or ``0-2``; an empty range when it is neither."""
    low, dash, high = text.partition("-")
    first, last = number(low), number(high if dash else low)
    return range(0) if first is None or last is None else range(first, last + 1)[:_MOST_INDICES]


def _numbered(row: Row) -> dict[int, int]:
    pairs = ((number(key), number(value)) for key, value in row.items())
    return {key: value for key, value in pairs if key is not None and value is not None}


@dataclass(frozen=True)
class LosslessPort:
    """What the tables say about one port on which PFC is on.

    Parameters
    ----------
    priorities : tuple of int
        ``pfc_enable``.
    groups : tuple of int
        Priority groups for which those priorities speak.
    traffic_classes : dict
        Lossless traffic class -> (queue, priority group).
    """

    name: str
    qos: Row
    priorities: tuple[int, ...]
    groups: tuple[int, ...]
    traffic_classes: dict[int, tuple[int, int]]

    @property
    def queues(self) -> tuple[int, ...]:
        """Queues that carry lossless traffic."""
        return tuple(sorted({queue for queue, _ in self.traffic_classes.values()}))


class Subnet(NamedTuple):
    """An address, as a number, with the length of its prefix."""

    version: int
    address: int
    prefix_length: int

    @property
    def network(self) -> tuple[int, int, int]:
        """Version, number of the network, and length of its prefix."""
        host_bits = _BITS[self.version] - self.prefix_length
        return self.version, self.address >> host_bits << host_bits, self.prefix_length

    def is_in(self, other: Subnet) -> bool:
        """Tell whether its address is in another subnet."""
        host_bits = _BITS[other.version] - other.prefix_length
        return self.version == other.version and not (self.address ^ other.address) >> host_bits

    @classmethod
    @lru_cache(4096)  # an address stands in up to four rows of a switch
    def of(cls, text: str) -> Subnet | None:
        """Return the subnet of ``10.0.0.1/31``, or of an address alone; None of anything else."""
        head, slash, length = text.partition("/")
        version = 6 if ":" in head else 4
        bits = _LENGTHS[version].get(length) if slash else _BITS[version]
        try:
            if bits is not None:  # ipaddress takes ten times as long
                number = int.from_bytes(socket.inet_pton(_FAMILIES[version], head))
                return cls(version, number, bits)
        except OSError:
            pass
        try:
            interface = ipaddress.ip_interface(text)
        except ValueError:
            return None
        return cls(interface.version, int(interface.ip), interface.network.prefixlen)


def configs_of(
    tables: Mapping[str, Mapping[str, Any]], *, is_rendered: bool = False
) -> tuple[SonicConfig, ...]:
    """Return the CONFIG_DBs of several switches, each without places."""
    return tuple(SonicConfig(name, one, is_rendered=is_rendered) for name, one in tables.items())


class SonicConfig:
    """One CONFIG_DB.

    Parameters
    ----------
    device : str
        Switch name, or the file that it was read from.
    tables : mapping
        Table -> row key -> field -> value.
    is_rendered : bool
        Whether it comes of an inventory, whose own rules judge what it leaves out on purpose.
    positions : mapping, optional
        Where tables, rows and fields stand in the file.
    """

    def __init__(
        self,
        device: str,
        tables: Mapping[str, Any],
        positions: Mapping[tuple[str, ...], Position] | None = None,
        *,
        is_rendered: bool = False,
    ) -> None:
        self.device = device
        self.is_rendered = is_rendered
        self.tables = tables
        self._positions = positions
        self._rows: dict[str, dict[str, Row]] = {}

    def place(self, *path: str) -> Place | None:
        """Return where a table, row or field stands, or the nearest that there is of it."""
        if self._positions is None:
            return None
        return Place("|".join(path), nearest(self._positions, path) or Position(self.device))

    def rows(self, table: str) -> dict[str, Row]:
        """Return the rows of a table that are rows; empty when there is no such table."""
        if table not in self._rows:
            content = self.tables.get(table)
            items = content.items() if isinstance(content, dict) else ()
            rows = {str(key): row for key, row in items if isinstance(row, dict)}
            if table in SYSTEM_PORTS:
                rows = local_rows(table, rows, self.metadata)
            elif table in PORT_LISTS:
                rows = {port: row for key, row in rows.items() for port in key.split(",")}
            self._rows[table] = rows
        return self._rows[table]

    @cached_property
    def metadata(self) -> Row:
        """DEVICE_METADATA of this switch."""
        return self.rows("DEVICE_METADATA").get("localhost", {})

    @property
    def dynamic_buffers(self) -> bool:
        """Whether the switch computes its lossless buffers by itself."""
        return bool(self.metadata.get("buffer_model") == "dynamic")

    def is_computed(self, profile: Row | None) -> bool:
        """Tell whether the switch computes the headroom of a profile.

        ``profile`` None is no profile, as for a group with ``NULL``.
        """
        is_own = profile is not None and profile.get("headroom_type") != "dynamic"
        return self.dynamic_buffers and not is_own

    @cached_property
    def profiles(self) -> dict[str, Row]:
        """BUFFER_PROFILE."""
        return self.rows("BUFFER_PROFILE")

    @cached_property
    def cables(self) -> dict[str, str]:
        """Cable length text by port."""
        return {
            port: str(text)
            for row in self.rows("CABLE_LENGTH").values()
            for port, text in row.items()
        }

    def profile(self, name: object) -> Row | None:
        """Return a BUFFER_PROFILE by name, plain or in the old ``[TABLE|name]`` form."""
        return self.profiles.get(plain_name(name))

    @cached_property
    def groups(self) -> dict[tuple[str, int], Row]:
        """BUFFER_PG row by port and priority group."""
        return self._by_index("BUFFER_PG")

    @cached_property
    def queues(self) -> dict[tuple[str, int], Row]:
        """QUEUE row by port and queue."""
        return self._by_index("QUEUE")

    @cached_property
    def lossless_queues(self) -> tuple[tuple[LosslessPort, int, Row], ...]:
        """Port, number and QUEUE row of each lossless queue; the row is empty where none is."""
        return tuple(
            (port, queue, self.queues.get((port.name, queue), {}))
            for port in self.lossless_ports
            for queue in port.queues
        )

    @cached_property
    def queue_buffers(self) -> dict[tuple[str, int], Row]:
        """BUFFER_QUEUE row by port and queue."""
        return self._by_index("BUFFER_QUEUE")

    def ranges(self, table: str) -> Iterator[tuple[str, str, range]]:
        """Yield port, text and numbers of each row keyed ``ports|index``."""
        for key in self.rows(table):
            ports, _, text = key.rpartition("|")
            for port in ports.split(","):
                yield port, text, index_range(text)

    def mapping(self, table: str, name: object) -> dict[int, int] | None:
        """Return a map such as TC_TO_QUEUE_MAP by name, or None when it is not there."""
        plain = plain_name(name) if name else ""
        if (table, plain) not in self._mappings:
            row = self.rows(table).get(plain) if plain else None
            self._mappings[table, plain] = None if row is None else _numbered(row)
        return self._mappings[table, plain]

    @cached_property
    def _mappings(self) -> dict[tuple[str, str], dict[int, int] | None]:
        """What ``mapping`` found: every port asks for the same few."""
        return {}

    def mtu(self, table: str, key: str) -> int:
        """Return the MTU of a row, or its default."""
        return number(self.rows(table).get(key, {}).get("mtu", DEFAULT_MTU)) or DEFAULT_MTU

    def speed_mbps(self, port: str) -> int | None:
        """Return the speed of a port in Mb/s, or None."""
        return number(self.rows("PORT").get(port, {}).get("speed"))

    def cable_m(self, port: str) -> int | None:
        """Return the length of the cable in a port in metres, or None."""
        text = self.cables.get(port, "")
        return number(text.removesuffix("m")) if text.endswith("m") else None

    @cached_property
    def watchdogs(self) -> dict[str, Row]:
        """PFC_WD by port."""
        return {key: row for key, row in self.rows("PFC_WD").items() if key != "GLOBAL"}

    @cached_property
    def poll_ms(self) -> int | None:
        """Poll interval of the watchdog."""
        return number(self.rows("PFC_WD").get("GLOBAL", {}).get("POLL_INTERVAL"))

    @cached_property
    def lossless_ports(self) -> tuple[LosslessPort, ...]:
        """Ports with PFC on."""
        return tuple(
            self._lossless_port(name, row)
            for name, row in self.rows("PORT_QOS_MAP").items()
            if name != "global" and numbers(row.get("pfc_enable"))
        )

    @cached_property
    def used_ports(self) -> set[str]:
        """Ports that have an address or a VLAN, or whose port channel has one."""
        used = {key.partition("|")[2] for key in self.rows("VLAN_MEMBER")}
        for table in ("INTERFACE", "PORTCHANNEL_INTERFACE"):
            used |= {key.partition("|")[0] for key in self.rows(table)}
        return used | self.members(used)

    def members(self, bundles: set[str]) -> set[str]:
        """Return the ports that some port channels have as members."""
        pairs = (key.partition("|") for key in self.rows("PORTCHANNEL_MEMBER"))
        return {port for bundle, _, port in pairs if bundle in bundles}

    @cached_property
    def subnets(self) -> tuple[Subnet, ...]:
        """Every address of the switch with its subnet."""
        tables = ("INTERFACE", "VLAN_INTERFACE", "PORTCHANNEL_INTERFACE", "LOOPBACK_INTERFACE")
        texts = (
            key.rpartition("|")[2]
            for table in (*tables, "VLAN_SUB_INTERFACE")
            for key in self.rows(table)
            if "|" in key
        )
        return tuple(subnet for text in texts if (subnet := Subnet.of(text)))

    def _by_index(self, table: str) -> dict[tuple[str, int], Row]:
        rows = self.rows(table)
        return {
            (port, index): row
            for key, row in rows.items()
            for port in key.rpartition("|")[0].split(",")
            for index in index_range(key.rpartition("|")[2])
        }

    def _lossless_port(self, name: str, row: Row) -> LosslessPort:
        priorities = numbers(row.get("pfc_enable"))
        pause = self._named("MAP_PFC_PRIORITY_TO_QUEUE", row.get("pfc_to_queue_map"))
        sent = self._named("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", row.get("pfc_to_pg_map"))
        queue_of = self._named("TC_TO_QUEUE_MAP", row.get("tc_to_queue_map"))
        group_of = self._named("TC_TO_PRIORITY_GROUP_MAP", row.get("tc_to_pg_map"))
        paused = {pause.get(priority, priority) for priority in priorities}
        return LosslessPort(
            name=name,
            qos=row,
            priorities=priorities,
            groups=tuple(sorted({sent.get(priority, priority) for priority in priorities})),
            traffic_classes={
                traffic_class: (
                    queue_of.get(traffic_class, traffic_class),
                    group_of.get(traffic_class, traffic_class),
                )
                for traffic_class in _PRIORITIES
                if queue_of.get(traffic_class, traffic_class) in paused
            },
        )

    @cached_property
    def _maps(self) -> dict[tuple[str, str], dict[int, int]]:
        return {}

    def _named(self, table: str, name: object) -> dict[int, int]:
        key = table, str(name)
        if key not in self._maps:
            self._maps[key] = self.mapping(table, name) or {}
        return self._maps[key]
