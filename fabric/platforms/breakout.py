"""Cages that are broken out: the ports of a switch model after some of its cages are split.

A *cage* is the opening on the front panel, counted from 1; a *port* is what the fabric cables: a
whole cage, or one part of it. Ports are counted over the cages in order, part by part.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.platforms.cage import Mode, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.platforms.cage import CageKind
    from fabric.platforms.model import Sku

#: One word of SONiC's platform.json (sonic-net/sonic-buildimage src/sonic-config-engine
#: portconfig.py): parts, speed, lower speeds, lanes in use.
_MODE = re.compile(
    r"(?P<parts>[1-9]\d?)x(?P<speed>\d{1,4})G"
    r"(?:\((?P<lanes>[1-9]\d?)\))?(?:\[(?P<lower>[0-9G,]+)\])?(?:\((?P<last>[1-9]\d?)\))?"
)


def parse_mode(word: str) -> Mode:
    """Return what a mode says.

    Raises
    ------
    ValueError
        When it is not of the form ``2x400G``, ``2x400G[200G,100G]`` or ``4x25G(4)``.
    """
    match = _MODE.fullmatch(word)
    if not match:
        raise ValueError(f"{word!r} is not a breakout mode; write parts and speed as 2x400G")
    lower = [int(speed.rstrip("G")) for speed in (match["lower"] or "").split(",") if speed]
    lanes = match["lanes"] or match["last"]
    return Mode(
        word=word,
        parts=int(match["parts"]),
        speeds_gbps=tuple(dict.fromkeys([int(match["speed"]), *lower])),
        lanes=int(lanes) if lanes else None,
    )


def offered_mode(kind: CageKind, asked: str) -> Mode | None:
    """Return the mode of a kind of cage that begins with the same parts and speed, or None."""
    mode = parse_mode(asked)
    head = (mode.parts, mode.speeds_gbps[0])
    known = (parse_mode(word) for word in kind.breakouts)
    return next((one for one in known if (one.parts, one.speeds_gbps[0]) == head), None)


def misfit(kind: CageKind, mode: Mode) -> tuple[str, str]:
    """Return why a cage cannot be split so, and what to do; empty where it can.

    Its lanes must be shared out evenly. Where its modes are not known, its parts have together no
    more than its fastest whole port: a part has its share of the lanes.
    """
    if (mode.lanes or kind.lanes) % mode.parts:
        words = f"{kind.lanes} lanes of a cage cannot be split as {mode.word}"
        return words, "use a mode that gives every port the same number of lanes"
    most, need = max(kind.speeds_gbps), mode.parts * mode.speeds_gbps[0]
    if need > most and not kind.breakouts:
        words = f"{mode.word} needs a cage of {need}G; this one has {most}G"
        return words, f"use {mode.parts}x{most // mode.parts}G, or whole ports"
    return "", ""


def fits(kind: CageKind, mode: Mode) -> bool:
    """Tell whether a cage can be split so."""
    return not any(misfit(kind, mode))


def broken_out(model: Sku, modes: Mapping[int, Mode]) -> Sku:
    """Return a model whose ports are counted after some cages were split.

    Parameters
    ----------
    model : Sku
        With whole ports only.
    modes : mapping of int to Mode
        Mode of a cage, by its number from 1. Modes of one part leave a cage whole.
    """
    split = {cage: mode for cage, mode in modes.items() if mode.parts > 1}
    if not split:
        return model
    places: list[Place] = []
    for cage in range(1, model.port_count + 1):
        mode = split.get(cage)
        places += [Place(cage, part, mode) for part in range(mode.parts if mode else 1)]
    return replace(model, port_count=len(places), places=tuple(places))
