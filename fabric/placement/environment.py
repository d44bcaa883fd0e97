"""The environment of a job: ours, with what the user has set kept as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Severity
from fabric.placement.job_host import job_host
from fabric.placement.libraries import library_environment
from fabric.placement.nccl import nccl_environment
from fabric.placement.setting import Environment, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.findings import Position
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric


@dataclass(frozen=True, slots=True)
class UserValue:
    """A variable that the user has set, and where it stands."""

    value: str
    position: Position | None = None


def environment(
    fabric: Fabric, placement: Placement, host: str, version: str | None = None
) -> Environment:
    """Return the environment of the ranks on one host of a placement.

    Parameters
    ----------
    version : str or None
        Release of NCCL in the image of the job; None is what the inventory says.

    Raises
    ------
    InputError
        When there is no such release.
    """
    job = job_host(fabric, placement, host, version)
    nccl, others = nccl_environment(job), library_environment(job)
    return Environment(nccl.settings + others.settings, nccl.left_out + others.left_out)


def keep_users(
    ours: Environment, users: Mapping[str, UserValue]
) -> tuple[tuple[Setting, ...], list[Finding]]:
    """Return our settings with those of the user in their place, and what differs.

    Nothing that the user has set is changed or removed. What differs is told, with our value and
    its reason; what we leave out on purpose is told with that reason.
    """
    kept = {name: Setting(name, item.value, "set by the user") for name, item in users.items()}
    mine = {item.name: item for item in ours.settings}
    merged = tuple({**mine, **kept}.values())
    return merged, [*_differing(mine, users), *_left_out(ours, users)]


def _differing(mine: Mapping[str, Setting], users: Mapping[str, UserValue]) -> list[Finding]:
    return [
        Finding(
            "PLC010",
            Severity.WARNING,
            f"{name} is {item.value!a} and is kept; rocefab would set {mine[name].value!a}: "
            f"{mine[name].reason}",
            "remove it unless you have a specific reason",
            position=item.position,
        )
        for name, item in users.items()
        if name in mine and mine[name].value != item.value
    ]


def _left_out(ours: Environment, users: Mapping[str, UserValue]) -> list[Finding]:
    reasons = {item.name: item.reason for item in ours.left_out}
    return [
        Finding(
            "PLC011",
            Severity.INFO,
            f"{name} is {item.value!a} and is kept; rocefab does not set it: {reasons[name]}",
            position=item.position,
        )
        for name, item in users.items()
        if name in reasons
    ]
