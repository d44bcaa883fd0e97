"""Graceful shutdown of BGP (RFC 8326): neighbours avoid a switch, and its sessions stay up.

A driver that offers `GracefulShutdown` changes no configuration that is planned, saved or compared:
a restart of BGP ends the shutdown. Neighbours have to honour the community: FRR does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from fabric.core.errors import RefusedError
from fabric.devices.redaction import shortened

if TYPE_CHECKING:
    from fabric.devices.driver import Driver
    from fabric.devices.ssh import ShellSession

#: FRR, bgpd/bgp_vty.c: it adds the community to all routes that are sent, and sets the local
#: preference of all that come to 0. ``router bgp`` without a number is the instance that runs.
_LINE = "bgp graceful-shutdown"
#: SONiC has `vtysh` on the switch (sonic-buildimage, rules/docker-fpm-frr.mk), Cumulus Linux too.
_VTYSH = "sudo -n vtysh -c 'configure terminal' -c 'router bgp' -c '{line}'"
_READ = "sudo -n vtysh -c 'show running-config bgpd'"


class GracefulShutdown(Protocol):
    """What a driver has beside `Driver` whose system shuts BGP down gracefully."""

    def drained(self) -> bool:
        """Tell whether neighbours are told to avoid the switch."""

    def drain(self) -> None:
        """Tell neighbours to avoid the switch."""

    def undrain(self) -> None:
        """Tell neighbours to use the switch."""


def graceful_shutdown(driver: Driver) -> GracefulShutdown | None:
    """Return the driver as one that shuts BGP down gracefully; None where it does not."""
    does = getattr(driver, "has_graceful_shutdown", False)
    return cast("GracefulShutdown", driver) if does else None


class FrrShutdown:
    """Graceful shutdown by FRR, on a system with a shell.

    Parameters
    ----------
    shell : ShellSession
        Where commands run.
    device : str
        Name for errors.
    """

    #: What a person types to begin it, and to end it.
    drain_command = _VTYSH.format(line=_LINE).replace("sudo -n", "sudo")
    undrain_command = _VTYSH.format(line=f"no {_LINE}").replace("sudo -n", "sudo")

    def __init__(self, shell: ShellSession, device: str) -> None:
        self._shell = shell
        self._device = device

    def drained(self) -> bool:
        """Tell whether FRR shuts BGP down gracefully."""
        return any(line.strip() == _LINE for line in self._shell.check(_READ).splitlines())

    def drain(self) -> None:
        """Begin the graceful shutdown."""
        self._set(_VTYSH.format(line=_LINE), drained=True)

    def undrain(self) -> None:
        """End the graceful shutdown."""
        self._set(_VTYSH.format(line=f"no {_LINE}"), drained=False)

    def _set(self, command: str, *, drained: bool) -> None:
        said = self._shell.check(command)
        if self.drained() != drained:
            reason = f"{command} had no effect: {shortened(said, 200)}"
            raise RefusedError(self._device, reason)
