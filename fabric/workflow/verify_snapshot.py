"""verify --snapshot: what a file of readings says, against the inventory; no device is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.change.expectation import deviations
from fabric.workflow.devices import targets
from fabric.workflow.recorded import seen_in
from fabric.workflow.verify import Health

if TYPE_CHECKING:
    from fabric.change.expectation import Expectation
    from fabric.report.observed import Seen
    from fabric.workflow.devices import Selection
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

#: What readings never hold.
_NEVER = ("running configuration", "saved configuration")
_NEVER_OF_HOSTS = ("settings of NICs", "running configuration")
#: Expectations by the field of a snapshot that they are about, and what nothing expected is.
_EXPECTED = {"bgp": "bgp", "lldp": "lldp", "pfc_priorities": "pfc", "daemons": "daemons"}


def verify_snapshot(project: Project, recording: Recording, selection: Selection) -> list[Health]:
    """Compare sessions, neighbours, PFC and daemons of every selected device with the inventory.

    What a device was not asked for is skipped, and named in ``skipped``: that is another thing
    than a value that was asked for and could not be understood, which counts as a finding.

    Parameters
    ----------
    odd : Oddities, optional
        Takes what is odd about the file.

    Raises
    ------
    InputError
        As `seen_in`.
    """
    by_name = targets(project, None, selection)
    seen = {one.device: one for one in seen_in(project, recording, selection)}
    return [
        _health(seen[name], target.expected, is_host=target.role == "host")
        for name, target in by_name.items()
    ]


def _health(seen: Seen, expected: Expectation, *, is_host: bool) -> Health:
    never = _NEVER_OF_HOSTS if is_host else _NEVER
    if seen.snapshot is None:
        return Health(seen.device, seen.platform, error=seen.error, time=seen.time)
    unasked = [
        name
        for field, name in _EXPECTED.items()
        if getattr(seen.snapshot, field) is None
        and field not in seen.unknown
        and getattr(expected, name)
    ]
    compared = [name for name in _EXPECTED.values() if getattr(expected, name)]
    asked = replace(expected, **{name: type(getattr(expected, name))() for name in unasked})
    return Health(
        seen.device,
        seen.platform,
        deviations=tuple(deviations(asked, seen.snapshot)),
        skipped=(*never, *unasked),
        is_checked=len(compared) > len(unasked),
        time=seen.time,
    )
