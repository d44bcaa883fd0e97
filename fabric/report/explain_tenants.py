"""Fields that a line of a tenant, or of a port in quarantine, follows from."""

from __future__ import annotations

import re
from dataclasses import replace
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabric.report.explain_values import VRF

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation, PlacedLine

#: Says whether a port is on; of a port in quarantine, its tenants say it.
_ENABLED = "devices.ports.enabled"
_QUARANTINE = ("tenancy.unassigned", "tenants.hosts", "tenants.nics")
_LOOPBACKS, _HOSTS = "addressing.loopbacks", "addressing.hosts"
_PREFIX = re.compile(r"\d+\.\d+\.\d+\.\d+/\d+")


def of_tenants(
    designs: Designs, device: str, port: str, placed: PlacedLine, entry: Explanation
) -> Explanation:
    """Return what is known of a line, with the fields of tenants where they decide it.

    A port without a tenant is shut down, and the prefixes of a tenant are none of loopbacks.
    """
    design = designs.devices.get(device)
    own = design.port_by_name.get(port) if design else None
    if own and own.quarantined and _ENABLED in entry.fields:
        return replace(entry, fields=_QUARANTINE)
    if _LOOPBACKS not in entry.fields or not VRF.search(f"{placed.context} {placed.text}"):
        return entry
    prefix = _PREFIX.search(placed.text)
    loopbacks = designs.intent.fabric.addressing.loopbacks
    if prefix is None or _is_within(prefix[0], loopbacks):
        return entry
    fields = (_HOSTS if field == _LOOPBACKS else field for field in entry.fields)
    return replace(entry, fields=tuple(dict.fromkeys(fields)))


def _is_within(prefix: str, pool: object) -> bool:
    """Tell whether a prefix is one of a pool."""
    return IPv4Network(prefix, strict=False).subnet_of(IPv4Network(str(pool)))
