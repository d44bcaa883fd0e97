"""SSH by netmiko for systems with a Linux shell: commands with exit status, and files.

Commands are built by the drivers from fixed words and checked names; whatever else must reach the
device travels as a file, never on a command line.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices import limits
from fabric.devices.answers import read_answer
from fabric.devices.clients import client_module
from fabric.devices.login import login_reason
from fabric.devices.redaction import redacted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.devices.driver import Connection

_SAFE_PATH = re.compile(r"/[A-Za-z0-9_./@:+-]+")
_QUIET_S = 60
#: How often it is checked whether a command is silent for too long.
_WAIT_S = 1.0
#: How long the thread of a session sleeps while nothing comes. paramiko's own 0.1 s (transport.py,
#: ``_active_check_timeout``) costs a core with 2,000 sessions that are kept open; data and the end
#: of the connection wake it at once.
_IDLE_S = 10.0
#: Linux drivers/tty/n_tty.c keeps 4096 characters of a line (N_TTY_BUF_SIZE); some are for marks.
_LINE_CHARACTERS = 3800
_MARK_CHARACTERS = 60
#: What an error shows of three lines that a command printed, our choice.
_MOST_SHOWN = 1000
#: Debian gives people other than root no folders of system programs (/etc/profile of base-files).
_SEARCH = "PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin"
#: Marks find each output; an echo and a prompt would each be a packet to read past.
_SILENT = "stty -echo; PS1="


class TerminalSession:
    """A login by netmiko, and the reading of what a device prints.

    Parameters
    ----------
    connection : Connection
        Where and as whom to log in.
    """

    #: What netmiko calls the system at the other end.
    device_type = "linux"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session: Any = None
        self._is_cut = False

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        netmiko = client_module("netmiko")
        prepare_transports()
        connection = self._connection
        with known_hosts(connection) as keys:
            arguments = {
                "device_type": self.device_type,
                "host": connection.address,
                "port": connection.port,
                "username": connection.username,
                "password": connection.password or None,
                "use_keys": bool(connection.key_file) and not connection.password,
                "key_file": connection.key_file or None,
                "allow_agent": not connection.password,
                "ssh_strict": True,
                "system_host_keys": not keys,
                "alt_host_keys": bool(keys),
                "alt_key_file": keys,
                "conn_timeout": limits.LOGIN_S,  # of the key exchange: the socket is connected
                "banner_timeout": limits.LOGIN_S,
                "auth_timeout": limits.LOGIN_S,
                "fast_cli": True,
                "auto_connect": False,  # it would look for the prompt with pauses
                "disable_lf_normalization": True,  # a pause after CR would make two line ends
            }
            with self._translated("log in"), ExitStack() as failing:
                address = (connection.address, connection.port)
                plain = socket.create_connection(address, limits.CONNECT_S)
                failing.callback(plain.close)
                session: Any = netmiko.ConnectHandler(sock=plain, **arguments)
                session.ansi_escape_codes = True
                session.special_login_handler = _leave_to_us
                session.establish_connection()
                failing.pop_all()
                session.remote_conn_pre.get_transport().sock.settimeout(_IDLE_S)
                self._session = session
        if self._is_cut:
            self.close()

    def close(self) -> None:
        """Log out; never raises."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):
                # Wakes the thread that waits for data; without it, closing waits for _IDLE_S.
                session.remote_conn_pre.get_transport().sock.shutdown(socket.SHUT_RDWR)
            with suppress(Exception):
                session.remote_conn_pre.close()

    def cut(self) -> None:
        """Break the session off, or the login that is under way."""
        self._is_cut = True
        self.close()

    def _check_open(self) -> None:
        if self._session is None:
            raise ConnectionLostError(self._connection.device, "there is no session with it")

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except RefusedError:
            raise
        except Exception as error:
            # netmiko, paramiko and socket have no common base; their texts hold no secrets.
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            message = f"lost during {redacted(doing)!r}"
            if doing == "log in":
                message, reason = f"cannot {doing}", login_reason(error) or reason
            raise ConnectionLostError(self._connection.device, f"{message}: {reason}") from error


class ShellSession(TerminalSession):
    """A shell on a device; marks tell where the output of a command begins and ends."""

    def open(self) -> None:
        """Log in, without echo and prompt; ``ethtool`` and its like are found without root too."""
        super().open()
        if self._session is not None:
            with self._translated("log in"):
                self._session.write_channel(f"{_SEARCH}; {_SILENT}\n")

    def run(self, command: str, *, quiet_s: int = _QUIET_S) -> tuple[int, str]:
        """Run a command and return exit status and output.

        Parameters
        ----------
        command : str
            One line of shell; built by a driver from fixed words and checked names.
        quiet_s : int
            How long the device may stay silent.
        """
        self._check_open()
        # The quotes keep the echoed command line from looking like the marks themselves, the random
        # part keeps the output of a command from it.
        mark = f"rocefab-{secrets.token_hex(8)}"
        line = f'echo {mark}"-begin"; {command}; echo {mark}"-status"=$?'
        with self._translated(command):
            self._session.write_channel(f"{line}\n")
            output = read_answer(
                self._session, lambda tail, _: _is_ended(tail, mark), quiet_s, wait_s=_WAIT_S
            )
        head, _, status = output.replace("\r", "").rpartition(f"{mark}-status=")
        return int(status.partition("\n")[0]), head.partition(f"{mark}-begin\n")[2]

    def run_each(
        self, commands: Mapping[str, str], *, quiet_s: int = _QUIET_S
    ) -> dict[str, tuple[int, str]]:
        """Run many commands in few turns; return exit status and output of each by its name.

        Complaints on the error output are left out.

        Parameters
        ----------
        commands : mapping
            Lines of shell by name, as for ``run``.
        """
        outputs = {}
        for batch in _batches(list(commands.items())):
            mark = f"rocefab-{secrets.token_hex(8)}"
            lines = (
                f"{{ {line}; }} 2>/dev/null; echo {mark}={number}=$?"
                for number, (_, line) in enumerate(batch)
            )
            _, rest = self.run("; ".join(lines), quiet_s=quiet_s)
            for number, (name, _) in enumerate(batch):
                text, end, rest = rest.partition(f"{mark}={number}=")
                status, _, rest = rest.partition("\n")
                if not end or not status.isdigit():
                    raise ConnectionLostError(
                        self._connection.device, "the output of a command has no end"
                    )
                outputs[name] = (int(status), text)
        return outputs

    def check(self, command: str, *, quiet_s: int = _QUIET_S) -> str:
        """Run a command and return its output.

        Raises
        ------
        RefusedError
            When its exit status is not 0.
        """
        status, output = self.run(command, quiet_s=quiet_s)
        return self.checked(command, status, output)

    def check_in_turn(self, *commands: str, quiet_s: int = _QUIET_S) -> None:
        """Run commands in few turns, up to the first whose exit status is not 0.

        Parameters
        ----------
        *commands : str
            Lines of shell, as for ``run``; the shell runs the next one also where the session has
            ended meanwhile.
        quiet_s : int
            How long the device may stay silent.

        Raises
        ------
        RefusedError
            Naming that command.
        """
        for batch in _batches([(command, command) for command in commands]):
            mark = f"rocefab-{secrets.token_hex(8)}"
            line = " && ".join(f"{{ {command}; }} && echo {mark}" for command, _ in batch)
            status, output = self.run(line, quiet_s=quiet_s)
            *done, last = output.split(f"{mark}\n")
            if status:
                self.checked(batch[len(done)][0], status, last)

    def checked(self, command: str, status: int, output: str) -> str:
        """Return the output of a command that was run.

        Raises
        ------
        RefusedError
            When its exit status is not 0.
        """
        if status:
            last = shortened("\n".join(output.strip().splitlines()[-3:]), _MOST_SHOWN, " | ")
            raise RefusedError(
                self._connection.device,
                f"{redacted(command)!r} ended with status {status}: {last}",
            )
        return output

    def upload(self, contents: Mapping[str, bytes]) -> None:
        """Write files by SFTP; they are complete when this returns.

        Parameters
        ----------
        contents : mapping
            Content by absolute path, in a folder that only we can read.
        """
        paths = list(map(checked_path, contents))
        with self._translated(f"write {', '.join(paths)}"):
            sftp = self._session.remote_conn_pre.open_sftp()
            sftp.get_channel().settimeout(_QUIET_S)
            try:
                for path, content in contents.items():
                    with sftp.open(path, "w") as file:
                        file.write(content)
            finally:
                sftp.close()


class Rehearsal(ShellSession):
    """A shell that runs nothing: it notes each line, and every command ends well.

    What it answers is an empty JSON object, which every reader takes.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.lines: list[str] = []

    def run(self, command: str, *, quiet_s: int = _QUIET_S) -> tuple[int, str]:  # noqa: ARG002
        """Note a line."""
        self.lines.append(command)
        return 0, "{}\n"

    def run_each(
        self, commands: Mapping[str, str], *, quiet_s: int = _QUIET_S
    ) -> dict[str, tuple[int, str]]:
        """Note each line by itself."""
        return {name: self.run(line, quiet_s=quiet_s) for name, line in commands.items()}

    def check_in_turn(self, *commands: str, quiet_s: int = _QUIET_S) -> None:  # noqa: ARG002
        """Note each line by itself."""
        for command in commands:
            self.run(command)

    def upload(self, contents: Mapping[str, bytes]) -> None:
        """Write nothing."""
        _ = list(map(checked_path, contents))


def _is_ended(text: str, mark: str) -> bool:
    """Tell whether a text holds the whole mark behind a command, which nothing else can print."""
    # No pattern: each mark is another one, and would be compiled for one use.
    status = text.rpartition(f"{mark}-status=")[2]
    return len(status) < len(text) and "\n" in status


def prepare_transports() -> None:
    """Let every SSH session of this process ask for AES-GCM first, and take its time to log in.

    With other ciphers paramiko compares the check of each packet byte by byte in Python
    (``util.py``, ``constant_time_bytes_eq``), which costs three times as much as all of AES-GCM;
    no cipher comes or goes. It gives up a key exchange after 15 s (``transport.py``,
    ``handshake_timeout``), however busy this machine is.
    ncclient makes its transport itself, so that their class is told, not one of them.
    """
    transport = client_module("paramiko").Transport
    ciphers = sorted(transport._preferred_ciphers, key=lambda name: "-gcm@" not in name)  # noqa: SLF001
    transport._preferred_ciphers = tuple(ciphers)  # noqa: SLF001
    _let_transports_wait(transport)


@cache
def _let_transports_wait(every: Any) -> None:
    begin = every.__init__

    def patiently(transport: Any, *words: Any, **named: Any) -> None:
        begin(transport, *words, **named)
        transport.handshake_timeout = limits.LOGIN_S
        transport.banner_timeout = transport.auth_timeout = limits.LOGIN_S

    every.__init__ = patiently


def _leave_to_us() -> None:
    """Stand in for netmiko's reading of the first prompt."""


def _batches(commands: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield commands that fit into one line of a terminal together."""
    batch: list[tuple[str, str]] = []
    length = 0
    for name, line in commands:
        length += len(line) + _MARK_CHARACTERS
        if batch and length > _LINE_CHARACTERS:
            yield batch
            batch, length = [], len(line) + _MARK_CHARACTERS
        batch.append((name, line))
    if batch:
        yield batch


def checked_path(path: str) -> str:
    """Return an absolute path that needs no quoting.

    Raises
    ------
    ValueError
        When the path has other characters, or a step upwards.
    """
    if not _SAFE_PATH.fullmatch(path) or ".." in path.split("/"):
        raise ValueError(f"{path!r} is not a plain absolute path")
    return path


@contextmanager
def known_hosts(connection: Connection) -> Iterator[str]:
    """Hold a file with the host key that the connection trusts; its name is empty without one."""
    if not connection.trust:
        yield ""
        return
    handle, name = tempfile.mkstemp(prefix="rocefab-known-")
    try:
        with os.fdopen(handle, "w") as file:
            for host in (connection.address, f"[{connection.address}]:{connection.port}"):
                file.write(f"{host} {connection.trust.strip()}\n")
        yield name
    finally:
        Path(name).unlink()
