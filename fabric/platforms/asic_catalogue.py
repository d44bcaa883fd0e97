"""Data files of platforms, and the ASIC families, read when they are asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fabric.core.plugins import folders
from fabric.platforms.asic import Asic, AsicFile
from fabric.platforms.data_file import read_toml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_ENDING = ".toml"


@cache
def data_files(kind: str) -> dict[str, Traversable]:
    """Return the data files of a kind by what they describe: ours and those of plug-ins.

    Raises
    ------
    ValueError
        When two of them describe the same thing.
    """
    by_name: dict[str, Traversable] = {}
    own = files("fabric.platforms") / kind
    for folder in (*([own] if own.is_dir() else []), *folders(kind)):
        for entry in folder.iterdir():
            name = entry.name.removesuffix(_ENDING)
            if entry.name.endswith(_ENDING):
                if name in by_name:
                    raise ValueError(
                        f"{kind}/{entry.name} appears twice: {by_name[name]} and {entry}"
                    )
                by_name[name] = entry
    return dict(sorted(by_name.items()))


def asic_names() -> tuple[str, ...]:
    """Return the names of all known ASIC families, sorted, without their aliases."""
    return tuple(data_files("asics"))


@cache
def asic(name: str) -> Asic:
    """Return one ASIC family by its name or an alias, in any case.

    Raises
    ------
    KeyError
        When no family has that name.
    """
    target = name.lower()
    if target in asic_names():
        return read_toml(data_files("asics")[target], AsicFile).asic(target)
    for known in asic_names():
        if target in asic(known).aliases:
            return asic(known)
    raise KeyError(f"unknown ASIC {name!r}; known: {', '.join(asic_names())}")


def is_asic(name: str) -> bool:
    """Tell whether a family has a name or an alias."""
    try:
        asic(name)
    except KeyError:
        return False
    return True
