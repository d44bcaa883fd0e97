"""Where the devices are reached: a file beside the inventory, and the password from outside."""

from __future__ import annotations

import difflib
import json
import os
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.devices.driver import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

PASSWORD_VARIABLE = "ROCEFAB_PASSWORD"  # noqa: S105 - the name of a variable
_DEFAULT_PORT = {"eos": 443}
_SSH_PORT = 22


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    address: str | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    username: str | None = None
    trust: str = ""


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    username: str | None = None
    devices: dict[str, _Entry] = Field(default_factory=dict)


def connections(
    path: Path | None,
    platforms: Mapping[str, str],
    password: Callable[[], str] | None = None,
    *,
    others_allowed: bool = False,
) -> dict[str, Connection]:
    """Return a connection for every device.

    Parameters
    ----------
    path : Path or None
        JSON file: ``username``, and ``devices`` with ``address``, ``port``, ``username`` and
        ``trust`` by name; what it does not say is guessed: the name as address, the usual port.
    platforms : mapping
        Platform by device name.
    password : callable, optional
        Returns the password; default: the variable ROCEFAB_PASSWORD, else SSH keys.
    others_allowed : bool
        Whether the file may name devices that are not in ``platforms``.

    Raises
    ------
    InputError
        When the file is wrong or names an unknown device.
    """
    file = _read(path) if path else _File()
    if not others_allowed:
        _check_names(file.devices, platforms, path)
    secret = (password or (lambda: os.environ.get(PASSWORD_VARIABLE, "")))()
    default_user = file.username or os.environ.get("ROCEFAB_USERNAME") or "admin"
    found = {}
    for name, platform in platforms.items():
        entry = file.devices.get(name, _Entry())
        found[name] = Connection(
            device=name,
            platform=platform,
            address=entry.address or name,
            port=entry.port or _DEFAULT_PORT.get(platform, _SSH_PORT),
            username=entry.username or default_user,
            password=secret,
            trust=entry.trust,
        )
    return found


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        place = Position(str(path), error.lineno, error.colno)
        raise _input_error(path, place, "", f"not JSON: {error.msg.lower()}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise _input_error(path, Position(str(path)), "", f"cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise _input_error(path, Position(str(path)), field, first["msg"].lower()) from error


def _check_names(names: Iterable[str], known: Mapping[str, str], path: Path | None) -> None:
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, list(known), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            place = Position(str(path))
            message = f"there is no device {name!r} in the inventory{hint}"
            raise _input_error(path, place, f"devices.{name}", message)


def _input_error(path: Path | None, place: Position, field: str, message: str) -> InputError:
    finding = Finding(
        "DEV001", Severity.ERROR, message, "correct the connections file", field, place
    )
    return InputError(f"1 error in {path}", [finding])
