"""Files of an audit that stand beside the configuration of a switch, and files of `render`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.audit.host_class import HOST
from fabric.core.counts import counted, noun
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.observe.saved.reading import saved_hosts
from fabric.render.manifest import MANIFEST, digests_of
from fabric.systems.sonic.platforms import SYSCTL_FILE

if TYPE_CHECKING:
    from collections.abc import Collection

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


def without_rendered(saved: Saved, named: Collection[Path]) -> Saved:
    """Return what was read, with files that `rocefab render` wrote for hosts among the unknown.

    They are what hosts are to get, and no outputs that were saved on them.

    Parameters
    ----------
    named : collection of Path
        What the user named: a file that is named itself stays.

    Raises
    ------
    InputError
        When nothing else was read.
    """
    written = for_hosts([*saved.texts])
    ours = {file for files in written.values() for file in files} - {*named}
    systems = {file: name for file, name in saved.systems.items() if file not in ours}
    if saved.systems and not systems:
        raise InputError("nothing was read", [not_read(*item) for item in written.items()])
    outputs = {file: saved.texts[file] for file, name in systems.items() if name == HOST}
    unknown = (*saved.unknown, *(file for file in saved.systems if file in ours))
    return replace(saved, systems=systems, hosts=saved_hosts(outputs), unknown=unknown)


def for_hosts(files: Collection[Path]) -> dict[Path, set[Path]]:
    """Return the files that `rocefab render` wrote for hosts, by its manifest, which is one."""
    folders = sorted({folder for file in files for folder in file.parents})
    written = {folder / MANIFEST: _of_hosts(folder) & {*files} for folder in folders}
    return {manifest: some for manifest, some in written.items() if some}


def _of_hosts(folder: Path) -> set[Path]:
    paths = [path for path in digests_of(folder) if "hosts" in path.split("/")]
    return {folder / path for path in (*paths, *([MANIFEST] if paths else ()))}


def not_read(manifest: Path, files: Collection[Path]) -> Finding:
    """Return that files that `rocefab render` wrote for hosts are not read."""
    number = len({*files} - {manifest})
    are = noun(number, "is", "are")
    message = f"{counted(number, 'file')} that `rocefab render` wrote for hosts {are} not read"
    fix = "audit outputs that were saved on the hosts; docs/audit.md lists them"
    return Finding("AUD019", Severity.INFO, message, fix, "", Position(str(manifest)))


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
