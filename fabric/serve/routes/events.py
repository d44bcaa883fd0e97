"""Changes as they happen."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fabric.serve.routes.described import caller_of, header, responses, service_of

router = APIRouter()
#: Numbers of events have fewer digits.
_MAX_DIGITS = 18


@router.get(
    "/v1/events",
    summary="Changes as they happen",
    responses=responses(
        ok="Events `state`, `job`, `plan`, `run` and `reload`.", media="text/event-stream"
    ),
    openapi_extra={"parameters": [header("Last-Event-ID", "Last event that was received.")]},
)
async def events(request: Request) -> Response:
    """Send an event for each change of state, jobs, plans, runs and inventory."""
    service, caller = service_of(request), caller_of(request).key
    service.events.check_room(caller)
    last = request.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) <= _MAX_DIGITS else None
    return StreamingResponse(
        service.events.stream(after, caller),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
