"""Redirections of the shell: files, here-documents and copies of descriptors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.lab.shell.expand import expand_text
from fabric.lab.shell.state import ShellExit, Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.ast import Redirection
    from fabric.lab.shell.interpreter import Shell


async def redirect(
    shell: Shell, redirections: tuple[Redirection, ...], streams: Streams
) -> tuple[Streams, Callable[[], None]]:
    """Return the streams of a command, and what writes its files when it has ended."""
    inner = replace(streams)
    files: list[tuple[str, list[str], bool]] = []
    for item in redirections:
        target = await expand_text(shell, item.target)
        if item.operator == "<<":
            inner.stdin = target
        elif item.operator == "<":
            inner.stdin = _read(shell, target)
        elif item.operator == ">&":
            _duplicate(inner, item.fd, target)
        elif item.operator in (">", ">>"):
            path = shell.fs.name_of(target, shell.cwd)
            shell.check_write(path, target)
            shell.fs.write(path, "", append=item.operator == ">>")
            buffer: list[str] = []
            files.append((path, buffer, item.operator == ">>"))
            _point(inner, item.fd, buffer.append)
        else:
            raise ShellExit(2, f"redirection `{item.operator}' is not supported")

    def finish() -> None:
        for path, buffer, append in files:
            if buffer:
                shell.fs.write(path, "".join(buffer), append=append)

    return inner, finish


def _duplicate(streams: Streams, fd: int, target: str) -> None:
    if target not in ("1", "2"):
        raise ShellExit(2, f"redirection `>&{target}' is not supported")
    _point(streams, fd, streams.out if target == "1" else streams.err)


def _point(streams: Streams, fd: int, sink: Callable[[str], None]) -> None:
    if fd == 1:
        streams.out = sink
    elif fd == 2:  # noqa: PLR2004  (stderr)
        streams.err = sink
    else:
        raise ShellExit(2, f"file descriptor {fd} is not supported")


def _read(shell: Shell, target: str) -> str:
    try:
        return shell.fs.read(shell.fs.name_of(target, shell.cwd))
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None
