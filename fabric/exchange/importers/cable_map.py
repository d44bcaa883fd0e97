"""CSV: one cable a row, under headers by any of the names that are usual."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.shown import listed, quoted
from fabric.exchange.cells import plain
from fabric.exchange.draft import MAX_CABLES, Draft
from fabric.exchange.exporters.cable_plan import RACK
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.importers import dot
from fabric.exchange.values import folded, known, malformed, text_of
from fabric.intent.cabling import ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


#: Headers by our name of the column, compared without case, spaces, hyphens and underscores.
#: ``side_a_device`` and the like: netbox-community/netbox, netbox/dcim/forms/bulk_import.py.
HEADERS: dict[str, tuple[str, ...]] = {
    "device": (
        *("device", "switch", "host", "a_device", "device_a", "side_a_device", "source_device"),
        *("source", "from_device", "from", "local_device", "local_host", "node_a", "a_end_device"),
    ),
    "port": (
        *("port", "interface", "a_port", "port_a", "side_a_name", "source_port", "from_port"),
        *("local_port", "local_interface", "a_interface", "source_interface", "interface_a"),
        *("a_end_port",),
    ),
    "peer_device": (
        *("peer_device", "peer", "b_device", "device_b", "side_b_device", "destination_device"),
        *("destination", "dest_device", "to_device", "to", "remote_device", "remote_host"),
        *("neighbor", "neighbour", "node_b", "target_device", "b_end_device", "z_device"),
    ),
    "peer_port": (
        *("peer_port", "b_port", "port_b", "side_b_name", "destination_port", "dest_port"),
        *("to_port", "remote_port", "remote_interface", "peer_interface", "b_interface"),
        *("interface_b", "neighbor_port", "neighbour_port", "target_port", "b_end_port", "z_port"),
        *("destination_interface",),
    ),
    "speed_gbps": ("speed_gbps", "speed", "rate", "link_speed", "bandwidth"),
    "cable_m": ("cable_m", "length_m", "length", "cable_length", "cable_length_m"),
    "role": ("role", "a_role", "source_role", "device_role"),
    "peer_role": ("peer_role", "b_role", "destination_role", "peer_device_role"),
    "state": ("state",),
    "rack": ("rack", "a_rack", "rack_a", "source_rack", "from_rack", "local_rack"),
    "peer_rack": ("peer_rack", "b_rack", "rack_b", "destination_rack", "to_rack", "remote_rack"),
    "rack_from": ("rack_from",),
    "peer_rack_from": ("peer_rack_from",),
}
_SPEED = re.compile(r"([0-9]{1,4}) ?(?:g|gb|gbps|gbit/s|gb/s|gbe|ge)?", re.IGNORECASE)
_LENGTH = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,3})?) ?m?", re.IGNORECASE)
_DELIMITERS = (",", ";", "\t")


_DOT_ENDINGS = (".dot", ".gv")


def cables_of(path: Path, draft: Draft, settings: Settings) -> None:
    """Take the rows of a file in, or raise InputError."""
    rows = rows_of(path, text_of(path))
    line, header = next(rows, (1, []))
    columns = _columns(path, line, header, settings.columns)
    for number, (line, row) in enumerate(rows):
        if number >= MAX_CABLES:
            message = f"there are more than {MAX_CABLES:,} rows"
            draft.wrong("EXC007", message, "import one fabric at a time", draft.place(line))
            return
        place = draft.place(line)
        if len(row) != len(header):
            message = f"{counted(len(row), 'cell')}, and the header has {len(header)}"
            draft.wrong("EXC006", message, "quote cells that contain a separator", place)
            continue
        _row(draft, {name: plain(row[at].strip()) for name, at in columns.items()}, line)


def _row(draft: Draft, cells: Mapping[str, str], line: int) -> None:
    place = draft.place(line)
    for side in ("", "peer_"):
        device, role = f"{side}device", f"{side}role"
        for name in (device, f"{side}port"):
            if not cells[name]:
                fix = "fill it in, or remove the row"
                draft.wrong("EXC006", f"the cell {name} is empty", fix, place)
        said = known({"role": cells.get(role, ""), "rack": _rack(cells, side)})
        if cells[device] and said:
            draft.device(cells[device], place, said, source_role=True)
    if all(cells[name] for name in ENDS):
        ends = (cells["device"], cells["port"]), (cells["peer_device"], cells["peer_port"])
        draft.cable(*ends, place, _figures(draft, cells, line))


def _rack(cells: Mapping[str, str], side: str) -> str:
    """Return the rack at one end; empty where the export wrote its unit, pod or role there."""
    is_own = cells.get(f"{side}rack_from", "") in {"", RACK}
    return cells.get(f"{side}rack", "") if is_own else ""


def _figures(draft: Draft, cells: Mapping[str, str], line: int) -> dict[str, object]:
    figures: dict[str, object] = {"state": cells.get("state")}
    for name, pattern, example in (
        ("speed_gbps", _SPEED, "400 or 400G"),
        ("cable_m", _LENGTH, "5, 2.5 or 5 m"),
    ):
        text = cells.get(name, "")
        match = pattern.fullmatch(text)
        if match:
            figures[name] = math.ceil(float(match[1]))  # a part of a metre counts whole: safe side
        elif text:
            message = f"{quoted(text)} in the column {name} is not valid"
            draft.wrong("EXC006", message, f"use the form {example}", draft.place(line))
    return figures


def rows_of(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of every row that is neither empty nor a comment."""
    lines = text.splitlines(keepends=True)
    head = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row) and not row[0].startswith("#"):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        fix = "quote cells that contain separators, and double the quotes inside them"
        raise malformed(path, f"not CSV: {error}", fix, line) from error


def _columns(path: Path, line: int, header: list[str], named: Mapping[str, str]) -> dict[str, int]:
    """Return the place of each column that is known, as told or by its header."""
    unknown = [name for name in named if name not in HEADERS]
    if unknown:
        message = f"unknown column {quoted(unknown[0])} in --columns"
        raise malformed(path, message, f"available: {listed(HEADERS, 'and')}", line)
    columns, problems = {}, []
    titles = [folded(title) for title in header]
    for name, words in HEADERS.items():
        accepted = [folded(named[name])] if name in named else [folded(word) for word in words]
        places = [at for at, title in enumerate(titles) if title in accepted]
        if len(places) > 1:
            both = listed((quoted(header[at]) for at in places), "and")
            problems.append(f"{both} all match {name}")
        elif places:
            columns[name] = places[0]
        elif name in named or name in ENDS:
            said = f" {quoted(named[name])}" if name in named else ""
            problems.append(f"there is no column{said} for {name}")
    if problems:
        fix = "select one with --columns device=HEADER,port=HEADER,peer_device=...,peer_port=..."
        raise malformed(path, "; ".join(problems), fix, line)
    return columns


def _read(path: Path, settings: Settings) -> Imported:
    draft = Draft.of(path, settings)
    cables_of(path, draft, settings)
    return Imported(draft.plant())


importers.add("csv")(Importer(_read))


def take_cables(path: Path, draft: Draft, settings: Settings) -> None:
    """Take the cables of a file in; what is wrong with them is told with that file.

    Raises
    ------
    InputError
        When the file is not of its form.
    """
    named = draft.file
    draft.file = str(path)
    if path.suffix.lower() in _DOT_ENDINGS:
        dot.cables_of(path, draft)
    else:
        cables_of(path, draft, replace(settings, cabling=None))
    draft.file = named
