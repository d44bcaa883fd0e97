"""What stands before every route: limits, tokens, time, figures and the access log."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import OrderedDict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fabric.serve.problem import Problem, internal, refused
from fabric.serve.scopes import EVERYONE, NOBODY, PERSONAL, READING, for_tenants, scope_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from fabric.serve.metrics import Metrics
    from fabric.serve.scopes import Grant
    from fabric.serve.settings import Settings

#: Paths that need no token: the probes of systemd, Kubernetes and load balancers, and the files of
#: the page, which are the same for every fabric.
OPEN = ("/healthz", "/readyz", "/")
OPEN_FOLDER = "/page/"
STREAM = "/v1/events"
#: Where it is in the scope of a request who sends it.
CALLER = "rocefab.caller"
#: Largest plan that is taken, our choice; other bodies are smaller.
PLAN, PLAN_BYTES = "/v1/plans", 64 << 20
#: Names that a browser on this machine has for it; a page of elsewhere has another (DNS rebinding).
_OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
#: Clients whose rate is remembered.
_MAX_CLIENTS = 4096
#: A page loads nothing from elsewhere, runs no script inside of HTML, and is in no frame.
_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", _POLICY.encode()),
]
#: What a browser says of the page that sends a request (Fetch Metadata, section 2.3).
_OWN_SITES = (b"same-origin", b"none")


class Buckets:
    """A token bucket for each client: an address, and the token that it sends.

    Parameters
    ----------
    rate : float
        Requests per second, and how many may come at once; 0 is no limit.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._clients: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, now_s: float) -> float:
        """Take a token; return how many seconds are missing until there is one, or 0."""
        if not self._rate:
            return 0.0
        left, at_s = self._clients.pop(client, (self._rate, now_s))
        left = min(self._rate, left + (now_s - at_s) * self._rate)
        missing = max(0.0, 1.0 - left)
        self._clients[client] = (left if missing else left - 1.0, now_s)
        if len(self._clients) > _MAX_CLIENTS:
            self._clients.popitem(last=False)
        return missing / self._rate


class Guard:
    """ASGI middleware around the whole application.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    settings : Settings
        Limits and tokens.
    metrics : Metrics
        Where requests are counted.
    log : callable
        Takes each line of the log: what was asked, and internal errors.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        metrics: Metrics,
        log: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._log = log or to_stdout
        self._buckets = Buckets(settings.limits.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began_s = time.perf_counter()
        most = PLAN_BYTES if scope["path"] == PLAN else self._settings.limits.body_bytes
        exchange = _Exchange(receive, send, most)
        try:
            self._check(scope, most)
            limit_s = None if scope["path"] == STREAM else self._settings.limits.request_s
            async with asyncio.timeout(limit_s):
                await self._app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            await exchange.refuse(problem, scope)
        except TimeoutError:
            await exchange.refuse(_late(exchange), scope)
        except Exception as error:  # noqa: BLE001 - the last one to see it
            self._log({"error": type(error).__name__, "path": scope["path"]})
            await exchange.refuse(internal(), scope)
        finally:
            self._record(scope, exchange.status, time.perf_counter() - began_s)

    def _check(self, scope: Scope, most: int) -> None:
        headers = dict(scope["headers"])
        caller = scope[CALLER] = self._caller(headers)
        client = scope["client"][0] if scope.get("client") else ""
        wait_s = self._buckets.take(f"{client} {caller.key}", time.monotonic())
        if wait_s:
            problem = refused(429, "SRV008", "", "too many requests", "wait as Retry-After says")
            problem.headers["Retry-After"] = str(int(wait_s) + 1)
            raise problem
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length[:20]) > most:
            raise too_large(most)
        if scope["method"] not in READING:
            _refuse_other_sites(headers)
        if scope["path"] not in OPEN and not scope["path"].startswith(OPEN_FOLDER):
            self._authorise(scope, caller)

    def _caller(self, headers: dict[bytes, bytes]) -> Grant:
        tokens = self._settings.tokens
        if tokens is not None:
            return tokens.grant(headers.get(b"authorization", b"").decode("latin-1")) or NOBODY
        name = headers.get(b"host", b"localhost").decode("latin-1").lower()
        is_own = name.rpartition(":")[0] in _OWN_NAMES or name in _OWN_NAMES
        return EVERYONE if is_own else NOBODY

    def _authorise(self, scope: Scope, caller: Grant) -> None:
        if caller is NOBODY and self._settings.tokens is None:
            message = "the Host header is not a name of this machine"
            raise refused(421, "SRV010", "Host", message, "use http://127.0.0.1, or tokens")
        if caller is NOBODY:
            fix = "send the header Authorization: Bearer TOKEN"
            problem = refused(401, "SRV010", "Authorization", "no valid token was sent", fix)
            problem.headers["WWW-Authenticate"] = "Bearer"
            raise problem
        if caller.tenant and not for_tenants(scope["method"], scope["path"], caller.tenant):
            message = "the token is of a tenant, which sees its hosts and placements alone"
            raise refused(403, "SRV010", "Authorization", message, "use a token of an operator")
        needed = scope_of(scope["method"], scope["path"])
        if needed not in caller.scopes:
            message = f"the token has the scope {caller}, and this needs {needed}"
            name = ", which has a name" if needed in PERSONAL else ""
            fix = f"use a token of scope {needed}{name}"
            problem = refused(403, "SRV010", "Authorization", message, fix)
            problem.headers["WWW-Authenticate"] = 'Bearer error="insufficient_scope"'
            raise problem

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self._metrics.request(scope["method"], route, status, seconds)
        self._log({
            "client": scope["client"][0] if scope.get("client") else "",
            "method": scope["method"],
            "path": scope["path"][:256],
            "status": status,
            "ms": round(seconds * 1e3, 3),
        })


class _Exchange:
    """One request and its answer; counts the body and remembers the status."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._most = receive, send, most
        self._bytes = 0
        self.is_read = False
        self.status = 0

    async def receive(self) -> Message:
        """Return the next part of the body."""
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        self.is_read = not message.get("more_body", False)
        if self._bytes > self._most:
            raise too_large(self._most)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], *_HEADERS]
        await self._send(message)

    async def refuse(self, problem: Problem, scope: Scope) -> None:
        """Send a problem, unless an answer has begun."""
        if not self.status:
            await problem.response()(scope, self._receive, self.send)


def _refuse_other_sites(headers: dict[bytes, bytes]) -> None:
    """Raise Problem (403) for a request that a page of another site lets a browser send.

    Programs send neither header. Both are those of a browser, which a page cannot set; a browser
    that does not send the first one sends the second.
    """
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    host = headers.get(b"host", b"")
    is_own = origin in {None, b"http://" + host, b"https://" + host}
    if site not in _OWN_SITES if site is not None else not is_own:
        message = "the request comes from a page of another site"
        raise refused(403, "SRV010", "Origin", message, "send it from the page of this service")


def too_large(most: int) -> Problem:
    """Return the problem of a body above the limit."""
    message = f"the body is larger than {most:,} bytes"
    return refused(413, "SRV008", "", message, "write hosts as a range, or send less")


def _late(exchange: _Exchange) -> Problem:
    status = HTTPStatus.SERVICE_UNAVAILABLE if exchange.is_read else HTTPStatus.REQUEST_TIMEOUT
    return refused(status, "SRV008", "", "the request took too long", "ask for less, or later")


def to_stdout(what: dict[str, Any]) -> None:
    """Write a line of the log; values of a client are escaped by JSON."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    sys.stdout.write(json.dumps({"time": stamp, **what}) + "\n")
    sys.stdout.flush()
