"""The application: routes, errors and the OpenAPI document."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fabric import __version__
from fabric.serve.bodies import problem_of_parameters
from fabric.serve.guard import Guard
from fabric.serve.openapi import document
from fabric.serve.parameters import only_known
from fabric.serve.problem import Problem, internal, refused
from fabric.serve.routes import (
    alerts,
    browser,
    devices,
    drawing,
    events,
    extender,
    health,
    jobs,
    network,
    placements,
    plans,
    runs,
    state,
    tenants,
    topograph,
    whatif,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from fabric.serve.service import Service

#: Letters of a path that a message shows.
_SHOWN = 128
_ROUTERS = (
    *(placements.router, network.router, tenants.router, state.router, jobs.router, whatif.router),
    *(plans.router, runs.router),
    *(drawing.router, devices.router, browser.router, alerts.router),
    *(extender.router, topograph.router, events.router, health.router),
)


def create_app(service: Service) -> Guard:
    """Return the ASGI application of a service, with the guard around it."""
    app = FastAPI(
        title="rocefab",
        version=__version__,
        summary="Placements, state and topology of a RoCE fabric",
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        lifespan=_lifespan,
        dependencies=[Depends(only_known)],
        default_response_class=Response,  # routes say themselves what they answer
        exception_handlers={
            Problem: _problem,
            HTTPException: _http,
            RequestValidationError: _parameters,
            Exception: _internal,
        },
    )
    app.state.service = service
    for router in _ROUTERS:
        app.include_router(router)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return Guard(_Direct(app), service.settings, service.metrics)


class _Direct:
    """Placements, past the layers of FastAPI: these take as long as the rest of a short request.

    Errors go to the guard, which answers them in the same form.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope.get("path") != placements.PATH or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        scope["app"], scope["route"] = self._app, placements.ROUTE
        answer = await placements.placements(Request(scope, receive))
        await answer(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    watch = asyncio.create_task(service.watch())
    reloads: set[asyncio.Task[bool]] = set()

    def reload() -> None:
        task = asyncio.get_running_loop().create_task(service.reload())
        reloads.add(task)
        task.add_done_callback(reloads.discard)

    if threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        service.close()


async def _problem(_request: Request, problem: Any) -> Response:
    response: Response = problem.response()
    return response


async def _parameters(_request: Request, error: Any) -> Response:
    return problem_of_parameters(error.errors()).response()


async def _internal(_request: Request, _error: Any) -> Response:
    return internal().response()


async def _http(request: Request, error: Any) -> Response:
    status, path = int(error.status_code), ascii(request.url.path[:_SHOWN])
    messages = {404: f"there is no path {path}", 405: f"{path} does not take {request.method}"}
    message = messages.get(status, HTTPStatus(status).phrase)
    problem = refused(status, "SRV011", "", message, "/openapi.json lists paths and methods")
    problem.headers.update(error.headers or {})
    return problem.response()
