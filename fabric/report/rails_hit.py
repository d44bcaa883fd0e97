"""Which hosts lose which rails by an outage, and which of them have others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.likeness import like_groups

if TYPE_CHECKING:
    from fabric.topology.impact import Impact
    from fabric.topology.model import Fabric


def rail_losers(fabric: Fabric, hit: Impact) -> list[str]:
    """Return the hosts that lose a rail, and have bandwidth on others.

    The other hosts that lose one are cut off, or failed themselves.
    """
    rows = np.unique(hit.rails_lost[:, 0])
    has_more = hit.host_gbps[1][rows] > 0
    return [fabric.hosts.names[row] for row in rows[has_more].tolist()]


def lost_rails(fabric: Fabric, hit: Impact) -> list[tuple[str, str, str]]:
    """Return hosts, the rails that they lose, and what they keep; alike hosts as one."""
    losers = set(rail_losers(fabric, hit))
    lost: dict[str, list[str]] = {}
    for host, rail in hit.rails_lost.tolist():
        lost.setdefault(fabric.hosts.names[host], []).append(f"rail{rail}")
    rows = [
        (name, hostlist.fold(rails), "other rails" if name in losers else "no rail")
        for name, rails in lost.items()
    ]
    return [
        (hostlist.in_short(name for name, *_ in alike), *alike[0][1:])
        for alike in like_groups(rows, lambda row: row[1:])
    ]
