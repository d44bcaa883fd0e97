"""Headroom tables of other switch models: how far they differ, and which are the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.units import MBPS_PER_GBPS
from fabric.platforms.asic_catalogue import asic as family
from fabric.platforms.catalogue import sku, sku_names, skus_of
from fabric.qos.headroom.deduced import TABLE_FRAME_BYTES
from fabric.qos.headroom.laws import headroom
from fabric.qos.headroom.terms import Link

if TYPE_CHECKING:
    from fabric.design.port_model import HeadroomProfile
    from fabric.platforms.model import Sku

#: Rows that two tables must have in common before they are called the same: some are equal by
#: rounding. Our choice.
LEAST_COMMON_ROWS = 10
#: Speed from which on a law must not lie below a row unsaid: slower rows of the same tables were
#: made for other frames and peers.
TABLES_FROM_GBPS = 100


@dataclass(frozen=True, slots=True)
class Spread:
    """Headroom that tables of the same ASIC keep for one speed and length.

    Parameters
    ----------
    least_bytes, most_bytes : int
        Smallest and largest row.
    least_m, most_m : int
        Shortest and longest length of these rows: a table may have only longer ones.
    models : int
        Switch models with such a row.
    """

    least_bytes: int
    most_bytes: int
    least_m: int
    most_m: int
    models: int

    def text(self) -> str:
        """Return the intervals and the number of models in words."""
        size = _interval(self.least_bytes, self.most_bytes)
        length = _interval(self.least_m, self.most_m)
        return f"{size} bytes at {length} m ({counted(self.models, 'model')})"


def _interval(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


@lru_cache(maxsize=1024)
def table_spread(asic: str, speed_mbps: int, cable_m: int) -> Spread | None:
    """Return what the shipped tables of an ASIC keep; None where none has the speed or length.

    Parameters
    ----------
    asic : str
        Name of the family.
    cable_m : int
        Length; each table is asked for its own, or its next longer one.
    """
    rows = {}
    for model in skus_of(asic):
        lengths = [m for m in model.cable_lengths_m(speed_mbps) if m >= cable_m]
        if lengths:
            row = model.headroom[speed_mbps, min(lengths)]
            rows[model.name] = row.headroom_bytes, min(lengths)
    if not rows:
        return None
    sizes, metres = zip(*rows.values(), strict=True)
    return Spread(min(sizes), max(sizes), min(metres), max(metres), len(rows))


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A row that a law falls short of.

    Parameters
    ----------
    percent : float
        How far the law is below the row, > 0.
    row_bytes, law_bytes : int
        What the row and the law keep for ``cable_m``, the length of the row.
    is_of_law : bool
        Whether it is so for the frames of the table too, not only for the smaller ones of the port.
    """

    percent: float
    model: str
    row_bytes: int
    law_bytes: int
    cable_m: int
    is_of_law: bool

    def text(self) -> str:
        """Return by how much the law may be too low, in words."""
        frames = "" if self.is_of_law else " for larger frames"
        return (
            f"the law may be {self.percent:.1f} % too low: at {self.cable_m} m {self.model} keeps "
            f"{self.row_bytes:,} bytes{frames}, and the law gives {self.law_bytes:,}"
        )


@lru_cache(maxsize=1024)
def law_shortfall(
    asic: str, speed_mbps: int, cable_m: int, port_mtu_bytes: int, lossless_mtu_bytes: int
) -> Shortfall | None:
    """Return the row that the law of an ASIC is furthest below; None where it is below none.

    Parameters
    ----------
    asic : str
        Name of the family.
    cable_m : int
        Length; each table is asked for its own, or its next longer one, and the law for the same.
    port_mtu_bytes, lossless_mtu_bytes : int
        Frames that the law is asked for.
    """
    worst: Shortfall | None = None
    for model in skus_of(asic):
        lengths = [m for m in model.cable_lengths_m(speed_mbps) if m >= cable_m]
        if not lengths:
            continue
        length = min(lengths)
        row_bytes = model.headroom[speed_mbps, length].headroom_bytes
        own, large = (
            _law_bytes(asic, speed_mbps, length, frames)
            for frames in (
                (port_mtu_bytes, lossless_mtu_bytes),
                (TABLE_FRAME_BYTES, TABLE_FRAME_BYTES),
            )
        )
        low = 100 * (1 - own / row_bytes)
        if low > (worst.percent if worst else 0):
            worst = Shortfall(low, model.name, row_bytes, own, length, large < row_bytes)
    return worst


def shortfall_of(asic: str, group: HeadroomProfile) -> Shortfall | None:
    """Return the row that the law of a port of at least 100G is furthest below."""
    if group.law is None or group.speed_gbps < TABLES_FROM_GBPS:
        return None
    frames = (int(group.link.port_mtu_bytes), int(group.link.lossless_mtu_bytes))
    return law_shortfall(asic, group.speed_mbps, group.setting_m, *frames)


def _law_bytes(asic: str, speed_mbps: int, cable_m: int, frames_bytes: tuple[int, int]) -> int:
    """Return what the law keeps; 0 where it has no answer."""
    try:
        link = Link.of(speed_mbps / MBPS_PER_GBPS, cable_m, *frames_bytes)
        return int(headroom(family(asic), link).headroom_bytes)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class Twin:
    """A switch model with other silicon whose table keeps the same bytes in ``rows`` rows."""

    name: str
    asic: str
    rows: int


@lru_cache(maxsize=256)
def twin(model: Sku) -> Twin | None:
    """Return a shipped model with other silicon and the same rows; None where there is none.

    Tables by the formula of NVIDIA's switches are equal where its figures are, so they do not
    count.
    """
    if model.asic_facts.law == "spectrum":
        return None
    for other in map(sku, sku_names()):
        common = model.headroom.keys() & other.headroom.keys()
        if other.asic == model.asic or len(common) < LEAST_COMMON_ROWS:
            continue
        pairs = ((model.headroom[key], other.headroom[key]) for key in common)
        if all(mine.headroom_bytes == theirs.headroom_bytes for mine, theirs in pairs):
            return Twin(other.name, other.asic, len(common))
    return None
