"""The state: hosts, switches and cables that are not as planned."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.placement.condition import named
from fabric.placement.engine.now import unknown_subjects
from fabric.serve.bodies import Model, body, wrong_fields
from fabric.serve.problem import Problem
from fabric.serve.replies import ConditionsReply
from fabric.serve.requests import StateBody, StatePatchBody
from fabric.serve.routes.described import (
    as_json,
    caller_of,
    header,
    responses,
    service_of,
    with_body,
)
from fabric.serve.service import etag

if TYPE_CHECKING:
    from fabric.serve.book import Book
    from fabric.serve.service import Service

router = APIRouter()
_MATCH = [header("If-Match", "ETag that the state must have; `*` for any.")]
_OK = "The state, with its ETag."


@router.get(
    "/v1/state",
    summary="Conditions that differ from the plan",
    responses=responses(304, ok=_OK, reply=ConditionsReply),
    openapi_extra={"parameters": [header("If-None-Match", "ETag of the state that is known.")]},
)
async def get_state(request: Request) -> Response:
    """Return the conditions, and the version of the state."""
    service = service_of(request)
    tag = etag(service.book)
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": tag})
    return _state(service, service.book)


@router.put(
    "/v1/state",
    summary="Replace the state",
    **with_body(StateBody, 412, ok=_OK, reply=ConditionsReply, parameters=_MATCH),
)
async def put_state(request: Request) -> Response:
    """Replace all conditions; jobs stay."""
    wanted = await _conditions(request, StateBody)
    return await _changed(request, lambda book: book.with_conditions(wanted.conditions))


@router.patch(
    "/v1/state",
    summary="Change some conditions",
    **with_body(StatePatchBody, 412, ok=_OK, reply=ConditionsReply, parameters=_MATCH),
)
async def patch_state(request: Request) -> Response:
    """Add, replace or remove conditions; those that are not named stay."""
    wanted = await _conditions(request, StatePatchBody)
    return await _changed(request, lambda book: book.patched(wanted.conditions))


async def _conditions(request: Request, model: type[Model]) -> Model:
    """Return the body; its problem names wrong fields and unknown subjects, all at once."""
    try:
        return await body(request, model)
    except Problem as problem:
        if problem.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            subjects = _subjects(await request.body())
            loaded = service_of(request).loaded
            names = [name for name in named(subjects) if name not in loaded.unknown]
            if unknown := unknown_subjects(loaded.fabric, names).values():
                raise wrong_fields([*problem.findings, *unknown], "field") from None
        raise


def _subjects(content: bytes) -> list[str]:
    """Return what a wrong body gives a condition; nothing where it has another form."""
    try:
        sent = json.loads(content)
    except (ValueError, RecursionError):  # such as a number of 5,000 digits
        return []
    conditions = sent.get("conditions") if isinstance(sent, dict) else None
    named = conditions.items() if isinstance(conditions, dict) else ()
    return [name for name, one in named if one is not None]


async def _changed(request: Request, make: Any) -> Response:
    service = service_of(request)
    match = request.headers.get("if-match")
    book = await service.change(caller_of(request), make, match=match, event=("state", {}))
    return _state(service, book)


def _state(service: Service, book: Book) -> Response:
    content = {
        "state": service.about(book),
        "conditions": {
            subject: one.model_dump(mode="json") for subject, one in book.conditions.items()
        },
    }
    return as_json(json.dumps(content).encode(), headers={"ETag": etag(book)})
