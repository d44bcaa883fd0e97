"""What fails with a link, a switch or a rack, before it does."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.bodies import body
from fabric.serve.replies import WhatIfReply
from fabric.serve.requests import WhatIfBody
from fabric.serve.routes.described import as_json, caller_of, service_of, with_body
from fabric.serve.whatif import whatif_answer

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
    project = service.loaded.project
    answer = await service.slow(caller_of(request), lambda: whatif_answer(project, wanted))
    return as_json(json.dumps(answer).encode())
