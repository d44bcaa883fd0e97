"""explain: values of the inventory that decide no line of a switch."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fabric.design.features import FEATURES
from fabric.platforms import platforms
from fabric.platforms.features import feature, is_rendered
from fabric.render.explain import entries
from fabric.report.explain_fields import is_part_of
from fabric.report.explain_values import Spot, values

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.report.explain_values import Value

#: Section of the settings that switches have; others also say what a fabric consists of.
_POLICY = "lossless."


class Unrendered(NamedTuple):
    """A field that decides no line of a switch, with its values there.

    ``source`` is that of the feature which the system lacks, where it declares one.
    """

    field: str
    values: tuple[Value, ...]
    note: str
    source: str


def unrendered(designs: Designs, device: str, name: str) -> list[Unrendered]:
    """Return the fields of a name, or part of one, that decide no line of a switch.

    Its system does not render them, or not for a switch like this.
    """
    design = designs.devices.get(device)
    if design is None:
        return []
    sources = _lacking(design)
    known = {*sources, *_foreign(design), *_decided(design.platform)}
    fields = sorted(field for field in known if is_part_of(name, field))
    return [_unrendered(designs, design, field, sources.get(field, "")) for field in fields]


def _unrendered(designs: Designs, design: DeviceDesign, field: str, source: str) -> Unrendered:
    own = tuple(values(designs, design.name, field, Spot("", frozenset())))
    state = "set, not rendered" if any(value.position for value in own) else "not rendered"
    title = platforms[design.platform].title
    idle = not source and field in _decided(design.platform)
    reason = f"{title} needs no line for it here" if idle else f"{title} has no line for it"
    note = f"{state}: {reason}"
    return Unrendered(field, own, note, source)


def _lacking(design: DeviceDesign) -> dict[str, str]:
    """Return the fields of features that a switch does not get, each with the source."""
    cells = (
        (one.field, feature(design.platform, one.name, design.sku, design.role))
        for one in FEATURES
        if not is_rendered(one.name, design.sku)
    )
    return {field: cell.source if cell else "" for field, cell in cells}


def _foreign(design: DeviceDesign) -> set[str]:
    """Return the settings that decide lines of other systems, and none of the switch's."""
    others = {field for name in platforms for field in _decided(name)}
    return {field for field in others if field.startswith(_POLICY)} - _decided(design.platform)


@cache
def _decided(system: str) -> frozenset[str]:
    """Return the fields that decide lines of a system."""
    return frozenset(field for entry in entries(system) for field in entry.fields)
