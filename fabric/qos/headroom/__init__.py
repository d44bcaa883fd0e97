"""PFC headroom: the room that must be left in a buffer after a pause was asked for.

One module for each law, all pure functions of arrays: ``wire`` (IEEE 802.1Qbb and 802.3),
``plain``, ``spectrum``, ``tofino``, ``xgs``, ``linear`` and, for the NIC, ``mlx5``.
"""

from fabric.qos.headroom.wire import (
    PAUSE_FRAME_BYTES,
    RESPONSE_QUANTA,
    cable_bytes,
    floor_bytes,
    plain_bytes,
    response_bytes,
    response_note,
    response_ns,
    response_quanta,
)

__all__ = [
    "PAUSE_FRAME_BYTES",
    "RESPONSE_QUANTA",
    "cable_bytes",
    "floor_bytes",
    "plain_bytes",
    "response_bytes",
    "response_note",
    "response_ns",
    "response_quanta",
]
