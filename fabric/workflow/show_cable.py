"""show cable: the NIC and the switch port at both ends of a cable, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.validate.cable import cable_of
from fabric.workflow.table import Table

if TYPE_CHECKING:
    from fabric.workflow.project import Project

_HEADERS = ("item", "host", "switch", "verdict", "rule", "note")


def cable(project: Project, host: str, interface: str) -> Table:
    """Return one row for each thing that both ends of the cable of a NIC are told.

    Verdicts: ``ok``, ``wrong``, ``note`` (they differ, and may), ``unknown``.

    Raises
    ------
    InputError
        When there is no such host, or it has no such interface.
    """
    if host not in project.hosts:
        raise _unknown(f"host {host!r} does not exist", "`rocefab show hosts` lists them")
    nics = project.hosts[host].nics
    number = next((row for row, nic in enumerate(nics) if nic.interface == interface), None)
    if number is None:
        names = ", ".join(nic.interface for nic in nics)
        raise _unknown(f"{host} has no fabric NIC {interface!r}", f"its NICs are {names}")
    found = cable_of(
        project.model, project.fabric.nics_of_host(project.fabric.host_row[host])[number]
    )
    rows = tuple(
        (line.item, line.host, line.switch, line.verdict, line.rule or "-", line.note or "-")
        for line in found.lines()
    )
    return Table(_HEADERS, rows)


def _unknown(message: str, fix: str) -> InputError:
    return InputError("cable not found", [Finding("CAB001", Severity.ERROR, message, fix)])
