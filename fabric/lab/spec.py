"""What a stand-in is told about itself before it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What LLDP sees on one port, as the cables of the lab run."""

    local_port: str
    system_name: str
    port_id: str
    chassis_mac: str = ""


@dataclass(frozen=True, slots=True)
class NicSpec:
    """One NIC of a host stand-in; ``gpus`` are the numbers of the GPUs nearest to it."""

    interface: str
    rdma_device: str
    mac: str
    pci_address: str = ""
    speed_gbps: int = 400
    numa_node: int | None = None
    gpus: tuple[int, ...] = ()
    fec: str = "RS"


@dataclass(frozen=True, slots=True)
class StandInSpec:
    """Everything that a stand-in needs to be itself.

    Parameters
    ----------
    name : str
        Name in the inventory and hostname that the system reports.
    platform : str
        Name of the system, or ``host``.
    username, password : str
        The only account that may log in.
    mac : str
        Chassis MAC address.
    model : str
        HwSKU of a SONiC switch, model name of an EOS switch; empty for hosts.
    running : Any
        Configuration at the start, running and startup alike: ``{table: {key: fields}}`` for
        SONiC, text for EOS, nothing for hosts.
    neighbours : tuple of Neighbour
        LLDP neighbours by local port (interface name on a host).
    nics : tuple of NicSpec
        NICs of a host; the first is not special.
    options : dict
        Further facts of the platform, such as SONiC ``platform``.
    """

    name: str
    platform: str
    username: str
    password: str
    mac: str
    serial: str
    model: str = ""
    running: Any = None
    neighbours: tuple[Neighbour, ...] = ()
    nics: tuple[NicSpec, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
