"""What a network operating system or a switch model *is*: data, no input or output."""

from fabric.core.plugins import import_plugins
from fabric.core.registry import import_modules
from fabric.platforms.model import Platform, platforms

__all__ = ["Platform", "load_platforms", "platforms"]


def load_platforms() -> None:
    """Import every platform module, so that each has registered itself."""
    import_modules(__name__, __path__)
    import_plugins("platforms")
