"""Far ends of BGP sessions that the inventory of the lab did not have when it started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.observe.configuration.model import address_number, is_address, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.model import AddressLine

    End = tuple[str, str]


@dataclass(frozen=True)
class LabSessions:
    """Sessions by address over the cables between switches, as the stand-ins run now.

    Parameters
    ----------
    links : mapping
        Switch and port at the far end of a cable, by switch and port.
    configured : callable
        Returns what a switch runs.
    """

    links: Mapping[End, End]
    configured: Callable[[str], Configured]

    def far_end(self, switch: str, session: str) -> End:
        """Return the switch that has the address of a session, and its own session; or no names."""
        if is_address(session):
            wanted = address_number(session)
            for port, own in self._addresses(switch):
                if own._replace(address=wanted).network != own.network:
                    continue
                far, far_port = self.links.get((switch, port), ("", ""))
                for name, other in self._addresses(far) if far else ():
                    if (name, other.address) == (far_port, wanted) and other.network == own.network:
                        return far, number_text(own.address, is_ipv6=own.is_ipv6)
        return "", ""

    def _addresses(self, switch: str) -> Iterator[tuple[str, AddressLine]]:
        for port in self.configured(switch).ports.values():
            for address in port.addresses:
                yield port.name, address
