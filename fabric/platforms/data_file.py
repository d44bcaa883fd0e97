"""Data files of platforms (TOML), read by a model, with the place of everything that is wrong."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import field_text
from fabric.core.validation import own_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.resources.abc import Traversable

    from pydantic_core import ErrorDetails

Described = TypeVar("Described", bound=BaseModel)
_TABLE = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?")
_KEY = re.compile(r"""^\s*("[^"]*"|'[^']*'|[\w-]+(?:\.[\w-]+)*)\s*=""")
_AT = re.compile(r"\(at line (\d+), column \d+\)$")
#: Instead of messages of pydantic, by the type of the error.
_WORDS = {
    "missing": "the field is missing",
    "extra_forbidden": "unknown field",
    "unexpected_keyword_argument": "unknown field",
}
_FIX = "correct the file, or install the package again that it belongs to"
Path = tuple[str | int, ...]


class DataModel(BaseModel):
    """Base of the models of data files."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class WrongFieldError(ValueError):
    """A field of a data file is wrong; ``path`` leads to it."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


def read_toml(file: Traversable, model: type[Described]) -> Described:
    """Return what a data file describes.

    Parameters
    ----------
    model : type
        Pydantic model of its content.

    Raises
    ------
    InputError
        Names the file, the line and the field of everything that is wrong.
    """
    return parse_toml(file.read_text(encoding="utf-8"), file, model)


def parse_toml(
    text: str, file: Traversable | str, model: type[Described], fix: str = _FIX
) -> Described:
    """Return what the text of a data file describes; as `read_toml`, from memory.

    Parameters
    ----------
    file : Traversable or str
        How messages name it.
    fix : str
        What to do where it is wrong.

    Raises
    ------
    InputError
        Names the file, the line and the field of everything that is wrong.
    """
    try:
        return model.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise unusable(file, [((), str(error))], fix=fix) from error
    except ValidationError as error:
        raise unusable(file, [_wrong(one) for one in error.errors()], text, fix) from error


def _wrong(error: ErrorDetails) -> tuple[Path, str]:
    """Return path and message of an error of pydantic, more exact where a validator says more."""
    inner = error.get("ctx", {}).get("error")
    path = (*error["loc"], *getattr(inner, "path", ()))
    return path, _WORDS.get(error["type"]) or own_words(error["msg"])


def unusable(
    file: Traversable | str, wrong: Iterable[tuple[Path, str]], text: str = "", fix: str = _FIX
) -> InputError:
    """Return the error for a file that cannot be used, with a finding for each thing wrong."""
    known = lines_of(text)
    findings = [
        Finding(
            "INT033",
            Severity.ERROR,
            message,
            fix,
            field=field_text(path),
            position=Position(str(file), _line(known, path) or _told_line(message)),
        )
        for path, message in wrong
    ]
    return InputError("a data file of a platform cannot be used", findings)


def _told_line(message: str) -> int:
    """Return the line that tomllib names; 0 where it names none."""
    match = _AT.search(message)
    return int(match[1]) if match else 0


def lines_of(text: str) -> dict[Path, int]:
    """Return the line, from 1, of each table and key of a TOML text; tables in a list by number."""
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _opened(header[2], counts, in_list=header[1] == "[[")
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _opened(name: str, counts: dict[Path, int], *, in_list: bool) -> Path:
    """Return the path of a table, through the newest table of each list above it."""
    path: Path = ()
    parts = _parts(name)
    for depth, part in enumerate(parts):
        path = (*path, part)
        last = depth == len(parts) - 1
        if last and in_list:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(name: str) -> tuple[str, ...]:
    if name[0] in "\"'":
        return (name[1:-1],)
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _line(lines: dict[Path, int], path: Path) -> int:
    """Return the line of a path, or of the nearest table or key above it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 0)
