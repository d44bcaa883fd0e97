"""Routes of Junos: the whole table of a VRF, in which a prefix is or is not.

Elements: captures of ``show route`` in mozilla/build-fwunit (fwunit.srx tests) and
Juniper/py-junos-eznc lib/jnpr/junos/op/routes.yml; the comment ``keepalive`` stands in the former.
The name of a table and what its counts mean: Juniper, ``show route table``: all tables whose names
begin so are shown; destinations with hidden routes alone are counted and not shown. No source shows
the answer about one prefix that has no route, nor an empty table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError, route_readings
from fabric.systems.junos.parsers.interfaces import tree

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_COMMENT = re.compile(r"<!-- [a-z]+ -->")


@route_readings.add("junos")
def has_route(text: str, vrf: str, prefix: str) -> bool:
    """Tell whether the table of a VRF has a route to a prefix, whatever it comes from.

    Raises
    ------
    UnreadableError
        When the answer has no such table, or not all of it.
    """
    name = f"{vrf}.inet.0"
    tables = [
        table
        for table in tree(_COMMENT.sub("", text)).iter("route-table")
        if (table.findtext("table-name") or "").strip() == name
    ]
    if len(tables) != 1:
        raise UnreadableError(f"it shows no table {name}")
    shown = {(one.text or "").strip() for one in tables[0].iterfind("rt/rt-destination")}
    if prefix in shown:
        return True
    if len(shown) + _count(tables[0], "hidden-route") < _count(tables[0], "destination"):
        raise UnreadableError(f"it does not show all of the table {name}")
    return False


def _count(table: ET.Element, what: str) -> int:
    word = (table.findtext(f"{what}-count") or "").strip()
    if not (word.isascii() and word.isdigit()):
        raise UnreadableError(f"{what}-count is {word!r}, no count")
    return int(word)
