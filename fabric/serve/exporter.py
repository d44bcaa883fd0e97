"""The figures of `rocefab observe` over HTTP, for Prometheus: `/metrics` and `/healthz`."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from fabric.report.exposition import CONTENT_TYPE
from fabric.serve.guard import Guard
from fabric.serve.metrics import Metrics
from fabric.serve.run import listen, server_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from fabric.serve.settings import Settings


def app(figures: Callable[[], Iterable[str]], settings: Settings) -> Guard:
    """Return the ASGI application, with the guard around it.

    Parameters
    ----------
    figures : callable
        Returns the text format of Prometheus in pieces, as it is now.
    """

    async def metrics(_: Request) -> Response:
        return StreamingResponse(figures(), media_type=CONTENT_TYPE)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    routes = [Route("/metrics", metrics), Route("/healthz", healthz)]
    return Guard(Starlette(routes=routes), settings, Metrics(), _errors)


def _errors(what: dict[str, Any]) -> None:
    """Write internal errors to stderr: stdout holds the records, and scrapes are no news."""
    if "error" in what:
        sys.stderr.write(json.dumps(what) + "\n")


@contextmanager
def exporter(figures: Callable[[], Iterable[str]], settings: Settings) -> Iterator[str]:
    """Serve figures in a thread while the body runs; yield the address that is listened on.

    Raises
    ------
    InputError
        When the address, the certificate or its key cannot be used.
    """
    server = server_of(app(figures, settings), settings)
    listening = listen(settings.host, settings.port)
    thread = threading.Thread(target=server.run, args=([listening],), name="rocefab-metrics")
    thread.start()
    try:
        host, port = listening.getsockname()[:2]
        scheme = "https" if settings.tls_cert else "http"
        yield f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
