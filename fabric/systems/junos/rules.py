"""Rules about Junos beside its limits in features.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.design.pool import headroom_room
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import largest_queue_bytes, percent_bytes, to_units
from fabric.systems.junos.view import DEFAULT_ECMP, maximum_ecmp
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
                f"would fit), or a model with more buffer{_own_shares(device.sku, least)}",
                place=places.sku_place(device),
                device=device.name,
            )


def _own_shares(sku: Sku, headroom: int) -> str:
    """Return the advice to move percents of the buffer to headroom, where there are so many."""
    names = ("ingress_headroom_percent", "ingress_lossless_percent")
    now = [int(sku.facts.get(name, 0)) for name in names]
    lossless = sum(now) - headroom
    if lossless <= 0:
        return ""
    return (
        f"; or write an own model in platforms/*.yaml with {names[0]} {headroom} and {names[1]} "
        f"{lossless}, which are {now[0]} and {now[1]} now (docs/reference/models.md)"
    )


@rules.add("JUN013")
class EqualPaths(SwitchRule):
    """On Junos more than 16 equal paths need a line that is not confirmed for the model."""

    severity = Severity.WARNING
    why = (
        "`chassis maximum-ecmp` sets how many equal paths a switch uses, and is rendered where the "
        "16 without the line are too few. No source says which models take how many; with a value "
        "that a switch does not take, the commit fails, or uplinks stand idle."
    )
    source = (
        "Juniper/yang @ 3b347867 24.4R1-EVO junos-conf-chassis (maximum-ecmp); juniper.net CLI "
        "reference, maximum-ecmp (edit chassis: 16 without it); KB34303 (EX and QFX)"
    )
    guards = ("bgp.max_paths", "spines.count", "spines.links_per_leaf")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for the line, and for a number that the inventory sets and no line has."""
        if device.platform != "junos":
            return
        limit, bgp, place = maximum_ecmp(device.bgp), device.bgp, places.place("bgp", "max_paths")
        if limit:
            yield self.finding(
                f"{bgp.equal_paths} equal paths: bgp.max_paths {bgp.max_paths} is rendered as "
                f"`chassis maximum-ecmp {limit}`, which is not confirmed for {device.sku.name}",
                "try it on one switch first (where it works, `severity` in fabric.yaml makes this "
                f"an info), or use fewer cables of a higher speed: up to {DEFAULT_ECMP} equal "
                "paths need no line",
                place=place,
                device=device.name,
            )
        elif "max_paths" in places.intent.fabric.bgp.model_fields_set:
            yield self.finding(
                f"bgp.max_paths {bgp.max_paths} is not rendered for switches with up to "
                f"{DEFAULT_ECMP} equal paths, which Junos uses without a line",
                "remove it, unless other switches have more",
                place=place,
                device=device.name,
                severity=Severity.INFO,
            )
