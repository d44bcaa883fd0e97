"""Shares of the scheduler as a switch gets them: some systems set a part of each port aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.platforms import platforms

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.platforms.system import Reserve

_WHOLE = 100


class Shares(NamedTuple):
    """Percents of best effort, and of each lossless class in its order."""

    default: int
    lossless: tuple[int, ...]


def reserves_of(device: DeviceDesign) -> tuple[Reserve, ...]:
    """Return what a switch sets aside; nothing for a queue that is one of ours."""
    ours = {one.queue for one in device.qos_profiles[0].queues}
    return tuple(one for one in platforms[device.platform].reserves if one.queue not in ours)


def switch_shares(device: DeviceDesign, profile: QosProfile) -> Shares:
    """Return the shares of a profile as they are rendered for a switch."""
    default = next((one.percent or 0 for one in profile.queues if one.kind == "default"), 0)
    lossless = [one.percent for one in profile.classes]
    reserves = reserves_of(device)
    if not reserves:
        return Shares(default, tuple(lossless))
    free = _free(reserves)
    default = max(1, default * free // _WHOLE)
    return Shares(default, _parts(lossless, free - default))


def share_words(device: DeviceDesign) -> str:
    """Return how rendered shares come from those of the inventory; empty where they are the same.

    Returns
    -------
    str
        Such as ``"of 100 %, 5 are for CNPs and 5 for network-control; ..."``.
    """
    reserves = reserves_of(device)
    if not reserves:
        return ""
    first, *more = (f"{one.percent} {{}}for {one.traffic}" for one in reserves)
    taken = " and ".join((first.format("are "), *(text.format("") for text in more)))
    return (
        f"of 100 %, {taken}; the shares of the inventory divide the other {_free(reserves)} in "
        "whole percents, and the first lossless class has what is left over"
    )


def _free(reserves: tuple[Reserve, ...]) -> int:
    return _WHOLE - sum(one.percent for one in reserves)


def _parts(shares: list[int], whole: int) -> tuple[int, ...]:
    """Divide a whole by shares, in whole percents; the first one takes what is left."""
    parts = [max(1, share * whole // sum(shares)) for share in shares[1:]]
    return whole - sum(parts), *parts
