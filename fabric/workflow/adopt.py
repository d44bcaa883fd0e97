"""adopt: the lossless policy that comes closest to what runs, as overrides of the inventory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fabric.audit.adoption.differences import buffers, differences, groups
from fabric.audit.adoption.values import known_value, policy_fields
from fabric.audit.adoption.votes import majorities
from fabric.core.errors import FabricError
from fabric.core.findings import Severity
from fabric.workflow.adopt_files import texts, with_files, without_files
from fabric.workflow.adopt_policy import (
    SHARED,
    estimates_off,
    origin_of,
    overrides_of,
    pairs_of,
    policy_of,
    voters_of,
)
from fabric.workflow.check import check
from fabric.workflow.mixed import sides

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.audit.adoption.differences import Difference, Group
    from fabric.audit.adoption.votes import Voter
    from fabric.observe.configuration.lossless import Lossless
    from fabric.workflow.adopt_policy import Overrides
    from fabric.workflow.adopt_reading import Read
    from fabric.workflow.project import Project


@dataclass(frozen=True)
class Adopted:
    """What an adoption comes to.

    Parameters
    ----------
    files : dict of str to str
        Text of each file, by its path in the inventory.
    groups : list of Group
        Devices with one policy, most devices first.
    remaining : dict of str to list of Difference
        What would still change on each device that was read.
    reasons : dict of str to dict of str to str
        Why a field of a device is not kept as it runs.
    decided : dict of str to dict of str to str
        Where another file sets a field of a device and goes before the adopted one.
    unknown : dict of str to list of str
        Fields with the systems whose configuration does not tell them.
    unread : list of str
        Devices of the inventory that were not read.
    errors, warnings : int
        Findings of the rules on the inventory with these files.
    failure : str
        Why the inventory with these files cannot be rendered; empty where it can.
    """

    files: dict[str, str]
    groups: list[Group]
    reasons: dict[str, dict[str, str]]
    unknown: dict[str, list[str]]
    unread: list[str]
    remaining: dict[str, list[Difference]] = field(default_factory=dict)
    decided: dict[str, dict[str, str]] = field(default_factory=dict)
    errors: int = 0
    warnings: int = 0
    failure: str = ""


def adopt(project: Project, read: Read) -> Adopted:
    """Return the policy that comes closest to what devices run.

    An inventory that was adopted before is taken without its adopted files.

    Raises
    ------
    InputError
        When the inventory cannot be rendered, or an adopted file is not of rocefab.
    """
    base = without_files(project)
    rendered = sides(base, {})[0].lossless
    voters = list(voters_of(base, read.devices, rendered))
    usual = majorities(voters)
    overrides = overrides_of(base, voters, usual)
    now, failure = _rendered(base, overrides)
    if now is not None:
        closer = overrides_of(base, voters, usual, estimates_off(voters, read.devices, now))
        if closer != overrides:
            overrides = closer
            now, failure = _rendered(base, overrides)
    return _told(base, read, voters, overrides, now, failure)


def _rendered(
    project: Project, overrides: Overrides
) -> tuple[tuple[Project, Mapping[str, Lossless]] | None, str]:
    """Return the inventory with overrides and what its devices would have, or why it has none."""
    changed = with_files(project, texts(overrides, project))
    try:
        return (changed, sides(changed, {})[0].lossless), ""
    except FabricError as error:
        return None, str(error)


def _told(
    base: Project,
    read: Read,
    voters: list[Voter],
    overrides: Overrides,
    now: tuple[Project, Mapping[str, Lossless]] | None,
    failure: str,
) -> Adopted:
    names = {one.name for one in voters}
    adopted = Adopted(
        files=texts(overrides, base),
        groups=_groups(now[0] if now else base, voters),
        reasons={
            one.name: {field: value.why for field, value in one.values.items() if value.why}
            for one in voters
        },
        unknown=_unknown(base, voters),
        unread=[name for name in (*base.devices, *base.hosts) if name not in names],
        failure=failure,
    )
    if now is None:
        return adopted
    severities = [one.severity for one in check(now[0]).findings]
    return replace(
        adopted,
        remaining={
            name: rest
            for name in sorted(names)
            if (rest := _rest(now[0], name, read.devices[name], now[1]))
        },
        decided=_decided(now[0], overrides),
        errors=severities.count(Severity.ERROR),
        warnings=severities.count(Severity.WARNING),
    )


def _decided(project: Project, overrides: Overrides) -> dict[str, dict[str, str]]:
    """Return the fields whose adopted value does not hold, with the place that does."""
    result: dict[str, dict[str, str]] = {}
    for name, fields in overrides.items():
        policy = policy_of(project, name)
        for one, value in fields.items():
            if known_value(policy, one) != value:
                origin = origin_of(project, name, one)
                place = str(origin.position) if origin.position else origin.level
                result.setdefault(name, {})[one] = place
    return result


def _unknown(project: Project, voters: list[Voter]) -> dict[str, list[str]]:
    """Return the fields that systems do not tell, with the systems."""
    told: dict[str, set[str]] = {}
    for one in voters:
        if one.name in project.devices:
            told.setdefault(project.devices[one.name].platform, set()).update(one.values)
    silent = {
        field: sorted(system for system, fields in told.items() if field not in fields)
        for field in policy_fields()
    }
    return {field: systems for field, systems in silent.items() if systems}


def _groups(project: Project, voters: list[Voter]) -> list[Group]:
    """Return the switches with one policy, then the hosts."""
    known = {field for one in voters for field in one.values}
    fields = [field for field in policy_fields() if field in known]
    policies: dict[bool, dict[str, dict[str, Any]]] = {False: {}, True: {}}
    for one in voters:
        is_host = one.name in project.hosts
        policy = policy_of(project, one.name)
        shown = SHARED if is_host else fields
        policies[is_host][one.name] = {field: known_value(policy, field) for field in shown}
    return [*groups(policies[False]), *groups(policies[True])]


def _rest(
    project: Project, name: str, state: Lossless, rendered: Mapping[str, Lossless]
) -> list[Difference]:
    """Return what a device has otherwise than the adopted inventory gives it."""
    pairs = pairs_of(project, name, state, rendered, policy_of(project, name))
    planned = rendered[name].ports if name in rendered else {}
    return differences({
        port: (now | buffers(state.ports[port]), then | buffers(planned[port]))
        for port, (now, then) in pairs.items()
    })
