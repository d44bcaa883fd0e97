"""Switches that have a name under several systems: the name of a model selects its system."""

from __future__ import annotations

import difflib
import re
from functools import cache
from typing import TYPE_CHECKING

from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.model import platforms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.platforms.model import Sku

#: Vendors before the model in names of SONiC and Enterprise SONiC (sonic-buildimage, folders below
#: device/; Broadcom's platform names).
_VENDORS = ("ACS", "Accton", "Arista", "Celestica", "Edgecore", "Mellanox")
#: Model names of NVIDIA in SONiC begin with MSN where orders have SN (device/mellanox).
_ORDERED = ("MSN", "SN")


def hardware(name: str) -> str:
    """Return the name of a switch without its vendor: ``SN4700`` of ``ACS-MSN4700``."""
    vendor, dash, rest = name.partition("-")
    bare = rest if dash and vendor in _VENDORS else name
    return bare.replace(*_ORDERED, 1) if bare.startswith(_ORDERED[0]) else bare


@cache
def elsewhere(name: str) -> tuple[str, ...]:
    """Return the models that are the same switch under another system; empty without any.

    Parameters
    ----------
    name : str
        A model of the catalogue.
    """
    if name not in sku_names():
        return ()
    same = [other for other in sku_names() if hardware(other) == hardware(name)]
    return tuple(other for other in same if sku(other).nos != sku(name).nos)


def rendered_instead(model: Sku) -> list[str]:
    """Return the models of the same box that are rendered, for one that is not."""
    box = model.facts.get("platform") if model.lacks else None
    same = [other for other in sku_names() if box and sku(other).facts.get("platform") == box]
    return [other for other in same if not sku(other).lacks]


def selects(name: str) -> str:
    """Return which system a bare name selects, and the names under others; empty where neither."""
    others = elsewhere(name) if hardware(name) == name else ()
    if not others:
        return ""
    models = [next(iter(rendered_instead(sku(other))), other) for other in others]
    words = [f"{platforms[sku(model).nos].title}: {model}" for model in models]
    return f"{name} selects {platforms[sku(name).nos].title} (with {', '.join(words)})"


def close_models(name: str, known: Iterable[str]) -> list[str]:
    """Return the models that an unknown name may mean, each with its system where several have it.

    Parameters
    ----------
    known : iterable of str
        Names of the models to choose from.
    """
    every = list(known)
    same = [other for other in every if hardware(other) == hardware(name.upper())]
    model = next(iter(same or difflib.get_close_matches(name, every, n=1)), "")
    others = [other for other in elsewhere(model) if other in every]
    if not others:
        return [repr(model)] if model else [*map(repr, _series(name, every))]
    return [f"{one!r} ({platforms[sku(one).nos].title})" for one in (model, *others)]


def _series(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three models that begin with the letters and first two digits of a name."""
    start = re.match(r"[A-Z-]+\d{2}", name.upper())
    return [model for model in known if start and model.upper().startswith(start[0])][:3]
