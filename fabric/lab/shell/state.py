"""Results, streams and jumps of the shell of the stand-ins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.lab.shell.interpreter import Shell


@dataclass(frozen=True, slots=True)
class Result:
    """What a command printed, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    rc: int = 0


@dataclass(slots=True)
class Streams:
    """Where the output of a command goes, and its input.

    Input that comes from the client of a session (``stdin`` is None) is waited for only when a
    command reads it.
    """

    out: Callable[[str], None]
    err: Callable[[str], None]
    stdin: str | None = ""
    source: Callable[[], Awaitable[str]] | None = None

    async def read(self, argv: list[str]) -> str:
        """Return the input for the command ``argv``."""
        if self.stdin is not None or self.source is None:
            return self.stdin or ""
        return await self.source() if reads_stdin(argv) else ""


@dataclass(slots=True)
class Context:
    """What a command may know about its caller."""

    shell: Shell
    streams: Streams
    root: bool
    line: str  # what the session sent, for faults that match it


Tool = Callable[[Context, list[str], str], "Result | Awaitable[Result]"]


class ReturnJump(Exception):  # noqa: N818  (a jump, not an error)
    """A function ends with this code."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


class LoopJump(Exception):  # noqa: N818  (a jump, not an error)
    """A loop ends, or goes to its next round."""

    def __init__(self, *, again: bool) -> None:
        super().__init__()
        self.again = again


@dataclass(slots=True)
class Frame:
    """Arguments and saved variables of a function that runs."""

    arguments: list[str]
    saved: dict[str, str | None] = field(default_factory=dict)
    function: bool = False


class ShellExit(Exception):  # noqa: N818  (a jump, not an error)
    """The shell ends with this code, after a message for stderr."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


_FILTERS = frozenset({"cat", "sha256sum", "wc", "sort", "head", "tail"})


def reads_stdin(argv: list[str]) -> bool:
    """Tell whether a command reads its standard input."""
    name = argv[0].rsplit("/", 1)[-1]
    operands = [word for word in argv[1:] if not word.startswith("-")]
    if name in ("head", "tail"):
        operands = [word for word in operands if not word.lstrip("+").isdigit()]
    if name == "grep":
        return len(operands) < 2  # noqa: PLR2004  (the pattern, then files)
    if name in _FILTERS or name in ("sh", "bash", "dash"):
        return (not operands and "-c" not in argv) or "-" in argv
    return name == "tee" or "/dev/stdin" in argv
