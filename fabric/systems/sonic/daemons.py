"""What the daemons of SONiC make of CONFIG_DB while it changes: for the planner and the stand-in.

Sources: sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffermgr.cpp (doSpeedUpdateTask), orchagent/
pfcwdorch.cpp (createEntry), pfcwdsworch.cpp (registerInWdDb, unregisterFromWdDb), qosorch.cpp
(QosMapHandler), bufferorch.cpp (processQueue), cfgmgr/vlanmgrd.cpp and intfmgrd.cpp (mac), cfgmgr/
intfmgr.cpp (isIntfChangeVrf: another VRF is skipped; getIntfIpCount: a row waits for its addresses
to go). Seen
with these daemons on a virtual ASIC: a map row that was empty for a moment stays as it was.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fabric.core.spans import spans
from fabric.systems.sonic.config_db import ConfigDb, Row, SonicConfig, index_range, numbers
from fabric.systems.sonic.ownership import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MAPS = (
    "DSCP_TO_TC_MAP",
    "TC_TO_QUEUE_MAP",
    "TC_TO_PRIORITY_GROUP_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
)
#: Tables that are looked at, in the order in which their changes are taken.
_ORDER = (
    *MAPS,
    "PORT_QOS_MAP",
    "PORT",
    "INTERFACE",
    "VLAN_INTERFACE",
    "CABLE_LENGTH",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "PFC_WD",
)
#: Makers of ASICs on which the buffer manager takes the lossless groups of a port that is down.
RECLAIMING = ("mellanox", "barefoot")
#: Fields of ports at which the buffer manager looks.
_BUFFERED = {"PORT": {"speed", "admin_status"}, "PORT_QOS_MAP": {"pfc_enable"}}


def standard_profile(speed: str, cable: str) -> str:
    """Return the only name of a lossless profile that the buffer manager leaves on a group."""
    return f"pg_lossless_{speed}_{cable}_profile"


def lossless_spans(pfc_enable: object) -> list[str]:
    """Return the keys of lossless groups as the buffer manager writes them: ``3-4``."""
    return list(spans(sorted(set(numbers(pfc_enable)))))


class Daemons:
    """A switch in which CONFIG_DB changes.

    Parameters
    ----------
    config : dict
        CONFIG_DB; the buffer manager writes rows into it.
    asic : str
        ``asic_type`` of ``sonic_version.yml``, such as ``mellanox``.
    lookup : callable
        The row of ``pg_profile_lookup.ini`` for a speed and a cable length.

    Attributes
    ----------
    rows : dict
        Maps, ports and buffers as the hardware has them; buffers by single group and queue.
    watched : dict of str to dict of int to str
        Queues by port that the watchdog looks at, with its action.
    vrfs : dict of str to str
        The VRF of each interface; empty for the default one.
    log : list of str
        What the daemons log.
    """

    def __init__(
        self,
        config: ConfigDb,
        asic: str,
        lookup: Callable[[str, str], Row | None] = lambda _speed, _cable: None,
    ) -> None:
        self.config, self.asic, self.lookup = config, asic, lookup
        self.rows: ConfigDb = {}
        self.watched: dict[str, dict[int, str]] = {}
        self.vrfs: dict[str, str] = {}
        self._addresses: dict[str, set[str]] = defaultdict(set)
        self._leaving: set[str] = set()
        self.log: list[str] = []
        self._seen: ConfigDb = {}
        self._pending: dict[str, set[str]] = defaultdict(set)
        self._waiting: set[str] = set()
        self._masks: dict[str, tuple[int, ...]] = {}
        self.see()

    @property
    def is_dynamic(self) -> bool:
        """Whether the switch computes its lossless buffers."""
        row = self.config.get("DEVICE_METADATA", {}).get("localhost", {})
        return bool(row.get("buffer_model") == "dynamic")

    def see(self) -> None:
        """Take what has changed in CONFIG_DB since the last time."""
        changes = list(self._changes())
        while changes:
            for table, row, before in changes:
                self._take(table, row, before, self._seen[table].get(row))
            for port in sorted(self._waiting):
                self._watch(port, self._seen["PFC_WD"][port])
            changes = list(self._changes())

    def _changes(self) -> Iterator[tuple[str, str, Row | None]]:
        """Yield what changed, removals of a table first, with the row as it was."""
        for table in _ORDER:
            rows, seen = self.config.get(table, {}), self._seen.setdefault(table, {})
            for row in [row for row in seen if row not in rows]:
                yield table, row, seen.pop(row)
            for row, fields in rows.items():
                before = seen.get(row)
                if before != fields:
                    seen[row] = dict(fields)
                    yield table, row, before

    def _take(self, table: str, row: str, before: Row | None, after: Row | None) -> None:
        if table in MAPS:
            self._map(table, row, after)
        elif table in ("BUFFER_PG", "BUFFER_QUEUE"):
            self._buffers(table, row, after)
        elif table == "PFC_WD":
            self._watchdog(row, after)
        elif table in {"INTERFACE", "VLAN_INTERFACE"}:
            self._interface(row, after)
        elif table == "PORT_QOS_MAP":
            self._put(table, row, after)
            if after is not None:  # a row that goes leaves the mask as it is
                self._masks[row] = numbers(after.get("pfcwd_sw_enable"))
        fields = {name for name in after or {} if (after or {})[name] != (before or {}).get(name)}
        if table == "CABLE_LENGTH":
            for port in sorted(fields):
                self._manage(port)
        elif fields & _BUFFERED.get(table, set()):
            self._manage(row)

    def _put(self, table: str, row: str, fields: Row | None) -> None:
        if fields is None:
            self.rows.get(table, {}).pop(row, None)
            if not self.rows.get(table):
                self.rows.pop(table, None)
        else:
            self.rows.setdefault(table, {})[row] = dict(fields)

    # -- interfaces ------------------------------------------------------------------------------

    def _interface(self, row: str, fields: Row | None) -> None:
        """Take an interface or an address of it."""
        name, _, address = row.partition("|")
        if address:
            change = (
                self._addresses[name].add if fields is not None else self._addresses[name].discard
            )
            change(address)
        elif fields is None:
            self._leaving.add(name)
        else:
            vrf = str(fields.get("vrf_name", ""))
            if self.vrfs.setdefault(name, vrf) != vrf:
                self.log.append(f"{name} can not change to {vrf} directly, skipping")
        if name in self._leaving and not self._addresses[name]:
            self._leaving.discard(name)
            self.vrfs.pop(name, None)

    # -- maps ------------------------------------------------------------------------------------

    def _map(self, table: str, row: str, fields: Row | None) -> None:
        """Take a map, unless it was empty or was removed while ports refer to it."""
        if fields is None and not self._is_used(table, row):
            self._pending[table].discard(row)
            self._put(table, row, None)
        elif fields is None or not fields:
            self._pending[table].add(row)
            self.log.append(f"{table}|{row}: {'pending remove' if fields is None else 'stoi'}")
        elif row not in self._pending[table]:
            self._put(table, row, fields)

    def _is_used(self, table: str, row: str) -> bool:
        ports = self.rows.get("PORT_QOS_MAP", {}).values()
        names = [name for name, referred in REFERENCES.items() if referred == table]
        return any(fields.get(name) == row for fields in ports for name in names)

    # -- buffers ---------------------------------------------------------------------------------

    def _buffers(self, table: str, row: str, fields: Row | None) -> None:
        """Set or clear the profile of every index, whatever other rows say of it."""
        ports, _, text = row.rpartition("|")
        for port in ports.split(","):
            for index in index_range(text):
                self._put(table, f"{port}|{index}", fields)

    def _manage(self, port: str) -> None:
        """Do what the buffer manager does where speed, cable, state or PFC of a port change."""
        cable = next((row[port] for row in self._seen["CABLE_LENGTH"].values() if port in row), "")
        ports, qos = self._seen["PORT"], self._seen["PORT_QOS_MAP"].get(port, {})
        if self.is_dynamic or cable in ("", "0m") or port not in ports or "pfc_enable" not in qos:
            return
        speed, groups = str(ports[port].get("speed", "")), lossless_spans(qos["pfc_enable"])
        name = standard_profile(speed, cable)
        if ports[port].get("admin_status", "down") != "up" and self.asic in RECLAIMING:
            self._reclaim([f"{port}|{group}" for group in groups], name)
        elif groups and self._has_profile(name, speed, cable):
            for group in groups:
                rows = self.config.setdefault("BUFFER_PG", {})
                if rows.get(f"{port}|{group}", {}).get("profile") != name:
                    rows[f"{port}|{group}"] = {"profile": name}

    def _reclaim(self, groups: list[str], name: str) -> None:
        rows = self.config.get("BUFFER_PG", {})
        for group in groups:
            if rows.get(group, {}).get("profile") == name:
                del rows[group]
        if not rows:
            self.config.pop("BUFFER_PG", None)

    def _has_profile(self, name: str, speed: str, cable: str) -> bool:
        """Tell whether a profile exists, and make it from the table of the SKU where it can be."""
        if name in self.config.get("BUFFER_PROFILE", {}):
            return True
        row = self.lookup(speed, cable)
        if row is None or "ingress_lossless_pool" not in self.config.get("BUFFER_POOL", {}):
            what = f"for speed {speed} and cable length {cable}"
            self.log.append(f"No PG profile configured {what}")
            return False
        self.config.setdefault("BUFFER_PROFILE", {})[name] = dict(row)
        return True

    # -- watchdog --------------------------------------------------------------------------------

    def _watchdog(self, port: str, fields: Row | None) -> None:
        if port == "GLOBAL":
            return
        if fields is None:
            self._waiting.discard(port)
            self.watched.pop(port, None)
        else:
            self._watch(port, fields)

    def _watch(self, port: str, fields: Row) -> None:
        """Register the queues of a port; those that are registered keep their action."""
        mask = self._masks.get(port)
        if not mask:
            self._waiting.add(port)
            return
        self._waiting.discard(port)
        queues = self.watched.setdefault(port, {})
        for queue in mask:
            queues.setdefault(queue, str(fields.get("action", "drop")))

    # -- what traffic meets ----------------------------------------------------------------------

    def lossless(self) -> Mapping[tuple[str, int], frozenset[str]]:
        """Return what each lossless DSCP of each port has: headroom, a watchdog, or neither.

        By port and DSCP; a pair that is missing is lossy.
        """
        hardware = SonicConfig("", self.rows)
        found = {}
        for port in hardware.lossless_ports:
            dscp_to_tc = hardware.mapping("DSCP_TO_TC_MAP", port.qos.get("dscp_to_tc_map")) or {}
            for dscp, traffic_class in dscp_to_tc.items():
                queue, group = port.traffic_classes.get(traffic_class, (None, None))
                if queue is not None and group in port.groups:
                    found[port.name, dscp] = self._guards(port.name, queue, group)
        return found

    def _guards(self, port: str, queue: int, group: int | None) -> frozenset[str]:
        name = str(self.rows.get("BUFFER_PG", {}).get(f"{port}|{group}", {}).get("profile"))
        profile: Row | None = self.config.get("BUFFER_PROFILE", {}).get(name)
        has_room = (self.is_dynamic and name == "NULL") or (
            profile is not None and "lossy" not in str(profile.get("pool"))
        )
        guards = {"headroom"} if has_room else set()
        return frozenset(guards | ({"watchdog"} if queue in self.watched.get(port, {}) else set()))

    def up(self, port: str) -> bool:
        """Tell whether a port is enabled."""
        row: dict[str, Any] = self.config.get("PORT", {}).get(port, {})
        return bool(row.get("admin_status") == "up")

    @property
    def has_interfaces(self) -> bool:
        """Whether VLANs and addresses work: their managers exit without ``mac``."""
        return bool(self.config.get("DEVICE_METADATA", {}).get("localhost", {}).get("mac"))
