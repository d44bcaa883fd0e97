"""RoCE as it runs: ``nv show interface`` for the ports, then ``nv show qos roce``.

Layouts of CumulusNetworks/docs, content/cumulus-linux-510 and -514, RDMA over Converged Ethernet.
The recipe is one for the whole switch, so that what it says holds for every port.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain
from fabric.observe.state import EcnState
from fabric.systems.cumulus.parsers.interfaces import interfaces
from fabric.systems.cumulus.parsers.tables import number, sections, settings, size_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Printed between the two outputs by the driver.
DIVIDER = "-- roce --\n"
_YES = ("enabled", "yes", "on")
_NO = ("disabled", "no", "off")


def pfc_priorities(text: str) -> dict[str, tuple[int, ...]]:
    """Return the priorities that every port pauses and honours.

    Raises
    ------
    UnreadableError
        When the outputs are not those, or PFC works in one direction only.
    """
    ports, recipe = _read(text)
    if not recipe or "pfc-priority" not in recipe:
        return dict.fromkeys(ports, ())
    both = {_yes(recipe, "rx-enabled"), _yes(recipe, "tx-enabled")}
    if len(both) > 1:
        raise UnreadableError("PFC is on in one direction only")
    priorities = _numbers(_value(recipe, "pfc-priority")) if both == {True} else ()
    return dict.fromkeys(ports, priorities)


def ecn(text: str) -> dict[tuple[str, int], EcnState]:
    """Return the thresholds of marking of every port and traffic class.

    Raises
    ------
    UnreadableError
        When the outputs are not those.
    """
    ports, recipe = _read(text)
    if not recipe:
        return {}
    state = EcnState(
        kmin_bytes=size_bytes(_value(recipe, "min-threshold")),
        kmax_bytes=size_bytes(_value(recipe, "max-threshold")),
        pmax_percent=number(_value(recipe, "probability")),
    )
    classes = _numbers(_value(recipe, "enabled-tc"))
    return {(port, traffic_class): state for port in ports for traffic_class in classes}


def _read(text: str) -> tuple[list[str], Mapping[str, tuple[str, str]]]:
    """Return the ports, and the settings of the recipe; none when it is off."""
    links, divider, recipe = plain(text).partition(DIVIDER)
    if not divider:
        raise UnreadableError("the two outputs are not apart")
    found = settings(sections(recipe)[""])
    switch = next((found[name] for name in ("enable", "state") if name in found), None)
    if switch is None or switch[1] not in (*_YES, *_NO):
        raise UnreadableError("it does not say whether RoCE is on")
    return list(interfaces(links)), found if switch[1] in _YES else {}


def _value(recipe: Mapping[str, tuple[str, str]], name: str) -> str:
    """Return what is in force: the operational value, else the applied one."""
    if name not in recipe:
        raise UnreadableError(f"{name} is missing")
    operational, applied = recipe[name]
    return operational or applied


def _yes(recipe: Mapping[str, tuple[str, str]], name: str) -> bool:
    word = _value(recipe, name)
    if word not in (*_YES, *_NO):
        raise UnreadableError(f"{name} is {word!r}")
    return word in _YES


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(number(part) for part in text.split(","))
