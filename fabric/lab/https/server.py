"""HTTPS of the stand-ins that speak JSON over it, on asyncio.

Assumed: HTTP/1.1 with keep-alive and ``Content-Length`` only.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import ipaddress
import socket
import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fabric.lab.faults import Fault, FaultScript
from fabric.lab.outpour import pour

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_BODY_BYTES = 16 * 2**20


class SessionCutError(Exception):
    """The connection ends without an answer."""


class SessionHungError(Exception):
    """The connection stays open without an answer."""


class SessionPouredError(Exception):
    """The answer comes without end, as the fault says."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.faults = FaultScript([Fault(fault.kind, seconds=fault.seconds)])


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; only the first ``cut_after`` bytes leave when that is set."""

    status: str
    body: bytes
    cut_after: int | None = None
    header: str = ""

    def encode(self) -> bytes:
        """Return the whole HTTP answer."""
        head = (
            f"HTTP/1.1 {self.status}\r\nContent-Type: application/json\r\n{self.header}"
            f"Content-Length: {len(self.body)}\r\n\r\n"
        )
        return head.encode() + self.body


def _usage() -> x509.KeyUsage:
    """Return the uses of a certificate that is its own authority."""
    unused = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
         "crl_sign", "encipher_only", "decipher_only"),
        False,
    )  # fmt: skip
    return x509.KeyUsage(digital_signature=True, key_cert_sign=True, **unused)


class Certificate:
    """A self-signed certificate that lives in memory only."""

    def __init__(self, name: str) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        self._certificate = (
            x509.CertificateBuilder()
            .subject_name(subject).issuer_name(subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=365))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()),
                           critical=False)
            .add_extension(x509.SubjectAlternativeName([
                x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
            ]), critical=False)
            .sign(key, hashes.SHA256())
        )  # fmt: skip
        self._key_pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    @property
    def fingerprint(self) -> str:
        """``SHA256:`` and the hexadecimal digest of the DER certificate."""
        return "SHA256:" + self._certificate.fingerprint(hashes.SHA256()).hex()

    @property
    def pem(self) -> str:
        """The certificate itself, for a client that pins it."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def context(self) -> ssl.SSLContext:
        """Return a server context; the files that ``ssl`` insists on exist for a moment."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "key.pem"
            path.touch(mode=0o600)
            path.write_bytes(self._key_pem + self.pem.encode())
            context.load_cert_chain(path)
        return context


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read one request; None when the client has gone or speaks something else."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = head.split("\r\n")
        method, path, _ = start.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines if line)
        }
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= MAX_BODY_BYTES:
            return None
        return Request(method, path, headers, await reader.readexactly(length))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError):
        return None


def is_authentic(request: Request, username: str, password: str) -> bool:
    """Check the basic authentication of a request."""
    given = request.headers.get("authorization", "").removeprefix("Basic ").strip()
    wanted = base64.b64encode(f"{username}:{password}".encode()).decode()
    return hmac.compare_digest(given.encode(), wanted.encode())


class HttpsServer:
    """A listener that can go away for a while and come back on its port.

    Parameters
    ----------
    certificate : Certificate
        Shown to clients.
    answer : callable
        Answers a request; SessionCutError and SessionHungError leave it without an answer.
    """

    def __init__(
        self, certificate: Certificate, answer: Callable[[Request], Awaitable[Reply]]
    ) -> None:
        self._context = certificate.context()
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._waking: asyncio.Task[None] | None = None
        self._held: socket.socket | None = None

    async def start(self, address: str) -> int:
        """Listen on a free port of an address, and return the port."""
        sock = _bound(address, 0)
        await self._listen(sock)
        port: int = sock.getsockname()[1]
        return port

    async def stop(self) -> None:
        """Close all connections and the listener."""
        if self._waking is not None:
            self._waking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._waking
            self._waking = None
        if self._held is not None:
            self._held.close()
            self._held = None
        await self._close()

    async def leave(
        self, address: str, port: int, is_back: Callable[[], bool], come_back: Callable[[], None]
    ) -> None:
        """Close everything, and listen again on the same port as soon as it is time.

        Parameters
        ----------
        is_back : callable
            Whether it is time.
        come_back : callable
            Called when it is.
        """
        await self._close()
        self._held = _bound(address, port)
        self._waking = asyncio.create_task(self._come_back(is_back, come_back))

    async def _come_back(self, is_back: Callable[[], bool], come_back: Callable[[], None]) -> None:
        while not is_back():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        sock, self._held = self._held, None
        if sock is not None:
            come_back()
            await self._listen(sock)

    async def _listen(self, sock: socket.socket) -> None:
        self._server = await asyncio.start_server(self._serve, sock=sock, ssl=self._context)

    async def _close(self) -> None:
        """Close the listener and all connections, except the one that asks for it."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        current = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not current]
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
        except SessionPouredError as poured:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await _pour(poured.faults, writer)
            writer.transport.abort()
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


async def _pour(faults: FaultScript, writer: asyncio.StreamWriter) -> None:
    """Begin an answer whose length is not told, and never end it."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    await pour(faults, "", lambda text: writer.write(text.encode()), writer.drain)


def _bound(address: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    return sock
