"""Tenants: all of them for operators; a tenant sees itself."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from fabric.serve.problem import refused
from fabric.serve.replies import TenantReply, TenantsReply
from fabric.serve.routes.described import as_json, responses, service_of
from fabric.serve.tenants import tenant_of, tenants_of, without_tenant

router = APIRouter()


@router.get(
    "/v1/tenants",
    summary="Tenants",
    responses=responses(ok="The tenants, and NICs without one.", reply=TenantsReply),
)
async def get_tenants(request: Request) -> Response:
    """Return every tenant with its VRF and hosts."""
    fabric = service_of(request).loaded.fabric
    content = {"tenants": tenants_of(fabric), "without": without_tenant(fabric)}
    return as_json(json.dumps(content).encode())


@router.get(
    "/v1/tenants/{name}",
    summary="A tenant",
    responses=responses(404, 422, ok="The tenant.", reply=TenantReply),
)
async def get_tenant(
    request: Request,
    name: Annotated[str, Path(min_length=1, max_length=64, description="Name of a tenant.")],
) -> Response:
    """Return a tenant; a token of a tenant may ask for its own."""
    content = tenant_of(service_of(request).loaded.fabric, name)
    if content is None:
        fix = "GET /v1/tenants lists them"
        raise refused(404, "SRV011", "name", f"there is no tenant {name!a}", fix)
    return as_json(json.dumps(content).encode())
