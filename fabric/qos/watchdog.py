"""PFC watchdog: its times against what a lossless fabric does by itself.

Headroom does not depend on these times: it has to cover microseconds. What depends on them is how
far a pause storm spreads before somebody ends it.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric.core.units import gbps_to_bytes_per_s, ms_to_s

#: Quanta that one PFC frame can ask for (IEEE 802.1Q clause 36.1.3.2: 16 bits).
MAX_PAUSE_QUANTA = 65_535
#: Bit times of one quantum (IEEE 802.3 annex 31B).
QUANTUM_BITS = 512
#: How many times longer than the longest drain a detection must be: a second drain may begin before
#: the first one was seen to end (sonic-net/sonic-swss orchagent/pfc_detect_mellanox.lua adds up the
#: looks at which the queue was paused).
DETECTION_MARGIN = 2.0

#: The longest detection that SONiC takes (sonic-net/sonic-swss orchagent/pfcwdorch.cpp,
#: PFC_WD_DETECTION_TIME_MAX); meanwhile a storm stops all that leads to the port.
LONGEST_DETECTION_MS = 5_000


def longest_pause_s(speed_gbps: float) -> float:
    """Return the longest time that one PFC frame stops a sender.

    Parameters
    ----------
    speed_gbps : float
        Speed in Gb/s, > 0.

    Returns
    -------
    float
        Seconds.
    """
    return MAX_PAUSE_QUANTA * QUANTUM_BITS / 8 / gbps_to_bytes_per_s(speed_gbps)


def drain_s(buffer_bytes: float, speed_gbps: float) -> float:
    """Return the longest time that a port needs to empty all of the buffer.

    Parameters
    ----------
    buffer_bytes : float
        Packet buffer of the switch in bytes, >= 0.
    speed_gbps : float
        Speed of the port in Gb/s, > 0.

    Returns
    -------
    float
        Seconds.
    """
    return buffer_bytes / gbps_to_bytes_per_s(speed_gbps)


@dataclass(frozen=True, slots=True)
class Storm:
    """What happens between the start of a pause storm and its end.

    Parameters
    ----------
    drain_s : float
        Longest honest pause: the whole buffer leaves through one port.
    latest_s : float
        Detection and one poll: the storm may begin just after a look.
    buffers_filled : float
        How many times the traffic of one port fills the buffer before the watchdog acts: the storm
        has reached the next tier when this is above 1.
    """

    drain_s: float
    detection_s: float
    latest_s: float
    buffers_filled: float

    @property
    def trips_on_honest_pauses(self) -> bool:
        """Whether the detection is too near to a pause without fault."""
        return self.detection_s < DETECTION_MARGIN * self.drain_s


def storm(detection_ms: int, poll_ms: int, buffer_bytes: float, speed_gbps: float) -> Storm:
    """Return how a watchdog meets a storm on a port.

    Parameters
    ----------
    detection_ms, poll_ms : int
        Times of the watchdog.
    buffer_bytes : float
        Packet buffer of the switch.
    """
    drain = drain_s(buffer_bytes, speed_gbps)
    latest = ms_to_s(detection_ms) + ms_to_s(poll_ms)
    return Storm(drain, ms_to_s(detection_ms), latest, latest / drain)
