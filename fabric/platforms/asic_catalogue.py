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
    found: dict[str, Traversable] = {}
    own = files("fabric.platforms") / kind
    for folder in (*([own] if own.is_dir() else []), *folders(kind)):
        for entry in folder.iterdir():
            name = entry.name.removesuffix(_ENDING)
            if entry.name.endswith(_ENDING):
                if name in found:
                    raise ValueError(
                        f"{kind}/{entry.name} appears twice: {found[name]} and {entry}"
                    )
                found[name] = entry
    return dict(sorted(found.items()))


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
    wanted = name.lower()
    if wanted in asic_names():
        return read_toml(data_files("asics")[wanted], AsicFile).asic(wanted)
    for known in asic_names():
        if wanted in asic(known).aliases:
            return asic(known)
    raise KeyError(f"unknown ASIC {name!r}; known: {', '.join(asic_names())}")
