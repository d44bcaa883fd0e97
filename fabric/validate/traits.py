"""What hosts are like: one host for each set of traits, and where the inventory says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.intent.policy import set_paths
from fabric.validate.origins import Place

if TYPE_CHECKING:
    from fabric.design.model import HostDesign
    from fabric.validate.world import Model


@dataclass(frozen=True, slots=True)
class HostKind:
    """All hosts with the same traits: the first of them, and how many there are."""

    host: HostDesign
    hosts: int

    @property
    def subject(self) -> str:
        """The hosts, for messages."""
        return self.host.name if self.hosts == 1 else f"{self.host.name} and {self.hosts - 1} more"


def host_kinds(model: Model) -> tuple[HostKind, ...]:
    """Return every distinct set of traits; hosts with the same overrides are one kind."""
    first: dict[tuple[int, ...], HostDesign] = {}
    counts: dict[tuple[int, ...], int] = {}
    overrides = model.intent.host_overrides
    for name, host in model.hosts.items():
        key = tuple(
            id(one.value) for one in overrides.get(name, ()) if one.value.traits is not None
        )
        first.setdefault(key, host)
        counts[key] = counts.get(key, 0) + 1
    return tuple(HostKind(host, counts[key]) for key, host in first.items())


def traits_place(model: Model, host: str, *path: str) -> Place:
    """Return where a field of the traits of a host is set: an override, else the profile."""
    for override in reversed(model.intent.host_overrides.get(host, [])):
        traits = override.value.traits
        if traits and any(found[: len(path)] == path for found in set_paths(traits)):
            dotted = ".".join(str(part) for part in (*override.path, "traits", *path))
            return Place(dotted, override.position("traits", *path))
    return model.place("host", *path)
