"""What every stand-in offers to the lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock
    from fabric.lab.faults import FaultScript
    from fabric.lab.spec import StandInSpec


class StandIn(Protocol):
    """A device that serves its protocol on a port of the loopback address."""

    spec: StandInSpec
    faults: FaultScript
    address: str
    port: int

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None: ...

    async def start(self) -> None:
        """Listen on 127.0.0.1 on a free port and set ``port``."""

    async def stop(self) -> None:
        """Close all sessions and the listener."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 fingerprint of the SSH host key or of the TLS certificate."""


stand_ins: Registry[type[StandIn]] = Registry("stand-in")
