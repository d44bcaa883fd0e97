"""The SSH server that stand-ins share.

Known: password login, exec requests, an interactive shell on a terminal, SFTP and SCP, as OpenSSH
serves them; the fingerprint is written as OpenSSH writes it (``SHA256:`` and base64). Before each
packet asyncssh sends an SSH_MSG_IGNORE, which OpenSSH does not (openssh-portable, packet.c).
Assumed: while a stand-in reboots its port is bound but not listening, so that connections are
refused and nobody else takes the port.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from typing import TYPE_CHECKING, Any

import asyncssh

from fabric.lab.ssh.session import Session
from fabric.lab.ssh.sftp import LabSftp
from fabric.lab.ssh.system import SshSystem

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock
    from fabric.lab.spec import StandInSpec
    from fabric.lab.ssh.channel import Process

_REBOOT_S = 2.0
_IGNORE = 2  # SSH_MSG_IGNORE, RFC 4250, 4.1.2


class _Login(asyncssh.SSHServer):
    """Let in the one account of the stand-in."""

    def __init__(self, stand_in: SshStandIn) -> None:
        self._stand_in = stand_in
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        _without_ignored(conn)
        self._stand_in.connections.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if self._connection is not None:
            self._stand_in.connections.discard(self._connection)

    def begin_auth(self, username: str) -> bool:
        del username
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        spec = self._stand_in.spec
        good_name = hmac.compare_digest(username.encode(), spec.username.encode())
        return hmac.compare_digest(password.encode(), spec.password.encode()) and good_name


def _without_ignored(connection: asyncssh.SSHServerConnection) -> None:
    """Let a connection send what carries something alone; asyncssh has no option for it."""
    send = connection.send_packet

    def send_packet(kind: int, *parts: bytes, **named: Any) -> None:
        if kind != _IGNORE:
            send(kind, *parts, **named)

    connection.send_packet = send_packet  # type: ignore[method-assign, assignment]


class SshStandIn(SshSystem):
    """Base of the stand-ins that are a system behind an SSH server."""

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.address = "127.0.0.1"
        self.port = 0
        self.boots = 1
        self.connections: set[asyncssh.SSHServerConnection] = set()
        self._key = asyncssh.generate_private_key("ssh-ed25519")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener: asyncssh.SSHAcceptor | None = None
        self._socket: socket.socket | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 fingerprint of the host key, as ``ssh-keygen -l`` prints it."""
        return self._key.get_fingerprint("sha256")

    @property
    def trust(self) -> str:
        """What a client must know to trust it: the host key as ``known_hosts`` holds it."""
        return self._key.export_public_key("openssh").decode().strip()

    # -- life ------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        self._loop = asyncio.get_running_loop()
        self._socket = self._bind(0)
        self.port = self._socket.getsockname()[1]
        await self._listen()

    async def stop(self) -> None:
        """Close all sessions and the listener, and forget the files."""
        await self._close_listener()
        connections = list(self.connections)
        for connection in connections:
            connection.abort()
        for connection in connections:
            await connection.wait_closed()
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        await asyncio.to_thread(self.fs.close)  # a host has 1,500 files

    def _bind(self, port: int) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setblocking(False)
        sock.bind((self.address, port))
        return sock

    async def _listen(self) -> None:
        self._listener = await asyncssh.listen(
            sock=self._socket,
            server_factory=lambda: _Login(self),
            server_host_keys=[self._key],
            process_factory=self._serve,
            sftp_factory=self._sftp,
            allow_scp=True,
            public_key_auth=False,
            kbdint_auth=False,
            gss_host=None,
            line_editor=False,
            login_timeout=30,
            config=None,
            errors="surrogateescape",
        )

    async def _close_listener(self) -> None:
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
            self._listener = None

    async def _serve(self, process: Process) -> None:
        await Session(self, process).serve()

    def _sftp(self, channel: asyncssh.SSHServerChannel[bytes]) -> LabSftp:
        return LabSftp(channel, self)

    def reboot(self, seconds: float = _REBOOT_S) -> None:
        """Close all sessions, refuse connections for lab seconds, come back with the startup."""
        with self.lock:
            if self.rebooting or self._loop is None:
                return
            self.rebooting = True
            self.boots += 1
            self.started_s = self.clock.now_s()
            self.on_reboot()
        self._loop.call_soon_threadsafe(self._go_down)
        self.clock.call_later(seconds, self._come_back)

    def _go_down(self) -> None:
        if self._listener is not None and self._loop is not None:
            placeholder = self._bind(self.port)
            self._listener.close()
            self._listener, self._socket = None, placeholder
        for connection in list(self.connections):
            connection.abort()

    def _come_back(self) -> None:
        if self._listener is None and self._socket is not None:
            self._socket.listen(100)  # from now on clients wait, they are not refused
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._listen_again)

    def _listen_again(self) -> None:
        self.rebooting = False
        if self._socket is not None and self._loop is not None and self._listener is None:
            self._task = self._loop.create_task(self._listen())
