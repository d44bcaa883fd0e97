"""Ports that a source has as one and a cable breaks out: the parts that the switch has of them."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.findings import Finding, Position, Severity
from fabric.exchange.plant import Cable
from fabric.intent.scalars import cage_numbers, quoted
from fabric.intent.yaml.file import input_error
from fabric.platforms.breakout import broken_out, fits, parse_mode
from fabric.platforms.cage import Mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.exchange.plant import End, Plant
    from fabric.platforms.model import Sku


class Lane(NamedTuple):
    """A part of a port that a cable breaks out.

    Parameters
    ----------
    port : str
        The whole port, as the source names it.
    part : int
        Which part of it, from 0, in the order of the source.
    parts : int
        Parts that the cable has.
    """

    port: str
    part: int
    parts: int


def in_parts(
    plant: Plant,
    lanes: Mapping[End, Lane],
    skus: Mapping[str, Sku],
    splits: Mapping[str, Iterable[Mapping[str, Any]]],
    source: str,
) -> tuple[Plant, dict[str, list[dict[str, Any]]]]:
    """Return the plant with the ports that its switches have after breakout, and the breakouts.

    Parameters
    ----------
    lanes : mapping
        Part of a port, by the device and the name that the part has in the plant.
    skus : mapping
        Model of each switch.
    splits : mapping
        Breakouts that the inventory has without these, by switch.

    Raises
    ------
    InputError
        With a finding for each port that its model cannot break out so.
    """
    cabled = {end: cable for cable in plant.cables for end in (cable.near, cable.far)}
    modes: dict[str, dict[int, Mode]] = {}
    names: dict[End, End] = {}
    wrong: list[Finding] = []
    for end, lane in lanes.items():
        device, model = end[0], skus.get(end[0])
        if model is None or end not in cabled:
            continue  # a model that is not known is an error already
        mine = modes.setdefault(device, _given(splits.get(device, ())))
        number = model.whole.port_numbers().get(lane.port)
        cage = None if number is None else model.whole.place(number).cage
        mode = None if cage is None else mine.get(cage) or _mode(model, lane, cabled[end])
        if cage is None or mode is None or lane.part >= mode.parts:
            wrong.append(_refused(end[0], lane, model, source))
            continue
        mine[cage] = mode
        names[end] = (device, _name(model, cage, mode, lane.part))
    if wrong:
        raise input_error(list(dict.fromkeys(wrong)), source)
    return _renamed(plant, names), {name: _listed(modes[name]) for name in modes}


def _given(splits: Iterable[Mapping[str, Any]]) -> dict[int, Mode]:
    """Return the mode of each cage; entries that are wrong are errors of the inventory later."""
    modes: dict[int, Mode] = {}
    for split in splits:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            mode = parse_mode(str(split["mode"]))
            modes.update(dict.fromkeys(cage_numbers(str(split["cages"])), mode))
    return modes


def _mode(model: Sku, lane: Lane, cable: Cable) -> Mode | None:
    """Return the mode of a model with the fewest parts that are enough, at the speed of a cable."""
    if not model.part_name:
        return None
    speed = cable.speed_gbps
    offered = [parse_mode(word) for word in model.breakouts]
    if not offered:
        gbps = speed or max(model.speeds_gbps) // lane.parts
        offered = [Mode(f"{lane.parts}x{gbps}G", lane.parts, (gbps,))]
    fitting = [
        mode
        for mode in offered
        if mode.parts >= lane.parts
        and fits(model, mode)
        and (speed is None or speed in mode.speeds_gbps)
    ]
    return min(fitting, key=lambda mode: (mode.parts, mode.lanes is not None), default=None)


def _name(model: Sku, cage: int, mode: Mode, part: int) -> str:
    split = broken_out(model.whole, {cage: mode})
    return split.port(cage + part)


def _refused(device: str, lane: Lane, model: Sku, source: str) -> Finding:
    message = f"{quoted(lane.port)} is cabled in {lane.parts} parts, which {model.name} has not"
    modes = ", ".join(model.breakouts) or "no known names of parts"
    fix = f"check model and speed; the model offers {modes}"
    place = Position(source)
    return Finding("EXC009", Severity.ERROR, message, fix, position=place, device=device)


def _renamed(plant: Plant, names: Mapping[End, End]) -> Plant:
    cables = (
        Cable.between(
            names.get(cable.near, cable.near),
            names.get(cable.far, cable.far),
            cable.speed_gbps,
            cable.cable_m,
        )
        for cable in plant.cables
    )
    return replace(plant, cables=tuple(cables))


def _listed(modes: Mapping[int, Mode]) -> list[dict[str, Any]]:
    """Return modes as overrides of a switch have them."""
    cages: dict[str, list[int]] = defaultdict(list)
    for cage, mode in sorted(modes.items()):
        cages[f"{mode.parts}x{mode.speeds_gbps[0]}G"].append(cage)
    return [{"cages": ",".join(map(str, numbers)), "mode": mode} for mode, numbers in cages.items()]
