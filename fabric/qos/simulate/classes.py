"""Classes of traffic that share ports and buffers: what each has at an end of a cable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.qos.dcqcn.parameters import CongestionPoint

#: Priorities of PFC (IEEE 802.1Q-2018 clause 36).
MOST_CLASSES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedClass:
    """A class of a run; ``pfc_priority`` is None where it may be dropped, and is not paused."""

    name: str = "lossless"
    pfc_priority: int | None = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingress:
    """Buffer of a lossless class at one port of a switch.

    Parameters
    ----------
    alpha : float
        Share of the free shared pool that the port may hold.
    pause_bytes : int or None
        What it may hold of the pool instead, however much of it is free.
    headroom_bytes, reserve_bytes : int
        What is the port's alone: after the pause, and before the shared pool.
    xon_offset_bytes : int
        How far below the threshold the port must be before it resumes the sender.
    """

    alpha: float
    headroom_bytes: int
    reserve_bytes: int = 0
    xon_offset_bytes: int = 0
    pause_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LossyQueue:
    """Limit of a queue whose packets may be dropped.

    Parameters
    ----------
    alpha : float
        Share of what is free of its pool that the queue may hold.
    reserve_bytes : int
        What is the queue's alone, and is not counted to a pool.
    """

    alpha: float
    reserve_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LossyPool:
    """Where the queues of a switch that may drop take their buffer from.

    Parameters
    ----------
    own_bytes : int or None
        Pool of these queues alone; None is the shared pool of the lossless classes.
    shares : bool
        Whether their bytes count in that shared pool, too.
    """

    own_bytes: int | None = None
    shares: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PortClass:
    """A class at one end of a cable.

    Parameters
    ----------
    ingress : Ingress or None
        None at a host, and for a class that may be dropped.
    marking : CongestionPoint or None
        What the egress marks; None marks nothing.
    detection_ms : float
        After so long a pause the watchdog drops; 0 is off.
    weight : float
        Its part of the scheduler, relative to the others; 0 goes before all others.
    lossy : LossyQueue or None
        Limit of the egress queue; None never drops there.
    """

    ingress: Ingress | None = None
    marking: CongestionPoint | None = None
    detection_ms: float = 0.0
    weight: float = 1.0
    lossy: LossyQueue | None = None
