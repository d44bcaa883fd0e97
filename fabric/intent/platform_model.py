"""Switch models of the roles: ``platforms`` of the inventory."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.policy import LosslessPolicy, Model
from fabric.intent.scalars import (
    BufferModel,
    Cages,
    Loose,
    OverSubscription,
    PauseResponseNs,
    PortNames,
    Release,
    SplitMode,
)
from fabric.platforms.model import Role, role_field


class CageSplit(Model):
    """Cages of a switch that are broken out into several ports."""

    cages: Cages = Field(description="Cages by their numbers on the front, from 1: 1-32,40.")
    mode: SplitMode = Field(description="Ports of each cage and their speed: 2x400G.")


class RolePlatform(Model):
    """Switch model of a role, and its overrides of the fabric policy."""

    sku: str = Field(description="Switch model; `rocefab show platforms` lists them.")
    release: Release | None = Field(
        None,
        description="Release of its operating system, such as 202405 or 5.14; default: any known "
        "release.",
    )
    scope: Literal["whole", "merge"] = Field(
        "whole",
        description="whole: rocefab writes the sections that it renders; merge: lines of others in "
        "them stay as they run.",
    )
    buffer_model: BufferModel = Field(
        "traditional",
        description="Headroom from the vendor's table, or computed by the switch (SONiC, NVIDIA).",
    )
    headroom_over_subscription: OverSubscription | None = Field(
        None,
        description="With buffer_model dynamic: the ports share one headroom, the sum of theirs "
        "divided by this number; default: each has its own.",
    )
    pause_response_ns: PauseResponseNs | None = Field(
        None,
        description="Longest time from a pause until a port of these switches stops sending, for "
        "the headroom at the other end of its cables; default: that of the switch model where it "
        "is known, else what IEEE 802.3 allows.",
    )
    host_ports: int | None = Field(
        None,
        ge=1,
        description="Number of leaf ports reserved for hosts, from port 1; default: half of them.",
    )
    down_ports: int | None = Field(
        None,
        ge=1,
        description="Number of spine ports reserved for leaves; default: half with super-spines, "
        "otherwise all.",
    )
    reserved_ports: Annotated[tuple[PortNames, ...], Loose] = Field(
        (), description="Ports that the design never uses, by name or range; they are not counted."
    )
    breakouts: Annotated[tuple[CageSplit, ...], Loose] = Field(
        (), description="Breakouts of cages; ports are counted after breakout."
    )
    lossless: LosslessPolicy | None = Field(
        None, description="Fields of the lossless policy that differ on this role."
    )


class Platforms(Model):
    """Switch model by role."""

    leaf: RolePlatform = Field(description="Platform of the leaves.")
    spine: RolePlatform | None = Field(None, description="Platform of the spines.")
    super_spine: RolePlatform | None = Field(None, description="Platform of the super-spines.")

    def of(self, role: Role) -> RolePlatform | None:
        """Return what is said of a role."""
        platform: RolePlatform | None = getattr(self, role_field(role))
        return platform
