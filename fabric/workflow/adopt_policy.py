"""Overrides of an inventory that give every device the lossless policy that it runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.audit.adoption.class_values import is_class_field, single_field, with_values
from fabric.audit.adoption.shares import whole_shares
from fabric.audit.adoption.traits import traits
from fabric.audit.adoption.values import known_value, policy_fields, value_of
from fabric.audit.adoption.votes import voter
from fabric.intent.classes import ONE_CLASS
from fabric.intent.policy import merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.audit.adoption.traits import Traits
    from fabric.audit.adoption.votes import Fields, Voter
    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import Origin
    from fabric.observe.configuration.lossless import Lossless
    from fabric.workflow.project import Project

    Overrides = dict[str, Fields]

#: What a saved or live host tells; of its NICs nothing else is in the neutral form.
_OF_HOSTS = frozenset({"pfc", "pfc_priority", "roce_dscp"})
#: What it tells of each class of a list.
_OF_CLASSES = frozenset({"roce_dscp", "scheduler.lossless_percent"})
#: What a host takes over from its leaves where it is not read: both ends of a cable agree on it.
SHARED = ("classes", "roce_dscp", "cnp_dscp", "pfc_priority", "cnp_traffic_class", "pfc")
#: Written together: some switch models take thresholds only where both are set.
_TOGETHER = ("ecn.kmin_bytes", "ecn.kmax_bytes")
#: Fields that have the number of the priority in most policies.
_CLASSES = ("traffic_class", "queue", "priority_group")
#: What a policy with a list says there, class by class.
OF_LIST = frozenset({*ONE_CLASS, *_TOGETHER, "ecn.pmax_percent", "scheduler.lossless_percent"})
#: What a watchdog that is off does not have.
_TIMES = (
    "watchdog.action",
    "watchdog.detection_ms",
    "watchdog.restoration_ms",
    "watchdog.poll_ms",
)


def voters_of(
    project: Project, running: Mapping[str, Lossless], rendered: Mapping[str, Lossless]
) -> Iterator[Voter]:
    """Yield the devices that were read, with what most of their ports have."""
    for name, state in running.items():
        base = policy_of(project, name)
        ports = (
            (now, planned, policy_of(project, name, port))
            for port, (now, planned) in pairs_of(project, name, state, rendered, base).items()
        )
        result = voter(name, _role(project, name), base, ports)
        if result.values:
            yield result


def pairs_of(
    project: Project,
    name: str,
    state: Lossless,
    rendered: Mapping[str, Lossless],
    policy: LosslessPolicy,
) -> dict[str, tuple[Traits, Traits]]:
    """Return what each port in use has, and what it would have, where both are known."""
    planned = rendered[name].ports if name in rendered else {}
    result = {}
    for port in ports_of(project, name):
        if port in state.ports and port in planned:
            both = traits(state.ports[port], policy), traits(planned[port], policy)
            if name in project.hosts:
                both = _of_host(*both), _of_host(both[1], both[1])
            result[port] = both
    return result


def _of_host(nic: Traits, planned: Traits) -> Traits:
    """Return what a NIC tells; shares only where those of the inventory are known too."""
    return {
        field: trait
        for field, trait in nic.items()
        if field in _OF_HOSTS
        or (field in planned and is_class_field(field) and single_field(field) in _OF_CLASSES)
    }


def ports_of(project: Project, name: str) -> list[str]:
    """Return the ports of a switch that the design uses, or the NICs of a host."""
    if name in project.hosts:
        return [nic.interface for nic in project.hosts[name].nics]
    return [port.name for port in project.devices[name].ports if port.enabled]


def _role(project: Project, name: str) -> str:
    return project.devices[name].role if name in project.devices else "host"


def policy_of(project: Project, name: str, port: str = "") -> LosslessPolicy:
    """Return the policy of a switch, of one of its ports, or of a host."""
    if name in project.hosts:
        return project.resolver.host(name)
    return project.resolver.switch(name, project.devices[name].role, port)


def origin_of(project: Project, name: str, field: str) -> Origin:
    """Return where a field of the policy of a device is set."""
    if name in project.hosts:
        return project.resolver.host_origin(field, name)
    return project.resolver.switch_origin(field, name, project.devices[name].role)


def closer_estimates(
    project: Project,
    voters: list[Voter],
    running: Mapping[str, Lossless],
    rendered: Mapping[str, Lossless],
) -> Overrides:
    """Return a better value of each estimated field that does not give a device what it runs.

    What is rendered now is nearer to what runs than the inventory was, so rounding counts less.
    """
    result: Overrides = {}
    for one in voters:
        base = policy_of(project, one.name)
        pairs = pairs_of(project, one.name, running[one.name], rendered, base).values()
        for field in one.contents(exact=False):
            for have, planned in pairs:
                if field in have and have[field] != planned.get(field):
                    now = known_value(base, field)
                    value = value_of(field, have[field], planned.get(field), now)
                    result.setdefault(one.name, {})[field] = value.content
                    break
    return result


def overrides_of(
    project: Project,
    listed: Project,
    voters: list[Voter],
    usual: Mapping[str, Fields],
    own_estimates: Mapping[str, Fields] | None = None,
) -> Overrides:
    """Return the fields of each device whose value is not that of the inventory.

    Parameters
    ----------
    listed : Project
        The inventory with the list of classes of every device; the inventory itself without any.
    """
    by_name = {one.name: one for one in voters}
    result: Overrides = {}
    for name, design in project.devices.items():
        wanted = usual.get(design.role, usual[""])
        if name in by_name:
            wanted = _wanted(by_name[name], wanted, (own_estimates or {}).get(name, {}))
        wanted = whole_shares(policy_of(listed, name), wanted)
        _set(result, project, policy_of(listed, name), name, wanted)
    for name in project.hosts:
        own = by_name[name].contents(exact=True) if name in by_name else {}
        wanted = _as_leaves(project, name, result) | own
        _set(result, project, _like(policy_of(listed, name), wanted), name, wanted)
    return result


def _like(policy: LosslessPolicy, wanted: Fields) -> LosslessPolicy:
    """Return the policy of a host with what its leaf has for the same priorities."""
    leaf = {one.pfc_priority: one for one in wanted.pop("classes", None) or ()}
    classes = [
        merge(leaf[one.pfc_priority], one) if one.pfc_priority in leaf else one
        for one in policy.classes
    ]
    return policy.model_copy(update={"classes": tuple(classes)})


def _set(
    result: Overrides, project: Project, listed: LosslessPolicy, name: str, wanted: Fields
) -> None:
    """Note the fields of a device that are to have another value than the inventory says."""
    base, classes = policy_of(project, name), with_values(listed, wanted)
    unused = OF_LIST if classes else frozenset()
    changes = {
        field: value
        for field, value in wanted.items()
        if field not in unused and not is_class_field(field) and value != known_value(base, field)
    }
    if classes != base.classes:
        changes["classes"] = classes
    if changes.keys() & set(_TOGETHER):
        changes |= {field: wanted.get(field, known_value(base, field)) for field in _TOGETHER}
    if changes:
        result[name] = {field: changes[field] for field in policy_fields() if field in changes}


def _wanted(one: Voter, usual: Fields, own_estimates: Fields) -> Fields:
    """Return the values that a switch is to have: its own, else those of most devices."""
    estimates, exact = one.contents(exact=False), one.contents(exact=True)
    own = {field: value for field, value in own_estimates.items() if value is not None}
    if exact.get("watchdog.enabled") is False:
        usual = {field: value for field, value in usual.items() if field not in _TIMES}
    return estimates | usual | _following(one, exact) | own | exact


def _as_leaves(project: Project, name: str, changed: Overrides) -> Fields:
    """Return what a host takes over from most of its leaves, so that both ends of cables agree."""
    votes = Counter(
        tuple((field, changed.get(nic.leaf, {}).get(field)) for field in SHARED)
        for nic in project.hosts[name].nics
        if nic.enabled
    )
    most = votes.most_common(1)[0][0] if votes else ()
    return {field: value for field, value in most if value is not None}


def _following(one: Voter, exact: Fields) -> Fields:
    """Return the classes that have the number of the priority and are unknown themselves."""
    priority = exact.get("pfc_priority")
    if priority is None:
        return {}
    usual = one.base.pfc_priority
    return {field: priority for field in _CLASSES if known_value(one.base, field) == usual}
