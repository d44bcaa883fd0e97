"""Junos: optics and temperatures, from XML.

Elements: napalm/junos/utils/junos_views.yml (``junos_intf_optics_view``,
``junos_intf_40Goptics_view``, ``junos_environment_view``) and Juniper/py-junos-eznc
lib/jnpr/junos/op/intopticdiag.yml. Light that is not there is ``-Inf`` or ``- Inf``
(napalm/base/constants.py).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.state import Optic, Sensor
from fabric.systems.junos.parsers.interfaces import ports_of, tree

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_NO_LIGHT = {"-inf", "- inf"}


def optics(text: str) -> dict[str, Optic]:
    """Parse ``show interfaces diagnostics optics``; a port that measures nothing is left out.

    Raises
    ------
    UnreadableError
        When it is not that XML, or what is measured is no number.
    """
    seen = {
        name: _optic(part)
        for name, port in ports_of(text)
        if (part := port.find("optics-diagnostics")) is not None
    }
    return {name: optic for name, optic in seen.items() if optic != Optic()}


def _optic(part: ET.Element) -> Optic:
    lanes = part.findall("optics-diagnostics-lane-values")
    received = "laser-rx-optical-power-dbm" if lanes else "rx-signal-avg-optical-power-dbm"
    both = [
        [lane.find(name) for lane in lanes or [part]]
        for name in (received, "laser-output-power-dbm")
    ]
    received_dbm, sent_dbm = (
        tuple(_dbm(lane) for lane in one) if any(lane is not None for lane in one) else None
        for one in both
    )
    return Optic(_celsius(part.find("module-temperature")), received_dbm, sent_dbm)


def _dbm(lane: ET.Element | None) -> float | None:
    word = "" if lane is None else (lane.text or "").strip()
    return None if lane is None or word.lower() in _NO_LIGHT else _number(word)


def _celsius(element: ET.Element | None) -> float | None:
    """Return the attribute ``celsius``: the text of the element is rounded."""
    for name, value in () if element is None else element.items():
        if name.rpartition("}")[2] == "celsius":
            return _number(value)
    return None


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnreadableError(f"{word[:80]!r} is not a figure")
    return value


def temperatures(text: str) -> dict[str, Sensor]:
    """Parse ``show chassis environment``: the items that have a temperature.

    Raises
    ------
    UnreadableError
        When it is not that XML, or a temperature is no number.
    """
    items = list(tree(text).iter("environment-item"))
    if not items:
        raise UnreadableError("the answer contains no items")
    by_name = {
        (item.findtext("name") or "").strip(): _celsius(item.find("temperature")) for item in items
    }
    if "" in by_name:
        raise UnreadableError("an item has no name")
    return {name: Sensor(celsius) for name, celsius in by_name.items() if celsius is not None}
