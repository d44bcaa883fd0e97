"""CSV: the cables as a list for those who plug them, by rack and port.

A cell that a spreadsheet would take for a formula has a quote before it (OWASP, CSV Injection).
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.core.findings import Finding, Severity
from fabric.core.hostlist import natural_key
from fabric.exchange.cells import marked
from fabric.exchange.plant import end_key, field_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.exchange.plant import Cable, End, Plant

_HEADER = (
    *("rack", "device", "port", "peer_rack", "peer_device", "peer_port"),
    *("speed_gbps", "cable_m", "label", "peer_label", "state", "rack_from", "peer_rack_from"),
)
#: What the column ``rack_from`` has where the rack is that of the device.
RACK = "rack"
_CABLING = ("device", "port", "peer_device", "peer_port", "speed_gbps", "cable_m")


def cabling_csv(plant: Plant) -> str:
    """Return all cables as ``cabling.csv`` of an inventory."""
    rows = [_CABLING, *((*c.near, *c.far, c.speed_gbps, c.cable_m) for c in plant.cables)]
    return _csv(rows)


def _cabling(plant: Plant) -> Exported:
    files = (text_file("csv", "cabling", "cabling.csv", cabling_csv(plant)),)
    if not plant.disabled:
        return Exported(files)
    message = f"cabling.csv cannot say that cables are disabled, which {len(plant.disabled)} are"
    fix = "use the part plan, or set devices.ports.enabled in the inventory"
    return Exported(files, (Finding("EXC012", Severity.WARNING, message, fix),))


def _plan(plant: Plant) -> Exported:
    """Return one list: each cable once, at the rack that comes first."""
    rows = []
    for cable in plant.cables:
        near, far = sorted((cable.near, cable.far), key=lambda end: _rank(plant, end))
        rows.append(_row(plant, cable, near, far))
    return Exported((text_file("csv", "plan", "cable-plan.csv", _listed(rows)),))


def _racks(plant: Plant) -> Exported:
    """Return one list for each rack: all cables that end there."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    for cable in plant.cables:
        for near, far in ((cable.near, cable.far), (cable.far, cable.near)):
            rows.setdefault(_rack(plant, near), []).append(_row(plant, cable, near, far))
    files, taken = [], set()
    for rack in sorted(rows, key=natural_key):
        name = re.sub(r"[^A-Za-z0-9-]+", "-", rack).strip("-") or "rack"
        while name.lower() in taken:
            name += "-2"
        taken.add(name.lower())
        files.append(text_file("csv", "racks", f"racks/{name}.csv", _listed(rows[rack])))
    return Exported(tuple(files))


def _rack(plant: Plant, end: End) -> str:
    """Return where a device stands; a device of no rack stands with those of its role."""
    return _place(plant, end)[0]


def _place(plant: Plant, end: End) -> tuple[str, str]:
    """Return where a device stands, and what says so: ``rack``, ``unit``, ``pod`` or ``role``."""
    device = plant.device[end[0]]
    for field in (RACK, "unit", "pod"):
        if text := getattr(device, field):
            return text, field
    return f"{device.role or device.kind or 'other'}s", "role"


def _rank(plant: Plant, end: End) -> tuple[object, ...]:
    return (natural_key(_rack(plant, end)), *end_key(end))


def _row(plant: Plant, cable: Cable, near: End, far: End) -> tuple[object, ...]:
    near_end, far_end = ":".join(near), ":".join(far)
    return (
        *(_rack(plant, near), *near, _rack(plant, far), *far),
        *(cable.speed_gbps, cable.cable_m),
        *(f"{near_end} / {far_end}", f"{far_end} / {near_end}", cable.state),
        *(_place(plant, near)[1], _place(plant, far)[1]),
    )


def _listed(rows: list[tuple[object, ...]]) -> str:
    ordered = sorted(rows, key=lambda row: tuple(natural_key(str(cell)) for cell in row[:3]))
    return _csv([_HEADER, *ordered])


def _csv(rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def _safe(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return marked(text)


#: A list of cables says nothing of devices but their names and racks, and no address.
_LOST = frozenset({
    *(n for n in field_names() if n == "nics" or (n.startswith("device.") and n != "device.rack")),
    *("name", "cable.near_address", "cable.far_address", "cable.vlan"),
    *("cable.near_ipv6", "cable.far_ipv6"),
})
exporters.add("csv")(
    Exporter(
        {"plan": _plan, "racks": _racks, "cabling": _cabling},
        ("plan",),
        about=About.FABRIC,
        lost=_LOST,
        title="cabling as a table, racks, and the cabling file of an inventory",
    )
)
