"""From the bytes of a body to a model, or to a problem that names each wrong field."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from fabric.core.findings import Finding, Severity
from fabric.core.validation import own_words
from fabric.serve.problem import MAX_FINDINGS, Problem, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

Model = TypeVar("Model", bound=BaseModel)
_JSON = re.compile(r"application/(?:[a-z.-]+\+)?json\s*(?:;|$)", re.IGNORECASE)
_SHOWN = 60
#: How pydantic names the choices of a union in the place of an error; no field has such a name.
_CHOICES = ("constrained-", "list[")


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
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        problem = _problem(error)
        if problem.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            problem.status = wrong
        raise problem from error


def _problem(error: ValidationError) -> Problem:
    errors = error.errors(include_url=False, include_context=False)
    if errors[0]["type"] == "json_invalid":
        message = f"the body is not JSON: {_plain(errors[0]['msg'].removeprefix('Invalid JSON: '))}"
        return refused(HTTPStatus.BAD_REQUEST, "SRV003", "", message, "send a JSON object")
    return problem_of_fields(errors, "field")


def problem_of_fields(errors: Sequence[Any], what: str) -> Problem:
    """Return the problem of fields, or of parameters, that pydantic did not take."""
    findings = list(dict.fromkeys(_finding(one) for one in errors[:MAX_FINDINGS]))
    count = f"{len(errors)} {what}s" if len(errors) > 1 else f"a {what}"
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{count} cannot be used", findings)


def _finding(error: Any) -> Finding:
    parts = [str(part) for part in error["loc"]]
    where = ".".join(_plain(part) for part in parts if not part.startswith(_CHOICES))
    value = _plain(repr(error.get("input")))
    message = f"{_plain(error['msg'])}; it is {value}"
    fix = "see /openapi.json for the fields and their limits"
    if error["type"] == "extra_forbidden":
        message, fix = "there is no such field", "remove it; /openapi.json lists the fields"
    elif error["type"] == "missing":
        message, fix = "the field is missing", "add it"
    elif error["type"] == "value_error":  # words of our own, with what to do
        message, _, own = _plain(own_words(error["msg"])).partition("; ")
        fix = own or fix
    return Finding("SRV004", Severity.ERROR, message, fix, field=where)


def _plain(text: str) -> str:
    """Return a short text without anything but printable ASCII."""
    shown = text.encode("ascii", "backslashreplace").decode()
    shown = "".join(char if char.isprintable() else "?" for char in shown)
    return shown if len(shown) <= _SHOWN * 2 else f"{shown[:_SHOWN]}..."
