"""Heads of requests: how large they may be, and that none of them holds the others up."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
import uvicorn
from uvicorn.server import ServerState

from fabric.serve.protocol import HEAD_BYTES, HEADERS, LimitedProtocol
from tests.cases import each
from tests.devices.certificates import Authority
from tests.serve.servers import served

#: How long /healthz may take beside an endless header.
FAST_S = 0.05
#: What is sent at a time, and more than the buffers of both ends hold.
_BLOCK, _LOT = 1 << 18, 32 << 20
#: What comes before bytes that never end: in a head, behind a body, and between requests.
_GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
_CHUNKS = (
    b"POST /v1/placements HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
ENDLESS = {
    "header": (_GET + b"X: ", b"a"),
    "name of a header": (_GET, b"a"),
    "headers": (_GET, b"a:\r\n"),
    "URL": (b"GET /", b"a"),
    "trailer": (_CHUNKS + b"0\r\nX: ", b"a"),
    "trailers": (_CHUNKS + b"0\r\n", b"a:\r\n"),
    "extension of a chunk": (_CHUNKS + b"1;", b"a"),
    "line breaks": (b"", b"\r\n"),
    "head behind a request": (b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n" + _GET, b"a"),
}


@pytest.fixture(scope="module", params=["plain", "TLS"])
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A client of a server, which speaks TLS or not."""
    folder = tmp_path_factory.mktemp("heads")
    settings: dict[str, Path] = {}
    if request.param == "TLS":
        settings = {"tls_cert": folder / "cert", "tls_key": folder / "key"}
        for file, content in zip(settings.values(), Authority().issued(), strict=True):
            file.write_bytes(content)
    with served(folder / "state", **settings) as made:
        yield made


def connected(client: httpx.Client) -> socket.socket:
    """Return a connection of its own to the server of a client."""
    plain = socket.create_connection(("127.0.0.1", client.base_url.port or 0), 60)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if client.base_url.scheme == "http":
        return plain
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)


def asked(client: httpx.Client, content: bytes) -> bytes:
    """Return all that the server sends until it closes the connection, or answers one request."""
    answer = b""
    with connected(client) as connection, contextlib.suppress(OSError):
        connection.sendall(content)
        while not answer.endswith(b"}") and (part := connection.recv(1 << 16)):
            answer += part
    return answer


def head(size: int) -> bytes:
    """Return a whole request of a number of bytes."""
    start = _GET + b"X: "
    return start + b"a" * (size - len(start) - 4) + b"\r\n\r\n"


def test_a_head_has_a_largest_size(client: httpx.Client) -> None:
    assert asked(client, head(HEAD_BYTES)).startswith(b"HTTP/1.1 200 ")
    assert asked(client, _GET + b"a: b\r\n" * (HEADERS - 1) + b"\r\n").startswith(b"HTTP/1.1 200 ")
    for content, reason in (
        (head(HEAD_BYTES + 1)[:HEAD_BYTES], b"more than 65,536 bytes"),
        (_GET + b"a: b\r\n" * HEADERS + b"\r\n", b"more than 100 headers"),
    ):
        answer = asked(client, content)
        assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
        assert b"application/problem+json" in answer
        assert reason in answer
    for size in (HEAD_BYTES + 1, HEAD_BYTES * 2, HEAD_BYTES * 8):
        # The end of a connection on which something is unread can overtake the answer.
        assert not asked(client, head(size)).startswith(b"HTTP/1.1 200"), size


def test_what_is_no_http_is_a_problem_too(client: httpx.Client) -> None:
    answer = asked(client, b"nonsense\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"application/problem+json" in answer


def test_a_body_has_the_limit_of_bodies_alone(client: httpx.Client) -> None:
    body = b'{"nodes": 1' + b" " * HEAD_BYTES * 2 + b"}"
    headers = {"Content-Type": "application/json"}

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(body), 64):
            yield body[start : start + 64]

    for content in (body, chunks()):
        answer = client.post("/v1/placements", content=content, headers=headers)
        assert answer.status_code == 200, answer.text


def test_requests_that_come_at_once_are_counted_one_by_one(client: httpx.Client) -> None:
    with connected(client) as connection:
        connection.sendall(head(HEAD_BYTES) * 8)
        got = b""
        while got.count(b'{"status": "ok"}') < 8:
            got += connection.recv(1 << 16)
        assert got.count(b"HTTP/1.1 200") == 8


def _flood(client: httpx.Client, ended: threading.Event) -> None:
    """Send headers without end, one connection after the other."""
    while not ended.is_set():
        with contextlib.suppress(OSError), connected(client) as connection:
            connection.sendall(_GET + b"X: ")
            while not ended.is_set():
                connection.sendall(b"a" * _BLOCK)


def test_healthz_is_fast_beside_an_endless_header(client: httpx.Client) -> None:
    ended = threading.Event()
    flood = threading.Thread(target=_flood, args=(client, ended))
    flood.start()
    try:
        # The fastest of several: what else works on this machine must not fail a test.
        times = []
        for _ in range(20):
            began_s = time.perf_counter()
            assert client.get("/healthz").status_code == 200
            times.append(time.perf_counter() - began_s)
        assert min(times) < FAST_S, times
    finally:
        ended.set()
        flood.join()


def _loop_time_s() -> float:
    """The processor time which the loop spends on one endless header."""
    loop, transport = asyncio.new_event_loop(), Mock(**{"is_closing.return_value": False})
    transport.abort.side_effect = lambda: transport.is_closing.configure_mock(return_value=True)
    protocol = LimitedProtocol(uvicorn.Config(_GET), ServerState(), {}, loop)
    protocol.connection_made(transport)
    began_s = time.thread_time()
    protocol.data_received(_GET + b"X: ")
    for _ in range(_LOT // _BLOCK):
        protocol.data_received(b"a" * _BLOCK)
    took_s = time.thread_time() - began_s
    protocol.connection_lost(None)
    loop.close()
    return took_s


def test_an_endless_header_takes_no_time_of_the_loop() -> None:
    # The fastest of several: a collection of garbage costs the thread that begins it.
    times = [_loop_time_s() for _ in range(5)]
    assert min(times) < FAST_S, times


@each("name", ENDLESS)
def test_what_never_ends_is_cut_off(client: httpx.Client, name: str) -> None:
    start, rest = ENDLESS[name]
    block, sent = rest * (_BLOCK // len(rest)), 0
    with connected(client) as connection, contextlib.suppress(OSError):
        connection.sendall(start)
        while sent < _LOT:
            connection.sendall(block)
            sent += len(block)
    assert sent < _LOT
