"""NX-OS: ``show lldp neighbors | json`` and the text of ``show lldp neighbors detail``.

Fields: netenglabs/suzieq, suzieq/config/lldp.yml; the text: networktocode/ntc-templates,
tests/cisco_nxos/show_lldp_neighbors_detail.
"""

from __future__ import annotations

import re

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import Neighbours, by_port, outputs
from fabric.observe.state import LldpNeighbour
from fabric.systems.nxos.parsers.neighbours import long_name

_FIELD = re.compile(r"(Chassis id|Port id|Local Port id|Port Description|System Name): ?(.*)")
_TOTAL = re.compile(r"^Total entries displayed: *([0-9]+) *$", re.MULTILINE)


def brief(text: str) -> Neighbours:
    """Parse the JSON; a single neighbour is no list.

    Raises
    ------
    UnreadableError
        When it is another output, or a row is cut.
    """
    try:
        rows = parse_json(text)["TABLE_nbor"]["ROW_nbor"]
        listed = [
            (
                long_name(str(row["l_port_id"])),
                LldpNeighbour(str(row["chassis_id"]), str(row["port_id"])),
            )
            for row in (rows if isinstance(rows, list) else [rows])
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableError("this is not the JSON of LLDP neighbours") from error
    return by_port(listed)


def detail(text: str) -> Neighbours:
    """Parse the detailed text.

    Raises
    ------
    UnreadableError
        When the neighbours are not as many as the last line says, if there is one, or one has no
        port.
    """
    total = _TOTAL.search(text)
    parts: list[dict[str, str]] = []
    for match in filter(None, map(_FIELD.fullmatch, text.splitlines())):
        if match[1] == "Chassis id":
            parts.append({})
        if parts:
            parts[-1].setdefault(match[1], match[2].strip())
    needed = {"Port id", "Local Port id", "System Name"}
    counted = total is None or int(total[1]) == len(parts)
    if not parts or not counted or any(needed - part.keys() for part in parts):
        raise UnreadableError("this is not the whole detail of LLDP neighbours")
    return by_port(
        (
            long_name(part["Local Port id"]),
            LldpNeighbour(part["System Name"], part["Port id"], part.get("Port Description", "")),
        )
        for part in parts
    )


outputs.add("nxos")((brief, detail))
