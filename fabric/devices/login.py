"""Why a login failed, and what to do: the client libraries have no common errors."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
)
_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH)
#: What a socket says; other texts say more.
_OF_A_SOCKET = "timed out"
_SILENT = "no answer; check address, route and firewall"
_REJECTED = (
    "the login is rejected; set ROCEFAB_PASSWORD or use --ask-password, or set username, password "
    "or key_file in the connections file"
)
#: In class names of netmiko, paramiko, junos-eznc and ncclient.
_AUTHENTICATION = "Auth"
#: Without a password, and of an API.
_TEXTS = ("No authentication methods available", "Unauthorized", "Authentication failed")


def login_reason(error: BaseException) -> str:
    """Return why a login failed and what to do; empty where the error speaks for itself."""
    if isinstance(error, TimeoutError) and (error.errno or str(error) == _OF_A_SOCKET):
        return _SILENT
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in _NO_ROUTE:
            return "no route to it; check address and routes"
        names = [kind.__name__ for kind in type(cause).__mro__]
        if any(_AUTHENTICATION in name for name in names):
            return _REJECTED
        if any(text in str(cause) for text in _TEXTS):
            return _REJECTED
        for kind, reason in _REASONS:
            if isinstance(cause, kind):
                return reason
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, and what it came from."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__
