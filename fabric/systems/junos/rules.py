"""Rules about Junos beside its limits in features.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.design.pool import headroom_room
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import largest_queue_bytes, percent_bytes, to_units
from fabric.validate.rule import SwitchRule, rules
from fabric.validate.traits import classes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.intent.classes import LosslessClass
    from fabric.platforms.model import Sku
    from fabric.validate.places import Places


#: How far a threshold may move before it is worth a word: what a person would still call the same.
ROUNDING = 1.25


@rules.add("JUN006")
class EcnPercents(SwitchRule):
    """On Junos ECN thresholds are whole percents of a queue."""

    why = (
        "A threshold is rounded up to a percent of the lossless part of the egress buffer, so "
        "marking starts later than configured, or Kmin and Kmax become equal."
    )
    source = "juniper.net CLI reference fill-level (percent of the buffer of the queue)"
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare what would be marked at with what was asked for, for every policy on Junos."""
        for profile, one in classes_of(device) if device.platform == "junos" else ():
            for field, message, severity in _wrong(device.sku, one):
                yield self.finding(
                    f"{one.title}{message}",
                    "use thresholds that are whole percents of the queue",
                    place=places.profile_place(one.field(f"ecn.{field}"), device, profile),
                    device=device.name,
                    severity=severity,
                )


def _wrong(sku: Sku, one: LosslessClass) -> Iterator[tuple[str, str, Severity]]:
    queue_bytes = largest_queue_bytes(sku)
    if queue_bytes is None or one.kmax_bytes > queue_bytes:
        size = "unknown size" if queue_bytes is None else f"{queue_bytes:,} bytes"
        message = f"ecn.kmax_bytes {one.kmax_bytes:,} is not a whole percent of a queue of {size}"
        yield "kmax_bytes", message, Severity.ERROR
        return
    percents = [
        to_units(size, marking_unit("junos"), queue_bytes=queue_bytes)
        for size in (one.kmin_bytes, one.kmax_bytes)
    ]
    if percents[0] == percents[1]:
        message = f"ecn.kmin_bytes and kmax_bytes are both {percents[0]} % of {queue_bytes:,} bytes"
        yield "kmax_bytes", message, Severity.ERROR
        return
    for field, percent in zip(("kmin_bytes", "kmax_bytes"), percents, strict=True):
        asked, marked = getattr(one, field), percent_bytes(percent, queue_bytes)
        if marked > ROUNDING * asked:
            message = f"ecn.{field} {asked:,} becomes {percent} %, that is {marked:,} bytes"
            yield field, message, Severity.WARNING


@rules.add("JUN010")
class HeadroomShare(SwitchRule):
    """The headroom of all lossless ports fits in its share of the buffer."""

    severity = Severity.WARNING
    why = (
        "Junos reserves one share of the shared buffer for headroom; if all ports "
        "pause at once and it is full, lossless frames are dropped."
    )
    source = (
        "juniper.net CLI reference buffer-partition ingress (lossless-headroom); Juniper/jvd "
        "@ 005ab344"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "cables.host_m", "cables.uplink_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Add up the headroom of the lossless ports of every switch with Junos."""
        room = headroom_room(device) if device.platform == "junos" else None
        if room and not room.fits:
            percent = int(device.sku.facts["ingress_headroom_percent"])
            least = -(-room.needed_bytes * percent // room.kept_bytes)
            yield self.finding(
                f"{counted(device.lossless_ports, 'lossless port needs', 'lossless ports need')} "
                f"{room.needed_bytes:,} bytes of headroom, {device.sku.name} keeps "
                f"{room.kept_bytes:,} (lossless-headroom percent {percent})",
                "use fewer lossless ports or shorter cables (`rocefab show buffer` says which "
                "would fit), a model with more buffer, or an own model in platforms/*.yaml with "
                f"shared_buffer.ingress_headroom_percent {least} and as much less for "
                "ingress_lossless_percent",
                place=places.sku_place(device),
                device=device.name,
            )
