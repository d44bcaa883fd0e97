"""The counts of a difference between two inventories that are valid or absent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.report.diff.consequences import worst
from fabric.report.diff.model import Summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.report.diff.model import Consequence, Device


def summarised(
    devices: Sequence[Device],
    follows: Sequence[Consequence],
    attached: Sequence[str] = (),
    edits: int = 0,
) -> Summary:
    """Return the counts of devices that differ, and the highest risk."""
    states = Counter(device.state for device in devices)
    changed = [device for device in devices if device.state == "changed"]
    reloads = {device.reload for device in changed}
    applying = [device.risk for device in changed]
    return Summary(
        risk=worst([*applying, *(consequence.risk for consequence in follows)]),
        risk_of_applying=worst(applying),
        reload=True if True in reloads else None if None in reloads else False,
        added=states["added"],
        removed=states["removed"],
        changed=states["changed"],
        edits=edits,
        lines=sum(len(device.settings) for device in devices),
        hosts_changed=sum(device.role == "host" for device in devices),
        hosts_attached=len(attached),
    )
