"""SONiC testbeds: a file of links, and a file of devices with the same name next to it.

Form: sonic-net/sonic-mgmt, ansible/files/sonic_lab_links.csv and sonic_lab_devices.csv, and
ansible/devutil/conn_graph_helper.py, which reads them. ``BandWidth`` is in Mb/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.shown import listed
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.importers.cable_map import rows_of
from fabric.exchange.megabits import gbps
from fabric.exchange.notes import Notes
from fabric.exchange.values import malformed, meant, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINKS, _DEVICES = "_links.csv", "_devices.csv"
_LINK = ("StartDevice", "StartPort", "EndDevice", "EndPort")
_DEVICE = ("Hostname", "Type")
#: Links of other networks than that of data.
_OTHERS = ("_console", "_pdu", "_bmc", "_serial", "_mgmt", "_l1")
#: What a type of device is: (kind, role); no other type carries data.
_TYPES = {
    **dict.fromkeys(("server", "devixiachassis", "devsnappichassis"), "host"),
    **dict.fromkeys(
        (
            *("devsonic", "fanoutleaf", "fanoutroot", "fanoutleafsonic", "fanoutrootsonic"),
            *("fanoutleafmlnx", "fanoutrootmlnx"),
        ),
        "switch",
    ),
}


class _Testbed:
    def __init__(self, links: Path, settings: Settings) -> None:
        self._links = links
        self._draft = Draft.of(links, settings)
        self._notes = Notes(str(links))
        self._meanings = {**_TYPES, **settings.roles}
        self._ignored: set[str] = set()
        self._known: set[str] = set()

    def imported(self) -> Imported:
        devices = self._links.with_name(self._links.name.replace(_LINKS, _DEVICES))
        if devices != self._links and devices.is_file():
            self._draft.file = str(devices)
            for line, row in _rows(devices, _DEVICE):
                self._device(line, row)
        else:
            fix = f"add {devices.name}, or set the roles in the inventory"
            self._notes.warn("there is no file of devices, so their kinds are unknown", fix)
        self._draft.file = str(self._links)
        for line, row in _rows(self._links, _LINK):
            self._link(line, row)
        return Imported(self._draft.plant(), self._notes.all())

    def _device(self, line: int, row: dict[str, str]) -> None:
        name, word = row["Hostname"], row["Type"]
        meaning = meant(word, self._meanings)
        self._known.add(name)
        if meaning is None:
            fix = "map the type with --role if they are part of the fabric"
            self._notes.add("devices of other types are ignored", fix, f"{name} ({word})")
            self._ignored.add(name)
            return
        values: dict[str, object] = {"kind": meaning[0], "role": meaning[1]}
        address = row.get("ManagementIp", "")
        if ":" in address or ("." in address and not any(sign.isalpha() for sign in address)):
            values["management"] = address
        if meaning[0] == "switch":
            values |= {"model": row.get("HwSku"), "system": row.get("Os")}
        self._draft.device(name, self._draft.place(line), values)

    def _link(self, line: int, row: dict[str, str]) -> None:
        ends = (row["StartDevice"], row["StartPort"]), (row["EndDevice"], row["EndPort"])
        name = " to ".join(" ".join(end) for end in ends)
        names = {end[0] for end in ends}
        if names & self._ignored:
            fix = "map the types of both devices with --role if they are part of the fabric"
            self._notes.add("links to devices of other types are ignored", fix, name)
            return
        if self._known and names - self._known:
            fix = "add the devices to the file of devices"
            self._notes.add("links to undefined devices are ignored", fix, name)
            return
        if len(names) == 1:
            fix = "correct one of the ends if it is a cable"
            self._notes.add("links from a device to itself are ignored", fix, name)
            return
        place = self._draft.place(line)
        speed = gbps(self._draft, row.get("BandWidth", ""), place)
        self._draft.cable(*ends, place, {"speed_gbps": speed})


def _rows(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells by header; a row may end early, or with empty cells."""
    rows = rows_of(path, text_of(path))
    line, header = next(rows, (1, []))
    titles = [title.strip() for title in header]
    missing = [name for name in needed if name not in titles]
    if missing:
        message = f"there is no column {listed(missing, 'and')}"
        raise malformed(path, message, "provide a file of a SONiC testbed", line)
    for number, row in rows:
        cells = [cell.strip() for cell in row]
        if len(cells) > len(titles) and any(cells[len(titles) :]):
            message = f"{counted(len(cells), 'cell')}, and the header has {len(titles)}"
            raise malformed(path, message, "quote cells that contain a comma", number)
        known = dict.fromkeys(titles, "") | dict(zip(titles, cells, strict=False))
        empty = [name for name in needed if not known[name]]
        if empty:
            message = f"the cell {empty[0]} is empty"
            raise malformed(path, message, "fill it in, or remove the row", number)
        yield number, known


def _read(path: Path, settings: Settings) -> Imported:
    if not path.is_dir():
        return _Testbed(path, settings).imported()
    files = [
        file
        for file in sorted(path.glob(f"*{_LINKS}"))
        if not file.name.removesuffix(_LINKS).endswith(_OTHERS)
    ]
    if len(files) != 1:
        message = f"the folder has {counted(len(files), 'file')} *{_LINKS}"
        raise malformed(path, message, "specify the file of links of one testbed")
    return _Testbed(files[0], settings).imported()


importers.add("sonic-testbed")(Importer(_read))
