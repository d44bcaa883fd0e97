"""What routes say of themselves in the OpenAPI document."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from fabric.serve.guard import CALLER
from fabric.serve.scopes import NOBODY

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.requests import Request

    from fabric.serve.scopes import Grant
    from fabric.serve.service import Service

_PROBLEM = {"$ref": "#/components/schemas/Problem"}
#: Errors that any route can answer with.
_ALWAYS = (401, 403, 421, 422, 429, 431, 500, 503)
_BODY = (400, 408, 413, 415, 422)
PHRASES = {
    400: "The request is malformed.",
    401: "No valid token.",
    403: "The token may not do this.",
    404: "There is no such thing.",
    408: "The body came too slowly.",
    409: "The state of the fabric does not allow it.",
    412: "The state has changed since.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "Not a name of this machine.",
    422: "A field cannot be used.",
    429: "Too many requests.",
    431: "The head is too large.",
    500: "An internal error.",
    503: "Too busy.",
}


def service_of(request: Request) -> Service:
    """Return the service behind a request."""
    service: Service = request.app.state.service
    return service


def caller_of(request: Request) -> Grant:
    """Return what the sender of a request may do, and who that is."""
    grant: Grant = request.scope.get(CALLER, NOBODY)
    return grant


def as_json(content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return JSON that is encoded already."""
    return Response(content, status, headers, "application/json")


def responses(
    *codes: int, ok: str, reply: type[BaseModel] | None = None, media: str = "text/plain"
) -> dict[int | str, Any]:
    """Return the answers of a route: the one for success, and its errors.

    Parameters
    ----------
    reply : type or None
        Members of the answer; None is for text.
    media : str
        Media type of text.
    """
    schema = {"type": "string"} if reply is None else _reference(reply)
    media = media if reply is None else "application/json"
    first = next((code for code in codes if code < HTTPStatus.MULTIPLE_CHOICES), HTTPStatus.OK)
    described: dict[int | str, Any] = {int(first): {"description": ok}}
    if first != HTTPStatus.NO_CONTENT:
        described[int(first)]["content"] = {media: {"schema": schema}}
    if HTTPStatus.NOT_MODIFIED in codes:
        described[304] = {"description": "It is the one that is known."}
    for code in sorted({*codes, *_ALWAYS} - {first, 304}):
        content = {"application/problem+json": {"schema": _PROBLEM}}
        described[code] = {"description": PHRASES[code], "content": content}
    return described


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def with_body(
    model: type[BaseModel],
    *codes: int,
    ok: str,
    reply: type[BaseModel] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the arguments of a route that takes a body."""
    content = {"application/json": {"schema": _reference(model)}}
    operation: dict[str, Any] = {"requestBody": {"required": True, "content": content}}
    if "parameters" in more:
        operation["parameters"] = more.pop("parameters")
    return {
        "responses": responses(*codes, *_BODY, ok=ok, reply=reply),
        "openapi_extra": operation,
        **more,
    }


def header(name: str, text: str) -> dict[str, Any]:
    """Return an optional header of a request."""
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": text,
        "schema": {"type": "string", "maxLength": 255},
    }


#: Of a route whose answer has an ETag.
TAGS = {"parameters": [header("If-None-Match", "ETag of the answer that is known.")]}
