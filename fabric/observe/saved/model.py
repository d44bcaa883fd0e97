"""Outputs that somebody saved on hosts: which tool printed a file, and what all of them say.

The folder of a file names its host, and what stands behind the first hyphen of its name is the NIC
or the RDMA device: ``host01/mlnx_qos-eth1.txt``. Which tool it is shows in the content alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.observe.hostfacts.gids import Gid
    from fabric.observe.hostfacts.ip import IpAddresses
    from fabric.observe.hostfacts.mlnx_qos import NicQos

#: ``sysctl -a`` writes ``rail1/101`` for a name with a dot.
PARAMETER = re.compile(
    r"^net\.ipv([46])\.(conf|neigh)\.([^.\s]{1,15})\.([a-z0-9_]+) ?= ?(-?\d{1,10})[ \t]*$",
    re.MULTILINE,
)
#: What an output of each tool holds and others do not.
_SIGNS = {
    "mlnx_qos": r"^PFC configuration:",
    "show_gids": r"^DEV\s+PORT\s+INDEX\s+GID\b",
    "ibdev2netdev": r"^\S+ port \d+ ==> \S+ \(",
    "traffic_class": r"^(Global tclass=|\S*tclass=-?\d+$)",
    "ethtool_pause": r"^Pause parameters for ",
    "ethtool": r"^Settings for ",
    "sysctl": PARAMETER.pattern,
    "ip_addr": r'^\[\s*\{[^}]*"ifname"(?s:.*)"addr_info"',
    "dcb_pfc": r'^\{[^}]*"prio_pfc"',
    "dcb_ets": r'^\{[^}]*"tc_tsa"',
    "dcb_app": r'^\{[^}]*"dscp_prio"',
    "dcb_buffer": r'^\{[^}]*"prio_buffer"',
}
#: What tools print where there is nothing to tell: no override, no RDMA device, no DSCP, no device.
_EMPTY = {"traffic_class": "", "ibdev2netdev": "", "dcb_app": "{}", "ip_addr": "[]"}
#: Outputs about one NIC, or one RDMA device, that do not name it.
OF_ONE = {"mlnx_qos", "traffic_class", "dcb_pfc", "dcb_ets", "dcb_app", "dcb_buffer"}


@dataclass(frozen=True, slots=True)
class Output:
    """A saved output with its place."""

    file: Path
    text: str

    def line(self, pattern: str) -> int:
        """Return the first line in which a pattern is, 0 if in none."""
        lines = enumerate(self.text.splitlines(), 1)
        return next((number for number, line in lines if re.search(pattern, line)), 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """What the driver marks on an RDMA device: the DSCP of all flows, where it overrides them.

    ``is_unmarked``: it overrides the traffic class of no flow at all.
    """

    output: Output
    dscp: int | None
    is_unmarked: bool


@dataclass(slots=True)
class SavedNic:
    """What was saved of one NIC; None is what was not.

    Parameters
    ----------
    output : Output
        Where its settings stand, or else its GIDs.
    parts : list of Output
        More of its settings: those of ``dcb`` come one by one.
    pauses : Output or None
        That which shows pause of the whole link to be on.
    marks : list of Mark
        What is marked on the RDMA devices whose packets leave by it.
    """

    name: str
    output: Output
    parts: list[Output] = field(default_factory=list)
    qos: NicQos | None = None
    pauses: Output | None = None
    rate_bps: int | None = None
    addresses: IpAddresses | None = None
    marks: list[Mark] = field(default_factory=list)

    @property
    def roce_dscp(self) -> int | None:
        """The DSCP of all flows, where it is set."""
        return next((mark.dscp for mark in self.marks if mark.dscp is not None), None)

    def place(self, pattern: str) -> tuple[Output, int]:
        """Return the output of settings with a line of a pattern, and that line."""
        places = ((output, output.line(pattern)) for output in (self.output, *self.parts))
        return next((place for place in places if place[1]), (self.output, 0))


@dataclass(slots=True)
class SavedHost:
    """What was saved on one host.

    Parameters
    ----------
    outputs : dict of (kind, name) to Output
        The name is that of a NIC or of an RDMA device, empty for what is about the host.
    nics : dict of str to SavedNic
        NICs with settings of QoS or with a GID.
    devices : dict of str to frozenset of str
        Interfaces of each RDMA device: the NIC, the bond or VLAN interface that has its GIDs, and
        the NICs below them.
    parameters : dict of (group, name, key) to int
        Kernel parameters such as ``("conf", "all", "arp_ignore")``; groups of IPv6 end with 6.
    unread : list of (Output, str)
        Outputs that could not be read, with the reason.
    """

    name: str
    outputs: dict[tuple[str, str], Output] = field(default_factory=dict)
    nics: dict[str, SavedNic] = field(default_factory=dict)
    gids: tuple[Gid, ...] | None = None
    devices: dict[str, frozenset[str]] = field(default_factory=dict)
    parameters: dict[tuple[str, str, str], int] = field(default_factory=dict)
    unread: list[tuple[Output, str]] = field(default_factory=list)

    @property
    def roce_nics(self) -> list[SavedNic]:
        """NICs with a lossless priority; those with a RoCEv2 GID where no settings are saved."""
        if any(nic.qos for nic in self.nics.values()):
            return [nic for nic in self.nics.values() if nic.qos and any(nic.qos.pfc)]
        return [nic for nic in self.nics.values() if nic.name in self._addressed()]

    @property
    def carriers(self) -> list[SavedNic]:
        """RoCE NICs, and the bonds and VLAN interfaces above them that have their addresses."""
        below = {nic.name for nic in self.roce_nics}
        above = {name for names in self.devices.values() if names & below for name in names}
        names = below | (above & self._addressed())
        return [nic for nic in self.nics.values() if nic.name in names]

    def _addressed(self) -> set[str]:
        return {gid.interface for gid in self.gids or () if gid.is_routable}


def kind_of(text: str, file: Path) -> str:
    """Return the tool that printed a text, empty if none that is known.

    The name of a file counts where there is nothing else: an empty output has a meaning too.
    """
    kind, hyphen, _ = file.stem.partition("-")
    if "".join(text.split()) == _EMPTY.get(kind) and (hyphen or kind not in OF_ONE):
        return kind
    return kind_of_text(text)


def kind_of_text(text: str) -> str:
    """Return the tool that printed a text, by its content alone; empty if none that is known."""
    return next((kind for kind, sign in _SIGNS.items() if re.search(sign, text, re.MULTILINE)), "")
