"""Ports that a source has as one and a cable breaks out: the parts that the switch has of them."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.counts import counted
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import quoted
from fabric.core.spans import spans
from fabric.intent.scalars import cage_numbers
from fabric.intent.yaml.file import input_error
from fabric.platforms.breakout import broken_out, fits, parse_mode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fabric.exchange.plant import Cable, End, Plant
    from fabric.platforms.cage import CageKind, Mode
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
    present: Mapping[str, Mapping[str, float | None]],
    source: str,
) -> tuple[Plant, dict[str, list[dict[str, Any]]]]:
    """Return the plant with the ports that its switches have after breakout, and the breakouts.

    Breakouts are those of the lanes, and of ports that the source names as the model names parts.
    A switch has breakouts here where it has others than the inventory gives it.

    Parameters
    ----------
    lanes : mapping
        Part of a port, by the device and the name that the part has in the plant.
    skus : mapping
        Model of each switch.
    splits : mapping
        Breakouts that the inventory has without these, by switch.
    present : mapping
        Speed of each port that a switch is known to have, with a cable or without.

    Raises
    ------
    InputError
        With a finding for each port that its model cannot break out so.
    """
    cabled = {end: cable for cable in plant.cables for end in (cable.near, cable.far)}
    given = {name: _given(splits.get(name, ())) for name in skus}
    ports: dict[str, dict[str, float | None]] = defaultdict(dict)
    for end in cabled.keys() - lanes.keys():
        ports[end[0]][end[1]] = cabled[end].speed_gbps
    for name, sku in skus.items():
        ports[name] = {**_uncabled(sku, present.get(name, {}), ports[name]), **ports[name]}
    modes = {name: _inferred(skus[name], ports[name]) | mine for name, mine in given.items()}
    names: dict[End, End] = {}
    wrong: list[Finding] = []
    for end, lane in lanes.items():
        model = skus.get(end[0])
        if model is None or end not in cabled:
            continue  # a model that is not known is an error already
        number = _numbers(model.whole).get(lane.port)
        cage = None if number is None else model.whole.place(number).cage
        mine = modes[end[0]]
        mode = (
            None if cage is None else mine.get(cage) or _mode(model.kind(cage), lane, cabled[end])
        )
        if cage is None or mode is None or lane.part >= mode.parts:
            wrong.append(_refused(end[0], lane, model, source))
            continue
        mine[cage] = mode
        names[end] = (end[0], broken_out(model.whole, {cage: mode}).port(cage + lane.part))
    if wrong:
        raise input_error(list(dict.fromkeys(wrong)), source)
    changed = {name: _listed(mine) for name, mine in modes.items() if mine != given[name]}
    return plant.with_ends(names), changed


def knows_port(model: Sku, port: str, gbps: float | None) -> bool:
    """Tell whether a model has a port of a name with one of its breakouts, or without."""
    is_part = port in _parts(model.whole) and _is_used(model, gbps)
    return is_part or port in _numbers(model.whole)


def _is_used(model: Sku, gbps: float | None) -> bool:
    """Tell whether a part is in use: EOS names each lane of a whole cage too, without a speed."""
    return bool(gbps or model.all_breakouts)


@lru_cache(maxsize=256)
def _numbers(model: Sku) -> dict[str, int]:
    return model.port_numbers()


@lru_cache(maxsize=256)
def _parts(model: Sku) -> dict[str, dict[int, list[Mode]]]:
    """Return the modes that give a part a name, by name and cage, those of few parts first."""
    found: dict[str, dict[int, list[Mode]]] = defaultdict(dict)
    for kind, cages in model.cages():
        for mode in sorted(_offered(kind), key=lambda mode: mode.parts):
            if mode.parts > 1:
                split = broken_out(model, dict.fromkeys(cages, mode))
                for name, number in split.port_numbers().items():
                    place = split.place(number)
                    if place.mode:
                        found[name].setdefault(place.cage, []).append(mode)
    return found


def _offered(kind: CageKind) -> list[Mode]:
    """Return the modes with names of parts: those listed, else all even shares of the speeds."""
    words = kind.breakouts or [
        f"{parts}x{speed}G"
        for parts in range(2, kind.lanes + 1)
        for speed in _shares(kind.speeds_gbps, parts)
    ]
    modes = map(parse_mode, words if kind.part_name else ())
    return [mode for mode in modes if fits(kind, mode)]


def _shares(speeds_gbps: Collection[int], parts: int) -> list[int]:
    """Return the speeds that a part may have, the fastest first."""
    shares = {speed // parts for speed in speeds_gbps if speed % parts == 0}
    return sorted(shares.union(speeds_gbps), reverse=True)


def _uncabled(
    model: Sku, present: Mapping[str, float | None], cabled: Collection[str]
) -> dict[str, float | None]:
    """Return the ports that are there, but for those of cages with a cable on the whole port."""
    numbers = _numbers(model.whole)
    whole = {model.whole.place(numbers[port]).cage for port in cabled if port in numbers}
    parts = _parts(model.whole)
    return {
        port: speed
        for port, speed in present.items()
        if not parts.get(port, {}).keys() & whole and _is_used(model, speed)
    }


def _inferred(model: Sku, ports: Mapping[str, float | None]) -> dict[int, Mode]:
    """Return modes of cages that have ports with names that only parts have."""
    common: dict[int, list[Mode]] = {}
    for port in ports.keys() - _numbers(model.whole).keys():
        speeds = {None, ports[port]}
        for cage, modes in _parts(model.whole).get(port, {}).items():
            fitting = [mode for mode in modes if speeds <= {None, *mode.speeds_gbps}]
            common[cage] = [mode for mode in common.get(cage, fitting) if mode in fitting]
    return {cage: modes[0] for cage, modes in common.items() if modes}


def _given(splits: Iterable[Mapping[str, Any]]) -> dict[int, Mode]:
    """Return the mode of each cage; entries that are wrong are errors of the inventory later."""
    modes: dict[int, Mode] = {}
    for split in splits:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            mode = parse_mode(str(split["mode"]))
            modes.update(dict.fromkeys(cage_numbers(str(split["cages"])), mode))
    return modes


def _mode(kind: CageKind, lane: Lane, cable: Cable) -> Mode | None:
    """Return the mode of a cage with the fewest parts that are enough, at the speed of a cable."""
    speed = cable.speed_gbps
    fitting = [
        mode
        for mode in _offered(kind)
        if mode.parts >= lane.parts and (speed is None or speed in mode.speeds_gbps)
    ]
    return min(fitting, key=lambda mode: (mode.parts, mode.lanes is not None), default=None)


def _refused(device: str, lane: Lane, model: Sku, source: str) -> Finding:
    message = (
        f"{quoted(lane.port)} is cabled in {counted(lane.parts, 'part')}, which {model.name} has "
        "not"
    )
    every = [mode.word for kind, _ in model.whole.cages() for mode in _offered(kind)]
    modes = ", ".join(model.all_breakouts or dict.fromkeys(every)) or "no known names of parts"
    fix = f"check model and speed; the model offers {modes}"
    place = Position(source)
    return Finding("EXC009", Severity.ERROR, message, fix, position=place, device=device)


def _listed(modes: Mapping[int, Mode]) -> list[dict[str, Any]]:
    """Return modes as overrides of a switch have them."""
    cages: dict[str, list[int]] = defaultdict(list)
    for cage, mode in sorted(modes.items()):
        cages[f"{mode.parts}x{mode.speeds_gbps[0]}G"].append(cage)
    return [{"cages": ",".join(spans(numbers)), "mode": mode} for mode, numbers in cages.items()]
