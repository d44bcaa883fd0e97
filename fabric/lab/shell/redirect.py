"""Redirections of the shell: files, here-documents and copies of descriptors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.lab.shell.expand import expand_text
from fabric.lab.shell.state import ShellExit, Streams
from fabric.lab.shell.syntax import here_document, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import ShellState
    from fabric.lab.shell.syntax import Node


async def redirect(
    shell: ShellState, redirections: list[Node], streams: Streams
) -> tuple[Streams, Callable[[], None]]:
    """Return the streams of a command, and what writes its files when it has ended."""
    inner = replace(streams)
    files: list[tuple[str, list[str], bool]] = []
    for item in redirections:
        operator = item["Op"]
        fd = int(item.get("N", {}).get("Value", "0" if operator[0] == "<" else "1"))
        word = here_document(item) if operator == "<<" else parts_of(item["Word"])
        target = await expand_text(shell, word)
        match operator:
            case "<<":
                inner.stdin = target
            case "<":
                inner.stdin = _read(shell, target)
            case ">&":
                _duplicate(inner, fd, target)
            case _:
                path = shell.fs.name_of(target, shell.cwd)
                shell.check_write(path, target)
                shell.fs.write(path, "", append=operator == ">>")
                buffer: list[str] = []
                files.append((path, buffer, operator == ">>"))
                _point(inner, fd, buffer.append)

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


def _read(shell: ShellState, target: str) -> str:
    try:
        return shell.fs.read(shell.fs.name_of(target, shell.cwd))
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None
