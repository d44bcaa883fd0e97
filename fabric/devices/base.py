"""What most drivers have in common."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.login import login_reason
from fabric.devices.redaction import shortened
from fabric.devices.ssh import TerminalSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fabric.devices.driver import Connection


class BaseDriver:
    """A driver of a system that has a commit timer, and that tries no lines without running them.

    A system with another answer overrides `preview` or `missing_timer`.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def foreign_sessions(self) -> Sequence[str]:
        """Return what somebody else has under way on the device."""
        raise NotImplementedError

    def preview(self, candidate: Any) -> str:  # noqa: ARG002
        """Return nothing: the device makes no difference of its own."""
        return ""

    def missing_timer(self) -> str:
        """Return nothing: the device always has a timer."""
        return ""

    def conclude(self, token: str) -> None:
        """Do nothing: the device keeps nothing of a change without a timer."""

    def _refuse_others(self) -> None:
        """Refuse a device on which a change of somebody else is under way."""
        if waiting := self.foreign_sessions():
            raise RefusedError(self.connection.device, f"in the way: {', '.join(waiting)}")

    def _refusal(self, message: str) -> RefusedError:
        return RefusedError(self.connection.device, shortened(message))

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        """Translate the errors of a client library, which have no common base."""
        try:
            yield
        except DeviceError:
            raise
        except Exception as error:  # noqa: BLE001 - NAPALM, requests, ssl, socket, ncclient
            reason = shortened(self._cause(error, doing)) or type(error).__name__
            if doing == "log in":
                reason = login_reason(error) or reason
            kind = RefusedError if self._is_refusal(error) else ConnectionLostError
            # Without its cause: the text of that may hold what was redacted here.
            raise kind(self.connection.device, f"cannot {doing}: {reason}") from None

    def _cause(self, error: Exception, doing: str) -> str:  # noqa: ARG002
        """Return what an error says of its cause."""
        return str(error)

    def _is_refusal(self, error: Exception) -> bool:
        """Tell whether the device refused what was asked; else the connection is lost."""
        raise NotImplementedError


S = TypeVar("S", bound=TerminalSession)


class TerminalDriver(BaseDriver, Generic[S]):
    """A driver that works through one session on a terminal."""

    def __init__(self, connection: Connection, terminal: S) -> None:
        super().__init__(connection)
        self._terminal = terminal

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        self._terminal.open()

    def close(self) -> None:
        """Log out; a change that waits for its confirmation is not touched."""
        self._terminal.close()

    def cut(self) -> None:
        """Break the session off."""
        self._terminal.cut()


def read_subjects(
    subjects: Sequence[str],
    commands: Mapping[str, str | tuple[str, ...]],
    ask: Callable[[str], str | None],
) -> dict[str, str]:
    """Return the outputs of the commands of each subject, one behind the other.

    Parameters
    ----------
    subjects : sequence of str
        Those without commands are left out.
    commands : mapping
        Commands by subject.
    ask : callable
        Runs a command, each once; None leaves the subject out.
    """
    answers: dict[str, str | None] = {}
    texts = {}
    for subject in subjects:
        lines = commands.get(subject, ())
        lines = (lines,) if isinstance(lines, str) else lines
        for line in lines:
            if line not in answers:
                answers[line] = ask(line)
        outputs = [answer for line in lines if (answer := answers[line]) is not None]
        if outputs and len(outputs) == len(lines):
            texts[subject] = "".join(outputs)
    return texts


def colon_mac(digits: str) -> str:
    """Return ``00e0-fc12-3456`` as ``00:e0:fc:12:34:56``."""
    digits = digits.replace("-", "").lower()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
