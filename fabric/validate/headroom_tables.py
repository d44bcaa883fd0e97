"""What the vendor's headroom table of a switch model was made for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import MBPS_PER_GBPS
from fabric.qos.headroom.infer import Assumptions, infer
from fabric.qos.headroom.laws import spectrum_settings

if TYPE_CHECKING:
    from fabric.platforms.model import Sku


@lru_cache(maxsize=64)
def assumptions(model: Sku) -> Assumptions | None:
    """Return what the table was made for; None where the formula does not give all of it back."""
    asic = model.asic_facts
    if asic.law != "spectrum" or not model.headroom:
        return None
    settings = replace(
        spectrum_settings(asic, model.gearbox_ns),
        peer_response_bytes=asic.number("peer_response_bytes"),
    )
    keys = np.array(list(model.headroom), dtype=float)
    have = np.array([row.headroom_bytes for row in model.headroom.values()])
    law = infer(keys[:, 0] / MBPS_PER_GBPS, keys[:, 1], have, settings)
    return law.assumptions if law.exact == law.counted.sum() else None
