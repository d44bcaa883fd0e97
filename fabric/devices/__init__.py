"""Drivers: the only room that talks to switches and hosts."""

from fabric.devices.driver import Candidate, Connection, Driver, Identity, RemoteFile, drivers

__all__ = [
    "Candidate",
    "Connection",
    "Driver",
    "Identity",
    "RemoteFile",
    "drivers",
]
