"""replace --port: another cable comes between two ports, of the same or another length or type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.cabling import CSV_FILE, cell_starts
from fabric.intent.inventory import load
from fabric.intent.yaml import edit
from fabric.platforms.cable_types import CableType
from fabric.topology.cable_types import typed_cables
from fabric.topology.realise import realise
from fabric.workflow.inventory_edit import Edited, InventoryEdit
from fabric.workflow.serials import append_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.intent.cabling import CableRow
    from fabric.intent.inventory import Intent, Located
    from fabric.topology.cable_types import TypedCable
    from fabric.topology.model import Fabric


class NewCable(NamedTuple):
    """What differs on the cable that comes.

    Parameters
    ----------
    cable_m : int or None
        Its length in metres; None if it is the one of the old cable.
    cable_type : str
        Its type; empty if it is the one of the old cable.
    """

    cable_m: int | None = None
    cable_type: str = ""

    def fields(self) -> dict[str, int | str]:
        """Return what the inventory is to say."""
        length = {} if self.cable_m is None else {"cable_m": self.cable_m}
        return {**length, **({"cable_type": self.cable_type} if self.cable_type else {})}


class _Place(NamedTuple):
    """Where a file says something of the cable, and whether it says it of other cables too."""

    kind: str
    override: Located[Any]
    path: tuple[str | int, ...]
    is_shared: bool


@dataclass
class CableReplacement:
    """A cable that is replaced; doing it again changes nothing more.

    Parameters
    ----------
    folder : Path
        Folder with ``fabric.yaml``.
    device, port : str
        One end of the cable: port of a switch, or interface of a host.
    new : NewCable
        The cable that comes.
    """

    folder: Path
    device: str
    port: str
    new: NewCable
    dry_run: bool = False

    def __post_init__(self) -> None:
        if (text := self.new.cable_type) and text not in get_args(CableType):
            types = ", ".join(get_args(CableType))
            raise refused(f"there is no cable type {text[:32]!a}", f"use one of {types}")
        self._intent = load(self.folder)
        self._fabric = realise(self._intent)
        self.cable = self._cable(self._fabric)

    def run(self) -> tuple[Edited | None, tuple[str, ...]]:
        """Write the inventory; return what changed, None where it says so already, and the steps.

        Raises
        ------
        InputError
            When there is no such cable or type, or the file cannot be edited; nothing is written
            then.
        """
        return self._edit(), self._steps()

    def _cable(self, fabric: Fabric) -> TypedCable:
        if self.device not in {**fabric.switch_row, **fabric.host_row}:
            message = f"there is no device {self.device!r} in the inventory"
            raise refused(message, "see `rocefab show topology`")
        end = (self.device, self.port)
        for cable in typed_cables(fabric):
            if end in ((cable.near.device, cable.near.port), (cable.far.device, cable.far.port)):
                return cable
        message = f"no cable is connected to {self.device} {self.port}"
        raise refused(message, "`rocefab show links` lists them")

    def _edit(self) -> Edited | None:
        """Change each place that is about this cable alone; where there is none, add an entry.

        All places get the value, also those that another one outweighs: a stop between two files
        is made good by the next run.
        """
        files = InventoryEdit(self.folder, self.dry_run)
        added: dict[str, dict[str, int | str]] = {}
        for field, value in self.new.fields().items():
            places = list(self._places(field))
            own = [place for place in places if not place.is_shared]
            is_there = [self._set(files, place, field, value) for place in own]
            if field == "cable_m" and (row := self._row()):
                is_there.append(self._set_cell(files, row, str(value)))
            is_alone = len(own) == len(places) and is_there
            if not is_alone and getattr(self.cable, field) != value:
                is_nic = any(place.kind == "hosts" for place in places)
                added.setdefault("hosts" if is_nic else "devices", {})[field] = value
        for kind, fields in added.items():
            append_entry(files, kind, self._entry(kind, fields))
        return files.written(self._says, "") if files.is_edited else None

    @staticmethod
    def _set(files: InventoryEdit, place: _Place, field: str, value: int | str) -> bool:
        """Give a field its value where a file has another one."""
        file = files.file_of(place.override.document, place.kind)
        path = (*place.override.path, *place.path, field)
        if edit.value_at(files.text(file), path) != value:
            files.write(file, edit.set_value(files.text(file), path, value))
        return True

    def _places(self, field: str) -> Iterator[_Place]:
        """Yield the overrides of both ends that say something of a field."""
        ends = (self.cable.near, self.cable.far)
        for override in self._intent.devices:
            names = hostlist.expand(override.value.names)
            for end in (end for end in ends if end.device in names):
                change = override.value.ports.get(end.port)
                if change is not None and getattr(change, field) is not None:
                    yield _Place("devices", override, ("ports", end.port), len(names) > 1)
        for of_host in self._intent.hosts if self.cable.kind == "nic" else ():
            names = hostlist.expand(of_host.value.names)
            for index, nic in enumerate(of_host.value.nics if ends[0].device in names else ()):
                mine = (nic.rail, nic.nic_port) == self._nic()
                if mine and getattr(nic, field) is not None:
                    yield _Place("hosts", of_host, ("nics", index), len(names) > 1)

    def _nic(self) -> tuple[int, int]:
        nics = self._fabric.nics
        return int(nics.rail[self.cable.row]), int(nics.nic_port[self.cable.row])

    def _row(self) -> CableRow | None:
        """Return the row of the list of cables that has a length for this one."""
        ends = {(end.device, end.port) for end in (self.cable.near, self.cable.far)}
        rows = self._intent.cabling.rows if self._intent.cabling else ()
        return next(
            (
                row
                for row in rows
                if {(row.device, row.port), (row.peer_device, row.peer_port)} == ends
                and row.cable_m is not None
            ),
            None,
        )

    def _set_cell(self, files: InventoryEdit, row: CableRow, metres: str) -> bool:
        """Change the length in the list of cables.

        Raises
        ------
        InputError
            When the list is in DOT, which is not edited.
        """
        cabling = self._intent.cabling
        if cabling is None or str(row.cable_m) == metres:
            return True
        if not cabling.columns:
            message = f"{cabling.file}:{row.line} has the length of this cable"
            raise refused(message, f"set cable_m={metres} there, then run this again")
        lines = files.text(CSV_FILE).splitlines(keepends=True)
        text, place = lines[row.line - 1], cabling.columns["cable_m"]
        starts = cell_starts(text)
        rest = text[starts[place + 1] - 2 :] if place + 1 < len(starts) else _line_end(text)
        lines[row.line - 1] = f"{text[: starts[place] - 1]}{metres}{rest}"
        files.write(CSV_FILE, "".join(lines))
        return True

    def _entry(self, kind: str, fields: dict[str, int | str]) -> dict[str, object]:
        if kind == "hosts":
            rail, nic_port = self._nic()
            nic = {"rail": rail, **({"nic_port": nic_port} if nic_port else {}), **fields}
            return {"names": self.cable.near.device, "nics": [nic]}
        end = self.cable.far if self.cable.kind == "nic" else self.cable.near
        return {"names": end.device, "ports": {end.port: fields}}

    def _says(self, intent: Intent) -> bool:
        """Tell whether an inventory has the new cable as its last word."""
        cable = self._cable(realise(intent))
        return all(getattr(cable, name) == value for name, value in self.new.fields().items())

    def _steps(self) -> tuple[str, ...]:
        """Return what is left to do: the plan only where the inventory says something new."""
        cable, folder = self.cable, self.folder
        only = f"{cable.near.device},{cable.far.device}"
        touched = f"`rocefab whatif {folder} --fail link:{cable.far.device}:{cable.far.port}`"
        jobs = "other cables carry its traffic; packets on the way are lost"
        if cable.kind == "nic":
            jobs = f"keep jobs away from {cable.near.device}"
        change = (
            f"`rocefab plan {folder} --only {only} --out plan.json`, then `apply`: "
            "before a longer cable is put in, after a shorter one"
        )
        ends = f"from {cable.near.words} to {cable.far.words}"
        checks = f"`rocefab cabling {folder} --only {only}`, then `rocefab verify {folder} "
        return (
            f"{touched} says what is lost meanwhile; {jobs}",
            *([change] if self.new.fields() else ()),
            f"put the cable in, {ends}, with the labels of the old one",
            f"{checks}--only {only}`: when both are clean, the cable is back in service",
        )


def _line_end(text: str) -> str:
    return text[len(text.rstrip("\r\n")) :]


def refused(message: str, fix: str) -> InputError:
    """Return the error of a replacement that cannot be."""
    return InputError("no replacement", [Finding("ZTP006", Severity.ERROR, message, fix)])
