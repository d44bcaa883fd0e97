"""Interfaces that change their VRF: no daemon takes another VRF in place.

intfmgrd skips a row that names another VRF than before, and waits with the removal of a row until
its addresses are gone (sonic-net/sonic-swss cfgmgr/intfmgr.cpp, isIntfChangeVrf and
getIntfIpCount). So the ports go down, then the rows of addresses go, then the row of the interface;
what comes is added by the other steps, and the ports come up last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.systems.sonic.adapters.foreign import ConfigDb
    from fabric.systems.sonic.adapters.way import Way

_TABLES = ("INTERFACE", "VLAN_INTERFACE")
_DOWN, _UP = {"admin_status": "down"}, {"admin_status": "up"}


@dataclass(frozen=True)
class Moves:
    """Interfaces that change their VRF, and the ports behind them.

    Parameters
    ----------
    interfaces : list of tuple of str
        Table and name of each.
    ports : list of str
        The ports, and the members of VLANs, that are in both configurations.
    """

    interfaces: list[tuple[str, str]]
    ports: list[str]

    @classmethod
    def of(cls, running: ConfigDb, target: ConfigDb) -> Moves:
        """Return what changes its VRF."""
        interfaces = [
            (table, name)
            for table in _TABLES
            for name in sorted({*running.get(table, {}), *target.get(table, {})})
            if "|" not in name and _vrf(running, table, name) != _vrf(target, table, name)
        ]
        names = {name for _, name in interfaces}
        ports = {
            port
            for side in (running, target)
            for row in side.get("VLAN_MEMBER", {})
            for vlan, _, port in [row.partition("|")]
            if vlan in names
        }
        both = running.get("PORT", {}).keys() & target.get("PORT", {}).keys()
        return cls(interfaces, sorted((ports | names) & both, key=_number))

    def take_off(self, change: Way) -> None:
        """Add the steps that take them out of their VRF."""
        ports = change.state.get("PORT", {})
        up = [port for port in self.ports if ports[port].get("admin_status") == "up"]
        if up:
            change.load({"PORT": {port: dict(_DOWN) for port in up}})
        for is_address in (True, False):
            rows: ConfigDb = {}
            for table, name in self.interfaces:
                for row, fields in change.state.get(table, {}).items():
                    if row.partition("|")[0] == name and ("|" in row) is is_address:
                        rows.setdefault(table, {})[row] = fields
            if rows:
                change.drop(rows)

    def held_down(self, target: ConfigDb) -> ConfigDb:
        """Return what is intended, with the ports down."""
        ports = dict(target.get("PORT", {}))
        ports |= {port: {**ports[port], **_DOWN} for port in self.ports}
        return {**target, "PORT": ports} if self.ports else target

    def bring_up(self, change: Way, target: ConfigDb) -> None:
        """Add the step that brings up the ports that are to be up."""
        ports = target.get("PORT", {})
        up = [port for port in self.ports if ports[port].get("admin_status") == "up"]
        if up:
            change.load({"PORT": {port: dict(_UP) for port in up}})


def _vrf(config: ConfigDb, table: str, name: str) -> str:
    """Return the VRF of an interface; empty for the default one, or without an interface."""
    return str(config.get(table, {}).get(name, {}).get("vrf_name", ""))


def _number(port: str) -> tuple[int, str]:
    digits = "".join(filter(str.isdecimal, port))
    return int(digits or 0), port
