"""Data files of platforms, and the ASIC families, read when they are asked for."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.plugins import folders
from fabric.platforms.asic import Asic, parse_asic

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

_ENDING = ".toml"
Described = TypeVar("Described")


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
                    message = f"{kind}/{entry.name} is there twice: {found[name]} and {entry}"
                    raise ValueError(message)
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
        return parsed(wanted, data_files("asics")[wanted], parse_asic)
    for known in asic_names():
        if wanted in asic(known).aliases:
            return asic(known)
    message = f"unknown ASIC {name!r}; known: {', '.join(asic_names())}"
    raise KeyError(message)


def parsed(
    name: str, file: Traversable, parse: Callable[[str, dict[str, Any]], Described]
) -> Described:
    """Return what a data file describes.

    Raises
    ------
    InputError
        Names the file and the field that is wrong.
    """
    try:
        return parse(name, tomllib.loads(file.read_text(encoding="utf-8")))
    except KeyError as error:
        message = f"{error.args[0]}: the field is missing"
        raise _unusable(file, message) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise _unusable(file, str(error)) from error


def _unusable(file: Traversable, message: str) -> InputError:
    fix = "correct the file, or install the package again that it belongs to"
    finding = Finding("INT033", Severity.ERROR, message, fix, position=Position(str(file)))
    return InputError("a data file of a platform cannot be used", [finding])
