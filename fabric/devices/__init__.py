"""Drivers: the only room that talks to switches and hosts."""

from fabric.core.plugins import import_plugins
from fabric.core.registry import import_modules
from fabric.devices.driver import Candidate, Connection, Driver, Identity, RemoteFile, drivers

__all__ = [
    "Candidate",
    "Connection",
    "Driver",
    "Identity",
    "RemoteFile",
    "drivers",
    "load_drivers",
]


def load_drivers() -> None:
    """Import every driver module, so that each has registered itself."""
    import_modules(__name__, __path__)
    import_plugins("drivers")
