"""The pause buffer of a policy: what a switch gets of it, and the headroom that it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.qos import needed_headroom_bytes
from fabric.design.qos_model import PauseLevels
from fabric.platforms.features import is_rendered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.intent.policy import LosslessPolicy
    from fabric.platforms.model import Sku


def rendered_levels(model: Sku, policy: LosslessPolicy) -> PauseLevels | None:
    """Return the fill levels of the pause buffer of a policy, None where no switch gets them."""
    buffer = policy.pause_buffer
    if buffer is None or not is_rendered("pause_buffer", model):
        return None
    pause, size = buffer.pause_threshold_bytes, buffer.buffer_bytes
    headroom = None if size is None else max(0, size - pause)
    return PauseLevels(pause, buffer.resume_threshold_bytes, headroom)


def has_open_size(port: PortDesign, model: Sku) -> bool:
    """Tell whether a port gets a pause buffer whose size the inventory leaves open."""
    buffer = port.qos.pause_buffer if port.qos and port.headroom else None
    is_open = buffer is not None and buffer.buffer_bytes is None
    return is_open and is_rendered("pause_buffer", model)


def pause_buffer_bytes(device: DeviceDesign) -> int | None:
    """Return what the pause buffer must hold: its threshold, and the headroom of every cable.

    None where no pause buffer is given, or no law tells the headroom.
    """
    buffer = next((one.pause_buffer for one in device.qos_profiles if one.pause_buffer), None)
    largest = largest_headroom_bytes(device.ports)
    return None if buffer is None or largest is None else buffer.pause_threshold_bytes + largest


def largest_headroom_bytes(ports: Iterable[PortDesign]) -> int | None:
    """Return what the longest cable of some ports needs; None where some need is not known."""
    profiles = {id(port.headroom): port.headroom for port in ports if port.headroom}
    sizes = [needed_headroom_bytes(profile) for profile in profiles.values()]
    return None if None in sizes else max((size or 0 for size in sizes), default=0)
