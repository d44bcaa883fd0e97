"""The OpenAPI 3.1 document: what FastAPI knows of the routes, and the bodies that we parse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from fabric.serve import requests
from fabric.serve.replies import REPLIES

if TYPE_CHECKING:
    from fastapi import FastAPI

_BODIES = (
    requests.PlacementBody,
    requests.StateBody,
    requests.StatePatchBody,
    requests.AlertsBody,
    requests.JobBody,
    requests.FailingBody,
    requests.WhatIfBody,
    requests.ExtenderBody,
    requests.GenerateBody,
)
_PROBLEM = {
    "type": "object",
    "description": "Problem details (RFC 9457); `findings` has each thing that is wrong.",
    "required": ["type", "title", "status", "detail", "findings"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "findings": {"type": "array", "items": {"$ref": "#/components/schemas/FindingReply"}},
    },
}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the document; it is made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        _, definitions = models_json_schema(
            [(model, "validation") for model in _BODIES],
            ref_template="#/components/schemas/{model}",
        )
        _, answers = models_json_schema(
            [(model, "serialization") for model in REPLIES],
            ref_template="#/components/schemas/{model}",
        )
        components = made.setdefault("components", {})
        components["schemas"] = {**definitions["$defs"], **answers["$defs"], "Problem": _PROBLEM}
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{}, {"token": []}]
        app.openapi_schema = made
    return app.openapi_schema
