"""NetBox: the MAC address of each interface, the primary one where there are several.

Shapes: netbox-community/netbox v4.6.8, InterfaceSerializer of
netbox/dcim/api/serializers_/device_components.py, MACAddressSerializer of devices.py beside it, and
MACAddressImportForm of netbox/dcim/forms/bulk_import.py. Before 4.2 an interface has one address.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.exchange.netbox_words import name_of, objects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.exchange.netbox_words import Row
    from fabric.exchange.plant import End


def macs(interfaces: Iterable[Row], addresses: Iterable[Row]) -> tuple[dict[End, str], set[End]]:
    """Return the MAC address by device and interface, and the interfaces with several of one rank.

    Parameters
    ----------
    interfaces, addresses : iterable of dict
        Objects of the endpoints ``interfaces`` and ``mac-addresses``, or rows of bulk import.
    """
    primary: dict[End, str] = {}
    others: dict[End, set[str]] = defaultdict(set)
    for row in interfaces:
        end = (name_of(row.get("device")), str(row.get("name") or ""))
        known = _mac(row) or _mac(row.get("primary_mac_address"))
        if known:
            primary[end] = known
        others[end] |= {_mac(item) for item in objects(row.get("mac_addresses"))} - {""}
    for row in addresses:
        (assigned,) = objects([row.get("assigned_object")])
        device = name_of(row.get("device") or assigned.get("device"))
        end = (device, name_of(row.get("interface") or assigned))
        if row.get("is_primary") is True:
            primary.setdefault(end, _mac(row))
        others[end].add(_mac(row))
    single = {end: next(iter(known)) for end, known in others.items() if len(known) == 1}
    unclear = {end for end, known in others.items() if len(known) > 1} - primary.keys()
    return single | primary, unclear


def _mac(value: object) -> str:
    """Return the address of an object, in the case that all are compared in."""
    return str(value.get("mac_address") or "").lower() if isinstance(value, dict) else ""
