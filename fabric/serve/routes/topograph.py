"""The API of Topograph."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from fabric.serve import topograph
from fabric.serve.bodies import json_body, parsed
from fabric.serve.problem import refused
from fabric.serve.requests import GenerateBody
from fabric.serve.routes.described import caller_of, responses, service_of, with_body

if TYPE_CHECKING:
    from collections import OrderedDict

router = APIRouter()


@router.post(
    "/v1/generate",
    summary="Topograph: ask for a topology",
    status_code=202,
    **with_body(GenerateBody, 202, ok="Id of the request."),
)
async def post_generate(request: Request) -> Response:
    """Make the topology of the inventory; the answer is the id to GET it with."""
    service = service_of(request)
    content = await json_body(request) or b"{}"
    loaded = service.loaded
    wanted = topograph.check(parsed(content, GenerateBody, HTTPStatus.BAD_REQUEST), loaded)
    caller = caller_of(request)
    text = await service.slow(caller, lambda: topograph.generate(loaded, wanted))
    uid = hashlib.sha256(content).hexdigest()[:16]
    results: OrderedDict[str, str] = service.results
    results[uid] = text
    results.move_to_end(uid)
    while len(results) > topograph.MAX_RESULTS:
        results.popitem(last=False)
    return PlainTextResponse(uid, 202)


@router.get(
    "/v1/topology",
    summary="Topograph: get a topology",
    responses=responses(404, 422, ok="The file."),
)
async def get_result(
    request: Request, uid: Annotated[str, Query(min_length=1, max_length=64)]
) -> Response:
    """Return the result of a request."""
    text = service_of(request).results.get(uid)
    if text is None:
        message = f"there is no request {uid!a}"
        raise refused(404, "SRV011", "uid", message, "POST /v1/generate, and use the id it returns")
    return PlainTextResponse(text)
