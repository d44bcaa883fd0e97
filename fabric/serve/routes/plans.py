"""Plans for review, and their approvals."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.bodies import json_body
from fabric.serve.problem import refused
from fabric.serve.replies_review import (
    CallerReply,
    DeviceChangesReply,
    PlanReply,
    PlansReply,
    PlanSummaryReply,
)
from fabric.serve.reviews import approved, plan_of, why_not
from fabric.serve.routes.described import TAGS, as_json, caller_of, responses, service_of
from fabric.workflow.approvals import Approvals
from fabric.workflow.review import brief, device_review, plan_review

if TYPE_CHECKING:
    from fabric.serve.reviews import Review
    from fabric.serve.scopes import Grant
    from fabric.serve.service import Service
    from fabric.workflow.review import Brief, Plan

router = APIRouter()
_PATH = "/v1/plans"
Sha256 = Annotated[str, Path(max_length=64, description="SHA-256 of the plan file.")]
_Name = Annotated[str, Path(min_length=1, max_length=128, description="Device of the plan.")]
_OK = "The plan, with its approvals."


@router.post(
    _PATH,
    summary="Send a plan for review",
    status_code=201,
    responses=responses(201, 400, 408, 409, 413, 415, 422, ok=_OK, reply=PlanReply),
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "The file that `rocefab plan --out` wrote, of at most 64 MiB.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
)
async def post_plan(request: Request) -> Response:
    """Keep a plan of the inventory of this service; one that `apply` would reject is rejected."""
    service, caller = service_of(request), caller_of(request)
    with service.uploads.held(caller.key):
        content = await json_body(request)
        answer = await service.records(caller, lambda: _added(service, content, caller))
    service.events.tell("plan", {})
    return as_json(answer, 201)


@router.get(
    _PATH,
    summary="Plans for review",
    responses=responses(304, 409, ok="The plans, with their ETag.", reply=PlansReply),
    openapi_extra=TAGS,
)
async def get_plans(request: Request) -> Response:
    """Return the plans that were sent, the newest first."""
    service = service_of(request)
    return tagged(request, await service.records(caller_of(request), lambda: _plans(service)))


@router.get(
    f"{_PATH}/{{sha256}}",
    summary="A plan: waves, risk and approvals",
    responses=responses(304, 404, 409, 422, ok="The plan, with its ETag.", reply=PlanReply),
    openapi_extra=TAGS,
)
async def get_plan(request: Request, sha256: Sha256) -> Response:
    """Return a plan, and whether the token of this request may approve it."""
    service, caller = service_of(request), caller_of(request)
    answer = await service.records(caller, lambda: _plan(service, sha256, caller))
    return tagged(request, answer)


@router.delete(
    f"{_PATH}/{{sha256}}",
    summary="Remove a plan and its approvals",
    status_code=204,
    responses=responses(204, 404, 409, 422, ok="It is removed."),
)
async def delete_plan(request: Request, sha256: Sha256) -> Response:
    """Remove a plan that is done with; the journal says who did, before it is removed."""
    service, caller = service_of(request), caller_of(request)

    def work() -> None:
        about = service.reviews.about(sha256)
        fabric = service.loaded.fabric.intent.fabric.name
        service.runs.deleted(fabric, sha256, caller.name, about)
        service.reviews.drop(sha256)

    await service.records(caller, work)
    service.events.tell("plan", {"sha256": sha256})
    return Response(status_code=204)


@router.get(
    f"{_PATH}/{{sha256}}/devices/{{name}}",
    summary="What changes on a device, and which inventory line causes it",
    responses=responses(404, 409, 422, ok="The changes.", reply=DeviceChangesReply),
)
async def get_device(request: Request, sha256: Sha256, name: _Name) -> Response:
    """Return the difference of a device; causes are empty once the inventory is another one."""
    service, caller = service_of(request), caller_of(request)

    def known() -> tuple[Plan, str]:
        return service.reviews.plan(sha256), _stale(service, service.reviews.brief(sha256))

    plan, stale = await service.records(caller, known)

    def work() -> bytes:
        if name not in plan.devices:
            message = "the plan does not change this device"
            raise refused(404, "SRV011", "name", message, "GET the plan: it lists its devices")
        data = device_review(service.loaded.project, plan, name)
        if stale:
            data["changes"] = [{**one, "causes": [], "line": ""} for one in data["changes"]]
        return DeviceChangesReply(**data).model_dump_json().encode()

    return as_json(await service.slow(caller, work))


@router.get(
    f"{_PATH}/{{sha256}}/approvals",
    summary="Approvals of a plan, as apply asks for them",
    responses=responses(404, 409, 422, ok="The approvals.", reply=Approvals),
)
async def get_approvals(request: Request, sha256: Sha256) -> Response:
    """Return the approvals in the form of a file for `rocefab apply --approvals`.

    Those of who sent the plan are not among them.
    """
    service = service_of(request)
    caller = caller_of(request)
    review = await service.records(caller, lambda: service.reviews.review(sha256))
    return as_json(review.approvals.model_dump_json().encode())


@router.post(
    f"{_PATH}/{{sha256}}/approval",
    summary="Approve a plan",
    responses=responses(403, 404, 409, 422, ok=_OK, reply=PlanReply),
)
async def post_approval(request: Request, sha256: Sha256) -> Response:
    """Approve a plan by the name of the token; neither its author nor who sent it can."""
    return await _changed(request, sha256, gives=True)


@router.delete(
    f"{_PATH}/{{sha256}}/approval",
    summary="Withdraw an approval",
    responses=responses(404, 409, 422, ok=_OK, reply=PlanReply),
)
async def delete_approval(request: Request, sha256: Sha256) -> Response:
    """Withdraw the approval by the name of the token; a run that has begun continues."""
    return await _changed(request, sha256, gives=False)


async def _changed(request: Request, sha256: str, *, gives: bool) -> Response:
    service, caller = service_of(request), caller_of(request)

    def work() -> bytes:
        review, plan = service.reviews.review(sha256), service.reviews.brief(sha256)
        if gives:
            review = approved(review, plan.author, caller, _stale(service, plan))
        else:
            approvals = review.approvals.withdrawn(caller.name)
            review = review.model_copy(update={"approvals": approvals})
        service.reviews.write(sha256, review)
        return _plan(service, sha256, caller)

    answer = await service.records(caller, work)
    service.events.tell("plan", {"sha256": sha256})
    return as_json(answer)


def _added(service: Service, content: bytes, caller: Grant) -> bytes:
    plan = plan_of(content)
    if reason := _stale(service, brief(plan)):
        fix = "run `rocefab plan` again, and send the new plan"
        raise refused(HTTPStatus.CONFLICT, "SRV013", "", reason, fix)
    return _plan(service, service.reviews.add(plan, caller.name), caller)


def _plan(service: Service, sha256: str, caller: Grant) -> bytes:
    review, plan = service.reviews.review(sha256), service.reviews.plan(sha256)
    short = service.reviews.brief(sha256)
    reason, counting = _stale(service, short), _counting(review, short)
    data: dict[str, Any] = {**plan_review(plan), "needed": _needed(service, short)}
    reply = PlanReply(
        sha256=sha256,
        by=review.by,
        at=review.at,
        stale=reason,
        run=service.runs.of_plans().get(sha256),
        approvals=review.approvals,
        counting=counting,
        you=CallerReply(
            name=caller.name,
            has_approved=caller.name.casefold() in map(str.casefold, counting),
            why_not=why_not(review, short.author, caller, reason)[1],
        ),
        **data,
    )
    return reply.model_dump_json().encode()


def _plans(service: Service) -> bytes:
    rows, runs = [], service.runs.of_plans()
    for sha256 in service.reviews.names():
        review, plan = service.reviews.review(sha256), service.reviews.brief(sha256)
        row = PlanSummaryReply(
            sha256=sha256,
            by=review.by,
            at=review.at,
            needed=_needed(service, plan),
            counting=_counting(review, plan),
            devices=plan.devices,
            risk=plan.risk,
            stale=_stale(service, plan),
            run=runs.get(sha256),
        )
        rows.append(row)
    return PlansReply(plans=rows).model_dump_json().encode()


def _needed(service: Service, plan: Brief) -> int:
    """Return how many people must approve, as `apply` asks: a plan alone does not say it."""
    return max(plan.needed, service.loaded.fabric.intent.fabric.rollout.approvals)


def _counting(review: Review, plan: Brief) -> list[str]:
    return [one.name for one in review.approvals.counting({plan.author, review.by})]


def _stale(service: Service, plan: Brief) -> str:
    return plan.stale(service.contents.now(), service.loaded.fabric.intent.fabric.name)


def tagged(request: Request, content: bytes) -> Response:
    """Return JSON with its ETag, or that it is the one that is known."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": tag})
    return as_json(content, headers={"ETag": tag})
