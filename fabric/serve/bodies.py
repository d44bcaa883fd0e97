"""From the bytes of a body to a model, or to a problem that names each wrong field."""

from __future__ import annotations

import re
from contextlib import suppress
from http import HTTPStatus
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from fabric.core.findings import Finding, Severity
from fabric.core.json_text import DoubledNameError, once, parse_json
from fabric.core.shown import field_text
from fabric.intent.error_words import Words, in_words
from fabric.intent.explain_errors import worded
from fabric.serve.problem import MAX_FINDINGS, Problem, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from fabric.core.shown import Path

Model = TypeVar("Model", bound=BaseModel)
_JSON = re.compile(r"application/(?:[a-z.-]+\+)?json\s*(?:;|$)", re.IGNORECASE)
_SHOWN = 60
#: Letters of our words; values in them are short already.
_LONGEST = 600
#: Of a field for which neither files nor the command line have a rule: a model names its own.
_RULE = "SRV004"
_FIX = "see /openapi.json for the fields and their limits"
#: Words of an inventory, and what JSON calls them.
_KINDS = {"a list": "a JSON list", "a mapping": "a JSON object"}


async def body(request: Request, model: type[Model]) -> Model:
    """Return the body of a request.

    Raises
    ------
    Problem
        415 for another media type, 400 for what is not JSON, 422 for wrong fields: all of them.
    """
    return parsed(await json_body(request), model)


async def json_body(request: Request) -> bytes:
    """Return the bytes of a body; raise Problem (415) for another media type."""
    if not _JSON.match(request.headers.get("content-type", "")):
        fix = "send the header Content-Type: application/json"
        raise refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "SRV003", "", "the body is not JSON", fix)
    return await request.body()


def parsed(
    content: bytes, model: type[Model], wrong: int = HTTPStatus.UNPROCESSABLE_ENTITY
) -> Model:
    """Return the model of a body; raise Problem for what is no JSON, or has wrong fields.

    Parameters
    ----------
    wrong : int
        Status of wrong fields.
    """
    _refuse_doubled(content, wrong)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        problem = _problem(error, model, content)
        if problem.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            problem.status = wrong
        raise problem from error


def _refuse_doubled(content: bytes, wrong: int) -> None:
    """Refuse a member that is there twice, as in files; what is no JSON is left to pydantic."""
    try:
        with suppress(JSONDecodeError):
            parse_json(content, once)
    except DoubledNameError as error:
        field, message = _plain(error.name), _plain(str(error))
        raise refused(wrong, _RULE, field, message, "leave one of them") from error


def _problem(error: ValidationError, model: type[BaseModel], content: bytes) -> Problem:
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        message = f"the body is not JSON: {_plain(first['msg'].removeprefix('Invalid JSON: '))}"
        return refused(HTTPStatus.BAD_REQUEST, "SRV003", "", message, "send a JSON object")
    said = worded(error, model, from_json(content), MAX_FINDINGS)
    rule = getattr(model, "fault_rule", _RULE)
    return wrong_fields([_finding(path, words, rule) for path, words in said], "field")


def problem_of_parameters(errors: Sequence[Any]) -> Problem:
    """Return the problem of parameters that pydantic did not take."""
    missing = Words(_RULE, "the parameter is missing", "add it")
    said = [
        (one["loc"], missing if one["type"] == "missing" else in_words(one, one.get("input")))
        for one in errors[:MAX_FINDINGS]
    ]
    return wrong_fields([_finding(path, words) for path, words in said], "parameter")


def wrong_fields(findings: Sequence[Finding], what: str) -> Problem:
    """Return the problem of fields, or of parameters, that are wrong; each is named once."""
    once = list(dict.fromkeys(findings))
    count = f"{len(once)} {what}s" if len(once) > 1 else f"a {what}"
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{count} cannot be used", once)


def _finding(path: Path, words: Words, rule: str = _RULE) -> Finding:
    where = field_text([part if isinstance(part, int) else _plain(part) for part in path])
    message, fix = _plain(words.message, _LONGEST), _plain(words.fix, _LONGEST)
    for kind, name in _KINDS.items():
        if message.startswith(f"expected {kind}, found "):
            message, fix = message.replace(kind, name, 1), f"use {name}"
    return Finding(rule, Severity.ERROR, message, fix or _FIX, field=where)


def _plain(text: str, most: int = _SHOWN * 2) -> str:
    """Return a short text without anything but printable ASCII."""
    shown = text.encode("ascii", "backslashreplace").decode()
    shown = "".join(char if char.isprintable() else "?" for char in shown)
    return shown if len(shown) <= most else f"{shown[: most // 2]}..."
