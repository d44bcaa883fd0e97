"""Drivers: the only room that talks to switches and hosts."""

from fabric.devices.candidate import Candidate, RemoteFile
from fabric.devices.driver import Connection, Driver, Identity, drivers

__all__ = [
    "Candidate",
    "Connection",
    "Driver",
    "Identity",
    "RemoteFile",
    "drivers",
]
