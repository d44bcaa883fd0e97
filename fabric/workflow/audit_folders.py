"""Files of an audit that stand beside the configuration of a switch, and files of `render`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.audit.host_class import HOST
from fabric.core.findings import Severity
from fabric.systems.sonic.platforms import SYSCTL_FILE

if TYPE_CHECKING:
    from fabric.core.findings import Finding
    from fabric.workflow.saved import Saved

#: Judges whether a CONFIG_DB is complete, which one that `render` writes is not.
_NO_MAC = "SON046"


def systems_of_files(saved: Saved) -> dict[str, str]:
    """Return the system of each file; kernel parameters in the folder of a switch are its own."""
    folders = {
        file.parent: lossless.system
        for file, lossless in saved.switches.items()
        if sum(other.parent == file.parent for other in saved.switches) == 1
    }
    own = {file: folders.get(file.parent) for file in saved.systems if file.name == SYSCTL_FILE}
    return {str(file): own.get(file) or name for file, name in saved.systems.items()}


def counts(systems: dict[str, str], saved: Saved) -> tuple[int, int]:
    """Return how many switches there are, and how many hosts."""
    of_hosts = [Path(file) for file, name in systems.items() if name == HOST]
    named = (
        host for host in saved.hosts if {one.file for one in host.outputs.values()} & {*of_hosts}
    )
    return len(saved.switches), len([*named])


def as_rendered(finding: Finding) -> Finding:
    """Return a finding about a file of `rocefab render` that `rocefab apply` completes as a note.

    `render` puts the file of kernel parameters beside it. Any other file has no inventory.
    """
    place = finding.position
    if finding.rule != _NO_MAC or place is None:
        return finding
    is_ours = Path(place.file).with_name(SYSCTL_FILE).is_file()
    if is_ours:
        return replace(finding, severity=Severity.INFO)
    return replace(finding, fix="export the whole config_db.json of the switch")
