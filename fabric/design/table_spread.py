"""Headroom tables of other switch models: how far they differ, and which are the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.platforms.catalogue import sku, sku_names, skus_of

if TYPE_CHECKING:
    from fabric.platforms.model import Sku

#: Rows that two tables must have in common before they are called the same: some are equal by
#: rounding. Our choice.
LEAST_COMMON_ROWS = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """Headroom that tables of the same ASIC keep for one speed and length.

    Parameters
    ----------
    least_bytes, most_bytes : int
        Smallest and largest row.
    models : int
        Switch models with such a row.
    """

    least_bytes: int
    most_bytes: int
    models: int

    def text(self) -> str:
        """Return the interval and the number of models in words."""
        few = self.least_bytes == self.most_bytes
        size = f"{self.least_bytes:,}" + ("" if few else f" to {self.most_bytes:,}")
        return f"{size} bytes ({self.models} model{'' if self.models == 1 else 's'})"


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
    rows = []
    for model in skus_of(asic):
        lengths = [m for m in model.cable_lengths_m(speed_mbps) if m >= cable_m]
        if lengths:
            rows.append(model.headroom[speed_mbps, min(lengths)].headroom_bytes)
    return Spread(min(rows), max(rows), len(rows)) if rows else None


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
