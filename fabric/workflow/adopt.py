"""adopt: the lossless policy that comes closest to what runs, as overrides of the inventory."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fabric.audit.adoption.class_values import single_field
from fabric.audit.adoption.differences import differences, groups, others
from fabric.audit.adoption.shares import scaled
from fabric.audit.adoption.traits import PRIORITIES
from fabric.audit.adoption.values import known_value, policy_fields
from fabric.audit.adoption.votes import majorities
from fabric.core.errors import InputError, RenderError, UnsupportedError
from fabric.core.findings import Finding, Severity
from fabric.intent.classes import lossless_classes
from fabric.workflow.adopt_borrowed import Borrowed, borrowed
from fabric.workflow.adopt_classes import with_lists
from fabric.workflow.adopt_files import texts, with_files, with_needs, without_files
from fabric.workflow.adopt_policy import (
    OF_LIST,
    SHARED,
    closer_estimates,
    origin_of,
    overrides_of,
    pairs_of,
    policy_of,
    voters_of,
)
from fabric.workflow.adopt_unset import Tenancy, other_breakouts
from fabric.workflow.check import check
from fabric.workflow.configurations import whole
from fabric.workflow.init_needs import needed_of
from fabric.workflow.sides import Side, planned_nics
from fabric.workflow.stages import rendered_switch

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.audit.adoption.differences import Difference, Group
    from fabric.audit.adoption.votes import Voter
    from fabric.intent.classes import LosslessClass
    from fabric.intent.policy import LosslessPolicy
    from fabric.observe.configuration.lossless import Lossless
    from fabric.workflow.adopt_policy import Overrides
    from fabric.workflow.adopt_reading import Read
    from fabric.workflow.project import Project

#: How often estimates are rendered and corrected; the second time rounding is all that is wrong.
_ROUNDS = 3


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
    borrowed : list of Borrowed
        Roles of switches of which none was read, with what they take from others.
    errors : list of Finding
        What rules reject on the inventory with these files.
    warnings : int
        How many warnings they give.
    failure : str
        Why some devices cannot be rendered with these files; empty where all can.
    vrfs : list of Finding
        VRFs of tenants that run and that the inventory does not have.
    """

    files: dict[str, str]
    groups: list[Group]
    reasons: dict[str, dict[str, str]]
    unknown: dict[str, list[str]]
    unread: list[str]
    borrowed: list[Borrowed]
    remaining: dict[str, list[Difference]]
    decided: dict[str, dict[str, str]]
    errors: list[Finding]
    warnings: int
    failure: str
    vrfs: list[Finding]


def adopt(project: Project, read: Read) -> Adopted:
    """Return the policy that comes closest to what devices run.

    An inventory that was adopted before is taken without its adopted files.

    Raises
    ------
    InputError
        When nothing was read, or an adopted file is not of rocefab.
    """
    base = without_files(project)
    listed, left_out = with_lists(base, read.devices)
    rendered, failure = _rendered(listed, read.devices)
    needs = {
        name: dict(needed_of(base.devices[name].sku))
        for name in read.devices
        if name in base.devices and name not in rendered
    }
    judged = with_needs(listed, {name: fields for name, fields in needs.items() if fields})
    if judged is not listed:
        rendered, failure = _rendered(judged, read.devices)
    voters = list(voters_of(judged, read.devices, rendered))
    if not voters:
        raise _nothing(read, failure)
    usual = majorities(voters)
    overrides = overrides_of(base, listed, voters, usual)
    changed = base
    if overrides:
        changed = with_files(base, texts(overrides, base))
        rendered, failure = _rendered(changed, read.devices)
    own: Overrides = {}
    for _ in range(_ROUNDS):
        for name, fields in closer_estimates(changed, voters, read.devices, rendered).items():
            own.setdefault(name, {}).update(fields)
        closer = overrides_of(base, listed, voters, usual, own)
        if closer == overrides:
            break
        overrides, changed = closer, with_files(base, texts(closer, base))
        rendered, failure = _rendered(changed, read.devices)
    outcome = check(changed)
    names = {one.name for one in voters}
    tenancy = Tenancy(changed, read)
    return Adopted(
        files=texts(overrides, base),
        groups=_groups(changed, voters),
        reasons={
            one.name: scaled(one.base, one.contents(exact=True) | one.contents(exact=False))
            | {name: value.why for name, value in one.values.items() if value.why}
            | ({PRIORITIES: left_out[one.name]} if one.name in left_out else {})
            for one in voters
        },
        unknown=_unknown(base, voters, overrides),
        borrowed=list(borrowed(base, voters, overrides)),
        unread=[name for name in (*base.devices, *base.hosts) if name not in names],
        remaining={
            name: rest
            for name in sorted(names)
            if (rest := _rest(changed, name, read.devices[name], rendered, tenancy))
        },
        decided=_decided(changed, overrides),
        errors=[one for one in outcome.findings if one.severity is Severity.ERROR],
        warnings=sum(one.severity is Severity.WARNING for one in outcome.findings),
        failure=failure,
        vrfs=tenancy.lost(),
    )


def _nothing(read: Read, failure: str) -> InputError:
    if failure:
        return InputError(f"nothing was adopted: a switch cannot be rendered: {failure}")
    message = "no lossless policy of a device of the inventory was read"
    fix = "name files as their devices, or set the host name in them"
    reasons = [Finding("AUD019", Severity.ERROR, text, fix) for text in (*read.warnings, message)]
    return InputError("nothing was adopted", reasons)


def _rendered(project: Project, names: Collection[str]) -> tuple[dict[str, Lossless], str]:
    """Return what devices have by an inventory, and why some of them cannot be rendered."""
    platforms = {name: design.platform for name, design in project.devices.items()}
    texts_by_name, failure = {}, ""
    try:
        files = project.switch_artefacts
        texts_by_name = {name: whole(files[name]).text for name in files if name in names}
    except UnsupportedError as error:
        failure = "; ".join(map(str, error.findings))
        for name in platforms.keys() & names:
            with suppress(RenderError):
                texts_by_name[name] = whole(rendered_switch(project.devices[name])).text
    nics = {name: planned_nics(project, name) for name in project.hosts if name in names}
    return Side(platforms, texts_by_name, nics).lossless, failure


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


def _unknown(project: Project, voters: list[Voter], overrides: Overrides) -> dict[str, list[str]]:
    """Return the fields that systems do not tell, with the systems; not those that are written."""
    told: dict[str, set[str]] = {}
    for one in voters:
        if one.name in project.devices:
            fields = told.setdefault(project.devices[one.name].platform, {"classes"})
            fields.update(single_field(name) for name in one.values)
            fields.update(overrides.get(one.name, {}))
            fields.update({PRIORITIES} if one.base.classes else ())
    silent = {
        field: sorted(system for system, fields in told.items() if field not in fields)
        for field in policy_fields()
    }
    return {field: systems for field, systems in silent.items() if systems}


def _groups(project: Project, voters: list[Voter]) -> list[Group]:
    """Return the switches with one policy, then the hosts."""
    known = {single_field(field) for one in voters for field in one.values}
    fields = [field for field in policy_fields() if field in known]
    policies = {one.name: policy_of(project, one.name) for one in voters}
    if any(policy.classes for policy in policies.values()):
        fields = ["classes", *(field for field in fields if field not in OF_LIST)]
    shown: dict[bool, dict[str, dict[str, Any]]] = {False: {}, True: {}}
    for name, policy in policies.items():
        is_host = name in project.hosts
        shown[is_host][name] = {
            field: _plain_classes(policy) if field == "classes" else known_value(policy, field)
            for field in fields
            if not is_host or field in SHARED
        }
    return [*groups(shown[False]), *groups(shown[True])]


def _plain_classes(policy: LosslessPolicy) -> tuple[LosslessClass, ...]:
    """Return the classes of a policy, whatever field sets their values."""
    return tuple(
        replace(one, own_thresholds=False, own_ecn=frozenset(), number=None)
        for one in lossless_classes(policy)
    )


def _rest(
    project: Project,
    name: str,
    state: Lossless,
    rendered: Mapping[str, Lossless],
    tenancy: Tenancy,
) -> list[Difference]:
    """Return what a device has otherwise than the adopted inventory gives it."""
    pairs = pairs_of(project, name, state, rendered, policy_of(project, name))
    planned = rendered[name].ports if name in rendered else {}
    both = {}
    for port, (now, then) in pairs.items():
        vrf, planned_vrf = tenancy.of_port(name, port)
        both[port] = (
            now | others(state.ports[port]) | vrf,
            then | others(planned[port]) | planned_vrf,
        )
    breakouts = other_breakouts(project.devices[name], state) if name in project.devices else []
    return [*differences(both), *breakouts]
