"""Enterprise SONiC: the configuration of ``sonic-cli``; state is read by the commands of SONiC.

Its database and its shell are those of SONiC, and so are the outputs of its ``show`` commands there
(sonic-net/sonic-utilities 202405). What is saved is the file of the database.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from fabric.observe.parsers import UnreadableError, frr, parsers, route_readings, titles
from fabric.observe.parsers.tables import plain
from fabric.observe.snapshot import Running
from fabric.systems.esonic.platforms.lines import read, write
from fabric.systems.sonic.parsers import WATERMARK_TITLES, SonicParser, config_db

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading

#: ``SONiC Software Version: SONiC-OS-4.2.1-Enterprise_Premium``: output of a Z9664F in public unit
#: tests (class DellSonicSwitchCtl); names of images such as ``SONiC-OS-4.0.5-Enterprise_Advanced``:
#: STORDIS/orca_nw_lib.
_SHOWN = re.compile(r"^SONiC Software Version: (SONiC-OS-\S+)$", re.MULTILINE)
_PAGER = re.compile(r"--more--", re.IGNORECASE)
_ERROR = re.compile(r"^(?:% ?Error|Syntax error)", re.MULTILINE | re.IGNORECASE)


def configuration(text: str) -> str:
    """Return ``show running-configuration`` in one spelling.

    Raises
    ------
    UnreadableError
        When it is empty, does not begin with its separator, its last line is cut, or an error or a
        pager stands in it. That whole lines are missing at its end cannot be seen.
    """
    text = plain(text)
    if _PAGER.search(text) or _ERROR.search(text):
        raise UnreadableError("an error or a pager stands in the configuration")
    if not text.endswith("\n"):
        raise UnreadableError("the end of the configuration is missing")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first != "!":
        raise UnreadableError("this is not a configuration: it does not begin with a separator")
    try:
        found = write(read(text))
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    if not found:
        raise UnreadableError("the configuration is empty")
    return found


class EsonicParser:
    """Reads Enterprise SONiC back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = SonicParser.readings

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the configuration as it runs."""
        canonical = configuration(texts["config"])
        return Running(
            device=device,
            platform="esonic",
            config=canonical,
            canonical=canonical,
            saved=_rows(texts["database"]) == _rows(texts["startup"]),
            files={},
            system=_system(texts.get("shown", "")),
        )


def _system(text: str) -> dict[str, str]:
    """Parse ``show version`` of the shell."""
    match = _SHOWN.search(plain(text))
    return {"version": match[1]} if match else {}


def _rows(text: str) -> dict[str, object]:
    return {table: rows for table, rows in config_db(text).items() if rows}


parsers.add("esonic")(EsonicParser())
route_readings.add("esonic")(frr.has_route)
titles.add("esonic")(WATERMARK_TITLES)
