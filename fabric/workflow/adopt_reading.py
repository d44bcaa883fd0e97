"""What the devices of a project run, in the neutral form: read from them, or from saved files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fabric.audit.host_class import HOST, lossless
from fabric.change.adapter import adapters
from fabric.change.planner import check_identity, open_driver
from fabric.core.counts import counted
from fabric.core.errors import DeviceError
from fabric.core.shown import printable
from fabric.observe import read_running
from fabric.workflow.audit_folders import for_hosts, not_read
from fabric.workflow.devices import Selection, executor, fail_on, targets
from fabric.workflow.saved import read_saved
from fabric.workflow.sides import Side, sides
from fabric.workflow.switch_vrfs import vrfs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.change.planner import Target
    from fabric.exchange.vrfs import SwitchVrf
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.snapshot import Running
    from fabric.workflow.project import Project
    from fabric.workflow.saved import Saved


#: Files that no system recognises, which are named; our choice.
_NAMED = 5


@dataclass(frozen=True)
class Read:
    """What was read.

    Parameters
    ----------
    devices : dict of str to Lossless
        By the name that the inventory has.
    warnings : list of str
        What was not used, and why.
    failed : dict of str to str
        Devices that did not answer, and why.
    vrfs : dict of str to dict of str to SwitchVrf
        VRFs of tenants of each switch.
    """

    devices: dict[str, Lossless] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    vrfs: dict[str, dict[str, SwitchVrf]] = field(default_factory=dict)


def from_files(project: Project, folder: Path) -> Read:
    """Return what saved configurations and outputs of hosts say.

    Raises
    ------
    InputError
        When a file cannot be read.
    """
    saved = read_saved([folder])
    written = for_hosts([*saved.texts])
    ours = {file for some in written.values() for file in some}
    read = Read(warnings=[*_unused(written, [file for file in saved.unknown if file not in ours])])
    files: dict[Path, str] = {}
    for file, name, state in _states(project, saved):
        if file in ours:
            continue
        platform = project.devices[name].platform if name in project.devices else HOST
        if name not in project.devices and name not in project.hosts:
            read.warnings.append(f"{_shown(file)}: the inventory has no device {printable(name)}")
        elif platform != state.system:
            message = f"the file is of {state.system}, the inventory has {platform}"
            read.warnings.append(f"{_shown(file)}: {name}: {message}")
        elif name in read.devices:
            read.warnings.append(f"{_shown(file)}: a second file of {name}; the first one is used")
        else:
            read.devices[name] = state
            files |= {} if name in project.hosts else {file: name}
    texts = {name: saved.texts[file] for file, name in files.items()}
    side = Side({name: read.devices[name].system for name in texts}, texts, {})
    return replace(read, vrfs=_vrfs(read, side))


def _unused(written: Mapping[Path, Collection[Path]], unknown: Sequence[Path]) -> Iterator[str]:
    """Yield which files are not read: those of `rocefab render` for hosts, and unknown ones."""
    for manifest, files in written.items():
        yield f"{_shown(manifest)}: {not_read(manifest, files).message}"
    yield from (f"{_shown(file)}: no system recognises this file" for file in unknown[:_NAMED])
    if unknown[_NAMED:]:
        yield f"{counted(len(unknown) - _NAMED, 'more file')} that no system recognises"


def _states(project: Project, saved: Saved) -> Iterator[tuple[Path, str, Lossless]]:
    """Yield each device with its file: named in the configuration, else as file or folder."""
    known = {*project.devices, *project.hosts}
    for file, state in saved.switches.items():
        names = (state.name, file.stem, file.parent.name)
        yield file, next((one for one in names if one in known), state.name or file.stem), state
    for host in saved.hosts:
        first = next(iter(host.outputs.values()))
        yield first.file, host.name, lossless(host)


def _shown(file: Path) -> str:
    return printable(str(file))


def from_devices(
    project: Project,
    connections_file: Path | None,
    progress: Callable[[str, str], None],
    parallel: int = 0,
) -> Read:
    """Return what switches and hosts run, read so many at a time; 0 for the default.

    Raises
    ------
    InputError
        When the connections file is wrong.
    DeviceError
        When no device can be read.
    """
    chosen = targets(project, connections_file, Selection())
    states: dict[str, Running] = {}
    errors: list[DeviceError] = []
    with executor(len(chosen), parallel) as pool:
        futures = {name: pool.submit(_running, target) for name, target in chosen.items()}
        for name, future in futures.items():
            try:
                states[name] = future.result()
                progress(name, "read")
            except DeviceError as error:
                errors.append(error)
                progress(name, str(error))
    if not states:
        fail_on(errors)
    before, _ = sides(project, states)
    devices = {name: state for name, state in before.lossless.items() if name in states}
    failed = {error.device: str(error) for error in errors}
    unread = states.keys() - devices.keys()
    warnings = [f"{name}: its configuration cannot be read" for name in sorted(unread)]
    read = Read(devices, warnings, failed)
    return replace(read, vrfs=_vrfs(read, before))


def _vrfs(read: Read, side: Side) -> dict[str, dict[str, SwitchVrf]]:
    """Return the VRFs of the switches that were read; a warning names others."""
    for name in sorted(side.texts.keys() & read.devices.keys() - side.routing.keys()):
        read.warnings.append(f"{name}: its VRFs cannot be read")
    return {name: vrfs_of(side.routing[name]) for name in side.routing.keys() & read.devices.keys()}


def _running(target: Target) -> Running:
    """Return the running state of a device that is the planned one."""
    driver = open_driver(target.connection)
    try:
        check_identity(driver.identify(), target.connection.device, target.serial, target.mac)
        adapter = adapters[target.connection.platform]
        artefacts = target.artefacts
        return read_running(driver, adapter.files(artefacts), adapter.subjects(artefacts))
    finally:
        driver.close()
