"""Parameters of a query: those that a path does not have are refused, not ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request  # noqa: TC002 - FastAPI reads the annotation

from fabric.core.findings import Finding, Severity
from fabric.core.shown import closest, listed, quoted
from fabric.serve.bodies import wrong_fields
from fabric.serve.openapi import document
from fabric.serve.problem import MAX_FINDINGS

if TYPE_CHECKING:
    from fastapi import FastAPI

#: Other paths are asked by programs that add parameters as they like.
_OURS = "/v1/"


async def only_known(request: Request) -> None:
    """Refuse a question with parameters that its path does not have; raises Problem (422)."""
    path = request.scope["route"].path
    if request.method != "GET" or not request.query_params or not path.startswith(_OURS):
        return
    known = _known(request.app, path)
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise wrong_fields([_finding(name, known) for name in unknown[:MAX_FINDINGS]], "parameter")


def _known(app: FastAPI, path: str) -> list[str]:
    described = document(app)["paths"][path]["get"].get("parameters", [])
    return [one["name"] for one in described if one["in"] == "query"]


def _finding(name: str, known: list[str]) -> Finding:
    match = closest(name, known)
    advice = f"did you mean {match}?" if match else "remove it."
    fix = f"{advice} The path has {listed(known, 'and')}" if known else "remove it; it has none"
    message = f"the path has no parameter {quoted(name)[1:-1]!a}"
    return Finding("SRV004", Severity.ERROR, message, fix, field=ascii(f"query.{name[:64]}")[1:-1])
