"""Routes of EOS.

Keys as aristanetworks/anta has them, tests/units/anta_tests/routing/test_generic.py
(``VerifyRoutingTableEntry``): ``vrfs``, the VRF, ``routes`` by prefix, empty where there is none.
It asks for one route in the same way.
"""

from __future__ import annotations

from typing import Any

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError, route_readings


@route_readings.add("eos")
def has_route(text: str, vrf: str, prefix: str) -> bool:
    """Tell whether the table of a VRF has a route to a prefix, whatever it comes from.

    Raises
    ------
    UnreadableError
        When the answer has no such VRF.
    """
    try:
        body: Any = parse_json(text)
        routes: Any = body["vrfs"][vrf]["routes"]
        names = {str(name) for name in routes.keys()}  # noqa: SIM118 - a list has none
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableError(f"this is not a table of the routes of {vrf}") from error
    return prefix in names
