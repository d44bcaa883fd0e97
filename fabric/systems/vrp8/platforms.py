"""Huawei VRP8 on CloudEngine switches, release V300R023C00.

Sources: CloudEngine 6800 and 8800 V300R023C00 command reference (WheaterW/INTA-project @ 9308062d,
nassim-main/corpus/hw/hw_CE6800_V300R023C00/cmd_corpus, named "command reference" below) and
configuration guide (the same repository @ a9b3a9a1, config_corpus).

The switches are of two hardware families whose lossless commands differ. Which family a model is
of is told by its ASIC family: a guess would render commands of the other one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

if TYPE_CHECKING:
    from fabric.platforms.model import Sku

#: Largest frame beside its payload: Ethernet header, VLAN tag and FCS (IEEE 802.3, 802.1Q).
FRAME_EXTRA_BYTES = 22
#: ``jumboframe enable``, command reference.
FRAME_BYTES = (1518, 9500)

VRP8 = platforms.add("vrp8")(
    Platform(
        name="vrp8",
        title="Huawei VRP8",
        artefact="running-config.vrp8",
        port_mtu_bytes=(FRAME_BYTES[0] - FRAME_EXTRA_BYTES, FRAME_BYTES[1] - FRAME_EXTRA_BYTES),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=300,  # command reference, mac-address aging-time
        neighbour_refresh=NeighbourRefresh(
            "ageing probes",
            "command reference, arp timeout and arp detect (3 probes, 5 s apart, once the time is "
            "over)",
            probes_s=15,
        ),
        # The families differ, see `Family`; a poll time does not exist.
        watchdog_ms={"detection": (10, 15_000), "restoration": (10, 31_000)},
        source="CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d)",
        grade="beta",
        rule_prefix="VRP",
        management_vrf="management",
        reads_pfc=True,
    )
)


@dataclass(frozen=True, slots=True)
class Family:
    """One hardware family; every figure is of the command reference.

    Parameters
    ----------
    name : str
        ``a`` or ``b``.
    pfc_queues : range
        Queues that can pause.
    marking_bytes : tuple of int
        Range of ``ecn buffer-size`` in bytes.
    headroom_pool : bool
        Whether the headroom is a pool that must be there before PFC, and whether priorities of PFC
        are mapped from DSCP by a command of its own.
    ecn_switch : bool
        Whether ECN is switched on for the whole switch.
    timers_ms : tuple of int or None
        Range of the deadlock timers in milliseconds; None where they count units.
    """

    name: str
    pfc_queues: range
    marking_bytes: tuple[int, int]
    headroom_pool: bool
    ecn_switch: bool
    timers_ms: tuple[int, int] | None


FAMILY_A, FAMILY_B = "cloudengine-a", "cloudengine-b"
#: By the name of the ASIC family.
FAMILIES = {
    FAMILY_A: Family(
        name="a",
        pfc_queues=range(6),
        marking_bytes=(128, 16_000_000),
        headroom_pool=False,
        ecn_switch=True,
        timers_ms=(10, 1500),
    ),
    FAMILY_B: Family(
        name="b",
        pfc_queues=range(8),
        marking_bytes=(320, 34_078_720),
        headroom_pool=True,
        ecn_switch=False,
        timers_ms=None,
    ),
}


def family_of(sku: Sku) -> Family | None:
    """Return the hardware family of a switch model, None where it is not known."""
    return FAMILIES.get(sku.asic.lower())


#: Speed from which on a port knows no Base-R FEC: 100GE takes it with 50G cables only, faster ports
#: never (``fec mode base-r``).
NO_BASE_R_FROM_GBPS = 100


def takes_base_r(sku: Sku, speed_gbps: int, *, part: bool) -> bool:
    """Tell whether a port knows Base-R FEC; a part of a cage in family b does not."""
    return speed_gbps < NO_BASE_R_FROM_GBPS and not (part and sku.asic.lower() == FAMILY_B)


#: Units of the deadlock timers of family b in milliseconds, and how many of them detection and
#: recovery can last (``dcb pfc deadlock-detect interval``, ``priority deadlock-detect time`` and
#: ``deadlock-recovery time``). No unit of recovery would mean that it never recovers.
TIMER_UNITS_MS = (10, 100, 500, 1000)
DETECT_UNITS = range(1, 16)
RECOVERY_UNITS = range(1, 32)


def deadlock_counts(
    family: Family, detection_ms: int, recovery_ms: int
) -> tuple[int, int, int] | None:
    """Return how a switch counts its deadlock timers, None where it cannot.

    Parameters
    ----------
    family : Family
        Hardware family of the switch.
    detection_ms, recovery_ms : int
        Times in milliseconds.

    Returns
    -------
    tuple of int
        Unit in milliseconds, the largest that fits, then both times in it.
    """
    if family.timers_ms:
        low, high = family.timers_ms
        fits = low <= detection_ms <= high and low <= recovery_ms <= high
        return (1, detection_ms, recovery_ms) if fits else None
    for unit_ms in reversed(TIMER_UNITS_MS):
        (detection, rest), (recovery, other) = (
            divmod(time_ms, unit_ms) for time_ms in (detection_ms, recovery_ms)
        )
        if rest == other == 0 and detection in DETECT_UNITS and recovery in RECOVERY_UNITS:
            return unit_ms, detection, recovery
    return None


#: Models, by the beginning of their names, that choose among equal paths by load when nothing is
#: said: at gaps in a flow (``ecmp mode``). All others hash.
BALANCING_MODELS = ("CE8850-SAN", "CE8850-HAM", "CE8851", "CE8855")
#: ``ecmp mode`` by what the inventory says; ``fixed`` keeps a flow where its hash has put it.
ECMP_WORDS = {"hash": "fixed", "flowlet": "eligible", "per-packet": "spray"}
#: Section that holds it, beside the keys and seeds of the hash, which are not ours.
BALANCING = "load-balance ecmp"


def balances(sku: Sku) -> bool:
    """Tell whether a switch model can choose among equal paths by load."""
    return sku.name.startswith(BALANCING_MODELS)


#: Per-hop behaviours by the queue that each goes to (command reference, ip-dscp-inbound).
PHBS = ("be", "af1", "af2", "af3", "af4", "ef", "cs6", "cs7")

#: The only slot of a switch of these series; ports are named ``100GE1/0/N`` after it.
SLOT = 1
#: Headroom pool in kbytes (command reference, qos buffer headroom-pool).
HEADROOM_POOL_KIB = range(16, 30_721)
#: Headroom in kbytes of a queue that pauses when nothing is configured, family b (dcb pfc buffer).
DEFAULT_HEADROOM_KIB = 256
#: DiffServ domains beside the one that is always there (``diffserv domain``); there are more drop
#: profiles than that (``drop-profile``).
MOST_DOMAINS = 7
