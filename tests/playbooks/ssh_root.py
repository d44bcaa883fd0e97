"""A real SSH server whose commands run on this machine: hosts with Python, for Ansible."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import contextmanager
from functools import partial

import asyncssh


class _Server(asyncssh.SSHServer):
    def __init__(self, connections):
        self._connections = connections

    def connection_made(self, conn):
        self._connections.append(conn)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return password == "lab-password"


async def _feed(source, sink) -> None:
    """Carry input to a command until it ends."""
    while data := await source.read(65536):
        sink.write(data)
    sink.close()


async def _run(path: str, process: asyncssh.SSHServerProcess) -> None:
    """Run the command by a shell, as sshd does."""
    child = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        process.command or "",
        env={**os.environ, "PATH": path},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    feed = asyncio.create_task(_feed(process.stdin, child.stdin))
    out, err = await asyncio.gather(child.stdout.read(), child.stderr.read())
    await child.wait()
    feed.cancel()
    process.stdout.write(out)
    process.stderr.write(err)
    process.exit(child.returncode or 0)


@contextmanager
def ssh_server(path: str):
    """Yield (port, public host key) of a server on loopback; commands have this PATH."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    connections = []
    key = asyncssh.generate_private_key("ssh-ed25519")

    async def start():
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=lambda: _Server(connections),
            server_host_keys=[key],
            process_factory=partial(_run, path),
            sftp_factory=True,
            encoding=None,
            config=None,
        )

    listener = asyncio.run_coroutine_threadsafe(start(), loop).result(20)
    try:
        yield listener.get_port(), key.export_public_key("openssh").decode().strip()
    finally:

        async def stop():
            listener.close()
            await listener.wait_closed()
            for connection in connections:
                connection.abort()
                await connection.wait_closed()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
