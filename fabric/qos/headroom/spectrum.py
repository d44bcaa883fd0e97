"""NVIDIA Spectrum: the headroom that SONiC computes on the switch.

Source: sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_headroom_mellanox.lua. The tables that NVIDIA
ships were made by earlier forms of it; the fields of ``SpectrumSettings`` span both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.terms import RESPONSE, Headroom, Link, Term, ceil_to, total
from fabric.qos.headroom.wire import HALVED_GBPS, RESPONSE_QUANTA

if TYPE_CHECKING:
    from fabric.qos.headroom.terms import Floats

#: Signal speed of the script (``speed_of_light``).
SIGNAL_M_PER_S = 1.98e8
#: Smallest frame (``minimal_packet_size``).
SMALL_FRAME_BYTES = 64
#: Rounding of all sizes.
STEP_BYTES = 1024
#: Added when fewer small frames are assumed and there is no shared headroom pool
#: (``headroom_compensation``, sonic-swss b20a5969).
COMPENSATION_BYTES = 2 * 1024
#: Lanes of a port that has two buffer units (``is_8lane``).
TWO_UNIT_LANES = 8
#: Nothing but smallest frames.
ALL_SMALL_PERCENT = 100
#: Name of the flat term, which the script adds after its worst case.
ACCOUNTING = "packet buffer accounting"


@dataclass(frozen=True, slots=True)
class SpectrumSettings:
    """What the formula needs to know beside the link.

    Parameters
    ----------
    cell_bytes, pipeline_bytes, mac_phy_bytes : float
        Of the ASIC (sonic-net/sonic-buildimage platform/mellanox/asic_table.j2).
    peer_response_bytes : float or None
        Response of the peer; None takes the pause quanta of the speed.
    late_800g : bool
        Whether a peer at 800G takes as long as at 400G, twice the quanta: the tables of Spectrum-6
        come out to the byte so (sonic-net/sonic-buildimage 086b03bd
        device/mellanox/x86_64-nvidia_sn6600_ld-r0/ACS-SN6600_LD/pg_profile_lookup.ini).
    tile_ns : float
        Time on the tile of Spectrum-4 and -5.
    extra_bytes : int
        Flat addition of Spectrum-6.
    gearbox_ns : float
        Delay of a gearbox, passed twice.
    gearbox_divisor : {1000, 1024}
        The script divides the bytes in the gearbox by 1024; the shipped tables of the SN3800 come
        out to the byte with 1000, as the units ask.
    small_packet_percent : float
        Share of smallest frames in the lossless traffic; 100 is the worst case.
    share : {"bytes", "packets"}
        ``bytes`` turns the share into one of bytes as the script does since 3943093d (its
        expression holds no factor p: kept for parity); ``packets`` takes it as it is, as older
        tables do.
    whole_factor : bool
        Whether the packing of a smallest frame is rounded up, as since 3943093d.
    compensate : bool
        Whether the 2 KiB of b20a5969 are added.
    shared_headroom : bool
        Whether a shared headroom pool exists; then ``size`` is only the XON threshold.
    fallback_bytes : float or None
        Response that the script takes at a speed without pause quanta (``peer_response_time``);
        None takes what such a peer may need.
    """

    cell_bytes: int
    pipeline_bytes: float
    mac_phy_bytes: float
    peer_response_bytes: float | None = None
    late_800g: bool = False
    tile_ns: float = 0.0
    extra_bytes: int = 0
    gearbox_ns: float = 0.0
    gearbox_divisor: Literal[1000, 1024] = 1024
    small_packet_percent: float = 100.0
    share: Literal["bytes", "packets"] = "bytes"
    whole_factor: bool = True
    compensate: bool = True
    shared_headroom: bool = False
    fallback_bytes: float | None = None

    def small_frame_factor(self) -> float:
        """Return the buffer bytes for each byte of a smallest frame."""
        cell = self.cell_bytes
        two_cells = cell > 2 * SMALL_FRAME_BYTES
        factor = cell / SMALL_FRAME_BYTES if two_cells else 2 * cell / (1 + cell)
        return float(np.ceil(factor)) if self.whole_factor or not two_cells else factor

    def packing_factor(self, lossless_mtu_bytes: Floats) -> Floats:
        """Return the buffer bytes for each byte on the wire.

        Parameters
        ----------
        lossless_mtu_bytes : array of float
            Largest lossless frame in bytes, >= 64.

        Returns
        -------
        array of float
            Factor, >= 1.
        """
        percent = np.full_like(lossless_mtu_bytes, self.small_packet_percent)
        if self.share == "bytes":
            mean = (percent * SMALL_FRAME_BYTES + (100 - percent) * lossless_mtu_bytes) / 100
            percent = 100 * SMALL_FRAME_BYTES / mean
        factor: Floats = (100 - percent + percent * self.small_frame_factor()) / 100
        return factor


def spectrum(link: Link, settings: SpectrumSettings, *, lanes: int = 1) -> Headroom:
    """Return headroom, XON threshold and size of a lossless priority group.

    Parameters
    ----------
    link : Link
        Speed, length and frames.
    settings : SpectrumSettings
        Figures of the ASIC and assumptions about peer and traffic.
    lanes : int
        Lanes of the port; 8 doubles the pipeline latency.

    """
    wire = _wire_terms(link, settings)
    factor = settings.packing_factor(link.lossless_mtu_bytes)
    headroom = total("spectrum", wire, factor, STEP_BYTES)
    extra = _compensation(headroom, settings)
    if extra.any():
        term = Term("compensation for fewer small frames", extra, packed=False)
        headroom = total("spectrum", (*wire, term), factor, STEP_BYTES)
    two_units = lanes == TWO_UNIT_LANES
    xon = np.broadcast_to(
        ceil_to(settings.pipeline_bytes * (2 if two_units else 1), STEP_BYTES), link.cable_m.shape
    )
    overhead = link.port_mtu_bytes if two_units else 0.0
    size = ceil_to(headroom.headroom_bytes + xon + overhead, STEP_BYTES)
    return replace(
        headroom, xon_threshold_bytes=xon, size_bytes=xon if settings.shared_headroom else size
    )


def _wire_terms(link: Link, settings: SpectrumSettings) -> tuple[Term, ...]:
    speed = link.speed_gbps
    gearbox = speed * gbps_to_bytes_per_s(1) * ns_to_s(settings.gearbox_ns)
    return (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term(
            "cable, both ways",
            2 * link.cable_m * gbps_to_bytes_per_s(1) * speed / SIGNAL_M_PER_S,
        ),
        Term("gearbox, twice", 2 * gearbox * 1000 / settings.gearbox_divisor),
        Term("MAC and PHY", np.full_like(speed, settings.mac_phy_bytes)),
        _response(link, settings),
        Term("tile", speed * gbps_to_bytes_per_s(1) * ns_to_s(settings.tile_ns)),
        Term("lossless frame just begun", link.lossless_mtu_bytes, packed=False),
        Term(ACCOUNTING, np.full_like(speed, settings.extra_bytes), packed=False),
    )


def _response(link: Link, settings: SpectrumSettings) -> Term:
    speed = link.speed_gbps
    if settings.peer_response_bytes is not None:
        return Term(RESPONSE, np.full_like(speed, settings.peer_response_bytes))
    late = settings.late_800g & (speed == HALVED_GBPS)
    term = link.response(np.where(late, 2.0, 1.0))
    if settings.fallback_bytes is None:
        return term
    known = np.isin(speed, list(RESPONSE_QUANTA))
    return Term(RESPONSE, np.where(known, term.amount_bytes, settings.fallback_bytes))


def _compensation(headroom: Headroom, settings: SpectrumSettings) -> Floats:
    """Return the 2 KiB that fewer small frames get without a shared pool, where they fall short."""
    if (
        not settings.compensate
        or settings.shared_headroom
        or settings.small_packet_percent == ALL_SMALL_PERCENT
    ):
        return np.zeros_like(headroom.packing_factor)
    wire = tuple(term for term in headroom.terms if term.name != ACCOUNTING)
    worst = total("", wire, settings.small_frame_factor(), STEP_BYTES)
    short = headroom.headroom_bytes + COMPENSATION_BYTES < worst.headroom_bytes
    return np.where(short, float(COMPENSATION_BYTES), 0.0)
