"""What a platform knows about changing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fabric.core.plugins import import_plugins
from fabric.core.registry import Registry, import_modules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.model import Change
    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Candidate, Driver
    from fabric.observe.snapshot import Running


@dataclass(frozen=True)
class Draft:
    """How a device gets from its running state to the artefacts."""

    candidate: Candidate
    changes: tuple[Change, ...]
    diff: str


class Adapter(Protocol):
    """Compares running state with artefacts and makes the candidate that closes the gap."""

    def files(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the paths on the device that the artefacts fill."""

    def subjects(self, artefacts: Sequence[Artefact]) -> list[str]:
        """Return the operational readings that are part of the running state."""

    def draft(self, running: Running, artefacts: Sequence[Artefact], driver: Driver) -> Draft:
        """Return what changes and how."""

    def restore(self, before: Running, now: Running) -> Candidate:
        """Return the candidate that brings back an earlier state."""

    def apart(self, left: Running, right: Running) -> set[str]:
        """Return the paths, as in ``Change.path``, in which two states of a device differ.

        What a device writes by itself is left out.
        """


adapters: Registry[Adapter] = Registry("adapter")


def load_adapters() -> None:
    """Import every adapter module, so that each has registered itself."""
    from fabric.change import adapters as package

    import_modules(package.__name__, list(package.__path__))
    import_plugins("adapters")
