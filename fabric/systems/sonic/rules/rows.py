"""Rules about rows and references of a CONFIG_DB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.sonic.config_db import index_range, plain_name
from fabric.systems.sonic.platforms import COMPUTED_PROFILE
from fabric.systems.sonic.rule import SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import SonicConfig


@rules.add("SON006")
class Overlapping(SonicPolicyRule):
    """Ranges of queues and priority groups do not overlap."""

    why = (
        "The daemons apply rows in any order, and the last one wins, differently after each "
        "restart."
    )
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp, orchagent/bufferorch.cpp"
    guards = ("lossless.queue", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the ranges of each port."""
        for table in ("QUEUE", "BUFFER_PG", "BUFFER_QUEUE"):
            seen: dict[tuple[str, int], str] = {}
            for port, text, indices in config.ranges(table):
                for index in indices[:100]:
                    other = seen.setdefault((port, index), text)
                    if other != text:
                        yield self.finding(
                            f"{table} rows {other} and {text} both contain {index}",
                            "make the ranges disjoint",
                            device=config.device,
                            port=port,
                        )
                        break


_LAST = {"QUEUE": 9, "BUFFER_QUEUE": 9, "BUFFER_PG": 7}


@rules.add("SON008")
class IndexRange(SonicPolicyRule):
    """Queue and priority group numbers exist."""

    why = "The daemon rejects the row, or applies it to nothing, and only logs it."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models sonic-queue.yang (queues 0 to 9), "
        "sonic-buffer-pg.yang"
    )
    guards = ("lossless.queue", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the numbers of each row with what a port has."""
        for table, last in _LAST.items():
            for port, text, indices in config.ranges(table):
                if not indices or indices[-1] > last or indices[0] < 0:
                    yield self.finding(
                        f"{table} row {text}: the range is 0 to {last}",
                        "correct the row key",
                        device=config.device,
                        port=port,
                    )


_PORTS = ("PORT", "PORTCHANNEL")
#: Table -> tables that one of the parts of its keys names (sonic-net/sonic-buildimage
#: src/sonic-yang-models, leafrefs of these models).
_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "BUFFER_PG": (("PORT",),),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": (("PORT",),),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": (("PORT",),),
    "BUFFER_QUEUE": (("PORT",),),
    "INTERFACE": (("PORT",),),
    "PFC_WD": (("PORT",),),
    "PORTCHANNEL_INTERFACE": (("PORTCHANNEL",),),
    "PORTCHANNEL_MEMBER": (("PORTCHANNEL",), ("PORT",)),
    "PORT_QOS_MAP": (("PORT",),),
    "QUEUE": (("PORT",),),
    "VLAN_INTERFACE": (("VLAN",),),
    "VLAN_MEMBER": (("VLAN",), _PORTS),
}
#: (table, field) -> table that the field names rows of.
_FIELDS = {
    ("BUFFER_PG", "profile"): "BUFFER_PROFILE",
    ("BUFFER_PORT_EGRESS_PROFILE_LIST", "profile_list"): "BUFFER_PROFILE",
    ("BUFFER_PORT_INGRESS_PROFILE_LIST", "profile_list"): "BUFFER_PROFILE",
    ("BUFFER_PROFILE", "pool"): "BUFFER_POOL",
    ("BUFFER_QUEUE", "profile"): "BUFFER_PROFILE",
    ("PORT_QOS_MAP", "pfc_to_pg_map"): "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    ("QUEUE", "scheduler"): "SCHEDULER",
    ("QUEUE", "wred_profile"): "WRED_PROFILE",
}
_NOT_NAMES = {"GLOBAL", "global"}


@rules.add("SON029")
class References(SonicPolicyRule):
    """References point to existing rows."""

    why = "The daemon rejects the row and only logs it, or a reload rejects the whole file."
    source = "sonic-net/sonic-buildimage src/sonic-yang-models (leafref)"
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Follow the names in row keys and in fields."""
        for table, parts in _KEYS.items():
            for key in config.rows(table):
                for targets, part in zip(parts, key.split("|"), strict=False):
                    for name in part.split(","):
                        known = any(name in config.rows(target) for target in targets)
                        if name not in _NOT_NAMES and not known:
                            yield self._missing(config, (table, key), targets[0], name)
        for (table, field), target in _FIELDS.items():
            for key, row in config.rows(table).items():
                for name in _names(row.get(field)):
                    if name not in config.rows(target) and not _lossless_group(config, table, key):
                        yield self._missing(config, (table, key, field), target, name)

    def _missing(
        self, config: SonicConfig, path: tuple[str, ...], target: str, name: str
    ) -> Finding:
        field = f" {path[2]}" if len(path) > 2 else ""  # noqa: PLR2004
        return self.at(
            config,
            path,
            f"{path[0]}{field} names {name}, which is not in {target}",
            f"add {target} {name}, or remove the reference",
            port=path[1].partition("|")[0] if path[1].startswith("Ethernet") else "",
        )


def _lossless_group(config: SonicConfig, table: str, key: str) -> bool:
    """Tell whether a row is the buffer of a lossless group, whose profile SON007 looks for."""
    if table != "BUFFER_PG":
        return False
    ports, _, text = key.rpartition("|")
    return any(
        port.name in ports.split(",") and set(port.groups) & set(index_range(text))
        for port in config.lossless_ports
    )


def _names(value: object) -> Iterator[str]:
    """Yield the names of a field: a list with commas, plain or as ``[TABLE|name]``."""
    for part in str(value).split(",") if value else ():
        name = plain_name(part.strip())
        if name != COMPUTED_PROFILE:
            yield name


@rules.add("SON046")
class ChassisMac(SonicPolicyRule):
    """The file has the MAC address of the switch."""

    why = "vlanmgrd and intfmgrd exit without it: there are no VLAN members and no addresses."
    source = "sonic-net/sonic-swss cfgmgr/vlanmgrd.cpp, cfgmgr/intfmgrd.cpp (mac of localhost)"
    judges_rendered = False
    guards = ("bgp.leaf_asn_first",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at DEVICE_METADATA."""
        if config.tables.get("DEVICE_METADATA") and not config.metadata.get("mac"):
            yield self.at(
                config,
                ("DEVICE_METADATA", "localhost"),
                "the row has no mac: the file is not complete",
                "set `mac` of the device in the inventory, or apply the change with `rocefab "
                "apply`, which keeps that of the switch",
            )
