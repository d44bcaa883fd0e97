"""What plan, verify and drift share: the targets of a project and how they are reached."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.change.expectation import of_host, of_switch
from fabric.change.planner import Target
from fabric.core import hostlist
from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.core.likeness import like_groups, shape
from fabric.devices.connections import connections
from fabric.topology.hardware import planned_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.devices.driver import Connection
    from fabric.workflow.project import Project

#: Devices at a time, each in a thread. Ours: they wait most of the time, so that a wave of so many
#: takes no longer than a small one.
WORKERS = 200


@dataclass(frozen=True)
class Selection:
    """Which devices take part: all, switches or hosts alone, or a range of names.

    Parameters
    ----------
    parallel : int
        How many of them at the same time; 0 for the default of what is done.
    """

    switches: bool = True
    hosts: bool = True
    only: str = ""
    parallel: int = 0


def executor(devices: int, parallel: int = 0) -> Executor:
    """Return an executor for work on so many devices: all of them at once, up to `WORKERS`.

    Parameters
    ----------
    parallel : int
        Another bound; 0 for none.
    """
    return ThreadPoolExecutor(max_workers=max(1, min(parallel or WORKERS, devices)))


def targets(
    project: Project, connections_file: Path | None, selection: Selection
) -> dict[str, Target]:
    """Return every selected device with what it is to become.

    Raises
    ------
    InputError
        When the selection or the connections file names an unknown device.
    """
    reachable = project_connections(project, connections_file)
    names = chosen(project, selection)
    switches = {name: project.devices[name] for name in project.devices if name in names}
    hosts = {name: project.hosts[name] for name in project.hosts if name in names}
    files = _files(project, selection, [*switches], [*hosts])
    aliases = _aliases(project, switches.values(), hosts.values())
    chosen_targets = {
        name: Target(
            connection=reachable[name],
            role=design.role,
            artefacts=tuple(files[name]),
            expected=of_switch(design, aliases),
            serial=design.serial,
            mac=design.mac,
            release=_release(project, design),
        )
        for name, design in switches.items()
    }
    for name, host in hosts.items():
        chosen_targets[name] = Target(
            connection=reachable[name],
            role="host",
            artefacts=tuple(files[name]),
            expected=of_host(host, aliases),
            serial=host.serial,
        )
    return chosen_targets


def _release(project: Project, design: DeviceDesign) -> str:
    """Return the release that the inventory plans; that of the model alone is a default."""
    planned = planned_release(project.intent, design.name, design.role)
    return planned if planned == design.sku.release else ""


def _files(
    project: Project, selection: Selection, switches: Sequence[str], hosts: Sequence[str]
) -> dict[str, list[Artefact]]:
    """Return the files of some devices; where few are named, no others are rendered."""
    if selection.only:
        return {**project.switch_files(switches), **project.host_files(hosts)}
    return {
        **({name: project.switch_artefacts[name] for name in switches} if switches else {}),
        **({name: project.host_artefacts[name] for name in hosts} if hosts else {}),
    }


def _aliases(
    project: Project, switches: Iterable[DeviceDesign], hosts: Iterable[HostDesign]
) -> dict[tuple[str, str], str]:
    """Return the aliases of the ports at the other ends of cables of some devices."""
    peers = {port.peer for design in switches for port in design.ports if port.peer}
    peers |= {nic.leaf for host in hosts for nic in host.nics}
    table, rows = project.fabric.switches, project.fabric.switch_row
    skus = {name: table.skus[rows[name]] for name in peers if name in rows}
    ports = {
        id(sku): [(sku.port(n), sku.alias(n)) for n in range(1, sku.port_count + 1)]
        for sku in skus.values()
    }
    return {(name, port): alias for name, sku in skus.items() for port, alias in ports[id(sku)]}


def project_connections(project: Project, file: Path | None) -> dict[str, Connection]:
    """Return a connection for every device of a project; one file may serve a whole site."""
    switches = project.fabric.switches
    platforms = {name: sku.nos for name, sku in zip(switches.names, switches.skus, strict=True)}
    platforms.update(dict.fromkeys(project.hosts, "host"))
    fabrics = project.site.fabrics.values() if project.site and file else ()
    beside = {name for one in fabrics for name in (*one.switch_row, *one.host_row)}
    return connections(file, platforms, beside=beside)


def chosen(project: Project, selection: Selection) -> set[str]:
    """Return the names of the selected devices.

    Raises
    ------
    InputError
        When the selection names an unknown device.
    """
    names = {*(project.devices if selection.switches else ())}
    names |= {*(project.hosts if selection.hosts else ())}
    if not selection.only:
        return names
    try:
        only = set(hostlist.expand(selection.only))
    except ValueError as error:
        raise _selection_error(str(error)) from error
    unknown = sorted(only - {*project.devices, *project.hosts})
    if unknown:
        raise _selection_error(f"device {unknown[0]!r} is not in the inventory")
    return names & only


def _selection_error(message: str) -> InputError:
    finding = Finding(
        "DEV002", Severity.ERROR, message, "use a range such as su1-rail[0-1],gpu001 for --only"
    )
    return InputError("invalid device selection", [finding])


def fail_on(errors: Sequence[DeviceError], fix: str = "") -> None:
    """Raise device errors as one: the first reason with its devices, the others as notes.

    Parameters
    ----------
    fix : str
        What can be done about it, as the last note.
    """
    if not errors:
        return
    first, *others = grouped({error.device: error.reason for error in errors})
    whole = errors[0] if len(errors) == 1 else DeviceError(*first)
    for names, reason in others:
        whole.add_note(f"{names}: {reason}")
    if fix:
        whole.add_note(fix)
    raise whole from None if len(errors) == 1 else errors[0]


def grouped(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return reasons by device as the devices of each, folded, and the reason; in their order.

    Of reasons that differ in names and numbers alone there is one, with its device.
    """
    rows = []
    for names in like_groups(reasons, lambda name: shape(reasons[name])):
        first = reasons[names[0]]
        is_same = all(reasons[name] == first for name in names)
        rows.append((
            hostlist.fold_inside(names),
            first if is_same else f"such as {names[0]}: {first}",
        ))
    return rows
