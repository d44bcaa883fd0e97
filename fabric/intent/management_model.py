"""The management network: servers of the switches, and addresses of ports that carry no traffic."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fabric.intent.policy import Model
from fabric.intent.scalars import Address, AnyAddress, Loose, Name, Network, Release, Text, formed


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


ImageFile = Annotated[
    str,
    formed(r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,119}$", "a file name of letters, digits and . _ + -"),
]
Sha256 = Annotated[str, formed(r"^[0-9a-f]{64}$", "64 lower-case hexadecimal digits")]


class Image(Model):
    """The image of an operating system that switches install when they start from the box."""

    system: Name = Field(description="System that it is of, such as sonic.")
    release: Release = Field(description="Release whose switches install it.")
    file: ImageFile = Field(description="Name of the file in the folder of `--images`.")
    sha256: Sha256 = Field(description="SHA-256 of the file.")
    version: Text = Field(
        description="Name of the build, as the switch prints it; a switch that runs it installs "
        "nothing."
    )


class Management(Model):
    """Servers used by the switches; logins and management ports are not changed."""

    ntp_servers: Annotated[tuple[AnyAddress, ...], Loose] = Field((), description="NTP servers.")
    syslog_servers: Annotated[tuple[AnyAddress, ...], Loose] = Field(
        (), description="Syslog servers."
    )
    vrf: Name | None = Field(
        None,
        description="VRF of the management port, in which the servers are too, on EOS, VRP8 and "
        "Comware 7; Junos calls it mgmt_junos. Default: the servers are in the default VRF.",
    )
    network: ManagementNetwork | None = Field(
        None, description="The management network; needed to start devices from the box."
    )
    images: Annotated[tuple[Image, ...], Loose] = Field(
        (), description="Images that switches install when they start from the box."
    )
