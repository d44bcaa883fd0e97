"""Ports that a source knows by number alone: the names that switch models have for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Finding, Position, Severity
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import End, Plant
    from fabric.platforms.model import Sku


def with_names(
    plant: Plant, numbers: Mapping[End, int], skus: Mapping[str, Sku], source: str
) -> Plant:
    """Return the plant with the names that ports have on the models of their switches.

    A port keeps its name where the model has one of that name, and so do the interfaces of hosts.

    Parameters
    ----------
    numbers : mapping
        Number of a port, from 1, by its device and the name that it has in the plant.
    skus : mapping
        Model of each switch.

    Raises
    ------
    InputError
        With a finding for each port that its model does not have, and for each name that two
        cables of a switch would share.
    """
    taken = {end for cable in plant.cables for end in (cable.near, cable.far)}
    names: dict[End, End] = {}
    wrong: list[Finding] = []
    for end, number in numbers.items():
        model = skus.get(end[0])
        if model is None or end not in taken or end[1] in model.port_numbers():
            continue
        if not 1 <= number <= model.port_count:
            wrong.append(
                _finding(f"{model.name} has {counted(model.port_count, 'port')}", end, source)
            )
            continue
        names[end] = (end[0], model.port(number))
    wrong += _shared(names, taken, source)
    if wrong:
        raise input_error(wrong, source)
    return plant.with_ends(names)


def _shared(names: Mapping[End, End], taken: set[End], source: str) -> Iterator[Finding]:
    used = taken - names.keys()
    for end, name in names.items():
        if name in used:
            yield _finding(f"it is {name[1]} of the model, which already has a cable", end, source)
        used.add(name)


def _finding(message: str, end: End, source: str) -> Finding:
    fix = "choose another model with --model, or write the name of the port in the source"
    place = Position(source)
    return Finding(
        "EXC009", Severity.ERROR, message, fix, position=place, device=end[0], port=end[1]
    )
