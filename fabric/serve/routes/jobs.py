"""Running jobs, so that the next placement sees them."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.placement.engine.rails import used_columns
from fabric.placement.engine.state import STATE_RULE
from fabric.placement.engine.tenancy import tenants_of_job
from fabric.placement.job import traffic_of
from fabric.serve.bodies import body
from fabric.serve.book import BookedJob
from fabric.serve.problem import Problem, refused
from fabric.serve.query import Wrong, job_hosts
from fabric.serve.replies import JobReply, JobsReply, NotedJobReply
from fabric.serve.requests import JobBody
from fabric.serve.routes.described import (
    as_json,
    caller_of,
    header,
    responses,
    service_of,
    with_body,
)
from fabric.serve.routes.pages import Limit, Offset, page
from fabric.serve.service import request_digest
from fabric.serve.store import StoredAnswer

if TYPE_CHECKING:
    from fabric.serve.book import Book
    from fabric.serve.source import Loaded
    from fabric.topology.model import Fabric

router = APIRouter()
_MAX_KEY = 255
JobName = Annotated[str, Path(min_length=1, max_length=128)]
_KEY = header(
    "Idempotency-Key", "Key of this request; the same request with the same key is done once."
)


@router.get(
    "/v1/jobs",
    summary="Running jobs",
    responses=responses(422, ok="A page of jobs.", reply=JobsReply),
)
async def get_jobs(request: Request, limit: Limit = 1000, offset: Offset = 0) -> Response:
    """Return the running jobs by name."""
    book = service_of(request).book
    return page(sorted(book.jobs), limit, offset, lambda name: _plain(book.jobs[name]))


@router.post(
    "/v1/jobs",
    summary="A job has started",
    status_code=HTTPStatus.CREATED,
    **with_body(JobBody, 201, 409, ok="The job.", reply=NotedJobReply, parameters=[_KEY]),
)
async def post_jobs(request: Request) -> Response:
    """Note a job that runs: its hosts take no other job, its traffic shares the links."""
    service, caller = service_of(request), caller_of(request)
    wanted = await body(request, JobBody)
    key = _key(request)
    digest = request_digest("POST", "/v1/jobs", await request.body())
    if key and (kept := await service.kept(caller, key)):
        return _again(kept, digest)
    job = _job(wanted, service.loaded.fabric)
    content = json.dumps(_plain(job) | {"warnings": _warnings(job, service.loaded)}).encode()

    def make(book: Book) -> Book:
        _check_free(job, book)
        return book.with_job(job)

    def answer(_: Book) -> StoredAnswer | None:
        return StoredAnswer(key, digest, HTTPStatus.CREATED, content) if key else None

    event = ("job", {"job": wanted.name, "is_running": True})
    try:
        await service.change(caller, make, event=event, answer=answer)
    except Problem:
        if key and (kept := await service.kept(caller, key)):  # the same request came twice at once
            return _again(kept, digest)
        raise
    return as_json(content, HTTPStatus.CREATED, {"Location": f"/v1/jobs/{wanted.name}"})


@router.get(
    "/v1/jobs/{name}",
    summary="A running job",
    responses=responses(404, 422, ok="The job.", reply=JobReply),
)
async def get_job(request: Request, name: JobName) -> Response:
    """Return a running job."""
    return as_json(json.dumps(_plain(_known(service_of(request).book, name))).encode())


@router.delete(
    "/v1/jobs/{name}",
    summary="A job has ended",
    status_code=HTTPStatus.NO_CONTENT,
    responses=responses(204, 404, 422, ok="It is removed."),
)
async def delete_job(request: Request, name: JobName) -> Response:
    """Remove a job; its hosts are free again."""

    def make(book: Book) -> Book:
        _known(book, name)
        return book.without_job(name)

    event = ("job", {"job": name, "is_running": False})
    await service_of(request).change(caller_of(request), make, event=event)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _known(book: Book, name: str) -> BookedJob:
    """Return a job; raise Problem (404) where there is none."""
    if name not in book.jobs:
        message = f"there is no job {name[:128]!a}"
        raise refused(404, "SRV011", "name", message, "GET /v1/jobs lists the jobs")
    return book.jobs[name]


def _job(wanted: JobBody, fabric: Fabric) -> BookedJob:
    wrong = Wrong(STATE_RULE)
    hosts, traffic = job_hosts(wanted, fabric, wrong), traffic_of(wanted, wrong.add)
    all_gpus = fabric.intent.fabric.host.gpus
    gpus = wanted.gpus_per_node or all_gpus
    if gpus > all_gpus:
        wrong.add("gpus_per_node", f"the hosts have {counted(all_gpus, 'GPU')}", "use fewer")
    if traffic.layout and not wrong.findings:
        try:
            traffic.layout.check(len(hosts), gpus)
        except ValueError as error:
            fix = "make the product of the sizes the number of ranks"
            wrong.add("layout", str(error), fix)
    wrong.end()
    return BookedJob(wanted, hosts, traffic)


def _warnings(job: BookedJob, loaded: Loaded) -> list[str]:
    """Return what `place` would not do with these hosts; the job runs all the same."""
    fabric = loaded.fabric
    gpus = job.body.gpus_per_node or fabric.intent.fabric.host.gpus
    owners = tenants_of_job(fabric, job.hosts, used_columns(fabric, gpus))
    words = ", ".join(f"{hostlist.fold(hosts)} ({owner})" for owner, hosts in owners.items())
    mixed = (
        [f"the NICs of its hosts are not of the same tenant: {words}"] if len(owners) > 1 else []
    )
    return [*mixed, *loaded.engine.why_not(job.hosts, gpus)]


def _check_free(job: BookedJob, book: Book) -> None:
    if job.body.name in book.jobs:
        message = f"there is a job {job.body.name} already"
        raise refused(409, "SRV011", "name", message, "delete it first, or use another name")
    mine = set(job.hosts)
    for name, other in book.jobs.items():
        shared = mine.intersection(other.hosts)
        if shared:
            message = f"{hostlist.in_short(shared)} runs job {name} already"
            raise refused(409, "SRV011", "hosts", message, f"delete job {name} first")


def _key(request: Request) -> str:
    key = request.headers.get("idempotency-key", "")
    if len(key) > _MAX_KEY:
        message = f"the key is longer than {_MAX_KEY} characters"
        raise refused(422, "SRV012", "Idempotency-Key", message, "use a UUID")
    return key


def _again(kept: StoredAnswer, digest: str) -> Response:
    """Return the first answer of a key; the key of another request is an error."""
    if kept.request != digest:
        message = "this key was used for another request"
        raise refused(422, "SRV012", "Idempotency-Key", message, "use a new key for each request")
    return as_json(kept.body, kept.status, {"Idempotency-Replayed": "true"})


def _plain(job: BookedJob) -> dict[str, Any]:
    return {"name": job.body.name, "hosts": hostlist.fold(job.hosts), "traffic": str(job.traffic)}
