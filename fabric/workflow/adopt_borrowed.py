"""Roles of switches of which no device was read, and whose values an adoption takes elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.core.counts import noun
from fabric.core.hostlist import fold_inside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from fabric.audit.adoption.votes import Voter
    from fabric.workflow.adopt_policy import Overrides
    from fabric.workflow.project import Project


class Borrowed(NamedTuple):
    """What the switches of a role take from devices of other roles.

    Parameters
    ----------
    sources : tuple of str
        Roles that were read.
    names : tuple of str
        Switches of the role.
    fields : tuple of str
        Fields that differ from the inventory for that reason; empty where none does.
    """

    role: str
    sources: tuple[str, ...]
    names: tuple[str, ...]
    fields: tuple[str, ...]

    def __str__(self) -> str:
        here = noun(2, self.role)
        read = " and ".join(noun(2, source) for source in self.sources)
        if not self.fields:
            return f"not read: {here} ({fold_inside(self.names)}); {read} change no value of theirs"
        fields = ", ".join(self.fields)
        return f"not read: {here} ({fold_inside(self.names)}); from {read}: {fields}"


def borrowed(
    project: Project, voters: Collection[Voter], overrides: Overrides
) -> Iterator[Borrowed]:
    """Yield the roles of switches without a device that was read."""
    sources = tuple(sorted({one.role for one in voters}))
    roles: dict[str, list[str]] = {}
    for name, design in project.devices.items():
        if design.role not in sources:
            roles.setdefault(design.role, []).append(name)
    for role, names in roles.items():
        fields = dict.fromkeys(field for name in names for field in overrides.get(name, ()))
        yield Borrowed(role, sources, tuple(names), tuple(fields))
