"""replace: another unit takes the place of a switch, a host or a NIC."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Severity
from fabric.devices.connections import plain_content
from fabric.devices.driver import drivers
from fabric.devices.traffic import FrrShutdown
from fabric.intent.inventory import load
from fabric.intent.yaml import edit
from fabric.topology.naming import hint
from fabric.topology.realise import realise
from fabric.validate.origins import identities
from fabric.workflow.inventory_edit import Edited, InventoryEdit
from fabric.workflow.replace_cable import refused
from fabric.workflow.serials import append_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.intent.inventory import Intent, Located


class Unit(NamedTuple):
    """The unit that comes.

    Parameters
    ----------
    serial, mac, management_mac : str
        Its serial, its chassis MAC, and the MAC of its management port; of a NIC, its MAC. Empty
        where they are not known.
    rail : int or None
        Rail of the NIC that is replaced; None for the whole device.
    """

    serial: str = ""
    mac: str = ""
    management_mac: str = ""
    rail: int | None = None


class Replaced(NamedTuple):
    """What a replacement changed, and what is left to do.

    Parameters
    ----------
    edited : Edited or None
        Change of the inventory; None where it has the unit already.
    steps : tuple of str
        What comes next.
    old_key : bool
        Whether the key of the old unit was taken out of the connections file, or would be.
    """

    edited: Edited | None
    steps: tuple[str, ...]
    old_key: bool = False


@dataclass
class Replacement:
    """A replacement in one inventory; doing it again goes on where it was stopped.

    Parameters
    ----------
    folder : Path
        Folder with ``fabric.yaml``.
    name : str
        Switch or host.
    unit : Unit
        The unit that comes.
    connections : Path or None
        File with keys of devices.
    """

    folder: Path
    name: str
    unit: Unit
    connections: Path | None = None
    dry_run: bool = False

    def __post_init__(self) -> None:
        path = self.connections
        self._contacts = plain_content(path) if path else {}
        self._intent = load(self.folder)
        self._fabric = realise(self._intent)
        self._is_switch = self.name in self._fabric.switch_row
        if not self._is_switch and self.name not in self._fabric.host_row:
            known = (*self._fabric.switch_row, *self._fabric.host_row)
            fix = hint("switch or host", self.name, known)
            raise refused(f"there is no device {self.name!r} in the inventory", fix)
        if self._is_switch and self.unit.rail is not None:
            raise refused(f"{self.name} is a switch, and has no rail", "leave --rail out")

    def run(self) -> Replaced:
        """Write the inventory, then the connections file.

        Raises
        ------
        InputError
            When another device has the serial or MAC; nothing is written then.
        """
        new = {field: text for field, text in self._fields().items() if text}
        if not new:
            raise refused("nothing is new", "add --serial, or --mac")
        self._refuse_doubles(new)
        self._refuse_old(new)
        now = {field: self._now(field) for field in new}
        changes = {field: text for field, text in new.items() if now[field] != text}
        edited = self._edit(changes) if changes else None
        old_key = self._forget_key() if self.unit.rail is None else False
        return Replaced(edited, self._steps(), old_key)

    def _fields(self) -> dict[str, str]:
        """Return what the inventory is to say of the unit; the chassis MAC of switches alone."""
        unit = self.unit
        if unit.rail is not None:
            return {"mac": unit.mac}
        own = "mac" if self._is_switch and self._now("mac") else "management_mac"
        fields = {"serial": unit.serial, own: unit.mac}
        return fields | ({"management_mac": unit.management_mac} if unit.management_mac else {})

    def _now(self, field: str) -> str:
        place = self._place(field)
        return place[2] if place else ""

    def _overrides(self) -> list[Located[Any]]:
        """Return what the inventory says of the device, the last word first."""
        intent = self._intent
        overrides = intent.device_overrides if self._is_switch else intent.host_overrides
        return list(reversed(overrides.get(self.name, [])))

    def _place(self, field: str) -> tuple[Located[Any], tuple[str | int, ...], str] | None:
        """Return where a field of the unit stands, and its value; None where it stands nowhere."""
        for override in self._overrides():
            if self.unit.rail is None:
                if text := getattr(override.value, field):
                    return override, (field,), text
                continue
            for index, nic in enumerate(override.value.nics):
                if (nic.rail, nic.nic_port) == (self.unit.rail, 0) and nic.mac:
                    return override, ("nics", index, field), nic.mac
        return None

    def _refuse_doubles(self, new: dict[str, str]) -> None:
        rail = f" rail {self.unit.rail}" if self.unit.rail is not None else ""
        for kind, value, owner, place in identities(self._intent):
            if value in new.values() and owner != f"{self.name}{rail}":
                message = f"{kind} {value} is the one of {owner}"
                fix = f"use the one on the new unit, or replace {owner} first"
                finding = Finding(
                    "ZTP006", Severity.ERROR, message, fix, place.field, place.position
                )
                raise InputError("no replacement", [finding])

    def _refuse_old(self, new: dict[str, str]) -> None:
        """Refuse a unit of which the inventory would keep a value of the old one."""
        options = {"serial": "--serial", "mac": "--mac", "management_mac": "--management-mac"}
        for field, option in options.items() if self.unit.rail is None else ():
            is_known = field != "mac" or self._is_switch
            if is_known and field not in new and self._now(field):
                message = f"{self.name} has a {field} in the inventory, which is of the old unit"
                raise refused(message, f"add {option} of the new one")

    def _names(self) -> tuple[str, ...]:
        return (*self._fabric.switch_row, *self._fabric.host_row)

    def _edit(self, new: dict[str, str]) -> Edited:
        files = InventoryEdit(self.folder, self.dry_run)
        kind = "devices" if self._is_switch else "hosts"
        rest = {}
        for field, text in new.items():
            place = self._place(field)
            if place and hostlist.expand(place[0].value.names) == [self.name]:
                file = files.file_of(place[0].document, kind)
                path = (*place[0].path, *place[1])
                files.write(file, edit.set_value(files.text(file), path, text))
            else:
                rest[field] = text
        if rest:
            append_entry(files, kind, self._entry(rest))
        return files.written(self._says, "")

    def _entry(self, fields: dict[str, str]) -> dict[str, object]:
        if self.unit.rail is None:
            return {"names": self.name, **fields}
        return {"names": self.name, "nics": [{"rail": self.unit.rail, **fields}]}

    def _says(self, intent: Intent) -> bool:
        """Tell whether an inventory has the new unit as its last word."""
        self._intent = intent
        new = {field: text for field, text in self._fields().items() if text}
        return all(self._now(field) == text for field, text in new.items())

    def _forget_key(self) -> bool:
        """Take the key of the old unit out of the connections file; the new one shows another."""
        if self.connections is None:
            return False
        content = self._contacts
        entry = content.get("devices", {}).get(self.name, {})
        old = [entry.pop("trust", None), entry.get("gnmi", {}).pop("trust", None)]
        if not any(old):
            return False
        if not self.dry_run:
            write_whole(self.connections, (json.dumps(content, indent=2) + "\n").encode(), 0o600)
        return True

    def _steps(self) -> tuple[str, ...]:
        name, folder = self.name, self.folder
        hosts = self._hosts()
        back = f": when it is clean, return {hosts} to service" if hosts else ""
        last = (
            f"`rocefab plan {folder} --only {name} --out plan.json`, then `apply`",
            f"`rocefab verify {folder} --only {name}`{back}",
        )
        if self.unit.rail is not None:
            return (f"keep jobs away from {hosts}", "put the NIC in and start the host", *last)
        return (
            *self._out(hosts),
            f"`rocefab export ztp {folder}`, where the device starts from the box",
            f"put the unit in, then `rocefab first-contact {folder} --only {name}`",
            *last,
        )

    def _hosts(self) -> str:
        """Return the hosts that lose a path which they have no other one for."""
        if not self._is_switch:
            return self.name
        nics, hosts = self._fabric.nics, self._fabric.hosts.names
        rows = nics.host[nics.leaf == self._fabric.switch_row[self.name]]
        return hostlist.fold(hosts[row] for row in dict.fromkeys(rows.tolist()))

    def _out(self, hosts: str) -> Iterator[str]:
        """Yield how traffic leaves the old unit."""
        if hosts:
            yield f"keep jobs away from {hosts}"
        if not self._is_switch:
            return
        yield f"`rocefab whatif {self.folder} --drain {self.name}` says what else loses a path"
        row = self._fabric.switch_row[self.name]
        driver = drivers[self._fabric.switches.skus[row].nos]
        if not hosts and getattr(driver, "has_graceful_shutdown", False):
            yield f"type on the old unit, if it still answers: {FrrShutdown.drain_command}"
