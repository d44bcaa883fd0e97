"""Starts programs: words without a shell, a limit of time and output, few variables, no stdin.

A program has a session of its own: it has no terminal to ask, and its whole group can be killed.
"""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

from fabric.core.errors import ProgramError
from fabric.programs.environment import environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MIB = 1 << 20
#: Bytes of output that are read; our choice: a list of 100,000 jobs on 8 hosts each is half of it.
MOST_BYTES = 16 * MIB
#: Bytes that a pipe takes without blocking once it is ready: PIPE_BUF of Linux (pipe(7)).
_WRITTEN = 4096
_READ = 1 << 16
#: Seconds until a process that was killed is gone; one of another user cannot be killed.
_GONE_S = 5.0
_PR_SET_DUMPABLE = 4  # linux/prctl.h

#: A program that runs beside us.
Background: TypeAlias = subprocess.Popen[bytes]
_Stream: TypeAlias = int | IO[bytes] | None


class Ended(NamedTuple):
    """What a program printed, and how it ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Its output."""
        return self.out.decode(errors="replace")

    @property
    def complaint(self) -> str:
        """What it printed to stderr."""
        return self.err.decode(errors="replace")


def run(
    argv: Sequence[str],
    timeout_s: float,
    *,
    given: bytes = b"",
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    most_bytes: int = MOST_BYTES,
) -> Ended:
    """Run a program and wait for its end.

    Parameters
    ----------
    argv : sequence of str
        Program and arguments.
    timeout_s : float
        Seconds after which it is killed, with all processes of its group.
    given : bytes
        What it reads from stdin; default: nothing.
    variables : mapping, optional
        Its whole environment; default: `environment`.
    folder : Path, optional
        Where it runs; default: the current folder.
    most_bytes : int
        Bytes of output after which it is killed.

    Raises
    ------
    ProgramError
        When it cannot be started, or was killed.
    """
    end_s = time.monotonic() + timeout_s
    pipe = subprocess.PIPE
    stdin = pipe if given else subprocess.DEVNULL
    process = _started(argv, stdin, pipe, pipe, variables, folder)
    try:
        out, err = _exchanged(process, given, end_s, most_bytes)
        return Ended(process.wait(max(0, end_s - time.monotonic())), out, err)
    except (TimeoutError, subprocess.TimeoutExpired):
        raise ProgramError(argv[0], f"did not end within {timeout_s:g} s") from None
    except OverflowError:
        raise ProgramError(argv[0], f"printed more than {most_bytes // MIB} MiB") from None
    finally:
        _end(process)


def start(argv: Sequence[str], log: IO[bytes] | None = None) -> Background:
    """Start a program that runs until it is killed: a daemon of the real lab.

    Parameters
    ----------
    log : file, optional
        Where its output goes; default: messages go where ours do.

    Raises
    ------
    ProgramError
        When it cannot be started.
    """
    return _started(argv, subprocess.DEVNULL, log or subprocess.DEVNULL, log)


def attached(argv: Sequence[str], variables: Mapping[str, str]) -> Background:
    """Start a program at our terminal, which reads from a pipe of ours: a pager.

    It is of our group, so that the terminal talks to it, and it ends when its user wants.

    Raises
    ------
    ProgramError
        When it cannot be started.
    """
    return _started(argv, subprocess.PIPE, None, None, variables, alone=False)


def _started(
    argv: Sequence[str],
    stdin: int,
    stdout: _Stream,
    stderr: _Stream,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    alone: bool = True,
) -> Background:
    try:
        return subprocess.Popen(  # noqa: S603 - words, no shell
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=environment() if variables is None else variables,
            start_new_session=alone,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise ProgramError(argv[0], f"cannot be run: {why}") from error


def hide_memory() -> None:
    """Close our memory and first environment to other programs of the same user, for good.

    They are files of /proc that belong to root afterwards, and there is no core dump (prctl(2),
    PR_SET_DUMPABLE). A program that is started is not concerned.
    """
    with suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _exchanged(
    process: Background, given: bytes, end_s: float, most_bytes: int
) -> tuple[bytes, bytes]:
    """Write what is given and read all output.

    Raises
    ------
    TimeoutError, OverflowError
        When that takes too long, or there is too much of it.
    """
    assert process.stdout
    assert process.stderr
    received = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for pipe in received:
            selector.register(pipe, selectors.EVENT_READ)
        if process.stdin:
            selector.register(process.stdin, selectors.EVENT_WRITE, memoryview(given))
        while selector.get_map():
            ready = selector.select(max(0, end_s - time.monotonic()))
            if not ready or time.monotonic() > end_s:
                raise TimeoutError
            for key, _ in ready:
                if key.fileobj is process.stdin:
                    _write(selector, key)
                else:
                    _read(selector, key, received[key.fileobj])  # type: ignore[index]
            if sum(map(len, received.values())) > most_bytes:
                raise OverflowError
    return bytes(received[process.stdout]), bytes(received[process.stderr])


def _read(
    selector: selectors.BaseSelector, key: selectors.SelectorKey, received: bytearray
) -> None:
    chunk = os.read(key.fd, _READ)
    received += chunk
    if not chunk:
        selector.unregister(key.fileobj)


def _write(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Write the next part; a program that does not read it all is no error."""
    left: memoryview = key.data
    try:
        left = left[os.write(key.fd, left[:_WRITTEN]) :]
    except BrokenPipeError:
        left = left[:0]
    if left:
        selector.modify(key.fileobj, selectors.EVENT_WRITE, left)
        return
    selector.unregister(key.fileobj)
    key.fileobj.close()  # type: ignore[union-attr]


def _end(process: Background) -> None:
    """Kill the group of a program that has not ended, and close the pipes."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GONE_S)
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        pipe.close()
