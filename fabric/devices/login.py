"""Why a login failed, and what to do: the client libraries have no common errors."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SILENT = "no answer; check address, route and firewall"
_CLOSED = "it closed the connection during the login; check its limit of sessions, and try again"
_NO_SSH = "what answers there is not SSH; check the port"
#: What to do about each kind of error.
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (
        socket.gaierror,
        "its name has no address; set address in the connections file (--connections)",
    ),
    (
        ConnectionRefusedError,
        "connection rejected; check address and port, and that SSH or the API runs",
    ),
    (ConnectionError, _CLOSED),
    (EOFError, _CLOSED),
)
_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH)
#: What a socket and paramiko say; other texts say more.
_OF_A_SOCKET = ("", "timed out")
_REJECTED = (
    "the login is rejected; set ROCEFAB_PASSWORD or use --ask-password, or set username, password "
    "or key_file in the connections file"
)
#: In class names of netmiko, paramiko, junos-eznc and ncclient.
_AUTHENTICATION = "Auth"
#: Texts of paramiko (``transport.py``, ``auth_handler.py``, ``client.py``) and of an API.
_TEXTS = {
    "Authentication timeout": _SILENT,
    "Error reading SSH protocol banner": _CLOSED,
    "Indecipherable protocol version": _NO_SSH,
    "No existing session": _CLOSED,
    "SSH session not active": _CLOSED,
    "Socket is closed": _CLOSED,
    "No authentication methods available": _REJECTED,
    "Unauthorized": _REJECTED,
    "Authentication failed": _REJECTED,
}


def login_reason(error: BaseException) -> str:
    """Return why a login failed and what to do; empty where the error speaks for itself."""
    causes = [*_causes(error)]
    for cause in reversed(causes):
        if reason := _known(cause):
            return reason
    # Several lines are netmiko's advice for any error; what it came from is a sentence.
    is_advice = len(causes) > 1 and "\n" in str(error).strip()
    return str(causes[-1]).strip().partition("\n")[0] if is_advice else ""


def _known(cause: BaseException) -> str:
    """Return what to do about an error itself, whatever it came from."""
    if isinstance(cause, TimeoutError) and (cause.errno or str(cause) in _OF_A_SOCKET):
        return _SILENT
    if isinstance(cause, OSError) and cause.errno in _NO_ROUTE:
        return "no route to it; check address and routes"
    for text, reason in _TEXTS.items():
        if text in str(cause):
            return reason
    if any(_AUTHENTICATION in kind.__name__ for kind in type(cause).__mro__):
        return _REJECTED
    return next((reason for kind, reason in _REASONS if isinstance(cause, kind)), "")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, and what it came from."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__
