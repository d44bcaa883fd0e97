"""Keys of mlxconfig for one NIC, told apart by what brings them into force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.design.host_model import HostDesign, NicDesign


@dataclass(frozen=True, slots=True)
class FirmwareWords:
    """``KEY=VALUE`` words: those that a reset of the firmware brings into force, and a reboot."""

    reset: tuple[str, ...]
    reboot: tuple[str, ...]


def firmware_words(design: HostDesign, nic: NicDesign) -> FirmwareWords:
    """Return the words of a NIC.

    Congestion control runs on the lossless priorities alone, and DCBX of the firmware is off: there
    is one owner of the settings. Keys and values: public mstconfig listing of a ConnectX-6 Dx
    (MCX623432AN); Mellanox/nic-configuration-operator at 8bfbeb3 (NUM_OF_VFS, PCI_WR_ORDERING).
    Keys of the second port of a card end in ``_P2``; those of the whole card stand at its first.
    """
    shared = design.traits.nic.ports_per_card == 2  # noqa: PLR2004 - two rails on a card
    second = nic.nic_port == 1 or (shared and nic.rail % 2 == 1)
    qos, traits = nic.qos, design.traits
    dcqcn = {setting.name: setting.value for setting in nic.firmware}
    marks = {"CNP_DSCP_P1": qos.cnp_dscp, "CNP_802P_PRIO_P1": qos.cnp_priority}
    reset = {
        "ROCE_CC_PRIO_MASK_P1": sum(1 << priority for priority in qos.lossless_priorities),
        **dcqcn,
        **marks,
        "LLDP_NB_DCBX_P1": 0,
        "DCBX_WILLING_P1": 0,
    }
    reboot: dict[str, object] = {}
    if traits.nic.virtual_functions and not second:
        reboot |= {"SRIOV_EN": 1, "NUM_OF_VFS": traits.nic.virtual_functions}
    if traits.tuning.relaxed_ordering and not second:
        reboot |= {"ADVANCED_PCI_SETTINGS": 1, "PCI_WR_ORDERING": traits.tuning.relaxed_ordering}
    ports = {name.replace("_P1", "_P2") if second else name: reset[name] for name in reset}
    return FirmwareWords(_words(ports), _words(reboot))


def _words(keys: dict[str, object] | dict[str, int]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in keys.items())
