"""Environment variables of a job, with the reason of each, and of each that is left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable and why it has this value."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A variable that is not set, on purpose."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What the ranks of a host are told; a name stands in one of the two lists."""

    settings: tuple[Setting, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def values(self) -> dict[str, str]:
        """Name -> value."""
        return {item.name: item.value for item in self.settings}
