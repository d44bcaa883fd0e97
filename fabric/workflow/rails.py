"""rails: which NICs are on their rails, by LLDP as devices tell it now or in a file of readings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.exports import refused
from fabric.core.findings import Finding, Severity
from fabric.topology.rails import NicRail, rails_by_lldp
from fabric.workflow.cabling import Selection, read_cables, reports_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from fabric.core.errors import InputError
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project
    from fabric.workflow.recording import Recording

#: NICs that are named, each in a line: a screen.
_NAMED = 20


@dataclass(frozen=True)
class Rails:
    """The rail of every NIC that is on.

    Parameters
    ----------
    read_at : datetime
        When the newest reading was taken, UTC.
    excluded : frozenset of str
        Hosts that are no nodes of a cluster.
    """

    fabric: Fabric
    nics: tuple[NicRail, ...]
    read_at: datetime
    excluded: frozenset[str] = frozenset()

    @property
    def withdrawn(self) -> tuple[NicRail, ...]:
        """NICs that are not known to be on their rails."""
        return tuple(nic for nic in self.nics if not nic.is_on_rail)

    def notes(self) -> tuple[Finding, ...]:
        """Return why NICs are withdrawn, a finding for each of the first."""
        listed = self.withdrawn
        more = len(listed) - _NAMED
        fix = "`rocefab cabling` lists the plugs to move"
        rest = (Finding("PLC036", Severity.WARNING, f"and {counted(more, 'more NIC')}", fix),)
        return (*(_note(nic, fix) for nic in listed[:_NAMED]), *(rest if more > 0 else ()))


def rails(
    project: Project,
    connections_file: Path | None = None,
    recording: Recording | None = None,
    parallel: int = 0,
) -> Rails:
    """Read LLDP and links of the devices, and return the rail of every NIC.

    MAC tables do not count: an address may be learned through a switch in between.

    Raises
    ------
    InputError
        As `cabling`, and when no device was read or no reading has a time.
    """
    seen_devices = read_cables(
        project, connections_file, Selection(parallel=parallel), lambda *_: None, recording
    )
    reports = reports_of(project, seen_devices, by_mac=False)
    times = {
        seen.device: seen.time
        for seen in seen_devices
        if seen.snapshot is not None and seen.snapshot.lldp is not None
    }
    dated = [time for time in times.values() if time]
    if not dated:
        if seen_devices and all(seen.snapshot is None for seen in seen_devices):
            raise _unreached(seen_devices[0].device, seen_devices[0].error)
        message = "no device has a reading of LLDP with its time"
        fix = "read switches or hosts with LLDP: `rocefab observe --field lldp --field interfaces`"
        raise refused("PLC037", message, fix)
    return Rails(project.fabric, rails_by_lldp(project.fabric, reports, times), max(dated))


def _unreached(device: str, error: str | None) -> InputError:
    message = f"no device could be read; {device}: {error or 'no reason is known'}"
    fix = "read the devices first: `rocefab observe --field lldp --field interfaces`"
    return refused("PLC037", message, fix)


def _note(nic: NicRail, fix: str) -> Finding:
    seen = f": LLDP sees it at {_text(nic.seen)}" if nic.seen else ""
    message = f"{nic.interface} is withdrawn, {nic.state}{seen}; planned: {_text(nic.planned)}"
    return Finding("PLC036", Severity.WARNING, message, fix, device=nic.host)


def _text(end: tuple[str, str]) -> str:
    return f"{end[0]} {end[1] or '(port unknown)'}"
