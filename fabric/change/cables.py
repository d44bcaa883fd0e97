"""Cables that are wrong on ports that a plan changes, or with sessions that need no address.

A cable is wrong when a known device is at its other end, and not the planned one, or the planned
device on another port. A neighbour that nobody knows, or none at all, tells nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.change.expectation import is_neighbour
from fabric.change.journal import State
from fabric.core.errors import CablingMismatchError

if TYPE_CHECKING:
    from fabric.change.crew import Crew
    from fabric.change.model import DevicePlan
    from fabric.core.device_names import DeviceNames
    from fabric.observe.snapshot import Snapshot

#: What may not stand before or after a name, so that Ethernet1 is not in Ethernet1/1 or swp1 in
#: swp10; a colon does when a part of a cage follows.
_BEFORE, _AFTER = r"(?<![A-Za-z0-9/-])", r"(?![A-Za-z0-9/-]|:[0-9])"


def changed_ports(plan: DevicePlan) -> list[str]:
    """Return the ports with a planned cable that any change names."""
    said = "\n".join(
        text for change in plan.changes for text in (change.path, change.before, change.after)
    )
    return [
        port for port in plan.expected.lldp if re.search(_BEFORE + re.escape(port) + _AFTER, said)
    ]


def checked_ports(plan: DevicePlan) -> list[str]:
    """Return the ports that change, and those whose session comes up over a wrong cable too."""
    alone = plan.expected.sessions_over_ports() - {*changed_ports(plan)}
    return [*changed_ports(plan), *sorted(alone)]


def wrong_cables(plan: DevicePlan, seen: Snapshot, known: DeviceNames) -> list[str]:
    """Return what is wrong with the cables on the ports that are checked.

    Parameters
    ----------
    known : DeviceNames
        Devices of the fabric.
    """
    messages = []
    for port in checked_ports(plan):
        name, ids = plan.expected.lldp[port]
        neighbours = (seen.lldp or {}).get(port, ())
        linked = [item for item in neighbours if known.match(item.system_name)]
        if linked and not any(is_neighbour(item, name, ids) for item in neighbours):
            other = f"{linked[0].system_name} {linked[0].port_id}"
            messages.append(f"{port} is cabled to {other}, expected {name} {ids[0]}")
    return messages


def check_cables(crew: Crew, plan: DevicePlan, seen: Snapshot, known: DeviceNames) -> None:
    """Refuse a device that is cabled wrongly on a port that is checked, unless told otherwise.

    Raises
    ------
    CablingMismatchError
        With the ports and what they are cabled to.
    """
    wrong = "; ".join(wrong_cables(plan, seen, known))
    if wrong and crew.options.despite_cabling:
        crew.record(plan.device, State.PENDING, f"despite its cabling: {wrong}")
        crew.progress(plan.device, f"despite its cabling: {wrong}")
    elif wrong:
        raise CablingMismatchError(
            f"{plan.device}: {wrong}; `rocefab cabling` lists the plugs to move; "
            "--despite-cabling applies the change anyway"
        )
