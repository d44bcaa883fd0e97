"""``drift`` of ``fabric.yaml``: what `rocefab drift --watch` may repair by itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fabric.intent.policy import Model


class Drift(Model):
    """What happens to a device that no longer runs as the inventory says."""

    repair: Literal["never", "harmless"] = Field(
        "never",
        description="Whether `drift --watch` applies the plan of a device whose changes are all "
        "harmless: none of them touches traffic.",
    )
    repairs_per_hour: int = Field(
        4, ge=1, le=1000, description="Most devices that are repaired within an hour."
    )
