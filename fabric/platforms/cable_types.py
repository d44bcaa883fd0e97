"""Types of cables and of the optics in their ends, and how far each reaches.

Reach at 100 Gb/s for each lane: NVIDIA LinkX guide, docs.nvidia.com 400g100gpam4ovpub (2025-11-27):
SR4 50 m of multimode fibre, DR4 100 m or 500 m of single-mode fibre by the module, FR4 2 km, DAC up
to 3 m. Copper of other makers is not in it, so that a longer DAC warns. Other types: not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: ``dac``, ``aec`` and ``aoc`` have fixed ends; the others are optical modules (IEEE 802.3).
CableType = Literal["dac", "aec", "aoc", "sr4", "sr8", "dr4", "dr8", "fr4", "lr4"]
CABLE_TYPES: tuple[str, ...] = get_args(CableType)
#: Cables whose ends are part of them: they need no modules.
FIXED_ENDS = frozenset({"dac", "aec", "aoc"})
#: Speed of a lane that the reach is known at, and of a port with four such lanes.
LANE_GBPS, PORT_GBPS = 100, 400


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a type reaches in metres.

    Parameters
    ----------
    usual_m : int
        Length that every module or cable of the type reaches; beyond it one has to look.
    longest_m : int or None
        Length beyond which none works; None where no document of a vendor says it.
    beyond : str
        What is so between the two.
    """

    usual_m: int
    longest_m: int | None
    beyond: str = ""


_REACH = {
    "dac": Reach(3, None, "passive copper of NVIDIA ends at 3 m, that of others is not known"),
    "sr4": Reach(50, 50),
    "dr4": Reach(100, 500, "modules are made for 100 m or for 500 m"),
    "fr4": Reach(2000, 2000),
}


def reach(cable_type: str, speed_gbps: int, lanes: int) -> Reach | None:
    """Return how far a cable reaches; None where that is not known.

    Parameters
    ----------
    cable_type : str
        One of ``CABLE_TYPES``, or empty.
    lanes : int
        SerDes lanes of the port at one of its ends.
    """
    is_known = speed_gbps == PORT_GBPS or speed_gbps == lanes * LANE_GBPS
    return _REACH.get(cable_type) if is_known else None
