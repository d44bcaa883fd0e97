"""libyang judges a CONFIG_DB by the YANG models of its release, where both are at hand.

The models are SONiC's and come from a folder of the user. libyang is called by its command yanglint
(CESNET/libyang, package libyang2-tools of Debian), with the models and the configuration in the
form of `sonic_yang`. It names the first error that it meets.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import FileError, ProgramError
from fabric.devices.redaction import SECRET_FIELD
from fabric.programs.run import Ended, run
from fabric.systems.sonic.gcu import known_release
from fabric.systems.sonic.yang import Schema, YangMappingError, convert, load_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

_MODELS = "sonic-*.yang"
#: A release that is the name of a folder: no separator, and no dot that leads elsewhere.
_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9()-]*(?:\.[A-Za-z0-9()-]+)*")
#: The model that has to be loaded first: the others refer to it in circles.
_FIRST = "sonic-device_metadata.yang"
_TIMEOUT_S = 120
_ERROR = re.compile(r"^libyang err *: (?P<text>.*)$", re.MULTILINE)
_PLACE = re.compile(r" *\(Data location \"/[^/]+/(?P<path>.+?)\"(?:, line number \d+)?\.\)$")
_KEY = re.compile(r"\[[^=\]]+=(?:'([^']*)'|\"([^\"]*)\")\]")


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error of a configuration: table, row and field, as far as they are known."""

    path: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What libyang says of a configuration.

    Parameters
    ----------
    complaints : tuple of Complaint
        Errors.
    unjudged : tuple of str
        Tables that no model knows: SONiC leaves them out too when it validates.
    why_not : str
        Why nothing was validated, or empty.
    """

    complaints: tuple[Complaint, ...] = ()
    unjudged: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class Yang:
    """Where the models are.

    Parameters
    ----------
    folder : Path or None
        Folder of the models of one release, or of a folder for each release by its name.
    release : str
        Release that the switch says; empty takes the one in the configuration.
    """

    folder: Path | None
    release: str = ""

    def answer(self, config: Mapping[str, Any]) -> Answer:
        """Return what libyang says of a configuration."""
        if self.folder is None:
            return Answer(why_not="no YANG models; specify their folder with --yang-models")
        program = shutil.which("yanglint")
        if program is None:
            return Answer(why_not="yanglint is not installed (Debian: libyang2-tools)")
        release = self.release or _release_of(config)
        if release and not _FOLDER_NAME.fullmatch(release):
            return Answer(why_not=f"the release {release[:40]!a} is not a folder name")
        folder = self.folder if has_models(self.folder) else self.folder / release
        if not release and folder == self.folder and not has_models(folder):
            return Answer(why_not=f"the release is not known; specify a folder in {self.folder}")
        if not has_models(folder):
            return Answer(why_not=f"{self.folder} has no models for release {release}")
        try:
            return _judged(program, folder, config)
        except (OSError, FileError, ProgramError, ValueError) as error:
            return Answer(why_not=str(error))


def has_models(folder: Path) -> bool:
    """Tell whether models of SONiC are in a folder."""
    return next(folder.glob(_MODELS), None) is not None


def _release_of(config: Mapping[str, Any]) -> str:
    """Return the release by the version of the database (sonic-utilities db_migrator.py)."""
    row = config.get("VERSIONS", {}).get("DATABASE", {})
    return known_release(str(row.get("VERSION", ""))) if isinstance(row, dict) else ""


@cache
def _schema(folder: Path) -> Schema:
    return load_schema(folder)


def _judged(program: str, folder: Path, config: Mapping[str, Any]) -> Answer:
    failure = _load_failure(program, folder)
    if failure:
        return Answer(why_not=f"yanglint cannot load the models of {folder}: {failure}")
    schema = _schema(folder)
    rows, complaints = _readable(config)
    unjudged = tuple(sorted(table for table in rows if table not in schema.tables))
    known = {table: content for table, content in rows.items() if table in schema.tables}
    try:
        data = convert(known, schema)
    except YangMappingError as error:
        complaints += [_masked(*_split(problem)) for problem in error.problems]
        return Answer(tuple(complaints), unjudged)
    return Answer((*complaints, *_complaints(program, folder, data)), unjudged)


def _readable(config: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], list[Complaint]]:
    """Return the rows whose values are texts, numbers or lists of them, and what is none."""
    rows: dict[str, dict[str, Any]] = {}
    complaints = []
    for table, content in config.items():
        for key, fields in content.items():
            if not isinstance(fields, dict):
                complaints.append(_masked((table, key), "a row must contain fields"))
                continue
            kept = {name: text for name, value in fields.items() if (text := _texts(value))}
            kept |= {name: value for name, value in fields.items() if value in ("", [])}
            rows.setdefault(table, {})[key] = kept
            complaints += [
                _masked((table, key, name), "a value must be a string or a list of strings")
                for name in fields.keys() - kept.keys()
            ]
    return rows, complaints


def _texts(value: Any) -> str | list[str] | None:
    if isinstance(value, list):
        return [str(item) for item in value if isinstance(item, str | int | float)] or None
    return str(value) if isinstance(value, str | int | float) else None


@cache
def _load_failure(program: str, folder: Path) -> str:
    """Return why yanglint does not take the models, or nothing: nothing is valid for them."""
    done = _run(program, folder, {})
    lines = [*done.complaint.splitlines(), f"exit status {done.code}"]
    return lines[0].strip() if done.code else ""


def _complaints(program: str, folder: Path, data: dict[str, Any]) -> list[Complaint]:
    done = _run(program, folder, data)
    if not done.code:
        return []
    texts = [match["text"] for match in _ERROR.finditer(done.complaint)]
    return [_complaint(text) for text in texts or [done.complaint.strip()[:300]]]


def _run(program: str, folder: Path, data: dict[str, Any]) -> Ended:
    """Validate YANG JSON; it can hold passwords, so nobody else can read the file."""
    first = folder / _FIRST
    others = [path for path in sorted(folder.glob(_MODELS)) if path != first]
    models = [str(path) for path in (first, *others) if path.is_file()]
    options = ["-Q", "-i", "-p", str(folder), "-t", "config"]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "config.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        return run([program, *options, *models, str(file)], _TIMEOUT_S)


def _complaint(text: str) -> Complaint:
    """Return an error with the place that libyang names by its path in the YANG tree.

    A row is ``TABLE_LIST[key='...']/field``, an entry of a map of values
    ``TABLE_LIST[...]/TABLE[key='...']``; a key that is the error itself is left out.
    """
    place = _PLACE.search(text)
    if place is None:
        return _masked((), text)
    table, *steps = re.split(r"/(?![^\[]*\])", place["path"])
    names = [_name(step, table) for step in steps]
    if "" in names:
        names = names[: names.index("")]
    leaf = steps[-1] if steps else ""
    more = "" if leaf in names or "[" in leaf else f" ({leaf})"
    message = text[: place.start()].strip().removesuffix(".")
    return _masked((table, *names[:2]), f"{message}{more}")


def _name(step: str, table: str) -> str:
    """Return the keys of a step, or its name; nothing for an entry without keys."""
    keys = [first or second for first, second in _KEY.findall(step)]
    return "|".join(keys) or ("" if step == table or step.endswith("_LIST") else step)


def _split(problem: str) -> tuple[tuple[str, ...], str]:
    place, _, message = problem.partition(": ")
    table, _, row = place.partition("|")
    return ((table, row) if row else (table,)), message


def _masked(path: tuple[str, ...], message: str) -> Complaint:
    """Return a complaint without the values of passwords, keys and communities."""
    if not SECRET_FIELD.search("|".join((*path[:1], *path[2:])) if path else message):
        return Complaint(path, message)
    path = path[:1] if path and SECRET_FIELD.search(path[0]) else path
    return Complaint(path, re.sub(r"\"[^\"]*\"|'[^']*'", "***", message))
