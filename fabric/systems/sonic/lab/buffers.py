"""What the dynamic buffer model of SONiC computes, and the tables of a SKU for the traditional one.

Known: sonic-net/sonic-swss cfgmgr/buffermgrdyn.cpp (results in APPL_DB alone, for NVIDIA here;
nothing before the parameters are there). What the traditional one does is in
`fabric.systems.sonic.daemons`. Assumed: the wording of what the dynamic one logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.systems.sonic.lab.rules import HEADROOM
from fabric.systems.sonic.platforms import COMPUTED_PROFILE

if TYPE_CHECKING:
    from fabric.systems.sonic.lab import SonicStandIn

PARAMETERS = ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN")


def computed_groups(device: SonicStandIn) -> set[str]:
    """Return the keys of the groups for which the switch computes a buffer."""
    if device.metadata().get("buffer_model") != "dynamic":
        return set()
    if device.asic != "mellanox":
        device.log(f"nothing computes buffers on {device.platform}")
        return set()
    for table in PARAMETERS:
        if len(device.table(table)) != 1:
            device.log(f"lossless groups wait for one row of {table}")
            return set()
    cabled = {port for rows in device.table("CABLE_LENGTH").values() for port in rows}
    return {
        key
        for key, row in device.table("BUFFER_PG").items()
        if row.get("profile") == COMPUTED_PROFILE and key.partition("|")[0] in cabled
    }


def looked_up(platform: str, speed: str, cable: str) -> dict[str, Any] | None:
    """Return the profile that a SKU of a platform has for a speed and a cable length."""
    known = next((rows for part, rows in HEADROOM.items() if part in platform), {})
    if (speed, cable) not in known:
        return None
    size, xon, room, threshold = known[speed, cable]
    fields = {"pool": "ingress_lossless_pool", "xon": xon, "xoff": room, "size": size}
    return {**fields, "dynamic_th": threshold}
