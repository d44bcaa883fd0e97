"""What a platform knows about changing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.model import Change
    from fabric.core.artefact import Artefact
    from fabric.devices.candidate import Candidate
    from fabric.devices.driver import Driver
    from fabric.observe.snapshot import Running


@dataclass(frozen=True)
class Draft:
    """How a device gets from its running state to the artefacts.

    Parameters
    ----------
    notes : tuple of str
        What a person is to know before it is done: how long it takes, what goes down.
    conflicts : tuple of str
        What somebody else configured that cannot stay beside it, each with what to do.
    passed_over : tuple of str
        What is planned and the device does not have.
    target : Any
        The whole configuration that will run, where it changes and the platform knows it (SONiC).
    """

    candidate: Candidate
    changes: tuple[Change, ...]
    diff: str
    notes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    target: Any = None


class Adapter(Protocol):
    """Compares running state with artefacts and makes the candidate that closes the gap."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the paths on the device that the artefacts fill."""

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the operational readings that are part of the running state."""

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:
        """Return what changes and how."""

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the candidate that restores an earlier state."""

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the paths, as in ``Change.path``, in which two states of a device differ.

        What a device writes by itself is left out.
        """

    def effects(self, artefacts: Sequence[Artefact]) -> set[str]:
        """Return the paths that change along with what is planned, and are not in its changes."""


class ConfigurationAdapter:
    """An adapter of a system whose configuration says it all: no files of ours, no readings."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: there are no files of ours."""
        return []

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:  # noqa: ARG002
        """Return nothing: the configuration says it all."""
        return []

    def effects(self, artefacts: Sequence[Artefact]) -> set[str]:  # noqa: ARG002
        """Return nothing: what changes is what the lines say."""
        return set()


adapters: Registry[Adapter] = Registry("adapter", plugins="adapters")
