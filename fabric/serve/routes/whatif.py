"""What fails with a link, a switch or a rack, before it does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.report.singles import singles
from fabric.report.whatif import whatif
from fabric.serve.bodies import body
from fabric.serve.query import Wrong
from fabric.serve.replies import WhatIfReply
from fabric.serve.requests import WhatIfBody
from fabric.serve.routes.described import as_json, caller_of, service_of, with_body

if TYPE_CHECKING:
    from fabric.workflow.project import Project

router = APIRouter()


@router.post(
    "/v1/whatif",
    summary="Impact of a failure or a drain",
    **with_body(
        WhatIfBody, ok="What is lost, what moves, and whether that is harmless.", reply=WhatIfReply
    ),
)
async def post_whatif(request: Request) -> Response:
    """Return what `rocefab whatif` says of a failure; nothing is changed."""
    service = service_of(request)
    wanted = await body(request, WhatIfBody)
    _check(wanted)
    project = service.loaded.project
    answer = await service.slow(caller_of(request), lambda: _answer(project, wanted))
    return as_json(json.dumps(answer).encode())


def _check(wanted: WhatIfBody) -> None:
    every, wrong = wanted.all_links or wanted.all_switches, Wrong()
    if every and wanted.drain:
        message = "a drain cannot be ranked with all links or switches"
        wrong.add("drain", message, "omit drain, or all_links and all_switches")
    elif not (every or wanted.drain or wanted.fail):
        wrong.add("fail", "nothing fails", "add fail, drain, all_links or all_switches")
    wrong.end()


def _answer(project: Project, wanted: WhatIfBody) -> dict[str, Any]:
    if wanted.all_links or wanted.all_switches:
        links, switches = wanted.all_links, wanted.all_switches
        return singles(project, wanted.fail, links=links, switches=switches).as_dict()
    return whatif(project, wanted.fail, drain=wanted.drain, rules=wanted.rules).as_dict()
