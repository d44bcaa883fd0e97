"""lab: the embedded lab, cabled as an inventory says."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.files import write_whole
from fabric.devices.connections import PASSWORD_VARIABLE
from fabric.lab.lab import Lab
from fabric.lab.shell.syntax import shfmt
from fabric.lab.wiring import specs, whole_hosts, wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.workflow.project import Project

CONNECTIONS = "connections.json"
PASSWORD = "password"  # noqa: S105 - the name of a file


@contextmanager
def laboratory(project: Project, folder: Path) -> Iterator[Lab]:
    """Run a lab for a project; the folder says how to reach it.

    Parameters
    ----------
    folder : Path
        Gets ``connections.json`` and ``password``, readable by the owner alone.
    """
    with _running(project.devices, project.hosts, folder) as lab:
        yield lab


@contextmanager
def site_laboratory(projects: Mapping[str, Project], folder: Path) -> Iterator[Lab]:
    """Run a lab for all fabrics of a site; a host in several has the NICs of all."""
    devices = {name: one for project in projects.values() for name, one in project.devices.items()}
    with _running(devices, whole_hosts([p.hosts for p in projects.values()]), folder) as lab:
        yield lab


def check_installed() -> None:
    """Check that the libraries of the lab are there.

    Raises
    ------
    InputError
        When they are not: they are an extra of the distribution.
    """
    missing = "asyncssh" if find_spec("asyncssh") is None else "" if shfmt() else "shfmt"
    if missing:
        raise InputError(f"the lab needs {missing}; install it with: pip install 'rocefab[lab]'")


@contextmanager
def _running(
    devices: Mapping[str, DeviceDesign], hosts: Mapping[str, HostDesign], folder: Path
) -> Iterator[Lab]:
    check_installed()
    password = os.environ.get(PASSWORD_VARIABLE) or secrets.token_urlsafe(16)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Lab(specs(devices, hosts, password)) as lab:
        wire(lab, devices)
        _write(folder / PASSWORD, password + "\n")
        _write(folder / CONNECTIONS, json.dumps(connections_of(lab), indent=1) + "\n")
        yield lab


def connections_of(lab: Lab) -> dict[str, object]:
    """Return the content of a connections file for a running lab."""
    return {
        "devices": {
            name: {
                "address": lab[name].address,
                "port": lab[name].port,
                "username": lab[name].spec.username,
                "trust": lab[name].trust,
            }
            for name in lab.names()
        }
    }


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode(), 0o600)
