"""Routes of NX-OS, as text.

Known: the head with the name of the VRF, entries, and ``Route not found`` below the head of a VRF
that has none (networktocode/ntc-templates @ d0bc5a48 tests/cisco_nxos/show_ip_route, the file
``cisco_nxos_show_ip_route_vrf2.raw``; napalm 5.2.0 napalm/nxos_ssh, ``get_route_to``, reads it so
for one prefix). No source shows what NX-API makes of it as JSON, so text is asked for. Nor is it
documented whether a route that covers the prefix is shown where the prefix itself has none: then
there is none to the very prefix either.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Network

from fabric.devices.redaction import shortened
from fabric.observe.parsers import UnreadableError, route_readings

_HEAD = re.compile(r'^IP Route Table for VRF "(\S+)"\s*$', re.MULTILINE)
_ENTRY = re.compile(r"^([0-9.]+/[0-9]+), ubest/mbest: ", re.MULTILINE)
_ABSENT = re.compile(r"^\s*Route not found\s*\Z", re.MULTILINE)


@route_readings.add("nxos")
def has_route(text: str, vrf: str, prefix: str) -> bool:
    """Tell whether the table of a VRF has a route to a prefix, whatever it comes from.

    Raises
    ------
    UnreadableError
        When it is not the answer about this VRF, or says neither.
    """
    entries = _ENTRY.findall(text)
    if _HEAD.findall(text) == [vrf]:
        if prefix in entries:
            return True
        if entries and all(_covers(entry, prefix) for entry in entries):
            return False
        if not entries and _ABSENT.search(text):
            return False
    raise UnreadableError(
        f"it says neither that there is a route nor that there is none: {shortened(text, 80)!r}"
    )


def _covers(entry: str, prefix: str) -> bool:
    try:
        return IPv4Network(prefix).subnet_of(IPv4Network(entry))
    except ValueError:
        return False
