"""Single faults that slow a collective down, and what each leaves of its bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np


@dataclass(frozen=True, slots=True)
class Nature:
    """What a kind of fault is.

    Parameters
    ----------
    words : str
        What is wrong, as a clause without a subject.
    fix : str
        What to look at.
    left : tuple of float
        Shares of the bandwidth that it may leave, each as likely as the others; of a leaf how many
        of its links are used.
    step : float
        Distance of these where shares between them occur.
    odds : float
        How likely it is without any result. All kinds are as likely: we know of no figures.
    """

    words: str
    fix: str
    left: tuple[float, ...]
    step: float = 0.0
    odds: float = 1.0


def _range(first: float, last: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(first, last, count).tolist())


class SlowFault(Enum):
    """A kind of fault. Places are a NIC, two NICs of a host, a host, or a leaf."""

    #: Who asks has seen something slow.
    NONE = Nature("nothing is slow", "", (1.0,), odds=0.01)
    #: A link that came up with half of its lanes, or at the next lower speed.
    HALF_RATE = Nature(
        "NIC or cable at half rate", "compare the speed of both ends and the lanes", (0.5,)
    )
    #: PCIe 5.0 x8 has 252 Gb/s for a NIC of 400, of which the headers of packets of 256 bytes take
    #: up to a seventh (PCI Express Base Specification 5.0, section 2.2); 4.0 and 200 are the same.
    PCI_WIDTH = Nature(
        "NIC at half PCIe width", "`lspci -vv` shows LnkSta and LnkCap", _range(0.54, 0.63, 4), 0.03
    )
    LOSSY = Nature(
        "cable or port that loses packets",
        "look at FEC, symbol errors and drops of both ends",
        _range(0.05, 0.95, 19),
        0.05,
    )
    #: GPU and NIC are joined over the host bridge then, and the spines carry what leaves had.
    WRONG_RAIL = Nature(
        "two rails are exchanged",
        "`rocefab cabling`; `nvidia-smi topo -m`",
        _range(0.3, 0.8, 6),
        0.1,
    )
    #: Packets are in a queue that drops: it shows where many senders meet.
    WRONG_DSCP = Nature(
        "host sends with a wrong DSCP", "`rocefab verify`; NCCL_IB_TC", _range(0.1, 0.9, 9), 0.1
    )
    UNEVEN_HASH = Nature(
        "uplinks are hashed unevenly", "`rocefab show ecmp`; hash seed", (1.0, 2.0, 4.0, 8.0)
    )
