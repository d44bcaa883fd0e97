"""Parsers of command outputs, one module per platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.observe.snapshot import Running

    Reading = Callable[[str], Any]


class UnreadableError(ValueError):
    """An output is not what the command prints; the reading is unknown."""


class Parser(Protocol):
    """What a platform knows about reading itself back.

    ``readings`` maps a subject of the driver to the field of the snapshot and its parser.
    """

    @property
    def readings(self) -> Mapping[str, tuple[str, Reading]]:
        """Readings of the operational state."""

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration from the raw texts of the driver."""


parsers: Registry[Parser] = Registry("parser", plugins="parsers")
