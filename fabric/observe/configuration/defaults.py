"""What a system does where a line is absent, read from the file ``defaults.toml`` of its package.

A row without a source is unknown: what hangs on it is not judged.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from fabric.core.plugins import package_files
from fabric.observe.configuration.model import Leftover
from fabric.platforms.data_file import DataModel, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration.model import Configured

FILE = "defaults.toml"


class Default(DataModel):
    """What holds without a line.

    Parameters
    ----------
    line : str
        The line, as the system shows it.
    value : bool, int or None
        What holds without it; None for unknown.
    means : str
        What that does, in words.
    releases : str
        Releases that the source is about.
    source : str
        Vendor page, or repository and path; empty where none tells it, and then no value stands.
    """

    line: str
    value: bool | int | None = None
    means: str
    releases: str = "all"
    source: str = ""

    @model_validator(mode="after")
    def _needs_a_source(self) -> Default:
        if self.value is not None and not self.source:
            raise ValueError("a default without a source is unknown: leave the value out")
        return self


class _File(DataModel):
    system: str
    defaults: dict[str, Default] = Field(min_length=1)


@cache
def defaults() -> Mapping[str, Mapping[str, Default]]:
    """Return the defaults of every system, by system and key."""
    files = [read_toml(path, _File) for path in package_files(FILE)]
    return {file.system: file.defaults for file in files}


def number_of(system: str, key: str) -> int:
    """Return a default that is a number."""
    value = defaults()[system][key].value
    assert value is not None, (system, key)
    return int(value)


def holds(system: str, key: str) -> bool:
    """Return a default that is yes or no."""
    value = defaults()[system][key].value
    assert value is not None, (system, key)
    return bool(value)


def absence(system: str, key: str) -> str:
    """Return that there is no such line, and what that means."""
    default = defaults()[system][key]
    return f"there is no line `{default.line}`: {default.means}"


def leave_open(switch: Configured, line: int, key: str, where: str) -> None:
    """Note that a line is absent, and that nobody knows what holds then.

    Parameters
    ----------
    line : int
        Line that is about the same thing; 0 for none.
    where : str
        What the absent line would be about, such as a port.
    """
    default = defaults()[switch.system][key]
    words = f"{where} has no line `{default.line}`: {default.means}"
    switch.undecided.append(Leftover(line, words))
