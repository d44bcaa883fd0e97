"""Starting and stopping the server."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import check_regular
from fabric.serve.app import create_app
from fabric.serve.protocol import LimitedProtocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from starlette.types import ASGIApp as ASGIApplication

    from fabric.serve.service import Service
    from fabric.serve.settings import Settings

#: How long requests may take to end after a signal to stop.
GRACE_S = 10
#: Connections that wait to be accepted, and that are open at a time.
_BACKLOG, _MAX_CONNECTIONS = 1024, 2048


class _Server(uvicorn.Server):
    """uvicorn, with streams that end when the server is told to."""

    def __init__(self, config: uvicorn.Config, close_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._close_streams = close_streams
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End streams, then stop as uvicorn does; a second signal does not wait."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._close_streams)
        super().handle_exit(sig, frame)


def run(server: uvicorn.Server, listening: socket.socket) -> None:
    """Serve until a signal comes; SIGTERM is the clean end, and no error.

    uvicorn sends the signal that has ended it once more, to the handler of before.

    Raises
    ------
    SystemExit
        With the code 0 after SIGTERM.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.run([listening])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    InputError
        When the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named; without it an answer of two parts
    # waits 40 ms for the client's delayed acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        message = f"{host} port {port} cannot be used: {error.strerror}"
        finding = Finding("SRV001", Severity.ERROR, message, "choose another one", "--listen")
        raise InputError("the service cannot listen", [finding]) from error
    return listening


def prepare(service: Service) -> uvicorn.Server:
    """Return the server of a service.

    Raises
    ------
    InputError
        When the certificate or its key cannot be used.
    """
    server = server_of(create_app(service), service.settings, service.events.close)
    gc.collect()
    gc.freeze()  # what lives as long as the process needs no collector that stops all requests
    return server


def server_of(
    app: ASGIApplication, settings: Settings, close_streams: Callable[[], None] = lambda: None
) -> uvicorn.Server:
    """Return the server of an application.

    Raises
    ------
    InputError
        When the certificate or its key cannot be used.
    """
    for path in filter(None, (settings.tls_cert, settings.tls_key)):
        check_regular(path, FileKind.KEY)  # OpenSSL reads it to its end
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        backlog=_BACKLOG,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_S,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
    )
    try:
        config.load()
    except OSError as error:  # ssl.SSLError is one
        message = f"the certificate or its key cannot be used: {error.strerror or error}"
        finding = Finding("SRV001", Severity.ERROR, message, "check both files", "--tls-cert")
        raise InputError("the service cannot listen", [finding]) from error
    return _Server(config, close_streams)
