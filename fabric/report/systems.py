"""The systems of a fabric in a line or two: what `check` ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.platforms.same_hardware import selects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.topology.model import Fabric

#: Models of a role, and names that select a system, that are named; our choice.
_MOST = 3


def systems(fabrics: Iterable[Fabric]) -> Iterator[str]:
    """Yield the systems and models of each role, and what names of models select."""
    by_role: dict[str, dict[str, None]] = {}
    models: dict[str, str] = {}
    for fabric in fabrics:
        for row, model in enumerate(fabric.switches.skus):
            words = f"{platforms[model.nos].title} ({model.name})"
            by_role.setdefault(fabric.switches.role(row), {}).setdefault(words)
            models[model.name] = selects(model.name)
    roles = (f"{role} {_few(list(names))}" for role, names in by_role.items())
    yield f"systems: {'; '.join(roles)}"
    bare = [words for words in models.values() if words]
    if bare:
        yield _few(bare)


def _few(words: list[str]) -> str:
    """Return the first words, and how many more there are."""
    more = len(words) - _MOST
    return ", ".join([*words[:_MOST], *([f"and {more:,} more"] if more > 0 else [])])
