"""place and export: hosts, ranks and settings for a job; topology files for schedulers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.export import exporters, load_exporters
from fabric.placement.nccl import settings
from fabric.placement.place import place as choose

if TYPE_CHECKING:
    from fabric.workflow.project import Project


def place(
    project: Project, nodes: int, gpus_per_node: int | None, excluded: str = ""
) -> dict[str, Any]:
    """Return a placement as plain data.

    Parameters
    ----------
    gpus_per_node : int or None
        GPUs per host; None means all of them.
    excluded : str
        Hosts that must not be used, as a range.

    Raises
    ------
    InputError
        When the request cannot be met, with the reason.
    """
    fabric = project.fabric
    found = choose(
        fabric,
        nodes,
        gpus_per_node or project.intent.fabric.host.gpus,
        _names(excluded) if excluded else (),
    )
    by_host = {host: settings(fabric, found, host) for host in found.hosts}
    common = next(iter(by_host.values()))
    differing = {
        host: {item.name: item.value for item in own}
        for host, own in by_host.items()
        if own != common
    }
    return {
        "fabric": project.intent.fabric.name,
        "hosts": list(found.hosts),
        "hostlist": hostlist.fold(found.hosts),
        "units": {unit: list(hosts) for unit, hosts in found.units.items()},
        "rails": list(found.rails),
        "spine_crossings_per_rail": found.spine_crossings,
        "reason": found.reason,
        "environment": {item.name: item.value for item in common},
        "environment_reasons": {item.name: item.reason for item in common},
        "environment_by_host": differing,
        "ranks": [asdict(rank) for rank in found.ranks],
    }


def export(project: Project, form: str) -> str:
    """Return a topology file for a scheduler.

    Raises
    ------
    InputError
        When there is no such form, or the fabric does not fit it.
    """
    load_exporters()
    if form not in exporters:
        message = f"there is no export {form!r}; there are {', '.join(exporters)}"
        raise InputError("unknown export", [Finding("PLC003", Severity.ERROR, message)])
    return exporters[form](project.fabric)


def _names(text: str) -> list[str]:
    try:
        return hostlist.expand(text)
    except ValueError as error:
        finding = Finding("PLC004", Severity.ERROR, str(error), "write --exclude as gpu[001-004]")
        raise InputError("the list of hosts is wrong", [finding]) from error
