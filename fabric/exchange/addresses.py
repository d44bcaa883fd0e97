"""Addresses that a source gives to NICs, as far as the subnets of the inventory have them."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.exchange.plant import End, Plant


def own_addresses(made: Plant, realised: Plant) -> dict[End, str]:
    """Return the addresses that differ from those of the inventory and lie in its subnets.

    Parameters
    ----------
    made : Plant
        What the source says.
    realised : Plant
        The inventory that was made of it, with the addresses that follow from positions.
    """
    found = {}
    for end, nic in made.nic.items():
        planned = realised.nic.get(end)
        if planned is None or not nic.address or nic.address == planned.address:
            continue
        wanted = ipaddress.IPv4Interface(nic.address).ip
        if wanted in ipaddress.IPv4Interface(planned.address).network:
            found[end] = str(wanted)
    return found
