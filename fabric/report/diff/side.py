"""What the parts of a difference ask of each of the two inventories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.designs import Designs

    Files = Mapping[str, Sequence[Artefact]]


class Side(Protocol):
    """An inventory whose files can be rendered device by device."""

    @property
    def designs(self) -> Designs:
        """The stages up to the designs."""

    @property
    def shown(self) -> str:
        """How messages name it."""

    def files(self, names: Iterable[str]) -> Files:
        """Return the rendered files of some devices."""
