"""Where the devices are reached: a file beside the inventory, and the password from outside."""

from __future__ import annotations

import difflib
import logging
import os
import re
from functools import partial
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.json_text import parse_json
from fabric.core.shown import printable
from fabric.core.user_files import check_regular, not_json, read_text
from fabric.core.validation import own_words
from fabric.devices.driver import Connection
from fabric.devices.secrets import Reference, missing, reference
from fabric.intent.yaml.tree import Loader
from fabric.platforms import platforms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pydantic_core import ErrorDetails

PASSWORD_VARIABLE = "ROCEFAB_PASSWORD"  # noqa: S105 - the name of a variable
KEY_VARIABLE = "ROCEFAB_SSH_KEY"
_SSH_PORT = 22
#: Errors that are listed; a limit that we chose: names of another fabric are wrong in the same way.
_MOST_ERRORS = 20
#: How much a name has in common with the one that it misspells; our choice: a letter of five.
_LIKENESS = 0.8
_NUMBER = re.compile(r"\d+")
_LOGGER = logging.getLogger(__name__)


def _reference(value: object) -> Reference:
    return reference(value if isinstance(value, str) else "")


_Password = Annotated[Reference, PlainValidator(_reference)]


class _Gnmi(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    port: Annotated[int, Field(ge=1, le=65535)]
    trust: str = ""
    name: str = ""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    address: str | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    username: str | None = None
    password: _Password | None = None
    key_file: str = ""
    trust: str = ""
    gnmi: _Gnmi | None = None


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    username: str | None = None
    password: _Password | None = None
    key_file: str = ""
    devices: dict[str, _Entry] = Field(default_factory=dict)


#: Fields by how deep they are.
_FIELDS = {
    1: _File.model_fields,
    3: _Entry.model_fields,
    4: _Gnmi.model_fields,
}


def connections(
    path: Path | None,
    platforms: Mapping[str, str],
    password: Callable[[], str] | None = None,
    *,
    others_allowed: bool = False,
    beside: Collection[str] = (),
) -> dict[str, Connection]:
    """Return a connection for every device.

    Parameters
    ----------
    path : Path or None
        JSON file: ``username``, ``password``, ``key_file``, and ``devices`` with these and
        ``address``, ``port``, ``trust`` and ``gnmi`` by name; what it does not say is guessed: the
        name as address, the usual port. A password is a reference, which is asked for later.
    platforms : mapping
        Platform by device name.
    password : callable, optional
        Returns the password of devices without a reference; default: the variable
        ROCEFAB_PASSWORD. Without one, SSH takes the agent and the private key of ``key_file`` or
        ROCEFAB_SSH_KEY.
    others_allowed : bool
        Whether the file may name devices that are not in ``platforms``; otherwise a warning names
        them.
    beside : collection of str
        Further devices that the file may name: those of other fabrics of the site.

    Raises
    ------
    InputError
        When the file is wrong or of another inventory, misspells a device, or a source of
        passwords is not there.
    """
    file, text = _read(path) if path else (_File(), "")
    if path and not others_allowed:
        strangers = file.devices.keys() - {*platforms, *beside}
        _refuse_strangers(path, text, _wrong(file, strangers, platforms))
        if strangers:
            names = printable(hostlist.in_short(sorted(strangers)))
            _LOGGER.warning("%s: not in the inventory, and not used: %s", path, names)
    if path:
        _refuse_missing(path, text, file, platforms)
    secret = (password or (lambda: os.environ.get(PASSWORD_VARIABLE, "")))()
    default_key = file.key_file or os.environ.get(KEY_VARIABLE, "")
    default_user = file.username or os.environ.get("ROCEFAB_USERNAME") or "admin"
    entries = {name: file.devices.get(name, _Entry()) for name in platforms}
    for key in sorted({entry.key_file or default_key for entry in entries.values()} - {""}):
        # The libraries of SSH read it to its end.
        check_regular(Path(os.path.expanduser(key)), FileKind.KEY)  # noqa: PTH111 - no error for ~nobody
    by_name = {}
    for name, platform in platforms.items():
        entry = entries[name]
        asked = entry.password or file.password
        by_name[name] = Connection(
            device=name,
            platform=platform,
            address=entry.address or name,
            port=entry.port or _usual_port(platform),
            username=entry.username or default_user,
            password="" if asked else secret,
            secret=asked,
            trust=entry.trust,
            key_file=entry.key_file or default_key,
            gnmi_port=entry.gnmi.port if entry.gnmi else 0,
            gnmi_trust=entry.gnmi.trust if entry.gnmi else "",
            gnmi_name=entry.gnmi.name if entry.gnmi else "",
        )
    return by_name


def listed(path: Path | None) -> frozenset[str]:
    """Return the devices that a connections file names.

    Raises
    ------
    InputError
        When the file is wrong.
    """
    return frozenset(_read(path)[0].devices) if path else frozenset()


def plain_content(path: Path) -> dict[str, Any]:
    """Return what a connections file has, as plain data that can be written again.

    Raises
    ------
    InputError
        When the file is wrong.
    """
    content: dict[str, Any] = parse_json(_read(path)[1])
    return content


def _usual_port(platform: str) -> int:
    return platforms[platform].default_port if platform in platforms else _SSH_PORT


def _read(path: Path) -> tuple[_File, str]:
    """Return the content of the file, and its text for the positions of errors."""
    text = read_text(path, FileKind.CONNECTIONS)
    try:
        return _File.model_validate(parse_json(text)), text
    except JSONDecodeError as error:
        raise not_json(path, FileKind.CONNECTIONS, error) from error
    except ValidationError as error:
        # Not chained: the text of pydantic quotes the values, and one may be a password.
        place = partial(_place, path, _tree(text))
        errors = error.errors(include_url=False, include_input=False)
        findings = [
            _finding(_told(item), ".".join(map(str, item["loc"])), place(item["loc"]))
            for item in errors[:_MOST_ERRORS]
        ]
        raise _input_error(path, findings, len(errors)) from None


def _told(error: ErrorDetails) -> str:
    if error["type"] == "model_type":
        return "not an object with fields in braces"
    if error["type"] != "extra_forbidden":
        return own_words(error["msg"]).lower()
    known = _FIELDS[len(error["loc"])]
    return f"unknown field{_hint(str(error['loc'][-1]), known)}"


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _tree(text: str) -> yaml.Node | None:
    """Return the values of the file with their places; none where YAML cannot read the JSON."""
    try:
        return yaml.compose(text, Loader=Loader)
    except yaml.YAMLError:  # a character that JSON allows and YAML does not
        return None


def _place(path: Path, tree: yaml.Node | None, keys: Sequence[object]) -> Position:
    """Return where a value, or the nearest one around it that is there, begins."""
    if tree is None:
        return Position(str(path))
    node, mark = tree, tree.start_mark
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        pair = next((pair for pair in pairs if pair[0].value == key), None)
        if pair is None:
            break
        mark, node = pair[0].start_mark, pair[1]
    return Position(str(path), mark.line + 1, mark.column + 1)


def _wrong(file: _File, strangers: Collection[str], names: Collection[str]) -> dict[str, str]:
    """Return the strangers that are mistakes, each with the end of what is said of it.

    One misspells the name of a device without an entry; or no entry is of the inventory.
    """
    if len(strangers) == len(file.devices):
        return {name: _hint(name, names) for name in strangers}
    lacking = set(names) - file.devices.keys()
    hints = {name: _misspelt(name, lacking) for name in strangers}
    return {name: hint for name, hint in hints.items() if hint}


def _misspelt(name: str, lacking: Collection[str]) -> str:
    """Return the hint to the name that this misspells; a number of another value does not."""
    close = difflib.get_close_matches(name, lacking, n=len(lacking) or 1, cutoff=_LIKENESS)
    near = next((near for near in close if not _is_next(name, near)), None)
    return f"; did you mean {near!r}?" if near else ""


def _is_next(name: str, near: str) -> bool:
    """Tell whether two names differ in the values of numbers alone."""
    letters = [_NUMBER.split(text) for text in (name, near)]
    values = [[digits.lstrip("0") for digits in _NUMBER.findall(text)] for text in (name, near)]
    return letters[0] == letters[1] and values[0] != values[1]


def _refuse_strangers(path: Path, text: str, wrong: Mapping[str, str]) -> None:
    if not wrong:
        return
    tree = _tree(text)
    findings = [
        _finding(
            f"there is no device {name!r} in the inventory{hint}",
            f"devices.{name}",
            _place(path, tree, ("devices", name)),
        )
        for name, hint in sorted(wrong.items())[:_MOST_ERRORS]
    ]
    raise _input_error(path, findings, len(wrong))


def _refuse_missing(path: Path, text: str, file: _File, names: Iterable[str]) -> None:
    """Refuse passwords whose source is not there, before any device is reached."""
    asked = {("password",): file.password} | {
        ("devices", name, "password"): file.devices[name].password
        for name in names
        if name in file.devices
    }
    reasons = {keys: missing(one) for keys, one in asked.items() if one}
    wrong = {keys: reason for keys, reason in reasons.items() if reason}
    if not wrong:
        return
    place = partial(_place, path, _tree(text))
    findings = [
        Finding("DEV001", Severity.ERROR, f"{asked[keys]}: there is no such secret", reason,
                ".".join(keys), place(keys))
        for keys, reason in [*wrong.items()][:_MOST_ERRORS]
    ]  # fmt: skip
    raise _input_error(path, findings, len(wrong))


def _finding(message: str, field: str, place: Position) -> Finding:
    return Finding("DEV001", Severity.ERROR, message, "correct the connections file", field, place)


def _input_error(path: Path, findings: Sequence[Finding], count: int) -> InputError:
    listed = f"; {len(findings)} are listed" if count > len(findings) else ""
    return InputError(f"{counted(count, 'error')} in {path}{listed}", findings)
