"""Headroom of the queues that pause, on switches with a headroom pool.

Source: CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb pfc
buffer: ``hdrm`` of a queue is 16 to 30720 kbytes, 256 by default, and a switch has 31 profiles for
it: each value takes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import BYTES_PER_KIB
from fabric.design.qos import needed_headroom_bytes
from fabric.systems.vrp8.platforms import DEFAULT_HEADROOM_KIB, family_of

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign

#: Most kbytes of a queue, and most values of a switch.
MOST_HEADROOM_KIB, MOST_HEADROOMS = 30_720, 31


def headroom_kib(device: DeviceDesign, port: PortDesign) -> int | None:
    """Return what the queues of a port are set to, in kbytes; None where the default is enough."""
    family = family_of(device.sku)
    if port.headroom is None or family is None or not family.headroom_pool:
        return None
    kbytes = -(-(needed_headroom_bytes(port.headroom) or 0) // BYTES_PER_KIB)
    return kbytes if kbytes > DEFAULT_HEADROOM_KIB else None
