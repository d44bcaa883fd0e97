"""NX-API of the NX-OS stand-in: JSON-RPC batches over HTTPS.

Known (napalm 5.2.0 ``nxapi_plumbing``, after Cisco's NX-API): POST to ``/ins``, a list of calls
with method ``cli`` or ``cli_ascii`` and the command in ``params.cmd``; basic authentication, 401
when it fails; a result has ``body`` or ``msg``, an error has the text in ``data.msg``; one answer
comes as an object, several as a list; the first error ends a batch.
Assumed: the status is 200 for errors of commands too; other paths answer 404.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.lab.https.server import Reply, SessionCutError, is_authentic

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fabric.lab.https.server import Request

    Body = dict[str, Any]


class Nxapi:
    """What is answered.

    Parameters
    ----------
    account : tuple of str
        The only username and password that may log in.
    run : callable
        Runs a batch of calls and returns the answers and where to cut them.
    is_open : callable
        Whether the configuration lets anybody connect.
    """

    def __init__(
        self,
        account: tuple[str, str],
        run: Callable[[list[Body]], Awaitable[tuple[list[Body], int | None]]],
        *,
        is_open: Callable[[], bool],
    ) -> None:
        self._account = account
        self._run = run
        self._is_open = is_open

    async def answer(self, request: Request) -> Reply:
        """Answer a request."""
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
