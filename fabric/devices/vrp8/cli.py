"""The command line of VRP8 over SSH by netmiko (``huawei_vrpv8``): one command, one answer.

What is known of netmiko (4.8.0): ``commit`` sends a comment that this release does not know and
finds one text of failure only, and ``save_config`` answers whatever is asked; ``commit trial`` has
no method; ``send_command`` waits out its whole timeout when the switch goes away. So every command
is sent and read here: a prompt at the end of what was received ends it, ``Error:`` on any line is a
refusal, a question is answered only where it is expected.
"""

from __future__ import annotations

import re
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.redaction import redacted
from fabric.devices.ssh import known_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.devices.driver import Connection

LONGEST_POLL_S = 0.05
_SHORTEST_POLL_S = 0.002
_SLOWING = 1.5
_QUIET_S = 60
_TAIL = 300
_PROMPT = re.compile(r"(?:^|\n)(?P<prompt><[^\s<>]{1,246}>|\[[~*]?[^\s\[\]]{1,300}\]) *\Z")
_QUESTION = re.compile(r"\[Y(?:\(yes\))?/N[^\]\n]*\] ?:? *\Z", re.IGNORECASE)
_ERROR = re.compile(r"^\s*(?:Error: |Failed to )(.*)", re.MULTILINE)


class CommandLine:
    """A session with one switch.

    Parameters
    ----------
    connection : Connection
        Where and as whom to log in.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._session: Any = None
        self._prompt = ""
        self._name = ""

    @property
    def prompt(self) -> str:
        """The prompt that stands now."""
        if not self._prompt:
            self.run("")
        return self._prompt

    @property
    def view(self) -> str:
        """The prompt without the mark that tells whether something is not committed."""
        return self.prompt.replace("[*", "[").replace("[~", "[")

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        from netmiko import ConnectHandler

        connection = self.connection
        with known_hosts(connection) as keys, self._translated("log in"):
            self._session = ConnectHandler(
                device_type="huawei_vrpv8",
                host=connection.address,
                port=connection.port,
                username=connection.username,
                password=connection.password or None,
                use_keys=bool(connection.key_file) and not connection.password,
                key_file=connection.key_file or None,
                allow_agent=not connection.password,
                ssh_strict=True,
                system_host_keys=not keys,
                alt_host_keys=bool(keys),
                alt_key_file=keys,
                conn_timeout=10,
                banner_timeout=10,
                auth_timeout=10,
                fast_cli=True,
                global_delay_factor=0.1,
            )

    def close(self) -> None:
        """Log out; never raises."""
        if self._session is not None:
            with suppress(Exception):
                self._session.remote_conn_pre.close()
            self._session = None
            self._prompt = ""

    def run(self, command: str, *, answer: str = "", quiet_s: float = _QUIET_S) -> str:
        """Send one line and return what the switch says before its next prompt.

        Raises
        ------
        RefusedError
            When it says that it refuses, or asks what nobody expects; that is answered with no.
        """
        if self._session is None:
            raise ConnectionLostError(self.connection.device, "there is no session with it")
        shown = redacted(command)
        with self._translated(shown):
            said, asked = self._exchange(command, quiet_s)
            unexpected = asked and not answer
            while asked:
                more, asked = self._exchange(answer or "n", quiet_s)
                said += more
        refusal = _ERROR.search(said)
        if refusal or unexpected:
            words = refusal[0] if refusal else said
            reason = " ".join(redacted(words).split())[:_TAIL]
            raise RefusedError(self.connection.device, f"{shown!r}: {reason}")
        return said

    def _exchange(self, line: str, quiet_s: float) -> tuple[str, bool]:
        """Send a line; return what comes back without echo and prompt, and whether it asks."""
        self._session.write_channel(f"{line}\n")
        text = self._read(quiet_s)
        question = _QUESTION.search(text)
        prompt = _PROMPT.search(text)
        if prompt and not question:
            self._prompt = prompt["prompt"]
            if self._prompt.startswith("<"):
                self._name = self._prompt.strip("<>")
            text = text[: prompt.start("prompt")]
        echo, _, rest = text.partition("\n")
        return (rest if echo.strip() == line else text), question is not None

    def _read(self, quiet_s: float) -> str:
        """Read up to a prompt or a question; a closed channel ends the wait at once."""
        text, last_s, pause_s = "", time.monotonic(), _SHORTEST_POLL_S
        while True:
            data = str(self._session.read_channel())
            if data:
                text += data.replace("\r", "")
                last_s, pause_s = time.monotonic(), _SHORTEST_POLL_S
                if self._is_whole(text):
                    return text
            elif self._session.remote_conn.closed:
                raise ConnectionError("the device closed the session")
            elif time.monotonic() - last_s > quiet_s:
                raise TimeoutError(f"no answer for {quiet_s} s")
            else:
                time.sleep(pause_s)
                pause_s = min(pause_s * _SLOWING, LONGEST_POLL_S)

    def _is_whole(self, text: str) -> bool:
        """Tell whether a text ends with a question, or with a prompt.

        A line of the output may look like a prompt: one without the name that the user view has
        shown is taken when nothing comes behind it.
        """
        tail = text[-2 * _TAIL :]
        prompt = _PROMPT.search(tail)
        if "\n" not in text or not (prompt or _QUESTION.search(tail)):
            return False
        name = prompt["prompt"].strip("<>[]~*") if prompt else self._name
        if not self._name or not name.startswith(self._name):
            time.sleep(LONGEST_POLL_S)
            return not self._session.remote_conn.recv_ready()
        return True

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except DeviceError:
            raise
        except Exception as error:
            # netmiko, paramiko and socket have no common base; their texts hold no secrets.
            reason = " ".join(redacted(str(error)).split())[:_TAIL] or type(error).__name__
            message = f"cannot {doing}" if doing == "log in" else f"lost during {doing!r}"
            raise ConnectionLostError(self.connection.device, f"{message}: {reason}") from error
