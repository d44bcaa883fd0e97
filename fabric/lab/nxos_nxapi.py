"""NX-API of the NX-OS stand-in: JSON-RPC batches over HTTPS, on asyncio.

Known (napalm 5.2.0 ``nxapi_plumbing``, after Cisco's NX-API): POST to ``/ins``, a list of calls
with method ``cli`` or ``cli_ascii`` and the command in ``params.cmd``; basic authentication, 401
when it fails; a result has ``body`` or ``msg``, an error has the text in ``data.msg``; one answer
comes as an object, several as a list; the first error ends a batch.
Assumed: the status is 200 for errors of commands too; other paths answer 404.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from fabric.lab.eos_eapi import (
    Reply,
    SessionCutError,
    SessionHungError,
    is_authentic,
    read_request,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable

    from fabric.lab.eos_eapi import Certificate, Request

    Body = dict[str, Any]


class NxapiServer:
    """The listener.

    Parameters
    ----------
    certificate : Certificate
        Shown to clients.
    account : tuple of str
        The only username and password that may log in.
    run : callable
        Runs a batch of calls and returns the answers and where to cut them.
    is_open : callable
        Whether the configuration lets anybody connect.
    """

    def __init__(
        self,
        certificate: Certificate,
        account: tuple[str, str],
        run: Callable[[list[Body]], Awaitable[tuple[list[Body], int | None]]],
        *,
        is_open: Callable[[], bool],
    ) -> None:
        self._context = certificate.context()
        self._account = account
        self._run = run
        self._is_open = is_open
        self._server: asyncio.Server | None = None
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def listen(self, sock: socket.socket) -> None:
        """Serve on a bound socket."""
        self._server = await asyncio.start_server(self._serve, sock=sock, ssl=self._context)

    async def close(self) -> None:
        """Close the listener and all connections, except the one that asks for it."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            self._tasks[task].transport.abort()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = writer
        try:
            while (request := await read_request(reader)) is not None:
                reply = await self._answer(request)
                data = reply.encode()
                writer.write(data if reply.cut_after is None else data[: reply.cut_after])
                await writer.drain()
                if reply.cut_after is not None:
                    break
        except SessionHungError:
            await reader.read()
        except (SessionCutError, OSError):
            writer.transport.abort()
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._tasks.pop(task, None)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, request: Request) -> Reply:
        if not self._is_open():
            raise SessionCutError
        if not is_authentic(request, *self._account):
            header = 'WWW-Authenticate: Basic realm="Secure Zone"\r\n'
            return Reply("401 Unauthorized", b"", header=header)
        if (request.method, request.path) != ("POST", "/ins"):
            return Reply("404 Not Found", b"{}")
        try:
            calls = json.loads(request.body)
        except ValueError:
            calls = None
        calls = [calls] if isinstance(calls, dict) else calls
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            error = {"code": -32700, "message": "Parse error"}
            return Reply("200 OK", json.dumps({"jsonrpc": "2.0", "error": error}).encode())
        answers, cut_after = await self._run(calls)
        body = json.dumps(answers[0] if len(answers) == 1 else answers)
        return Reply("200 OK", body.encode(), cut_after)
