"""Junos: ``show lldp neighbors | display json`` and ``| display xml``.

Names of elements: netenglabs/suzieq, suzieq/config/lldp.yml.
"""

from __future__ import annotations

from typing import Any

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.lldp import Neighbours, by_port, outputs
from fabric.observe.state import LldpNeighbour
from fabric.systems.junos.parsers.interfaces import tree

_LOCAL = ("lldp-local-port-id", "lldp-local-interface")
_FAR = ("lldp-remote-system-name", "lldp-remote-port-id", "lldp-remote-port-description")


def of_json(text: str) -> Neighbours:
    """Parse JSON, in which each value is a list of one object.

    Raises
    ------
    UnreadableError
        When it is another output, or a neighbour has no port.
    """
    try:
        rows = [
            {name: str(value[0]["data"]) for name, value in row.items() if name in _LOCAL + _FAR}
            for part in parse_json(text)["lldp-neighbors-information"]
            for row in part.get("lldp-neighbor-information", ())
        ]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise UnreadableError("this is not the JSON of LLDP neighbours") from error
    return _neighbours(rows)


def of_xml(text: str) -> Neighbours:
    """Parse XML.

    Raises
    ------
    UnreadableError
        When it is another output, or a neighbour has no port.
    """
    root = tree(text)
    if root.tag != "lldp-neighbors-information" and not root.findall(
        ".//lldp-neighbors-information"
    ):
        raise UnreadableError("this is not the XML of LLDP neighbours")
    rows = [
        {item.tag: (item.text or "").strip() for item in row}
        for row in root.iter("lldp-neighbor-information")
    ]
    return _neighbours(rows)


def _neighbours(rows: list[dict[str, Any]]) -> Neighbours:
    listed = []
    for row in rows:
        port = next((row[name] for name in _LOCAL if row.get(name)), "")
        name, far, description = (row.get(word, "") for word in _FAR)
        if not port or not (far or description):
            raise UnreadableError("a neighbour of LLDP has no port")
        listed.append((port, LldpNeighbour(name, far or description, description)))
    return by_port(listed)


outputs.add("junos")((of_json, of_xml))
