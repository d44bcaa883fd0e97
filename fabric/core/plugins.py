"""Switch systems: one package for each, ours below ``fabric.systems``, others by an entry point.

A distribution adds a system with an entry point of the group ``rocefab.platforms`` whose value is a
package. Ours and theirs are built alike: modules ``platforms``, ``render``, ``parsers``,
``lldp_outputs``, ``reading``, ``reading_lossless``, ``batfish``, ``drivers``, ``rights``,
``adapters``, ``defects``, ``lab``, ``hardware`` and ``rules``, each with what registers itself in
that room, the files ``lines.book`` and ``features.toml``, and the folders ``skus``, ``asics`` and
``templates``. All of them may be left out.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from typing import TYPE_CHECKING

from fabric.core.errors import InputError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GROUP = "rocefab.platforms"
SYSTEMS = "fabric.systems"


@cache
def packages() -> tuple[str, ...]:
    """Return the packages of our systems, then those of plug-ins by their entry points."""
    return tuple(systems().values())


@cache
def systems() -> dict[str, str]:
    """Return the package of each system by its name: ours, then those of plug-ins."""
    path = importlib.import_module(SYSTEMS).__path__
    ours = {module.name: f"{SYSTEMS}.{module.name}" for module in pkgutil.iter_modules(path)}
    others = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return {**ours, **{name: others[name] for name in sorted(others)}}


def import_modules(package: str) -> None:
    """Import every module of a package, so that each registers itself."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")


def import_plugins(room: str, system: str = "") -> None:
    """Import the module of a room from every system that has one.

    Parameters
    ----------
    system : str
        Last part of the package of the one system that is meant; empty means all.

    Raises
    ------
    InputError
        When that of a plug-in cannot be imported.
    """
    for package in packages():
        if system not in ("", package.rpartition(".")[2]):
            continue
        name = f"{package}.{room}"
        try:
            if importlib.util.find_spec(name) is not None:
                importlib.import_module(name)
        except ImportError as error:
            if package.startswith(SYSTEMS):
                raise
            raise InputError(f"the plug-in module {name} cannot be imported: {error}") from error


def folders(name: str) -> list[Traversable]:
    """Return the folders of a name in the packages of all systems."""
    return [folder for folder in _entries(name) if folder.is_dir()]


def package_files(name: str) -> list[Traversable]:
    """Return the files of a name in the packages of all systems."""
    return [file for file in _entries(name) if file.is_file()]


def file_of_each(name: str) -> dict[str, Traversable]:
    """Return the files of a name by the systems that have one."""
    files = {system: _files(package) / name for system, package in systems().items()}
    return {system: file for system, file in files.items() if file.is_file()}


def _entries(name: str) -> list[Traversable]:
    return [_files(package) / name for package in packages()]


def _files(package: str) -> Traversable:
    try:
        return files(package)
    except ModuleNotFoundError as error:
        raise InputError(f"the plug-in package {package} cannot be imported: {error}") from error
