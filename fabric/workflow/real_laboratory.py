"""lab up --real: an inventory in network namespaces, with the daemons of Linux."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.lab.real import Blueprint, RealLab, clean, leftovers, missing_parts, running
from fabric.systems.host.render import render_host
from fabric.workflow.configurations import read_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.core.artefact import Artefact
    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.workflow.project import Project

    Progress = Callable[[str, str], None]

#: Network stacks whose daemon runs in a namespace.
_RUN = ("netplan-networkd", "networkd")
_KINDS = ("netplan", "networkd")
#: Systems whose LLDP names a port by its alias (sonic-buildimage, dockers/docker-lldp/lldpmgrd).
_ALIAS = ("sonic",)
#: Systems that run FRR themselves.
_FRR = ("sonic", "cumulus", "esonic")


def real_laboratory(
    project: Project,
    progress: Progress = lambda _, __: None,
    boot: str = "",
) -> RealLab:
    """Return the real lab of a project; it is not up yet.

    Parameters
    ----------
    boot : str
        Hosts that are booted with systemd, as ``gpu[001-002]``; the others are namespaces.

    Raises
    ------
    InputError
        When the machine lacks something, there is no such host, or a file of a switch cannot be
        read.
    """
    booted = _hosts(project, boot)
    reason = missing_parts(booted=bool(booted))
    if reason:
        raise InputError(f"the real lab cannot run here: {reason}")
    plan = replace(blueprint(project), booted=booted)
    return RealLab(plan, str(project.intent.folder), progress)


def _hosts(project: Project, text: str) -> tuple[str, ...]:
    """Return the hosts that a range names."""
    try:
        names = hostlist.expand(text) if text else []
    except ValueError as error:
        raise InputError(f"hosts to boot: {text!r} is not a range: {error}") from error
    for name in names:
        host = project.hosts.get(name)
        if host is None:
            raise InputError(f"hosts to boot: the inventory has no host {name!r}")
        if host.traits.network_stack not in _RUN:
            raise InputError(f"hosts to boot: {name} uses NetworkManager; the lab runs networkd")
    return tuple(dict.fromkeys(names))


def blueprint(project: Project) -> Blueprint:
    """Return what the real lab of a project is built from.

    Raises
    ------
    InputError
        When the file of a switch cannot be read.
    """
    files, unread, findings = read_files(project, None)
    if findings or unread:
        names = sorted({*(item.device for item in findings), *(item.device for item in unread)})
        raise InputError(f"nothing reads the configuration of {', '.join(names)}", findings)
    artefacts = {name: _host_files(project, host) for name, host in project.hosts.items()}
    sysctls = artefacts | project.switch_artefacts
    return Blueprint(
        devices=project.devices,
        hosts=project.hosts,
        files=files,
        sysctls={
            name: item.text
            for name, items in sysctls.items()
            for item in items
            if item.kind == "sysctl"
        },
        networks={
            name: {
                item.path.partition("/rootfs/")[2]: item.text
                for item in items
                if item.kind in _KINDS
            }
            for name, items in artefacts.items()
        },
        sends_alias=frozenset(
            device.name for device in project.devices.values() if device.platform in _ALIAS
        ),
        notes=tuple(_notes(project)),
    )


def _host_files(project: Project, host: HostDesign) -> list[Artefact]:
    """Return the files of a host; for networkd where its own stack needs a system manager."""
    if host.traits.network_stack in _RUN:
        return project.host_artefacts[host.name]
    traits = host.traits.model_copy(update={"network_stack": "networkd"})
    return render_host(replace(host, traits=traits))


def _notes(project: Project) -> list[str]:
    """Return what stands in for something else."""
    notes = []
    others: dict[str, list[DeviceDesign]] = {}
    for device in project.devices.values():
        others.setdefault(device.platform, []).append(device)
    notes += [
        f"{len(group)} {platform}: stand-ins; routing as read from their files, run by FRR"
        for platform, group in others.items()
        if platform not in _FRR
    ]
    stacks = [h.name for h in project.hosts.values() if h.traits.network_stack not in _RUN]
    if stacks:
        notes.append(f"{counted(len(stacks), 'host')}: networkd instead of NetworkManager")
    notes.append("no gc_thresh sysctls: a network namespace has none")
    return notes


def guide(lab: RealLab) -> str:
    """Return what a person is told of a lab that is up: what it is, and how to look inside."""
    switch = next(iter(lab.blueprint.devices))
    host = next(iter((*lab.blueprint.booted, *lab.blueprint.hosts)), "")
    enter, folder = f"  ip netns exec {lab.namespace(switch)}", lab.folder(switch)
    lines = [
        f"{counted(len(lab.blueprint.names), 'device is', 'devices are')} up. To look inside:",
        f"{enter} vtysh --vty_socket {folder}",
        f"{enter} lldpcli -u {folder}/lldpd.sock show neighbors",
    ]
    if host in lab.blueprint.booted:
        lines.append(f"  {' '.join(lab.management.words(host))}")
    elif host:
        nics = [nic for name, nic in lab.nics() if name == host]
        words = "ip address"
        for nic in nics[:1]:
            words = f"ping -I {nic.address or nic.interface} {nic.gateway}"
        lines.append(f"  ip netns exec {lab.namespace(host)} {words}")
    lines += [f"not as on a real fabric: {note}" for note in lab.blueprint.notes]
    if lab.blueprint.booted:
        lines += [
            "Hosts that were booted have no file of rocefab yet. In another terminal, as root:",
            f"  export ROCEFAB_CONNECTIONS={lab.management.connections_file}",
            f"  rocefab plan {lab.inventory} --only {','.join(lab.blueprint.booted)}",
        ]
    return "\n".join([*lines, "Press Ctrl-C to stop the lab."])


def take_down() -> tuple[int, list[tuple[str, int]]]:
    """Remove what labs left behind whose owner ended.

    Returns
    -------
    int
        Number of labs that were removed.
    list of (str, int)
        Inventory and process of the labs that still run.
    """
    found = leftovers()
    for record in found:
        clean(record)
    return len(found), [(record.inventory, record.owner.pid) for record in running()]
