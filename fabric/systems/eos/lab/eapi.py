"""eAPI of the EOS stand-in: JSON-RPC over HTTPS, on asyncio.

Known (arista-eosplus/pyeapi ``pyeapi/eapilib.py``): POST to ``/command-api``, basic
authentication, 401 when it fails; an error carries ``code``, ``message`` and in ``data`` the
results of the commands before the one that failed, whose entry holds ``errors``.
Assumed: other paths answer 404. A switch
whose eAPI or management address is configured away drops connections after the TLS handshake (a
real one refuses them); the answer to the command that did it still arrives.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.lab.https.server import Reply, SessionCutError, is_authentic

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fabric.lab.https.server import Request

    Body = dict[str, Any]

REALM = "COMMAND_API_AUTH"


class Eapi:
    """What is answered.

    Parameters
    ----------
    account : tuple of str
        The only username and password that may log in.
    run : callable
        Runs the body of a JSON-RPC call and returns the answer and where to cut it.
    is_reachable, is_known : callable
        Whether the configuration lets anybody connect, and this account log in.
    """

    def __init__(
        self,
        account: tuple[str, str],
        run: Callable[[Body], Awaitable[tuple[Body, int | None]]],
        *,
        is_reachable: Callable[[], bool],
        is_known: Callable[[], bool],
    ) -> None:
        self._account = account
        self._run = run
        self._is_reachable = is_reachable
        self._is_known = is_known

    async def answer(self, request: Request) -> Reply:
        """Answer a request."""
        if not self._is_reachable():
            raise SessionCutError
        if not self._is_known() or not is_authentic(request, *self._account):
            body = b"Unable to authenticate user: Bad username/password combination\n"
            header = f'WWW-Authenticate: Basic realm="{REALM}"\r\n'
            return Reply("401 Unauthorized", body, header=header)
        if request.path != "/command-api":
            return Reply("404 Not Found", b"{}")
        if request.method != "POST":
            return Reply("405 Method Not Allowed", b"{}")
        try:
            call = json.loads(request.body)
        except ValueError:
            call = None
        if not isinstance(call, dict):
            error = {"code": -32700, "message": "Unable to parse JSON"}
            body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
            return Reply("200 OK", body)
        answer, cut_after = await self._run(call)
        return Reply("200 OK", json.dumps(answer).encode(), cut_after)
