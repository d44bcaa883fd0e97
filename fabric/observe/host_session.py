"""Asks a host for its facts: all commands of a step in one or two turns of the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.readings import command_of
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Readings of a whole host, and those of one NIC.
_HOST = "gid_files ibdev2netdev rdma_link ibstat ip_addr ip_rule ip_route lldp sysfs_class"
_HOST6 = "ip_rule6 ip_route6"
_NIC = "ethtool ethtool_driver ethtool_fec ethtool_pause sysctl_arp ibv_devinfo"
_OFED_NIC = "mlnx_qos traffic_class ecn_files"
_DCB_NIC = "dcb_pfc dcb_app dcb_dcbx"
#: Only these tell all of it to root alone; LLDP and the traffic class stand in files of root.
_ROOT = frozenset("mlnx_qos lldp lspci traffic_class ecn_files own_check".split())
_PLACES = ("{interface}", "{rdma_device}")


class RunsEach(Protocol):
    """A session with a host that runs many commands in one turn."""

    def read_each(self, commands: Mapping[str, str]) -> Mapping[str, str]:
        """Return the outputs of the commands that ended well, by their names."""


@dataclass(frozen=True, slots=True)
class NicNames:
    """What a NIC is called on its host; ``ofed`` when its driver is that of OFED."""

    interface: str
    rdma_device: str
    ofed: bool
    uses_ipv6: bool = False


def read_settings(
    driver: RunsEach, nics: Sequence[NicNames], scripts: str = "/etc/rocefab"
) -> dict[str, str]:
    """Return the texts that tell how a host is set up, by reading; ``scripts`` is a folder."""
    own = f"own_check:{scripts}"
    ipv6 = _HOST6.split() if any(nic.uses_ipv6 for nic in nics) else []
    keys = [*_HOST.split(), *ipv6, "sysctl_neighbours", *([own] if nics else [])]
    for nic in nics:
        keys += _of_nic(nic, _NIC + " " + (_OFED_NIC if nic.ofed else _DCB_NIC))
    texts = _read(driver, keys)
    return {"own_check" if key == own else key: text for key, text in texts.items()}


def read_counters(driver: RunsEach, nics: Sequence[NicNames]) -> dict[str, str]:
    """Return the texts of the counters, by reading; rdma is asked where there are no files."""
    of_nics = [key for nic in nics for key in _of_nic(nic, "ethtool_statistics")]
    texts = _read(driver, ["hw_counters", "rdma_link", *of_nics])
    return texts if "hw_counters" in texts else {**texts, **_read(driver, ["rdma_statistic"])}


def read_hardware(driver: RunsEach) -> dict[str, str]:
    """Return the texts of the PCI tree with its NICs, and of the matrix of GPUs."""
    texts = _read(driver, ["nvidia_topo", "sysfs_pci", "sysfs_class"])
    try:
        rdma = readers["sysfs_class"].parse(texts.get("sysfs_class", "")).rdma
        places = readers["sysfs_pci"].parse(texts.get("sysfs_pci", ""))
    except UnreadableError:
        return texts
    mine = [place for place in places if place.address in rdma.values()]
    above = [place.bridges[-1] for place in mine if place.bridges]
    addresses = [*(place.address for place in mine), *above]
    return {**texts, **read_pci(driver, addresses)}


def read_pci(driver: RunsEach, addresses: Iterable[str]) -> dict[str, str]:
    """Return the texts of devices on the PCI bus."""
    return _read(driver, [f"lspci:{address}" for address in dict.fromkeys(addresses)])


def _of_nic(nic: NicNames, names: str) -> Iterable[str]:
    targets = dict(zip(_PLACES, (nic.interface, nic.rdma_device), strict=True))
    for name in names.split():
        place = next(mark for mark in _PLACES if mark in readers[name].command)
        yield f"{name}:{targets[place]}"


def _read(driver: RunsEach, keys: Sequence[str]) -> dict[str, str]:
    commands = {}
    for key in keys:
        name, _, target = key.partition(":")
        root = "sudo -n " if name in _ROOT else ""
        commands[key] = f"{root}{command_of(name, target)}"
    return dict(driver.read_each(commands))
