"""Exports for schedulers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fabric.core.registry import Registry, import_modules

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.topology.model import Fabric

Exporter: TypeAlias = "Callable[[Fabric], str]"

exporters: Registry[Exporter] = Registry("exporter")


def load_exporters() -> None:
    """Import every exporter module, so that each has registered itself."""
    from fabric.placement import exporters as package

    import_modules(package.__name__, list(package.__path__))
