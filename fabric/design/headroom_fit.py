"""What the headroom of a switch would still fit with: other cables, another MTU."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.design.limits import longest_cable_m
from fabric.intent.scalars import LONGEST_CABLE_M
from fabric.qos.headroom.budget import largest
from fabric.qos.headroom.laws import PortTraits, headroom
from fabric.qos.headroom.terms import Link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.port_model import HeadroomProfile
    from fabric.platforms.model import Sku


def with_setting(
    groups: Sequence[HeadroomProfile], setting_m: int
) -> tuple[list[HeadroomProfile], list[HeadroomProfile]]:
    """Return the groups whose headroom is set for a length, and the others."""
    own = [group for group in groups if group.setting_m == setting_m]
    return own, [group for group in groups if group.setting_m != setting_m]


def law_bytes(
    model: Sku, groups: Sequence[HeadroomProfile], cable_m: int, port_mtu_bytes: int
) -> int:
    """Return the headroom of some groups together, with another cable and port MTU."""
    traits, total = PortTraits(gearbox_ns=model.gearbox_ns), 0
    frames = ((one.speed_gbps, int(one.link.lossless_mtu_bytes)) for one in groups)
    for (speed_gbps, lossless), count in Counter(frames).items():
        link = Link.of(speed_gbps, cable_m, port_mtu_bytes, min(port_mtu_bytes, lossless))
        total += count * int(headroom(model.asic_facts, link, traits).headroom_bytes)
    return total


def longest_fit_m(
    model: Sku, groups: Sequence[HeadroomProfile], port_mtu_bytes: int, room_bytes: int
) -> int | None:
    """Return the longest cable with which the headroom of groups fits; None where none does."""

    def fits(cable_m: int) -> bool:
        return law_bytes(model, groups, cable_m, port_mtu_bytes) <= room_bytes

    return largest(fits, 0, int(min(LONGEST_CABLE_M, longest_cable_m(model))))
