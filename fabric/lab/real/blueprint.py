"""What the real lab is built from: designs, what the rendered files say, and the cables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.observe.configuration import Configured

    #: A device and one of its ports, by the names of the design.
    End = tuple[str, str]


class Cable(NamedTuple):
    """A cable of the design; ``near`` is a switch."""

    near: End
    far: End


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A fabric to build.

    Parameters
    ----------
    devices, hosts : mapping of str to design
        What was decided for each switch and host.
    files : mapping of str to Configured
        What the rendered file of each switch says.
    sysctls : mapping of str to str
        Rendered sysctl file of each device that has one.
    networks : mapping of str to mapping of str to str
        Of each host: rendered files of its network stack, by file name.
    sends_alias : frozenset of str
        Switches whose LLDP names a port by its alias.
    notes : tuple of str
        What is not as on a real fabric.
    swapped : tuple of (End, End)
        Ports whose plugs are in each other's place.
    booted : tuple of str
        Hosts that are whole systems, and that have no rendered file yet.
    """

    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]
    files: Mapping[str, Configured]
    sysctls: Mapping[str, str]
    networks: Mapping[str, Mapping[str, str]]
    sends_alias: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    swapped: tuple[tuple[End, End], ...] = ()
    booted: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all devices, switches first."""
        return (*self.devices, *self.hosts)

    @cached_property
    def cables(self) -> tuple[Cable, ...]:
        """Each cable once, as it is plugged."""
        plugged = dict(self.swapped) | {two: one for one, two in self.swapped}
        return tuple(Cable(*(plugged.get(end, end) for end in cable)) for cable in self._cables())

    def _cables(self) -> Iterator[Cable]:
        seen: set[End] = set()
        for name, device in self.devices.items():
            for port in device.ports:
                far = (port.peer, port.peer_port)
                if port.kind == "unused" or not port.peer or (name, port.name) in seen:
                    continue
                seen |= {(name, port.name), far}
                yield Cable((name, port.name), far)

    @cached_property
    def mtu_bytes(self) -> dict[End, int]:
        """MTU of each port: of IP packets."""
        switches = {
            (name, port.name): port.mtu_bytes
            for name, device in self.devices.items()
            for port in device.ports
        }
        nics = {
            (name, nic.interface): nic.mtu_bytes
            for name, host in self.hosts.items()
            for nic in host.nics
        }
        return switches | nics
