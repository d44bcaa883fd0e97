"""The map: the picture of the fabric, and what is known of its cables now."""

from __future__ import annotations

import hashlib
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from fabric.core import hostlist
from fabric.serve.bodies import body
from fabric.serve.map import Sources, values
from fabric.serve.problem import refused
from fabric.serve.replies_map import FailingReply, MapReply, MapValuesReply
from fabric.serve.requests import FailingBody
from fabric.serve.routes.described import (
    TAGS,
    as_json,
    caller_of,
    responses,
    service_of,
    with_body,
)
from fabric.serve.whatif import failing
from fabric.topology.drawing_part import Choice

if TYPE_CHECKING:
    from fabric.serve.map import Drawn
    from fabric.serve.service import Service

router = APIRouter()
_MOST_RANGE = 4096
_MOST_NUMBER = 65_535

Range = Annotated[str, Field(max_length=_MOST_RANGE)]
Number = Annotated[int | None, Field(ge=0, le=_MOST_NUMBER)]


class Filters(BaseModel):
    """What is drawn; an empty filter limits nothing."""

    unit: Annotated[Range, Field(description="Units, as a range.")] = ""
    pod: Annotated[Range, Field(description="Pods, as a range.")] = ""
    rail: Annotated[Number, Field(description="One rail.")] = None
    plane: Annotated[Number, Field(description="One plane.")] = None
    job: Annotated[Range, Field(description="Hosts of a job that runs.")] = ""


@router.get(
    "/v1/map",
    summary="The fabric as a picture",
    responses=responses(304, 404, 422, ok="The picture, with its ETag.", reply=MapReply),
    openapi_extra=TAGS,
)
async def get_map(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return boxes and lines with their places in pixels, as `rocefab draw` has them."""
    drawn = await _drawn(request, filters)
    return _tagged(request, drawn.body, drawn.tag)


@router.get(
    "/v1/map/values",
    summary="Load, pauses and errors of the lines of a picture",
    responses=responses(304, 404, 422, ok="The figures, with their ETag.", reply=MapValuesReply),
    openapi_extra=TAGS,
)
async def get_values(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return the largest figure of the cables of each line; null where it is not known."""
    service = service_of(request)
    drawn = await _drawn(request, filters)
    readings, warnings = service.readings, _warnings(service)
    live = readings.live if readings else None
    version = repr((drawn.tag, live.version if live else 0, warnings))
    tag = f'"{hashlib.sha256(version.encode()).hexdigest()[:16]}"'
    if _is_known(request, tag):
        return _tagged(request, b"", tag)
    content = {
        "picture": drawn.tag,
        **values(drawn, live),
        "readings": readings.about() if readings else None,
        "warnings": warnings,
    }
    return _tagged(request, json.dumps(content, allow_nan=False).encode(), tag)


@router.post(
    "/v1/map/failing",
    summary="What fails of a picture",
    **with_body(FailingBody, 404, ok="Devices, and cables of each line.", reply=FailingReply),
)
async def post_failing(request: Request, filters: Annotated[Filters, Query()]) -> Response:
    """Return what words of `rocefab whatif` take down; nothing is changed."""
    service, wanted = service_of(request), await body(request, FailingBody)
    fabric, drawn = service.loaded.fabric, await _drawn(request, filters)
    answer = await service.slow(caller_of(request), lambda: failing(fabric, drawn, wanted.fail))
    return as_json(json.dumps(answer).encode())


def _warnings(service: Service) -> list[str]:
    found = service.warnings()
    if service.readings is not None:
        found += service.readings.warnings()
    if service.drift is not None and service.drift.warning:
        found.append(service.drift.warning)
    return found + (service.boot.notes if service.boot else [])


async def _drawn(request: Request, filters: Filters) -> Drawn:
    service = service_of(request)
    choice = _choice(service, filters)
    live = service.readings.live if service.readings else None
    compared = service.drift.compared if service.drift else None
    sources = Sources(service.loaded, live, compared)
    drawn = service.maps.known(sources, choice) or await service.slow(
        caller_of(request), lambda: service.maps.drawn(sources, choice)
    )
    if drawn is None:
        fix = "use fewer filters; in HTTP, GET /v1/map lists their values"
        raise refused(404, "SRV011", "", "no device passes all filters", fix)
    return drawn


def _choice(service: Service, filters: Filters) -> Choice:
    units, pods = _names("unit", filters.unit), _names("pod", filters.pod)
    hosts: frozenset[str] | None = None
    if filters.job:
        running = service.book.jobs.get(filters.job)
        if running is None:
            message = f"there is no job {filters.job[:128]!a}"
            raise refused(404, "SRV011", "job", message, "GET /v1/jobs lists them")
        hosts = frozenset(running.hosts)
    return Choice(units, pods, filters.rail, filters.plane, hosts)


def _names(field: str, text: str) -> frozenset[str] | None:
    if not text:
        return None
    fix = "use a range such as su[1-4]"
    try:
        if hostlist.count(text) <= _MOST_NUMBER:
            return frozenset(hostlist.expand(text))
        message = f"the range has more than {_MOST_NUMBER:,} names"
    except ValueError as error:
        message = ascii(hostlist.worded(error, fix)[0][:200])[1:-1]
    raise refused(HTTPStatus.UNPROCESSABLE_ENTITY, "SRV004", field, message, fix)


def _tagged(request: Request, body: bytes, tag: str) -> Response:
    headers: dict[str, Any] = {"ETag": tag, "Cache-Control": "no-cache"}
    if _is_known(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return as_json(body, headers=headers)


def _is_known(request: Request, tag: str) -> bool:
    return tag in request.headers.get("if-none-match", "")
