"""A small POSIX-like shell over the root file system of a stand-in.

It runs no real process and touches no real file. What it does not support is a syntax error with
code 2, never silently passed over. Known: IEEE Std 1003.1-2017, volume "Shell & Utilities",
chapter 2; the message for an unknown command is bash's. Assumed: a pipe is a buffer, so the left
side ends before the right side starts; the code of a pipeline is that of its last command unless
``set -o pipefail`` is on.
"""

from __future__ import annotations

import inspect
import re
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabric.lab.shell.ast import (
    AndOr,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Sequence_,
    Simple,
    While,
)
from fabric.lab.shell.expand import expand_fields, expand_pattern, expand_text
from fabric.lab.shell.lexer import ShellSyntaxError
from fabric.lab.shell.parser import parse
from fabric.lab.shell.redirect import redirect
from fabric.lab.shell.special import SPECIAL
from fabric.lab.shell.state import (
    Context,
    Frame,
    LoopJump,
    Result,
    ReturnJump,
    ShellExit,
    Streams,
    Tool,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from contextlib import AbstractContextManager

    from fabric.lab.faults import Fault
    from fabric.lab.shell.rootfs import RootFs

_MAX_LOOPS = 10_000
_MAX_DEPTH = 40
_BIN = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/")


class Shell:
    """One shell with its variables, functions and directory.

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
        self.functions: dict[str, Command] = {}
        self.variables: dict[str, str] = {"HOME": fs.home, "USER": user, "PATH": "/usr/bin:/bin"}
        self.status = 0
        self.line = ""
        self.refused: Fault | None = None  # a command that matches its pattern is refused
        self.depth = 0
        self.name = "-bash"
        self.frames = [Frame([])]
        self._substituted: int | None = None
        self._tests = 0
        self._err: Callable[[str], None] = lambda _text: None

    def child(self) -> Shell:
        """Return a copy whose changes do not come back, as a subshell is."""
        twin = Shell(self.fs, self.tools, user=self.user, delay=self.delay, guard=self.guard)
        twin.refused = self.refused
        twin.cwd, twin.root, twin.line, twin.status = self.cwd, self.root, self.line, self.status
        twin.options, twin.functions = set(self.options), dict(self.functions)
        twin.variables, twin.name = dict(self.variables), self.name
        twin.depth = self.depth + 1
        twin._tests = self._tests
        twin.frames = [Frame(list(self.arguments()))]
        if twin.depth > _MAX_DEPTH:
            raise ShellExit(1, "maximum nesting depth exceeded")
        return twin

    async def run(self, text: str, streams: Streams, arguments: list[str] | None = None) -> int:
        """Run a text and return its exit code; all errors of the text end in a code."""
        if arguments is not None:
            self.frames = [Frame(arguments)]
        try:
            program = parse(text)
        except ShellSyntaxError as error:
            streams.err(f"{self.name}: {error}\n")
            self.status = 2
            return 2
        try:
            self.status = await self._sequence(program, streams)
        except ShellExit as jump:
            if jump.message:
                streams.err(f"{self.name}: {jump.message}\n")
            self.status = jump.code
            raise
        except (ReturnJump, LoopJump):
            streams.err(f"{self.name}: return, break or continue outside of its place\n")
            self.status = 2
        return self.status

    async def run_script(
        self, text: str, streams: Streams, arguments: list[str] | None = None
    ) -> int:
        """Run a text to its end; ``exit`` ends the text, not the caller."""
        try:
            return await self.run(text, streams, arguments)
        except ShellExit as jump:
            return jump.code

    # -- what expansion asks ---------------------------------------------------------------------

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

    def set(self, name: str, value: str) -> None:
        """Set a variable."""
        self.variables[name] = value

    def arguments(self) -> list[str]:
        """Return the positional parameters."""
        return self.frames[-1].arguments

    async def substitute(self, source: str) -> str:
        """Run ``$(source)`` in a subshell."""
        printed: list[str] = []
        twin = self.child()
        streams = Streams(printed.append, self._err)
        self._substituted = await twin.run_script(source, streams)
        return "".join(printed).rstrip("\n")

    # -- commands --------------------------------------------------------------------------------

    @contextmanager
    def _tested(self, *, when: bool = True) -> Iterator[None]:
        """While a condition runs, a failure does not end the shell (``set -e``)."""
        self._tests += when
        try:
            yield
        finally:
            self._tests -= when

    async def _sequence(self, sequence: Sequence_, streams: Streams) -> int:
        for item in sequence.items:
            self.status = await self._and_or(item, streams)
        return self.status

    async def _and_or(self, item: AndOr, streams: Streams) -> int:
        last = len(item.items) - 1
        for place, (joint, pipeline) in enumerate(item.items):
            if (joint == "&&" and self.status) or (joint == "||" and not self.status):
                continue
            tested = place < last or pipeline.negated
            with self._tested(when=tested):
                self.status = await self._pipeline(pipeline, streams)
            if self.status and not tested and not self._tests and "e" in self.options:
                raise ShellExit(self.status)
        return self.status

    async def _pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        codes: list[int] = []
        text = streams.stdin
        for command in pipeline.commands[:-1]:
            printed: list[str] = []
            inner = replace(streams, out=printed.append, stdin=text)
            codes.append(await self._in_child(command, inner))
            text = "".join(printed)
        final = replace(streams, stdin=text)
        if len(pipeline.commands) > 1:
            codes.append(await self._in_child(pipeline.commands[-1], final))
        else:
            codes.append(await self._command(pipeline.commands[0], final))
        code = codes[-1]
        if "pipefail" in self.options:
            code = next((number for number in reversed(codes) if number), 0)
        return int(not code) if pipeline.negated else code

    async def _in_child(self, command: Command, streams: Streams) -> int:
        twin = self.child()
        twin._err = streams.err  # noqa: SLF001  (the same class)
        try:
            return await twin._command(command, streams)  # noqa: SLF001  (the same class)
        except ShellExit as jump:
            if jump.message:
                streams.err(f"{self.name}: {jump.message}\n")
            return jump.code

    async def _command(self, command: Command, streams: Streams) -> int:
        self._err = streams.err
        try:
            inner, finish = await redirect(self, command.redirections, streams)
        except OSError as error:
            streams.err(f"{self.name}: {error.filename}: {error.strerror}\n")
            return 1
        try:
            code = await self._node(command.node, inner)
        except BaseException:
            finish()
            raise
        try:
            finish()
        except OSError as error:
            streams.err(f"{self.name}: {error.filename}: {error.strerror}\n")
            return 1
        return code

    async def _node(
        self,
        node: Simple | If | For | While | Case | Function | Group,
        streams: Streams,
    ) -> int:
        if isinstance(node, Simple):
            return await self._simple(node, streams)
        if isinstance(node, If):
            return await self._if(node, streams)
        if isinstance(node, For | While):
            return await self._loop(node, streams)
        if isinstance(node, Case):
            return await self._case(node, streams)
        if isinstance(node, Function):
            self.functions[node.name] = node.body
            return 0
        if not node.subshell:
            return await self._sequence(node.body, streams)
        try:
            return await self.child()._sequence(node.body, streams)  # noqa: SLF001
        except ShellExit as jump:
            if jump.message:
                streams.err(f"{self.name}: {jump.message}\n")
            return jump.code

    async def _if(self, node: If, streams: Streams) -> int:
        for condition, body in node.branches:
            with self._tested():
                code = await self._sequence(condition, streams)
            if code == 0:
                return await self._sequence(body, streams)
        if node.otherwise is not None:
            return await self._sequence(node.otherwise, streams)
        return 0

    async def _loop(self, node: For | While, streams: Streams) -> int:
        code = 0
        rounds = 0
        words: list[str] = []
        if isinstance(node, For):
            words = list(self.arguments()) if node.words is None else []
            for word in node.words or ():
                words += await expand_fields(self, word)
        while True:
            if isinstance(node, For):
                if rounds >= len(words):
                    return code
                self.set(node.name, words[rounds])
            else:
                with self._tested():
                    failed = bool(await self._sequence(node.condition, streams))
                if failed != node.until:
                    return code
            rounds += 1
            if rounds > _MAX_LOOPS:
                raise ShellExit(1, "the loop does not end")
            try:
                code = await self._sequence(node.body, streams)
            except LoopJump as jump:
                if not jump.again:
                    return 0

    async def _case(self, node: Case, streams: Streams) -> int:
        text = await expand_text(self, node.word)
        for patterns, body in node.branches:
            for pattern in patterns:
                if fnmatchcase(text, await expand_pattern(self, pattern)):
                    self.status = 0
                    return await self._sequence(body, streams)
        return 0

    def check_write(self, path: str, shown: str) -> None:
        """Refuse a write that the account may not do, or below a directory that is not there."""
        if not self.fs.may_write(path, root=self.root):
            raise PermissionError(13, "Permission denied", shown)
        if self.fs.is_dir(path):
            raise IsADirectoryError(21, "Is a directory", shown)
        if path != "/dev/null" and not self.fs.local(path).parent.is_dir():
            raise FileNotFoundError(2, "No such file or directory", shown)

    async def _simple(self, node: Simple, streams: Streams) -> int:
        self._substituted = None
        words: list[str] = []
        for word in node.words:
            words += await expand_fields(self, word)
        values = [(name, await expand_text(self, value)) for name, value in node.assignments]
        if not words:
            self.variables.update(values)
            return self._substituted or 0
        before = {name: self.variables.get(name) for name, _ in values}
        self.variables.update(values)
        try:
            return await self.call(words, streams)
        finally:
            self._restore(before)

    def _restore(self, before: dict[str, str | None]) -> None:
        for name, value in before.items():
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value

    async def call(self, argv: list[str], streams: Streams) -> int:
        """Run a function or a command by its words."""
        if self.refused is not None and re.search(self.refused.pattern, " ".join(argv)):
            streams.err(f"{self.refused.text or f'{argv[0]}: Operation not permitted'}\n")
            return 1
        if argv[0] in self.functions:
            return await self._function(self.functions[argv[0]], argv[1:], streams)
        special = SPECIAL.get(argv[0])
        if special is not None:
            return special(self, argv, streams)
        name = argv[0].rsplit("/", 1)[-1] if argv[0].startswith(_BIN) else argv[0]
        tool = self.tools.get(name)
        context = Context(self, streams, self.root, self.line)
        if tool is None:
            return await self._file(argv, streams)
        try:
            stdin = await streams.read(argv)
            with self.guard:
                answer = tool(context, argv, stdin)
            result = await answer if inspect.isawaitable(answer) else answer
        except OSError as error:
            result = Result("", f"{argv[0]}: {error.filename}: {error.strerror}\n", 1)
        if result.stdout:
            streams.out(result.stdout)
        if result.stderr:
            streams.err(result.stderr)
        return result.rc

    async def _function(self, body: Command, arguments: list[str], streams: Streams) -> int:
        if len(self.frames) > _MAX_DEPTH:
            raise ShellExit(1, "maximum nesting depth exceeded")
        self.frames.append(Frame(arguments, function=True))
        try:
            return await self._command(body, streams)
        except ReturnJump as jump:
            return jump.code
        finally:
            self._restore(self.frames.pop().saved)

    async def _file(self, argv: list[str], streams: Streams) -> int:
        if "/" not in argv[0]:
            streams.err(f"{self.name}: {argv[0]}: command not found\n")
            return 127
        path = self.fs.name_of(argv[0], self.cwd)
        if not self.fs.exists(path):
            streams.err(f"{self.name}: {argv[0]}: No such file or directory\n")
            return 127
        if self.fs.is_dir(path) or not self.fs.local(path).stat().st_mode & 0o100:
            streams.err(f"{self.name}: {argv[0]}: Permission denied\n")
            return 126
        return await self.run_file(path, argv[1:], streams)

    async def run_file(self, path: str, arguments: list[str], streams: Streams) -> int:
        """Run a shell script in a shell of its own."""
        text = self.fs.read(path)
        first = text.split("\n", 1)[0]
        if first.startswith("#!") and not any(name in first for name in ("sh", "bash", "dash")):
            streams.err(f"{self.name}: {path}: only shell scripts are supported\n")
            return 2
        twin = self.child()
        twin.functions, twin.options, twin.name = {}, set(), path
        return await twin.run_script(text, streams, arguments)
