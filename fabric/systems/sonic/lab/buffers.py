"""What the buffer manager of SONiC makes of the lossless ports, in both buffer models.

Known: sonic-net/sonic-swss cfgmgr/buffermgr.cpp (traditional: rows in CONFIG_DB from the table of
the SKU) and cfgmgr/buffermgrdyn.cpp (dynamic: results in APPL_DB alone, for NVIDIA here; nothing
before the parameters are there). Assumed: the wording of what the dynamic one logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.spans import spans
from fabric.systems.sonic.lab.rules import HEADROOM
from fabric.systems.sonic.platforms import COMPUTED_PROFILE

if TYPE_CHECKING:
    from fabric.systems.sonic.lab import SonicStandIn

PARAMETERS = ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN")


def run(device: SonicStandIn) -> None:
    """Let the buffer manager see the running configuration."""
    device.computed_groups = set()
    if device.metadata().get("buffer_model") == "dynamic":
        _compute(device)
    else:
        for port, row in device.table("PORT_QOS_MAP").items():
            _look_up(device, port, str(row.get("pfc_enable", "")))


def _compute(device: SonicStandIn) -> None:
    if device.asic != "mellanox":
        device.log(f"nothing computes buffers on {device.platform}")
        return
    for table in PARAMETERS:
        if len(device.table(table)) != 1:
            device.log(f"lossless groups wait for one row of {table}")
            return
    cabled = {port for rows in device.table("CABLE_LENGTH").values() for port in rows}
    device.computed_groups = {
        key
        for key, row in device.table("BUFFER_PG").items()
        if row.get("profile") == COMPUTED_PROFILE and key.partition("|")[0] in cabled
    }


def _look_up(device: SonicStandIn, port: str, priorities: str) -> None:
    known = next((rows for part, rows in HEADROOM.items() if part in device.platform), {})
    cable = next((rows[port] for rows in device.table("CABLE_LENGTH").values() if port in rows), "")
    speed = str(device.table("PORT").get(port, {}).get("speed", ""))
    if port == "global" or not priorities or not cable or cable == "0m":
        return
    name = f"pg_lossless_{speed}_{cable}_profile"
    figures = known.get((speed, cable))
    if name not in device.table("BUFFER_PROFILE"):
        if figures is None or "ingress_lossless_pool" not in device.table("BUFFER_POOL"):
            device.log(f"No PG profile configured for speed {speed} and cable length {cable}")
            return
        size, xon, room, threshold = figures
        profile = {"pool": "ingress_lossless_pool", "xon": xon, "xoff": room, "size": size}
        device.running.setdefault("BUFFER_PROFILE", {})[name] = {
            **profile,
            "dynamic_th": threshold,
        }
    for span in spans(sorted({int(text) for text in priorities.split(",") if text})):
        rows = device.running.setdefault("BUFFER_PG", {})
        rows.setdefault(f"{port}|{span}", {"profile": name})
