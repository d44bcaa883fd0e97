"""The lists of lossless classes of an adoption; the values of each class follow."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from fabric.audit.adoption.classes import Device, lists
from fabric.audit.adoption.shares import whole_list
from fabric.workflow.adopt_files import texts, with_files
from fabric.workflow.adopt_policy import policy_of, ports_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.audit.adoption.class_values import Classes
    from fabric.observe.configuration.lossless import Lossless
    from fabric.workflow.adopt_policy import Overrides
    from fabric.workflow.project import Project


class Listed(NamedTuple):
    """An inventory with the list of classes of every device.

    Parameters
    ----------
    left_out : dict of str to str
        Why a priority of a device is not in its list.
    """

    project: Project
    left_out: dict[str, str]


def with_lists(project: Project, running: Mapping[str, Lossless]) -> Listed:
    """Return an inventory with the classes that devices pause, or the same one if it has them.

    Parameters
    ----------
    running : mapping of str to Lossless
        What was read; other switches have the list of most of their role, hosts that of their leaf.
    """
    devices = [
        Device(
            name,
            policy_of(project, name),
            tuple(state.ports[port] for port in ports_of(project, name) if port in state.ports),
        )
        for name, state in running.items()
    ]
    known = lists(devices)
    bases = {one.name: one.base for one in devices}
    classes_of = {name: whole_list(bases[name], own) for name, own in known.classes.items()}
    wanted = _of_switches(project, classes_of)
    for name, host in project.hosts.items():
        leaves = [wanted[nic.leaf] for nic in host.nics if nic.enabled and nic.leaf in wanted]
        if name in classes_of or leaves:
            wanted[name] = classes_of.get(name, _most(leaves))
    changes: Overrides = {
        name: {"classes": classes}
        for name, classes in wanted.items()
        if classes != policy_of(project, name).classes
    }
    changed = with_files(project, texts(changes, project)) if changes else project
    return Listed(changed, known.left_out)


def _of_switches(project: Project, known: Mapping[str, Classes]) -> dict[str, Classes]:
    """Return the list of each switch: its own, else that of most of its role, else of most."""
    if not known:
        return {}
    votes: dict[str, list[Classes]] = defaultdict(list)
    for name, classes in known.items():
        if name in project.devices:
            votes[project.devices[name].role].append(classes)
    every = [*known.values()]
    return {
        name: known.get(name, _most(votes[design.role] or every))
        for name, design in project.devices.items()
    }


def _most(values: Iterable[Classes]) -> Classes:
    votes = Counter(values)
    return max(votes, key=lambda one: (votes[one], len(one), str(one)), default=())
