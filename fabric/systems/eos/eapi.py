"""The eAPI client of pyeapi on a connection of ours that stays open.

pyeapi's own (pyeapi 1.0.4 ``eapilib.py``, ``EapiConnection.send``) closes the connection after each
request, and searches each request and copies each answer for a log that is switched off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyeapi.eapilib import CommandError, EapiConnection
from pyeapi.eapilib import ConnectionError as EapiConnectionError

from fabric.core.json_text import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.devices.https import PinnedConnection

_UNAUTHORIZED = 401


class KeptEapi(EapiConnection):  # type: ignore[misc]
    """eAPI of one switch.

    Parameters
    ----------
    https : PinnedConnection
        The connection; whoever made it closes it.
    username, password : str
        Login, sent with each request.
    """

    def __init__(self, https: PinnedConnection, username: str, password: str) -> None:
        super().__init__()
        self.transport = https
        self.authentication(username, password)
        self._reads = False

    def execute(self, commands: Sequence[Any], encoding: str = "json", **named: Any) -> Any:
        """Run commands in one request, as pyeapi does."""
        self._reads = all(map(_is_reading, commands))
        return super().execute(commands, encoding, **named)

    def send(self, data: str) -> dict[str, Any]:
        """Send a request and return its answer.

        Raises
        ------
        CommandError
            When the switch refuses a command.
        ConnectionError
            Of pyeapi, when there is no answer that can be read.
        """
        headers = dict([("Content-type", "application/json-rpc"), self._auth])
        try:
            answer = self.transport.post(data.encode(), headers, reads=self._reads)
            if answer.status == _UNAUTHORIZED:
                text = answer.body.decode(errors="replace")
                raise EapiConnectionError(str(self), f"{answer.reason}. {text}")
            decoded: dict[str, Any] = parse_json(answer.body)
        except OSError as error:
            message = f"Socket error during eAPI connection: {error}"
            raise EapiConnectionError(str(self), message) from error
        except ValueError as error:
            raise EapiConnectionError(str(self), "unable to connect to eAPI") from error
        if "error" in decoded:
            code, message, said, output = self._parse_error_message(decoded)
            raise CommandError(code, message, command_error=said, output=output)
        return decoded


def _is_reading(command: Any) -> bool:
    """Tell whether a command changes nothing."""
    return command == "enable" or (isinstance(command, str) and command.startswith("show "))
