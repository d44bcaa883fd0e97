"""What a table of NVIDIA was made for: the assumptions that give its rows back.

A table states bytes and nothing else. The formula has few assumptions, each with few values in use,
so trying all of them tells which peer, frames and traffic the table was made for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.spectrum import SpectrumSettings, spectrum
from fabric.qos.headroom.terms import Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.qos.headroom.terms import Floats, Ints

#: Frames and shares of smallest frames that shipped tables use, the commonest first
#: (sonic-net/sonic-buildimage 086b03bd device/{mellanox,nvidia}/*/*/pg_profile_lookup.ini).
PORT_MTUS_BYTES = (9216, 9100)
LOSSLESS_MTUS_BYTES = (1024, 4096, 1500)
SMALL_PACKET_PERCENTS = (100, 50, 1)
#: Beyond this length some tables leave the formula and fall below the bytes on the cable.
MAX_CABLE_M = 1000


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Frames and settings that a table was made for."""

    port_mtu_bytes: int
    lossless_mtu_bytes: int
    settings: SpectrumSettings


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """The assumptions that give most rows back.

    Parameters
    ----------
    residual_bytes : array of int, shape (rows,)
        Table minus formula, in the order of the rows that were given.
    counted : array of bool, shape (rows,)
        Rows up to 1000 m, which the choice rests on.
    """

    assumptions: Assumptions
    residual_bytes: Ints
    counted: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def exact(self) -> int:
        """Counted rows that are equal to the byte."""
        return int((self.residual_bytes[self.counted] == 0).sum())


def infer(
    speed_gbps: Floats, cable_m: Floats, headroom_bytes: Ints, settings: SpectrumSettings
) -> Inference:
    """Return the assumptions that give most rows of a table back.

    Parameters
    ----------
    speed_gbps, cable_m, headroom_bytes : array, shape (rows,)
        The table.
    settings : SpectrumSettings
        Figures of the ASIC and its gearbox; ``peer_response_bytes`` is the ASIC's default for
        unknown speeds, which older tables take at all speeds.
    """
    best: Inference | None = None
    counted = np.asarray(cable_m) <= MAX_CABLE_M
    for known in _candidates(settings):
        link = Link.of(speed_gbps, cable_m, known.port_mtu_bytes, known.lossless_mtu_bytes)
        residual = np.asarray(headroom_bytes) - spectrum(link, known.settings).headroom_bytes
        candidate = Inference(known, residual, counted)
        if best is None or _better(candidate, best):
            best = candidate
            if best.exact == counted.sum():
                break  # none can be better
    assert best
    return best


def _better(candidate: Inference, best: Inference) -> bool:
    if candidate.exact != best.exact:
        return candidate.exact > best.exact
    left, right = (np.abs(i.residual_bytes[i.counted]).sum() for i in (candidate, best))
    return bool(left < right)


def _candidates(settings: SpectrumSettings) -> Iterator[Assumptions]:
    """Yield every combination in use; the first of equals wins, so today's script comes first."""
    shares = [
        (percent, share, whole)
        for percent in SMALL_PACKET_PERCENTS
        for share in (("bytes", "packets") if percent != SMALL_PACKET_PERCENTS[0] else ("bytes",))
        for whole in (True, False)
    ]
    peers = ((None, False), (settings.peer_response_bytes, False), (None, True))
    tiles = (settings.tile_ns, 0.0) if settings.tile_ns else (0.0,)
    divisors = (1024, 1000) if settings.gearbox_ns else (1024,)
    for (peer, late), tile, divisor, (percent, share, whole), port, lossless in product(
        peers, tiles, divisors, shares, PORT_MTUS_BYTES, LOSSLESS_MTUS_BYTES
    ):
        yield Assumptions(
            port,
            lossless,
            replace(
                settings,
                peer_response_bytes=peer,
                late_800g=late,
                tile_ns=tile,
                gearbox_divisor=divisor,  # type: ignore[arg-type]
                small_packet_percent=percent,
                share=share,  # type: ignore[arg-type]
                whole_factor=whole,
                extra_bytes=0,
                compensate=False,
            ),
        )
