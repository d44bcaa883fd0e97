"""The management network: servers of the switches, and addresses of ports that carry no traffic."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fabric.intent.policy import Model
from fabric.intent.scalars import Address, AnyAddress, Loose, Network


class ManagementNetwork(Model):
    """Management ports of switches and hosts, and BMCs; each has an address by its position."""

    subnet: Network = Field(description="Subnet with the gateway and the three pools.")
    gateway: Address | None = Field(
        None, description="Its router; default: the first address of the subnet."
    )
    switches: Network = Field(
        description="Pool of the switches, in the places of the loopbacks: spines use the lower "
        "half, leaves the upper half, super-spines the second quarter."
    )
    hosts: Network | None = Field(
        None, description="Pool of the hosts, in their order; default: hosts get no address."
    )
    bmcs: Network | None = Field(
        None, description="Pool of the BMCs, in the order of the hosts; default: none."
    )


class Management(Model):
    """Servers used by the switches; logins and management ports are not changed."""

    ntp_servers: Annotated[tuple[AnyAddress, ...], Loose] = Field((), description="NTP servers.")
    syslog_servers: Annotated[tuple[AnyAddress, ...], Loose] = Field(
        (), description="Syslog servers."
    )
    network: ManagementNetwork | None = Field(
        None, description="The management network; needed to start devices from the box."
    )
