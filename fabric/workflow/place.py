"""place: hosts, ranks and settings for a job."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.environment import environment
from fabric.placement.gids import expected_gids
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
    placement = choose(
        fabric,
        nodes,
        gpus_per_node or project.intent.fabric.host.gpus,
        host_names(excluded) if excluded else (),
    )
    by_host = {host: environment(fabric, placement, host) for host in placement.hosts}
    common = next(iter(by_host.values()))
    differing = {host: own.values for host, own in by_host.items() if own.values != common.values}
    return {
        "fabric": project.intent.fabric.name,
        "hosts": list(placement.hosts),
        "hostlist": hostlist.fold(placement.hosts),
        "units": {unit: list(hosts) for unit, hosts in placement.units.items()},
        "rails": list(placement.rails),
        "spine_crossings_per_rail": placement.spine_crossings,
        "reason": placement.reason,
        "environment": common.values,
        "environment_reasons": {item.name: item.reason for item in common.settings},
        "environment_left_out": {item.name: item.reason for item in common.left_out},
        "environment_by_host": differing,
        "gids": {
            host: [asdict(gid) for gid in expected_gids(fabric, host)] for host in placement.hosts
        },
        "ranks": [asdict(rank) for rank in placement.ranks],
    }


def host_names(text: str) -> list[str]:
    """Return the hosts of a range, or raise InputError."""
    try:
        return hostlist.expand(text)
    except ValueError as error:
        finding = Finding(
            "PLC004", Severity.ERROR, str(error), "use a range such as gpu[001-004] for --exclude"
        )
        raise InputError("invalid host list", [finding]) from error
