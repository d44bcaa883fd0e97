"""Platforms of other distributions: packages that name themselves by an entry point.

A distribution adds a platform with an entry point of the group ``rocefab.platforms`` whose value is
a package. That package is built like ours: modules ``platforms``, ``render``, ``parsers``,
``drivers``, ``adapters``, ``lab`` and ``rules``, each with what registers itself in that room, and
the folders ``skus``, ``asics`` and ``templates``. All of them may be left out.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GROUP = "rocefab.platforms"


@cache
def packages() -> tuple[str, ...]:
    """Return the packages of the installed plug-ins, by the names of their entry points."""
    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return tuple(found[name] for name in sorted(found))


def import_plugins(room: str) -> None:
    """Import the module of a room from every plug-in that has one."""
    for package in packages():
        name = f"{package}.{room}"
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name)


def folders(name: str) -> list[Traversable]:
    """Return the folders of a name in the packages of all plug-ins."""
    found = [files(package) / name for package in packages()]
    return [folder for folder in found if folder.is_dir()]
