"""State, streams, results and jumps of the shell of the stand-ins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from fabric.lab.faults import Fault
    from fabric.lab.shell.rootfs import RootFs
    from fabric.lab.shell.syntax import Node


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

    shell: ShellState
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


#: What Debian 12 has in a folder that people other than root do not search (packages ethtool,
#: procps, dmidecode, infiniband-diags, iproute2, kmod, lldpd; /etc/profile of base-files).
SYSTEM_TOOLS = frozenset("ethtool sysctl dmidecode ibstat dcb modprobe lldpcli".split())


class ShellState(ABC):
    """Variables, functions and directory of a shell, and what tools may ask it to run.

    Parameters
    ----------
    fs : RootFs
        Files that the shell sees.
    tools : dict
        Commands by name.
    user : str
        Account; ``root`` needs no sudo.
    delay : callable
        Coroutine function that waits for seconds of real time.
    guard : context manager, optional
        Held while a command works, so that no timer of the lab clock changes what it reads.
    """

    def __init__(
        self,
        fs: RootFs,
        tools: dict[str, Tool],
        *,
        user: str,
        delay: Callable[[float], Awaitable[None]],
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        self.fs = fs
        self.tools = tools
        self.user = user
        self.delay = delay
        self.guard = guard or nullcontext()
        self.cwd = fs.home
        self.root = user == "root"
        self.options: set[str] = set()
        self.functions: dict[str, Node] = {}
        self.variables: dict[str, str] = {"HOME": fs.home, "USER": user, "PATH": "/usr/bin:/bin"}
        self.is_echoing = True  # the terminal, what is typed
        self.status = 0
        self.line = ""
        self.refused: Fault | None = None  # a command that matches its pattern is refused
        self.name = "-bash"
        self.frames = [Frame([])]

    def finds(self, name: str) -> bool:
        """Return whether a command is in the folders that this shell searches."""
        hidden = name in SYSTEM_TOOLS and not self.root
        return name in self.tools and not (hidden and "/usr/sbin" not in self.variables["PATH"])

    def get(self, name: str) -> str | None:
        """Return a variable or special parameter."""
        special = {"?": str(self.status), "#": str(len(self.arguments())), "$": "4242"}
        if name in special:
            return special[name]
        if name == "0":
            return self.name
        if name.isdigit():
            place = int(name) - 1
            return self.arguments()[place] if place < len(self.arguments()) else None
        if name == "PWD":
            return self.cwd
        return self.variables.get(name)

    def arguments(self) -> list[str]:
        """Return the positional parameters."""
        return self.frames[-1].arguments

    def check_write(self, path: str, shown: str) -> None:
        """Refuse a write that the account may not do, or below a directory that is not there."""
        if not self.fs.may_write(path, root=self.root):
            raise PermissionError(13, "Permission denied", shown)
        if self.fs.is_dir(path):
            raise IsADirectoryError(21, "Is a directory", shown)
        if path != "/dev/null" and not self.fs.local(path).parent.is_dir():
            raise FileNotFoundError(2, "No such file or directory", shown)

    @abstractmethod
    def child(self) -> ShellState:
        """Return a copy whose changes do not come back, as a subshell is."""

    @abstractmethod
    async def call(self, argv: list[str], streams: Streams) -> int:
        """Run a function or a command by its words."""

    @abstractmethod
    async def run(self, text: str, streams: Streams, arguments: list[str] | None = None) -> int:
        """Run a text and return its exit code; all errors of the text end in a code."""

    @abstractmethod
    async def run_script(
        self, text: str, streams: Streams, arguments: list[str] | None = None
    ) -> int:
        """Run a text to its end; ``exit`` ends the text, not the caller."""

    @abstractmethod
    async def run_file(self, path: str, arguments: list[str], streams: Streams) -> int:
        """Run a shell script in a shell of its own."""

    @abstractmethod
    async def substitute(self, statements: list[Node]) -> str:
        """Run statements in a subshell and return what they printed, without the last newlines."""


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
