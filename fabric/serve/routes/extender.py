"""The scheduler extender of Kubernetes."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.bodies import body
from fabric.serve.extender import filtered
from fabric.serve.replies import FilterReply, PrioritiesReply
from fabric.serve.requests import ExtenderBody
from fabric.serve.routes.described import as_json, service_of, with_body

router = APIRouter()


@router.post(
    "/extender/filter",
    summary="kube-scheduler: nodes that a pod may use",
    **with_body(ExtenderBody, ok="ExtenderFilterResult.", reply=FilterReply),
)
async def post_filter(request: Request) -> Response:
    """Remove nodes that are no hosts of the fabric, or take no job now."""
    wanted = await body(request, ExtenderBody)
    return as_json(json.dumps(filtered(wanted, service_of(request).loaded.engine)).encode())


@router.post(
    "/extender/prioritize",
    summary="kube-scheduler: nodes that are best for a pod",
    **with_body(ExtenderBody, ok="HostPriorityList.", reply=PrioritiesReply),
)
async def post_prioritize(request: Request) -> Response:
    """Score nodes: 10 for those of the job's placement, 5 for their units, else 0."""
    wanted = await body(request, ExtenderBody)
    loaded = service_of(request).loaded
    return as_json(json.dumps(loaded.prioritiser.scores(wanted, loaded.engine)).encode())
