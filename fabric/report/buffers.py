"""Lossless buffers of a fabric as the simulator takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.units import mib_to_bytes
from fabric.design.pool import lossless_pool_bytes, lossless_share_bytes
from fabric.qos.simulate.classes import Ingress
from fabric.qos.simulate.start import Buffer
from fabric.qos.thresholds import alpha
from fabric.topology.pause_response import PauseResponses

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile


def assumed_pool_bytes(device: DeviceDesign, given_bytes: int) -> int:
    """Return the shared pool of a switch whose design has none: the given one, or its share.

    Parameters
    ----------
    given_bytes : int
        What the user says of such switches; 0 is nothing.

    Raises
    ------
    InputError
        When nothing is known of it, with what to type.
    """
    pool = given_bytes or lossless_share_bytes(device.sku)
    if pool:
        return pool
    whole = device.sku.packet_buffer_bytes
    most = f", less than its buffer of {whole / mib_to_bytes(1):.0f} MiB" if whole else ""
    raise InputError(
        f"the size of the shared pool of {device.name} ({device.sku.name}) is not known; give it "
        f"in MiB, with --buffer-mib{most}"
    )


def ingress_of(group: HeadroomProfile) -> Ingress:
    """Return the lossless buffer of a port whose headroom is known."""
    levels, row = group.levels, group.row
    offset_bytes = (row.xon_offset_bytes or 0) if row else 0
    return Ingress(
        alpha=alpha(group.dynamic_th),
        headroom_bytes=group.headroom_bytes or 0,
        reserve_bytes=group.guaranteed_bytes,
        xon_offset_bytes=levels.pause_bytes - levels.resume_bytes if levels else offset_bytes,
        pause_bytes=levels.pause_bytes if levels else None,
    )


def assumption(device: DeviceDesign, group: HeadroomProfile) -> str:
    """Return what is assumed of the pause threshold of a port; empty where a source has it."""
    if not group.is_assumed:
        return ""
    share = f"alpha {alpha(group.dynamic_th):g} assumed"
    return f"{share}: no source has the threshold of {device.sku.name}"


def congested_buffer(
    device: DeviceDesign, group: HeadroomProfile, nic_response_ns: float | None
) -> Buffer | None:
    """Return what one congested port of a switch draws from; None where that is not known."""
    pool = lossless_pool_bytes(device)
    if not pool or group.headroom_bytes is None:
        return None
    return Buffer(pool, ingress_of(group), nic_response_ns)


def slowest_nic_ns(designs: Designs) -> float | None:
    """Return how long the slowest NIC goes on after a pause, where that is known of any."""
    known, hosts = PauseResponses(designs.fabric), designs.fabric.hosts.names
    times = {own.time_ns for row in range(len(hosts)) if (own := known.of_host(row))}
    return max(times, default=None)
