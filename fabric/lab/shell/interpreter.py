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
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from fabric.lab.shell.expand import expand_fields, expand_pattern, expand_text
from fabric.lab.shell.redirect import redirect
from fabric.lab.shell.special import SPECIAL
from fabric.lab.shell.state import (
    Context,
    Frame,
    LoopJump,
    Result,
    ReturnJump,
    ShellExit,
    ShellState,
    Streams,
)
from fabric.lab.shell.syntax import ShellSyntaxError, parse, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.lab.shell.syntax import Node

_MAX_LOOPS = 10_000
_MAX_DEPTH = 40
_BIN = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/")


class Shell(ShellState):
    """One shell, which runs the syntax trees of texts."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._depth = 0
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
        twin._depth = self._depth + 1
        twin._tests = self._tests
        twin.frames = [Frame(list(self.arguments()))]
        if twin._depth > _MAX_DEPTH:
            raise ShellExit(1, "maximum nesting depth exceeded")
        return twin

    async def run(self, text: str, streams: Streams, arguments: list[str] | None = None) -> int:
        """Run a text and return its exit code; all errors of the text end in a code."""
        if arguments is not None:
            self.frames = [Frame(arguments)]
        try:
            statements = parse(text)
        except ShellSyntaxError as error:
            streams.err(f"{self.name}: {error}\n")
            self.status = 2
            return 2
        return await self._run(statements, streams)

    async def _run(self, statements: list[Node], streams: Streams) -> int:
        try:
            self.status = await self._sequence(statements, streams)
        except ShellExit as jump:
            self._say(jump, streams)
            self.status = jump.code
            raise
        except (ReturnJump, LoopJump):
            streams.err(f"{self.name}: return, break or continue outside of its place\n")
            self.status = 2
        return self.status

    def _say(self, jump: ShellExit, streams: Streams) -> int:
        """Print the message of an exit; return its code."""
        if jump.message:
            streams.err(f"{self.name}: {jump.message}\n")
        return jump.code

    async def run_script(
        self, text: str, streams: Streams, arguments: list[str] | None = None
    ) -> int:
        """Run a text to its end; ``exit`` ends the text, not the caller."""
        try:
            return await self.run(text, streams, arguments)
        except ShellExit as jump:
            return jump.code

    async def substitute(self, statements: list[Node]) -> str:
        """Run statements in a subshell and return what they printed, without the last newlines."""
        printed: list[str] = []
        try:
            streams = Streams(printed.append, self._err)
            code = await self.child()._run(statements, streams)  # noqa: SLF001
        except ShellExit as jump:
            code = jump.code
        self._substituted = code
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

    async def _sequence(self, statements: list[Node], streams: Streams) -> int:
        for statement in statements:
            self.status = await self._statement(statement, streams)
        return self.status

    async def _statement(self, statement: Node, streams: Streams) -> int:
        command = statement.get("Cmd", {})
        if command.get("Op") in ("&&", "||"):
            with self._tested():
                self.status = await self._statement(command["X"], streams)
            if (self.status == 0) == (command["Op"] == "&&"):
                self.status = await self._statement(command["Y"], streams)
            return self.status
        negated = "Negated" in statement
        with self._tested(when=negated):
            code = await self._pipeline(statement, streams)
        if negated:
            return int(not code)
        if code and not self._tests and "e" in self.options:
            raise ShellExit(code)
        return code

    async def _pipeline(self, statement: Node, streams: Streams) -> int:
        stages = _stages(statement)
        if len(stages) == 1:
            return await self._redirected(statement, streams)
        codes: list[int] = []
        text = streams.stdin
        for stage in stages[:-1]:
            printed: list[str] = []
            inner = replace(streams, out=printed.append, stdin=text)
            codes.append(await self._in_child(stage, inner))
            text = "".join(printed)
        codes.append(await self._in_child(stages[-1], replace(streams, stdin=text)))
        if "pipefail" in self.options:
            return next((number for number in reversed(codes) if number), 0)
        return codes[-1]

    async def _in_child(self, statement: Node, streams: Streams) -> int:
        twin = self.child()
        try:
            return await twin._redirected(statement, streams)  # noqa: SLF001  (the same class)
        except ShellExit as jump:
            return self._say(jump, streams)

    async def _redirected(self, statement: Node, streams: Streams) -> int:
        self._err = streams.err
        try:
            inner, finish = await redirect(self, statement.get("Redirs", []), streams)
        except OSError as error:
            streams.err(f"{self.name}: {error.filename}: {error.strerror}\n")
            return 1
        try:
            code = await self._command(statement.get("Cmd", {}), inner)
        except BaseException:
            finish()
            raise
        try:
            finish()
        except OSError as error:
            streams.err(f"{self.name}: {error.filename}: {error.strerror}\n")
            return 1
        return code

    async def _command(self, command: Node, streams: Streams) -> int:
        match command.get("Type", "CallExpr"):
            case "CallExpr":
                return await self._simple(command, streams)
            case "IfClause":
                return await self._if(command, streams)
            case "ForClause":
                return await self._for(command, streams)
            case "WhileClause":
                return await self._while(command, streams)
            case "CaseClause":
                return await self._case(command, streams)
            case "FuncDecl":
                self.functions[command["Name"]["Value"]] = command["Body"]
                return 0
            case "Block":
                return await self._sequence(command["Stmts"], streams)
        try:  # a subshell
            return await self.child()._sequence(command["Stmts"], streams)  # noqa: SLF001
        except ShellExit as jump:
            return self._say(jump, streams)

    async def _if(self, branch: Node, streams: Streams) -> int:
        while "Cond" in branch:
            with self._tested():
                code = await self._sequence(branch["Cond"], streams)
            if code == 0:
                break
            branch = branch.get("Else", {})
        return await self._sequence(branch["Then"], streams) if "Then" in branch else 0

    async def _for(self, loop: Node, streams: Streams) -> int:
        names = loop["Loop"]
        words = [] if "InPos" in names else list(self.arguments())
        for word in names.get("Items", ()):
            words += await expand_fields(self, parts_of(word))
        code = 0
        for word in words:
            self.variables[names["Name"]["Value"]] = word
            try:
                code = await self._sequence(loop["Do"], streams)
            except LoopJump as jump:
                if not jump.again:
                    return 0
        return code

    async def _while(self, loop: Node, streams: Streams) -> int:
        code = 0
        for _ in range(_MAX_LOOPS):
            with self._tested():
                failed = bool(await self._sequence(loop["Cond"], streams))
            if failed != loop.get("Until", False):
                return code
            try:
                code = await self._sequence(loop["Do"], streams)
            except LoopJump as jump:
                if not jump.again:
                    return 0
        raise ShellExit(1, "the loop does not end")

    async def _case(self, choice: Node, streams: Streams) -> int:
        text = await expand_text(self, parts_of(choice["Word"]))
        for branch in choice.get("Items", ()):
            for pattern in branch["Patterns"]:
                if fnmatchcase(text, await expand_pattern(self, parts_of(pattern))):
                    self.status = 0
                    return await self._sequence(branch.get("Stmts", []), streams)
        return 0

    async def _simple(self, command: Node, streams: Streams) -> int:
        self._substituted = None
        words: list[str] = []
        for word in command.get("Args", ()):
            words += await expand_fields(self, parts_of(word))
        values = [
            (item["Name"]["Value"], await expand_text(self, parts_of(item.get("Value"))))
            for item in command.get("Assigns", ())
        ]
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
        tool = self.tools.get(name) if self.finds(name) or name != argv[0] else None
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

    async def _function(self, body: Node, arguments: list[str], streams: Streams) -> int:
        if len(self.frames) > _MAX_DEPTH:
            raise ShellExit(1, "maximum nesting depth exceeded")
        self.frames.append(Frame(arguments, function=True))
        try:
            return await self._redirected(body, streams)
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


def _stages(statement: Node) -> list[Node]:
    """Return the commands of a pipeline, from left to right."""
    command = statement.get("Cmd", {})
    if command.get("Op") != "|":
        return [statement]
    return [*_stages(command["X"]), *_stages(command["Y"])]
