"""NVIDIA NetQ: the table of ``netq show lldp``, with a row for each end of each cable.

Form: docs.nvidia.com, Cumulus NetQ 4.9 and 4.15, Monitor Hosts and Monitor the LLDP Service.
Devices are switches where a port is called ``swp``; of the others ``--hosts`` names the hosts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.exchange.draft import Draft, Place
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.notes import Notes
from fabric.exchange.values import is_management, is_name, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.exchange.plant import End

_COLUMNS = ("Hostname", "Interface", "Peer Hostname", "Peer Interface")
_RULE = re.compile(r"-{3,}(?: +-{3,})+")
_PROMPT = re.compile(r"\S+@\S+:.*|Matching lldp records:")
_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.IGNORECASE)
_SWITCH = re.compile(r"swp\d+(?:s\d+)?")
_FIX = "provide the output of `netq show lldp`"


class _Table:
    def __init__(self, path: Path, settings: Settings) -> None:
        self._draft = Draft.of(path, settings, closed=True)
        self._notes = Notes(str(path))
        self._rows = list(self._read(text_of(path)))

    def _read(self, text: str) -> Iterator[tuple[int, End, End]]:
        """Yield line and ends of each row; columns are as wide as the dashes under their names."""
        head, spans = "", []
        for number, line in enumerate(text.splitlines(), 1):
            if _RULE.fullmatch(line.strip()):
                spans = [match.span() for match in re.finditer(r"-+", line)]
                names = tuple(head[low:high].strip() for low, high in spans)
                if names[: len(_COLUMNS)] != _COLUMNS:
                    message = "the columns are not those of LLDP"
                    self._draft.wrong("EXC006", message, _FIX, self._draft.place(number - 1))
                    return
            elif spans and line.strip() and not _PROMPT.fullmatch(line):
                name, port, peer, far = (line[low:high].strip() for low, high in spans[:4])
                if all((name, port, peer, far)):
                    yield number, (name, port), (peer, far)
                else:
                    place = self._draft.place(number)
                    self._draft.wrong("EXC006", "a cell of the row is empty", _FIX, place)
            head = line
        if not spans:
            self._draft.wrong("EXC006", "there is no table", _FIX, self._draft.place())

    def imported(self) -> Imported:
        """Return the fabric that NetQ saw."""
        for number, end, far in self._rows:
            place = self._draft.place(number)
            if is_management(end[1]) or is_management(far[1]):
                self._notes.add("management ports are ignored", "nothing to do", " ".join(end))
            elif _MAC.fullmatch(far[1].removeprefix("mac:")):
                if not any(other == end for _, _, other in self._rows):
                    fix = "add the rows of that device: netq DEVICE show lldp"
                    self._notes.add("cables end at a MAC address and are ignored", fix, far[0])
            else:
                self._take(end, far, place)
        return Imported(self._draft.plant(), self._notes.all())

    def _take(self, end: End, far: End, place: Place) -> None:
        """Take a row in; a name that no device can have is an error of the row."""
        for name, port in (end, far):
            kind = {"kind": "switch"} if _SWITCH.fullmatch(port) else {}
            self._draft.device(name, place, kind)
        if all(is_name(self._draft.short(name)) for name, _ in (end, far)):
            self._draft.cable(end, far, place, {})


def _imported(path: Path, settings: Settings) -> Imported:
    return _Table(path, settings).imported()


importers.add("netq")(Importer(_imported, has_roles=False))
