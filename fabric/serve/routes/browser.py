"""The files of the page: one HTML file, one stylesheet, modules."""

from __future__ import annotations

import hashlib
from functools import cache
from http import HTTPStatus
from pathlib import Path as File
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.problem import refused
from fabric.serve.routes.described import responses

router = APIRouter()
FOLDER = File(__file__).parents[1] / "page"
_INDEX = "index.html"
_MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: A file is never changed below one address: the digest of all files is in it (RFC 8246).
_FOREVER = "public, max-age=31536000, immutable"


@cache
def files() -> tuple[str, dict[str, bytes]]:
    """Return the digest of all files of the page, and the files by name."""
    content = {file.name: file.read_bytes() for file in sorted(FOLDER.iterdir()) if file.is_file()}
    whole = b"\0".join(part for name, one in content.items() for part in (name.encode(), one))
    digest = hashlib.sha256(whole).hexdigest()[:16]
    content[_INDEX] = content[_INDEX].replace(b"{{digest}}", digest.encode())
    return digest, content


@router.get("/", summary="The page", responses=responses(304, ok="HTML.", media="text/html"))
async def index(request: Request) -> Response:
    """Return the page, which asks the other paths for what it shows."""
    digest, content = files()
    headers = {"ETag": f'"{digest}"', "Cache-Control": "no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content[_INDEX], headers=headers, media_type=_MEDIA[".html"])


@router.get(
    "/page/{digest}/{name}",
    summary="A file of the page",
    responses=responses(404, 422, ok="Stylesheet, module or picture.", media="text/css"),
)
async def file(
    digest: Annotated[str, Path(max_length=64)], name: Annotated[str, Path(max_length=64)]
) -> Response:
    """Return a file; browsers keep it, as another version has another address."""
    now, content = files()
    if digest != now or name not in content:
        raise refused(404, "SRV011", "name", "there is no such file", "load the page / again")
    media = _MEDIA[File(name).suffix]
    return Response(content[name], headers={"Cache-Control": _FOREVER}, media_type=media)
