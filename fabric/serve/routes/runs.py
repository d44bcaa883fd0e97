"""Runs of `rocefab apply`: progress, history, and a request to stop."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.replies_review import RunReply, RunsReply
from fabric.serve.routes.described import TAGS, as_json, caller_of, responses, service_of
from fabric.serve.routes.plans import tagged

router = APIRouter()
_MOST = 2**31 - 1
_Run = Annotated[int, Path(ge=1, le=_MOST, description="Number of the run.")]


@router.get(
    "/v1/runs",
    summary="Runs of the journal",
    responses=responses(304, ok="The runs, with their ETag.", reply=RunsReply),
    openapi_extra=TAGS,
)
async def get_runs(request: Request) -> Response:
    """Return all runs, the newest first, and whether the hashes of the journal fit."""
    service, caller = service_of(request), caller_of(request)
    content = await service.records(
        caller, lambda: RunsReply(**service.runs.all()).model_dump_json()
    )
    return tagged(request, content.encode())


@router.get(
    "/v1/runs/{run}",
    summary="A run as it goes",
    responses=responses(304, 404, 422, ok="The run, with its ETag.", reply=RunReply),
    openapi_extra=TAGS,
)
async def get_run(request: Request, run: _Run) -> Response:
    """Return waves, devices, gates and the newest rows of a run."""
    service, caller = service_of(request), caller_of(request)
    content = await service.records(
        caller, lambda: RunReply(**service.runs.one(run)).model_dump_json()
    )
    return tagged(request, content.encode())


@router.post(
    "/v1/runs/{run}/stop",
    summary="Ask a run to stop",
    status_code=202,
    responses=responses(202, 404, 409, 422, ok="It is asked for.", reply=RunReply),
)
async def post_stop(request: Request, run: _Run) -> Response:
    """Ask a run to stop, as Ctrl-C does: the wave in progress is rolled back."""
    service, caller = service_of(request), caller_of(request)
    content = await service.records(
        caller, lambda: RunReply(**service.runs.stop(run, caller.name)).model_dump_json()
    )
    service.events.tell("run", {"run": run})
    return as_json(content.encode(), 202)
