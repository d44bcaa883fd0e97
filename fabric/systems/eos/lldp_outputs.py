"""EOS: ``show lldp neighbors detail | json`` and the table of ``show lldp neighbors``.

Fields: aristanetworks/anta, tests/units/anta_tests/test_connectivity.py; the table:
networktocode/ntc-templates, tests/arista_eos/show_lldp_neighbors.
"""

from __future__ import annotations

import re

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import Neighbours, by_port, outputs
from fabric.observe.state import LldpNeighbour

_HEADER = re.compile(r"Port +Neighbor Device ID +Neighbor Port ID +TTL *")
_ROW = re.compile(r"(Et|Ma|Po)([0-9][0-9/]*) +(\S+) +(\S.*?) +[0-9]+ *")
_LONG = {"Et": "Ethernet", "Ma": "Management", "Po": "Port-Channel"}


def detail(text: str) -> Neighbours:
    """Parse the JSON of the detailed command.

    Raises
    ------
    UnreadableError
        When it is another output, or a neighbour has no port.
    """
    try:
        rows = [
            (port, _neighbour(info))
            for port, seen in parse_json(text)["lldpNeighbors"].items()
            for info in seen["lldpNeighborInfo"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableError("this is not the JSON of LLDP neighbours") from error
    return by_port(rows)


def _neighbour(info: dict[str, dict[str, str]]) -> LldpNeighbour:
    port = info["neighborInterfaceInfo"]
    known = port.get("interfaceId_v2") or port["interfaceId"]
    words = (info.get("systemName", ""), known, port.get("interfaceDescription", ""))
    return LldpNeighbour(*(str(word).strip('"') for word in words))


def table(text: str) -> Neighbours:
    """Parse the table; nothing counts its rows.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row does not fit into it.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if _HEADER.fullmatch(line)), None)
    if start is None:
        raise UnreadableError("no table of LLDP neighbours")
    matches = [_ROW.fullmatch(line) for line in lines[start + 1 :] if set(line) - set("- ")]
    if not all(matches):
        raise UnreadableError("a row of the LLDP table does not fit into it")
    rows = (match.groups() for match in matches if match)
    return by_port(
        (_LONG[kind] + number, LldpNeighbour(name, far)) for kind, number, name, far in rows
    )


outputs.add("eos")((detail, table))
