"""export ansible: hosts and switches in groups, and the files of each host."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.devices.candidate import files_of
from fabric.observe.snapshot import Running
from fabric.systems.host.adapters import HostAdapter
from fabric.workflow.devices import project_connections

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.devices.candidate import RemoteFile
    from fabric.devices.driver import Connection
    from fabric.workflow.project import Project

_HEAD = "# Written by rocefab from the inventory.\n"


@dataclass(frozen=True)
class AnsibleOrder:
    """A project, and the file that says how its devices are reached."""

    project: Project
    connections: Path | None = None


def inventory(project: Project, connections_file: Path | None = None) -> str:
    """Return an inventory of Ansible in YAML.

    Groups: ``gpu_hosts`` and ``switches``; ``leaf`` and ``spine``; ``unit_NAME``, ``rail_N`` and
    ``leaf_NAME`` hold the hosts that are there, ``platform_NAME`` the switches of a system. A host
    says in ``rocefab_files`` which rendered files belong where, and with which mode, and in
    ``rocefab_namespace`` what its files are called by where that is not rocefab alone.

    Parameters
    ----------
    connections_file : Path, optional
        How devices are reached; without it their names are. Passwords are never in it.

    Raises
    ------
    InputError
        When the connections file is wrong.
    """
    reachable = project_connections(project, connections_file) if connections_file else {}
    groups: dict[str, set[str]] = {}
    children: dict[str, dict[str, Any]] = {"gpu_hosts": {}, "switches": {}}
    for name, design in project.devices.items():
        children["switches"][name] = {"rocefab_platform": design.platform, **_way(reachable, name)}
        for group in (design.role, f"platform_{_group(design.platform)}"):
            groups.setdefault(group, set()).add(name)
    for name, host in project.hosts.items():
        nics = [nic for nic in host.nics if nic.enabled]
        children["gpu_hosts"][name] = {
            "rocefab_unit": host.unit,
            "rocefab_files": _files(project.host_artefacts[name]),
            **({"rocefab_namespace": host.namespace} if host.namespace else {}),
            **_way(reachable, name),
        }
        own = [f"unit_{_group(host.unit)}", *(f"rail_{nic.rail}" for nic in nics)]
        for group in (*own, *(f"leaf_{_group(nic.leaf)}" for nic in nics)):
            groups.setdefault(group, set()).add(name)
    tree = {group: {"hosts": members} for group, members in children.items()}
    tree |= {
        group: {"hosts": dict.fromkeys(sorted(members), None)}
        for group, members in sorted(groups.items())
    }
    return _HEAD + yaml.safe_dump({"all": {"children": tree}}, sort_keys=False)


def _group(name: str) -> str:
    """Return a name that may be that of a group: letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _way(reachable: dict[str, Connection], name: str) -> dict[str, Any]:
    connection = reachable.get(name)
    if connection is None:
        return {}
    return {
        "ansible_host": connection.address,
        "ansible_port": connection.port,
        "ansible_user": connection.username,
    }


def _files(artefacts: list[Artefact]) -> list[dict[str, str]]:
    """Return source below the folder of `rocefab render`, path on the host, and mode."""
    sources = {
        f"/{item.path.partition('rootfs/')[2]}": item.path
        for item in artefacts
        if "rootfs/" in item.path
    }
    return [
        {"src": sources[file.path], "dest": file.path, "mode": f"{file.mode:04o}"}
        for file in _placed(artefacts)
    ]


def _placed(artefacts: list[Artefact]) -> tuple[RemoteFile, ...]:
    """Return the files that a host gets which has none yet."""
    empty = Running("", "host", {"nics": {}}, "", None, {})
    draft = HostAdapter().draft(empty, artefacts, None)  # type: ignore[arg-type]
    return files_of(draft.candidate).files


def _hosts(order: AnsibleOrder) -> Exported:
    text = inventory(order.project, order.connections)
    return Exported((text_file("ansible", "hosts", "hosts.yml", text),))


exporters.add("ansible")(
    Exporter(
        {"hosts": _hosts}, about=About.ANSIBLE, title="inventory of Ansible, for the playbooks"
    )
)
