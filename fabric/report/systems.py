"""What a fabric consists of, and what its changes start, in a few lines: how `check` ends."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.platforms import platforms
from fabric.platforms.same_hardware import selects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.topology.model import Fabric

#: Models of a role, and names that select a system, that are named; our choice.
_MOST = 3


def systems(fabrics: Iterable[Fabric]) -> Iterator[str]:
    """Yield how many hosts and switches there are with their models, and what names select.

    Hosts of one name are one machine in all fabrics.
    """
    fabrics = list(fabrics)
    by_role: dict[str, dict[str, None]] = {}
    counts: Counter[str] = Counter()
    models: dict[str, str] = {}
    for fabric in fabrics:
        for row, model in enumerate(fabric.switches.skus):
            title = f"{platforms[model.nos].title} ({model.name})"
            role = fabric.switches.role(row)
            by_role.setdefault(role, {}).setdefault(title)
            counts[role] += 1
            models[model.name] = selects(model.name)
    hosts = len(set(chain.from_iterable(fabric.hosts.names for fabric in fabrics)))
    ports = sum(len(fabric.nics) for fabric in fabrics)
    nics = sum(len(fabric.nics) // fabric.nic_ports for fabric in fabrics)
    words = counted(nics, "NIC") + (f", {counted(ports, 'port')}" if ports > nics else "")
    roles = (
        f"{counted(counts[role], role)}, {_few(list(names))}" for role, names in by_role.items()
    )
    yield "; ".join([f"{counted(hosts, 'host')} with {words}", *roles])
    bare = [words for words in models.values() if words]
    if bare:
        yield _few(bare)


def commands(fabrics: Iterable[Fabric]) -> Iterator[str]:
    """Yield how many commands of the inventory a change will start, and their programs."""
    started = {
        f"rollout.{name} ({words[0]})": None
        for fabric in fabrics
        for name, words in fabric.intent.fabric.rollout.commands.items()
    }
    if started:
        count = counted(len(started), "command")
        yield f"`plan` and `apply` start {count} of the inventory: {', '.join(started)}"


def _few(words: list[str]) -> str:
    """Return the first words, and how many more there are."""
    more = len(words) - _MOST
    return ", ".join([*words[:_MOST], *([f"and {more:,} more"] if more > 0 else [])])
